"""What a back end is worth: gold abstracts, each left out and judged by the others of its claim.

A score of evidence should be higher for abstracts that support or refute the claim than for those
that do neither. The area under the ROC curve (AUC) says how often it is: the share of pairs of an
evidentiary and an NEI abstract in which the evidentiary one scores higher, ties counted half. 0.5
is chance.
"""

from dataclasses import dataclass

import numpy as np

from climatecheck import edition
from climatecheck.bootstrap import Interval, intervals
from climatecheck.metrics.counts import Weights, mean_over_claims, ratio
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import Booleans, Floats, Integers
from organiser.ev2r.pool import Pool
from organiser.ev2r.scores import NONE, Abstracts

_EVIDENTIARY = [edition.LABELS.index(label) for label in edition.EVIDENTIARY_LABELS]


@dataclass(frozen=True)
class Worth:
    """How well a score separates evidentiary from NEI abstracts.

    Attributes:
        score: its name.
        value: the AUC, or a share.
        interval: of a bootstrap over claims.
        abstracts: how many were scored.
        claims: of how many claims.
    """

    score: str
    value: float
    interval: Interval
    abstracts: int
    claims: int


def worth(pool: Pool, scored: Abstracts, label: Integers) -> list[Worth]:
    """Return the AUC of each score, and how often y* is the abstract's own label.

    Args:
        pool: the gold abstracts, each compared with the others.
        scored: their scores.
        label: (abstracts,) their gold labels.
    """
    scores = {
        "S_ref (reference part)": scored.s_ref,
        "S_proxy (proxy part, of y*)": scored.s_proxy,
        "Ev2R (their mean)": scored.ev2r,
        "1 - P(NEI) (proxy part alone)": scored.probabilities[:, _EVIDENTIARY].sum(axis=1),
    }
    made = [_auc(name, pool, values, label) for name, values in scores.items()]
    known = scored.label != NONE
    right = np.where(known, (scored.label == label).astype(np.float64), np.nan)
    return [*made, _share("y* is the abstract's own label (share)", pool, right)]


def auc(score: Floats, positive: Booleans, weights: Floats) -> Floats:
    """Return the area under the ROC curve of weighted items.

    Args:
        score: (items,)
        positive: (items,) which should score higher.
        weights: (items,) or (resamples, items).

    Returns:
        a number or (resamples,); NaN where positives or negatives have no weight.

    Scores .9 and .4 for positives, .4 and .1 for negatives: 3 of 4 pairs in order, one a tie.

    >>> both = np.array([True, True, False, False])
    >>> float(auc(np.array([.9, .4, .4, .1]), both, np.ones(4)))
    0.875
    """
    order = np.argsort(score, kind="stable")
    starts = np.flatnonzero(np.diff(score[order], prepend=np.nan) != 0)
    ups, downs = (
        np.add.reduceat((weights * chosen)[..., order], starts, axis=-1)
        for chosen in (positive, ~positive)
    )
    below = np.cumsum(downs, axis=-1) - downs / 2
    pairs = ups.sum(axis=-1) * downs.sum(axis=-1)
    return np.asarray(ratio((ups * below).sum(axis=-1), pairs, undefined=np.nan))


def _auc(name: str, pool: Pool, score: Floats, label: Integers) -> Worth:
    known = ~np.isnan(score)
    claims, claim = np.unique(pool.claim[known], return_inverse=True)
    if not len(claims):
        return Worth(name, np.nan, (np.nan, np.nan), 0, 0)
    values, positive = score[known], is_evidentiary(label[known])

    def resampled(weights: Weights) -> dict[str, Floats]:
        assert weights is not None
        return {"auc": auc(values, positive, weights[:, claim].astype(np.float64))}

    value = float(auc(values, positive, np.ones(len(values))))
    found = intervals(resampled, len(claims))["auc"]
    return Worth(name, value, found, len(values), len(claims))


def _share(name: str, pool: Pool, right: Floats) -> Worth:
    known = ~np.isnan(right)
    claims, claim = np.unique(pool.claim[known], return_inverse=True)
    if not len(claims):
        return Worth(name, np.nan, (np.nan, np.nan), 0, 0)
    values = right[known]

    def resampled(weights: Weights) -> dict[str, Floats]:
        assert weights is not None
        return {"share": mean_over_claims(values, weights[:, claim])}

    found = intervals(resampled, len(claims))["share"]
    return Worth(name, float(values.mean()), found, len(values), len(claims))
