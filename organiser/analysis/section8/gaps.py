"""What is undefined or was not entered: a dash with its reason, never a 0."""

from collections.abc import Iterable, Sequence

import numpy as np

from organiser.reporting.parts import Cell, Section


def defined(value: float) -> float | None:
    """Return a number as a cell; a dash where it is NaN.

    >>> defined(np.float64(0.5)), defined(np.nan)
    (0.5, None)
    """
    return None if np.isnan(value) else float(value)


def reasons(rows: Iterable[Sequence[Cell]], reason: str) -> tuple[str, ...]:
    """Return the reason as a note if any cell of a table is a dash.

    >>> reasons([("a", 1.0), ("b", None)], "No claim.")
    ('A dash: No claim.',)
    """
    return (f"A dash: {reason}",) if any(None in row for row in rows) else ()


def not_entered(title: str, task: str) -> Section:
    """Return the section of an analysis for which there is no system."""
    return Section(title, (f"No system entered task {task}.",), ())
