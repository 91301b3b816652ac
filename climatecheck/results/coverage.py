"""How much of the test claims was answered, and how much of the retrieved is judged at all."""

from collections.abc import Sequence

import numpy as np

from climatecheck import edition
from climatecheck.metrics.judgements import Judged
from climatecheck.privacy import about, enough
from climatecheck.results.evidence import answered
from climatecheck.results.markup import paragraph, rounded, section, share, table
from climatecheck.scoring import Scores
from climatecheck.tables import Integers, Submission

_LEFT_OUT = (
    "A claim that is left out counts 0 in retrieval, and as none predicted in task 2. So does an"
    " empty narrative."
)
_UNJUDGED = (
    "A pair is judged if annotators have read the claim and the abstract together. Nobody has"
    " judged the other pairs, so nobody knows whether they are right. They count neither for nor"
    " against you in Bpref and in task 1.2; in Recall they take a place that an evidentiary"
    " abstract could have. The smaller the share of judged pairs, the less these scores say of"
    " your system."
)
_NOT_SAID = (
    "How many of the retrieved pairs are judged is said only of a file whose labels are right on at"
    f" least {edition.PRIVACY_FLOOR} claims and wrong on as many: there the scores of task 1.2 tell"
    " it anyway."
)
_HEADS = ("Part", "Number", "Of", "Share")


def coverage(submission: Submission, scores: Scores, opened: tuple[str, ...]) -> str:
    """Return the section of coverage.

    What was answered is the participant's own. How much of it is judged is said only where a
    judged pair more or less moves the official scores: with k of n judged pairs rightly labelled
    their weighted recall is k / n, which stands still only at 0 and at 1.
    """
    counts, judged = scores.counts.verification, scores.judged
    rows, note = _answered(submission), _NOT_SAID if "1.1" in opened else ""
    if "1.2" in opened and counts is not None and judged is not None and _told(counts):
        rows.append(_judged(judged, counts))
        note = _UNJUDGED
    return section(
        "Coverage",
        table("What the file answers, and what of it is judged", _HEADS, rows),
        paragraph(_LEFT_OUT, "soft"),
        paragraph(note, "soft"),
    )


def _answered(submission: Submission) -> list[Sequence[object]]:
    total = len(submission.claims)
    rows: list[Sequence[object]] = []
    for task, entered in (("1.1", submission.task1), ("2", submission.task2)):
        if entered is not None:
            number = int(np.count_nonzero(answered(submission, task)))
            part = f"Task {task[0]}: claims answered"
            rows.append((part, number, total, share(number / max(total, 1))))
    return rows


def _told(counts: Integers) -> bool:
    """Return whether enough claims have a pair that is rightly labelled, and one that is not.

    Args:
        counts: (claims, gold label, predicted label) judged pairs.
    """
    right = np.trace(counts, axis1=1, axis2=2)
    return enough(right > 0) and enough(counts.sum(axis=(1, 2)) > right)


def _judged(judged: Judged, counts: Integers) -> Sequence[object]:
    """Return how many pairs are judged, among the rows that the scores of task 1.2 look at."""
    depth = edition.VERIFICATION_DEPTH
    rows = int(np.count_nonzero(judged.run.position <= depth))
    number = about(int(counts.sum()))
    name = f"Retrieved pairs that are judged, first {depth} rows"
    return (name, rounded(number), rows, share(number / rows))
