"""Task 2 by narrative group, and by code where enough claims are rightly given it.

The values of a group are made of the decisions on its codes, added up, as those of the whole file
are in micro-F1. So a right code alone counts as found, and a line moves with the answers only where
the official scores do too; "the right group" is told by the kinds of errors, in rounded numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from climatecheck import edition, taxonomy
from climatecheck.metrics.counts import prf
from climatecheck.metrics.narratives import NarrativeCounts
from climatecheck.privacy import POOLED, Row, about, publishable
from climatecheck.results.evidence import claims_with
from climatecheck.results.markup import Below, Cell, paragraph, part, table

_READ = (
    "“Gold” and “File” say how often gold and file bear a code of the line; the gold's number is"
    f" rounded to a multiple of {edition.PRIVACY_FLOOR}. A group's values are made of the decisions"
    f" on all its codes. A line is shown if the file is right on at least {edition.PRIVACY_FLOOR}"
    " claims in it; the others are pooled into one, with the next smallest if need be. A group that"
    " the file never names has no line."
)


@dataclass(frozen=True)
class Line:
    """A line of the table: its name, its depth, and its codes in gold, file and both."""

    name: str
    below: bool
    gold: int
    predicted: int
    both: int


def narrative_table(counts: NarrativeCounts) -> str:
    """Return the part of the page with the table."""
    rows = []
    for line in lines(counts):
        values = prf(np.array(line.both), np.array(line.predicted), np.array(line.gold))
        rows.append(
            (
                Below(line.name) if line.below else line.name,
                about(line.gold),
                line.predicted,
                *(Cell(f"{value:.2f}") for value in values),
            )
        )
    return part(
        "By narrative group and code",
        table(
            "Narrative groups and codes, and how well they are found",
            ["Group or code", "Gold (about)", "File", "Precision", "Recall", "F1"],
            rows,
        ),
        paragraph(_READ, "soft"),
    )


def lines(counts: NarrativeCounts) -> list[Line]:
    """Return the lines that may be shown; some, if enough claims have a right code."""
    said = {taxonomy.CODES[place] for place in np.nonzero(counts.tp | counts.fp)[1]}
    of_group = {
        group: [code for code in _codes_of(group) if code in said] for group in taxonomy.GROUPS
    }
    made = []
    for row in publishable(
        [_row(counts, name, codes) for name, codes in of_group.items() if codes]
    ):
        codes = [code for group in row.parts for code in _codes_of(group)]
        made.append(_line(counts, row, codes, "Other groups, pooled", below=False))
        if row.name != POOLED and len(of_group[row.name]) > 1:
            made += _beneath(counts, row.name, of_group[row.name])
    return made


def _beneath(counts: NarrativeCounts, group: str, codes: Sequence[str]) -> list[Line]:
    """Return the lines of a group's codes that are said; none if all of them would be pooled."""
    rows = publishable([_row(counts, code, [code]) for code in codes])
    pooled = f"Other codes of group {group}, pooled"
    named = any(row.name != POOLED for row in rows)
    return [_line(counts, row, row.parts, pooled, below=True) for row in rows] if named else []


def _row(counts: NarrativeCounts, name: str, codes: Sequence[str]) -> Row:
    """Return a row that rests on the claims with one of these codes rightly given."""
    return Row(name, claims_with(counts.tp[:, _places(codes)]))


def _line(
    counts: NarrativeCounts, row: Row, codes: Sequence[str], pooled: str, *, below: bool
) -> Line:
    tp, fp, fn = (int(side[:, _places(codes)].sum()) for side in (counts.tp, counts.fp, counts.fn))
    return Line(pooled if row.name == POOLED else _title(row.name), below, tp + fn, tp + fp, tp)


def _places(codes: Sequence[str]) -> list[int]:
    return [taxonomy.CODES.index(code) for code in codes]


def _codes_of(group: str) -> list[str]:
    return [code for code in taxonomy.CODES if taxonomy.group_of(code) == group]


def _title(name: str) -> str:
    """Return group or code with its name."""
    return f"{name} {taxonomy.GROUPS.get(name) or taxonomy.NARRATIVES[name]}"
