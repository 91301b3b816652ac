"""Percentile bootstrap intervals over claims.

The claims are drawn with replacement, as many as there are; each resample weighs the counts of a
claim by how often it was drawn, so the same functions give the official value and its resamples,
and the label set of a macro average is formed anew in each.

Source: Efron and Tibshirani (1993), "An Introduction to the Bootstrap", chapter 13.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from climatecheck.tables import Floats, Integers

RESAMPLES = 1_000
SEED = 2026
CONFIDENCE = 0.95
_CELLS_AT_ONCE = 5_000_000

Interval: TypeAlias = tuple[float, float]


def resamples(claims: int, *, number: int = RESAMPLES, seed: int = SEED) -> Iterator[Integers]:
    """Yield how often each resample draws each claim, in parts of shape (resamples, claims).

    The parts keep the memory small; together they have ``number`` rows, each with the sum
    ``claims``. The same seed gives the same draws under every version of numpy.
    """
    generator = np.random.RandomState(seed)  # its stream is frozen, unlike that of default_rng
    at_once = max(1, _CELLS_AT_ONCE // max(claims, 1))
    for start in range(0, number, at_once):
        size = min(at_once, number - start)
        drawn = generator.randint(0, claims, size=(size, claims))
        drawn += np.arange(size)[:, None] * claims
        yield np.bincount(drawn.ravel(), minlength=size * claims).reshape(size, claims)


def intervals(
    values: Callable[[Integers], Mapping[str, Floats]],
    claims: int,
    *,
    number: int = RESAMPLES,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
) -> dict[str, Interval]:
    """Return the percentile interval of each of several values.

    Args:
        values: from weights of shape (resamples, claims) to named arrays of shape (resamples,).
        claims: how many claims there are; at least 1.
        number: how many resamples.
        seed: of the draws.
        confidence: between 0 and 1.

    Returns:
        lower and upper bound by name. Resamples in which a value is NaN are left out; if it is
        NaN in all, so are the bounds.
    """
    parts = [values(weights) for weights in resamples(claims, number=number, seed=seed)]
    tails = [100 * (1 - confidence) / 2, 100 * (1 + confidence) / 2]
    found: dict[str, Interval] = {}
    for name in parts[0]:
        drawn = np.concatenate([np.atleast_1d(part[name]) for part in parts])
        drawn = drawn[~np.isnan(drawn)]
        low, high = np.percentile(drawn, tails) if len(drawn) else (np.nan, np.nan)
        found[name] = (float(low), float(high))
    return found
