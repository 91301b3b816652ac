"""From a folder of submissions, or the platform's bulk download, to uploads and whose they are.

The platform's ``bulk_submissions.zip`` has an entry
``<id>_<owner>_PhaseId<phase>_<yyyy-mm-dd_MM-SS>_<uploaded name>`` for each upload, and a
``failed.txt`` that lists what it could not fetch. Every part of such a name but the id, the phase
and the time is a participant's.
"""

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TypeAlias
from unicodedata import normalize

from climatecheck import edition
from climatecheck.problems import Collector, Kind, Problem, shown
from organiser.editions import OrganiserError

FAILED_FILE = "failed.txt"
_BULK_ZIP = re.compile(r"bulk_submissions.*\.zip", re.IGNORECASE)
_NUMBER = re.compile(r"(\d+)_")
_MIDDLE = re.compile(r"_PhaseId(\d+)_\d{4}-\d{2}-\d{2}[_:]\d{2}-\d{2}_")
_JUNK = {"__macosx", "thumbs.db", "desktop.ini"}
_TABLES = {".zip", ".csv", ".tsv"}
_DOCUMENTS = {".md", ".txt", ".rst", ".pdf", ".html", ".docx"}
_KEPT_CHARACTERS = 80
_ZIP_OVERHEAD = 20_000_000

Opener: TypeAlias = Callable[[], AbstractContextManager[Path]]

UNFETCHED = Kind(
    "E-UNFETCHED",
    "An upload that the platform could not fetch",
    f"{FAILED_FILE} lists “{{found}}”",
    f"{FAILED_FILE} lists {{count}} uploads",
    "Download it from the page of the submission.",
)
OWNER_UNCLEAR = Kind(
    "E-OWNER-UNCLEAR",
    "A name that does not say whose upload it is",
    "“{found}” can be read as the upload of more than one owner, or of none",
    "{count} names can be read as the upload of more than one owner, or of none",
    "Rename it to the team's name, in a folder with the other submissions, and take away that"
    " team's others.",
)
UNREADABLE_ENTRY = Kind(
    "E-UNREADABLE-ENTRY",
    "An entry of the bulk download that cannot be read",
    "the entry of the bulk download is broken or too large ({found})",
    "{count} entries of the bulk download are broken or too large",
    "Download it from the page of the submission.",
)


@dataclass(frozen=True)
class Upload:
    """What somebody uploaded.

    Attributes:
        owner: whose it is, in full.
        name: of the file, as it was uploaded.
        open: gives a context in which the file or folder stands at a path.
        number: the platform's id, which grows with time; 0 where it is not known.
        phase: the platform's id of the phase; empty where it is not known.
    """

    owner: str
    name: str
    open: Opener
    number: int = 0
    phase: str = ""

    @property
    def file(self) -> str:
        """The name, fit to print, and the platform's id."""
        return shown(self.name) + (f" (no. {self.number})" if self.number else "")


@dataclass(frozen=True)
class Unreadable:
    """What was found and is nobody's readable upload."""

    name: str
    problem: Problem


class EntryError(Exception):
    """An entry of the bulk download cannot be read; the message says why."""


def find_uploads(
    source: Path, claims: int, *, say: Callable[[str], None] = lambda _: None
) -> tuple[list[Upload], list[Unreadable]]:
    """Return the uploads in a folder or bulk download, by owner and then by id; and what is none.

    Args:
        source: a folder with a zip, folder or CSV for each team, named by it; or the platform's
            ``bulk_submissions.zip``, as it comes, unpacked, or in a folder of its own.
        claims: the number of claims of the edition, which sets the limits of size.
        say: takes a sentence on each document in the folder, which is left aside.

    Raises:
        OrganiserError: there is no such folder or zip, it is empty, or a team has files of which
            none is the last.
    """
    source = _bulk_zip_in(source)
    if source.is_dir():
        entries = list(_without_documents(_folder_entries(source), say))
    elif zipfile.is_zipfile(source):
        entries = list(_zip_entries(source, claims))
    else:
        raise OrganiserError(f"{source} is neither a folder nor a zip of submissions.")
    failed = [opened for name, opened in entries if name == FAILED_FILE]
    made = [
        _upload(name, opened, named_by_platform=source.is_file())
        for name, opened in entries
        if name != FAILED_FILE
    ]
    uploads = [item for item in made if isinstance(item, Upload)]
    unreadable = [item for item in made if isinstance(item, Unreadable)]
    unreadable += [item for opened in failed for item in _unfetched(opened)]
    if not uploads and not unreadable:
        raise OrganiserError(f"There is no submission in {source}.")
    _refuse_two_of_a_name(uploads)
    return sorted(uploads, key=lambda u: (u.owner, u.number, u.name)), unreadable


