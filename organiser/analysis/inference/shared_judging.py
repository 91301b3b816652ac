"""How far Score1.1 of one system can move against another's when both share the judgements.

For a claim, the greatest ``A - B`` over all ways to judge the pool. Let R be fixed, t of the pool
evidentiary, and the abstracts that both rank be judged in some way. Then, of those that

- only A ranks: the evidentiary ones stand at its topmost rows, the others stay unjudged;
- only B ranks: the evidentiary ones stand at its bottommost rows, the others are non-relevant;
- neither ranks: they only let R grow.

More evidentiary ones in A help, more in B harm; so what makes up t is taken from A's own first,
then from neither's, then from B's own. All t and all ``3**m`` judgements of the m abstracts that
both rank are tried, which is exact.

Where m exceeds ``JOINTLY``, the abstracts beyond it, the lowest, are let free to be judged
differently for A and for B: an outer bound, which the truth never exceeds. Where both rank the same
abstracts in the same order the difference is 0 whatever the judgements.
"""

from itertools import product

import numpy as np

from climatecheck.tables import Booleans, Floats, Integers
from organiser.analysis.inference.unjudged import (
    EVIDENTIARY,
    NONRELEVANT,
    UNJUDGED,
    Rankings,
    States,
    from_bottom,
    from_top,
    values,
)

JOINTLY = 4
"""How many abstracts that both systems rank are judged jointly."""

_JOINT = 10
"""Added to the number of a jointly judged abstract to make its state."""

_CELLS_AT_ONCE = 200_000


def greatest_lead(
    rankings: Rankings, a: int, b: int, *, jointly: int = JOINTLY
) -> tuple[Floats, Booleans]:
    """Return the greatest Score1.1 of system ``a`` less that of system ``b``, claim by claim.

    The least one is the negative of the greatest one the other way round.

    Returns:
        (claims,) the greatest difference, NaN where no judging gives R >= 1; and (claims,) whether
        it is exact, else an outer bound.
    """
    same = (rankings.abstract[a] == rankings.abstract[b]).all(axis=-1)
    common = _common(rankings, a, b)
    number = common.sum(axis=(1, 2))
    state_a, state_b = _numbered(rankings, a, b, common, jointly)
    joint = np.minimum(number, jointly)
    greatest = np.full(len(same), np.nan)
    for m in np.unique(joint).tolist():
        claims = np.flatnonzero(joint == m)
        for part in _parts(claims, rankings.pool, 3**m * state_a.shape[-1]):
            greatest[part] = _greatest(
                state_a[part],
                state_b[part],
                m,
                rankings.relevant[part],
                rankings.pool[part],
                number[part] - m,
            )
    greatest[same & ~np.isnan(greatest)] = 0
    return greatest, same | (number <= jointly)


def _common(rankings: Rankings, a: int, b: int) -> Booleans:
    """Return (claims, depth, depth) whether row i of A and row j of B are one unjudged abstract."""
    first, second = rankings.abstract[a][:, :, None], rankings.abstract[b][:, None, :]
    unjudged = (rankings.state[a] == UNJUDGED)[:, :, None]
    common: Booleans = (first == second) & unjudged
    return common


def _numbered(
    rankings: Rankings, a: int, b: int, common: Booleans, jointly: int
) -> tuple[States, States]:
    """Return both systems' states, those of jointly judged abstracts numbered from ``_JOINT``.

    They are numbered by the row in which A ranks them; an abstract in B has the number of A's.
    """
    in_a = common.any(axis=2)
    number = np.cumsum(in_a, axis=1) - 1
    kept = in_a & (number < jointly)
    state_a = np.where(kept, _JOINT + number, rankings.state[a])
    of_b = np.where(common & kept[:, :, None], _JOINT + number[:, :, None], 0).max(axis=1)
    state_b = np.where(of_b > 0, of_b, rankings.state[b])
    return state_a.astype(np.int8), state_b.astype(np.int8)


def _greatest(
    state_a: States,
    state_b: States,
    joint: int,
    relevant: Integers,
    pool: Integers,
    decoupled: Integers,
) -> Floats:
    """Return (claims,) the greatest A - B of claims with the same number of joint abstracts.

    Axes of the arrays inside: claims, judgements of the joint abstracts, t, rows.
    """
    judgements = np.array(list(product((EVIDENTIARY, NONRELEVANT, UNJUDGED), repeat=joint)))
    first, second = (_with(state, judgements)[:, :, None, :] for state in (state_a, state_b))
    free_a, free_b = (
        np.count_nonzero(state == UNJUDGED, axis=-1)[:, None, None] for state in (state_a, state_b)
    )
    size = pool[:, None, None]
    neither = size - joint - free_a - free_b + decoupled[:, None, None]
    t = np.arange(int(pool.max()) + 1)[None, None, :]
    needed = t - np.count_nonzero(judgements == EVIDENTIARY, axis=1)[None, :, None]
    possible = (needed >= 0) & (needed <= size - joint)
    own_a = np.minimum(needed, free_a)
    own_b = np.maximum(needed - free_a - neither, 0)
    total = np.where(possible, relevant[:, None, None] + t, 0)
    may_a = (state_a == UNJUDGED)[:, None, None, :]
    may_b = (state_b == UNJUDGED)[:, None, None, :]
    judged_a = np.where(may_a & (from_top(may_a) <= own_a[..., None]), EVIDENTIARY, first)
    low_b = from_bottom(may_b) <= own_b[..., None]
    judged_b = np.where(may_b, np.where(low_b, EVIDENTIARY, NONRELEVANT), second)
    lead = _score(judged_a, total) - _score(judged_b, total)
    greatest: Floats = np.fmax.reduce(lead, axis=(1, 2))
    return greatest


def _with(state: States, judgements: Integers) -> States:
    """Return (claims, judgements, depth) the states with the joint abstracts judged."""
    number = state - _JOINT
    if not judgements.shape[1]:
        return state[:, None, :]
    judged = judgements[:, np.maximum(number, 0)]  # (judgements, claims, depth)
    known: States = np.where(number >= 0, judged, state).transpose(1, 0, 2).astype(np.int8)
    return known


def _score(state: States, relevant: Integers) -> Floats:
    recall, bpref = values(state, relevant)
    return (recall + bpref) / 2


def _parts(claims: Integers, pool: Integers, rows: int) -> list[Integers]:
    """Return the claims in parts that fit into memory, those of like pools together."""
    ordered = claims[np.argsort(pool[claims], kind="stable")]
    cells = np.cumsum((pool[ordered] + 1) * rows)
    return np.split(ordered, np.flatnonzero(np.diff(cells // _CELLS_AT_ONCE)) + 1)
