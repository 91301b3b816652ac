"""Spearman's rank correlation with a permutation test."""

from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np

from climatecheck.tables import Floats, Integers

EXACT_UP_TO = 8
DRAWS = 100_000
SEED = 2026
_ROUNDING = 1e-9


class RankCorrelation(NamedTuple):
    """Spearman's rho of n pairs, its two-sided p, and whether p rests on all permutations.

    Both numbers are NaN where rho is undefined.
    """

    rho: float
    p: float
    n: int
    exact: bool


def spearman(first: Floats, second: Floats) -> RankCorrelation:
    """Return Pearson's correlation of the ranks, ties sharing their mean rank.

    Values that differ by no more than the rounding of a sum are tied.

    p is the share of permutations of the one side whose rho is at least as far from 0: of all n!
    of them up to n = ``EXACT_UP_TO``, else ``(b + 1) / (m + 1)`` of ``DRAWS`` = m seeded draws.
    Undefined for fewer than two pairs and where one side is constant.

    >>> result = spearman(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.1, 0.2, 0.5, 0.9]))
    >>> print(f"{result.rho:.2f} {result.p:.4f} {result.n}")  # 2 of 4! = 24 permutations
    1.00 0.0833 4
    """
    number = len(first)
    x, y = (_centred(_ranks(values)) for values in (first, second))
    length = np.sqrt((x @ x) * (y @ y))
    exact = number <= EXACT_UP_TO
    if number < 2 or length == 0:
        return RankCorrelation(np.nan, np.nan, number, exact)
    observed = float(x @ y)
    permuted = y[_orders(number)] @ x
    as_far = int(np.count_nonzero(np.abs(permuted) >= abs(observed) - _ROUNDING))
    p = as_far / len(permuted) if exact else (as_far + 1) / (len(permuted) + 1)
    return RankCorrelation(float(observed / length), p, number, exact)


def _ranks(values: Floats) -> Floats:
    """Return the rank of each value, from 0; equal values share their mean rank.

    >>> _ranks(np.array([0.3, 0.1, 0.1 + 0.2])).tolist()  # 0.30000000000000004
    [1.5, 0.0, 1.5]
    """
    order = np.argsort(values)
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.cumsum(np.diff(values[order], prepend=values[order][:1]) > _ROUNDING)
    times = np.bincount(place)
    mean: Floats = np.cumsum(times) - (times + 1) / 2
    return mean[place]


def _centred(values: Floats) -> Floats:
    return values - values.mean() if len(values) else values


@lru_cache(maxsize=4)
def _orders(number: int) -> Integers:
    """Return (permutations, number) all orders, or as many random ones as are drawn."""
    if number <= EXACT_UP_TO:
        return np.array(list(permutations(range(number))), dtype=np.int64)
    drawn = np.random.RandomState(SEED).random_sample((DRAWS, number))
    return np.argsort(drawn, axis=1)
