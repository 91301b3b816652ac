"""Task 2 by narrative group, and by code where enough claims bear it.

A group counts as found if the file names any code of it for a claim whose gold has any code of it.
One table holds groups and codes, so that the rule of what may stand beneath what is kept in one
place: ``privacy.broken_down``.
"""

from dataclasses import dataclass

import numpy as np

from climatecheck import taxonomy
from climatecheck.metrics.counts import prf
from climatecheck.metrics.narratives import NarrativeCounts
from climatecheck.metrics.outcomes import groups_of
from climatecheck.privacy import POOLED, Row, broken_down, publishable
from climatecheck.results.markup import Below, paragraph, part, table
from climatecheck.tables import Booleans

_READ = (
    "“Gold” and “File” are the numbers of claims that bear it in the gold and in the file. A group"
    " is borne with any of its codes; a row beneath a group is about one code. Rows over few claims"
    " are pooled into one, whose decisions are added up; so a code is missing where few claims bear"
    " it, or few in the file."
)
_LEFT_OUT = "The table by narrative group is left out: it would have a row over too few claims."


@dataclass(frozen=True)
class Line:
    """A line of the table: its row, its depth, and its decisions in gold, file and both."""

    name: str
    below: bool
    gold: int
    predicted: int
    both: int


def narrative_table(counts: NarrativeCounts) -> str:
    """Return the part of the page with the table, or with the reason why there is none."""
    found = lines(counts)
    if not found:
        return part("By narrative group and code", paragraph(_LEFT_OUT, "soft"))
    rows = []
    for line in found:
        values = prf(np.array(line.both), np.array(line.predicted), np.array(line.gold))
        name = Below(line.name) if line.below else line.name
        rows.append((name, line.gold, line.predicted, *map(float, values)))
    return part(
        "By narrative group and code",
        table(
            "Claims that bear a narrative group or code, and how well it is found",
            ["Group or code", "Gold", "File", "Precision", "Recall", "F1"],
            rows,
        ),
        paragraph(_READ, "soft"),
    )


def lines(counts: NarrativeCounts) -> list[Line]:
    """Return the lines that may be shown; none if the table must be left out."""
    gold, predicted = counts.tp | counts.fn, counts.tp | counts.fp
    of_code = _Level(taxonomy.CODES, gold, predicted)
    of_group = _Level(tuple(taxonomy.GROUPS), groups_of(gold), groups_of(predicted))
    shown = publishable(of_group.rows(of_group.names)) or []
    parts = {group: of_code.rows(_codes_of(group)) for group in taxonomy.GROUPS}
    beneath = broken_down(shown, parts)
    made = []
    for row in shown:
        made.append(of_group.line(row, "Other groups, pooled", below=False))
        for code in beneath.get(row.name, ()):
            made.append(of_code.line(code, f"Other codes of group {row.name}, pooled", below=True))
    return made


@dataclass(frozen=True)
class _Level:
    """Groups or codes: their names, and (claims, names) where gold and file have them."""

    names: tuple[str, ...]
    gold: Booleans
    predicted: Booleans

    def rows(self, names: tuple[str, ...]) -> list[Row]:
        places = [self.names.index(name) for name in names]
        return [
            Row(name, self.gold[:, place], self.predicted[:, place])
            for name, place in zip(names, places, strict=True)
        ]

    def line(self, row: Row, pooled: str, *, below: bool) -> Line:
        places = [self.names.index(name) for name in row.parts]
        gold, predicted = self.gold[:, places], self.predicted[:, places]
        return Line(
            pooled if row.name == POOLED else _title(row.name),
            below,
            int(gold.sum()),
            int(predicted.sum()),
            int((gold & predicted).sum()),
        )


def _codes_of(group: str) -> tuple[str, ...]:
    return tuple(code for code in taxonomy.CODES if taxonomy.group_of(code) == group)


def _title(name: str) -> str:
    """Return group or code with its name."""
    return f"{name} {taxonomy.GROUPS.get(name) or taxonomy.NARRATIVES[name]}"
