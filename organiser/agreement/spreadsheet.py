"""XLSX: read as text that no program has changed, and written so that no cell is a formula."""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

from organiser.zips import zipped

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet program take a text for a formula."""

_LINE_BREAK = re.compile(r"[\r\n]+")
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_TIMES = re.compile(rb"<dcterms:(created|modified)[^>]*>[^<]*</dcterms:\1>")


class Broken(Exception):
    """A file cannot be opened as XLSX."""


@dataclass(frozen=True)
class Page:
    """A sheet of a workbook to write.

    Attributes:
        title: its name.
        rows: the header first; all text.
        widths: of the columns, in characters.
        choices: what a cell of a column may hold, by the column's place.
        to_fill: the columns that people fill in.
    """

    title: str
    rows: Sequence[Sequence[str]]
    widths: Sequence[int]
    choices: dict[int, Sequence[str]]
    to_fill: tuple[int, ...] = ()


@dataclass(frozen=True)
class Found:
    """A sheet of a workbook that was read.

    Attributes:
        title: its name.
        rows: every cell as text on one line.
        hidden: whether it is hidden as a whole.
        hidden_rows: the numbers of its hidden rows, from 1.
        hidden_columns: the places of its hidden columns, from 0.
    """

    title: str
    rows: list[list[str]]
    hidden: bool = False
    hidden_rows: frozenset[int] = field(default_factory=frozenset)
    hidden_columns: frozenset[int] = field(default_factory=frozenset)


def guarded(text: str) -> str:
    """Return a text for a CSV file that a spreadsheet program will not run as a formula.

    >>> guarded("=1+1"), guarded("1_1")
    ("'=1+1", '1_1')
    """
    return f"'{text}" if text.startswith(FORMULA) else text


def read(data: bytes) -> Iterator[Found]:
    """Yield each sheet, the hidden ones too.

    Numbers stand as they are stored, dates in ISO form, formulas with their ``=``.

    Raises:
        Broken: it is no workbook.
    """
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), data_only=False)
    except Exception as fault:  # openpyxl lets through whatever a damaged file makes go wrong
        raise Broken from fault
    for sheet in book.worksheets:
        spans = [(c.min or 0, c.max or 0) for c in sheet.column_dimensions.values() if c.hidden]
        yield Found(
            sheet.title,
            [[_text(value) for value in row] for row in sheet.values],
            sheet.sheet_state != "visible",
            frozenset(n for n, row in sheet.row_dimensions.items() if row.hidden),
            frozenset(n - 1 for first, last in spans for n in range(first, last + 1)),
        )


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, (str, int, float)):
        return _LINE_BREAK.sub(" ", str(value))
    return f"={getattr(value, 'text', '') or ''}".replace("==", "=")  # a formula over an array


def written(pages: Sequence[Page]) -> bytes:
    """Return a workbook, the same bytes for the same pages: text alone, no formula."""
    import openpyxl
    from openpyxl.styles import Alignment, Font, PatternFill
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = openpyxl.Workbook()
    if book.active is not None:
        book.remove(book.active)
    for page in pages:
        sheet = book.create_sheet(page.title)
        for y, row in enumerate(page.rows, start=1):
            for x, text in enumerate(row, start=1):
                cell = sheet.cell(y, x)
                cell.value = _ILLEGAL.sub("", text)
                cell.data_type = "s"  # a text, even if it begins with “=”
                cell.number_format = "@"  # what is typed stays text: 1_0 no number, 2-1 no date
                cell.quotePrefix = True
                cell.alignment = Alignment(wrap_text=True, vertical="top")
                if y == 1:
                    cell.font = Font(bold=True)
                elif x - 1 in page.to_fill:
                    cell.fill = PatternFill("solid", fgColor="FFF6D9")
        for x, width in enumerate(page.widths, start=1):
            sheet.column_dimensions[get_column_letter(x)].width = width
        for x, allowed in page.choices.items():
            listed = DataValidation(
                type="list", formula1=f'"{",".join(allowed)}"', allow_blank=True
            )
            letter = get_column_letter(x + 1)
            listed.add(f"{letter}2:{letter}{max(len(page.rows), 2)}")
            sheet.add_data_validation(listed)
        sheet.freeze_panes = "A2"
    buffer = io.BytesIO()
    book.save(buffer)
    return _without_times(buffer.getvalue())


def _without_times(workbook: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    core = "docProps/core.xml"
    return zipped({**entries, core: _TIMES.sub(b"", entries[core])})
