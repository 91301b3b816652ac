"""What may be shown of a submission beyond its official scores, so that no claim's gold shows.

Decision: nothing rests on fewer claims than ``edition.PRIVACY_FLOOR``. A participant chooses what
to answer, so a figure can be aimed at one claim; hence four rules.

1. *Both sides count.* A row of a code rests on the claims whose gold bears it, and on those of
   which the participant said it: whoever predicts a code for one claim alone would read that
   claim's gold off the row's precision. Each side must reach the floor; only what was never said
   at all is harmless. The same goes for both margins of a confusion matrix.
2. *Nothing by subtraction within a table.* Small rows are pooled into one; if that one is still
   too small, the table is left out (``publishable``).
3. *Nothing by subtraction between tables.* Where a row is broken down into parts, what is not
   shown of it must reach the floor again, in that row and over all rows together, since the
   official micro scores give the total (``broken_down``). Two depths of one measure differ by the
   rows between them; two variants of it (with and without ``0_0``) by what the one leaves out:
   both are shown only if that difference reaches the floor.
4. *Where an answer meets the gold, "none" is small too*: telling "no judged pair at all" from "a
   few" would say something of the one claim that was aimed at. Where the participant alone
   decides, none is harmless (``all_or_none``).

The scores themselves remain an oracle, which only few submissions and the blind board limit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from climatecheck import edition
from climatecheck.tables import Booleans

POOLED = "others, pooled"


@dataclass(frozen=True)
class Row:
    """A row of a table, and what it rests on.

    Attributes:
        name: what the row is about.
        claims: (claims,) those whose gold the row rests on.
        said: (claims,) those of which the participant said it; None if the row is not about that.
        parts: the names of the rows that this one is made of.
    """

    name: str
    claims: Booleans
    said: Booleans | None = None
    parts: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """How many claims' gold the row rests on."""
        return int(np.count_nonzero(self.claims))

    @property
    def empty(self) -> bool:
        """Whether the row rests on no claim, on either side."""
        return not self.number and (self.said is None or not self.said.any())

    def stands(self, floor: int = edition.PRIVACY_FLOOR) -> bool:
        """Return whether the row may be shown by itself."""
        return enough(self.claims, floor) and (self.said is None or all_or_none(self.said, floor))


def enough(claims: Booleans, floor: int = edition.PRIVACY_FLOOR) -> bool:
    """Return whether a figure that rests on these claims may be shown."""
    return int(np.count_nonzero(claims)) >= floor


def all_or_none(claims: Booleans, floor: int = edition.PRIVACY_FLOOR) -> bool:
    """Return the same for claims that the participant alone chose: none at all is harmless too."""
    return not claims.any() or enough(claims, floor)


def publishable(rows: Sequence[Row], *, floor: int = edition.PRIVACY_FLOOR) -> list[Row] | None:
    """Return the rows that may be shown, small ones pooled; None if the table must be left out.

    Rows over no claim at all are dropped. Where enough claims bear the pooled row but too few were
    said to, the smallest of the other rows are pooled as well. ``parts`` of each row returned
    names the rows it is made of.

    >>> three, four = np.arange(9) < 3, np.arange(9) >= 5
    >>> publishable([Row("a", three), Row("b", four)], floor=4) is None
    True
    >>> [(row.name, row.number) for row in publishable([Row("a", three), Row("b", four)], floor=5)]
    [('others, pooled', 7)]
    >>> publishable([Row("a", four, said=three)], floor=4) is None  # four bear it, three were told
    True
    """
    filled = [row for row in rows if not row.empty]
    kept = [Row(row.name, row.claims, row.said, (row.name,)) for row in filled if row.stands(floor)]
    small = [row for row in filled if not row.stands(floor)]
    if not small:
        return kept
    pooled = _pooled(small)
    while kept and enough(pooled.claims, floor) and not pooled.stands(floor):
        smallest = min(kept, key=lambda row: row.number)
        kept.remove(smallest)
        small.append(smallest)
        pooled = _pooled(small)
    return [*kept, pooled] if pooled.stands(floor) else None


def broken_down(
    shown: Sequence[Row],
    parts: Mapping[str, Sequence[Row]],
    *,
    floor: int = edition.PRIVACY_FLOOR,
) -> dict[str, list[Row]]:
    """Return the rows that may stand beneath each shown row, as its parts.

    A row with one part alone is that part, so nothing stands beneath it. Of the others only those
    are broken down that have a part to name and whose other parts can be pooled; and none at all
    is, unless all that stays unnamed in the whole table can be pooled as well.

    Args:
        shown: the rows of the table, from ``publishable``.
        parts: the parts of each row of the whole table, by its name, pooled rows' too.
        floor: the least number of claims.

    >>> row = {name: Row(name, (np.arange(9) >= low) & (np.arange(9) < high))
    ...        for name, low, high in [("a", 0, 6), ("a1", 0, 3), ("a2", 3, 6), ("b", 6, 9)]}
    >>> parts = {"a": [row["a1"], row["a2"]], "b": [row["b"]]}
    >>> below = broken_down([row["a"], row["b"]], parts, floor=3)
    >>> {name: [part.name for part in rows] for name, rows in below.items()}
    {'a': ['a1', 'a2']}
    >>> few = Row("c", np.arange(9) == 8)
    >>> broken_down([row["a"]], {"a": parts["a"], "c": [few]}, floor=3)
    {}
    """
    whole = [row.name for row in shown if row.name in parts]
    alone = {name for name in whole if len(parts[name]) == 1}
    found = {}
    for name in (name for name in whole if name not in alone):
        rows = publishable(parts[name], floor=floor) or []
        if any(row.name != POOLED for row in rows):
            found[name] = rows
    named = {*found, *alone}
    rest = [row for name, rows in parts.items() if name not in named for row in rows]
    unnamed = [row for row in rest if not row.empty]
    return found if not unnamed or _pooled(unnamed).stands(floor) else {}


def _pooled(rows: Sequence[Row]) -> Row:
    said = [row.said for row in rows if row.said is not None]
    return Row(
        POOLED,
        np.logical_or.reduce([row.claims for row in rows]),
        np.logical_or.reduce(said) if said else None,
        tuple(row.name for row in rows),
    )
