"""Agreement of two annotators on counts: Cohen's kappa and positive agreement.

Sources: Cohen (1960), "A coefficient of agreement for nominal scales"; Cicchetti and Feinstein
(1990), "High agreement but low kappa: II. Resolving the paradoxes".
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from climatecheck.tables import Booleans, Floats, Integers
from organiser.agreement.annotations import NOT_MADE, Annotations
from organiser.agreement.jackknife import Estimate, estimate
from organiser.reporting.parts import Interval

Pair = tuple[int, int]


def pairs_of(made: Booleans) -> Iterator[Pair]:
    """Yield the pairs of annotators that have an item in common."""
    for one, other in combinations(range(len(made)), 2):
        if (made[one] & made[other]).any():
            yield one, other


def counts(annotations: Annotations, pair: Pair) -> Floats:
    """Return (items, labels, 4): given by both, by the first alone, by the second alone, by none.

    All four are 0 where one of both has not annotated the item.
    """
    one, other = annotations.marks[pair[0]], annotations.marks[pair[1]]
    both_made = (annotations.made[pair[0]] & annotations.made[pair[1]])[:, None]
    table = np.stack([one & other, one & ~other, ~one & other, ~one & ~other], axis=-1)
    counted: Floats = (table & both_made[..., None]).astype(np.float64)
    return counted


def kappa(summed: Floats) -> Floats:
    """Return Cohen's kappa from the four counts, (..., 4) to (...).

    ``2 (ad - bc) / ((a + b)(b + d) + (a + c)(c + d))``. NaN where both annotators always decide
    alike and the same: chance alone would agree as well.

    >>> float(kappa(np.array([20.0, 5, 10, 15])))  # observed 0.7, expected 0.5
    0.4
    """
    a, b, c, d = np.moveaxis(summed, -1, 0)
    bottom = (a + b) * (b + d) + (a + c) * (c + d)
    return np.where(bottom > 0, 2 * (a * d - b * c) / np.where(bottom > 0, bottom, 1), np.nan)


def positive_agreement(summed: Floats) -> Floats:
    """Return 2TP / (2TP + FP + FN) from the four counts; NaN where neither gave the label.

    >>> float(positive_agreement(np.array([20.0, 5, 10, 15])))  # 40 / 55
    0.7272727272727273
    """
    a, b, c, _ = np.moveaxis(summed, -1, 0)
    bottom = 2 * a + b + c
    return np.where(bottom > 0, 2 * a / np.where(bottom > 0, bottom, 1), np.nan)


@dataclass(frozen=True)
class Mean:
    """A measure's mean over the pairs of annotators, by label.

    Attributes:
        estimate: of the mean.
        undefined: (labels,) how many pairs have no value.
        of_defined: (labels,) the mean over the others; NaN without any.
        pairs: how many pairs there are.
    """

    estimate: Estimate
    undefined: Integers
    of_defined: Floats
    pairs: int


def mean_over_pairs(
    annotations: Annotations,
    measure: Callable[[Floats], Floats],
    *,
    strict: bool,
    limits: Interval = (-1.0, 1.0),
) -> Mean:
    """Return the mean of a measure over the pairs of annotators that have an item in common.

    Args:
        annotations: of two annotators or more.
        measure: from the four counts to a value.
        strict: whether the mean is undefined as soon as it is for one pair; else such pairs are
            left out.
        limits: the least and the greatest possible value.
    """
    items, labels = len(annotations.items), len(annotations.labels)
    total, defined = np.zeros((items + 1, labels)), np.zeros((items + 1, labels))
    pairs = list(pairs_of(annotations.made))
    for pair in pairs:
        table = counts(annotations, pair)
        summed = table.sum(axis=0)
        values = measure(np.concatenate([summed[None], summed - table]))
        total += np.nan_to_num(values)
        defined += ~np.isnan(values)
    enough = (defined == len(pairs)) & (len(pairs) > 0) if strict else defined > 0
    mean = np.where(enough, total / np.maximum(defined, 1), np.nan)
    of_defined = np.where(defined[0] > 0, total[0] / np.maximum(defined[0], 1), np.nan)
    undefined = (len(pairs) - defined[0]).astype(np.int64)
    return Mean(estimate(mean[0], mean[1:], limits), undefined, of_defined, len(pairs))


def pooled_positive_agreement(annotations: Annotations) -> Floats:
    """Return (labels,) positive agreement over the counts of all pairs together."""
    total = np.zeros((len(annotations.labels), 4))
    for pair in pairs_of(annotations.made):
        total += counts(annotations, pair).sum(axis=0)
    return positive_agreement(total)


def flat_kappa(annotations: Annotations, pair: Pair) -> Estimate:
    """Return kappa of a pair over the decisions on all labels together, shape (1,)."""
    table = counts(annotations, pair).sum(axis=1)
    summed = table.sum(axis=0)
    return estimate(kappa(summed), kappa(summed - table))


def same_answer(annotations: Annotations, pair: Pair) -> Estimate:
    """Return the share of the common items to which a pair gives the very same labels."""
    both = annotations.made[pair[0]] & annotations.made[pair[1]]
    same = (annotations.marks[pair[0]] == annotations.marks[pair[1]]).all(axis=-1) & both
    number, hits = both.sum(), same.sum()
    without = np.where(number > both, (hits - same) / np.maximum(number - both, 1), np.nan)
    return estimate(hits / number, without, (0.0, 1.0))


def nominal_kappa(answer: Integers, pair: Pair, values: int) -> Estimate:
    """Return Cohen's kappa of a pair over single answers.

    Args:
        answer: (annotators, items) which value was given, ``NOT_MADE`` where none was.
        pair: the annotators.
        values: how many values there are.
    """
    one, other = answer[pair[0]], answer[pair[1]]
    both = ((one != NOT_MADE) & (other != NOT_MADE))[:, None]
    own = (one[:, None] == np.arange(values)) & both
    others = (other[:, None] == np.arange(values)) & both
    table = np.concatenate([own, others, (own & others).any(axis=1, keepdims=True)], axis=1)
    summed = table.sum(axis=0).astype(np.float64)
    return estimate(_nominal(summed), _nominal(summed - table))


def _nominal(summed: Floats) -> Floats:
    """Return kappa from both margins and the number of agreements, (..., 2 values + 1) to (...)."""
    one, other = np.split(summed[..., :-1], 2, axis=-1)
    n = one.sum(axis=-1)
    by_chance = (one * other).sum(axis=-1)
    bottom = n * n - by_chance
    return np.where(
        bottom > 0, (n * summed[..., -1] - by_chance) / np.where(bottom > 0, bottom, 1), np.nan
    )
