"""Every score under two golds, and the ranks that change: a correction, or new judgements."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from climatecheck import edition
from climatecheck.tables import Gold, Integers
from organiser.analysis.official_tables import ranks, score_columns, titles
from organiser.analysis.systems import TASKS, Evaluation, official_column
from organiser.analysis.uploads.picking import scored
from organiser.reporting.parts import Cell, Column, Section, Table

TITLE = "Two golds"


def section(evaluation: Evaluation, old_gold: Gold | None) -> Section:
    """Return the section; without tables if there is no other gold.

    Args:
        evaluation: under the gold of today.
        old_gold: the gold to compare with, for the same claims.
    """
    if old_gold is None:
        return Section(TITLE, ("No other gold was given to compare with.",), ())
    before = under(evaluation, old_gold)
    prose = (
        "Each score under the gold of today and under an older one, and what it does to the ranks."
        f" The hashes are {old_gold.digest or 'unknown'} (old) and"
        f" {evaluation.gold.digest or 'unknown'} (new).",
    )
    tables = (changes(old_gold, evaluation.gold), _ranks(before, evaluation))
    return Section(TITLE, prose, (*tables, _scores(before, evaluation)))


def under(evaluation: Evaluation, gold: Gold) -> Evaluation:
    """Return the same systems, scored with another gold."""
    systems = tuple(
        replace(system, scores=scored(system.submission, gold, system.scores.tasks))
        for system in evaluation.systems
    )
    return replace(evaluation, gold=gold, systems=systems)


def changes(old: Gold, new: Gold) -> Table:
    """Return how many judgements were added, removed and relabelled, by task."""
    before, after = _pair_keys(old), _pair_keys(new)
    kept, place_old, place_new = np.intersect1d(before, after, return_indices=True)
    relabelled = old.label[place_old] != new.label[place_new]
    codes_old = old.narratives.dense(len(old.claims))
    codes_new = new.narratives.dense(len(new.claims))
    has_old, has_new = codes_old.any(axis=1), codes_new.any(axis=1)
    changed = (codes_old != codes_new).any(axis=1) & has_old & has_new
    rows = (
        (
            "Task 1: claim-abstract pairs",
            len(before),
            len(after),
            len(after) - len(kept),
            len(before) - len(kept),
            int(relabelled.sum()),
        ),
        (
            "Task 2: claims",
            int(has_old.sum()),
            int(has_new.sum()),
            int((has_new & ~has_old).sum()),
            int((has_old & ~has_new).sum()),
            int(changed.sum()),
        ),
    )
    columns = ("Gold", "Old", "New", "Added", "Removed", "Changed")
    return Table("gold_changes", "What changed in the gold", _columns(*columns), rows)


def _ranks(before: Evaluation, after: Evaluation) -> Table:
    rows = [row for task in TASKS for row in _rank_rows(before, after, task)]
    columns = (
        "Team",
        "Task",
        "Old score",
        "New score",
        "Difference",
        "Old rank",
        "New rank",
        "Places won",
    )
    return Table(
        "two_golds_ranks",
        "Official scores and ranks under both golds",
        _columns(*columns),
        tuple(rows),
        ("Places won are ranks gained under the new gold; a loss is negative.",),
    )


def _rank_rows(before: Evaluation, after: Evaluation, task: str) -> Iterator[tuple[Cell, ...]]:
    column = official_column(task)
    old_rank, new_rank = ranks(before, task), ranks(after, task)
    old_score = {system.team: system.scores.board[column] for system in before.entered(task)}
    for system in after.entered(task):
        team, old, new = system.team, old_score[system.team], system.scores.board[column]
        place = (old_rank[team], new_rank[team], old_rank[team] - new_rank[team])
        yield team, task, old, new, new - old, *place


def _scores(before: Evaluation, after: Evaluation) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for task in TASKS:
        old = {system.team: system.scores.board for system in before.entered(task)}
        for system in after.entered(task):
            for key in score_columns(task):
                there, here = old[system.team][key], system.scores.board[key]
                rows.append((system.team, titles()[key], there, here, here - there))
    columns = ("Team", "Score", "Old gold", "New gold", "Difference")
    return Table("two_golds", "Every score under both golds", _columns(*columns), tuple(rows))


def _pair_keys(gold: Gold) -> Integers:
    """Return a number for each judged pair, sorted as the gold is."""
    return gold.claim * edition.CORPUS_SIZE + gold.abstract


def _columns(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name) for name in names)
