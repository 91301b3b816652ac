"""Reciprocal Rank Fusion of several rankings."""

from collections.abc import Sequence

RANK_CONSTANT = 60
"""Of the formula, as its authors chose it."""


def fused(rankings: Sequence[Sequence[int]], *, constant: int = RANK_CONSTANT) -> list[int]:
    """Return the ids of some rankings by the sum of 1 / (constant + rank), best first.

    Cormack, Clarke and Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet and individual
    Rank Learning Methods". Ranks count from 1; a ranking that lacks an id adds nothing; equal sums
    keep the order in which the ids are met first.

    7 has 1/61 + 1/62, 8 has 1/62 + 1/63, and 9 has 1/63 + 1/61: more than 8, less than 7.

    >>> fused([[7, 8, 9], [9, 7, 8]])
    [7, 9, 8]
    """
    sums: dict[int, float] = {}
    for ranking in rankings:
        for rank, id_ in enumerate(ranking, start=1):
            sums[id_] = sums.get(id_, 0.0) + 1 / (constant + rank)
    return sorted(sums, key=lambda id_: -sums[id_])
