"""Claim verification: precision, recall and F1, weighted by support.

Over the retrieved pairs that are in the gold, among each claim's first ``depth`` rows; unjudged
pairs are ignored. Per label, with TP, predicted and support counted over these pairs::

    precision = TP / predicted    recall = TP / support    F1 = 2 TP / (predicted + support)

each 0 where undefined; the value is the mean over labels, weighted by their support, the number
of these pairs whose gold label it is. Without a judged pair all three are 0.

Example: gold S S R, predicted S R R. S: P 1, R 1/2, F1 2/3; R: P 1/2, R 1, F1 2/3. Weighted:
precision (2 * 1 + 1 * 1/2) / 3 = .8333, recall (2 * 1/2 + 1 * 1) / 3 = .6667, F1 .6667.

Source: the shared task's overview paper, section on evaluation.
"""

import numpy as np

from climatecheck import edition
from climatecheck.metrics.counts import PRF, Weights, averaged, prf, weighted_sum
from climatecheck.metrics.judgements import Judged
from climatecheck.tables import NO_LABEL, Integers


def count(judged: Judged, *, depth: int = edition.VERIFICATION_DEPTH) -> Integers:
    """Return the confusion counts (claims, gold label, predicted label).

    >>> from climatecheck.metrics.example import gold, run
    >>> from climatecheck.metrics.judgements import judge
    >>> counts = count(judge(run("a b u c", labels="SRNR"), gold(supporting="ab", refuting="c")))
    >>> counts.tolist()
    [[[1, 1, 0], [0, 1, 0], [0, 0, 0]]]
    >>> print(" ".join(f"{value:.4f}" for value in weighted(counts)))
    0.8333 0.6667 0.6667
    """
    run = judged.run
    labels = len(edition.LABELS)
    counted = (judged.gold_label != NO_LABEL) & (run.label != NO_LABEL) & (run.position <= depth)
    cell = (run.claim[counted] * labels + judged.gold_label[counted]) * labels + run.label[counted]
    cells = np.bincount(cell, minlength=len(judged) * labels**2)
    return cells.reshape(len(judged), labels, labels)


def weighted(counts: Integers, weights: Weights = None) -> PRF:
    """Return precision, recall and F1, weighted by support; 0 without a judged pair."""
    confusion = weighted_sum(counts, weights)
    support = confusion.sum(axis=-1)
    correct = np.diagonal(confusion, axis1=-2, axis2=-1)
    return averaged(prf(correct, confusion.sum(axis=-2), support), support)
