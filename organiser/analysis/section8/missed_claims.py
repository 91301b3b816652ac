"""Claims that every system misses. For organisers alone: it shows the gold.

Source: the shared task's overview paper, section 8.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from climatecheck import edition, taxonomy
from climatecheck.metrics import outcomes
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.metrics.narratives import NarrativeCounts
from climatecheck.tables import Booleans, Gold
from organiser.analysis import published
from organiser.analysis.section8 import counts_of
from organiser.analysis.section8.ensembles import answers_of, plurality
from organiser.analysis.section8.narrative_groups import evidentiary_hit
from organiser.analysis.section8.recall_by_claim import CUTOFF
from organiser.analysis.systems import Evaluation, System
from organiser.reporting.parts import Cell, Column, Section, Table

TITLE = "Claims that every system misses"


def missed_narratives(every: Sequence[NarrativeCounts]) -> Booleans:
    """Return (claims,) whether the claim is evaluated and no system is exact on it."""
    exact: Booleans = np.logical_or.reduce([counts.exact for counts in every])
    return every[0].evaluated & ~exact


def missed_retrieval(gold: Gold, systems: Sequence[System]) -> Booleans:
    """Return (claims,) whether it has evidentiary abstracts, but none in anyone's first K."""
    answerable = np.zeros(len(gold.claims), dtype=np.bool_)
    answerable[gold.claim[is_evidentiary(gold.label)]] = True
    found: Booleans = np.logical_or.reduce([evidentiary_hit(system) for system in systems])
    return answerable & ~found


def section(evaluation: Evaluation) -> Section:
    """Return the claims that all systems of task 2 miss, and those of task 1.1."""
    prose = (
        "These tables show the gold and are for organisers alone. A claim is missed in task 2 if "
        "no system gives exactly its codes, and in task 1.1 if it has evidentiary abstracts and no "
        f"system has one of them among its first {CUTOFF}.",
    )
    parts = []
    if evaluation.entered("2"):
        parts.append(_narratives(evaluation))
    if evaluation.entered("1.1"):
        parts.append(_retrieval(evaluation))
    return Section(TITLE, prose, tuple(parts))


def _narratives(evaluation: Evaluation) -> Table:
    systems = evaluation.entered("2")
    every = [counts_of.narratives(system) for system in systems]
    missed = missed_narratives(every)
    commonest = plurality(answers_of(every))
    right_group = np.sum([outcomes.count(counts).right_group for counts in every], axis=0)
    gold = evaluation.gold.narratives.dense(len(missed))
    rows: Iterable[tuple[Cell, ...]] = (
        (
            evaluation.claims.ids[claim],
            evaluation.claims.texts[claim],
            _joined(gold[claim]),
            _joined(commonest[claim]),
            int(right_group[claim]),
        )
        for claim in np.flatnonzero(missed)
    )
    told = published.section8()["claims_missed_by_all_systems"]
    return Table(
        name="missed_narratives",
        title=f"Task 2: claims on which none of {len(systems)} systems is exact",
        columns=(
            Column("Claim", name="claim_id"),
            Column("Text"),
            Column("Gold"),
            Column("Commonest answer"),
            Column("Systems in the right groups"),
        ),
        rows=tuple(rows),
        notes=(
            f"{missed.sum()} of {every[0].evaluated.sum()} claims.",
            *published.notes(
                evaluation.gold, [f"Published in 2026: {told} claims missed by all systems."]
            ),
        ),
    )


def _retrieval(evaluation: Evaluation) -> Table:
    systems = evaluation.entered("1.1")
    gold = evaluation.gold
    missed = missed_retrieval(gold, systems)
    answerable = len(np.unique(gold.claim[is_evidentiary(gold.label)]))
    rows = tuple(
        (
            evaluation.claims.ids[claim],
            evaluation.claims.texts[claim],
            *_evidence(evaluation, claim),
        )
        for claim in np.flatnonzero(missed).tolist()
    )
    labels = [Column(f"{label} (abstracts)") for label in edition.EVIDENTIARY_LABELS]
    return Table(
        name="missed_retrieval",
        title=f"Task 1.1: claims of which none of {len(systems)} systems finds an abstract",
        columns=(Column("Claim", name="claim_id"), Column("Text"), *labels),
        rows=rows,
        notes=(f"{len(rows)} of {answerable} claims that have an evidentiary abstract.",),
    )


def _evidence(evaluation: Evaluation, claim: int) -> list[str]:
    """Return the ids of the claim's abstracts with each evidentiary label."""
    gold = evaluation.gold
    return [
        ", ".join(map(str, gold.abstract[(gold.claim == claim) & (gold.label == label)].tolist()))
        for label in map(edition.LABELS.index, edition.EVIDENTIARY_LABELS)
    ]


def _joined(codes: Booleans) -> str:
    return ";".join(np.array(taxonomy.CODES)[codes]) or "no code"
