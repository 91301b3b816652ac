"""Alpha by label, with intervals, the published alpha beside it."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from organiser.agreement import beside
from organiser.agreement.label_measures import OFTEN_LOST, LabelMeasures
from organiser.reporting import drawing
from organiser.reporting.parts import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def picture(found: LabelMeasures) -> Picture:
    """Return a row a label: alpha, its interval, and the published alpha where there is one."""
    labels = found.annotations.labels
    alphas = found.alpha.value
    said = [
        f"{label} {drawing.DASH if np.isnan(alpha) else f'{alpha:.2f}'}"
        for label, alpha in zip(labels, alphas, strict=True)
    ]
    missing = [label for label, alpha in zip(labels, alphas, strict=True) if np.isnan(alpha)]
    return Picture(
        name=f"{found.annotations.prefix}alpha",
        title="Krippendorff's alpha of each label, with its interval",
        described="One row a label: " + ", ".join(said) + ".",
        draw=partial(_draw, found),
        inches=(drawing.WIDTH, min(8.6, 1.1 + 0.22 * len(labels))),
        notes=(
            "n: items that at least one annotator marked. A grey line: on so few that its interval"
            " says little. A mark without a line: no interval, for the reason told below.",
            *((f"Alpha is undefined for {', '.join(missing)}.",) if missing else ()),
        ),
    )


def _draw(found: LabelMeasures, figure: "Figure") -> None:
    axes = figure.subplots()
    labels = found.annotations.labels
    told = beside.published_table5()
    rows = np.arange(len(labels))
    made = found.alpha
    theirs = np.array([told[label]["alpha"] if label in told else np.nan for label in labels])
    shift = 0.14 if not np.isnan(theirs).all() else 0.0
    colours = np.where(found.lost > OFTEN_LOST, "0.75", drawing.colour(0)).tolist()
    axes.hlines(rows - shift, made.low, made.high, colors=colours, linewidth=1.4)
    handles = axes.plot(made.value, rows - shift, "o", color=drawing.colour(0), label="Here")
    if shift:
        handles += axes.plot(
            theirs,
            rows + shift,
            "D",
            color=drawing.colour(1),
            markerfacecolor="none",
            markersize=4,
            label="Published 2026",
        )
    number = found.number.value
    names = [f"{label}  n={int(n)}" for label, n in zip(labels, number, strict=True)]
    axes.set_yticks(rows, names)
    axes.axvline(0, color="0.5", linewidth=0.8)
    shown = np.concatenate([made.low, made.value, theirs])
    known = shown[~np.isnan(shown)]
    least = min(-0.05, float(known.min()) - 0.03) if len(known) else -0.05
    axes.set(xlim=(least, 1.02), ylim=(len(labels) - 0.4, -0.6), xlabel="Alpha")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    if len(handles) > 1:
        drawing.legend_below(figure, handles)
