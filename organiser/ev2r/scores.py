"""The formulas of Ev2R for single abstracts, and what failed comparisons leave open.

For a claim c with gold abstracts G and a retrieved abstract r without a gold label::

    S_ref(r) = max over g in G of F1(r, g)      g* is the first g that reaches it, y* its label
    S_proxy(r) = P(y* | c, r)
    Ev2R(r) = (S_ref + S_proxy) / 2
    S_conf(r) = P(y | c, r), S_cons(r) = 1 if y = y*, S_ver(r) = (S_conf + S_cons) / 2

with y the predicted label. Source: overview paper, section 5.2 and appendix C.

A comparison that failed is no 0: values leave it out, and bounds let it be anything from 0 to 1.
As a failed comparison could also have been the best one, it moves y* and so both halves of Ev2R.
"""

from dataclasses import dataclass

import numpy as np

from climatecheck.metrics.counts import ratio
from climatecheck.tables import Booleans, Floats, Integers
from organiser.ev2r.pool import Pool, Rows

NONE = -1


@dataclass(frozen=True)
class Abstracts:
    """The scores of each abstract of a pool; NaN where nothing is known.

    Attributes:
        s_ref: (abstracts,) S_ref over the comparisons that did not fail.
        best: (abstracts,) the comparison with g*, a position in the pool's; ``NONE`` if all failed.
        label: (abstracts,) y*, a position in ``edition.LABELS``; ``NONE`` if all failed.
        tied: (abstracts,) how many comparisons reach S_ref.
        decided_by_tie: (abstracts,) whether some of those have another label than y*.
        missing: (abstracts,) comparisons that failed or are open.
        probabilities: (abstracts, labels) of the proxy part.
        s_proxy, ev2r: (abstracts,).
        low, high: (abstracts,) bounds of ev2r.
        possible: (abstracts, labels) whether y* could be this label.
    """

    s_ref: Floats
    best: Integers
    label: Integers
    tied: Integers
    decided_by_tie: Booleans
    missing: Integers
    probabilities: Floats
    s_proxy: Floats
    ev2r: Floats
    low: Floats
    high: Floats
    possible: Booleans


@dataclass(frozen=True)
class Verified:
    """S_ver of each row of a run; NaN where nothing is known, or no label was predicted."""

    s_conf: Floats
    s_cons: Floats
    s_ver: Floats
    low: Floats
    high: Floats


def abstracts(pool: Pool, f1: Floats, gold_label: Integers, probabilities: Floats) -> Abstracts:
    """Return the scores of the abstracts of a pool.

    Args:
        pool: the abstracts and their comparisons, at least one each.
        f1: (comparisons,) NaN where it failed or is open.
        gold_label: (gold pairs,) label of each gold abstract.
        probabilities: (abstracts, labels) NaN where unknown.

    One abstract, three gold abstracts with F1 .5, .8 and .8, labelled NEI, Refutes and Supports:
    g* is the second, y* Refutes; Ev2R = (.8 + .1) / 2.

    >>> one = np.zeros(1, dtype=int)
    >>> pool = Pool(one, one, one, np.zeros(3, dtype=int), np.arange(3))
    >>> f1, label = np.array([.5, .8, .8]), np.array([2, 1, 0])
    >>> made = abstracts(pool, f1, label, np.array([[.7, .1, .2]]))
    >>> float(made.s_ref[0]), int(made.label[0]), round(float(made.ev2r[0]), 6)
    (0.8, 1, 0.45)
    """
    size, label_of = len(pool), gold_label[pool.reference]
    s_ref = _greatest(pool, f1)
    reaches = f1 == s_ref[pool.item]
    best = np.full(size, NONE)
    best[pool.item[reaches][::-1]] = np.flatnonzero(reaches)[::-1]  # the first is written last
    label = np.where(best == NONE, NONE, label_of[best] if len(label_of) else NONE)
    other = reaches & (label_of != label[pool.item])
    s_proxy = _chosen(probabilities, label)
    may_win = _may_win(pool, f1, s_ref, best)
    by_failed = np.zeros(probabilities.shape, dtype=np.bool_)
    by_failed[pool.item[may_win], label_of[may_win]] = True
    by_known = _indicator(np.where(_may_stand(pool, f1, s_ref, best), label, NONE), by_failed.shape)
    low, high = _bounds(s_ref, probabilities, by_failed, by_known)
    return Abstracts(
        s_ref,
        best,
        label,
        np.bincount(pool.item[reaches], minlength=size),
        np.bincount(pool.item[other], minlength=size) > 0,
        np.bincount(pool.item[np.isnan(f1)], minlength=size),
        probabilities,
        s_proxy,
        (s_ref + s_proxy) / 2,
        low,
        high,
        by_failed | by_known,
    )


