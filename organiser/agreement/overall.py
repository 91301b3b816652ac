"""Agreement over all labels: on codes, on groups, and on sets of labels."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from climatecheck import taxonomy
from climatecheck.tables import Floats
from organiser.agreement import alpha as krippendorff
from organiser.agreement import beside, pairs
from organiser.agreement.annotations import Annotations
from organiser.agreement.jackknife import Estimate, estimate, jackknife
from organiser.agreement.label_measures import no_interval, with_interval
from organiser.analysis.section8 import gaps
from organiser.reporting.parts import Cell, Column, Section, Table

TITLE = "Agreement over all labels"
NO_GROUP = taxonomy.group_of(taxonomy.NO_NARRATIVE)

Row = tuple[Cell, ...]


def over_all(annotations: Annotations) -> Estimate:
    """Return alpha over the decisions on all labels together."""
    return _alphas(annotations, krippendorff.over_all)


def weighted(annotations: Annotations) -> Estimate:
    """Return the mean of the labels' alphas, weighted by prevalence."""
    return _alphas(annotations, krippendorff.weighted_mean)


def _alphas(annotations: Annotations, ratio: Callable[[Floats], Floats]) -> Estimate:
    counts = krippendorff.counts(annotations.marks, annotations.made)
    return jackknife(counts, ratio)


def without(annotations: Annotations, label: str) -> Annotations:
    """Return the decisions on all labels but one."""
    kept = [place for place, name in enumerate(annotations.labels) if name != label]
    labels = tuple(annotations.labels[place] for place in kept)
    return replace(annotations, labels=labels, marks=annotations.marks[..., kept])


def set_alpha(annotations: Annotations) -> Estimate:
    """Return alpha over whole sets of labels with the MASI distance."""
    answer, sets = annotations.answers()
    return estimate(*krippendorff.alpha_by_distance(answer, krippendorff.masi(sets)))


def nominal_alpha(annotations: Annotations) -> Estimate:
    """Return alpha over whole answers, which are the same or not."""
    answer, sets = annotations.answers()
    return estimate(*krippendorff.alpha_by_distance(answer, krippendorff.nominal(len(sets))))


def kappas(annotations: Annotations) -> list[float]:
    """Return Cohen's kappa of each pair of annotators over the decisions on all labels."""
    made = [pairs.flat_kappa(annotations, pair) for pair in pairs.pairs_of(annotations.made)]
    return [float(one.value[0]) for one in made]


def section(annotations: Annotations) -> Section:
    """Return one table: each measure with its interval, the published value beside it."""
    rows = tuple(_narrative_rows(annotations) if annotations.task == "2" else _rows(annotations))
    prose = (
        "Alpha over all decisions takes each yes or no of an annotator on a label as one decision."
        " The weighted mean takes each label's alpha by its prevalence, so that the most frequent"
        " label decides it.",
    )
    columns: tuple[Column, ...] = (
        Column("Measure"),
        *with_interval("Value"),
        Column("Published 2026"),
        Column("Why undefined"),
    )
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], tuple(row[:-1] for row in rows)
    table = Table(
        name=f"{annotations.prefix}overall",
        title=TITLE,
        columns=columns,
        rows=rows,
        notes=_notes(annotations),
    )
    return Section(TITLE, prose, (table,))


def _notes(annotations: Annotations) -> tuple[str, ...]:
    if annotations.task == "1":
        return ("Published: mean Cohen's kappa of the annotators of the training pairs.",)
    carried = krippendorff.prevalence(
        krippendorff.counts(annotations.marks, annotations.made).sum(axis=0)
    )
    place = annotations.labels.index(taxonomy.NO_NARRATIVE)
    return (
        f"{taxonomy.NO_NARRATIVE} carries {carried[place] / np.nansum(carried):.0%} of the weight"
        " here, and 69% of it in the published Table 5, from which the published mean without it"
        " is computed. A claim bears a group if it bears one of its codes.",
        "MASI compares whole sets of labels and gives part of the credit to sets that overlap"
        " (Passonneau 2006); the published text has no such value.",
    )


def _narrative_rows(annotations: Annotations) -> Iterator[Row]:
    groups = annotations.grouped()
    no_code, told = taxonomy.NO_NARRATIVE, beside.overall()
    yield _row(
        "Alpha over all decisions, codes", over_all(annotations), told["alpha_all_decisions"]
    )
    yield _row("Alpha over all decisions, groups", over_all(groups))
    yield _row(
        "Weighted mean of alphas, codes", weighted(annotations), told["alpha_prevalence_weighted"]
    )
    yield _row(
        f"Weighted mean of alphas, codes without {no_code}",
        weighted(without(annotations, no_code)),
        beside.weighted_without(no_code),
    )
    yield _row(
        "Weighted mean of alphas, groups",
        weighted(groups),
        told["alpha_prevalence_weighted_groups"],
    )
    yield _row(
        f"Weighted mean of alphas, groups without {NO_GROUP}", weighted(without(groups, NO_GROUP))
    )
    yield _row("Alpha over sets of codes (MASI)", set_alpha(annotations))
    for level, table, key in (
        ("codes", annotations, "kappa_pairs_codes"),
        ("groups", groups, "kappa_pairs_groups"),
    ):
        yield from _kappa_rows(level, kappas(table), told[key])


def _kappa_rows(level: str, values: list[float], told: tuple[float, float]) -> Iterator[Row]:
    defined = [value for value in values if not np.isnan(value)]
    why = "" if defined else "no two annotators have an item in common, or all decide alike"
    for which, choose, beside_it in (("lowest", min, told[0]), ("highest", max, told[1])):
        value = choose(defined) if defined else None
        yield f"Cohen's kappa of pairs, {level}, {which}", value, None, beside_it, why


def _rows(annotations: Annotations) -> Iterator[Row]:
    yield _row("Alpha over labels", nominal_alpha(annotations))
    yield _row("Alpha over all yes-or-no decisions", over_all(annotations))
    yield _row("Weighted mean of alphas", weighted(annotations))
    answer, sets = annotations.answers()
    values = [
        float(pairs.nominal_kappa(answer, pair, len(sets)).value[0])
        for pair in pairs.pairs_of(annotations.made)
    ]
    mean = float(np.mean(values)) if values else np.nan
    why = "" if values and not np.isnan(mean) else "a pair gives all items the same label, or none"
    told = beside.overall()["task1_cohen_kappa_train"]
    yield "Mean of Cohen's kappa over pairs", gaps.defined(mean), None, told, why


def _row(measure: str, found: Estimate, told: float | None = None) -> Row:
    value, interval = found.at(0)
    why = ""
    if value is None:
        why = "all decisions are alike, or no item has two annotations"
    elif interval is None:
        why = f"no interval: {no_interval(found, 0)}"
    return measure, value, interval, told, why
