"""Krippendorff's alpha: of yes-or-no decisions on counts, and of answers by any distance.

Source: Krippendorff (2011), "Computing Krippendorff's alpha-reliability".
"""

import numpy as np

from climatecheck.tables import Booleans, Floats, Integers
from organiser.agreement.annotations import NOT_MADE

PAIRABLE, POSITIVE, DISAGREEMENT, DECISIONS, MARKS = range(5)


def counts(marks: Booleans, made: Booleans) -> Floats:
    """Return what alpha and prevalence are made of, by item and label.

    Args:
        marks: (annotators, items, labels).
        made: (annotators, items).

    Returns:
        (items, labels, 5): of items with two annotations or more, the decisions, the positive
        ones k, and the disagreement ``k (m - k) / (m - 1)`` among its m decisions; then, of every
        item, the decisions and the positive ones.
    """
    positive = marks.sum(axis=0).astype(np.float64)
    decisions = np.broadcast_to(made.sum(axis=0)[:, None].astype(np.float64), positive.shape)
    pairable = decisions > 1
    split = positive * (decisions - positive) / np.maximum(decisions - 1, 1)
    return np.stack(
        [decisions * pairable, positive * pairable, split * pairable, decisions, positive], axis=-1
    )


def alpha(summed: Floats) -> Floats:
    """Return alpha of yes-or-no decisions from summed counts, shape (..., 5) to (...).

    With n decisions, of which n1 are positive and n0 are not, and D summed over the items,
    ``alpha = 1 - (n - 1) D / (n1 n0)``. NaN where all decisions are alike: nothing could have
    been confused.

    >>> marks = np.array([[[1], [0], [1], [0]], [[1], [0], [0], [0]]], dtype=bool)
    >>> made = np.ones((2, 4), dtype=bool)
    >>> float(alpha(counts(marks, made).sum(axis=0))[0])  # 1 - 7 * 1 / (3 * 5)
    0.5333333333333333
    """
    n, n1 = summed[..., PAIRABLE], summed[..., POSITIVE]
    chance = n1 * (n - n1)
    defined = chance > 0
    chance = np.where(defined, chance, 1)
    return np.where(defined, 1 - (n - 1) * summed[..., DISAGREEMENT] / chance, np.nan)


def prevalence(summed: Floats) -> Floats:
    """Return the share of positive decisions, shape (..., 5) to (...); NaN without a decision."""
    decisions = summed[..., DECISIONS]
    return np.where(decisions > 0, summed[..., MARKS] / np.maximum(decisions, 1), np.nan)


def over_all(summed: Floats) -> Floats:
    """Return alpha over the decisions on all labels together, (..., labels, 5) to (...)."""
    return alpha(summed.sum(axis=-2))


def weighted_mean(summed: Floats) -> Floats:
    """Return the mean of the labels' alphas, weighted by prevalence, (..., labels, 5) to (...).

    A label without an alpha is left out. NaN if none has one.
    """
    values = alpha(summed)
    weights = np.where(np.isnan(values), 0, np.nan_to_num(prevalence(summed)))
    total = weights.sum(axis=-1)
    mean = (np.nan_to_num(values) * weights).sum(axis=-1) / np.where(total > 0, total, 1)
    return np.where(total > 0, mean, np.nan)


def nominal(values: int) -> Floats:
    """Return the (values, values) distances of values that are the same or not."""
    return 1 - np.eye(values)


def masi(sets: Booleans) -> Floats:
    """Return the (sets, sets) MASI distances of sets of labels.

    ``1 - m * shared / either``, by the numbers of labels that both hold and that either holds; m is
    1 for equal sets, 2/3 where one holds the other, 1/3 where each has something of its own beside
    what they share, and 0 where they share nothing.

    Source: Passonneau (2006), "Measuring agreement on set-valued items (MASI) for semantic and
    pragmatic annotation".

    >>> sets = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]], dtype=bool)
    >>> masi(sets).round(3).tolist()  # 1 - 1/2 * 2/3; 1 - 1/3 * 1/3
    [[0.0, 0.667, 1.0], [0.667, 0.0, 0.889], [1.0, 0.889, 0.0]]
    """
    members = sets.astype(np.float64)
    size = members.sum(axis=-1)
    both = members @ members.T
    either = size[:, None] + size[None, :] - both
    least, most = np.minimum(size[:, None], size[None, :]), np.maximum(size[:, None], size[None, :])
    kind = np.select([both == most, both == least, both > 0], [1, 2 / 3, 1 / 3], 0)
    distance: Floats = 1 - np.where(either > 0, both / np.maximum(either, 1), 1) * kind
    return distance


def alpha_by_distance(answer: Integers, distance: Floats) -> tuple[Floats, Floats]:
    """Return alpha of answers between which there is a distance, and alpha without each item.

    With n answers to items that have two or more, ``alpha = 1 - (n - 1) O / E``: O sums over the
    items the distances of all ordered pairs of their m answers, over m - 1; E sums the distances
    of all ordered pairs of the n answers.

    Args:
        answer: (annotators, items) which value was given, ``NOT_MADE`` where none was.
        distance: (values, values), symmetric, 0 on the diagonal.

    Returns:
        alpha, shape (), and (items,) alpha with each item left out; NaN where all answers are the
        same or no item has two.
    """
    made = answer != NOT_MADE
    made &= made.sum(axis=0) > 1
    number = made.sum(axis=0)
    if not number.any():
        return np.array(np.nan), np.full(answer.shape[1], np.nan)
    frequency = np.bincount(answer[made], minlength=len(distance)).astype(np.float64)
    to_all = distance @ frequency
    within = np.zeros(answer.shape[1])
    against = np.zeros(answer.shape[1])
    for one, is_made in zip(answer, made, strict=True):
        against += np.where(is_made, to_all[one], 0)
        for other, is_other_made in zip(answer, made, strict=True):
            within += np.where(is_made & is_other_made, distance[one, other], 0)
    observed = within / np.maximum(number - 1, 1)
    expected = frequency @ to_all
    return (
        _alpha(number.sum(), observed.sum(), expected),
        _alpha(number.sum() - number, observed.sum() - observed, expected - 2 * against + within),
    )


def _alpha(n: Integers, observed: Floats, expected: Floats) -> Floats:
    defined = expected > 1e-9
    return np.where(defined, 1 - (n - 1) * observed / np.where(defined, expected, 1), np.nan)
