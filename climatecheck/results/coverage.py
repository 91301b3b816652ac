"""How much of the test claims was answered, and how much of the retrieved is judged at all.

Diagnostics of a task are shown only if they rest on enough claims (``edition.PRIVACY_FLOOR``), so
that no single claim's gold can be read off them.
"""

import numpy as np

from climatecheck import edition
from climatecheck.results.markup import paragraph, section, table
from climatecheck.scoring import Scores
from climatecheck.tables import Submission, Task1, Task2

_FEW = (
    f"For a task with fewer than {edition.PRIVACY_FLOOR} answered claims nothing is shown beyond"
    " the official scores."
)
_UNJUDGED = (
    "Nobody has judged the other pairs. They count neither for nor against you in Bpref and in task"
    " 1.2; in Recall they take a place that an evidentiary abstract could have."
)


def coverage(submission: Submission, scores: Scores) -> str:
    """Return the section of coverage."""
    total = len(submission.claims)
    answered = [
        (name, count, f"of {total:,}", count / total)
        for name, count in (
            ("Task 1: claims answered", _answered(submission.task1)),
            ("Task 2: claims answered", _answered(submission.task2)),
        )
        if count is not None
    ]
    few = any(count < edition.PRIVACY_FLOOR for _, count, _, _ in answered)
    judged = _judged(submission, scores)
    return section(
        "Coverage",
        table("What your file answers", ["Part", "Number", "Of", "Share"], [*answered, *judged]),
        paragraph(_UNJUDGED if judged else "", "soft"),
        paragraph(_FEW if few else "", "soft"),
    )


def _answered(task: Task1 | Task2 | None) -> int | None:
    return None if task is None else len(np.unique(task.claim))


def _judged(submission: Submission, scores: Scores) -> list[tuple[str, int, str, float]]:
    judged = scores.judged
    answered = _answered(submission.task1)
    if judged is None or answered is None or answered < edition.PRIVACY_FLOOR:
        return []
    rows = judged.run.position <= edition.depth()
    known = int(((judged.evidentiary | judged.nonrelevant) & rows).sum())
    total = int(rows.sum())
    return [
        (
            f"Retrieved pairs that are judged, first {edition.depth()} rows",
            known,
            f"of {total:,}",
            known / total,
        )
    ]
