"""Intervals of values that come from counts of items: the jackknife, one item left out at a time.

Source: Efron and Stein (1981), "The jackknife estimate of variance", Annals of Statistics 9(3).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from climatecheck.tables import Booleans, Floats, Integers
from organiser.reporting.parts import Interval

CONFIDENCE = 0.95
_NO_SPREAD = 1e-9


@dataclass(frozen=True)
class Estimate:
    """Values with their intervals; all arrays have one shape, NaN is undefined.

    Attributes:
        value: over all items.
        low, high: the bounds of the interval, kept within what the value can be.
        lost: how many items there are without which the value is undefined; if any, there is no
            interval.
        still: whether every item can be left out without a change; no interval either, for one of
            no width would say that the value is sure.
    """

    value: Floats
    low: Floats
    high: Floats
    lost: Integers
    still: Booleans

    def at(self, place: int) -> tuple[float | None, Interval | None]:
        """Return a value and its interval as cells of a table."""
        value, low, high = (float(part[place]) for part in (self.value, self.low, self.high))
        return None if np.isnan(value) else value, None if np.isnan(low) else (low, high)


def jackknife(
    counts: Floats, ratio: Callable[[Floats], Floats], limits: Interval = (-1.0, 1.0)
) -> Estimate:
    """Return what ``ratio`` makes of counts, with intervals.

    Args:
        counts: (items, ..., kinds), to be summed over the items.
        ratio: from (..., kinds) to (...), NaN where undefined.
        limits: the least and the greatest possible value.

    >>> counts = np.array([[1.0, 1], [0, 1], [1, 1], [0, 1]])
    >>> made = jackknife(counts, lambda summed: summed[..., 0] / summed[..., 1])
    >>> made.at(0)[0], [round(bound, 3) for bound in made.at(0)[1]]  # 0.5 ± 3.182 * sqrt(1 / 12)
    (0.5, [-0.419, 1.0])
    """
    total = counts.sum(axis=0)
    return estimate(ratio(total), ratio(total - counts), limits)


def estimate(value: Floats, without: Floats, limits: Interval = (-1.0, 1.0)) -> Estimate:
    """Return values with intervals: the value ± t times the jackknife's standard error.

    The variance is ``(n - 1) / n`` times the sum of squares of the values without an item around
    their mean; t is the quantile of Student's distribution with n - 1 degrees of freedom.

    Args:
        value: (...) over all items.
        without: (items, ...) with each item left out.
        limits: the least and the greatest possible value.
    """
    from scipy.stats import t

    value = np.atleast_1d(value)
    without = without.reshape(len(without), *value.shape)
    items = len(without)
    lost = np.isnan(without).sum(axis=0)
    known = items > 1 and (lost == 0)
    mean = without.mean(axis=0)
    squares = ((without - mean) ** 2).sum(axis=0)
    still = known & (np.ptp(without, axis=0) < _NO_SPREAD)
    usable = known & ~still & ~np.isnan(value)
    reach = t.ppf((1 + CONFIDENCE) / 2, max(items - 1, 1)) * np.sqrt((items - 1) / items * squares)
    low = np.where(usable, np.maximum(value - reach, limits[0]), np.nan)
    high = np.where(usable, np.minimum(value + reach, limits[1]), np.nan)
    return Estimate(value, low, high, np.where(np.isnan(value), 0, lost), still)
