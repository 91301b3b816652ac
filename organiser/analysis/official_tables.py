"""Tables 2 and 3 of the overview paper: the official scores, with bootstrap intervals."""

from collections.abc import Sequence

import numpy as np

from climatecheck import bootstrap, edition
from climatecheck.bootstrap import board_intervals
from climatecheck.leaderboard import recall_column, task_columns
from climatecheck.metrics import recall
from organiser.analysis.inference.ranks import ranks as ranks_of
from organiser.analysis.systems import Evaluation, System, official_column
from organiser.competition import columns_of, competition
from organiser.reporting.parts import Cell, Column, Section, Table

_INTERVALS = (
    f"In brackets: percentile bootstrap intervals of {100 * bootstrap.CONFIDENCE:.0f} % over the"
    f" claims ({bootstrap.RESAMPLES:,} resamples, seed {bootstrap.SEED}; the label set of macro"
    " averages is formed anew in each)."
)
_DASH = "A dash: the team did not enter that task."
_TASK1 = task_columns("1")
_SPLIT = _TASK1.index("score_1_2")
_COLUMNS_OF = {"1.1": _TASK1[:_SPLIT], "1.2": _TASK1[_SPLIT:], "2": task_columns("2")}


def section(evaluation: Evaluation) -> Section:
    """Return the section of the official results."""
    tables = [table2(evaluation), table3(evaluation)]
    entered = [table for table in tables if table.rows]
    prose = (
        "The official scores, in rank order. Score1.1 ranks task 1.1, Score1.2 ranks task 1.2 and"
        " macro-F1 ranks task 2; the best value of a column is in bold. Equal scores share a rank."
        if entered
        else "No system entered any task."
    )
    return Section("Official results", (prose,), tuple(entered))


def table2(evaluation: Evaluation) -> Table:
    """Return Table 2: task 1, ranked by Score1.1."""
    return _table(
        evaluation,
        "table2",
        "Task 1: abstract retrieval (1.1) and claim verification (1.2)",
        ("1.1", "1.2"),
        (f"{_most(evaluation)} {_INTERVALS}", _DASH),
    )


def table3(evaluation: Evaluation) -> Table:
    """Return Table 3: task 2, ranked by macro-F1."""
    note = (
        "Macro averages are over the codes that occur in the gold: one denominator for every"
        f" system. {_INTERVALS} A draw that misses a rare code leaves it out of the macro averages."
        " As rare codes are often those that a system gets wrong, draws then tend to score higher"
        " than all the claims do: intervals of macro averages are shifted, mostly upwards, and too"
        " narrow, and a value can lie outside its own."
    )
    return _table(evaluation, "table3", "Task 2: narrative classification", ("2",), (note,))


def ranks(evaluation: Evaluation, task: str) -> dict[str, int]:
    """Return each team's rank in a task: one more than the systems with a greater score."""
    column = official_column(task)
    entered = evaluation.entered(task)
    found = ranks_of(np.array([system.scores.board[column] for system in entered], dtype=float))
    return {system.team: int(rank) for system, rank in zip(entered, found, strict=True)}


def titles() -> dict[str, str]:
    """Return the title of each of the board's columns, as the leaderboard shows them."""
    return {key: column["title"] for key, column in columns_of(competition()).items()}


def score_columns(task: str) -> tuple[str, ...]:
    """Return the board's columns of a task (``1.1``, ``1.2`` or ``2``); the first one ranks it.

    >>> score_columns("1.2")[0]
    'score_1_2'
    """
    return _COLUMNS_OF[task]


def _table(
    evaluation: Evaluation, name: str, title: str, tasks: Sequence[str], notes: tuple[str, ...]
) -> Table:
    of_task = {task: {s.team: s for s in evaluation.entered(task)} for task in tasks}
    rank_of = {task: ranks(evaluation, task) for task in tasks}
    rows: list[tuple[Cell, ...]] = []
    for team in dict.fromkeys(team for entered in of_task.values() for team in entered):
        cells: list[Cell] = [team]
        for task in tasks:
            cells += [rank_of[task].get(team), *_scores(of_task[task].get(team), task)]
        rows.append(tuple(cells))
    columns = [Column("Team"), *(column for task in tasks for column in _columns(task))]
    return Table(name, title, tuple(columns), tuple(rows), notes)


def _columns(task: str) -> list[Column]:
    made = [Column(f"Rank {task}")]
    for key in score_columns(task):
        made += [
            Column(titles()[key], name=key, best=True),
            Column("", name=f"{key}_95", interval=True),
        ]
    return made


def _scores(system: System | None, task: str) -> list[Cell]:
    keys = score_columns(task)
    if system is None:
        return [None] * (2 * len(keys))
    intervals = board_intervals(system.scores.counts)
    return [cell for key in keys for cell in (system.scores.board[key], intervals[key])]


def _most(evaluation: Evaluation) -> str:
    """Return in words the greatest Recall that the gold allows."""
    retrieval = next(
        (s.scores.counts.retrieval for s in evaluation.systems if s.scores.counts.retrieval), None
    )
    if retrieval is None:
        return ""
    parts = [
        f"{recall.attainable(retrieval.recall[cutoff]):.3f} of {titles()[recall_column(cutoff)]}"
        for cutoff in edition.RECALL_CUTOFFS
    ]
    return f"At most {' and '.join(parts)} can be reached."
