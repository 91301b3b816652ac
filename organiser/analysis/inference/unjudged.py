"""Rankings with their unjudged abstracts, and Recall and Bpref under judgements still to come.

The *pool* of a claim is its unjudged abstracts that some system ranks within
``edition.depth()`` rows: those that a further round of judging would look at. Each could turn out
evidentiary, judged non-relevant, or stay unjudged, the same for all systems.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from climatecheck import edition
from climatecheck.metrics.counts import ratio
from climatecheck.metrics.judgements import Judged
from climatecheck.tables import NO_LABEL, Booleans, Floats, Integers

EVIDENTIARY, NONRELEVANT, UNJUDGED, NO_ROW = 1, 2, 0, -1

States = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Rankings:
    """What each system ranks, row by row.

    Attributes:
        abstract: (systems, claims, depth) abstract ids; ``NO_ROW`` below the last row.
        state: (systems, claims, depth) the judgement of each, ``UNJUDGED`` or another of the four.
        relevant: (claims,) R, the evidentiary abstracts of the gold.
        pool: (claims,) how many abstracts the pool holds.
    """

    abstract: Integers
    state: States
    relevant: Integers
    pool: Integers

    @property
    def outside(self) -> Integers:
        """(systems, claims) abstracts of the pool that the system does not rank."""
        outside: Integers = self.pool - np.count_nonzero(self.state == UNJUDGED, axis=-1)
        return outside


def rankings(runs: Sequence[Judged]) -> Rankings:
    """Return the rankings of systems that entered task 1.1, at least one."""
    shape = (len(runs), len(runs[0]), edition.depth())
    abstract = np.full(shape, NO_ROW, dtype=np.int64)
    state = np.full(shape, NO_ROW, dtype=np.int8)
    for place, judged in enumerate(runs):
        counted = judged.run.position <= edition.depth()
        rows = (place, judged.run.claim[counted], judged.run.position[counted] - 1)
        abstract[rows] = judged.run.abstract[counted]
        state[rows] = np.select(
            [judged.evidentiary[counted], judged.nonrelevant[counted]],
            [EVIDENTIARY, NONRELEVANT],
            UNJUDGED,
        )
    return Rankings(abstract, state, runs[0].relevant_of, _pool(runs))


def values(state: States, relevant: Integers) -> tuple[Floats, Floats]:
    """Return Recall@K and Bpref of rankings whose rows are judged like this.

    Args:
        state: (..., depth).
        relevant: (...) R under the same judgements; broadcast.

    Returns:
        two arrays of shape (...); NaN where R = 0. K and the depth of Bpref are the edition's.

    >>> state = np.array([2, 1, 0, 1, 2], dtype=np.int8)  # x a u b y with R = 3
    >>> [f"{value:.4f}" for value in values(state, np.array(3))]
    ['0.6667', '0.4444']
    """
    found = state == EVIDENTIARY
    above = np.cumsum(state == NONRELEVANT, axis=-1)
    deep = edition.BPREF_DEPTH
    counted = np.maximum(relevant[..., None] - above[..., :deep], 0) * found[..., :deep]
    hits = np.count_nonzero(found[..., : edition.score_cutoff()], axis=-1)
    return (
        ratio(hits, relevant, undefined=np.nan),
        ratio(counted.sum(axis=-1), relevant**2, undefined=np.nan),
    )


def from_top(free: Booleans) -> Integers:
    """Return (..., depth) the place of each free row among the free ones, from 1 at the top."""
    return np.cumsum(free, axis=-1)


def from_bottom(free: Booleans) -> Integers:
    """Return (..., depth) the place of each free row among the free ones, from 1 at the bottom."""
    place: Integers = np.cumsum(free[..., ::-1].astype(np.int64), axis=-1)[..., ::-1]
    return place


def _pool(runs: Sequence[Judged]) -> Integers:
    pairs = []
    for judged in runs:
        unjudged = (judged.gold_label == NO_LABEL) & (judged.run.position <= edition.depth())
        pairs.append(
            judged.run.claim[unjudged] * edition.CORPUS_SIZE + judged.run.abstract[unjudged]
        )
    claim = np.unique(np.concatenate(pairs)) // edition.CORPUS_SIZE
    return np.bincount(claim, minlength=len(runs[0]))
