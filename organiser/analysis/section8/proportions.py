"""Intervals of proportions."""

from statistics import NormalDist

import numpy as np

from organiser.reporting.parts import Interval

CONFIDENCE = 0.95


def wilson(successes: int, trials: int, *, confidence: float = CONFIDENCE) -> Interval | None:
    """Return the Wilson score interval of a proportion; None without a trial.

    The bounds are ``(k + z²/2 ± z sqrt(k (n - k) / n + z²/4)) / (n + z²)``.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association.

    >>> [round(bound, 4) for bound in wilson(8, 10)]
    [0.4902, 0.9433]
    >>> wilson(0, 0) is None
    True
    """
    if trials == 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    spread = z * np.sqrt(successes * (trials - successes) / trials + z**2 / 4)
    middle, total = successes + z**2 / 2, trials + z**2
    low, high = float((middle - spread) / total), float((middle + spread) / total)
    return low if successes else 0.0, high if successes < trials else 1.0
