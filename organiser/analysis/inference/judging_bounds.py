"""The least and greatest Recall@K and Bpref over all ways to judge a claim's pool: exact.

Of one system and claim, let a of its own unjudged rows and b abstracts of the pool that it does not
rank be judged evidentiary, so that R grows by a + b. For any a and b:

- the greatest value has the a evidentiary ones at its topmost unjudged rows and leaves the others
  unjudged: moving an evidentiary abstract up never puts a non-relevant one above it, and a
  non-relevant one never helps;
- the least value has them at the bottommost unjudged rows and the others judged non-relevant.

Both hold for Recall@K and for Bpref at once, so for their mean too, and all a and b are tried.
A larger R can raise Bpref (``(R - n) / R**2`` grows with R while R < 2n), so b matters both ways.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from climatecheck.tables import Booleans, Floats, Integers
from organiser.analysis.inference.unjudged import (
    EVIDENTIARY,
    NONRELEVANT,
    UNJUDGED,
    Rankings,
    States,
    from_bottom,
    from_top,
    values,
)

Range: TypeAlias = tuple[Floats, Floats]
"""Least and greatest values, an array each."""

_Pick: TypeAlias = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True)
class ClaimRanges:
    """By system and claim, (systems, claims) each; NaN where no judging gives R >= 1."""

    recall: Range
    bpref: Range
    score: Range


def claim_ranges(rankings: Rankings) -> ClaimRanges:
    """Return the exact ranges of Recall@K, Bpref and their mean, Score1.1."""
    least = _extremes(rankings, greatest=False)
    greatest = _extremes(rankings, greatest=True)
    return ClaimRanges(*zip(least, greatest, strict=True))


def mean_range(least: Floats, greatest: Floats, always: Booleans) -> tuple[float, float]:
    """Return the exact range of a mean over claims of which some may or may not count.

    Claims are judged independently, so every claim can reach its bound at once.

    Args:
        least: (claims,) lower bounds where the claim counts; NaN where it cannot.
        greatest: (claims,) upper bounds, likewise.
        always: (claims,) whether it counts anyway (R >= 1 in the gold); the others count only if
            judging finds an evidentiary abstract. At least one claim must be able to count.

    >>> mean_range(np.array([0.2, 0.0]), np.array([0.4, 1.0]), np.array([True, False]))
    (0.1, 0.7)
    """
    return -_greatest_mean(-least, always), _greatest_mean(greatest, always)


def _greatest_mean(value: Floats, always: Booleans) -> float:
    fixed = value[always]
    optional = value[~always]
    optional = np.sort(optional[~np.isnan(optional)])[::-1]
    sums = fixed.sum() + np.concatenate([[0.0], np.cumsum(optional)])
    sizes = len(fixed) + np.arange(len(sums))
    return float((sums[sizes > 0] / sizes[sizes > 0]).max())


def _extremes(rankings: Rankings, *, greatest: bool) -> tuple[Floats, Floats, Floats]:
    """Return (systems, claims) extremes of Recall@K, Bpref and their mean."""
    pick: _Pick = np.fmax if greatest else np.fmin
    free = rankings.state == UNJUDGED
    own = np.count_nonzero(free, axis=-1)
    place = from_top(free) if greatest else from_bottom(free)
    found = [np.full(own.shape, np.nan) for _ in range(3)]
    for a in range(int(own.max(initial=0)) + 1):
        state = _judged(rankings.state, free & (place <= a), free, greatest=greatest)
        for b in range(int(rankings.outside.max(initial=0)) + 1):
            possible = (a <= own) & (b <= rankings.outside)
            relevant = np.where(possible, rankings.relevant + a + b, 0)
            tried = _three(state, relevant)
            found = [pick(old, new) for old, new in zip(found, tried, strict=True)]
    return found[0], found[1], found[2]


def _judged(state: States, evidentiary: Booleans, free: Booleans, *, greatest: bool) -> States:
    rest = UNJUDGED if greatest else NONRELEVANT
    judged: States = np.where(evidentiary, EVIDENTIARY, np.where(free, rest, state)).astype(np.int8)
    return judged


def _three(state: States, relevant: Integers) -> tuple[Floats, Floats, Floats]:
    recall, bpref = values(state, relevant)
    return recall, bpref, (recall + bpref) / 2
