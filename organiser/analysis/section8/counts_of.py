"""The counts of a system for a task that it entered; asking for another task is a mistake."""

from typing import TypeVar

from climatecheck.metrics.judgements import Judged
from climatecheck.metrics.narratives import NarrativeCounts
from climatecheck.scoring import Retrieval
from climatecheck.tables import Integers
from organiser.analysis.systems import System

T = TypeVar("T")


def retrieval(system: System) -> Retrieval:
    """Return the counts of task 1.1.

    Raises:
        ValueError: the system did not enter the task.
    """
    return _entered(system, system.scores.counts.retrieval, "1.1")


def judged(system: System) -> Judged:
    """Return the run of task 1.1 beside its judgements.

    Raises:
        ValueError: the system did not enter the task.
    """
    return _entered(system, system.scores.judged, "1.1")


def verification(system: System) -> Integers:
    """Return the (claims, gold label, predicted label) counts of task 1.2.

    Raises:
        ValueError: the system did not enter the task.
    """
    return _entered(system, system.scores.counts.verification, "1.2")


def narratives(system: System) -> NarrativeCounts:
    """Return the counts of task 2.

    Raises:
        ValueError: the system did not enter the task.
    """
    return _entered(system, system.scores.counts.narratives, "2")


def _entered(system: System, counts: T | None, task: str) -> T:
    if counts is None:
        raise ValueError(f"{system.team} did not enter task {task}")
    return counts
