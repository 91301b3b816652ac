"""How likely it is that a prediction tells as much of the gold as a file does."""

import math
from collections import Counter
from collections.abc import Iterable

_STEPS = [step / 10 for step in range(1, 301)]


def luck(chances: Iterable[float], hits: int) -> float:
    """Return an upper bound of the probability of at least so many hits.

    The hits are independent and each has its own chance; the bound is Chernoff's, ``min over t of
    exp(-t * hits) * product of (1 - p + p * exp(t))``, which is exact where everything is a hit.

    Args:
        chances: the chance of each hit, between 0 and 1.
        hits: how many were seen.

    >>> luck([0.5, 0.5, 0.5], 3) < 0.1251, luck([0.5] * 10, 5)
    (True, 1.0)
    """
    counts = Counter(chances)
    if hits <= sum(p * n for p, n in counts.items()):
        return 1.0
    return math.exp(min(0.0, min(_exponent(counts, hits, t) for t in _STEPS)))


def _exponent(counts: Counter[float], hits: int, t: float) -> float:
    return sum(n * math.log1p(p * math.expm1(t)) for p, n in counts.items()) - t * hits
