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
from organiser.agreement.annotations import tasks_with
from organiser.editions import OrganiserError

KNOWN = ("claim_id", "abstract_id", "annotator", "label", "narrative", "claim", "comment")
FREE_TEXT = ("claim", "comment")
"""Columns in which a cell may have several lines."""
LEGEND = ("code", "narrative it stands for")
"""The header of the sheet that stands in a workbook to be filled in and is not read back."""

_TEXT, BOOKS = (".csv", ".tsv", ".txt"), (".xlsx", ".xlsm")
OTHER_SHEETS = (".xls", ".ods", ".numbers", ".xlsb")
_MAX_ROWS = 1_000_000


@dataclass(frozen=True)
class Sheet:
    """A table of annotations.

    Attributes:
        name: the annotator, where the table does not name one: the file's or the sheet's name.
        cells: its columns.
        workbook: the file of a sheet that counts as an annotator by its own name; else empty.
    """

    name: str
    cells: Cells
    workbook: str = ""


def read_sheets(path: Path, problems: Collector, *, called: str = "") -> list[Sheet]:
    """Return every table of a file or of a folder's files, in the order of their names.

    Args:
        path: a CSV or XLSX file, or a folder of them.
        problems: takes what is wrong with them.
        called: what messages call the file, if not by its name.

    Raises:
        OrganiserError: there is nothing to read.
    """
    if not path.exists():
        raise OrganiserError(f"There is nothing at {path}.")
    whole = path.is_dir()
    files = [file for file in (sorted(path.iterdir()) if whole else [path]) if _is_meant(file)]
    for file in files:
        if not file.is_file():
            problems.add(kinds.FOLDER_IGNORED, file.name)
    found = [
        sheet
        for file in files
        if file.is_file()
        for sheet in _of_file(file, file.name if whole else called or file.name, problems)
    ]
    if not found and not problems.has_errors:
        raise OrganiserError(f"There is no CSV or XLSX file of annotations at {path}.")
    return found


def _is_meant(file: Path) -> bool:
    return not file.name.startswith((".", "~$"))


def _of_file(file: Path, called: str, problems: Collector) -> list[Sheet]:
    kind = file.suffix.lower()
    if kind in _TEXT:
        data = _on_one_line(file.read_bytes(), called, problems)
        cells = read_cells(data, called, KNOWN, problems, max_rows=_MAX_ROWS)
        return [] if cells is None else [Sheet(file.stem, cells)]
    if kind in BOOKS:
        return _of_book(file, called, problems)
    problems.add(kinds.FILE_FORMAT if kind in OTHER_SHEETS else kinds.IGNORED, called)
    return []


def _of_book(file: Path, called: str, problems: Collector) -> list[Sheet]:
    try:
        pages = list(spreadsheet.read(file.read_bytes()))
    except spreadsheet.Broken:
        problems.add(kinds.BROKEN, called)
        return []
    shown = [page for page in pages if not page.hidden]
    meant = [page for page in shown if _has_ids(page)] or shown[:1]
    made: list[tuple[str, Cells]] = []
    for page in pages:
        place = f"{called} [{page.title}]"
        if page in meant:
            _remark_hidden(page, place, problems)
            cells = read_cells(_csv(page.rows), place, KNOWN, problems, max_rows=_MAX_ROWS)
            made += [] if cells is None else [(page.title, cells)]
        elif page.hidden:
            problems.add(kinds.HIDDEN_SHEET, place)
        elif tuple(_header(page)) != LEGEND:
            problems.add(kinds.IGNORED, place)
    tasks = [task for _, cells in made for task in tasks_with(cells.columns)]
    if len(set(tasks)) == len(tasks):  # no more than one sheet a task: all are one annotator's
        return [Sheet(file.stem, cells) for _, cells in made]
    return [Sheet(title, cells, workbook=called) for title, cells in made]


def _header(page: spreadsheet.Found) -> Sequence[str]:
    return next((row for row in page.rows if any(cell.strip(BLANKS) for cell in row)), [])


def _has_ids(page: spreadsheet.Found) -> bool:
    return any(plain_name(cell) == plain_name("claim_id") for cell in _header(page))


def _remark_hidden(page: spreadsheet.Found, place: str, problems: Collector) -> None:
    for number in sorted(page.hidden_rows):
        if any(cell.strip(BLANKS) for row in page.rows[number - 1 : number] for cell in row):
            problems.add(kinds.HIDDEN_ROWS, place, line=number)
    header = _header(page)
    for column in sorted(page.hidden_columns):
        if column < len(header) and not _is_free(header, column):
            problems.add(kinds.HIDDEN_COLUMN, place, column=header[column])


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
