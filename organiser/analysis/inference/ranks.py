"""Ranks that a set of pairwise decisions leaves open, and groups that they do not tell apart."""

from string import ascii_lowercase

import numpy as np
import numpy.typing as npt

from climatecheck.tables import Booleans, Floats, Integers

_SAME = 1e-9


def ranks(scores: Floats) -> Integers:
    """Return (systems,) ranks: 1 + how many systems have a greater score; equal scores share one.

    >>> ranks(np.array([0.5, 0.7, 0.5, 0.1])).tolist()
    [2, 1, 2, 4]
    """
    ahead = scores[None, :] > scores[:, None] + _SAME
    found: Integers = 1 + np.count_nonzero(ahead, axis=1)
    return found


def rank_intervals(ahead: Booleans) -> npt.NDArray[np.int64]:
    """Return (systems, 2) the best and worst rank that pairwise decisions leave to each system.

    A system's best rank is 1 + how many are surely ahead of it, its worst the number of systems
    less those that it is surely ahead of. If all decisions are right at once with probability
    1 - alpha, then so are all intervals.

    Args:
        ahead: (systems, systems) whether the row is surely ahead of the column.

    Source: Al Mohamad, Goeman and van Zwet (2022), "Simultaneous confidence intervals for ranks
    with application to ranking institutions", Biometrics 78.

    >>> ahead = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> rank_intervals(ahead).tolist()
    [[1, 2], [1, 2], [3, 3]]
    """
    best = 1 + np.count_nonzero(ahead, axis=0)
    worst = len(ahead) - np.count_nonzero(ahead, axis=1)
    return np.column_stack([best, worst])


def groups(apart: Booleans) -> list[tuple[int, ...]]:
    """Return the largest sets of systems of which no two are told apart.

    Every two systems that are not told apart stand in at least one group together, and two that are
    told apart in none: the maximal cliques of the graph of pairs that are not told apart.

    Args:
        apart: (systems, systems), symmetric.

    Returns:
        groups of positions, in lexical order.

    Source: Bron and Kerbosch (1973), "Algorithm 457: finding all cliques of an undirected graph",
    Communications of the ACM 16(9).

    >>> apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> groups(apart)
    [(0, 1), (1, 2)]
    """
    near = {
        i: {j for j in range(len(apart)) if i != j and not apart[i, j]} for i in range(len(apart))
    }
    found: list[tuple[int, ...]] = []

    def extend(group: set[int], candidates: set[int], done: set[int]) -> None:
        if not candidates and not done:
            found.append(tuple(sorted(group)))
            return
        pivot = max(candidates | done, key=lambda system: len(near[system] & candidates))
        for system in sorted(candidates - near[pivot]):
            extend(group | {system}, candidates & near[system], done & near[system])
            candidates = candidates - {system}
            done = done | {system}

    extend(set(), set(near), set())
    return sorted(found)


def letters(systems: int, found: list[tuple[int, ...]]) -> list[str]:
    """Return the compact letter display: systems that share a letter are not told apart.

    Source: Piepho (2004), "An algorithm for a letter-based representation of all-pairwise
    comparisons", Journal of Computational and Graphical Statistics 13(2).

    >>> letters(3, [(0, 1), (1, 2)])
    ['a', 'a b', 'b']
    """
    return [
        " ".join(_letter(place) for place, group in enumerate(found) if system in group)
        for system in range(systems)
    ]


def _letter(place: int) -> str:
    """Return ``a`` to ``z``, then ``a1``, ``b1`` and so on."""
    turn, letter = divmod(place, len(ascii_lowercase))
    return ascii_lowercase[letter] + (str(turn) if turn else "")
