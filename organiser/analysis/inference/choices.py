"""Ranks under each choice that the task's definition leaves open: does a choice decide a rank?"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from climatecheck import edition
from climatecheck.metrics import bpref, narratives, recall, verification
from climatecheck.metrics.counts import mean_over_claims, ratio
from climatecheck.metrics.judgements import Judged
from climatecheck.metrics.narratives import LabelSet
from climatecheck.tables import Booleans, Floats, Integers
from organiser.analysis.inference import common_pairs
from organiser.analysis.inference.measures import MEASURES, Measure
from organiser.analysis.inference.ranks import ranks
from organiser.analysis.section8 import counts_of
from organiser.analysis.systems import Evaluation, System
from organiser.reporting.parts import Cell, Column, Section, Table

_K = edition.score_cutoff()

DEPTHS = (edition.BPREF_DEPTH, edition.ABSTRACTS_ASKED)
"""The official depth, and that of the abstracts asked for."""


@dataclass(frozen=True)
class Choice:
    """A score under some choices.

    Attributes:
        name: what is chosen; the official choices come first in any list.
        scores: (systems,) in the official order.
    """

    name: str
    scores: Floats


Systems: TypeAlias = tuple[System, ...]


def section(evaluation: Evaluation) -> Section:
    """Return the section: for each official score a table of scores and one of ranks."""
    parts: list[Table] = []
    for task, choices in _CHOICES.items():
        systems = evaluation.entered(task)
        if len(systems) > 1:
            parts += _tables(MEASURES[task], systems, choices(systems))
    common = common_pairs.table(evaluation)
    parts += [common] if common else []
    return Section("Ranks under other choices", _PROSE if parts else _NONE, tuple(parts))


def retrieval_choices(systems: Systems) -> list[Choice]:
    """Return Score1.1 under each denominator of Bpref, depth and set of claims."""
    runs = [counts_of.judged(system) for system in systems]
    return [
        Choice(
            f"Bpref over {'R' if plain else 'min(R, N)'} at depth {depth}; "
            f"{'all claims' if all_claims else 'claims answered'}",
            np.array(
                [
                    retrieval_score(run, plain=plain, depth=depth, all_claims=all_claims)
                    for run in runs
                ]
            ),
        )
        for all_claims, depth, plain in product((True, False), _distinct(DEPTHS), (True, False))
    ]


def retrieval_score(run: Judged, *, plain: bool, depth: int, all_claims: bool) -> float:
    """Return (Recall@K + Bpref) / 2.

    Args:
        run: the system's run.
        plain: whether Bpref divides by R (official), else by min(R, N) as trec_eval does.
        depth: how many rows Bpref looks at.
        all_claims: whether claims that the run leaves out count 0 (official), else not at all.
    """
    found = recall.per_claim(recall.count(run, cutoff=_K))
    preference = (
        bpref.per_claim(bpref.count(run, depth=depth)) if plain else trec_bpref(run, depth=depth)
    )
    return float(mean_over_claims((found + preference) / 2, _counted(run, all_claims=all_claims)))


def trec_bpref(run: Judged, *, depth: int) -> Floats:
    """Return (claims,) Bpref with the inner denominator min(R, N); NaN where R = 0.

    ``1/R * sum over retrieved evidentiary r of (1 - min(n, R) / min(R, N))`` with n the judged
    non-relevant abstracts above r; 1 in place of the bracket where there is none above.

    Source: trec_eval; Soboroff (2006), "Dynamic test collections: measuring search effectiveness on
    the live web", SIGIR, for min(R, N).
    """
    shallow = run.run.position <= depth
    counted = run.evidentiary & shallow
    claim = run.run.claim[counted]
    running = np.concatenate([[0], np.cumsum(run.nonrelevant)])
    row = np.flatnonzero(counted)
    above = running[row] - running[row - run.run.position[row] + 1]
    bound = np.minimum(run.relevant_of, run.nonrelevant_of)[claim]
    lost = ratio(np.minimum(above, run.relevant_of[claim]), bound)
    preferred = np.bincount(claim, weights=1 - lost, minlength=len(run))
    return ratio(preferred, run.relevant_of, undefined=np.nan)


def verification_choices(systems: Systems) -> list[Choice]:
    """Return Score1.2 under each depth, set of claims, and set of pairs."""
    runs = [counts_of.judged(system) for system in systems]
    depths = _distinct((edition.VERIFICATION_DEPTH, edition.ABSTRACTS_ASKED))
    found = [
        Choice(
            f"F1 at depth {depth}; {'all claims' if all_claims else 'claims answered'}",
            np.array(
                [
                    _verification_score(run, verification.count(run, depth=depth), all_claims)
                    for run in runs
                ]
            ),
        )
        for all_claims, depth in product((True, False), depths)
    ]
    common = common_pairs.common_counts(runs)
    if not common[0].any():
        return found
    scores = [_verification_score(run, c, True) for run, c in zip(runs, common, strict=True)]
    return [*found, Choice("F1 on the pairs of all systems; all claims", np.array(scores))]


def narrative_choices(systems: Systems) -> list[Choice]:
    """Return macro-F1 over each set of codes."""
    counts = [counts_of.narratives(system) for system in systems]
    return [
        Choice(name, np.array([narratives.macro(c, labels=labels).f1 for c in counts]))
        for name, labels in _LABEL_SETS.items()
    ]


_LABEL_SETS: dict[str, LabelSet] = {
    "Codes in the gold": "gold",
    "Codes in the gold or predicted by the system": "gold_or_predicted",
    "All codes of the taxonomy": "all",
}

_CHOICES: dict[str, Callable[[Systems], list[Choice]]] = {
    "1.1": retrieval_choices,
    "1.2": verification_choices,
    "2": narrative_choices,
}

_PROSE = (
    "Where the definition of a score leaves something open, this edition has chosen; the first row "
    "of each table is that official choice. The others show what the same submissions would have "
    "scored otherwise. In a row with 0 pairs reversed no two systems stand the other way round; "
    "ties may still be broken or made.",
    "Claims answered: claims that a run leaves out are no part of its average, so a run could "
    "answer the easy ones alone.",
)
_NONE = ("Fewer than two systems entered any one task, so no choice can decide a rank.",)


def _verification_score(run: Judged, counts: Integers, all_claims: bool) -> float:
    found = recall.recall(recall.count(run, cutoff=_K), _counted(run, all_claims=all_claims))
    return float(verification.weighted(counts).f1 + found)


def _counted(run: Judged, *, all_claims: bool) -> Booleans:
    if all_claims:
        return np.ones(len(run), dtype=np.bool_)
    answered = np.zeros(len(run), dtype=np.bool_)
    answered[run.run.claim] = True
    return answered


def _tables(measure: Measure, systems: Systems, choices: list[Choice]) -> list[Table]:
    teams = tuple(Column(system.team) for system in systems)
    official = choices[0].scores
    scores: list[tuple[Cell, ...]] = [(c.name, *_cells(c.scores)) for c in choices]
    ranked: list[tuple[Cell, ...]] = [
        (c.name, reversals(official, c.scores), *_ranks(c.scores)) for c in choices
    ]
    return [
        Table(
            f"choices_{measure.column}",
            f"{measure.title} under each choice",
            (Column("Choice"), *teams),
            tuple(scores),
        ),
        Table(
            f"choices_{measure.column}_ranks",
            f"Ranks by {measure.title} under each choice",
            (Column("Choice"), Column("Pairs reversed"), *teams),
            tuple(ranked),
            ("Pairs reversed: pairs of systems that stand the other way round, ties apart.",),
        ),
    ]


def reversals(official: Floats, other: Floats) -> int:
    """Return how many pairs of systems stand the other way round.

    >>> reversals(np.array([0.3, 0.2, 0.1]), np.array([0.1, 0.2, 0.2]))
    2
    """
    first, second = (np.sign(np.round(s[:, None] - s[None, :], 9)) for s in (official, other))
    return int(np.count_nonzero(first * second < 0)) // 2


def _cells(scores: Floats) -> list[Cell]:
    return [None if np.isnan(score) else float(score) for score in scores]


def _ranks(scores: Floats) -> list[Cell]:
    """Return ranks; a system without a value has none."""
    found = ranks(np.where(np.isnan(scores), -np.inf, scores))
    return [None if np.isnan(s) else int(rank) for s, rank in zip(scores, found, strict=True)]


def _distinct(depths: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(depths))
