"""What a report is made of: sections of prose, tables and pictures.

An analysis returns a ``Section``; ``render`` turns sections into HTML, CSV, LaTeX, SVG and PDF. No
analysis knows how it is shown.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Interval: TypeAlias = tuple[float, float]
Cell: TypeAlias = str | int | float | Interval | None
"""None is shown as a dash, for what a team did not enter or what is undefined. Numbers keep all
their digits in CSV and have the column's precision elsewhere."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: as people read it. A column without one is shown in the cell of the column before
            it, as an interval below its value, and needs a name.
        precision: decimals shown of a float or of the bounds of an interval.
        name: the header in CSV; by default made from the title. An interval takes two columns,
            ``name_low`` and ``name_high``.
        best: whether the greatest value of the column is marked.
        interval: whether its cells are intervals, which take two columns in CSV even where all are
            undefined.
    """

    title: str
    precision: int = 3
    name: str = ""
    best: bool = False
    interval: bool = False


@dataclass(frozen=True)
class Table:
    """A table of the report, and a CSV and LaTeX file beside it.

    Attributes:
        name: stem of the files, e.g. ``table2``; unique in a report.
        title: the caption.
        columns: the first one heads the rows.
        rows: as many cells each as there are columns.
        notes: sentences below it: definitions, slips of the paper, what must be kept in mind.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A figure of the report, and an SVG and PDF file beside it.

    Attributes:
        name: stem of the files; unique in a report.
        title: the caption.
        described: what it shows, in words, for those who cannot see it.
        draw: draws on an empty matplotlib figure; the style is set already.
        inches: width and height.
        notes: sentences below it.
    """

    name: str
    title: str
    described: str
    draw: "Callable[[Figure], None]"
    inches: tuple[float, float] = (6.4, 3.6)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """A part of the report under one heading."""

    title: str
    prose: tuple[str, ...]
    parts: tuple[Table | Picture, ...]
