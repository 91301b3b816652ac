"""Narrative classification: macro, micro and weighted precision, recall and F1.

Over all claims of the gold and all codes; a claim that the file leaves out counts as predicted
empty. Per code, with TP, predicted and support counted over claims::

    precision = TP / predicted    recall = TP / support    F1 = 2 TP / (predicted + support)

each 0 where undefined. *Macro* is their plain mean over a set of codes: officially those that
occur in the gold, which is one denominator for every system. *Weighted* is the mean over codes,
weighted by support. *Micro* takes the three formulas over the sums of all codes.

Example: gold ``1_1``, ``1_1;2_1``, ``0_0``; predicted ``1_1``, ``2_1``, ``5_0``. Code 1_1: P 1,
R 1/2, F1 2/3; 2_1: 1, 1, 1; 0_0: 0, 0, 0; 5_0, predicted alone: 0, 0, 0. Macro-F1 is
(2/3 + 1 + 0) / 3 = .5556 over the gold's codes, (5/3) / 4 = .4167 over gold-or-predicted ones.
Micro: TP 2, predicted 3, support 4: F1 4/7 = .5714. Weighted F1: (2 * 2/3 + 1 + 0) / 4 = .5833.

Source: the shared task's overview paper, section on evaluation.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from climatecheck.metrics.counts import PRF, Weights, averaged, prf, weighted_sum
from climatecheck.tables import Booleans, Floats, Gold, Task2

LabelSet: TypeAlias = Literal["gold", "gold_or_predicted", "all"]


@dataclass(frozen=True)
class NarrativeCounts:
    """Counts of task 2; a claim without gold narratives is False throughout.

    Attributes:
        tp, fp, fn: (claims, codes) codes rightly predicted, wrongly predicted, missed.
        evaluated: (claims,) whether the claim has gold narratives.
    """

    tp: Booleans
    fp: Booleans
    fn: Booleans
    evaluated: Booleans

    @property
    def exact(self) -> Booleans:
        """(claims,) whether all codes of an evaluated claim are right."""
        return self.evaluated & ~(self.fp.any(axis=1) | self.fn.any(axis=1))


def count(predicted: Task2, gold: Gold) -> NarrativeCounts:
    """Return the counts by claim and code.

    >>> from climatecheck.metrics.example import narrative_gold, narratives
    >>> counts = count(narratives("1_1", "2_1", "5_0"), narrative_gold("1_1", "1_1;2_1", "0_0"))
    >>> counts.exact.tolist()
    [True, False, False]
    >>> print(f"{macro(counts).f1:.4f} {macro(counts, labels='gold_or_predicted').f1:.4f}")
    0.5556 0.4167
    >>> print(f"{micro(counts).f1:.4f} {weighted(counts).f1:.4f}")
    0.5714 0.5833
    """
    evaluated = np.zeros(len(gold.claims), dtype=np.bool_)
    evaluated[gold.narratives.claim] = True
    truth = gold.narratives.dense(len(evaluated))
    guess = predicted.dense(len(evaluated))
    guess[~evaluated] = False
    return NarrativeCounts(truth & guess, guess & ~truth, truth & ~guess, evaluated)


def macro(counts: NarrativeCounts, weights: Weights = None, *, labels: LabelSet = "gold") -> PRF:
    """Return the plain mean over the codes of a set, which each resample forms anew.

    Args:
        counts: the counts of a run.
        weights: see ``climatecheck.metrics.counts``.
        labels: ``gold``, the codes that occur in the gold (official); ``gold_or_predicted``;
            or ``all`` of the taxonomy.
    """
    correct, predicted, support = _sums(counts, weights)
    occurs = {
        "gold": support > 0,
        "gold_or_predicted": predicted + support > 0,
        "all": np.ones_like(support, dtype=np.bool_),
    }
    return averaged(prf(correct, predicted, support), occurs[labels])


def micro(counts: NarrativeCounts, weights: Weights = None) -> PRF:
    """Return the three formulas over the sums of all codes."""
    return prf(*(sums.sum(axis=-1) for sums in _sums(counts, weights)))


def weighted(counts: NarrativeCounts, weights: Weights = None) -> PRF:
    """Return the mean over codes, weighted by support."""
    correct, predicted, support = _sums(counts, weights)
    return averaged(prf(correct, predicted, support), support)


def _sums(counts: NarrativeCounts, weights: Weights) -> tuple[Floats, Floats, Floats]:
    tp, fp, fn = (weighted_sum(part, weights) for part in (counts.tp, counts.fp, counts.fn))
    return tp, tp + fp, tp + fn
