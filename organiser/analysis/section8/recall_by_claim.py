"""Figure 2: how well the systems together answer each claim.

Source: the shared task's overview paper, section 8 and Figure 2.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from climatecheck import edition
from climatecheck.metrics import recall
from climatecheck.tables import Booleans, Floats, Integers
from organiser.analysis import published
from organiser.analysis.section8 import counts_of, gaps
from organiser.analysis.systems import Evaluation, System
from organiser.reporting import drawing
from organiser.reporting.parts import Column, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CUTOFF = edition.score_cutoff()
TITLE = f"Recall@{CUTOFF} claim by claim"
HALF = 0.5
_ROUNDING = 1e-9
_NAMES = ("zero", "below half", "half or more")


class Classes(NamedTuple):
    """(claims,) whether each holds; False throughout where the mean is undefined."""

    zero: Booleans
    below_half: Booleans
    half_or_more: Booleans


def recall_of(system: System) -> Floats:
    """Return (claims,) Recall@K of a system; NaN where R = 0."""
    return recall.per_claim(counts_of.retrieval(system).recall[CUTOFF])


def mean_recall(by_system: Floats) -> Floats:
    """Return (claims,) the mean over systems of (systems, claims); NaN where it is undefined.

    >>> mean_recall(np.array([[1.0, 0.0, np.nan], [0.5, 0.0, np.nan]])).tolist()
    [0.75, 0.0, nan]
    """
    mean: Floats = by_system.mean(axis=0)
    return mean


def classes(mean: Floats) -> Classes:
    """Return which claims nobody answers, which less than half, and which half or more.

    >>> [part.tolist() for part in classes(np.array([0.0, 0.4, 0.5, np.nan]))][1]
    [False, True, False, False]
    """
    half = mean >= HALF - _ROUNDING  # a mean of thirds may fall just short of one half
    return Classes(mean == 0, (mean > 0) & ~half, half)


def best_first(mean: Floats) -> Integers:
    """Return the claims with a value, the best first; equal ones in the order of the claims."""
    order = np.argsort(-np.round(mean, 9), kind="stable")
    return order[: np.count_nonzero(~np.isnan(mean))]


def section(evaluation: Evaluation) -> Section:
    """Return Figure 2 with its counts, and the values behind it."""
    systems = evaluation.entered("1.1")
    if not systems:
        return gaps.not_entered(TITLE, "1.1")
    by_system = np.array([recall_of(system) for system in systems])
    mean = mean_recall(by_system)
    order = best_first(mean)
    prose = (
        f"For each claim with at least one evidentiary abstract, the mean Recall@{CUTOFF} of the "
        f"{len(systems)} systems that entered task 1.1. A claim that a system leaves out counts 0.",
    )
    parts = (
        _counts(evaluation, mean),
        _picture(mean[order], len(systems)),
        _values(evaluation, systems, by_system, order),
    )
    return Section(TITLE, prose, parts)


def _counts(evaluation: Evaluation, mean: Floats) -> Table:
    found = [int(part.sum()) for part in classes(mean)]
    rows = [
        (name, number, gaps.defined(number / sum(found) if sum(found) else np.nan))
        for name, number in zip(_NAMES, found, strict=True)
    ]
    told = published.section8()["figure2_claims_by_mean_recall5"].values()
    counts = ", ".join(f"{number} {name}" for number, name in zip(told, _NAMES, strict=True))
    return Table(
        name="figure2_counts",
        title=f"Claims by their mean Recall@{CUTOFF} over systems",
        columns=(Column("Mean", name="mean"), Column("Claims"), Column("Share")),
        rows=tuple(rows),
        notes=(
            *gaps.reasons(rows, "no claim has an evidentiary abstract."),
            *published.notes(evaluation.gold, [f"Published in 2026: {counts}."]),
        ),
    )


def _values(
    evaluation: Evaluation, systems: Sequence[System], by_system: Floats, order: Integers
) -> Table:
    relevant = counts_of.retrieval(systems[0]).recall[CUTOFF].relevant
    most = np.minimum(CUTOFF, relevant) / np.maximum(relevant, 1)
    mean = mean_recall(by_system)
    rows = [
        (
            evaluation.claims.ids[claim],
            int(relevant[claim]),
            float(most[claim]),
            float(mean[claim]),
            *by_system[:, claim].tolist(),
        )
        for claim in order
    ]
    return Table(
        name="figure2_claims",
        title=f"Recall@{CUTOFF} of each claim",
        columns=(
            Column("Claim", name="claim_id"),
            Column("Evidentiary"),
            Column("Attainable"),
            Column("Mean"),
            *(Column(system.team) for system in systems),
        ),
        rows=tuple(rows),
    )


def _picture(mean: Floats, systems: int) -> Picture:
    found = ", ".join(
        f"{part.sum()} {name}" for part, name in zip(classes(mean), _NAMES, strict=True)
    )
    return Picture(
        name="figure2",
        title=f"Mean Recall@{CUTOFF} of each claim over {systems} systems, sorted",
        described=f"Bars, one a claim, from the best answered to the worst. Of {len(mean)} "
        f"claims: {found}.",
        draw=partial(_draw, mean),
        inches=(drawing.WIDTH, 2.8),
    )


def _draw(mean: Floats, figure: "Figure") -> None:
    from matplotlib.patches import Patch

    axes = figure.subplots()
    place = np.arange(len(mean))
    handles = []
    for tone, name, part in zip(("C1", "C4", "C0"), _NAMES, classes(mean), strict=True):
        axes.bar(place[part], mean[part], width=0.85, color=tone)
        handles.append(Patch(color=tone, label=f"{name}: {part.sum()}"))
    for nobody in place[classes(mean).zero]:  # a bar of height 0 cannot be seen
        axes.plot(nobody, 0, "x", color="C1", markersize=4, clip_on=False)
    axes.axhline(HALF, color="0.3", linewidth=0.8, linestyle="--")
    axes.set(
        xlim=(-0.8, max(len(mean), 1) - 0.2),
        ylim=(0, 1),
        xlabel="Claims, the best answered first",
        ylabel=f"Mean Recall@{CUTOFF}",
    )
    axes.grid(axis="y")
    drawing.legend_below(figure, handles[::-1])
