"""What became of the predictions of task 2: exact, right group, wrong group.

Source: the shared task's overview paper, section 8 (analysis of task 2).
"""

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from climatecheck.metrics import outcomes
from climatecheck.metrics.outcomes import OutcomeCounts
from climatecheck.tables import Floats
from organiser.analysis import published
from organiser.analysis.section8 import counts_of, gaps
from organiser.analysis.systems import Evaluation
from organiser.reporting import drawing
from organiser.reporting.parts import Cell, Column, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Exact, in the right group, or in the wrong one"
POOLED = "All systems, pooled"
_COLUMNS = {
    "exact": "Exact",
    "right_group": "Right group, wrong code",
    "wrong_group": "Wrong group",
    "errors_crossing_groups": "Errors that cross groups",
    "too_few": "Too few labels",
    "too_many": "Too many labels",
}
_PUBLISHED = {
    "exact": "exact",
    "right_group": "right_group_wrong_code",
    "wrong_group": "wrong_group",
    "errors_crossing_groups": "errors_crossing_groups",
    "too_few": "too_few_labels",
    "too_many": "too_many_labels",
}
_BARS = {"exact": "C0", "right_group": "C5", "wrong_group": "C1"}
_ROOM_FOR_TEXT = 0.07


def pooled(every: Sequence[OutcomeCounts]) -> OutcomeCounts:
    """Return the predictions of all systems as those of one."""
    return OutcomeCounts(
        *(
            np.concatenate([getattr(counts, part.name) for counts in every])
            for part in fields(OutcomeCounts)
        )
    )


def section(evaluation: Evaluation) -> Section:
    """Return the shares of each system and of all predictions together."""
    systems = evaluation.entered("2")
    if not systems:
        return gaps.not_entered(TITLE, "2")
    found = {system.team: outcomes.count(counts_of.narratives(system)) for system in systems}
    found[POOLED] = pooled(list(found.values()))
    prose = (
        "A prediction is one system's set of codes for one claim. Exact, right group and wrong "
        "group are shares of all predictions; errors that cross groups are the wrong-group ones "
        "among those that are not exact. Too few and too many compare numbers of codes alone.",
    )
    return Section(TITLE, prose, (_table(evaluation, found), _picture(found)))


def _table(evaluation: Evaluation, found: dict[str, OutcomeCounts]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, counts in found.items():
        shares = outcomes.shares(counts)
        values = [gaps.defined(float(shares[key])) for key in _COLUMNS]
        rows.append((name, int(counts.evaluated.sum()), *values))
    reason = gaps.reasons(rows, "no claim is evaluated, or there is no error to be shared out.")
    return Table(
        name="outcomes",
        title="What became of the predictions of task 2",
        columns=(
            Column("System"),
            Column("Predictions"),
            *(Column(title) for title in _COLUMNS.values()),
        ),
        rows=(*rows, *_published(evaluation)),
        notes=(*reason, *published.notes(evaluation.gold, _slips())),
    )


def _published(evaluation: Evaluation) -> list[tuple[Cell, ...]]:
    if not published.has_real_size(evaluation.gold):
        return []
    told = published.section8()["task2_predictions"]
    return [("Published in 2026, pooled", None, *(told[_PUBLISHED[key]] for key in _COLUMNS))]


def _slips() -> list[str]:
    told = published.section8()["task2_predictions"]
    right, wrong = told["right_group_wrong_code"], told["wrong_group"]
    return [
        "The paper does not say how many predictions it pooled, nor of which systems.",
        f"From its own shares the errors that cross groups are {wrong} / ({right} + {wrong}) = "
        f"{wrong / (right + wrong):.3f}; it prints {told['errors_crossing_groups']:.2f}.",
    ]


def _picture(found: dict[str, OutcomeCounts]) -> Picture:
    shares = {name: outcomes.shares(counts) for name, counts in found.items()}
    values = np.array([[float(of_name[key]) for key in _BARS] for of_name in shares.values()])
    said = [
        f"{name} {', '.join(f'{value:.0%}' for value in row)}"
        for name, row in zip(found, values, strict=True)
    ]
    return Picture(
        name="outcomes",
        title="Predictions of task 2: exact, right group with a wrong code, wrong group",
        described="One bar a system, in three parts: " + "; ".join(said) + ".",
        draw=partial(_draw, list(found), values),
        inches=(drawing.WIDTH, 0.9 + 0.26 * len(found)),
    )


def _draw(names: Sequence[str], values: Floats, figure: "Figure") -> None:
    axes = figure.subplots()
    rows = np.arange(len(names))
    left = np.zeros(len(names))
    bars = []
    for (key, tone), share in zip(_BARS.items(), np.nan_to_num(values.T), strict=True):
        bars.append(axes.barh(rows, share, left=left, height=0.75, color=tone, label=_COLUMNS[key]))
        texts = [f"{value:.0%}" if value >= _ROOM_FOR_TEXT else "" for value in share]
        ink = "black" if key == "right_group" else "white"
        axes.bar_label(bars[-1], texts, label_type="center", color=ink, fontsize=7)
        left = left + share
    axes.set_yticks(rows, drawing.shown(names))
    axes.set(xlim=(0, 1), ylim=(len(names) - 0.5, -0.5), xlabel="Share of the predictions")
    axes.tick_params(axis="y", length=0)
    drawing.legend_below(figure, bars)
