"""How much of the test claims was answered, and how much of the retrieved is judged at all."""

import numpy as np

from climatecheck.metrics.judgements import Judged
from climatecheck.privacy import enough
from climatecheck.results.evidence import claims_with, depths
from climatecheck.results.markup import paragraph, section, share, table
from climatecheck.scoring import Scores
from climatecheck.tables import Submission

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


def coverage(submission: Submission, scores: Scores) -> str:
    """Return the section of coverage.

    What was answered is the participant's own; how much of it is judged is said only if enough
    claims have a judged pair.
    """
    judged = _judged(scores.judged) if scores.judged is not None else []
    return section(
        "Coverage",
        table(
            "What the file answers, and what of it is judged",
            ["Part", "Number", "Of", "Share"],
            [
                (name, number, total, share(number / max(total, 1)))
                for name, number, total in [*_answered(submission), *judged]
            ],
        ),
        paragraph(_LEFT_OUT, "soft"),
        paragraph(_UNJUDGED if judged else "", "soft"),
    )


def _answered(submission: Submission) -> list[tuple[str, int, int]]:
    total = len(submission.claims)
    rows = []
    if submission.task1 is not None:
        rows.append(("Task 1: claims answered", len(np.unique(submission.task1.claim)), total))
    if submission.task2 is not None:
        answered = int(submission.task2.codes.any(axis=1).sum())
        rows.append(("Task 2: claims answered", answered, total))
    return rows


def _judged(judged: Judged) -> list[tuple[str, int, int]]:
    """Return how many pairs are judged, among each claim's first rows."""
    known = judged.evidentiary | judged.nonrelevant
    rows = []
    for depth in depths(judged):
        within = judged.run.position <= depth
        if enough(claims_with(judged, depth=depth, known=True)):
            name = f"Retrieved pairs that are judged, first {depth} rows"
            rows.append((name, int((known & within).sum()), int(within.sum())))
    return rows
