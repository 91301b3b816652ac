"""Recall@K.

Of one claim, with R evidentiary abstracts in the gold::

    Recall@K = (evidentiary abstracts among its first K rows) / R

The value of a run is the mean over the claims with R >= 1; a claim that the run leaves out counts
0. A claim with R > K cannot reach 1: its attainable maximum is ``min(K, R) / R``.

Example: R = 3 and the ranking ``x a u b y`` with a and b evidentiary give Recall@2 = 1/3 (at most
2/3) and Recall@5 = 2/3 (at most 1).

Source: the shared task's overview paper, section on evaluation.
"""

from dataclasses import dataclass

import numpy as np

from climatecheck import edition
from climatecheck.metrics.counts import Weights, mean_over_claims, ratio
from climatecheck.metrics.judgements import Judged
from climatecheck.tables import Floats, Integers


@dataclass(frozen=True)
class RecallCounts:
    """Counts of Recall@K.

    Attributes:
        hits: (claims,) evidentiary abstracts among the first K rows.
        relevant: (claims,) R.
        cutoff: K.
    """

    hits: Integers
    relevant: Integers
    cutoff: int


def count(judged: Judged, *, cutoff: int = edition.RECALL_CUTOFFS[-1]) -> RecallCounts:
    """Return the counts by claim.

    >>> from climatecheck.metrics.example import gold, run
    >>> from climatecheck.metrics.judgements import judge
    >>> judged = judge(run("x a u b y"), gold(supporting="abc", nonrelevant="wxyz"))
    >>> print(f"{recall(count(judged, cutoff=2)):.4f} {recall(count(judged, cutoff=5)):.4f}")
    0.3333 0.6667
    """
    counted = judged.evidentiary & (judged.run.position <= cutoff)
    return RecallCounts(judged.per_claim(counted), judged.relevant_of, cutoff)


def per_claim(counts: RecallCounts) -> Floats:
    """Return (claims,) Recall@K; NaN where R = 0."""
    return ratio(counts.hits, counts.relevant, undefined=np.nan)


def recall(counts: RecallCounts, weights: Weights = None) -> Floats:
    """Return the mean over the claims with R >= 1; NaN where there is none."""
    return mean_over_claims(per_claim(counts), weights)


def attainable(counts: RecallCounts, weights: Weights = None) -> Floats:
    """Return the greatest value that any run can reach: the mean of ``min(K, R) / R``.

    >>> counts = RecallCounts(np.array([0, 0]), np.array([3, 1]), cutoff=2)
    >>> print(f"{attainable(counts):.4f}")  # (2/3 + 1) / 2
    0.8333
    """
    most = np.minimum(counts.cutoff, counts.relevant)
    return mean_over_claims(ratio(most, counts.relevant, undefined=np.nan), weights)
