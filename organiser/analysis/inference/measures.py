"""The official scores as functions of sums over claims, for statistics that recompute them often.

Each claim of a system has a row of *features*, and a score is a function of their sum over claims.
Taking claims away, drawing them with replacement and swapping them between systems are then sums of
features; the values equal those of ``climatecheck.scoring.board_values`` for the same weights.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from climatecheck import bootstrap, edition
from climatecheck.metrics import bpref, recall
from climatecheck.metrics.counts import averaged, prf, ratio
from climatecheck.results.official import EXPLAINED
from climatecheck.scoring import Counts
from climatecheck.tables import Floats
from organiser.analysis.systems import TASKS, Evaluation, official_column

_LABELS = len(edition.LABELS)


@dataclass(frozen=True)
class Measure:
    """An official score.

    Attributes:
        task: ``1.1``, ``1.2`` or ``2``.
        features: from the counts of a system that entered the task to (claims, features).
        value: from sums of features, (..., features), to scores, (...).
        linear: whether it is a mean over claims, the same claims for all systems.
    """

    task: str
    features: Callable[[Counts], Floats]
    value: Callable[[Floats], Floats]
    linear: bool = False

    @property
    def column(self) -> str:
        """The board's column."""
        return official_column(self.task)

    @property
    def title(self) -> str:
        """The score's name, as people read it."""
        return EXPLAINED[self.column][0]


@dataclass(frozen=True)
class Field:
    """The systems that entered a task, the best first.

    Attributes:
        measure: the task's official score.
        teams: (systems,) their names.
        features: (systems, claims, features).
    """

    measure: Measure
    teams: tuple[str, ...]
    features: Floats

    def __len__(self) -> int:
        return len(self.teams)

    @property
    def claims(self) -> int:
        """How many claims there are."""
        return int(self.features.shape[1])

    @cached_property
    def scores(self) -> Floats:
        """(systems,) the official scores."""
        return self.measure.value(self.features.sum(axis=1))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of systems, the one that stands higher first."""
        return [(i, j) for i in range(len(self)) for j in range(i + 1, len(self))]

    def weighted(self, weights: Floats) -> Floats:
        """Return (resamples, systems) scores for weights of shape (resamples, claims)."""
        sums = weights @ self.features  # (systems, resamples, features)
        scores: Floats = self.measure.value(sums).T
        return scores

    def resampled(self, number: int = bootstrap.RESAMPLES, seed: int = bootstrap.SEED) -> Floats:
        """Return (resamples, systems) bootstrap scores, all systems on the same claims."""
        drawn = bootstrap.resamples(self.claims, number=number, seed=seed)
        return np.concatenate([self.weighted(part.astype(np.float64)) for part in drawn])


def field_of(evaluation: Evaluation, measure: Measure) -> Field:
    """Return the systems that entered the measure's task."""
    systems = evaluation.entered(measure.task)
    features = [measure.features(system.scores.counts) for system in systems]
    return Field(measure, tuple(s.team for s in systems), np.array(features))


def fields(evaluation: Evaluation, *, least: int = 2) -> list[Field]:
    """Return the systems of each task that at least so many of them entered."""
    found = (MEASURES[task] for task in TASKS if len(evaluation.entered(task)) >= least)
    return [field_of(evaluation, measure) for measure in found]


def _retrieval(counts: Counts) -> Floats:
    """Return (claims, 2): (Recall@K + Bpref) / 2, and whether that is defined."""
    assert counts.retrieval is not None
    found = recall.per_claim(counts.retrieval.recall[edition.score_cutoff()])
    return _averaged_claims((found + bpref.per_claim(counts.retrieval.bpref)) / 2)


def _verification(counts: Counts) -> Floats:
    """Return (claims, labels**2 + 2): the confusion counts, and Recall@K as above."""
    assert counts.retrieval is not None and counts.verification is not None
    found = recall.per_claim(counts.retrieval.recall[edition.score_cutoff()])
    confusion = counts.verification.reshape(len(found), -1)
    return np.column_stack([confusion, _averaged_claims(found)])


def _narratives(counts: Counts) -> Floats:
    """Return (claims, 3 * codes): tp, fp and fn of the codes that occur in the gold."""
    assert counts.narratives is not None
    parts = (counts.narratives.tp, counts.narratives.fp, counts.narratives.fn)
    occurs = (parts[0] | parts[2]).any(axis=0)
    return np.column_stack([part[:, occurs] for part in parts]).astype(np.float64)


def _averaged_claims(values: Floats) -> Floats:
    defined = ~np.isnan(values)
    return np.column_stack([np.where(defined, values, 0.0), defined])


def _mean(sums: Floats) -> Floats:
    return ratio(sums[..., 0], sums[..., 1], undefined=np.nan)


def _f1_and_recall(sums: Floats) -> Floats:
    confusion = sums[..., :-2].reshape(*sums.shape[:-1], _LABELS, _LABELS)
    support = confusion.sum(axis=-1)
    correct = np.diagonal(confusion, axis1=-2, axis2=-1)
    f1: Floats = averaged(prf(correct, confusion.sum(axis=-2), support), support).f1
    return f1 + _mean(sums[..., -2:])


def _macro_f1(sums: Floats) -> Floats:
    tp, fp, fn = np.moveaxis(sums.reshape(*sums.shape[:-1], 3, -1), -2, 0)
    # Sums that add and subtract claims may leave a support of 1e-16 where it should be 0; features
    # are whole numbers, so it is at least 1 or it is none (or, of an average of systems, more
    # than none).
    return averaged(prf(tp, tp + fp, tp + fn), tp + fn > 1e-9).f1


MEASURES = {
    "1.1": Measure("1.1", _retrieval, _mean, linear=True),
    "1.2": Measure("1.2", _verification, _f1_and_recall),
    "2": Measure("2", _narratives, _macro_f1),
}
"""The official scores by task."""
