"""Which tasks a page looks into beyond the official scores; the file alone decides."""

import numpy as np

from climatecheck import edition
from climatecheck.metrics.judgements import Judged
from climatecheck.privacy import answers_enough
from climatecheck.tables import Booleans, Submission, Task1

WITHHELD = (
    f"the file answers fewer than {edition.PRIVACY_FLOOR} claims, or less than"
    f" {100 * edition.DIAGNOSTICS_SHARE:g}\u00a0% of all, so nothing is shown beyond the scores:"
    " figures over a few claims would give their gold away."
)


def open_tasks(submission: Submission) -> tuple[str, ...]:
    """Return those of the tasks entered whose diagnostics may be shown."""
    return tuple(task for task in submission.tasks if answers_enough(answered(submission, task)))


def answered(submission: Submission, task: str) -> Booleans:
    """Return (claims,) which claims the file answers: with a row, or with a code at least."""
    found = np.zeros(len(submission.claims), dtype=np.bool_)
    if task != "2" and submission.task1 is not None:
        found[submission.task1.claim] = True
    if task == "2" and submission.task2 is not None:
        found[submission.task2.claim] = claims_with(submission.task2.codes)
    return found


def claims_with(marks: Booleans) -> Booleans:
    """Return (claims,) which claims have any of the marks (claims, n)."""
    some: Booleans = np.count_nonzero(marks, axis=1) > 0
    return some


def depths(judged: Judged) -> tuple[int, ...]:
    """Return the depths at which Bpref may be shown side by side.

    Both values differ by the rows between the depths alone, so that a few claims with such rows
    would be told by the difference.
    """
    asked, full = edition.ABSTRACTS_ASKED, edition.BPREF_DEPTH
    if asked >= full:
        return (full,)
    deeper = _claims_between(judged.run, asked, full, len(judged))
    return (asked, full) if not deeper.any() or answers_enough(deeper) else (full,)


def _claims_between(run: Task1, above: int, depth: int, claims: int) -> Booleans:
    found = np.zeros(claims, dtype=np.bool_)
    found[run.claim[(run.position > above) & (run.position <= depth)]] = True
    return found