def problem(kind: Kind, *found: str, file: str = "") -> Problem:
    """Return a problem of a kind, with an occurrence for each text."""
    problems = Collector()
    for text in found:
        problems.add(kind, file, found=text)
    return problems.problems()[0]


def _bulk_zip_in(source: Path) -> Path:
    """Return the bulk download's zip if it is all that a folder holds."""
    if not source.exists():
        raise OrganiserError(f"There is no folder or file {source}.")
    if source.is_file():
        return source
    inside = [path for path in source.iterdir() if not _is_junk(path.name)]
    alone = len(inside) == 1 and _BULK_ZIP.fullmatch(inside[0].name)
    return inside[0] if alone else source


def _is_junk(name: str) -> bool:
    return name.startswith(".") or name.lower() in _JUNK


def _folder_entries(folder: Path) -> Iterator[tuple[str, Opener]]:
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if not _is_junk(path.name):
            yield path.name, lambda path=path: nullcontext(path)  # type: ignore[misc]


def _without_documents(
    entries: Iterator[tuple[str, Opener]], say: Callable[[str], None]
) -> Iterator[tuple[str, Opener]]:
    """Leave out what is no submission by its ending, unless the platform named it as one."""
    for name, opened in entries:
        is_document = PurePosixPath(name).suffix.lower() in _DOCUMENTS and name != FAILED_FILE
        if is_document and not _MIDDLE.search(name):
            say(f"{shown(name)} is no submission and is left aside")
        else:
            yield name, opened


def _zip_entries(source: Path, claims: int) -> Iterator[tuple[str, Opener]]:
    limit = _ZIP_OVERHEAD + edition.max_bytes(claims)
    try:
        infos = zipfile.ZipFile(source).infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise OrganiserError(f"{source} is broken: {shown(error)}.") from error
    for info in sorted(infos, key=lambda info: info.filename):
        name = info.filename.replace("\\", "/").strip("/")
        own = name if _NUMBER.match(name) else PurePosixPath(name).name  # in a folder, or not
        if not (info.is_dir() or _is_junk(name) or _is_junk(name.split("/")[0]) or _is_junk(own)):
            yield own, partial(_unpacked, source, info, limit)


@contextmanager
def _unpacked(source: Path, info: zipfile.ZipInfo, limit: int) -> Iterator[Path]:
    """Unpack one entry under the name it was uploaded with, made one that leads nowhere else."""
    name = PurePosixPath(info.filename.replace("\\", "/")).name
    middles = list(_MIDDLE.finditer(name))
    name = re.sub(r"[^\w.-]", "_", name[middles[-1].end() :] if middles else name).lstrip(".")
    try:
        with zipfile.ZipFile(source) as archive, archive.open(info) as file:
            data = file.read(limit + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise EntryError(type(error).__name__) from error
    if len(data) > limit:
        raise EntryError(f"more than {limit:,} bytes")
    with TemporaryDirectory(prefix="upload-") as folder:
        path = Path(folder) / (name[-_KEPT_CHARACTERS:].lstrip(".") or "upload")
        path.write_bytes(data)
        yield path


def _upload(name: str, opened: Opener, *, named_by_platform: bool) -> Upload | Unreadable:
    number = _NUMBER.match(name)
    middles = list(_MIDDLE.finditer(name, number.end())) if number else []
    if number and len(middles) == 1 and middles[0].start() > number.end():
        owner = name[number.end() : middles[0].start()]
        uploaded = name[middles[0].end() :]
        return Upload(owner, uploaded, opened, int(number[1]), middles[0][1])
    if middles or named_by_platform:
        return Unreadable(name, problem(OWNER_UNCLEAR, name))
    path = PurePosixPath(name)
    team = path.stem if path.suffix.lower() in _TABLES else name
    return Upload(normalize("NFC", team), name, opened)


def _unfetched(opened: Opener) -> list[Unreadable]:
    with opened() as path:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    names = [line.strip() for line in lines if line.strip()]
    return [Unreadable(name, problem(UNFETCHED, name, file=FAILED_FILE)) for name in names]


def _refuse_two_of_a_name(uploads: Sequence[Upload]) -> None:
    """Raise if a team has a file that bears no id and another one: neither is the last."""
    numbers = Counter(normalize("NFC", u.owner) for u in uploads)
    for owner in dict.fromkeys(u.owner for u in uploads if not u.number):
        if numbers[owner] > 1:
            of_team = [u for u in uploads if normalize("NFC", u.owner) == owner]
            names = ", ".join(u.file for u in of_team)
            raise OrganiserError(
                f"Team {shown(owner)} has {len(of_team)} submissions, and without the platform's"
                f" number in each name it is not known which is the last: {names}. Keep one."
            )
