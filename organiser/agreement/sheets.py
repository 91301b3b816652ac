"""From files to tables of text: CSV in its many forms, and the sheets of workbooks."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from climatecheck.cells import Cells, read_cells
from climatecheck.decoding import decode, first_line, plain_name, separator_of
from climatecheck.problems import Collector
from climatecheck.values import BLANKS
from organiser.agreement import sheet_problems as kinds
from organiser.agreement import spreadsheet
from organiser.editions import OrganiserError

KNOWN = ("claim_id", "abstract_id", "annotator", "label", "narrative", "claim", "comment")
FREE_TEXT = ("claim", "comment")
"""Columns in which a cell may have several lines."""

_TEXT, _BOOKS = (".csv", ".tsv", ".txt"), (".xlsx", ".xlsm")
_OTHER_SHEETS = (".xls", ".ods", ".numbers", ".xlsb")
_MAX_ROWS = 1_000_000


@dataclass(frozen=True)
class Sheet:
    """A table of annotations.

    Attributes:
        name: the annotator, where the table does not name one: the file's or the sheet's name.
        cells: its columns.
    """

    name: str
    cells: Cells


def read_sheets(path: Path, problems: Collector) -> list[Sheet]:
    """Return every table of a file or of a folder's files, in the order of their names.

    Args:
        path: a CSV or XLSX file, or a folder of them.
        problems: takes what is wrong with them.

    Raises:
        OrganiserError: there is nothing to read.
    """
    if not path.exists():
        raise OrganiserError(f"There is nothing at {path}.")
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    found = [sheet for file in files if _is_meant(file) for sheet in _of_file(file, problems)]
    if not found and not problems.has_errors:
        raise OrganiserError(f"There is no CSV or XLSX file of annotations at {path}.")
    return found


def _is_meant(file: Path) -> bool:
    return file.is_file() and not file.name.startswith((".", "~$"))


def _of_file(file: Path, problems: Collector) -> list[Sheet]:
    kind = file.suffix.lower()
    if kind in _TEXT:
        data = _on_one_line(file.read_bytes(), file.name, problems)
        cells = read_cells(data, file.name, KNOWN, problems, max_rows=_MAX_ROWS)
        return [] if cells is None else [Sheet(file.stem, cells)]
    if kind in _BOOKS:
        return _of_book(file, problems)
    problems.add(kinds.FILE_FORMAT if kind in _OTHER_SHEETS else kinds.IGNORED, file.name)
    return []


def _of_book(file: Path, problems: Collector) -> list[Sheet]:
    try:
        pages = list(spreadsheet.read(file.read_bytes()))
    except spreadsheet.Broken:
        problems.add(kinds.BROKEN, file.name)
        return []
    meant = [(title, rows) for title, rows in pages if _has_ids(rows)]
    for title, _ in pages if meant else pages[1:]:
        if title not in [title for title, _ in meant]:
            problems.add(kinds.IGNORED, _place(file, title))
    made = []
    for title, rows in meant or pages[:1]:
        data = _csv(rows)
        cells = read_cells(data, _place(file, title), KNOWN, problems, max_rows=_MAX_ROWS)
        if cells is not None:
            made.append(Sheet(file.stem if len(meant) < 2 else title, cells))
    return made


def _place(file: Path, title: str) -> str:
    return f"{file.name} [{title}]"


def _has_ids(rows: Sequence[Sequence[str]]) -> bool:
    header = next((row for row in rows if any(cell.strip(BLANKS) for cell in row)), [])
    return any(plain_name(cell) == plain_name("claim_id") for cell in header)


def _csv(rows: Sequence[Sequence[str]]) -> bytes:
    """Return rows as CSV, so that line n of the text is row n of the sheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow(row if any(cell.strip(BLANKS) for cell in row) else [])
    return text.getvalue().encode()


def _on_one_line(data: bytes, file: str, problems: Collector) -> bytes:
    """Return a CSV file with each cell of free text on one line; every row keeps its line.

    What cannot be read as CSV is returned as it is: the reader will say what is wrong.
    """
    if b'"' not in data:
        return data
    text, _ = decode(data, file, Collector())
    if text is None:
        return data
    separator = separator_of(first_line(text), KNOWN)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    made, last, header, joined = io.StringIO(), 0, [""], False
    writer = csv.writer(made, delimiter=separator, lineterminator="\n")
    spans = []
    try:
        for row in reader:
            header = row if header == [""] and any(row) else header
            lines = reader.line_num - last
            flat = [
                " ".join(cell.split()) if _is_free(header, place) else cell
                for place, cell in enumerate(row)
            ]
            if lines > 1 and flat != row:
                spans.append((last + 1, reader.line_num))
                joined = True
            kept = sum(cell.count("\n") for cell in flat)
            writer.writerow(flat)
            made.write("\n" * (lines - 1 - kept))
            last = reader.line_num
    except csv.Error:
        return data
    for first, until in spans:
        problems.add(kinds.LINES_JOINED, file, line=first, last=until)
    return made.getvalue().encode() if joined else data


def _is_free(header: Sequence[str], place: int) -> bool:
    """Return whether a column holds free text, or something that is not read."""
    name = plain_name(header[place]) if place < len(header) else ""
    read = {plain_name(known) for known in KNOWN if known not in FREE_TEXT}
    return name not in read


def columns_of(path: Path) -> frozenset[str]:
    """Return the known columns that the tables of a file have.

    Raises:
        OrganiserError: there is nothing to read.
    """
    found = read_sheets(path, Collector())
    return frozenset(name for sheet in found for name in sheet.cells.columns)
