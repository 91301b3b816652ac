"""Hierarchical precision, recall and F1 of each system: credit for the right group.

Source: Kiritchenko et al. (2006); asked for in the shared task's overview paper, section 8.
"""

from climatecheck.metrics import hierarchical, narratives
from climatecheck.metrics.hierarchical import HierarchicalCounts
from organiser.analysis.section8 import counts_of, gaps
from organiser.analysis.systems import Evaluation
from organiser.reporting.parts import Cell, Column, Section, Table

TITLE = "Credit for the right group"


def cells(counts: HierarchicalCounts) -> tuple[float | None, float | None, float | None]:
    """Return hP, hR and hF as cells; a dash where there is no node to divide by.

    >>> import numpy as np
    >>> one, none = np.array([1]), np.array([0])
    >>> cells(HierarchicalCounts(common=none, predicted=one, gold=none))
    (0.0, None, 0.0)
    """
    predicted, gold = int(counts.predicted.sum()), int(counts.gold.sum())
    found = hierarchical.micro(counts)
    return (
        float(found.precision) if predicted else None,
        float(found.recall) if gold else None,
        float(found.f1) if predicted + gold else None,
    )


def section(evaluation: Evaluation) -> Section:
    """Return hierarchical scores with and without ``0_0``, beside macro-F1."""
    systems = evaluation.entered("2")
    if not systems:
        return gaps.not_entered(TITLE, "2")
    rows: list[tuple[Cell, ...]] = []
    for system in systems:
        counts = counts_of.narratives(system)
        with_none, without = hierarchical.count(counts), hierarchical.count_narratives(counts)
        macro = float(narratives.macro(counts).f1)
        rows.append((system.team, macro, *cells(with_none), *cells(without)))
    names = [Column(f"h{letter}") for letter in "PRF"]
    names += [Column(f"h{letter} without 0_0") for letter in "PRF"]
    table = Table(
        name="hierarchical",
        title="Hierarchical precision, recall and F1 of task 2",
        columns=(Column("System"), Column("Macro-F1"), *names),
        rows=tuple(rows),
        notes=gaps.reasons(rows, "no node is predicted, or none is in the gold."),
    )
    prose = (
        "Each code is taken with its group, X_0 being group X itself and 0_0 one node, and the "
        "nodes are summed over claims, so a wrong code in the right group still earns the node of "
        "the group. Where most claims are 0_0, the values without it say more of the narratives.",
    )
    return Section(TITLE, prose, (table,))
