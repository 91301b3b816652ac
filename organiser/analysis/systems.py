"""The systems of an evaluation: each team's submission, read, scored and with its fact sheet."""

from dataclasses import dataclass, field

from climatecheck.board import Facts
from climatecheck.leaderboard import task_columns
from climatecheck.problems import Problem
from climatecheck.scoring import Scores
from climatecheck.tables import Claims, Gold, Submission

TASKS = ("1.1", "1.2", "2")


@dataclass(frozen=True)
class System:
    """A valid submission of a team.

    Attributes:
        team: as it is shown.
        file: the name of the upload.
        submission: what it says.
        scores: under the evaluation's gold.
        fact_sheet: answers by question key; empty where none is known.
    """

    team: str
    file: str
    submission: Submission
    scores: Scores
    fact_sheet: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Refused:
    """A submission that is not scored, and why."""

    team: str
    file: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Evaluation:
    """All systems under one gold.

    Attributes:
        claims: the test claims.
        gold: the reference data.
        facts: what the edition says of itself.
        systems: one a team, by name of the team.
        refused: what was uploaded and not scored.
        sheet_notes: what must be said of the fact sheets that were looked for.
    """

    claims: Claims
    gold: Gold
    facts: Facts
    systems: tuple[System, ...]
    refused: tuple[Refused, ...] = ()
    sheet_notes: tuple[str, ...] = ()

    def entered(self, task: str) -> tuple[System, ...]:
        """Return the systems that entered a task (``1.1``, ``1.2`` or ``2``), the best first.

        Ordered by the task's official score; scores equal but for rounding by name of the team.
        """
        column = official_column(task)
        entered = [system for system in self.systems if task in system.scores.tasks]
        return tuple(sorted(entered, key=lambda s: (-round(s.scores.board[column], 9), s.team)))


def official_column(task: str) -> str:
    """Return the board's column by which a task is ranked.

    >>> [official_column(task) for task in TASKS]
    ['score_1_1', 'score_1_2', 'narrative_f1_macro']
    """
    return "score_1_2" if task == "1.2" else task_columns(task[0])[0]
