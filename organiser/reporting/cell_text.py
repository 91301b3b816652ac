"""How a cell of a table is shown: in words for readers, in full for machines."""

import math
import re
from itertools import zip_longest
from numbers import Integral, Real

from organiser.reporting.parts import Cell, Column, Table

DASH = "–"  # noqa: RUF001
MINUS = "\N{MINUS SIGN}"


def is_empty(cell: Cell) -> bool:
    """Return whether a cell is shown as a dash: None, NaN, or an interval with a NaN bound.

    >>> is_empty((float("nan"), 0.5)), is_empty((0.0, 0.5))
    (True, False)
    """
    if isinstance(cell, tuple):
        return any(map(math.isnan, cell))
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def is_number(cell: Cell) -> bool:
    """Return whether a cell holds a number."""
    return isinstance(cell, Real) and not isinstance(cell, bool) and not is_empty(cell)


def text_of(cell: Cell, precision: int) -> str:
    """Return a cell as people read it.

    >>> text_of(0.12345, 3), text_of(1234, 3), text_of((0.1, 0.25), 2)
    ('0.123', '1,234', '[0.10, 0.25]')
    >>> text_of(-0.0001, 3), text_of(float("nan"), 3) == text_of(None, 3) == DASH
    ('0.000', True)
    """
    if is_empty(cell):
        return DASH
    if isinstance(cell, tuple):
        return f"[{', '.join(text_of(bound, precision) for bound in cell)}]"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Integral):
        return f"{cell:,}".replace("-", MINUS)
    made = f"{cell:.{precision}f}"
    return made.lstrip("-") if float(made) == 0 else made.replace("-", MINUS)


def column_name(column: Column) -> str:
    """Return the header of a column in CSV; letters of any script stay.

    >>> column_name(Column("Recall@5")), column_name(Column("n, judged", name="n"))
    ('recall_at_5', 'n')
    >>> column_name(Column("Équipe 2"))
    'équipe_2'
    """
    plain = column.name or column.title.replace("@", " at ").replace("%", " percent ")
    return re.sub(r"[\W_]+", "_", plain.lower()).strip("_") or "column"


def is_numeric(table: Table, place: int) -> bool:
    """Return whether a column holds numbers or intervals and nothing else but dashes."""
    cells = [row[place] for row in table.rows if not is_empty(row[place])]
    return bool(cells) and all(is_number(cell) or isinstance(cell, tuple) for cell in cells)


def best_rows(table: Table, place: int) -> set[int]:
    """Return the rows whose value, as it is shown, is the greatest of a column that marks it.

    None is marked where a single row has a value.
    """
    column = table.columns[place]
    values = {
        row: round(float(cells[place]), column.precision)  # type: ignore[arg-type]
        for row, cells in enumerate(table.rows)
        if is_number(cells[place])
    }
    if not column.best or len(values) < 2:
        return set()
    return {row for row, value in values.items() if value == max(values.values())}


def shown_columns(table: Table) -> list[tuple[int, int | None]]:
    """Return the place of each column that has a title, and of the one shown in its cells."""
    places = [place for place, column in enumerate(table.columns) if column.title]
    return [
        (place, place + 1 if following != place + 1 and place + 1 < len(table.columns) else None)
        for place, following in zip_longest(places, places[1:])
    ]
