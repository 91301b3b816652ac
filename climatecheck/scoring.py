"""All measures of one submission: ``score(submission, gold) -> Scores``.

``count`` makes the counts by claim and ``board_values`` turns them into the board's values, with
any weights of the claims: the official scores, a bootstrap and a randomisation test are the same
two functions.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from climatecheck import edition
from climatecheck.leaderboard import board_columns, recall_column
from climatecheck.metrics import bpref, narratives, recall, verification
from climatecheck.metrics.bpref import BprefCounts
from climatecheck.metrics.counts import Weights
from climatecheck.metrics.judgements import Judged, judge
from climatecheck.metrics.narratives import NarrativeCounts
from climatecheck.metrics.recall import RecallCounts
from climatecheck.tables import Claims, Floats, Gold, Integers, Submission

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Retrieval:
    """Counts of task 1.1: Recall at each cut-off, and Bpref."""

    recall: dict[int, RecallCounts]
    bpref: BprefCounts


@dataclass(frozen=True)
class Counts:
    """The counts by claim of each task; None where the task was not entered.

    Attributes:
        retrieval: task 1.1.
        verification: task 1.2, confusion counts (claims, gold label, predicted label).
        narratives: task 2.
    """

    retrieval: Retrieval | None = None
    verification: Integers | None = None
    narratives: NarrativeCounts | None = None


@dataclass(frozen=True)
class Scores:
    """The scores of one submission.

    Attributes:
        board: a finite value for each of ``leaderboard.board_columns()``, in that order; 0 where
            the task was not entered.
        tasks: the tasks entered, among ``1.1``, ``1.2`` and ``2``.
        counts: what the scores are made of.
        judged: the run beside its judgements; None without task 1.1.
    """

    board: dict[str, float]
    tasks: tuple[str, ...]
    counts: Counts
    judged: Judged | None = field(repr=False)
    claims: Claims = field(repr=False)

    def per_claim(self) -> "pd.DataFrame":
        """Return a row a claim, for people who score on gold of their own. Needs pandas.

        Columns: ``claim_id``; ``evidentiary`` (R); ``recall_at_K`` for each K; ``bpref``;
        ``labels_right`` and ``labels_wrong`` (judged pairs); ``narratives_exact`` (1 if all codes
        are right); ``narratives_tp``, ``narratives_fp``, ``narratives_fn`` (numbers of codes).
        NaN where a measure is not defined for the claim or its task was not entered.
        """
        import pandas as pd

        undefined = np.full(len(self.claims), np.nan)
        columns = _retrieval_by_claim(self.counts.retrieval, undefined)
        columns |= _verification_by_claim(self.counts.verification, undefined)
        columns |= _narratives_by_claim(self.counts.narratives, undefined)
        frame: pd.DataFrame = pd.DataFrame({"claim_id": list(self.claims.ids), **columns})
        return frame


def score(submission: Submission, gold: Gold) -> Scores:
    """Return all scores of a submission.

    Args:
        submission: a valid submission, read against the claims of the gold.
        gold: the reference data.

    Raises:
        ValueError: the submission has errors, or was read against other claims.
    """
    if not submission.valid:
        raise ValueError("a submission with errors is not scored; see its problems")
    if submission.claims.ids != gold.claims.ids:
        raise ValueError("the submission was read against other claims than those of the gold")
    judged = judge(submission.task1, gold) if submission.task1 is not None else None
    counts = count(submission, gold, judged)
    board = {column: float(value) for column, value in board_values(counts).items()}
    return Scores(board, submission.tasks, counts, judged, gold.claims)


def count(submission: Submission, gold: Gold, judged: Judged | None) -> Counts:
    """Return the counts by claim of each task that the submission enters."""
    return Counts(
        retrieval=_count_retrieval(judged) if judged is not None else None,
        verification=(
            verification.count(judged, depth=edition.VERIFICATION_DEPTH)
            if judged is not None and judged.run.has_labels
            else None
        ),
        narratives=(
            narratives.count(submission.task2, gold) if submission.task2 is not None else None
        ),
    )


def board_values(counts: Counts, weights: Weights = None) -> dict[str, Floats]:
    """Return the value of each of the board's columns.

    ``Score1.1 = (Recall@K + Bpref) / 2`` and ``Score1.2 = F1 + Recall@K``, with the last K of
    ``edition.RECALL_CUTOFFS``. 0 where a task was not entered.

    Args:
        counts: the counts of a run.
        weights: None, (claims,) or (resamples, claims); see ``climatecheck.metrics.counts``.

    Returns:
        a number for each column, or an array of shape (resamples,).
    """
    resamples = () if weights is None else weights.shape[:-1]
    values: dict[str, Floats] = dict.fromkeys(board_columns(), np.zeros(resamples)[()])
    if counts.retrieval is not None:
        values |= _retrieval_values(counts.retrieval, weights)
    if counts.verification is not None:
        found = verification.weighted(counts.verification, weights)
        values |= {f"verification_{name}": value for name, value in found._asdict().items()}
        values["score_1_2"] = found.f1 + values[recall_column(edition.score_cutoff())]
    if counts.narratives is not None:
        values |= _narrative_values(counts.narratives, weights)
    return values


def _count_retrieval(judged: Judged) -> Retrieval:
    cutoffs = edition.RECALL_CUTOFFS
    return Retrieval(
        recall={cutoff: recall.count(judged, cutoff=cutoff) for cutoff in cutoffs},
        bpref=bpref.count(judged, depth=edition.BPREF_DEPTH),
    )


def _retrieval_values(counts: Retrieval, weights: Weights) -> dict[str, Floats]:
    recalls = {k: recall.recall(of_cutoff, weights) for k, of_cutoff in counts.recall.items()}
    preference = bpref.bpref(counts.bpref, weights)
    return {
        "score_1_1": (recalls[edition.score_cutoff()] + preference) / 2,
        **{recall_column(cutoff): value for cutoff, value in recalls.items()},
        "bpref": preference,
    }


def _narrative_values(counts: NarrativeCounts, weights: Weights) -> dict[str, Floats]:
    macro = narratives.macro(counts, weights)
    return {
        "narrative_f1_macro": macro.f1,
        "narrative_precision_macro": macro.precision,
        "narrative_recall_macro": macro.recall,
        "narrative_f1_micro": narratives.micro(counts, weights).f1,
        "narrative_f1_weighted": narratives.weighted(counts, weights).f1,
    }


def _retrieval_by_claim(counts: Retrieval | None, undefined: Floats) -> dict[str, Floats]:
    names = ("evidentiary", *(recall_column(k) for k in edition.RECALL_CUTOFFS), "bpref")
    if counts is None:
        return dict.fromkeys(names, undefined)
    recalls = [recall.per_claim(of_cutoff) for of_cutoff in counts.recall.values()]
    relevant = counts.bpref.relevant.astype(np.float64)
    return dict(zip(names, (relevant, *recalls, bpref.per_claim(counts.bpref)), strict=True))


def _verification_by_claim(counts: Integers | None, undefined: Floats) -> dict[str, Floats]:
    if counts is None:
        return {"labels_right": undefined, "labels_wrong": undefined}
    right = np.trace(counts, axis1=1, axis2=2)
    wrong = counts.sum(axis=(1, 2)) - right
    return {"labels_right": right.astype(np.float64), "labels_wrong": wrong.astype(np.float64)}


def _narratives_by_claim(counts: NarrativeCounts | None, undefined: Floats) -> dict[str, Floats]:
    if counts is None:
        names = ("exact", "tp", "fp", "fn")
        return {f"narratives_{name}": undefined for name in names}
    found = {
        "exact": counts.exact,
        "tp": counts.tp.sum(axis=1),
        "fp": counts.fp.sum(axis=1),
        "fn": counts.fn.sum(axis=1),
    }
    return {
        f"narratives_{name}": np.where(counts.evaluated, value, np.nan)
        for name, value in found.items()
    }
