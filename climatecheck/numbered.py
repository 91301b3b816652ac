"""Rows of CSV text, each with the line on which it begins."""

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from climatecheck import edition
from climatecheck import problem_table as table
from climatecheck.problems import Collector, Kind, counted
from climatecheck.values import BLANKS

T = TypeVar("T")

_LINE_BREAK = re.compile(r"[\r\n]")


@dataclass(frozen=True)
class Source:
    """What is being read, how much of it, and who is told of problems."""

    file: str
    known: Sequence[str]
    problems: Collector
    first_line: str
    max_rows: int

    def add(self, kind: Kind, **place: Any) -> None:
        """Add a problem of the file."""
        self.problems.add(kind, self.file, **place)

    def add_rows(
        self, kind: Kind, rows: Sequence[T], place: Callable[[T], Mapping[str, Any]]
    ) -> None:
        """Add a problem of each of these rows."""
        self.problems.add_rows(kind, self.file, rows, place)

    def too_many_rows(self) -> None:
        """Add the problem of that name."""
        self.add(table.TOO_MANY_ROWS, limit=f"{self.max_rows:,}")


class NumberedRows:
    """Rows of CSV text with the line on which each begins, without those that hold nothing.

    Attributes:
        rows: the header and the rows below it, but for repeats of the header.
        lines: the line on which each begins.
        spanning: the rows that span several lines.
        last_line: the line on which the last row ends.
    """

    def __init__(self, text: str, separator: str) -> None:
        csv.field_size_limit(edition.MAX_CELL_CHARACTERS)
        self._reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        self.rows: list[list[str]] = []
        self.lines: list[int] = []
        self.spanning: list[int] = []
        self.last_line = 0
        self._again: list[int] = []
        self._blank: list[int] = []

    def read(self, limit: int) -> None:
        """Read up to one row more than the limit.

        Raises:
            csv.Error: a cell is too long, or a quote is not closed.
        """
        header: list[str] = []
        for row in self._reader:
            if row and row == header:
                self._again.append(self.last_line + 1)
            elif "".join(row).strip(BLANKS):
                header = header or row
                if self._reader.line_num > self.last_line + 1:
                    self.spanning.append(len(self.rows))
                self.rows.append(row)
                self.lines.append(self.last_line + 1)
                if len(self.rows) > limit:
                    return
            elif row:
                self._blank.append(self.last_line + 1)
            self.last_line = self._reader.line_num

    def report_left_out(self, source: Source) -> None:
        """Add a warning for each row without content, and for each repeat of the header."""
        for kind, lines in ((table.BLANK_ROWS, self._blank), (table.HEADER_AGAIN, self._again)):
            source.add_rows(kind, lines, lambda line: {"line": line})

    def report_line_breaks(self, source: Source) -> frozenset[int]:
        """Add an error for each cell with a line break in a row of the right length.

        Columns that are not read are no exception: there too a quote that is not closed swallows
        rows, and what it swallowed looks like a long text.

        Returns:
            All rows that hold a line break, those of another length too.
        """
        width = len(self.rows[0])
        broken = [
            (row, column)
            for row in self.spanning
            for column, cell in enumerate(self.rows[row])
            if _LINE_BREAK.search(cell.strip(BLANKS))
        ]

        def place(cell: tuple[int, int]) -> dict[str, object]:
            row, column = cell
            return {"line": self.lines[row], "found": self.rows[row][column]}

        of_right_length = [cell for cell in broken if len(self.rows[cell[0]]) == width]
        source.add_rows(table.LINE_BREAK, of_right_length, place)
        return frozenset(row for row, _ in broken)

    def report_lengths(self, broken: frozenset[int], source: Source) -> bool:
        """Add an error for each row with more or fewer cells than the header; return if any."""
        width = len(self.rows[0])

        def place(row: int) -> dict[str, object]:
            note = counted(len(self.rows[row]), "cell")
            if row in broken:
                note += " (one with a line break)"
            return {"line": self.lines[row], "note": note, "expected": width}

        odd = [i for i, row in enumerate(self.rows) if len(row) != width]
        source.add_rows(table.ROW_LENGTH, odd, place)
        return bool(odd)
