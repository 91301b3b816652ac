"""Task 2 beyond the board: groups and codes, other label sets, hierarchy, kinds of errors.

What is safe to stand side by side here, beside the official scores:

- *Macro-F1 over other label sets* divides the same sum of F1 by another number of codes, so it
  tells that number and nothing of any one code's F1. How many of the file's codes the gold lacks
  is a fact of the whole gold.
- *Hierarchical scores with and without* ``0_0`` differ by the claims with ``0_0``: both are shown
  only if ``0_0`` and all the rest could each be a row of a table.
- *Outcomes* are shares of all claims with gold; the share of errors that cross groups is one of
  the claims in error, and is shown only if these are enough.
"""

import numpy as np

from climatecheck import edition, taxonomy
from climatecheck.metrics import hierarchical, outcomes
from climatecheck.metrics import narratives as flat
from climatecheck.metrics.narratives import LabelSet, NarrativeCounts
from climatecheck.privacy import Row
from climatecheck.results.evidence import open_tasks
from climatecheck.results.markup import paragraph, part, section, share, table
from climatecheck.results.narrative_table import narrative_table
from climatecheck.scoring import Scores

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
    f" (Kiritchenko et al. 2006); {taxonomy.NO_NARRATIVE} is one node. Never ranked."
)
_OUTCOMES = {
    "exact": ("Exact match", "the file has exactly the gold's codes"),
    "right_group": ("Right group, wrong code", "other codes, but of the same groups"),
    "wrong_group": ("Wrong group", "the groups differ; an empty answer names none"),
}
_NUMBERS = {
    "too_few": ("Too few codes", "fewer codes than the gold"),
    "too_many": ("Too many codes", "more codes than the gold"),
}
_CROSSING = "errors_crossing_groups"


def narratives(scores: Scores) -> str:
    """Return the section of task 2; nothing where it is not to be shown."""
    counts = scores.counts.narratives
    if counts is None or "2" not in open_tasks(scores):
        return ""
    return section(
        "Task 2: where the narratives are right and wrong",
        narrative_table(counts),
        _outcomes(counts),
        _hierarchy(counts),
        _label_sets(counts),
    )


def _outcomes(counts: NarrativeCounts) -> str:
    found = outcomes.count(counts)
    shares = {name: float(value) for name, value in outcomes.shares(found).items()}
    errors = int((found.right_group | found.wrong_group).sum())
    claims = int(found.evaluated.sum())
    crossing = (
        f"Of the claims that are not exact, {100 * shares[_CROSSING]:.1f}\u00a0% are in a wrong"
        " group."
    )
    return part(
        "Kinds of errors",
        table(
            f"Shares of the {claims:,} claims with gold narratives",
            ["Outcome", "What it is", "Share"],
            [
                (title, f"{what[0].upper()}{what[1:]}.", share(shares[name]))
                for name, (title, what) in (_OUTCOMES | _NUMBERS).items()
            ],
        ),
        paragraph(
            "The first three add up to 100\u00a0%."
            + (f" {crossing}" if errors >= edition.PRIVACY_FLOOR else ""),
            "soft",
        ),
    )


def _hierarchy(counts: NarrativeCounts) -> str:
    rows = [("All codes", *map(float, hierarchical.micro(hierarchical.count(counts))))]
    if _separable(counts):
        without = hierarchical.micro(hierarchical.count_narratives(counts))
        rows.append((f"Without {taxonomy.NO_NARRATIVE}", *map(float, without)))
    return part(
        "With credit for the right group",
        table("Hierarchical scores", ["Over", "Precision", "Recall", "F1"], rows),
        paragraph(_HIERARCHY, "soft"),
    )


def _separable(counts: NarrativeCounts) -> bool:
    """Return whether ``0_0`` and all other codes may each be looked at alone."""
    none = np.array([code == taxonomy.NO_NARRATIVE for code in taxonomy.CODES])
    gold, predicted = counts.tp | counts.fn, counts.tp | counts.fp
    return all(
        Row(
            "", *(np.count_nonzero(side[:, codes], axis=1) > 0 for side in (gold, predicted))
        ).stands()
        for codes in (none, ~none)
    )


def _label_sets(counts: NarrativeCounts) -> str:
    rows = [
        (name, float(flat.macro(counts, labels=labels).f1)) for name, labels in _LABEL_SETS.items()
    ]
    return part(
        "Macro-F1 over other label sets",
        table("Macro-F1 by the codes that it averages", ["Codes", "Macro-F1"], rows),
        paragraph(_SETS, "soft"),
    )
