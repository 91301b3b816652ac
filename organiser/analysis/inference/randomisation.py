"""Randomisation tests that swap whole claims between systems and recompute the score.

Under the null hypothesis a claim's answers could have come from either system. *Pair by pair*
(Yeh 2000): each claim's answers are swapped between two systems or not, with probability 1/2, and
the two scores are computed anew. *All pairs at once* (Carterette 2012): each claim's answers are
dealt anew to all systems, and the greatest statistic over all pairs is kept; a pair's corrected
p-value is the share of draws whose greatest statistic reaches that of the pair. Both are two-sided,
with ``p = (b + 1) / (m + 1)`` where b of m draws reach what was observed.

The statistic of all pairs is the recomputed difference over the standard deviation that swapping
claims between these two systems gives it: ``z = |A - B| / sqrt(sum of (e_A - e_B)**2 over claims)``
with e the effect of a system's answer to a claim (``effects``). The plain difference would
judge all pairs by one yardstick: one system that is far off would hide the differences between all
others, and near copies would make the others' look certain. Whatever the statistic, the test is
exact if the null holds for all systems.

Sources: Yeh (2000), "More accurate tests for the statistical significance of result differences",
COLING; Carterette (2012), "Multiple testing in statistical analysis of systems-based information
retrieval experiments", ACM TOIS 30(1); Phipson and Smyth (2010), "Permutation p-values should never
be zero", Statistical Applications in Genetics and Molecular Biology 9(1), for the p-value.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from climatecheck.metrics.counts import ratio
from climatecheck.tables import Floats

DRAWS = 10_000
SEED = 2026
_AT_ONCE = 250
_ROUNDING = 1e-9

Value: TypeAlias = Callable[[Floats], Floats]
"""From sums of features, (..., features), to scores, (...)."""

Statistic: TypeAlias = Callable[[Floats, Floats], Floats]
"""From scores and effects to the statistic of each pair; see ``studentised``."""


def pairwise(features: Floats, value: Value, *, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """Return the p-value of each pair of systems, uncorrected.

    Args:
        features: (systems, claims, features); see ``organiser.analysis.inference.measures``.
        value: the score.
        draws: m.
        seed: of the draws; the same swaps serve all pairs.

    Returns:
        (systems, systems), symmetric, 1 on the diagonal.
    """
    systems, claims, _ = features.shape
    total = features.sum(axis=1)
    observed = np.abs(_differences(value(total)))
    reached = np.zeros((systems, systems))
    generator = np.random.RandomState(seed)
    for size in _sizes(draws):
        swap = generator.randint(0, 2, size=(size, claims)).astype(np.float64)
        held = swap @ features  # (systems, draws, features): what each hands over
        for i in range(systems):
            for j in range(i + 1, systems):
                moved = held[j] - held[i]
                difference = np.abs(value(total[i] + moved) - value(total[j] - moved))
                reached[i, j] += np.count_nonzero(difference >= observed[i, j] - _ROUNDING)
    return _p_values(reached + reached.T, draws)


def studentised(scores: Floats, effect: Floats) -> Floats:
    """Return (..., systems, systems) z; 0 where two systems' effects do not differ.

    Args:
        scores: (..., systems).
        effect: (..., systems, claims).
    """
    product = effect @ np.swapaxes(effect, -2, -1)
    square = np.diagonal(product, axis1=-2, axis2=-1)
    both = square[..., :, None] + square[..., None, :]
    variance = both - 2 * product
    variance[variance <= _ROUNDING * both] = 0
    return ratio(plain(scores, effect), np.sqrt(variance))


def plain(scores: Floats, effect: Floats) -> Floats:
    """Return (..., systems, systems) |A - B|; args as of ``studentised``."""
    return np.abs(_differences(scores))


def all_pairs(
    features: Floats,
    value: Value,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    statistic: Statistic = studentised,
) -> Floats:
    """Return the p-value of each pair, corrected over all pairs by the greatest statistic.

    Args:
        features: as of ``pairwise``.
        value: the score.
        draws: m.
        seed: of the draws.
        statistic: ``studentised`` or ``plain``.

    Returns:
        as of ``pairwise``.
    """
    effect = effects(features, value)
    systems, claims = effect.shape
    observed = statistic(value(features.sum(axis=1)), effect)
    greatest = []
    for dealt in _deals(systems, claims, draws, seed):
        held = [
            (dealt == system).reshape(-1, claims).astype(np.float64) @ features[system]
            for system in range(systems)
        ]
        scores = value(sum(held[1:], held[0])).reshape(-1, systems)
        dealt_effect = effect[dealt, np.arange(claims)]
        greatest.append(statistic(scores, dealt_effect).max(axis=(-2, -1)))
    sorted_greatest = np.sort(np.concatenate(greatest))
    below = np.searchsorted(sorted_greatest, observed * (1 - _ROUNDING))
    return _p_values((draws - below).astype(np.float64), draws)


def effects(features: Floats, value: Value) -> Floats:
    """Return (systems, claims) what a system's answer to a claim does to the score.

    In the average of all systems, one claim's features are replaced by those of the system; the
    effect is how much the score changes. Of a mean over claims it is the claim's deviation from the
    systems' mean, over the number of claims.

    >>> features = np.array([[[0.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]])
    >>> effects(features, lambda sums: sums[..., 0] / sums[..., 1]).tolist()
    [[-0.25, 0.0], [0.25, 0.0]]
    """
    average = features.mean(axis=0)
    total = average.sum(axis=0)
    return value(total + (features - average)) - value(total)


def _differences(scores: Floats) -> Floats:
    difference: Floats = scores[..., :, None] - scores[..., None, :]
    return difference


def _deals(systems: int, claims: int, draws: int, seed: int) -> Iterator[npt.NDArray[np.int16]]:
    """Yield (draws, systems, claims) whose answer each system is dealt, claim by claim."""
    generator = np.random.RandomState(seed)
    for size in _sizes(draws):
        order = np.argsort(generator.random_sample((size, claims, systems)), axis=-1)
        yield np.ascontiguousarray(np.swapaxes(order, 1, 2).astype(np.int16))


def _sizes(draws: int) -> Iterator[int]:
    for start in range(0, draws, _AT_ONCE):
        yield min(_AT_ONCE, draws - start)


def _p_values(reached: Floats, draws: int) -> Floats:
    p = (reached + 1) / (draws + 1)
    np.fill_diagonal(p, 1.0)
    return p
