"""Agreement between annotators: each pair, and each annotator against the others."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from climatecheck.tables import Booleans, Floats
from organiser.agreement import pairs
from organiser.agreement.annotations import Annotations
from organiser.agreement.jackknife import Estimate, jackknife
from organiser.agreement.label_measures import with_interval
from organiser.agreement.overall import over_all
from organiser.analysis.section8 import gaps
from organiser.reporting import drawing
from organiser.reporting.parts import Cell, Column, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Agreement between annotators"
PER = 100
"""Differences are given in labels per so many items."""

Matrix = tuple[str, Floats]


def section(annotations: Annotations) -> Section:
    """Return the pairs of annotators, each annotator's bias, and a picture of the pairs."""
    prose = (
        "Kappa of a pair is over the yes-or-no decisions on all labels of the items that both have"
        " annotated. An annotator's bias is how much more, or less, that one marks than the others"
        " do on the same items.",
    )
    matrices = kappa_matrices(annotations)
    parts = (
        _pairs(annotations),
        _picture(annotations, matrices),
        _annotators(annotations),
        _by_label(annotations),
    )
    return Section(TITLE, prose, parts)


def kappa_matrices(annotations: Annotations) -> tuple[Matrix, ...]:
    """Return titles and (annotators, annotators) kappas, NaN on the diagonal.

    Of codes and of groups, or of labels.
    """
    levels = [("Labels", annotations)]
    if annotations.task == "2":
        levels = [("Codes", annotations), ("Groups", annotations.grouped())]
    return tuple((title, _kappas(table)) for title, table in levels)


def _kappas(annotations: Annotations) -> Floats:
    matrix = np.full((len(annotations.annotators),) * 2, np.nan)
    for one, other in pairs.pairs_of(annotations.made):
        value = pairs.flat_kappa(annotations, (one, other)).value[0]
        matrix[one, other] = matrix[other, one] = value
    return matrix


def _pairs(annotations: Annotations) -> Table:
    groups = annotations.grouped() if annotations.task == "2" else None
    answer, sets = annotations.answers()
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs.pairs_of(annotations.made):
        one, other = pair
        common = int((annotations.made[one] & annotations.made[other]).sum())
        second = (
            pairs.nominal_kappa(answer, pair, len(sets))
            if groups is None
            else pairs.flat_kappa(groups, pair)
        )
        rows.append(
            (
                annotations.annotators[one],
                annotations.annotators[other],
                common,
                *pairs.same_answer(annotations, pair).at(0),
                *pairs.flat_kappa(annotations, pair).at(0),
                *second.at(0),
            )
        )
    levels = ("Kappa, decisions", "Kappa, labels") if groups is None else (
        "Kappa, codes", "Kappa, groups"
    )  # fmt: skip
    return Table(
        name=f"{annotations.prefix}pairs",
        title="Pairs of annotators",
        columns=(
            Column("Annotator"),
            Column("and"),
            Column("Items in common"),
            *with_interval("Same answer"),
            *with_interval(levels[0]),
            *with_interval(levels[1]),
        ),
        rows=tuple(rows),
        notes=gaps.reasons(
            rows,
            "the pair always decides alike, or there is no spread between items.",
        ),
    )


def excess(annotations: Annotations, who: int, labels: Booleans | None = None) -> Estimate:
    """Return how many labels an annotator gives more than the others do to the same item.

    Args:
        annotations: of all.
        who: the annotator.
        labels: (labels,) which labels count; None counts each by itself.

    Returns:
        the mean difference over the items that another one annotated too, shape (labels,), or (1,)
        if ``labels`` is given.
    """
    others = np.arange(len(annotations.annotators)) != who
    number = annotations.made[others].sum(axis=0)
    shared = annotations.made[who] & (number > 0)
    theirs = annotations.marks[others].sum(axis=0) / np.maximum(number, 1)[:, None]
    difference = (annotations.marks[who] - theirs) * shared[:, None]
    if labels is not None:
        difference = difference[:, labels].sum(axis=1, keepdims=True)
    counted = np.broadcast_to(shared[:, None].astype(np.float64), difference.shape)
    most = float(difference.shape[1] if labels is None else labels.sum())
    return jackknife(np.stack([difference, counted], axis=-1), _per_item, (-most, most))


def _per_item(summed: Floats) -> Floats:
    items = summed[..., 1]
    return np.where(items > 0, summed[..., 0] / np.maximum(items, 1), np.nan)


