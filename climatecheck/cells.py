"""From the bytes of a file to columns of text, each row knowing its line.

Nothing infers types: a cell is text until ``values`` parses it.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from climatecheck import bulk, edition
from climatecheck import problem_table as table
from climatecheck.decoding import (
    SEPARATORS,
    decode,
    first_line,
    line_ends,
    plain_name,
    separator_of,
)
from climatecheck.numbered import NumberedRows, Source
from climatecheck.problems import Collector
from climatecheck.tables import Column, Integers
from climatecheck.values import BLANKS, best_guess


@dataclass(frozen=True)
class Cells:
    """The columns of a file that are read.

    Attributes:
        file: the file's name.
        columns: the text of each known column that was found, row by row.
        lines: the line of each row.
        header: the header's names as they stand, the unknown ones included.
        ignored: the names that are not read.
        broken: the rows that have a cell with a line break in it.
        rows_lost: whether a row could not be read, so that what is missing is not known.
        header_line: the line of the header.
    """

    file: str
    columns: dict[str, Column]
    lines: Sequence[int]
    header: tuple[str, ...]
    ignored: tuple[str, ...]
    broken: tuple[int, ...] = ()
    rows_lost: bool = False
    header_line: int = 1

    def __len__(self) -> int:
        return len(self.lines)

    def take(self, rows: Integers) -> "Cells":
        """Return the table of some rows alone."""
        picked = rows.tolist()
        columns: dict[str, Column] = {
            name: [column[i] for i in picked] for name, column in self.columns.items()
        }
        lines = [self.lines[i] for i in picked]
        return replace(self, columns=columns, lines=lines)


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
    text, form = decode(data, file, problems)
    if text is None:
        return None
    source = Source(file, known, problems, first_line(text), max_rows)
    separator = separator_of(source.first_line, known)
    if separator != ",":
        form.append(f"{SEPARATORS[separator]}s between cells")
    form += line_ends(text)
    if form:
        problems.add(table.TEXT_FORM, file, found=", ".join(form))
    quick = b""
    if len(data) > bulk.WORTHWHILE_BYTES:
        quick = text.replace("\r\n", "\n").encode() if form else data
    if quick and bulk.is_plain(quick, separator):
        sheet = _bulk_sheet(quick, separator, source)
    else:
        sheet = _careful_sheet(text, separator, source)
    return None if sheet is None else _table(sheet, source)


@dataclass(frozen=True)
class _Sheet:
    """Header, names and columns by position, and the line of each row."""

    header: Sequence[str]
    names: Sequence[str]
    columns: Sequence[Column]
    lines: Sequence[int]
    broken: tuple[int, ...] = ()
    rows_lost: bool = False
    header_line: int = 1


def _table(sheet: _Sheet, source: Source) -> Cells | None:
    rows, known = len(sheet.lines), source.known
    if rows > source.max_rows:
        source.too_many_rows()
        return None
    if not rows:
        if not sheet.rows_lost:
            source.add(table.NO_ROWS, line=sheet.header_line)
        return None
    columns = {name: sheet.columns[i] for i, name in enumerate(sheet.names) if name in known}
    ignored = tuple(sheet.header[i] for i, name in enumerate(sheet.names) if name not in known)
    return Cells(
        source.file,
        columns,
        sheet.lines,
        tuple(sheet.header),
        ignored,
        sheet.broken,
        sheet.rows_lost,
        sheet.header_line,
    )


def _bulk_sheet(data: bytes, separator: str, source: Source) -> _Sheet | None:
    header, columns = bulk.read_plain(data, separator)
    names = _names(header, 1, source)
    if names is None:
        return None
    return _Sheet(header, names, columns, range(2, len(columns[0]) + 2))


def _careful_sheet(text: str, separator: str, source: Source) -> _Sheet | None:
    numbered = NumberedRows(text, separator)
    try:
        numbered.read(source.max_rows + 1)
    except csv.Error as fault:
        kind = table.CELL_TOO_LONG if "field limit" in str(fault) else table.QUOTE
        limit = f"{edition.MAX_CELL_CHARACTERS:,}"
        source.add(kind, line=numbered.last_line + 1, limit=limit)
        return None
    if not numbered.rows:
        source.add(table.EMPTY_FILE)
        return None
    header, line = numbered.rows[0], numbered.lines[0]
    if len(header) > edition.MAX_COLUMNS:
        source.add(table.TOO_MANY_COLUMNS, line=line, limit=edition.MAX_COLUMNS)
        return None
    broken = numbered.report_line_breaks(source)
    names = None if 0 in broken else _names(header, line, source)
    if names is None:
        return None
    if len(numbered.rows) > source.max_rows + 1:
        source.too_many_rows()
        return None
    numbered.report_left_out(source)
    lost = numbered.report_lengths(broken, source)
    rows, lines = numbered.rows[1:], numbered.lines[1:]
    fits = [i for i, row in enumerate(rows) if len(row) == len(header)]
    if len(fits) < len(rows):
        rows, lines = [rows[i] for i in fits], [lines[i] for i in fits]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(header)
    still_broken = tuple(place for place, i in enumerate(fits) if i + 1 in broken)
    return _Sheet(header, names, columns, lines, still_broken, lost, line)


def _names(header: Sequence[str], line: int, source: Source) -> list[str] | None:
    """Return the name of each column, in the usual form where it is known."""
    known = source.known
    usual = {plain_name(name): name for name in known}
    names = [usual.get(plain_name(name), name) for name in header]
    if not any(name in known for name in names):
        meant = {} if _looks_like_data(header) else _meant(header, known)
        source.add(
            table.NO_HEADER,
            line=line,
            found=source.first_line,
            hint=", ".join(meant.values()),
            written=", ".join(meant),
            expected=", ".join(known),
        )
        return None
    twice = {name for name in names if name in known and names.count(name) > 1}
    for name in sorted(twice):
        source.add(table.COLUMN_TWICE, line=line, column=name)
    for name, written in zip(names, header, strict=True):
        if name in known and written != name:
            source.add(table.COLUMN_NAME, line=line, column=name, found=written, read_as=name)
    return None if twice else names


def _meant(header: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Return which known column each name probably stands for, where there is one."""
    guesses = {name: best_guess(name, known, cutoff=0.75) for name in header}
    return {name: guess for name, guess in guesses.items() if guess}


def _looks_like_data(header: Sequence[str]) -> bool:
    return any(re.fullmatch(r"[0-9][0-9._]*", cell.strip(BLANKS)) for cell in header)
