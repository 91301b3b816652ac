"""Which of a team's uploads stands for it in which task."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from climatecheck.scoring import Scores, score
from climatecheck.tables import NO_LABEL, Gold, Submission
from organiser.analysis.systems import TASKS, official_column
from organiser.analysis.uploads.bulk_download import Upload
from organiser.editions import OrganiserError


@dataclass(frozen=True)
class Read:
    """An upload that was read, and the tasks in which it stands for its team."""

    upload: Upload
    submission: Submission
    stands_for: tuple[str, ...] = ()


Pick = Callable[[Sequence[Read], Gold], list[Read]]


def last(uploads: Sequence[Read], gold: Gold) -> list[Read]:
    """Return a team's uploads, of which the last valid one stands for it in all its tasks."""
    valid = [read for read in uploads if read.submission.valid]
    return [
        replace(read, stands_for=read.submission.tasks if read is valid[-1] else ())
        for read in valid
    ]


def best(uploads: Sequence[Read], gold: Gold) -> list[Read]:
    """Return a team's uploads, of which the best in each task stands for it; the later if equal."""
    valid = [read for read in uploads if read.submission.valid]
    boards = [score(read.submission, gold).board for read in valid]
    chosen = {}
    for task in TASKS:
        entered = [place for place, read in enumerate(valid) if task in read.submission.tasks]
        if entered:
            column = official_column(task)
            chosen[task] = max(entered, key=lambda place: (round(boards[place][column], 9), place))
    return [
        replace(read, stands_for=tuple(task for task in TASKS if chosen.get(task) == place))
        for place, read in enumerate(valid)
    ]


PICKS: dict[str, Pick] = {"last": last, "best": best}


def pick_of(name: str) -> Pick:
    """Return the rule of a name.

    Raises:
        OrganiserError: there is no such rule.
    """
    if name not in PICKS:
        raise OrganiserError(f"PICK is “{name}”; it can be {' or '.join(PICKS)}.")
    return PICKS[name]


def restricted(submission: Submission, tasks: Sequence[str]) -> Submission:
    """Return what a submission says for some of its tasks.

    Task 1.2 needs its run, so for it alone the run stays.
    """
    run = submission.task1
    if run is not None and "1.2" not in tasks:
        unlabelled = np.full(len(run), NO_LABEL, dtype=np.int64)
        run = replace(run, label=unlabelled, has_labels=False) if "1.1" in tasks else None
    return replace(submission, task1=run, task2=submission.task2 if "2" in tasks else None)


def scored(submission: Submission, gold: Gold, tasks: Sequence[str]) -> Scores:
    """Return the scores of a restricted submission, as entered for these tasks alone."""
    return replace(score(submission, gold), tasks=tuple(tasks))
