"""Table 5: how often each label is given, and how well annotators agree on it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from climatecheck import taxonomy
from climatecheck.problems import counted
from climatecheck.tables import Floats
from organiser.agreement import alpha as krippendorff
from organiser.agreement import beside, pairs
from organiser.agreement.annotations import Annotations
from organiser.agreement.jackknife import CONFIDENCE, Estimate, estimate, jackknife
from organiser.analysis.section8 import gaps
from organiser.reporting.parts import Cell, Column, Section, Table

TITLE = "Agreement on each label (Table 5)"
OFTEN_LOST = 0.01
"""A label is named as too rare for its interval if more resamples than this would lose it."""


@dataclass(frozen=True)
class LabelMeasures:
    """The measures of Table 5, each over all labels.

    Attributes:
        annotations: what they are of.
        number: of the items that at least one annotator marked.
        prevalence: positive decisions over all decisions made.
        alpha: Krippendorff's alpha.
        kappa: the mean of Cohen's kappa over the pairs of annotators.
        positive: the mean of positive agreement over those pairs in which either gave the label.
        pooled: (labels,) positive agreement over the counts of all pairs together.
        lost: (labels,) the share of resamples of the items in which nobody gives the label.
    """

    annotations: Annotations
    number: Estimate
    prevalence: Estimate
    alpha: Estimate
    kappa: pairs.Mean
    positive: pairs.Mean
    pooled: Floats
    lost: Floats


def measures(annotations: Annotations) -> LabelMeasures:
    """Return the measures of all labels."""
    counts = krippendorff.counts(annotations.marks, annotations.made)
    items = len(annotations.items)
    marked = annotations.marks.any(axis=0).astype(np.float64)
    number = marked.sum(axis=0)
    scaled = (number - marked) * items / max(items - 1, 1)
    return LabelMeasures(
        annotations,
        estimate(number, scaled, (0.0, float(items))),
        jackknife(counts, krippendorff.prevalence, (0.0, 1.0)),
        jackknife(counts, krippendorff.alpha),
        pairs.mean_over_pairs(annotations, pairs.kappa, strict=True),
        pairs.mean_over_pairs(
            annotations, pairs.positive_agreement, strict=False, limits=(0.0, 1.0)
        ),
        pairs.pooled_positive_agreement(annotations),
        (1 - number / items) ** items,
    )


def section(found: LabelMeasures) -> Section:
    """Return Table 5, what is undefined in it, labels below chance, and the published table."""
    annotators = counted(len(found.annotations.annotators), "annotator")
    items = counted(len(found.annotations.items), "item")
    made = counted(int(found.annotations.made.sum()), "annotation")
    prose = (
        f"{annotators}, {items}, {made}. Each label is a yes-or-no decision of each annotator on"
        " each item. Items that an annotator has not annotated are left out of that annotator's"
        " decisions.",
        f"Intervals of {CONFIDENCE:.0%} are by the jackknife over items: value ± t times the"
        " standard error.",
    )
    parts = (_table(found), _below_chance(found), _undefined(found), beside.table5(found))
    return Section(_title(found), prose, tuple(part for part in parts if part is not None))


def _title(found: LabelMeasures) -> str:
    return TITLE if found.annotations.task == "2" else "Agreement on each label"


def names(labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return what labels are called: the narratives of codes or groups, else the labels."""
    called = {**taxonomy.GROUPS, **taxonomy.NARRATIVES}
    return tuple(called.get(label, label) for label in labels)


def _table(found: LabelMeasures) -> Table:
    labels = found.annotations.labels
    rows = []
    for place, (label, name) in enumerate(zip(labels, names(labels), strict=True)):
        number, of_number = found.number.at(place)
        rows.append(
            (
                *((label, name) if name != label else (label,)),
                int(number or 0),
                of_number,
                *found.prevalence.at(place),
                *found.alpha.at(place),
                *found.kappa.estimate.at(place),
                *found.positive.estimate.at(place),
                gaps.defined(found.pooled[place]),
                float(found.lost[place]),
            )
        )
    narrative = (Column("Narrative"),) if found.annotations.task == "2" else ()
    return Table(
        name=f"{found.annotations.prefix}table5",
        title="Items, prevalence and agreement of each label",
        columns=(
            Column("Label"),
            *narrative,
            *with_interval("N", precision=1),
            *with_interval("Prevalence", precision=4),
            *with_interval("Alpha"),
            *with_interval("Kappa"),
            *with_interval("Positive agreement"),
            Column("Pooled"),
            Column("Lost in resamples"),
        ),
        rows=tuple(rows),
        notes=(
            "N: items that at least one annotator marked. Prevalence: positive decisions over all"
            " decisions made. Kappa: mean of Cohen's kappa over the pairs of annotators, undefined"
            " if it is for one pair. Positive agreement: 2TP / (2TP + FP + FN), mean over the pairs"
            " in which either gave the label; pooled: over the summed counts of all pairs.",
            *_rare(found),
            *gaps.reasons(rows, "undefined, or no interval; the reasons stand in a table below."),
        ),
    )


