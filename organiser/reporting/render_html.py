"""The page: one file of HTML without script or outside request; jinja2 escapes every text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from organiser.reporting.cell_text import (
    best_rows,
    is_empty,
    is_numeric,
    shown_columns,
    text_of,
)
from organiser.reporting.files import distinct_stems
from organiser.reporting.parts import Picture, Section, Table

_LONG = 24
_WIDE = 9
_TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class ShownCell:
    """A cell as the page shows it.

    Attributes:
        text: what it says; ``below`` is set smaller, below it.
        numeric: whether it belongs to a column of numbers.
        best: whether it is marked as the best of its column.
        empty: whether it is a dash.
    """

    text: str
    below: str
    numeric: bool
    best: bool
    empty: bool


@dataclass(frozen=True)
class ShownTable:
    """A table as the page shows it: titles with their alignment, and rows of cells."""

    name: str
    title: str
    heads: list[tuple[str, bool]]
    rows: list[list[ShownCell]]
    notes: tuple[str, ...]

    @property
    def is_long(self) -> bool:
        """Whether the table is folded until a reader asks for it."""
        return len(self.rows) > _LONG

    @property
    def is_wide(self) -> bool:
        """Whether the table has so many columns that it is set smaller."""
        return len(self.heads) > _WIDE


def page(
    title: str,
    lead: Sequence[str],
    notice: str,
    chapters: Sequence[tuple[str, Sequence[Section]]],
    drawn: Mapping[str, str],
) -> str:
    """Return the page of a report.

    Args:
        title: its heading.
        lead: paragraphs below the heading.
        notice: set apart above everything; empty for none.
        chapters: their titles and sections, in their order.
        drawn: the SVG element of each picture, by its name.
    """
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.tests["picture"] = lambda part: isinstance(part, Picture)
    style = (_TEMPLATES / "report.css").read_text("utf-8")
    sections = [section for _, of_chapter in chapters for section in of_chapter]
    stems = iter(distinct_stems(["main", *(section.title for section in sections)])[1:])
    return environment.get_template("report.html").render(
        title=title,
        lead=lead,
        notice=notice,
        style=Markup(style),
        chapters=[
            (name, [(next(stems), s, [_shown(part) for part in s.parts]) for s in of_chapter])
            for name, of_chapter in chapters
        ],
        drawn={name: Markup(element) for name, element in drawn.items()},
    )


def _shown(part: Table | Picture) -> ShownTable | Picture:
    return _shown_table(part) if isinstance(part, Table) else part


def _shown_table(table: Table) -> ShownTable:
    shown = shown_columns(table)
    numeric = {place: is_numeric(table, place) for place, _ in shown}
    best = {place: best_rows(table, place) for place, _ in shown}

    def cell(number: int, place: int, below: int | None) -> ShownCell:
        row = table.rows[number]
        return ShownCell(
            text_of(row[place], table.columns[place].precision),
            ""
            if below is None or is_empty(row[below])
            else text_of(row[below], table.columns[below].precision),
            numeric[place],
            number in best[place],
            is_empty(row[place]),
        )

    return ShownTable(
        table.name,
        table.title,
        [(table.columns[place].title, numeric[place]) for place, _ in shown],
        [[cell(n, place, below) for place, below in shown] for n in range(len(table.rows))],
        table.notes,
    )
