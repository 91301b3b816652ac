"""From the bytes of a file to columns of text, each row knowing its line.

Nothing infers types: a cell is text until ``values`` parses it.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from climatecheck import bulk, edition
from climatecheck import problem_table as table
from climatecheck.problems import Collector
from climatecheck.tables import Column, Integers
from climatecheck.values import BLANKS, best_guess

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
_BOMS = {
    codecs.BOM_UTF8: ("utf-8-sig", "a byte order mark"),
    codecs.BOM_UTF16_LE: ("utf-16", "UTF-16 text"),
    codecs.BOM_UTF16_BE: ("utf-16", "UTF-16 text"),
}
_LINE_BREAK = re.compile(r"[\r\n]")
_HEAD = 100_000


@dataclass(frozen=True)
class Cells:
    """The columns of a file that are read.

    Attributes:
        file: the file's name.
        columns: the text of each known column that was found, row by row.
        lines: the line of each row.
        header: the header's names as they stand, the unknown ones included.
        ignored: the names that are not read.
    """

    file: str
    columns: dict[str, Column]
    lines: Sequence[int]
    header: tuple[str, ...]
    ignored: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.lines)

    def take(self, rows: Integers) -> "Cells":
        """Return the table of some rows alone."""
        picked = rows.tolist()
        columns: dict[str, Column] = {
            name: [column[i] for i in picked] for name, column in self.columns.items()
        }
        lines = [self.lines[i] for i in picked]
        return Cells(self.file, columns, lines, self.header, self.ignored)


def read_cells(
    data: bytes, file: str, known: Sequence[str], problems: Collector, *, max_rows: int
) -> Cells | None:
    """Return the known columns of a CSV file; None where it cannot be read as a table.

    Args:
        data: the file's bytes: UTF-8 or UTF-16; comma, tab or semicolon between cells.
        file: its name, for the messages.
        known: the names of the columns that are read.
        problems: takes what was found; rows with a wrong number of cells are left out.
        max_rows: the most data rows that are read.
    """
    text, form = _decode(data, file, problems)
    if text is None:
        return None
    encoded_plainly = not form
    separator = _separator(re.split(r"[\r\n]", text[:_HEAD].lstrip("\r\n"), maxsplit=1)[0], known)
    if separator != ",":
        form.append(f"{SEPARATORS[separator]}s between cells")
    if "\r" in text:
        form.append("CRLF line ends" if "\r\n" in text else "CR line ends")
    if form:
        problems.add(table.TEXT_FORM, file, found=", ".join(form))
    if len(data) > bulk.WORTHWHILE_BYTES and encoded_plainly and bulk.is_plain(data, separator):
        sheet: _Sheet | None = _bulk_sheet(data, separator)
    else:
        sheet = _careful_sheet(text, separator, file, problems, max_rows)
    return None if sheet is None else _table(sheet, file, known, problems, max_rows)


def _decode(data: bytes, file: str, problems: Collector) -> tuple[str | None, list[str]]:
    if not data.strip(b"\x00\xef\xbb\xbf\xff\xfe \t\r\n"):
        problems.add(table.EMPTY_FILE, file)
        return None, []
    encoding, form = "utf-8", []
    for bom, (name, words) in _BOMS.items():
        if data.startswith(bom):
            encoding, form = name, [words]
    if encoding == "utf-8" and b"\x00" in data[:2000]:
        encoding, form = _utf16_without_bom(data), ["UTF-16 text without a byte order mark"]
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        problems.add(table.ENCODING, file, line=line, found=f"0x{data[fault.start]:02x}")
        return None, []
    if "\x00" in text:
        problems.add(table.NUL, file, line=text.count("\n", 0, text.index("\x00")) + 1)
        return None, []
    return text, form if encoding != "utf-8" else []


def _utf16_without_bom(data: bytes) -> str:
    """Return the byte order that makes the first characters ASCII, else UTF-8."""
    head = data[:2000]
    pairs = len(head) // 2
    if head[1::2].count(0) > 0.9 * pairs and not head[0::2].count(0):
        return "utf-16-le"
    if head[0::2].count(0) > 0.9 * pairs and not head[1::2].count(0):
        return "utf-16-be"
    return "utf-8"


def _separator(head: str, known: Sequence[str]) -> str:
    def found(separator: str) -> tuple[int, int]:
        names = [_plain(name) for name in head.split(separator)]
        return sum(name in known for name in names), len(names)

    return max(SEPARATORS, key=found)


def _plain(name: str) -> str:
    return "_".join(name.strip(BLANKS + "\"'").casefold().replace("-", " ").split())


@dataclass(frozen=True)
class _Sheet:
    """Header, columns by position, and the line of each row."""

    header: Sequence[str]
    columns: Sequence[Column]
    lines: Sequence[int]


def _table(
    sheet: _Sheet, file: str, known: Sequence[str], problems: Collector, max_rows: int
) -> Cells | None:
    names = _names(sheet.header, file, known, problems)
    if names is None:
        return None
    rows = len(sheet.lines)
    if rows > max_rows:
        problems.add(table.TOO_MANY_ROWS, file, found=f"{rows:,}", limit=f"{max_rows:,}")
        return None
    if not rows:
        if not problems.has_errors:
            problems.add(table.NO_ROWS, file, line=1)
        return None
    columns = {name: sheet.columns[i] for i, name in enumerate(names) if name in known}
    ignored = tuple(sheet.header[i] for i, name in enumerate(names) if name not in known)
    return Cells(file, columns, sheet.lines, tuple(sheet.header), ignored)


def _bulk_sheet(data: bytes, separator: str) -> _Sheet:
    header, columns = bulk.read_plain(data, separator)
    return _Sheet(header, columns, range(2, len(columns[0]) + 2))


def _careful_sheet(
    text: str, separator: str, file: str, problems: Collector, max_rows: int
) -> _Sheet | None:
    rows: list[list[str]] = []
    lines: Sequence[int] = []
    numbered = _Numbered(text, separator)
    try:
        if '"' in text:
            rows, lines = numbered.one_by_one(max_rows + 2)
        else:
            rows, lines = numbered.all_at_once()
    except csv.Error as fault:
        kind = table.CELL_TOO_LONG if "field limit" in str(fault) else table.QUOTE
        problems.add(kind, file, line=numbered.next_line, limit=f"{edition.MAX_CELL_CHARACTERS:,}")
        return None
    start = next((i for i, row in enumerate(rows) if any(row)), 0)
    rows, lines = rows[start:], lines[start:]
    body, body_lines = _rectangle(rows, lines, file, problems)
    columns = list(zip(*body, strict=True)) if body else [()] * len(rows[0])
    if '"' in text:
        _refuse_line_breaks(rows[0], columns, body_lines, file, problems)
    return _Sheet(rows[0], columns, body_lines)


class _Numbered:
    """Rows of CSV text with the line on which each begins."""

    def __init__(self, text: str, separator: str) -> None:
        csv.field_size_limit(edition.MAX_CELL_CHARACTERS)
        self._reader: Iterator[list[str]] = csv.reader(
            io.StringIO(text, newline=""), delimiter=separator, strict=True
        )
        self.next_line = 1

    def all_at_once(self) -> tuple[list[list[str]], Sequence[int]]:
        """Where no cell is quoted, a row is a line."""
        rows: list[list[str]] = []
        try:
            rows.extend(self._reader)
        finally:
            self.next_line = len(rows) + 1
        return rows, range(1, len(rows) + 1)

    def one_by_one(self, limit: int) -> tuple[list[list[str]], list[int]]:
        """Where a quoted cell may span lines, the reader counts them."""
        rows, lines = [], []
        for row in self._reader:
            rows.append(row)
            lines.append(self.next_line)
            self.next_line = self._reader.line_num + 1  # type: ignore[attr-defined]
            if len(rows) > limit:
                break
        return rows, lines


def _names(
    header: Sequence[str], file: str, known: Sequence[str], problems: Collector
) -> list[str] | None:
    """Return the name of each column, in the usual form where it is known."""
    if len(header) > edition.MAX_COLUMNS:
        problems.add(table.TOO_MANY_COLUMNS, file, line=1, limit=edition.MAX_COLUMNS)
        return None
    names = [name if name in known else _plain(name) for name in header]
    if not any(name in known for name in names):
        first = ",".join(header)
        kind = table.NO_HEADER if _looks_like_data(header) else table.COLUMN_MISSING
        guesses = [(best_guess(name, known), name) for name in names]
        guess, written = next((pair for pair in guesses if pair[0]), ("", ""))
        problems.add(
            kind,
            file,
            line=1,
            column=known[0],
            found=first,
            hint=guess,
            written=written,
            expected=", ".join(known),
        )
        return None
    twice = {name for name in names if name in known and names.count(name) > 1}
    for name in sorted(twice):
        problems.add(table.COLUMN_TWICE, file, line=1, column=name)
    for name, written in zip(names, header, strict=True):
        if name in known and written != name:
            problems.add(table.COLUMN_NAME, file, line=1, column=name, found=written)
    return None if twice else names


def _looks_like_data(header: Sequence[str]) -> bool:
    return any(re.fullmatch(r"[0-9][0-9._]*", cell.strip(BLANKS)) for cell in header)


def _rectangle(
    rows: list[list[str]], lines: Sequence[int], file: str, problems: Collector
) -> tuple[list[list[str]], Sequence[int]]:
    """Return the rows that have as many cells as the header, without those that hold nothing."""
    width = len(rows[0])
    kept = []
    for i, row in enumerate(rows[1:], start=1):
        if not any(cell.strip(BLANKS) for cell in row):
            if row:
                problems.add(table.BLANK_ROWS, file, line=lines[i])
        elif len(row) != width:
            problems.add(table.ROW_LENGTH, file, line=lines[i], cells=len(row), expected=width)
        else:
            kept.append(i)
    return [rows[i] for i in kept], [lines[i] for i in kept]


def _refuse_line_breaks(
    header: Sequence[str],
    columns: Sequence[Sequence[str]],
    lines: Sequence[int],
    file: str,
    problems: Collector,
) -> None:
    for name, column in zip(header, columns, strict=True):
        for line, cell in zip(lines, column, strict=True):
            if _LINE_BREAK.search(cell.strip(BLANKS)):
                problems.add(table.LINE_BREAK, file, line=line, column=name, found=cell)
