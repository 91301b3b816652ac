"""The board's columns by task, and ``scores.json``: complete and finite, or not written at all.

The platform ranks a missing value first and drops whatever is not a plain number without a word.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence

from climatecheck import edition

TASKS = ("1", "2")

BLIND_COLUMN = "accepted"
"""The one column of a blind board: 1 for an accepted file."""


def recall_column(cutoff: int) -> str:
    """Return the column of Recall at a cut-off.

    >>> recall_column(5)
    'recall_at_5'
    """
    return f"recall_at_{cutoff}"


def task_columns(task: str) -> tuple[str, ...]:
    """Return the keys of one task's columns, in the board's order; the first one ranks.

    Args:
        task: ``1`` or ``2``.

    Raises:
        ValueError: there is no such task.

    >>> task_columns("2")[0]
    'narrative_f1_macro'
    """
    columns = {
        "1": (
            "score_1_1",
            *(recall_column(cutoff) for cutoff in edition.RECALL_CUTOFFS),
            "bpref",
            "score_1_2",
            "verification_precision",
            "verification_recall",
            "verification_f1",
        ),
        "2": (
            "narrative_f1_macro",
            "narrative_precision_macro",
            "narrative_recall_macro",
            "narrative_f1_micro",
            "narrative_f1_weighted",
        ),
    }
    if task not in columns:
        raise ValueError(f"there is no task {task!r}; the tasks are {', '.join(columns)}")
    return columns[task]


def board_columns(tasks: Iterable[str] = TASKS) -> tuple[str, ...]:
    """Return the keys of the columns of a board of these tasks, in the board's order.

    >>> len(board_columns())
    13
    """
    return tuple(column for task in tasks for column in task_columns(task))


def scores_json(values: Mapping[str, object], columns: Sequence[str]) -> str:
    """Return the content of ``scores.json``, in the order of the columns.

    Args:
        values: a number for each column.
        columns: the board's columns.

    Raises:
        ValueError: a column has no value, a value has no column, or is no finite number; the
            message names all of them.

    >>> print(scores_json({"b": 1, "a": 0.5}, ["a", "b"]), end="")
    {
      "a": 0.5,
      "b": 1.0
    }
    """
    faults = {
        "missing": [column for column in columns if column not in values],
        "not on the board": [key for key in values if key not in columns],
        "not a finite number": [key for key, value in values.items() if not _finite(value)],
    }
    found = [f"{what}: {', '.join(map(repr, keys))}" for what, keys in faults.items() if keys]
    if found:
        raise ValueError(f"these scores cannot go on the board: {'; '.join(found)}")
    numbers = {column: float(values[column]) for column in columns}  # type: ignore[arg-type]
    return json.dumps(numbers, indent=2, allow_nan=False) + "\n"


def _finite(value: object) -> bool:
    try:
        return math.isfinite(value)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return False
