"""What may be shown of a submission beyond its official scores, so that no claim's gold shows.

A participant chooses what to answer, so a figure can be aimed at one claim. The scores themselves
answer such questions: whoever changes one answer sees whether they move. The rules below keep the
page from answering more than they do, above all where they stay at 0 whatever the gold.

1. *Whether a task is looked at* is decided by the file alone: it must answer ``PRIVACY_FLOOR``
   claims and ``DIAGNOSTICS_SHARE`` of all, so that padding a few answers does not pay
   (``answers_enough``).
2. *Whether a table or a row is there* is decided by right answers alone: on ``PRIVACY_FLOOR``
   claims or more. A right answer more or less moves the official scores, so that nothing comes or
   goes on the page while they stand still (``enough``).
3. *None is as small as a few*: small rows are pooled, with the next smallest where they must be,
   and a table of which that leaves nothing is left out (``publishable``, ``split``).
4. *A number that rests on the gold is rounded* to the floor's multiples, and so are those that
   shares are made of (``about``): what one answer changes is seldom seen.

What does not depend on the answers (how often the gold bears a code, the attainable maximum) is
the same on everybody's page and cannot be aimed. The scores themselves remain an oracle, which
only few submissions and the blind board limit.
"""

from collections.abc import Sequence
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
        claims: (claims,) those that the row rests on.
        parts: the names of the rows that this one is made of.
    """

    name: str
    claims: Booleans
    parts: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """How many claims the row rests on."""
        return int(np.count_nonzero(self.claims))


def answers_enough(answered: Booleans) -> bool:
    """Return whether a file that answers these claims of a task gets more than its scores.

    Args:
        answered: (claims,) over all claims of the edition.
    """
    return enough(answered) and bool(answered.mean() >= edition.DIAGNOSTICS_SHARE)


def enough(claims: Booleans, floor: int = edition.PRIVACY_FLOOR) -> bool:
    """Return whether a figure that rests on these claims may be shown."""
    return int(np.count_nonzero(claims)) >= floor


def about(number: int, floor: int = edition.PRIVACY_FLOOR) -> int:
    """Return a number of claims, pairs or nodes as it may be shown: a multiple of the floor.

    Raises:
        ValueError: the number is below the floor, so that not even that may be shown.

    >>> [about(number, floor=10) for number in (10, 14, 15, 356)]
    [10, 10, 20, 360]
    """
    if number < floor:
        raise ValueError(f"a number below {floor} is not to be shown")
    return (number + floor // 2) // floor * floor


def publishable(rows: Sequence[Row], *, floor: int = edition.PRIVACY_FLOOR) -> list[Row]:
    """Return the rows that may be shown, small ones pooled; none if the table must be left out.

    A row over no claim is as small as one over a few. Where the pool is too small, the smallest of
    the other rows joins it, so that nothing can be subtracted. ``parts`` of each row returned names
    the rows it is made of.

    >>> three, four = np.arange(9) < 3, np.arange(9) >= 5
    >>> [(row.name, row.number) for row in publishable([Row("a", three), Row("b", four)], floor=4)]
    [('others, pooled', 7)]
    >>> publishable([Row("a", three), Row("b", four)], floor=8)
    []
    """
    kept = [Row(row.name, row.claims, (row.name,)) for row in rows if enough(row.claims, floor)]
    small = [row for row in rows if not enough(row.claims, floor)]
    if not small:
        return kept
    while kept and not enough(_pooled(small).claims, floor):
        small.append(kept.pop(min(range(len(kept)), key=lambda place: kept[place].number)))
    pooled = _pooled(small)
    return [*kept, pooled] if enough(pooled.claims, floor) else []


def split(
    rest: Row, one: Row, other: Row, pooled: str, *, floor: int = edition.PRIVACY_FLOOR
) -> list[Row]:
    """Return the rows of a whole in three parts, of which two have more in common.

    All three if each is large enough; else the rest, and the two pooled by this name; else none.

    >>> rest, one, other = (Row(name, np.arange(9) // 3 == k) for k, name in enumerate("abc"))
    >>> [row.name for row in split(rest, one, other, "b or c", floor=3)]
    ['a', 'b', 'c']
    >>> none = Row("b", np.zeros(9, dtype=np.bool_))
    >>> [row.name for row in split(rest, none, other, "b or c", floor=3)]
    ['a', 'b or c']
    >>> split(none, one, other, "b or c", floor=3)
    []
    """
    both = Row(pooled, one.claims | other.claims, (one.name, other.name))
    for rows in ([rest, one, other], [rest, both]):
        if all(enough(row.claims, floor) for row in rows):
            return rows
    return []


def _pooled(rows: Sequence[Row]) -> Row:
    claims = np.logical_or.reduce([row.claims for row in rows])
    return Row(POOLED, claims, tuple(row.name for row in rows))
