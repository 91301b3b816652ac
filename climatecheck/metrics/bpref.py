"""Bpref as the shared task defines it.

Of one claim, with R evidentiary abstracts in the gold::

    Bpref = 1/R * sum over retrieved evidentiary r of (1 - n(r) / R)

where n(r) is how many of the first R judged non-relevant abstracts that the run retrieved stand
above r. Unjudged abstracts play no part. The value of a run is the mean over the claims with
R >= 1; a claim that the run leaves out counts 0.

The inner denominator is R. The one of trec_eval, and of every library that follows it, is
min(R, N) with N judged non-relevant abstracts; the two differ where N < R. Examples, with x and y
judged non-relevant, a and b evidentiary, u unjudged::

    R  N  ranking      here                               trec_eval
    3  4  x a u b y    ((1 - 1/3) + (1 - 1/3)) / 3 = .4444    .4444
    4  2  x a y b u    ((1 - 1/4) + (1 - 2/4)) / 4 = .3125    .1250
    2  0  u a u b u    (1 + 1) / 2                 = 1        1
    0  3  any          left out                               0
    6  5  x y a u b    ((1 - 2/6) + (1 - 2/6)) / 6 = .2222    .2000

Sources: the shared task's overview paper, section on evaluation; Buckley and Voorhees (2004),
"Retrieval evaluation with incomplete information", SIGIR.
"""

from dataclasses import dataclass

import numpy as np

from climatecheck import edition
from climatecheck.metrics.counts import Weights, mean_over_claims, ratio
from climatecheck.metrics.judgements import Judged
from climatecheck.tables import Booleans, Floats, Integers


@dataclass(frozen=True)
class BprefCounts:
    """Counts of Bpref.

    Attributes:
        preferred: (claims,) sum over retrieved evidentiary r of R - n(r).
        relevant: (claims,) R.
    """

    preferred: Integers
    relevant: Integers


def count(judged: Judged, *, depth: int = edition.BPREF_DEPTH) -> BprefCounts:
    """Return the counts by claim over its first ``depth`` rows.

    >>> from climatecheck.metrics.example import gold, run
    >>> from climatecheck.metrics.judgements import judge
    >>> judged = judge(run("x a y b u"), gold(supporting="abcd", nonrelevant="xy"))
    >>> counts = count(judged)
    >>> counts.preferred.tolist(), counts.relevant.tolist()  # (4 - 1) + (4 - 2), 4
    ([5], [4])
    >>> print(f"{bpref(counts):.4f}")  # 5 / 16
    0.3125
    """
    counted = judged.evidentiary & (judged.run.position <= depth)
    claim = judged.run.claim[counted]
    relevant = judged.relevant_of[claim]
    above = np.minimum(_nonrelevant_above(judged, counted), relevant)
    preferred = np.bincount(claim, weights=relevant - above, minlength=len(judged))
    return BprefCounts(preferred.astype(np.int64), judged.relevant_of)


def per_claim(counts: BprefCounts) -> Floats:
    """Return (claims,) Bpref; NaN where R = 0."""
    return ratio(counts.preferred, counts.relevant**2, undefined=np.nan)


def bpref(counts: BprefCounts, weights: Weights = None) -> Floats:
    """Return the mean over the claims with R >= 1; NaN where there is none."""
    return mean_over_claims(per_claim(counts), weights)


def _nonrelevant_above(judged: Judged, rows: Booleans) -> Integers:
    """Return, for each of the chosen rows, how many judged non-relevant ones stand above."""
    running: Integers = np.concatenate([[0], np.cumsum(judged.nonrelevant)])
    row = np.flatnonzero(rows)
    first_of_claim = row - (judged.run.position[row] - 1)
    above: Integers = running[row] - running[first_of_claim]
    return above
