"""Chooses BM25's k1 and b by the official score of task 1.1 on judged claims."""

from dataclasses import dataclass

import numpy as np

from baselines.bm25 import K1, B, Index
from baselines.postings import Postings
from baselines.progress import Progress
from climatecheck import edition, score
from climatecheck.tables import NO_LABEL, Gold, Integers, Submission, Task1

K1_TRIED = (0.4, 0.6, 0.9, 1.2, 1.6, 2.0, 3.0)
B_TRIED = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)


@dataclass(frozen=True)
class Tuning:
    """What was chosen.

    Attributes:
        k1, b: the settings.
        score: their Score1.1 on the judged claims.
        usual: that of the usual settings.
    """

    k1: float
    b: float
    score: float
    usual: float


def tuned(postings: Postings, gold: Gold, *, progress: str | None = None) -> Tuning:
    """Return the best settings: k1 at the usual b, then b at that k1; of equals the first tried.

    The usual settings are tried first, so that others must be better.

    Args:
        postings: of the whole corpus.
        gold: judged claims, their texts included.
        progress: title of a progress bar; None shows none.
    """
    asked = postings.only(gold.claims.texts)

    def value(k1: float, b: float) -> float:
        found, _ = Index.of(asked, k1=k1, b=b).search(gold.claims.texts, edition.depth())
        return run_score(found, gold)

    usual = value(K1, B)
    best = Tuning(K1, B, usual, usual)
    with Progress(progress, len(K1_TRIED) + len(B_TRIED) - 2) as bar:
        for k1 in (k1 for k1 in K1_TRIED if k1 != K1):
            best = max(best, Tuning(k1, B, value(k1, B), usual), key=lambda one: one.score)
            bar.advance()
        for b in (b for b in B_TRIED if b != B):
            tried = Tuning(best.k1, b, value(best.k1, b), usual)
            best = max(best, tried, key=lambda one: one.score)
            bar.advance()
    return best


def run_score(found: Integers, gold: Gold) -> float:
    """Return Score1.1 of ranked abstract ids, (claims, depth)."""
    claims, depth = found.shape
    run = Task1(
        claim=np.repeat(np.arange(claims), depth),
        abstract=found.reshape(-1),
        position=np.tile(np.arange(1, depth + 1), claims),
        label=np.full(found.size, NO_LABEL),
        line=np.arange(found.size),
        has_labels=False,
    )
    return score(Submission(gold.claims, run, None, ()), gold).board["score_1_1"]
