"""Which claims each task's figures rest on, and so whether its diagnostics may be shown."""

import numpy as np

from climatecheck import edition
from climatecheck.metrics.counts import Numbers
from climatecheck.metrics.judgements import Judged
from climatecheck.privacy import all_or_none, enough
from climatecheck.scoring import Scores
from climatecheck.tables import Booleans

WITHHELD = (
    f"fewer than {edition.PRIVACY_FLOOR} answered claims bear on the scores, so nothing is shown"
    " beyond them: figures over a few claims would give their gold away."
)


def open_tasks(scores: Scores) -> tuple[str, ...]:
    """Return those of the tasks entered whose diagnostics may be shown."""
    return tuple(task for task in scores.tasks if enough(bearing(scores, task)))


def bearing(scores: Scores, task: str) -> Booleans:
    """Return (claims,) which answered claims bear on the scores of a task.

    For 1.1 those with an evidentiary abstract in the gold, for 1.2 those with a judged and
    labelled pair, for 2 those with narratives in the gold and at least one code in the file.
    """
    counts = scores.counts
    if task == "1.1" and scores.judged is not None:
        return claims_with(scores.judged) & (scores.judged.relevant_of > 0)
    if task == "1.2" and counts.verification is not None:
        return _any(counts.verification.reshape(len(counts.verification), -1))
    if task == "2" and counts.narratives is not None:
        return _any(counts.narratives.tp | counts.narratives.fp)
    return np.zeros(len(scores.claims), dtype=np.bool_)


def claims_with(
    judged: Judged, *, above: int = 0, depth: int = edition.depth(), known: bool = False
) -> Booleans:
    """Return (claims,) which claims have a row after ``above``, up to ``depth``.

    Args:
        judged: the run.
        above: rows up to this one are left aside.
        depth: the last row that counts.
        known: whether only judged pairs count.
    """
    rows = (judged.run.position > above) & (judged.run.position <= depth)
    if known:
        rows &= judged.evidentiary | judged.nonrelevant
    return judged.per_claim(rows) > 0


def depths(judged: Judged) -> tuple[int, ...]:
    """Return the depths at which one measure may be shown side by side.

    Both depths differ by the rows between them alone: if only a few claims have such rows, or a
    few of these are judged, the difference would be about those claims.
    """
    asked, full = edition.ABSTRACTS_ASKED, edition.BPREF_DEPTH
    if asked >= full:
        return (full,)
    deeper = claims_with(judged, above=asked, depth=full)
    known = claims_with(judged, above=asked, depth=full, known=True)
    comparable = all_or_none(deeper) and (not deeper.any() or enough(known))
    return (asked, full) if comparable else (full,)


def _any(counts: Numbers) -> Booleans:
    some: Booleans = np.count_nonzero(counts, axis=1) > 0
    return some
