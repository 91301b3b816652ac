"""Task 2 beyond the board: groups and codes, kinds of errors, hierarchy, other label sets.

All of it is left out unless ``PRIVACY_FLOOR`` claims have a right code, so that nothing can be
asked while the official scores stay at 0. Of the rest:

- *An exact match*, and *too few* or *too many codes*, move the official scores whenever the gold of
  one claim decides them: a right code or a gold code more or less changes micro-F1.
- *The right group with a wrong code* does not. It is told in a rounded number of claims, or pooled
  with the wrong groups; and hierarchical values credit a rounded number of such groups. One claim
  more or less shows only where it tips the rounding, which it takes the others' gold to foresee.
- *Macro-F1 over other label sets* divides the same sum of F1 by another number of codes, so it
  tells that number and nothing of any one code's F1. How many of the file's codes the gold lacks
  is a fact of the whole gold.
"""

from collections.abc import Callable, Sequence

import numpy as np

from climatecheck import edition, taxonomy
from climatecheck.metrics import hierarchical, outcomes
from climatecheck.metrics import narratives as flat
from climatecheck.metrics.counts import prf
from climatecheck.metrics.hierarchical import HierarchicalCounts
from climatecheck.metrics.narratives import LabelSet, NarrativeCounts
from climatecheck.privacy import Row, about, enough, split
from climatecheck.results.evidence import claims_with, right
from climatecheck.results.markup import Cell, paragraph, part, rounded, section, share, table
from climatecheck.results.narrative_table import narrative_table
from climatecheck.scoring import Scores

_TITLE = "Task 2: where the narratives are right and wrong"
_FEW = (
    f"Fewer than {edition.PRIVACY_FLOOR} claims have a right code, so nothing is shown beyond the"
    " scores."
)
_LABEL_SETS: dict[str, LabelSet] = {
    "Codes that occur in the gold (official)": "gold",
    "Codes that occur in the gold or in the file": "gold_or_predicted",
    f"All {len(taxonomy.CODES)} codes": "all",
}
_SETS = (
    "A code outside the gold has an F1 of 0. Other programs average over other codes; these values"
    " serve to compare with theirs and are never ranked."
)
_HIERARCHY = (
    "Each code counts together with its group, so a wrong code of the right group earns a part"
    f" (Kiritchenko et al. 2006); {taxonomy.NO_NARRATIVE} is one node. How often that is so is"
    f" rounded to a multiple of {edition.PRIVACY_FLOOR}, and taken for 0 below"
    f" {edition.PRIVACY_FLOOR} claims. Never ranked."
)
_OUTCOMES = {
    "Exact match": "The file has exactly the gold's codes.",
    "Right group, wrong code": "Other codes, but of the same groups.",
    "Wrong group": "The groups differ; an empty answer names none.",
    "Right or wrong group": "Not the gold's codes; both kinds pooled, as one of them is rare.",
    "As many codes": "As many codes as the gold.",
    "Too few codes": "Fewer codes than the gold.",
    "Too many codes": "More codes than the gold.",
    "Too few or too many codes": "Another number; both kinds pooled, as one of them is rare.",
}
_ROUNDED = (
    f"Numbers of claims are rounded to a multiple of {edition.PRIVACY_FLOOR}, and shares are made"
    " of the rounded numbers."
)
_NO_OUTCOMES = (
    f"Left out where a kind, or all others together, would be fewer than {edition.PRIVACY_FLOOR}"
    " claims: "
)


def narratives(scores: Scores, opened: tuple[str, ...]) -> str:
    """Return the section of task 2; nothing where it is not to be shown."""
    counts = scores.counts.narratives
    if counts is None or "2" not in opened:
        return ""
    if not enough(right(scores, "2")):
        return section(_TITLE, paragraph(_FEW, "soft"))
    return section(
        _TITLE,
        narrative_table(counts),
        _outcomes(counts),
        _hierarchy(counts),
        _label_sets(counts),
    )


def _outcomes(counts: NarrativeCounts) -> str:
    found = outcomes.count(counts)
    as_many = found.evaluated & ~found.too_few & ~found.too_many
    kinds = split(
        Row("Exact match", found.exact),
        Row("Right group, wrong code", found.right_group),
        Row("Wrong group", found.wrong_group),
        "Right or wrong group",
    )
    numbers = split(
        Row("As many codes", as_many),
        Row("Too few codes", found.too_few),
        Row("Too many codes", found.too_many),
        "Too few or too many codes",
    )
    missing = [] if kinds else ["exact match, right and wrong group"]
    missing += [] if numbers else ["too few and too many codes"]
    rows = [*_outcome_rows(kinds), *_outcome_rows(numbers)]
    return part(
        "Kinds of errors",
        table("What became of the claims with gold narratives", _OUTCOME_HEADS, rows)
        if rows
        else "",
        paragraph(_ROUNDED if rows else "", "soft"),
        paragraph(f"{_NO_OUTCOMES}{'; '.join(missing)}." if missing else "", "soft"),
    )


_OUTCOME_HEADS = ("Outcome", "What it is", "Share")


def _outcome_rows(rows: Sequence[Row]) -> list[tuple[object, ...]]:
    numbers = [about(row.number) for row in rows]
    return [
        (row.name, _OUTCOMES[row.name], share(number / sum(numbers), rounded(number).html))
        for row, number in zip(rows, numbers, strict=True)
    ]


def _hierarchy(counts: NarrativeCounts) -> str:
    rows = [("All codes", *_hierarchical(counts, hierarchical.count))]
    if _separable(counts):
        without = _hierarchical(counts, hierarchical.count_narratives)
        rows.append((f"Without {taxonomy.NO_NARRATIVE}", *without))
    return part(
        "With credit for the right group",
        table("Hierarchical scores", ["Over", "Precision", "Recall", "F1"], rows),
        paragraph(_HIERARCHY, "soft"),
    )


def _hierarchical(
    counts: NarrativeCounts, count: Callable[[NarrativeCounts], HierarchicalCounts]
) -> list[Cell]:
    """Return precision, recall and F1; of right groups alone, a rounded number is credited."""
    found = count(counts)
    none = np.zeros_like(counts.tp)
    sure = count(NarrativeCounts(counts.tp, none, none, counts.evaluated)).common
    of_group = found.common - sure
    credited = about(int(of_group.sum())) if enough(of_group > 0) else 0
    sums = (sure.sum() + credited, found.predicted.sum(), found.gold.sum())
    return [Cell(f"{min(value, 1.0):.2f}") for value in prf(*map(np.array, sums))]


def _separable(counts: NarrativeCounts) -> bool:
    """Return whether ``0_0`` and all other codes are each right on enough claims."""
    none = np.array([code == taxonomy.NO_NARRATIVE for code in taxonomy.CODES])
    return all(enough(claims_with(counts.tp[:, codes])) for codes in (none, ~none))


def _label_sets(counts: NarrativeCounts) -> str:
    rows = [
        (name, float(flat.macro(counts, labels=labels).f1)) for name, labels in _LABEL_SETS.items()
    ]
    return part(
        "Macro-F1 over other label sets",
        table("Macro-F1 by the codes that it averages", ["Codes", "Macro-F1"], rows),
        paragraph(_SETS, "soft"),
    )
