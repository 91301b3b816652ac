"""Verification on the judged pairs that all systems retrieved: labels compared on equal terms.

Officially each system is judged on the pairs that it retrieved itself, so a system with easier
pairs has an easier task. Here all have the same ones, and retrieval plays no part.
"""

from collections.abc import Sequence

import numpy as np

from climatecheck import edition
from climatecheck.metrics import verification
from climatecheck.metrics.judgements import Judged
from climatecheck.tables import NO_LABEL, Integers
from organiser.analysis.inference.ranks import ranks
from organiser.analysis.section8 import counts_of
from organiser.analysis.systems import Evaluation
from organiser.reporting.parts import Cell, Column, Table


def table(evaluation: Evaluation) -> Table | None:
    """Return the table; None where fewer than two systems entered task 1.2."""
    systems = evaluation.entered("1.2")
    if len(systems) < 2:
        return None
    counts = common_counts([counts_of.judged(system) for system in systems])
    own = [counts_of.verification(system) for system in systems]
    found = [verification.weighted(of_system) for of_system in counts]
    official = np.array([verification.weighted(of_system).f1 for of_system in own])
    common = int(counts[0].sum())
    rank, own_rank = ranks(np.array([values.f1 for values in found])), ranks(official)
    rows: list[tuple[Cell, ...]] = []
    for i, system in enumerate(systems):
        shown: tuple[Cell, ...] = (*map(float, found[i]), int(rank[i])) if common else (None,) * 4
        rows.append(
            (system.team, int(own[i].sum()), float(official[i]), int(own_rank[i]), common, *shown)
        )
    columns = (
        Column("System"),
        Column("Judged pairs of its own"),
        Column("F1, official"),
        Column("Rank by it"),
        Column("Pairs of all systems"),
        Column("Precision there"),
        Column("Recall there"),
        Column("F1 there"),
        Column("Rank there"),
    )
    note = (
        "Precision, recall and F1 are weighted by the gold support among the pairs in question: "
        f"those in the gold that stand among a claim's first {edition.VERIFICATION_DEPTH} rows, of "
        "one system or of all of them."
    )
    return Table(
        "common_pairs",
        "Verification on the pairs that all systems retrieved",
        columns,
        tuple(rows),
        (note,),
    )


def common_counts(
    runs: Sequence[Judged], *, depth: int = edition.VERIFICATION_DEPTH
) -> list[Integers]:
    """Return each system's confusion counts over the judged pairs that all of them rank.

    Args:
        runs: systems that entered task 1.2, at least one.
        depth: how many of a claim's rows count.

    Returns:
        (claims, gold label, predicted label) each, with equal sums over predicted labels.
    """
    kept = [
        (run.gold_label != NO_LABEL) & (run.run.label != NO_LABEL) & (run.run.position <= depth)
        for run in runs
    ]
    pairs = [run.run.claim * edition.CORPUS_SIZE + run.run.abstract for run in runs]
    common = pairs[0][kept[0]]
    for of_run, rows in zip(pairs[1:], kept[1:], strict=True):
        common = np.intersect1d(common, of_run[rows])
    labels = len(edition.LABELS)
    counts = []
    for run, of_run, rows in zip(runs, pairs, kept, strict=True):
        chosen = rows & np.isin(of_run, common)
        claim, gold = run.run.claim[chosen], run.gold_label[chosen].astype(np.int64)
        cell = (claim * labels + gold) * labels + run.run.label[chosen]
        cells = np.bincount(cell, minlength=len(run) * labels**2)
        counts.append(cells.reshape(len(run), labels, labels))
    return counts
