"""Task 1.2 by narrative group of the claim: what the paper asked for and nobody did.

Source: the shared task's overview paper, section 8 (verification that looks at the narrative).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from climatecheck.metrics import verification
from climatecheck.metrics.counts import ratio
from climatecheck.tables import Booleans, Floats, Integers
from organiser.analysis.section8 import claim_groups, counts_of, gaps
from organiser.analysis.section8.proportions import wilson
from organiser.analysis.systems import Evaluation
from organiser.reporting import drawing
from organiser.reporting.parts import Column, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Verification by narrative group"


@dataclass(frozen=True)
class ByGroup:
    """Verification within each group.

    Attributes:
        pairs: (groups,) retrieved pairs that are judged.
        right: (groups,) those rightly labelled.
        f1: (groups,) F1 weighted by support, as task 1.2 defines it; NaN without a pair.
    """

    pairs: Integers
    right: Integers
    f1: Floats

    @property
    def accuracy(self) -> Floats:
        """(groups,) share rightly labelled; NaN without a pair."""
        return ratio(self.right, self.pairs, undefined=np.nan)


def by_group(counts: Integers, member: Booleans) -> ByGroup:
    """Return verification within each group.

    Args:
        counts: (claims, gold label, predicted label).
        member: (groups, claims).

    >>> counts = np.array([[[1, 1], [0, 0]], [[0, 0], [0, 2]]])  # one S of two; two R of two
    >>> found = by_group(counts, np.array([[True, False], [True, True], [False, False]]))
    >>> found.pairs.tolist(), found.right.tolist()
    ([2, 4, 0], [1, 3, 0])
    >>> found.f1.round(4).tolist()  # 2/3; S 2/3, R 2 * 2 / (3 + 2), weighted 2 to 2
    [0.6667, 0.7333, nan]
    """
    confusion = np.array([counts[group].sum(axis=0) for group in member])
    pairs = confusion.sum(axis=(1, 2))
    f1 = verification.weighted(counts, member).f1
    return ByGroup(
        pairs=pairs,
        right=np.trace(confusion, axis1=1, axis2=2),
        f1=np.where(pairs > 0, f1, np.nan),
    )


def section(evaluation: Evaluation) -> Section:
    """Return accuracy and F1 of task 1.2 by narrative group, as a table and a heat map."""
    systems = evaluation.entered("1.2")
    if not systems:
        return gaps.not_entered(TITLE, "1.2")
    member = claim_groups.members(evaluation.gold)
    found = {system.team: by_group(counts_of.verification(system), member) for system in systems}
    prose = (
        "Task 1.2 over the retrieved pairs that are judged, by the narrative group of their claim. "
        "F1 is weighted by support within the group. Systems retrieve different pairs, and the "
        "pairs of one claim are not independent, so the intervals are too narrow.",
        claim_groups.MEMBER_NOTE,
    )
    return Section(TITLE, prose, (_picture(found), _table(found)))


def _table(found: dict[str, ByGroup]) -> Table:
    rows = [
        (
            team,
            claim_groups.titled(key),
            int(of_team.pairs[place]),
            gaps.defined(of_team.accuracy[place]),
            wilson(int(of_team.right[place]), int(of_team.pairs[place])),
            gaps.defined(of_team.f1[place]),
        )
        for team, of_team in found.items()
        for place, key in enumerate(claim_groups.GROUPS)
    ]
    return Table(
        name="verification_by_group",
        title="Accuracy and F1 of task 1.2 by narrative group",
        columns=(
            Column("System"),
            Column("Group"),
            Column("Pairs"),
            Column("Accuracy"),
            Column("95 % interval", name="accuracy"),
            Column("F1"),
        ),
        rows=tuple(rows),
        notes=(
            "Wilson intervals of the accuracy over pairs.",
            *gaps.reasons(rows, "the system retrieved no judged pair of such a claim."),
        ),
    )


def _picture(found: dict[str, ByGroup]) -> Picture:
    f1 = np.array([of_team.f1 for of_team in found.values()])
    pairs = np.array([of_team.pairs for of_team in found.values()])
    said = [
        f"group {key} {np.nanmin(of_group):.2f} to {np.nanmax(of_group):.2f}"
        for key, of_group in zip(claim_groups.GROUPS, f1.T, strict=True)
        if not np.isnan(of_group).all()
    ]
    return Picture(
        name="verification_by_group_f1",
        title="F1 of task 1.2 by narrative group of the claim, with numbers of pairs",
        described="Rows are systems, columns groups. From the lowest to the highest system: "
        + "; ".join(said)
        + ".",
        draw=partial(_draw, list(found), f1, pairs),
        inches=(drawing.WIDTH, 0.7 + 0.36 * len(found)),
        notes=(claim_groups.NAMES_NOTE,),
    )


def _draw(teams: Sequence[str], f1: Floats, pairs: Integers, figure: "Figure") -> None:
    axes = figure.subplots()
    drawing.heat_map(axes, f1, lambda row, column: f"{f1[row, column]:.2f}\nn={pairs[row, column]}")
    axes.set_xticks(drawing.middles(len(claim_groups.GROUPS)), claim_groups.GROUPS)
    axes.set_yticks(drawing.middles(len(teams)), drawing.shown(teams))
    axes.set_xlabel("Narrative group")
