"""Table 6 in all three readings: retrieval by narrative group of the claim.

Source: the shared task's overview paper, Table 6 and section 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from climatecheck.metrics.counts import mean_over_claims
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import Booleans, Floats, Gold, Integers
from organiser.analysis import published
from organiser.analysis.section8 import claim_groups, counts_of, gaps
from organiser.analysis.section8.recall_by_claim import CUTOFF, recall_of
from organiser.analysis.systems import Evaluation, System
from organiser.reporting.parts import Cell, Column, Section, Table

TITLE = "Retrieval by narrative group"
ATTAINABLE = "Attainable"
CLAIMS = "Claims (n)"


@dataclass(frozen=True)
class Reading:
    """One way to read Table 6.

    Attributes:
        name: of the table's files.
        title: the caption.
        best: (claims,) the greatest value that any run can have; NaN where left out.
        by_system: (systems, claims) value of each claim; NaN where left out.
        note: what is averaged over which claims.
    """

    name: str
    title: str
    best: Floats
    by_system: Floats
    note: str


def hit(positions: Integers, claim: Integers, rows: Booleans, claims: int) -> Booleans:
    """Return (claims,) whether one of the chosen rows stands among the claim's first K.

    Args:
        positions: (rows,) place of each row in its claim's ranking, from 1.
        claim: (rows,) its claim.
        rows: (rows,) the chosen ones.
        claims: how many claims there are.

    >>> hit(np.array([1, 6, 2]), np.array([0, 1, 1]), np.array([False, True, True]), 3).tolist()
    [False, True, False]
    """
    found = np.zeros(claims, dtype=np.bool_)
    found[claim[rows & (positions <= CUTOFF)]] = True
    return found


def evidentiary_hit(system: System) -> Booleans:
    """Return (claims,) whether an evidentiary abstract is among the first K."""
    judged = counts_of.judged(system)
    return hit(judged.run.position, judged.run.claim, judged.evidentiary, len(judged))


def judged_hit(system: System) -> Booleans:
    """Return (claims,) whether a judged abstract, evidentiary or NEI, is among the first K."""
    judged = counts_of.judged(system)
    rows = judged.evidentiary | judged.nonrelevant
    return hit(judged.run.position, judged.run.claim, rows, len(judged))


def by_group(values: Floats, member: Booleans) -> Floats:
    """Return (groups,) means of (claims,) values; NaN for a group without any.

    >>> by_group(np.array([1.0, 0.0, np.nan]), np.array([[True, True, True], [False] * 3])).tolist()
    [0.5, nan]
    """
    return np.array([float(mean_over_claims(values, group)) for group in member])


def readings(gold: Gold, systems: Sequence[System]) -> tuple[Reading, ...]:
    """Return Recall@K, the share with an evidentiary hit, and the share with a judged hit."""
    claims = len(gold.claims)
    relevant = np.bincount(gold.claim[is_evidentiary(gold.label)], minlength=claims)
    judged = np.bincount(gold.claim, minlength=claims)
    most = np.where(relevant > 0, np.minimum(CUTOFF, relevant) / np.maximum(relevant, 1), np.nan)
    everyone = "Over all claims of the group, as the paper's N."
    return (
        Reading(
            "table6_recall",
            f"Recall@{CUTOFF} by narrative group",
            most,
            np.array([recall_of(system) for system in systems]),
            "Mean over the claims with at least one evidentiary abstract.",
        ),
        Reading(
            "table6_evidentiary_hit",
            f"Share of claims with an evidentiary abstract among the first {CUTOFF}",
            (relevant > 0).astype(np.float64),
            np.array([evidentiary_hit(system) for system in systems], dtype=np.float64),
            f"{everyone} One without an evidentiary abstract cannot have a hit.",
        ),
        Reading(
            "table6_judged_hit",
            f"Share of claims with a judged abstract (NEI too) among the first {CUTOFF}",
            (judged > 0).astype(np.float64),
            np.array([judged_hit(system) for system in systems], dtype=np.float64),
            f"{everyone} One without a judged abstract cannot have a hit.",
        ),
    )


def section(evaluation: Evaluation) -> Section:
    """Return Table 6 in its three readings."""
    systems = evaluation.entered("1.1")
    if not systems:
        return gaps.not_entered(TITLE, "1.1")
    prose = (
        "The paper's Table 6 calls its values Recall@5, but they are shares of claims (123 of 124, "
        "14 of 15, …), and its N counts all claims, also those with NEI gold alone; a hit there "
        "is most likely any judged abstract among the first five. So here are all three readings.",
        claim_groups.MEMBER_NOTE,
    )
    member = claim_groups.members(evaluation.gold)
    tables = [
        _table(evaluation, systems, member, reading)
        for reading in readings(evaluation.gold, systems)
    ]
    return Section(TITLE, prose, tuple(tables))


def _table(
    evaluation: Evaluation, systems: Sequence[System], member: Booleans, reading: Reading
) -> Table:
    groups = np.vstack([np.ones(member.shape[1], dtype=np.bool_), member])
    counted = (groups & ~np.isnan(reading.best)).sum(axis=1).tolist()
    names = [ATTAINABLE, *(system.team for system in systems)]
    rows: list[tuple[Cell, ...]] = [(CLAIMS, *counted)]
    for name, values in zip(names, [reading.best, *reading.by_system], strict=True):
        rows.append((name, *map(gaps.defined, by_group(values, groups))))
    return Table(
        name=reading.name,
        title=reading.title,
        columns=(Column("System"), Column("All claims"), *claim_groups.columns()),
        rows=tuple(rows),
        notes=(
            reading.note,
            claim_groups.NAMES_NOTE,
            *gaps.reasons(rows, "no such claim in the group."),
            *published.notes(evaluation.gold, _published()),
        ),
    )


def _published() -> list[str]:
    table = published.figures()["table6_narrative_groups"]
    said = [
        f"{name}: " + ", ".join(f"{table[name][key]:.3f}" for key in claim_groups.GROUPS)
        for name in ("Baseline", "ClimateSense")
    ]
    sizes = ", ".join(str(table["n"][key]) for key in claim_groups.GROUPS)
    return [f"Published in 2026, groups 0 to 5: {'; '.join(said)}; N: {sizes}."]
