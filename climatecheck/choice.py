"""Which files of an upload count, and what is to be said about the others."""

import re
import struct
import textwrap
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from climatecheck import edition
from climatecheck import problem_table as table
from climatecheck.decoding import first_line, plain_name, separator_of
from climatecheck.problems import Collector

_TABULAR = {".csv", ".tsv"}
READABLE = {*_TABULAR, ".txt"}
_SPREADSHEETS = {".xlsx", ".xlsm", ".xls", ".ods", ".numbers"}
_OTHER_TABLES = {".json", ".jsonl", ".ndjson", ".parquet", ".feather", ".arrow", ".pkl", ".pickle"}
_OTHER_TABLES |= {".npy", ".npz", ".h5", ".hdf5", ".tab", ".psv", ".dat", ".run", ".trec"}
_PACKED = {".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".zst", ".7z", ".rar"}
_OTHER_FORMATS = {*_SPREADSHEETS, *_OTHER_TABLES, *_PACKED, ""}
"""Forms in which predictions are kept, but not read; the last: a name without any ending."""
_TASKS = {edition.PREDICTIONS_FILE: "12", edition.TASK1_FILE: "1", edition.TASK2_FILE: "2"}
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

_HEAD_BYTES = 10_000
_METADATA_BYTES = 100_000
_COMMAND_ON_A_LINE = re.compile(r"""(?m)^(["']?)command\1[ \t]*:(\s|$)""")
_COMMAND_IN_BRACES = re.compile(
    r"""\s*\{ (?:(?: "(?:\\.|[^"\\])*" | '[^']*' | [^{}"'] )*,)? \s*(["']?)command\1\s*:""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Entry:
    """A file or folder of the upload that has not been read yet; a folder's path ends in ``/``."""

    path: str
    read: Callable[[int], bytes]

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name

    @property
    def top(self) -> str:
        """The first part of the path."""
        return self.path.split("/")[0]

    @property
    def suffix(self) -> str:
        """The ending of the name, in lower case."""
        return PurePosixPath(self.path.lower()).suffix


def choose(
    entries: list[Entry], problems: Collector, tasks: Sequence[str], from_platform: bool
) -> dict[str, Entry]:
    """Return the entries that count, by recognised name; the others are remarked upon."""
    nothing_arrived = from_platform and not entries
    _refuse_metadata([e for e in entries if e.top in _METADATA], problems)
    files = [e for e in entries if not (e.path.endswith("/") or _is_junk(e.path))]
    files = [e for e in files if e.top not in _METADATA]
    own = [e for e in files if e.top == OWN_FOLDER]
    files = [e for e in files if e.top != OWN_FOLDER]
    candidates: dict[str, list[Entry]] = {}
    for entry in files:
        name = _recognised(entry.name)
        if name:
            candidates.setdefault(name, []).append(entry)
    if not candidates:
        tabular = [e for e in files if e.suffix in _TABULAR]
        if tabular:
            candidates[edition.PREDICTIONS_FILE] = tabular
    if not candidates:
        if nothing_arrived and not problems.has_errors:
            problems.add(table.NO_CSV_ARRIVED)
        elif not problems.has_errors:
            _no_csv(files, own, problems)
        return {}
    others = [e for e in files if not any(e in found for found in candidates.values())]
    meant = _refuse_meant(others, tasks, problems)
    if _ambiguous(candidates, problems):
        return {}
    chosen = {name: found[0] for name, found in candidates.items()}
    _remark(chosen, [e for e in [*others, *own] if e not in meant], problems)
    return chosen


def _is_junk(path: str) -> bool:
    parts = path.lower().split("/")
    return any(part in _JUNK or part.startswith("._") for part in parts)


def _refuse_metadata(entries: list[Entry], problems: Collector) -> None:
    """Add an error for each of the two names: the platform asks only whether they are there."""
    for top in dict.fromkeys(entry.top for entry in entries):
        file = next((entry for entry in entries if entry.path == top), None)
        if file is not None and _has_command(_text(file, _METADATA_BYTES)):
            problems.add(table.COMMAND, found=top)
        else:
            problems.add(table.METADATA_FILE, found=top, what="file" if file else "folder")


def _text(entry: Entry, limit: int) -> str:
    """Return the beginning of a file, whatever its encoding; nothing if it cannot be read."""
    try:
        data = entry.read(limit)
    except (OSError, *ZIP_FAULTS):
        return ""
    return data.replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe").decode("utf-8", "replace")


def _has_command(text: str) -> bool:
    r"""Return whether YAML is a mapping with the key ``command``.

    >>> [_has_command(text) for text in ("command: run", "# command: run", "a:\n  command: run")]
    [True, False, False]
    >>> _has_command('{"command": "run"}'), _has_command('{"note": "x, command: run"}')
    (True, False)
    """
    lines = [line for line in text.splitlines() if not re.match(r"\s*#|---|%", line)]
    plain = textwrap.dedent("\n".join(lines))
    if plain.lstrip().startswith("{"):
        return _COMMAND_IN_BRACES.match(plain) is not None
    return _COMMAND_ON_A_LINE.search(plain) is not None


def _recognised(name: str) -> str:
    """Return the file name that a name stands for, or an empty string.

    >>> [_recognised(name) for name in ("Predictions (1).csv", "task_1.tsv", "emissions.csv")]
    ['predictions.csv', 'task1.csv', '']
    """
    path = PurePosixPath(name.lower())
    return _by_stem(path.stem.removesuffix(".csv")) if path.suffix in READABLE else ""


def _by_stem(stem: str) -> str:
    for form in (stem, re.sub("[ _-]", "", stem), re.sub("[ _-]", "", _COPY_MARK.sub("", stem))):
        if f"{form}.csv" in _TASKS:
            return f"{form}.csv"
    return ""


def _refuse_meant(
    others: list[Entry], tasks: Sequence[str], problems: Collector
) -> dict[Entry, str]:
    """Add an error for each file without which a task that is scored may be left out."""
    meant = {entry: _meant(entry) for entry in others}
    meant = {e: name for e, name in meant.items() if set(_TASKS.get(name, "")).intersection(tasks)}
    for entry, name in meant.items():
        problems.add(table.FILE_MEANT, found=entry.path, read_as=name)
    return meant


def _meant(entry: Entry) -> str:
    """Return what a file that is not read was probably meant as, or an empty string."""
    if entry.suffix in READABLE:
        return _by_header(first_line(_text(entry, _HEAD_BYTES)))
    return _by_stem(entry.name.lower().split(".")[0]) if entry.suffix in _OTHER_FORMATS else ""


def _by_header(line: str) -> str:
    """Return the file whose columns a header names, or an empty string.

    >>> [_by_header(line) for line in ("Claim ID;rank", "claim_id,narrative", "claim_id,claim")]
    ['task1.csv', 'task2.csv', '']
    """
    of_task1, of_task2 = {"abstractid", "rank"}, {"narrative"}
    separator = separator_of(line, ("claim_id", *of_task1, *of_task2))
    names = {plain_name(name) for name in line.split(separator)}
    if "claimid" not in names:
        return ""
    if names & of_task1:
        return edition.PREDICTIONS_FILE if names & of_task2 else edition.TASK1_FILE
    return edition.TASK2_FILE if names & of_task2 else ""


def _no_csv(files: list[Entry], passed_over: list[Entry], problems: Collector) -> None:
    zips = [e for e in files if e.suffix == ".zip"]
    for entry in zips:
        problems.add(table.NESTED_ZIP, found=entry.path)
    if zips:
        return
    sheets = [e for e in files if e.suffix in _SPREADSHEETS]
    if any(e.path == "xl/workbook.xml" for e in files):
        found = "this is a spreadsheet; export it as CSV"
    elif sheets:
        found = f"{_quoted(sheets)} {'is' if len(sheets) == 1 else 'are'} for a spreadsheet program"
    elif files:
        found = f"found {_quoted(files)}"
    elif passed_over:
        found = f"found {_quoted(passed_over)} alone, which is never read"
    else:
        found = "it holds no file"
    problems.add(table.NO_CSV, found=found)


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


def _remark(chosen: dict[str, Entry], others: list[Entry], problems: Collector) -> None:
    for name, entry in chosen.items():
        if "/" in entry.path:
            problems.add(table.FOLDER, entry.name, found=str(PurePosixPath(entry.path).parent))
        if entry.name != name:
            problems.add(table.FILE_NAME, entry.name, meant=name)
    for entry in others:
        problems.add(table.OTHER_FILES, found=entry.path)
