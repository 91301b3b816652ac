"""Figure 5: how often a refuting abstract is recognised, by narrative group of the claim.

Source: the shared task's overview paper, section 8 and Figure 5.
"""

import textwrap
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from climatecheck import edition
from climatecheck.metrics.counts import ratio
from climatecheck.tables import Booleans, Floats, Integers
from organiser.analysis.section8 import claim_groups, counts_of, gaps
from organiser.analysis.section8.proportions import wilson
from organiser.analysis.systems import Evaluation
from organiser.reporting import drawing
from organiser.reporting.parts import Column, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "Refuting abstracts by narrative group"
REFUTES = edition.LABELS.index("Refutes")
_PER_ROW = 3
_TITLE_WIDTH = 26


class Recognised(NamedTuple):
    """(groups,) retrieved pairs that are gold Refutes, and those rightly labelled."""

    pairs: Integers
    right: Integers

    @property
    def accuracy(self) -> Floats:
        """(groups,) share rightly labelled; NaN without a pair."""
        return ratio(self.right, self.pairs, undefined=np.nan)


def recognised(counts: Integers, member: Booleans) -> Recognised:
    """Return how many gold-Refutes pairs each group has, and how many are recognised.

    Args:
        counts: (claims, gold label, predicted label).
        member: (groups, claims).

    >>> counts = np.zeros((2, 3, 3), dtype=np.int64)
    >>> counts[0, REFUTES], counts[1, REFUTES] = [1, 2, 0], [0, 1, 0]
    >>> found = recognised(counts, np.array([[True, False], [True, True]]))
    >>> found.pairs.tolist(), found.right.tolist()
    ([3, 4], [2, 3])
    """
    refuting = member.astype(np.int64) @ counts[:, REFUTES]
    return Recognised(refuting.sum(axis=1), refuting[:, REFUTES])


def section(evaluation: Evaluation) -> Section:
    """Return Figure 5 and its values."""
    systems = evaluation.entered("1.2")
    if not systems:
        return gaps.not_entered(TITLE, "1.2")
    member = claim_groups.members(evaluation.gold)
    found = {system.team: recognised(counts_of.verification(system), member) for system in systems}
    prose = (
        "Of the retrieved pairs whose gold label is Refutes, the share that is labelled so, by "
        "the narrative group of the claim. Systems retrieve different pairs, and the pairs of one "
        "claim are not independent, so the intervals are too narrow.",
        claim_groups.MEMBER_NOTE,
    )
    return Section(TITLE, prose, (_picture(found), _table(found)))


def _table(found: dict[str, Recognised]) -> Table:
    rows = [
        (
            team,
            claim_groups.titled(key),
            int(of_team.pairs[place]),
            int(of_team.right[place]),
            gaps.defined(of_team.accuracy[place]),
            wilson(int(of_team.right[place]), int(of_team.pairs[place])),
        )
        for team, of_team in found.items()
        for place, key in enumerate(claim_groups.GROUPS)
    ]
    return Table(
        name="figure5",
        title="Accuracy on gold-Refutes pairs by narrative group",
        columns=(
            Column("System"),
            Column("Group"),
            Column("Pairs"),
            Column("Right"),
            Column("Accuracy"),
            Column("95 % interval", name="accuracy", interval=True),
        ),
        rows=tuple(rows),
        notes=(
            "Wilson intervals over pairs.",
            *gaps.reasons(rows, "the system retrieved no pair that refutes such a claim."),
        ),
    )


def _picture(found: dict[str, Recognised]) -> Picture:
    pooled = [
        np.array([of_team[part] for of_team in found.values()]).sum(axis=0) for part in (0, 1)
    ]
    said = [
        f"group {key} {right} of {pairs}"
        for key, pairs, right in zip(claim_groups.GROUPS, *pooled, strict=True)
        if pairs
    ]
    rows = -(-len(claim_groups.GROUPS) // _PER_ROW)
    return Picture(
        name="figure5",
        title="Accuracy on gold-Refutes pairs by narrative group, with 95 % Wilson intervals",
        described="One panel a group, one row a system. Rightly labelled by all systems together: "
        + "; ".join(said)
        + ".",
        draw=partial(_draw, found),
        inches=(drawing.WIDTH, 0.3 + rows * (0.72 + 0.18 * len(found))),
    )


def _draw(found: dict[str, Recognised], figure: "Figure") -> None:
    teams = list(found)
    every = drawing.panels(figure, len(claim_groups.GROUPS), _PER_ROW, sharex=True, sharey=True)
    for place, (axes, key) in enumerate(zip(every, claim_groups.GROUPS, strict=True)):
        for row, of_team in enumerate(found.values()):
            _draw_interval(axes, row, int(of_team.right[place]), int(of_team.pairs[place]))
        axes.set_title(textwrap.fill(claim_groups.titled(key), _TITLE_WIDTH), fontsize=7)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
    every[0].set(
        xlim=(0, 1),
        ylim=(len(teams) - 0.5, -0.5),
        xticks=(0, 0.5, 1),
        yticks=range(len(teams)),
        yticklabels=drawing.shown(teams, _team_width(teams)),
    )
    figure.supxlabel("Share rightly labelled", fontsize=8)


def _team_width(teams: Sequence[str]) -> int:
    """Return how long a name may be, so that three panels fit beside it."""
    return min(18, max(map(len, teams)))


def _draw_interval(axes: "Axes", row: int, right: int, pairs: int) -> None:
    """Draw a share with its interval, and beside it the number of pairs."""
    interval = wilson(right, pairs)
    if interval is not None:
        axes.hlines(row, *interval, color="C0", linewidth=1.2)
        axes.plot(right / pairs, row, "o", color="C0", markersize=3.5, clip_on=False)
    beside = axes.get_yaxis_transform()
    axes.text(1.07, row, f"n={pairs}", transform=beside, va="center", fontsize=6.5)
