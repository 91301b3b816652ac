"""Percentile bootstrap intervals over claims.

The claims are drawn with replacement, as many as there are; each resample weighs the counts of a
claim by how often it was drawn, so the same functions give the official value and its resamples,
and the label set of a macro average is formed anew in each.

Source: Efron and Tibshirani (1993), "An Introduction to the Bootstrap", chapter 13.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from climatecheck.metrics import bpref, recall
from climatecheck.metrics.counts import Numbers
from climatecheck.scoring import Counts, board_values
from climatecheck.tables import Floats, Integers

RESAMPLES = 1_000
SEED = 2026
CONFIDENCE = 0.95
_CELLS_AT_ONCE = 5_000_000

Interval: TypeAlias = tuple[float, float]


def board_intervals(counts: Counts) -> dict[str, Interval]:
    """Return the interval of each of the board's columns, the same for any order of the claims."""
    columns = _columns(counts)
    if not columns:
        return {}
    places = places_by_counts(np.column_stack(columns))
    return intervals(lambda weights: board_values(counts, weights), len(places), places=places)


def resamples(claims: int, *, number: int = RESAMPLES, seed: int = SEED) -> Iterator[Integers]:
    """Yield how often each resample draws each claim, in parts of shape (resamples, claims).

    The parts keep the memory small; together they have ``number`` rows, each with the sum
    ``claims``. The same seed gives the same draws under every version of numpy.
    """
    generator = np.random.RandomState(seed)  # its stream is frozen, unlike that of default_rng
    at_once = max(1, _CELLS_AT_ONCE // max(claims, 1))
    for start in range(0, number, at_once):
        size = min(at_once, number - start)
        drawn = generator.randint(0, claims, size=(size, claims), dtype=np.int64)
        drawn += np.arange(size)[:, None] * claims
        yield np.bincount(drawn.ravel(), minlength=size * claims).reshape(size, claims)


def places_by_counts(counts: Numbers) -> Integers:
    """Return each claim's place in an order that its counts alone decide.

    With the draws dealt out in this order, an interval tells nothing of which claim did how well,
    although seed and draws are known to all.

    Args:
        counts: (claims, counts) all that the values are made of.

    >>> places_by_counts(np.array([[2, 0], [1, 9], [1, 3]])).tolist()
    [2, 1, 0]
    """
    places = np.empty(len(counts), dtype=np.int64)
    places[np.lexsort(counts.T[::-1])] = np.arange(len(counts))
    return places


def intervals(
    values: Callable[[Integers], Mapping[str, Floats]],
    claims: int,
    *,
    number: int = RESAMPLES,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
    places: Integers | None = None,
) -> dict[str, Interval]:
    """Return the percentile interval of each of several values.

    Args:
        values: from weights of shape (resamples, claims) to named arrays of shape (resamples,).
        claims: how many claims there are; at least 1.
        number: how many resamples.
        seed: of the draws.
        confidence: between 0 and 1.
        places: (claims,) which column of the draws each claim takes; None for its own position.

    Returns:
        lower and upper bound by name. Resamples in which a value is NaN are left out; if it is
        NaN in all, so are the bounds.
    """
    parts = [
        values(weights if places is None else weights[:, places])
        for weights in resamples(claims, number=number, seed=seed)
    ]
    tails = [100 * (1 - confidence) / 2, 100 * (1 + confidence) / 2]
    found: dict[str, Interval] = {}
    for name in parts[0]:
        drawn = np.concatenate([np.atleast_1d(part[name]) for part in parts])
        drawn = drawn[~np.isnan(drawn)]
        low, high = np.percentile(drawn, tails) if len(drawn) else (np.nan, np.nan)
        found[name] = (float(low), float(high))
    return found


def _columns(counts: Counts) -> list[Numbers]:
    """Return all that the board's values see of each claim, of shape (claims,) or (claims, n).

    Claims that are alike in all of it can change places in any resample. What the values cannot
    see (how many of a claim's abstracts are evidentiary, which of the labels that are never right
    it bears) must not decide its place, or the interval would tell what the value does not.
    """
    columns: list[Numbers] = []
    if (retrieval := counts.retrieval) is not None:
        values = [recall.per_claim(of_cutoff) for of_cutoff in retrieval.recall.values()]
        columns += [np.nan_to_num(v, nan=-1.0) for v in (*values, bpref.per_claim(retrieval.bpref))]
    if (pairs := counts.verification) is not None:
        right = np.diagonal(pairs, axis1=1, axis2=2)
        columns += _seen(right, pairs.sum(axis=1), pairs.sum(axis=2))
    if (found := counts.narratives) is not None:
        support = found.tp | found.fn
        columns += [*_seen(found.tp, found.tp | found.fp, support), support]  # the macro label set
    return columns


def _seen(right: Numbers, predicted: Numbers, support: Numbers) -> list[Numbers]:
    """Return the counts (claims, labels) of labels that are right anywhere, and all in sum."""
    ever = right.any(axis=0)
    shown = [counts[:, ever] for counts in (right, predicted, support)]
    return [*shown, predicted.sum(axis=1), support.sum(axis=1)]
