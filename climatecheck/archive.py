"""From an upload to the bytes of the files that count. Nothing is unpacked to disk or followed."""

import errno
import hashlib
import itertools
import os
import stat
import zipfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from climatecheck import edition
from climatecheck import problem_table as table
from climatecheck.choice import NOT_THEIRS, READABLE, ZIP_FAULTS, Entry, choose
from climatecheck.problems import Collector

_OTHER_FILES_BYTES = 20_000_000
"""What an upload may weigh beside its predictions."""


@dataclass(frozen=True)
class Upload:
    """The files that count, by their recognised names, and a short hash of them."""

    files: dict[str, tuple[str, bytes]]

    @property
    def digest(self) -> str:
        """The first twelve hexadecimal digits of a SHA-256 over recognised names and bytes."""
        hashed = hashlib.sha256()
        for name, (_, data) in sorted(self.files.items()):
            hashed.update(f"{name}\0{len(data)}\0".encode() + data)
        return hashed.hexdigest()[:12]


def open_upload(
    source: Path,
    claims: int,
    problems: Collector,
    *,
    tasks: Sequence[str] = ("1", "2"),
    from_platform: bool = False,
) -> Upload:
    """Return the files of a zip, folder or CSV that count; problems take all else.

    Args:
        source: the zip, folder or CSV.
        claims: the number of claims, which sets the limits of size.
        problems: takes what was found.
        tasks: the tasks that are scored.
        from_platform: whether the folder is the scoring step's, where ingestion and the platform
            have put files of their own beside the participant's.
    """
    try:
        with ExitStack() as opened:
            entries = _entries(source, claims, problems, opened, from_platform)
            chosen = {}
            if entries is not None:
                chosen = choose(entries, problems, tasks, from_platform)
            files = {}
            for name, entry in chosen.items():
                data = _read(entry, claims, problems)
                if data is not None:
                    files[name] = (entry.name, data)
            return Upload(files)
    except OSError as fault:
        problems.add(table.UNREADABLE, source.name, found=_in_words(fault))
        return Upload({})


def _in_words(fault: OSError) -> str:
    return (fault.strerror or "it cannot be read").lower()


def _entries(
    source: Path, claims: int, problems: Collector, opened: ExitStack, from_platform: bool
) -> list[Entry] | None:
    if source.is_dir():
        return _folder_entries(source, problems, from_platform)
    if not source.exists():
        problems.add(table.UNREADABLE, source.name, found="there is no such file")
        return None
    if not source.is_file():
        problems.add(table.LINK, source.name, found=source.name)
        return None
    if source.suffix.lower() in READABLE and not _begins_as_zip(source):
        return [Entry(source.name, _file_reader(source))]
    limit = _OTHER_FILES_BYTES + edition.max_bytes(claims)
    if source.stat().st_size > limit:
        problems.add(table.TOO_LARGE, source.name, limit=_size(limit))
        return None
    return _zip_entries(source, problems, opened)


def _nothing(_: int) -> bytes:
    return b""


def _file_reader(path: Path) -> Callable[[int], bytes]:
    """Return a function that reads a regular file, whatever has taken its place meanwhile."""

    def read(limit: int) -> bytes:
        flags = os.O_RDONLY
        for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
            flags |= getattr(os, name, 0)
        with os.fdopen(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, "it is not a file")
            return file.read(limit)

    return read


def _folder_entries(folder: Path, problems: Collector, from_platform: bool) -> list[Entry] | None:
    entries: list[Entry] = []
    pending, seen = [folder], 0
    while pending:
        current = pending.pop()
        not_theirs = NOT_THEIRS if from_platform and current == folder else frozenset()
        with os.scandir(current) as items:
            theirs = (item for item in items if item.name not in not_theirs)
            some = list(itertools.islice(theirs, edition.MAX_FILES + 1))
        seen += len(some)
        if seen > edition.MAX_FILES:
            problems.add(table.TOO_MANY_FILES, limit=edition.MAX_FILES)
            return None
        for item in some:
            path = Path(item.path)
            name = path.relative_to(folder).as_posix().replace("\\", "/")
            if item.is_symlink() or not (item.is_file() or item.is_dir()):
                problems.add(table.LINK, found=name)
            elif item.is_dir():
                pending.append(path)
                entries.append(Entry(f"{name}/", _nothing))
            else:
                entries.append(Entry(name, _file_reader(path)))
    return sorted(entries, key=lambda entry: entry.path)


def _zip_entries(source: Path, problems: Collector, opened: ExitStack) -> list[Entry] | None:
    try:
        archive = opened.enter_context(zipfile.ZipFile(source))
    except ZIP_FAULTS:
        problems.add(table.BROKEN_ZIP if _begins_as_zip(source) else table.NOT_A_ZIP, source.name)
        return None
    infos = archive.infolist()
    if len(infos) > edition.MAX_FILES:
        problems.add(table.TOO_MANY_FILES, limit=edition.MAX_FILES)
        return None
    entries: list[Entry] = []
    for info in infos:
        path = info.filename.replace("\\", "/")
        mode = info.external_attr >> 16
        if (
            not path.strip("/")
            or path.startswith("/")
            or ".." in path.split("/")
            or path[1:2] == ":"
        ):
            problems.add(table.UNSAFE_NAME, found=path)
        elif stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            problems.add(table.LINK, found=path)
        elif path.endswith("/"):
            entries.append(Entry(f"{_unpacked(path)}/", _nothing))
        elif info.flag_bits & 1:
            problems.add(table.ENCRYPTED, found=path)
        elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            problems.add(table.ZIP_METHOD, found=path)
        else:
            entries.append(Entry(_unpacked(path), _member_reader(archive, info)))
    return sorted(entries, key=lambda entry: entry.path)


def _unpacked(path: str) -> str:
    """Return where an entry stands once it is unpacked.

    >>> _unpacked("./run//predictions.csv")
    'run/predictions.csv'
    """
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def _begins_as_zip(source: Path) -> bool:
    with source.open("rb") as file:
        return file.read(2) == b"PK"


def _member_reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        with archive.open(info) as file:
            return file.read(limit)

    return read


def _read(entry: Entry, claims: int, problems: Collector) -> bytes | None:
    limit = edition.max_bytes(claims)
    try:
        data = entry.read(limit + 1)
    except OSError as fault:
        problems.add(table.UNREADABLE, entry.name, found=_in_words(fault))
        return None
    except ZIP_FAULTS:
        problems.add(table.BROKEN_ZIP, entry.name)
        return None
    if len(data) > limit:
        problems.add(table.TOO_LARGE, entry.name, limit=_size(limit))
        return None
    return data


def _size(bytes_: int) -> str:
    return f"{bytes_ / 1_000_000:,.1f} MB"
