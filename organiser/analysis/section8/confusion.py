"""Figures 3 and 8: what each system takes each label for.

Source: the shared task's overview paper, section 8, Figure 3 and Appendix E.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from climatecheck import edition
from climatecheck.metrics.counts import ratio
from climatecheck.tables import Floats, Integers
from organiser.analysis import published
from organiser.analysis.section8 import counts_of, gaps
from organiser.analysis.systems import Evaluation, System
from organiser.reporting import drawing
from organiser.reporting.parts import Cell, Column, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "What each label is taken for"
SHORT = tuple(
    {label: alias for alias, label in edition.LABEL_ALIASES.items()}.get(label, label)
    for label in edition.LABELS
)
"""The labels, as short as they are known."""

_MOST_PER_ROW = 3
_PANEL_HEIGHT = 1.7


def confusion_of(system: System) -> Integers:
    """Return the (gold label, predicted label) counts of a system."""
    total: Integers = counts_of.verification(system).sum(axis=0)
    return total


def by_gold(confusion: Integers) -> Floats:
    """Return each count as a share of its gold label's pairs; NaN where there is no such pair.

    >>> by_gold(np.array([[3, 1], [0, 0]])).tolist()
    [[0.75, 0.25], [nan, nan]]
    """
    return ratio(confusion, confusion.sum(axis=-1, keepdims=True), undefined=np.nan)


def section(evaluation: Evaluation) -> Section:
    """Return the confusion matrices of all systems that entered task 1.2."""
    systems = evaluation.entered("1.2")
    if not systems:
        return gaps.not_entered(TITLE, "1.2")
    prose = (
        "Task 1.2 over the retrieved pairs that are judged, among the first "
        f"{edition.VERIFICATION_DEPTH} rows of each claim. Each row adds up to 1, so a cell is the "
        "share of the pairs with this gold label that got this label. Systems retrieve different "
        "pairs, so the matrices rest on different numbers of them.",
    )
    return Section(TITLE, prose, (_table(evaluation, systems), _picture(systems)))


def _table(evaluation: Evaluation, systems: Sequence[System]) -> Table:
    rows = [row for system in systems for row in _rows(system)]
    predicted = [
        column for short in SHORT for column in (Column(f"As {short}"), Column(f"As {short}, n"))
    ]
    return Table(
        name="confusion",
        title="Predicted label by gold label (Figures 3 and 8)",
        columns=(Column("System"), Column("Gold label"), Column("Pairs"), *predicted),
        rows=tuple(rows),
        notes=(
            *gaps.reasons(rows, "the system retrieved no pair with this gold label."),
            *published.notes(evaluation.gold, _published()),
        ),
    )


def _rows(system: System) -> Iterable[tuple[Cell, ...]]:
    confusion = confusion_of(system)
    for label, counts, shares in zip(SHORT, confusion, by_gold(confusion), strict=True):
        cells = [
            cell
            for share, count in zip(shares, counts, strict=True)
            for cell in (gaps.defined(share), int(count))
        ]
        yield (system.team, label, int(counts.sum()), *cells)


def _published() -> list[str]:
    told = published.section8()
    low, high = told["task1_refutes_diagonal_range"]
    taken = told["task1_nei_predicted_as_supports"].items()
    return [
        "Published in 2026: NEI taken for Supports: "
        + ", ".join(f"{team} {share:.2f}" for team, share in taken)
        + f"; Refutes taken for Supports: DFKI-IML "
        f"{told['task1_dfki_refutes_predicted_as_supports']:.2f}; "
        f"Refutes rightly labelled: {low:.2f} to {high:.2f}."
    ]


def _picture(systems: Sequence[System]) -> Picture:
    matrices = [confusion_of(system) for system in systems]
    rows = -(-len(systems) // drawing.balanced(len(systems), _MOST_PER_ROW))
    return Picture(
        name="confusion",
        title="Confusion matrices of task 1.2, normalised by gold label, with numbers of pairs",
        described="One matrix a system. Rightly labelled, "
        + "; ".join(_diagonal(*pair) for pair in zip(systems, matrices, strict=True))
        + ".",
        draw=partial(_draw, [system.team for system in systems], matrices),
        inches=(drawing.WIDTH, 0.35 + _PANEL_HEIGHT * rows),
    )


def _diagonal(system: System, confusion: Integers) -> str:
    shares = np.diagonal(by_gold(confusion))
    said = [
        f"{label} {drawing.DASH if np.isnan(share) else f'{share:.0%}'}"
        for label, share in zip(SHORT, shares, strict=True)
    ]
    return f"{system.team}: {', '.join(said)}"


def _draw(teams: Sequence[str], matrices: Sequence[Integers], figure: "Figure") -> None:
    per_row = drawing.balanced(len(teams), _MOST_PER_ROW)
    every = drawing.panels(figure, len(teams), per_row)
    for place, (axes, name, confusion) in enumerate(
        zip(every, drawing.shown(teams), matrices, strict=True)
    ):
        shares = by_gold(confusion)
        drawing.heat_map(axes, shares, partial(_text, shares, confusion))
        axes.set_title(name, fontsize=7)
        ticks = drawing.middles(len(SHORT))
        axes.set_xticks(ticks, SHORT)
        axes.set_yticks(ticks, SHORT if place % per_row == 0 else [""] * len(SHORT))
    figure.supxlabel("Predicted label", fontsize=8)
    figure.supylabel("Gold label", fontsize=8)


def _text(shares: Floats, confusion: Integers, row: int, column: int) -> str:
    return f"{shares[row, column]:.2f}\nn={confusion[row, column]}"
