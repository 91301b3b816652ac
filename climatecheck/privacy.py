"""What may be shown of a table: no row over few claims, and none that subtraction would give.

Rows over fewer claims than ``edition.PRIVACY_FLOOR`` are pooled into one. If that one still rests
on too few, the table is left out whole, so that it cannot be had by subtracting the other rows
from a total.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from climatecheck import edition
from climatecheck.tables import Booleans

POOLED = "others, pooled"


@dataclass(frozen=True)
class Row:
    """A row of a table: its name, and which claims it rests on, shape (claims,)."""

    name: str
    claims: Booleans
    parts: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """How many claims the row rests on."""
        return int(np.count_nonzero(self.claims))


def publishable(rows: Sequence[Row], *, floor: int = edition.PRIVACY_FLOOR) -> list[Row] | None:
    """Return the rows that may be shown, small ones pooled; None if the table must be left out.

    Rows over no claim at all are dropped. ``parts`` of each row returned names the rows it is
    made of.

    >>> three, four = np.arange(9) < 3, np.arange(9) >= 5
    >>> publishable([Row("a", three), Row("b", four)], floor=4) is None
    True
    >>> [(row.name, row.number) for row in publishable([Row("a", three), Row("b", four)], floor=5)]
    [('others, pooled', 7)]
    """
    filled = [row for row in rows if row.number]
    kept = [Row(row.name, row.claims, (row.name,)) for row in filled if row.number >= floor]
    small = [row for row in filled if row.number < floor]
    if not small:
        return kept
    claims = np.logical_or.reduce([row.claims for row in small])
    pooled = Row(POOLED, claims, tuple(row.name for row in small))
    return [*kept, pooled] if pooled.number >= floor else None
