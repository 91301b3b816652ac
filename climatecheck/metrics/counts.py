"""From counts by claim to values: weighted sums, and ratios last.

Weights are None (each claim counts once), an array of shape (claims,), or one of shape
(resamples, claims) for a bootstrap: the number of times that each resample drew each claim. For a
randomisation test that swaps whole claims between two systems, join the two systems' counts along
the first axis, and weigh each claim 1 in the one and 0 in the other.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from climatecheck.tables import Floats

Numbers: TypeAlias = npt.NDArray[Any]
Weights: TypeAlias = npt.NDArray[Any] | None


class PRF(NamedTuple):
    """Precision, recall and F1; each a number, or an array of shape (resamples,)."""

    precision: Floats
    recall: Floats
    f1: Floats


def weighted_sum(counts: Numbers, weights: Weights = None) -> Floats:
    """Return counts of shape (claims, ...) summed over the claims.

    Returns:
        shape (...), or (resamples, ...) for weights of shape (resamples, claims).

    >>> weighted_sum(np.array([[1, 0], [2, 5]]), np.array([[1, 1], [0, 2]])).tolist()
    [[3.0, 5.0], [4.0, 10.0]]
    """
    if weights is None:
        return np.asarray(counts.sum(axis=0), dtype=np.float64)[()]
    flat = counts.reshape(len(counts), -1).astype(np.float64)
    summed: Floats = weights.astype(np.float64) @ flat
    return summed.reshape(weights.shape[:-1] + counts.shape[1:])[()]


def ratio(numerator: Numbers, denominator: Numbers, *, undefined: float = 0.0) -> Floats:
    """Return numerator / denominator, and ``undefined`` where the denominator is 0.

    >>> ratio(np.array([1, 0]), np.array([4, 0])).tolist()
    [0.25, 0.0]
    """
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    quotient = np.full(shape, undefined)
    np.divide(numerator, denominator, out=quotient, where=np.not_equal(denominator, 0))
    return quotient[()]


def prf(true_positives: Numbers, predicted: Numbers, support: Numbers) -> PRF:
    """Return precision, recall and F1 elementwise; 0 where undefined.

    ``F1 = 2 TP / (predicted + support)``, the harmonic mean of precision and recall.

    Args:
        true_positives: how many were predicted and are in the gold.
        predicted: how many were predicted.
        support: how many are in the gold.

    >>> tuple(float(value) for value in prf(np.array(1), np.array(2), np.array(4)))
    (0.5, 0.25, 0.3333333333333333)
    """
    return PRF(
        precision=ratio(true_positives, predicted),
        recall=ratio(true_positives, support),
        f1=ratio(2 * true_positives, predicted + support),
    )


def averaged(values: PRF, over: Numbers) -> PRF:
    """Return the mean over the last axis, each label weighted by ``over``; 0 if all weigh 0.

    >>> ones = np.array([1.0, 0.0])
    >>> float(averaged(PRF(ones, ones, ones), np.array([3, 1])).f1)
    0.75
    """
    total = over.sum(axis=-1)
    return PRF(*(ratio((value * over).sum(axis=-1), total) for value in values))


def mean_over_claims(values: Floats, weights: Weights = None) -> Floats:
    """Return the mean over the claims that have a value.

    Args:
        values: (claims,) the value of each claim; NaN where it is undefined, so left out.
        weights: see the module.

    Returns:
        the mean, or (resamples,) means; NaN where no claim with a value has any weight.

    >>> float(mean_over_claims(np.array([1.0, np.nan, 0.0, 0.5])))
    0.5
    """
    defined = ~np.isnan(values)
    total = weighted_sum(np.where(defined, values, 0.0), weights)
    return ratio(total, weighted_sum(defined, weights), undefined=np.nan)