def verified(rows: Rows, scored: Abstracts) -> Verified:
    """Return the scores of the labels that a run predicts."""
    count = len(rows.place)
    if not rows.has_labels:
        return Verified(*(np.full(count, np.nan) for _ in range(5)))
    truth = scored.label[rows.place]
    conf = _chosen(scored.probabilities[rows.place], rows.label)
    cons = np.where(truth == NONE, np.nan, (rows.label == truth).astype(np.float64))
    possible = scored.possible[rows.place]
    may_agree = possible[np.arange(count), rows.label]
    must_agree = may_agree & (possible.sum(axis=1) == 1)
    least, most = np.nan_to_num(conf, nan=0.0), np.nan_to_num(conf, nan=1.0)
    return Verified(conf, cons, (conf + cons) / 2, (least + must_agree) / 2, (most + may_agree) / 2)


def best_of_claim(claim: Integers, values: Floats, claims: int) -> Floats:
    """Return (claims,) the greatest of each claim's values; NaN where none is known.

    >>> best_of_claim(np.array([0, 0, 1]), np.array([.2, .6, np.nan]), 2).tolist()
    [0.6, nan]
    """
    made = np.full(claims, -np.inf)
    known = ~np.isnan(values)
    np.maximum.at(made, claim[known], values[known])
    return np.where(np.isinf(made), np.nan, made)


def mean_of_claim(claim: Integers, values: Floats, claims: int) -> Floats:
    """Return (claims,) the mean of each claim's values; NaN where none is known.

    >>> mean_of_claim(np.array([0, 0, 1]), np.array([.2, .6, np.nan]), 2).tolist()
    [0.4, nan]
    """
    known = ~np.isnan(values)
    total = np.bincount(claim[known], weights=values[known], minlength=claims)
    return np.asarray(ratio(total, np.bincount(claim[known], minlength=claims), undefined=np.nan))


def _greatest(pool: Pool, f1: Floats) -> Floats:
    """Return (abstracts,) the greatest known F1; NaN where none is known."""
    if not len(pool):
        return np.zeros(0)
    greatest = np.maximum.reduceat(np.where(np.isnan(f1), NONE, f1), pool.first)
    return np.where(greatest == NONE, np.nan, greatest)


def _chosen(probabilities: Floats, label: Integers) -> Floats:
    """Return each row's probability of a label; NaN where there is no label."""
    made = probabilities[np.arange(len(label)), label]
    return np.where(label < 0, np.nan, made)


def _may_win(pool: Pool, f1: Floats, s_ref: Floats, best: Integers) -> Booleans:
    """Return (comparisons,) whether a failed one could be the first with the greatest F1.

    It could, unless a known F1 of 1 stands before it.
    """
    beaten = (s_ref[pool.item] >= 1) & (best[pool.item] < np.arange(len(f1)))
    return np.isnan(f1) & ~beaten


def _may_stand(pool: Pool, f1: Floats, s_ref: Floats, best: Integers) -> Booleans:
    """Return (abstracts,) whether the best known comparison could be the first with the greatest.

    It could, unless its F1 is 0 and a failed one stands before it.
    """
    before = np.isnan(f1) & (np.arange(len(f1)) < best[pool.item])
    beaten = (s_ref == 0) & (np.bincount(pool.item[before], minlength=len(pool)) > 0)
    return np.asarray((best != NONE) & ~beaten)


def _bounds(
    s_ref: Floats, probabilities: Floats, by_failed: Booleans, by_known: Booleans
) -> tuple[Floats, Floats]:
    """Return bounds of Ev2R, whatever the failed F1 are.

    With m = S_ref over what is known (0 if nothing is): at least (m + P) / 2 with the least P of
    y* and of the labels of failed comparisons; at most the greater of (m + P(y*)) / 2 and
    (1 + P) / 2 over those labels. An unknown probability may be anything from 0 to 1.

    One abstract with a known F1 of .5 to a Supports and a failed one to a Refutes; P is .6, .1, .3:
    between (.5 + .1) / 2 and max((.5 + .6) / 2, (1 + .1) / 2).

    >>> failed, known = np.array([[False, True, False]]), np.array([[True, False, False]])
    >>> low, high = _bounds(np.array([.5]), np.array([[.6, .1, .3]]), failed, known)
    >>> round(float(low[0]), 6), round(float(high[0]), 6)
    (0.3, 0.55)
    """
    known = np.nan_to_num(s_ref, nan=0.0)
    least, most = np.nan_to_num(probabilities, nan=0.0), np.nan_to_num(probabilities, nan=1.0)
    low = (known + np.where(by_failed | by_known, least, np.inf).min(axis=1, initial=np.inf)) / 2
    high = np.maximum(
        (known + np.where(by_known, most, -np.inf).max(axis=1, initial=-np.inf)) / 2,
        (1 + np.where(by_failed, most, -np.inf).max(axis=1, initial=-np.inf)) / 2,
    )
    return low, high


def _indicator(label: Integers, shape: tuple[int, ...]) -> Booleans:
    """Return (abstracts, labels) where each one's label is; nowhere if it has none."""
    made: Booleans = label[:, None] == np.arange(shape[1])
    return made
