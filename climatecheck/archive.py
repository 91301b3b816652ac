"""From an upload to the bytes of the files that count. Nothing is unpacked to disk or followed."""

import hashlib
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from climatecheck import edition
from climatecheck import problem_table as table
from climatecheck.problems import Collector, shown

_TABULAR = {".csv", ".tsv"}
_RECOGNISED = (edition.PREDICTIONS_FILE, edition.TASK1_FILE, edition.TASK2_FILE)
_COPY_MARK = re.compile(r"[ _-]*(\(\d+\)|copy|kopie|final|\d+)$")
_JUNK = {"__macosx", ".ds_store", "thumbs.db", "desktop.ini", ".ipynb_checkpoints"}
_METADATA = {"metadata", "metadata.yaml"}
OWN_FOLDER = "validated"
"""The folder that ingestion writes; the reader never looks into one of that name."""


@dataclass(frozen=True)
class Entry:
    """A file of the upload that has not been read yet."""

    path: str
    read: Callable[[int], bytes]

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name


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
    source: Path, claims: int, problems: Collector, *, from_platform: bool = False
) -> Upload:
    """Return the files of a zip, folder or CSV that count; problems take all else.

    Args:
        source: the zip, folder or CSV.
        claims: the number of claims, which sets the limits of size.
        problems: takes what was found.
        from_platform: whether the folder is the scoring step's, where ingestion and the platform
            have put files of their own beside the participant's.
    """
    try:
        entries = _entries(source, claims, problems)
        chosen = _choose(entries, problems, from_platform) if entries is not None else {}
        files = {}
        for name, entry in chosen.items():
            data = _read(entry, claims, problems)
            if data is not None:
                files[name] = (entry.name, data)
        return Upload(files)
    except OSError as fault:
        problems.add(table.UNREADABLE, source.name, found=fault.strerror or type(fault).__name__)
        return Upload({})


def _entries(source: Path, claims: int, problems: Collector) -> list[Entry] | None:
    if source.is_dir():
        return _folder_entries(source, problems)
    if not source.exists():
        problems.add(table.UNREADABLE, source.name, found="there is no such file")
        return None
    if not source.is_file():
        problems.add(table.LINK, source.name, found=source.name)
        return None
    if source.suffix.lower() in _TABULAR and source.read_bytes()[:4] != b"PK\x03\x04":
        return [Entry(source.name, _file_reader(source))]
    if source.stat().st_size > 20_000_000 + edition.max_bytes(claims):
        problems.add(table.TOO_LARGE, source.name, limit=_size(edition.max_bytes(claims)))
        return None
    return _zip_entries(source, problems)


def _file_reader(path: Path) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags), "rb") as file:
            return file.read(limit)

    return read


def _folder_entries(folder: Path, problems: Collector) -> list[Entry] | None:
    entries: list[Entry] = []
    pending, seen = [folder], 0
    while pending:
        current = pending.pop()
        for item in sorted(os.scandir(current), key=lambda item: item.name):
            seen += 1
            if seen > edition.MAX_FILES:
                problems.add(table.TOO_MANY_FILES, limit=edition.MAX_FILES)
                return None
            path = Path(item.path)
            if item.is_symlink() or not (item.is_file() or item.is_dir()):
                problems.add(table.LINK, found=path.relative_to(folder).as_posix())
            elif item.is_dir():
                if path.relative_to(folder).as_posix() != OWN_FOLDER:
                    pending.append(path)
            else:
                entries.append(Entry(path.relative_to(folder).as_posix(), _file_reader(path)))
    return sorted(entries, key=lambda entry: entry.path)


def _zip_entries(source: Path, problems: Collector) -> list[Entry] | None:
    if not zipfile.is_zipfile(source):
        problems.add(table.NOT_A_ZIP, source.name)
        return None
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as fault:
        problems.add(table.BROKEN_ZIP, source.name, found=str(fault))
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
            continue
        elif info.flag_bits & 1:
            problems.add(table.ENCRYPTED, found=path)
        elif path.split("/")[0] != OWN_FOLDER:
            entries.append(Entry(path, _member_reader(archive, info)))
    return sorted(entries, key=lambda entry: entry.path)


def _member_reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        with archive.open(info) as file:
            return file.read(limit)

    return read


