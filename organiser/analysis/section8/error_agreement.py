"""Do the systems err on the same claims?

Agreement of two systems' errors, as Cohen's kappa and phi of the two yes-or-no vectors, and as the
share of common errors (Jaccard).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from climatecheck import edition
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import NO_LABEL, Booleans, Floats, Gold
from organiser.analysis.section8 import counts_of, gaps
from organiser.analysis.section8.narrative_groups import evidentiary_hit
from organiser.analysis.section8.recall_by_claim import CUTOFF
from organiser.analysis.systems import Evaluation, System
from organiser.reporting import drawing
from organiser.reporting.parts import Column, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Do the systems err on the same claims?"


class Crossed(NamedTuple):
    """Items by who errs on them."""

    neither: int
    first_only: int
    second_only: int
    both: int

    @property
    def items(self) -> int:
        """How many items both systems answered."""
        return sum(self)

    @property
    def common(self) -> float:
        """Share of common errors, ``both / (first or second)``; NaN where nobody errs."""
        wrong = self.items - self.neither
        return self.both / wrong if wrong else np.nan

    @property
    def kappa(self) -> float:
        """Cohen's (1960) kappa; NaN where chance alone gives full agreement.

        >>> round(Crossed(5, 1, 1, 3).kappa, 4)  # observed .8, by chance .6 * .6 + .4 * .4
        0.5833
        """
        first, second = self.both + self.first_only, self.both + self.second_only
        items = self.items
        by_chance = first * second + (items - first) * (items - second)
        agreed = (self.neither + self.both) * items
        return (agreed - by_chance) / (items**2 - by_chance) if items**2 > by_chance else np.nan

    @property
    def phi(self) -> float:
        """The phi coefficient; NaN where a system errs on all items or on none.

        >>> round(Crossed(5, 1, 1, 3).phi, 4)  # (5 * 3 - 1 * 1) / sqrt(4 * 6 * 4 * 6)
        0.5833
        """
        first, second = self.both + self.first_only, self.both + self.second_only
        margins = first * (self.items - first) * second * (self.items - second)
        product = self.neither * self.both - self.first_only * self.second_only
        return float(product / np.sqrt(float(margins))) if margins else np.nan


@dataclass(frozen=True)
class Errors:
    """Who errs on what in one task.

    Attributes:
        name: of the table's and the figure's files.
        what: the items and what counts as an error.
        teams: by row.
        answered: (systems, items) whether the item counts for the system.
        wrong: (systems, items) whether it errs.
    """

    name: str
    what: str
    teams: tuple[str, ...]
    answered: Booleans
    wrong: Booleans

    def crossed(self, first: int, second: int) -> Crossed:
        """Return the items that both systems answered by who errs on them."""
        both = self.answered[first] & self.answered[second]
        one, other = self.wrong[first, both], self.wrong[second, both]
        found = (~one & ~other, one & ~other, ~one & other, one & other)
        return Crossed(*(int(np.count_nonzero(part)) for part in found))


def narrative_errors(systems: Sequence[System]) -> Errors:
    """Return on which claims of task 2 each system is not exact."""
    every = [counts_of.narratives(system) for system in systems]
    return Errors(
        "errors_narratives",
        "Task 2: an error is a claim whose codes are not exactly right",
        tuple(system.team for system in systems),
        np.array([counts.evaluated for counts in every]),
        np.array([~counts.exact for counts in every]),
    )


def retrieval_errors(systems: Sequence[System], gold: Gold) -> Errors:
    """Return for which claims each system has no evidentiary abstract among its first K."""
    answerable = np.zeros(len(gold.claims), dtype=np.bool_)
    answerable[gold.claim[is_evidentiary(gold.label)]] = True
    return Errors(
        "errors_retrieval",
        f"Task 1.1: an error is a claim without an evidentiary abstract among the first {CUTOFF}",
        tuple(system.team for system in systems),
        np.tile(answerable, (len(systems), 1)),
        np.array([~evidentiary_hit(system) for system in systems]),
    )


def label_errors(systems: Sequence[System], gold: Gold) -> Errors:
    """Return which judged pairs each system retrieved, and which of these it labels wrongly."""
    answered = np.zeros((len(systems), len(gold.label)), dtype=np.bool_)
    wrong = np.zeros_like(answered)
    pairs = gold.claim * edition.CORPUS_SIZE + gold.abstract
    for place, system in enumerate(systems):
        judged = counts_of.judged(system)
        run = judged.run
        rows = (judged.gold_label != NO_LABEL) & (run.label != NO_LABEL)
        rows &= run.position <= edition.VERIFICATION_DEPTH
        retrieved = run.claim[rows] * edition.CORPUS_SIZE + run.abstract[rows]
        pair = np.searchsorted(pairs, retrieved)  # the gold is sorted, and judged rows are in it
        answered[place, pair] = True
        wrong[place, pair] = run.label[rows] != judged.gold_label[rows]
    return Errors(
        "errors_labels",
        "Task 1.2: an error is a wrong label of a judged pair that both systems retrieved",
        tuple(system.team for system in systems),
        answered,
        wrong,
    )


def section(evaluation: Evaluation) -> Section:
    """Return the agreement of all pairs of systems' errors in each task."""
    found = (
        retrieval_errors(evaluation.entered("1.1"), evaluation.gold),
        label_errors(evaluation.entered("1.2"), evaluation.gold),
        narrative_errors(evaluation.entered("2")),
    )
    prose = (
        "Kappa and phi are 1 where two systems err on the same items, 0 where they do so no more "
        "often than by chance. Common errors: of the items that at least one of the two gets "
        "wrong, the share that both get wrong. Where agreement is low, systems may complete "
        "each other.",
    )
    parts = [
        part
        for errors in found
        if len(errors.teams) > 1
        for part in (_picture(errors), _table(errors))
    ]
    if not parts:
        prose = ("Agreement needs at least two systems in a task.",)
    return Section(TITLE, prose, tuple(parts))


