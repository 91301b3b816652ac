"""How few claims, taken away, swap two neighbours in the ranking."""

from dataclasses import dataclass

import numpy as np

from climatecheck.tables import Floats
from organiser.analysis.inference.measures import Field, fields
from organiser.analysis.inference.randomisation import Value
from organiser.analysis.systems import Evaluation
from organiser.reporting.parts import Cell, Column, Section, Table

_SURELY = 1e-9
_SHOWN = 12
_PAIRS_AT_ONCE = 20_000


@dataclass(frozen=True)
class Swap:
    """The claims whose removal puts the lower system ahead.

    Attributes:
        claims: positions in ``Claims.ids``, in the order of removal; None if no removal that was
            tried does.
        exact: whether no smaller set does; else the number is an upper bound.
    """

    claims: tuple[int, ...] | None
    exact: bool


def section(evaluation: Evaluation) -> Section:
    """Return the section: one table over all official scores and neighbouring ranks."""
    ids = evaluation.claims.ids
    rows: list[tuple[Cell, ...]] = []
    for field in fields(evaluation):
        for i in range(len(field) - 1):
            found = fewest(field, i, i + 1)
            rows.append((*_named(field, i), *_shown(found, field.claims, ids)))
    columns = (
        Column("Score"),
        Column("Ahead"),
        Column("Behind"),
        Column("Difference"),
        Column("Claims"),
        Column("Share of claims"),
        Column("The number is"),
        Column("Which claims"),
    )
    title = "Fewest claims whose removal swaps two neighbours"
    table = Table("fragility", title, columns, tuple(rows), _NOTES)
    return Section("How fragile the ranks are", _PROSE if rows else _NONE, (table,) if rows else ())


def fewest(field: Field, ahead: int, behind: int) -> Swap:
    """Return the fewest claims whose removal puts ``behind`` strictly ahead of ``ahead``.

    Systems with equal scores need a removal too; 0 claims are never the answer.
    """
    pair = field.features[[ahead, behind]]
    if field.measure.linear:
        return fewest_of_mean(pair, field.measure.value)
    return fewest_by_search(pair, field.measure.value)


def fewest_of_mean(pair: Floats, value: Value) -> Swap:
    """Return the fewest claims where the score is a mean over the same claims for both: exact.

    Both means have one denominator, whichever claims are left, so only the sum of the claims'
    differences decides, and taking away the greatest ones first is best.

    Args:
        pair: (2, claims, 2) sum and denominator of each claim, the system ahead first.
        value: the score; recomputed on what is left.
    """
    difference = pair[0, :, 0] - pair[1, :, 0]
    order = np.argsort(-difference, kind="stable")
    left = difference.sum() - np.cumsum(difference[order])
    swapped = np.flatnonzero(left < -_SURELY)
    if not len(swapped):
        return Swap(None, exact=True)
    claims = order[: swapped[0] + 1]
    remaining = value(np.delete(pair, claims, axis=1).sum(axis=1))
    assert remaining[0] < remaining[1]
    return Swap(tuple(claims.tolist()), exact=True)


def fewest_by_search(pair: Floats, value: Value) -> Swap:
    """Return few claims for any score: one by one, always the one that lowers the lead most.

    The score is recomputed for every candidate. One claim is always tried exhaustively, so two are
    exact; where three or more are found, all pairs of claims are tried too, so three are exact.
    """
    total = pair.sum(axis=1)
    present = np.ones(pair.shape[1], dtype=np.bool_)
    removed: list[int] = []
    lead = np.inf
    while lead >= -_SURELY:
        candidates = np.flatnonzero(present)
        if len(candidates) <= 1:
            return Swap(None, exact=False)
        leads = _lead(value(total[:, None] - pair[:, candidates]))
        chosen = candidates[np.argmin(leads)]
        lead = leads.min()
        total = total - pair[:, chosen]
        present[chosen] = False
        removed.append(int(chosen))
    if len(removed) > 2 and (two := _two_claims(pair, value)):
        return Swap(two, exact=True)
    return Swap(tuple(removed), exact=len(removed) <= 3)


def _two_claims(pair: Floats, value: Value) -> tuple[int, int] | None:
    """Return the two claims whose removal lowers the lead most, if that swaps the systems."""
    first, second = np.triu_indices(pair.shape[1], k=1)
    total = pair.sum(axis=1)[:, None]
    leads = np.concatenate(
        [
            _lead(value(total - pair[:, first[part]] - pair[:, second[part]]))
            for part in _parts(len(first))
        ]
    )
    least = int(np.argmin(leads))
    return (int(first[least]), int(second[least])) if leads[least] < -_SURELY else None


def _parts(number: int) -> list[slice]:
    return [slice(start, start + _PAIRS_AT_ONCE) for start in range(0, number, _PAIRS_AT_ONCE)]


def _lead(scores: Floats) -> Floats:
    """Return the lead of the first system; never below where a score is undefined."""
    lead: Floats = np.where(np.isnan(scores).any(axis=0), np.inf, scores[0] - scores[1])
    return lead


_PROSE = (
    "Of each two neighbours in a ranking, the fewest claims that have to be taken away, from both "
    "systems, so that the lower one comes out ahead; the scores are computed anew on what is left. "
    "A rank that hangs on a handful of claims could have been another one on slightly other "
    "claims.",
)
_NONE = ("Fewer than two systems entered any one task, so there are no neighbours.",)
_NOTES = (
    "Exact: no smaller set of claims does it (a mean over claims; or one, two or three claims, "
    "fewer having been tried exhaustively). At most: found by taking away, step by step, the claim "
    "that lowers the lead most; a smaller set may exist.",
    f"At most {_SHOWN} claims are named, in the order of their removal.",
)


def _named(field: Field, i: int) -> tuple[Cell, ...]:
    difference = float(field.scores[i] - field.scores[i + 1])
    return (field.measure.title, field.teams[i], field.teams[i + 1], difference)


def _shown(found: Swap, claims: int, ids: tuple[str, ...]) -> tuple[Cell, ...]:
    if found.claims is None:
        return (None, None, "no removal does" if found.exact else "none was found", None)
    named = ", ".join(ids[claim] for claim in found.claims[:_SHOWN])
    more = ", …" if len(found.claims) > _SHOWN else ""
    number = len(found.claims)
    return (number, number / claims, "exact" if found.exact else "at most", named + more)
