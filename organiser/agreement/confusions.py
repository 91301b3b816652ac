"""Which labels annotators take for each other, and which labels stand together."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from climatecheck.tables import Floats, Integers
from organiser.agreement import pairs
from organiser.agreement.annotations import Annotations
from organiser.analysis.section8 import gaps
from organiser.reporting import drawing
from organiser.reporting.parts import Cell, Column, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Labels that are confused, and labels that stand together"
NOTHING = "nothing"
"""Stands for no label at all in the place of the one that the other annotator gave."""


def confusion(annotations: Annotations) -> Integers:
    """Return how often annotators who differ set one label against another.

    Over the items and the ordered pairs of annotators that both annotated them: a label that the
    first gave and the second did not is set against each label that the second gave and the first
    did not, or against nothing if there is none. On the diagonal stands how often both gave it.

    Returns:
        (labels, labels + 1): label of the first, label of the second or nothing.
    """
    labels = len(annotations.labels)
    total = np.zeros((labels, labels + 1), dtype=np.int64)
    for one, other in pairs.pairs_of(annotations.made):
        both_made = annotations.made[one] & annotations.made[other]
        first, second = annotations.marks[one, both_made], annotations.marks[other, both_made]
        agreed = (first & second).sum(axis=0)
        total[np.arange(labels), np.arange(labels)] += 2 * agreed
        for own, others in ((first & ~second, second & ~first), (second & ~first, first & ~second)):
            total[:, :labels] += own.T.astype(np.int64) @ others.astype(np.int64)
            total[:, labels] += own[~others.any(axis=1)].sum(axis=0)
    return total


def co_occurrence(annotations: Annotations) -> Integers:
    """Return (labels, labels) how many annotations give both; on the diagonal, how many give it."""
    given = annotations.marks[annotations.made].astype(np.int64)
    counted: Integers = given.T @ given
    return counted


def section(annotations: Annotations) -> Section:
    """Return the confusions, by label and by group, and the co-occurrence of labels."""
    by_label = confusion(annotations)
    multi = annotations.task == "2"
    coarse = annotations.grouped() if multi else annotations
    prose = (
        "Where two annotators differ on an item, each label that only one gave is set against each"
        " that only the other gave.",
    )
    parts: list[Table | Picture] = [
        _confusion_table(annotations, by_label),
        _confusion_picture(coarse, confusion(coarse)),
    ]
    if multi:
        counted = co_occurrence(annotations)
        parts.append(_together_table(annotations, counted))
        parts += _together_picture(annotations, counted)
    return Section(TITLE if multi else "Labels that are confused", prose, tuple(parts))


def _confusion_table(annotations: Annotations, counted: Integers) -> Table:
    names, labels = [*annotations.labels, NOTHING], len(annotations.labels)
    found = [
        (int(counted[one, other]), names[one], names[other], one, other)
        for one in range(labels)
        for other in range(one + 1, labels + 1)
        if counted[one, other]
    ]
    rows = [
        (
            label,
            against,
            number,
            int(counted[one, one] // 2),
            int(counted[other, other] // 2) if other < labels else None,
        )
        for number, label, against, one, other in sorted(found, key=lambda row: -row[0])
    ]
    return Table(
        name=f"{annotations.prefix}confusions",
        title="Labels that annotators set against each other, the most frequent first",
        columns=(
            Column("Label"),
            Column("Against"),
            Column("Times"),
            Column("First agreed"),
            Column("Second agreed"),
        ),
        rows=tuple(rows),
        notes=(
            "Times: pairs of annotations of one item. Agreed: pairs in which both gave the label."
            f" “{NOTHING}”: the other annotator gave only labels that were shared.",
        ),
    )


def shares(counted: Integers) -> Floats:
    """Return each row of a confusion as shares; NaN where a label was never given.

    >>> shares(np.array([[3, 1], [0, 0]])).tolist()
    [[0.75, 0.25], [nan, nan]]
    """
    total = counted.sum(axis=1, keepdims=True)
    return np.where(total > 0, counted / np.maximum(total, 1), np.nan)


def _confusion_picture(annotations: Annotations, counted: Integers) -> Picture:
    names = [*_short(annotations), NOTHING]
    if annotations.task == "1":
        names, counted = names[:-1], counted[:, :-1]
    matrix = shares(counted)
    kept = np.diagonal(matrix)
    said = [
        f"{name} {drawing.DASH if np.isnan(share) else f'{share:.0%}'}"
        for name, share in zip(names, kept, strict=False)
    ]
    what = "group" if annotations.task == "2" else "label"
    return Picture(
        name=f"{annotations.prefix}confusion",
        title=f"What one annotator says where another gives a {what}",
        described=f"Heat map, a row a {what}. The other annotator gives it too: "
        + ", ".join(said)
        + ".",
        draw=partial(_draw_confusion, names, counted, what),
        inches=(5.0, 0.7 + 0.42 * len(counted)),
    )


def _short(annotations: Annotations) -> list[str]:
    if annotations.task == "2":
        return list(annotations.labels)
    from organiser.analysis.section8.confusion import SHORT

    return list(SHORT)


def _draw_confusion(names: Sequence[str], counted: Integers, what: str, figure: "Figure") -> None:
    axes = figure.subplots()
    matrix = shares(counted)
    drawing.heat_map(axes, matrix, lambda row, column: f"{matrix[row, column]:.2f}")
    axes.set_xticks(drawing.middles(len(names)), names)
    axes.set_yticks(drawing.middles(len(counted)), names[: len(counted)])
    axes.set_xlabel(f"{what.capitalize()} of the other annotator")
    axes.set_ylabel(f"{what.capitalize()} of one annotator")


def _together_table(annotations: Annotations, counted: Integers) -> Table:
    number = int(annotations.made.sum())
    rows: list[tuple[Cell, ...]] = []
    for one, other in np.argwhere(np.triu(counted, 1)).tolist():
        both, first, second = (
            int(counted[i, j]) for i, j in ((one, other), (one, one), (other, other))
        )
        expected = first * second / number
        rows.append(
            (
                annotations.labels[one], annotations.labels[other], both, both / first,
                both / second, expected, gaps.defined(both / expected),
            )
        )  # fmt: skip
    rows.sort(key=lambda row: -int(str(row[2])))
    return Table(
        name=f"{annotations.prefix}together",
        title="Labels that one annotator gives to the same item, the most frequent first",
        columns=(
            Column("Label"),
            Column("and"),
            Column("Annotations"),
            Column("Of the first"),
            Column("Of the second"),
            Column("By chance", precision=1),
            Column("Times chance", precision=1),
        ),
        rows=tuple(rows),
        notes=("By chance: the number that independent labels of these frequencies would have.",),
    )


def _together_picture(annotations: Annotations, counted: Integers) -> list[Picture]:
    """Return the picture of co-occurrence; none where no annotation has two labels."""
    apart = counted - np.diag(np.diagonal(counted))
    shown = np.flatnonzero(apart.any(axis=0))
    if not len(shown):
        return []
    names = [annotations.labels[place] for place in shown]
    most = np.unravel_index(apart.argmax(), apart.shape)
    pair = " and ".join(annotations.labels[place] for place in most)
    left_out = len(annotations.labels) - len(shown)
    note = f"Left out, since they never stand beside another: {left_out} of the labels."
    side = max(2.4, 0.7 + 0.19 * len(shown))
    return [
        Picture(
            name=f"{annotations.prefix}together",
            title="How often two labels stand in one annotation (colour: share of the row's label)",
            described=f"Heat map of {len(shown)} labels. Most often together: {pair}"
            f" (annotations: {apart.max()}).",
            draw=partial(_draw_together, names, counted[np.ix_(shown, shown)]),
            inches=(min(drawing.WIDTH, side + 0.3), min(drawing.WIDTH, side)),
            notes=(note,) if left_out else (),
        )
    ]


def _draw_together(names: Sequence[str], counted: Integers, figure: "Figure") -> None:
    axes = figure.subplots()
    own = np.diagonal(counted)
    matrix = counted / np.maximum(own, 1)[:, None]
    np.fill_diagonal(matrix, np.nan)
    top = float(np.nanmax(matrix))

    def text(row: int, column: int) -> str:
        return str(counted[row, column] or "")

    drawing.heat_map(axes, matrix, text, limits=(0.0, top))
    ticks = drawing.middles(len(names))
    axes.set_xticks(ticks, names, rotation=90)
    axes.set_yticks(ticks, [f"{name}  n={count}" for name, count in zip(names, own, strict=True)])