def _table(errors: Errors) -> Table:
    rows = []
    for first, second in combinations(range(len(errors.teams)), 2):
        crossed = errors.crossed(first, second)
        values = map(gaps.defined, (crossed.common, crossed.kappa, crossed.phi))
        rows.append((errors.teams[first], errors.teams[second], crossed.items, *crossed, *values))
    counts = ("Items", "Both right", "Only first wrong", "Only second wrong", "Both wrong")
    return Table(
        name=errors.name,
        title=errors.what,
        columns=(
            Column("First system"),
            Column("Second system"),
            *(Column(title) for title in counts),
            Column("Common errors"),
            Column("kappa"),
            Column("phi"),
        ),
        rows=tuple(rows),
        notes=gaps.reasons(
            rows, "nobody errs, or a system errs on all items or on none, so it is undefined."
        ),
    )


def _picture(errors: Errors) -> Picture:
    kappa = _kappas(errors)
    defined = kappa[~np.isnan(kappa)]
    spread = (
        f"from {defined.min():.2f} to {defined.max():.2f}" if len(defined) else "nowhere defined"
    )
    return Picture(
        name=f"{errors.name}_kappa",
        title=f"Cohen's kappa of two systems' errors. {errors.what}",
        described=f"A square of {len(errors.teams)} systems by themselves; kappa is {spread}.",
        draw=partial(_draw, errors.teams, kappa),
        inches=(drawing.WIDTH, 0.6 + 0.28 * len(errors.teams)),
    )


def _kappas(errors: Errors) -> Floats:
    number = len(errors.teams)
    kappa = np.full((number, number), np.nan)
    for first, second in combinations(range(number), 2):
        kappa[first, second] = kappa[second, first] = errors.crossed(first, second).kappa
    return kappa


def _draw(teams: Sequence[str], kappa: Floats, figure: "Figure") -> None:
    axes = figure.subplots()
    drawing.heat_map(axes, kappa, partial(_text, kappa), colours="PuOr_r", limits=(-1, 1))
    ticks = drawing.middles(len(teams))
    names = drawing.shown(teams)
    axes.set_xticks(ticks, [str(place + 1) for place in range(len(teams))])
    axes.set_yticks(ticks, [f"{place}  {name}" for place, name in enumerate(names, start=1)])


def _text(kappa: Floats, row: int, column: int) -> str:
    return f"{round(kappa[row, column], 2) + 0.0:.2f}"  # never -0.00
