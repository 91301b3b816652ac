"""Figure 4: is a narrative on which annotators agree one that systems find?

Source: the shared task's overview paper, section 8 and Figure 4; Krippendorff's alpha of each
code from Table 5.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from climatecheck import taxonomy
from climatecheck.metrics.counts import prf
from climatecheck.metrics.narratives import NarrativeCounts
from climatecheck.tables import Floats, Gold, Integers
from organiser.analysis import published
from organiser.analysis.section8 import counts_of, gaps
from organiser.analysis.section8.rank_correlation import DRAWS, EXACT_UP_TO, spearman
from organiser.analysis.systems import Evaluation
from organiser.reporting import drawing
from organiser.reporting.parts import Cell, Column, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Agreement of the annotators and F1 of the systems"
MORE_THAN = 3
"""A label is shown if more test claims than this bear it."""

_PAGE = 8.6
"""Inches that a figure may be high."""

MEAN = "Mean of all systems"


def f1_by_code(counts: NarrativeCounts) -> Floats:
    """Return (codes,) F1; 0 where undefined, as in the official macro-F1."""
    tp, fp, fn = (part.sum(axis=0) for part in (counts.tp, counts.fp, counts.fn))
    return prf(tp, tp + fp, tp + fn).f1


def frequent(gold: Gold, alpha: Floats) -> Integers:
    """Return the places of the codes with enough test claims and a published alpha, by alpha."""
    support = gold.narratives.codes.sum(axis=0)
    chosen = np.flatnonzero((support > MORE_THAN) & ~np.isnan(alpha))
    return chosen[np.argsort(-alpha[chosen], kind="stable")]


def section(evaluation: Evaluation) -> Section:
    """Return Figure 4, its values, and the rank correlation of each system."""
    systems = evaluation.entered("2")
    if not systems:
        return gaps.not_entered(TITLE, "2")
    alpha_of = published.alpha_of()
    alpha = np.array([alpha_of.get(code, np.nan) for code in taxonomy.CODES])
    codes = frequent(evaluation.gold, alpha)
    f1 = np.array([f1_by_code(counts_of.narratives(system)) for system in systems])[:, codes]
    prose = (
        f"Labels that more than {MORE_THAN} test claims bear: {len(codes)}. Agreement is "
        "Krippendorff's alpha over the yes-or-no decisions on one label, as published for the "
        "annotators of the 2026 data (Table 5); F1 is of this evaluation.",
    )
    if not len(codes):
        return Section(TITLE, prose, ())
    teams = [system.team for system in systems]
    parts = (
        _correlations(evaluation, teams, f1, alpha[codes]),
        _picture(teams, f1, alpha[codes], codes),
        _values(evaluation, teams, f1, alpha[codes], codes),
    )
    return Section(TITLE, prose, parts)


def _correlations(evaluation: Evaluation, teams: Sequence[str], f1: Floats, alpha: Floats) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, values in zip([*teams, MEAN], [*f1, f1.mean(axis=0)], strict=True):
        found = spearman(alpha, values)
        rows.append((name, found.n, gaps.defined(found.rho), gaps.defined(found.p)))
    told = published.section8()["alpha_vs_f1_spearman"]
    return Table(
        name="figure4_correlation",
        title="Spearman's rho between a label's agreement and its F1",
        columns=(Column("System"), Column("Labels"), Column("rho"), Column("p", precision=4)),
        rows=tuple(rows),
        notes=(
            _how(len(alpha)),
            "With n labels no p can be below 2 / n!, whatever the data; and the systems' values "
            "are not independent, since all answer the same claims.",
            *gaps.reasons(rows, "rho needs two labels and values that are not all the same."),
            *published.notes(
                evaluation.gold, [f"Published in 2026: rho {told['rho']:.1f}, n = {told['n']}."]
            ),
        ),
    )


def _how(labels: int) -> str:
    if labels <= EXACT_UP_TO:
        return "p: exact, two-sided, over all permutations of the labels."
    return f"p: two-sided, over {DRAWS:,} random permutations (b + 1) / (m + 1)."


def _values(
    evaluation: Evaluation, teams: Sequence[str], f1: Floats, alpha: Floats, codes: Integers
) -> Table:
    support = evaluation.gold.narratives.codes.sum(axis=0)
    rows = [
        (
            taxonomy.CODES[code],
            taxonomy.NARRATIVES[taxonomy.CODES[code]],
            int(support[code]),
            float(alpha[place]),
            *f1[:, place].tolist(),
        )
        for place, code in enumerate(codes)
    ]
    return Table(
        name="figure4",
        title="F1 of each label beside its agreement",
        columns=(
            Column("Label"),
            Column("Narrative"),
            Column("Claims"),
            Column("Alpha"),
            *(Column(team) for team in teams),
        ),
        rows=tuple(rows),
    )


def _picture(teams: Sequence[str], f1: Floats, alpha: Floats, codes: Integers) -> Picture:
    names = [taxonomy.CODES[code] for code in codes]
    means = f1.mean(axis=0)
    said = [
        f"{name} alpha {agreed:.2f}, mean F1 {mean:.2f}"
        for name, agreed, mean in zip(names, alpha, means, strict=True)
    ]
    height = 1.2 + max(0.28, 0.07 * len(teams)) * len(codes) + 0.05 * len(teams)
    return Picture(
        name="figure4",
        title="Agreement on a label (bar) and F1 of each system (marks)",
        described="One row a label, the best agreed first: " + "; ".join(said) + ".",
        draw=partial(_draw, teams, f1, alpha, names),
        inches=(drawing.WIDTH, min(height, _PAGE)),
    )


def _draw(
    teams: Sequence[str], f1: Floats, alpha: Floats, names: Sequence[str], figure: "Figure"
) -> None:
    axes = figure.subplots()
    rows = np.arange(len(names))
    bars = axes.barh(rows, alpha, height=0.85, color="0.88", label="Alpha of the annotators")
    shifts = drawing.offsets(len(teams), 0.7)
    for place, (values, shift) in enumerate(zip(f1, shifts, strict=True)):
        axes.plot(
            values,
            rows + shift,
            drawing.marker(place),
            color=drawing.colour(place),
            clip_on=False,
            zorder=3,
        )
    axes.set_yticks(rows, names)
    axes.set(
        xlim=(min(0.0, alpha.min()), 1),
        ylim=(len(names) - 0.5, -0.5),
        xlabel="Alpha; F1",
    )
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    drawing.legend_below(figure, [bars, *drawing.system_marks(teams)])
