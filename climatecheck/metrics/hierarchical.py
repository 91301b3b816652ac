"""Hierarchical precision, recall and F1, with credit for the right group. Never ranked.

Each code is taken with its ancestors, the root left out (``taxonomy.nodes_of``). With C the nodes
of a claim's predicted codes and T those of its gold codes, summed over claims::

    hP = sum |C and T| / sum |C|    hR = sum |C and T| / sum |T|    hF = 2 hP hR / (hP + hR)

each 0 where undefined; a claim that the file leaves out has an empty C.

Example: gold ``2_1``, ``2_0``, ``0_0``; predicted ``2_3``, ``2_1``, ``0_0``. Nodes in common:
{2}, {2}, {0}, so 3; predicted 2 + 2 + 1 = 5; gold 2 + 1 + 1 = 4: hP .6, hR .75, hF .6667.
Without ``0_0``: 2 of 4 and 2 of 3: hF = 4 / 7 = .5714.

Source: Kiritchenko, Matwin, Nock and Famili (2006), "Learning and evaluation in the presence of
class hierarchies: application to text categorization", Canadian AI.
"""

from dataclasses import dataclass

import numpy as np

from climatecheck import taxonomy
from climatecheck.metrics.counts import PRF, Weights, prf, weighted_sum
from climatecheck.metrics.narratives import NarrativeCounts
from climatecheck.tables import Booleans, Integers


@dataclass(frozen=True)
class HierarchicalCounts:
    """Numbers of nodes: (claims,) in common, predicted, and in the gold."""

    common: Integers
    predicted: Integers
    gold: Integers


def count(counts: NarrativeCounts) -> HierarchicalCounts:
    """Return the counts by claim over all nodes.

    >>> from climatecheck.metrics.example import narrative_gold, narratives
    >>> from climatecheck.metrics import narratives as flat
    >>> pairs = flat.count(narratives("2_3", "2_1", "0_0"), narrative_gold("2_1", "2_0", "0_0"))
    >>> print(" ".join(f"{value:.4f}" for value in micro(count(pairs))))
    0.6000 0.7500 0.6667
    >>> print(f"{micro(count_narratives(pairs)).f1:.4f}")
    0.5714
    """
    return _count(counts, _NODES)


def count_narratives(counts: NarrativeCounts) -> HierarchicalCounts:
    """Return the counts by claim over all nodes but that of ``0_0``, on both sides."""
    return _count(counts, tuple(node for node in _NODES if node not in _NO_NARRATIVE))


def micro(counts: HierarchicalCounts, weights: Weights = None) -> PRF:
    """Return hP, hR and hF; 0 where undefined."""
    sums = (counts.common, counts.predicted, counts.gold)
    return prf(*(weighted_sum(part, weights) for part in sums))


_NODES = tuple(dict.fromkeys(node for code in taxonomy.CODES for node in taxonomy.nodes_of(code)))
_NO_NARRATIVE = taxonomy.nodes_of(taxonomy.NO_NARRATIVE)


def _count(counts: NarrativeCounts, nodes: tuple[str, ...]) -> HierarchicalCounts:
    predicted = _reached(counts.tp | counts.fp, nodes)
    gold = _reached(counts.tp | counts.fn, nodes)
    return HierarchicalCounts(
        common=np.count_nonzero(predicted & gold, axis=1),
        predicted=np.count_nonzero(predicted, axis=1),
        gold=np.count_nonzero(gold, axis=1),
    )


def _reached(codes: Booleans, nodes: tuple[str, ...]) -> Booleans:
    """Return (claims, nodes) which nodes the codes of each claim stand for."""
    stands_for = [[node in taxonomy.nodes_of(code) for node in nodes] for code in taxonomy.CODES]
    return codes.astype(np.float32) @ np.array(stands_for, dtype=np.float32) > 0