def with_interval(title: str, *, precision: int = 3) -> tuple[Column, Column]:
    """Return the columns of a value and of its interval below it."""
    return Column(title, precision), Column("", precision, name=title)


def _rare(found: LabelMeasures) -> tuple[str, ...]:
    number = found.number.value
    rare = np.flatnonzero((found.lost > OFTEN_LOST) & (number > 0))
    lost = (
        "Lost in resamples: the share of resamples (as many items, drawn with replacement) in which"
        " nobody gives the label."
    )
    if not len(rare):
        return (lost,)
    listed = ", ".join(f"{found.annotations.labels[i]} ({int(number[i])})" for i in rare)
    return (
        f"{lost} More than {OFTEN_LOST:.0%} of them lose these labels, which are marked on so few"
        f" items (N) that an interval, where there is one, says little: {listed}.",
    )


def _below_chance(found: LabelMeasures) -> Table | None:
    """Return the labels on which annotators agree less than by chance."""
    labels = found.annotations.labels
    rows = []
    for place, label in enumerate(labels):
        alpha, interval = found.alpha.at(place)
        kappa = found.kappa.of_defined[place]
        if (alpha is not None and alpha < 0) or kappa < 0:
            surely = "yes" if interval is not None and interval[1] < 0 else "no"
            number = int(found.number.value[place])
            rows.append((label, number, alpha, interval, gaps.defined(kappa), surely))
    if not rows:
        return None
    return Table(
        name=f"{found.annotations.prefix}below_chance",
        title="Labels with less agreement than chance",
        columns=(
            Column("Label"),
            Column("N"),
            *with_interval("Alpha"),
            Column("Kappa, pairs with one", name="kappa of defined pairs"),
            Column("Interval below 0"),
        ),
        rows=tuple(rows),
        notes=(
            "A label that different annotators give to different items, never to the same, has an"
            " alpha just below 0. Give its definition examples, or join it to another label.",
        ),
    )


def _undefined(found: LabelMeasures) -> Table | None:
    rows = tuple(reasons(found))
    if not rows:
        return None
    return Table(
        name=f"{found.annotations.prefix}undefined",
        title="What is undefined, and why",
        columns=(Column("Label"), Column("Measure"), Column("Undefined"), Column("Why")),
        rows=rows,
    )


def reasons(found: LabelMeasures) -> Iterator[tuple[Cell, ...]]:
    """Yield (label, measure, value or interval, reason) of all that is undefined."""
    for place, label in enumerate(found.annotations.labels):
        for measure, made, why in (
            ("Prevalence", found.prevalence, "no decision was made"),
            ("Alpha", found.alpha, _no_alpha(found, place)),
            ("Kappa", found.kappa.estimate, _no_kappa(found.kappa, place)),
            ("Positive agreement", found.positive.estimate, _no_positive(found.positive)),
        ):
            if np.isnan(made.value[place]):
                yield label, measure, "value", why
            elif np.isnan(made.low[place]) and found.number.value[place] > 0:
                yield label, measure, "interval", no_interval(made, place)


def no_interval(made: Estimate, place: int) -> str:
    """Return why a value has no interval."""
    if made.lost[place]:
        some = "one item" if made.lost[place] == 1 else f"any one of {made.lost[place]} items"
        return f"the value itself is lost if {some} is left out"
    if made.still[place]:
        return "leaving out any item changes nothing, so its spread cannot be told"
    return "there are fewer than two items"


def _no_alpha(found: LabelMeasures, place: int) -> str:
    annotations = found.annotations
    made = annotations.made & (annotations.made.sum(axis=0) > 1)
    if not made.any():
        return "no item has two annotations"
    given = annotations.marks[..., place][made].any()
    return f"it is given to {'every' if given else 'no'} item that has two annotations"


def _no_kappa(mean: pairs.Mean, place: int) -> str:
    if not mean.pairs:
        return "no two annotators have an item in common"
    rest = mean.of_defined[place]
    others = "" if np.isnan(rest) else f"; the mean over the others is {rest:.3f}"
    return (
        f"in {mean.undefined[place]} of {mean.pairs} pairs both annotators give it to none, or to"
        f" all, of their items{others}"
    )


def _no_positive(mean: pairs.Mean) -> str:
    if not mean.pairs:
        return "no two annotators have an item in common"
    return "nobody gives it to an item that another one annotated"