def _choose(entries: list[Entry], problems: Collector, from_platform: bool) -> dict[str, Entry]:
    """Return the entries that count, by recognised name; the others are remarked upon."""
    entries = [e for e in entries if not _is_junk(e.path)]
    metadata = [e for e in entries if e.path.lower() in _METADATA]
    if not from_platform:
        for entry in metadata:
            kind = table.COMMAND if _has_command(entry) else table.METADATA_FILE
            problems.add(kind, found=entry.path)
    entries = [e for e in entries if e not in metadata]
    candidates: dict[str, list[Entry]] = {}
    for entry in entries:
        name = _recognised(entry.name)
        if name:
            candidates.setdefault(name, []).append(entry)
    if not candidates:
        tabular = [e for e in entries if PurePosixPath(e.path).suffix.lower() in _TABULAR]
        if tabular:
            candidates[edition.PREDICTIONS_FILE] = tabular
    if not candidates:
        _no_csv(entries, problems, from_platform)
        return {}
    if _ambiguous(candidates, problems):
        return {}
    chosen = {name: found[0] for name, found in candidates.items()}
    _remark(chosen, entries, problems)
    return chosen


def _is_junk(path: str) -> bool:
    parts = path.lower().split("/")
    return any(part in _JUNK or part.startswith("._") for part in parts)


def _has_command(entry: Entry) -> bool:
    try:
        text = entry.read(100_000)
    except (OSError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error, EOFError):
        return False
    return re.search(rb"(?im)[\"']?command[\"']?\s*:", text) is not None


def _recognised(name: str) -> str:
    """Return the file name that a name stands for, or an empty string.

    >>> _recognised("Predictions (1).csv"), _recognised("task1.tsv"), _recognised("emissions.csv")
    ('predictions.csv', 'task1.csv', '')
    """
    path = PurePosixPath(name.lower())
    if path.suffix not in _TABULAR | {".txt"}:
        return ""
    for stem in (path.stem, _COPY_MARK.sub("", path.stem)):
        if f"{stem}.csv" in _RECOGNISED:
            return f"{stem}.csv"
    return ""


def _no_csv(entries: list[Entry], problems: Collector, from_platform: bool) -> None:
    zips = [e for e in entries if e.path.lower().endswith(".zip")]
    for entry in zips:
        problems.add(table.NESTED_ZIP, found=entry.path)
    if zips:
        return
    names = [shown(e.path) for e in entries]
    if "xl/workbook.xml" in names:
        found = "this is a spreadsheet; export it as CSV"
    else:
        listed = ", ".join(f"“{name}”" for name in names[:3]) + ("…" if len(names) > 3 else "")
        found = f"found {listed}" if names else "it holds no file"
    problems.add(table.NO_CSV_ARRIVED if from_platform else table.NO_CSV, found=found)


def _ambiguous(candidates: dict[str, list[Entry]], problems: Collector) -> bool:
    ambiguous = False
    for found in candidates.values():
        if len(found) > 1:
            ambiguous = True
            problems.add(table.TWO_CANDIDATES, found=", ".join(e.path for e in found[:3]))
    others = [name for name in candidates if name != edition.PREDICTIONS_FILE]
    if edition.PREDICTIONS_FILE in candidates and others:
        ambiguous = True
        problems.add(table.MIXED_KINDS, found=" and ".join(sorted(others)))
    return ambiguous


def _remark(chosen: dict[str, Entry], entries: list[Entry], problems: Collector) -> None:
    for name, entry in chosen.items():
        if "/" in entry.path:
            problems.add(table.FOLDER, entry.name, found=str(PurePosixPath(entry.path).parent))
        if entry.name != name:
            problems.add(table.FILE_NAME, entry.name, meant=name)
    for entry in entries:
        if entry not in chosen.values():
            problems.add(table.OTHER_FILES, found=entry.path)


def _read(entry: Entry, claims: int, problems: Collector) -> bytes | None:
    limit = edition.max_bytes(claims)
    try:
        data = entry.read(limit + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as fault:
        problems.add(table.BROKEN_ZIP, entry.name, found=type(fault).__name__)
        return None
    if len(data) > limit:
        problems.add(table.TOO_LARGE, entry.name, limit=_size(limit))
        return None
    return data


def _size(bytes_: int) -> str:
    return f"{bytes_ / 1_000_000:,.1f} MB"
