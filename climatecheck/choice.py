"""Which files of an upload count, and what is to be said about the others."""

import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from climatecheck import edition
from climatecheck import problem_table as table
from climatecheck.problems import Collector

_TABULAR = {".csv", ".tsv"}
READABLE = {*_TABULAR, ".txt"}
_SPREADSHEETS = {".xlsx", ".xlsm", ".xls", ".ods", ".numbers"}
_RECOGNISED = (edition.PREDICTIONS_FILE, edition.TASK1_FILE, edition.TASK2_FILE)
_COPY_MARK = re.compile(r"[ _-]*(\(\d+\)|copy|kopie|final|\d+)$")
_JUNK = {"__macosx", ".ds_store", "thumbs.db", "desktop.ini", ".ipynb_checkpoints"}
_METADATA = {"metadata", "metadata.yaml"}
OWN_FOLDER = "validated"
"""The folder that ingestion writes; the reader never looks into one of that name."""
NOT_THEIRS = frozenset({OWN_FOLDER, *_METADATA})
"""What may stand beside a participant's files in the scoring step, by ingestion and platform."""

ZIP_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    OverflowError,
    RuntimeError,  # NotImplementedError too
    ValueError,
)
"""What the standard library raises for a damaged zip, by its own account and by experience."""


@dataclass(frozen=True)
class Entry:
    """A file of the upload that has not been read yet."""

    path: str
    read: Callable[[int], bytes]

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name


def choose(entries: list[Entry], problems: Collector, from_platform: bool) -> dict[str, Entry]:
    """Return the entries that count, by recognised name; the others are remarked upon."""
    entries = [e for e in entries if not _is_junk(e.path)]
    own = [e for e in entries if e.path.split("/")[0] == OWN_FOLDER]
    metadata = [e for e in entries if e.path.lower() in _METADATA]
    for entry in metadata:
        kind = table.COMMAND if _has_command(entry) else table.METADATA_FILE
        problems.add(kind, found=entry.path)
    entries = [e for e in entries if e not in own and e not in metadata]
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
        if not problems.has_errors:
            _no_csv(entries, own, problems, from_platform)
        return {}
    if _ambiguous(candidates, problems):
        return {}
    chosen = {name: found[0] for name, found in candidates.items()}
    _remark(chosen, [*entries, *own], problems)
    return chosen


def _is_junk(path: str) -> bool:
    parts = path.lower().split("/")
    return any(part in _JUNK or part.startswith("._") for part in parts)


def _has_command(entry: Entry) -> bool:
    try:
        text = entry.read(100_000)
    except (OSError, *ZIP_FAULTS):
        return False
    return re.search(rb"(?im)[\"']?command[\"']?\s*:", text) is not None


def _recognised(name: str) -> str:
    """Return the file name that a name stands for, or an empty string.

    >>> [_recognised(name) for name in ("Predictions (1).csv", "task_1.tsv", "emissions.csv")]
    ['predictions.csv', 'task1.csv', '']
    """
    path = PurePosixPath(name.lower())
    if path.suffix not in READABLE:
        return ""
    stem = path.stem.removesuffix(".csv")
    for form in (stem, re.sub("[ _-]", "", stem), re.sub("[ _-]", "", _COPY_MARK.sub("", stem))):
        if f"{form}.csv" in _RECOGNISED:
            return f"{form}.csv"
    return ""


def _no_csv(
    entries: list[Entry], passed_over: list[Entry], problems: Collector, from_platform: bool
) -> None:
    zips = [e for e in entries if e.path.lower().endswith(".zip")]
    for entry in zips:
        problems.add(table.NESTED_ZIP, found=entry.path)
    if zips:
        return
    sheets = [e for e in entries if PurePosixPath(e.path).suffix.lower() in _SPREADSHEETS]
    if any(e.path == "xl/workbook.xml" for e in entries):
        found = "this is a spreadsheet; export it as CSV"
    elif sheets:
        found = f"{_quoted(sheets)} {'is' if len(sheets) == 1 else 'are'} for a spreadsheet program"
    elif entries:
        found = f"found {_quoted(entries)}"
    elif passed_over:
        found = f"found {_quoted(passed_over)} alone, which is never read"
    else:
        found = "it holds no file"
    problems.add(table.NO_CSV_ARRIVED if from_platform else table.NO_CSV, found=found)


def _quoted(entries: list[Entry]) -> str:
    """Return the first names, short enough to stand together in a message."""
    names = [e.path if len(e.path) <= 20 else f"{e.path[:18]}…" for e in entries[:2]]
    return ", ".join(f"“{name}”" for name in names) + (", …" if len(entries) > 2 else "")


def _ambiguous(candidates: dict[str, list[Entry]], problems: Collector) -> bool:
    ambiguous = False
    for name, found in candidates.items():
        if len(found) > 1:
            ambiguous = True
            problems.add(table.TWO_CANDIDATES, found=_quoted(found), meant=name)
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
