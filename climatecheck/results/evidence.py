"""Which tasks a page looks into beyond the official scores, and what their figures rest on."""

import numpy as np

from climatecheck import edition
from climatecheck.metrics.counts import Numbers
from climatecheck.metrics.judgements import Judged
from climatecheck.privacy import answers_enough
from climatecheck.scoring import Scores
from climatecheck.tables import Booleans, Submission, Task1

WITHHELD = (
    f"the file answers fewer than {edition.PRIVACY_FLOOR} claims, or less than"
    f" {100 * edition.DIAGNOSTICS_SHARE:g}\u00a0% of all, so nothing is shown beyond the scores:"
    " figures over a few claims would give their gold away."
)


def open_tasks(submission: Submission) -> tuple[str, ...]:
    """Return those of the tasks entered whose diagnostics may be shown; the file alone decides."""
    return tuple(task for task in submission.tasks if answers_enough(answered(submission, task)))


def answered(submission: Submission, task: str) -> Booleans:
    """Return (claims,) which claims the file answers: with a row, or with a code at least."""
    found = np.zeros(len(submission.claims), dtype=np.bool_)
    if task != "2" and submission.task1 is not None:
        found[submission.task1.claim] = True
    if task == "2" and submission.task2 is not None:
        found[submission.task2.claim] = claims_with(submission.task2.codes)
    return found


def right(scores: Scores, task: str) -> Booleans:
    """Return (claims,) on which the file is right in what the official scores of a task count.

    For 1.1 an evidentiary abstract that adds to Recall or Bpref, for 1.2 a label, for 2 a code.
    One claim more or less moves these scores.
    """
    counts = scores.counts
    if task == "1.1" and counts.retrieval is not None:
        deepest = counts.retrieval.recall[edition.score_cutoff()]
        return (deepest.hits > 0) | (counts.retrieval.bpref.preferred > 0)
    if task == "1.2" and counts.verification is not None:
        return claims_with(np.diagonal(counts.verification, axis1=1, axis2=2))
    if task == "2" and counts.narratives is not None:
        return claims_with(counts.narratives.tp)
    return np.zeros(len(scores.claims), dtype=np.bool_)


def claims_with(marks: Numbers) -> Booleans:
    """Return (claims,) which claims have any of the marks or counts (claims, n)."""
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