def _annotators(annotations: Annotations) -> Table:
    every = np.ones(len(annotations.labels), dtype=np.bool_)
    number = len(annotations.annotators)
    rows: list[tuple[Cell, ...]] = []
    for who, name in enumerate(annotations.annotators):
        items = int(annotations.made[who].sum())
        rest = annotations.of([other for other in range(number) if other != who])
        agreed = over_all(rest).at(0)[0] if number > 2 else None
        with_others = _kappas(annotations)[who]
        known = with_others[~np.isnan(with_others)]
        rows.append(
            (
                name,
                items,
                int((~annotations.made[who]).sum()),
                float(annotations.marks[who].sum() / items) if items else None,
                *excess(annotations, who, every).at(0),
                float(known.mean()) if len(known) else None,
                agreed,
            )
        )
    return Table(
        name=f"{annotations.prefix}annotators",
        title="Each annotator against the others",
        columns=(
            Column("Annotator"),
            Column("Items"),
            Column("Missing"),
            Column("Labels per item"),
            *with_interval("More than the others"),
            Column("Mean kappa with the others"),
            Column("Alpha without this one"),
        ),
        rows=tuple(rows),
        notes=(
            "More than the others: labels per item beyond the mean of the others on the same items."
            " Alpha without this one: over all decisions of the others; higher than the alpha of"
            " all where the annotator agrees less than the rest.",
            *gaps.reasons(rows, "there are no others to compare, or no spread between items."),
        ),
    )


def _by_label(annotations: Annotations) -> Table:
    found = [excess(annotations, who) for who in range(len(annotations.annotators))]
    rows = []
    for place, label in enumerate(annotations.labels):
        cells: list[Cell] = []
        for who, made in enumerate(found):
            value, interval = made.at(place)
            cells += [
                int(annotations.marks[who, :, place].sum()),
                None if value is None else PER * value,
                None if interval is None else (PER * interval[0], PER * interval[1]),
            ]
        rows.append((label, *cells))
    columns = [
        column
        for name in annotations.annotators
        for column in (
            Column(name, name=f"{name} marks"),
            *with_interval(f"{name}: more", precision=1),
        )
    ]
    return Table(
        name=f"{annotations.prefix}bias",
        title=f"Labels given, and how many more than the others, per {PER} items",
        columns=(Column("Label"), *columns),
        rows=tuple(rows),
        notes=(
            "With so many comparisons some intervals leave out 0 by chance: about one in twenty.",
            *gaps.reasons(rows, "nobody else annotated these items, or there is no spread."),
        ),
    )


def _picture(annotations: Annotations, matrices: Sequence[Matrix]) -> Picture:
    names = annotations.annotators
    said = []
    for title, matrix in matrices:
        known = matrix[~np.isnan(matrix)]
        reach = f"{known.min():.2f} to {known.max():.2f}" if len(known) else "undefined"
        said.append(f"{title}: {reach}")
    side = min(3.0, 0.9 + 0.5 * len(names))
    return Picture(
        name=f"{annotations.prefix}annotator_kappas",
        title="Cohen's kappa of each pair of annotators",
        described="Heat maps of kappa by pair. " + "; ".join(said) + ".",
        draw=partial(_draw, names, matrices),
        inches=(drawing.WIDTH if len(matrices) > 1 else drawing.WIDTH / 2, side + 0.3),
    )


def _draw(names: Sequence[str], matrices: Sequence[Matrix], figure: "Figure") -> None:
    axes = drawing.panels(figure, len(matrices), len(matrices))
    ticks, shown = drawing.middles(len(names)), drawing.shown(names, 12)
    known = np.concatenate([matrix[~np.isnan(matrix)] for _, matrix in matrices])
    least = min(0.0, float(known.min())) if len(known) else 0.0
    for place, (one, (title, matrix)) in enumerate(zip(axes, matrices, strict=True)):
        drawing.heat_map(one, matrix, partial(_two_decimals, matrix), limits=(least, 1.0))
        one.set_title(title)
        one.set_xticks(ticks, shown, rotation=0 if max(map(len, shown)) < 6 else 60)
        one.set_yticks(ticks, shown if place == 0 else [""] * len(shown))


def _two_decimals(matrix: Floats, row: int, column: int) -> str:
    return f"{matrix[row, column]:.2f}"
