"""The official scores, and how each is made up."""

from climatecheck import edition
from climatecheck.board import Board
from climatecheck.leaderboard import recall_column, task_columns
from climatecheck.metrics import recall
from climatecheck.results.markup import paragraph, section, table
from climatecheck.scoring import Scores

_K = edition.score_cutoff()

EXPLAINED = {
    "score_1_1": ("Score1.1", f"(Recall@{_K} + Bpref) / 2"),
    **{
        recall_column(k): (
            f"Recall@{k}",
            f"Evidentiary abstracts among a claim's first {k}, over all its evidentiary ones",
        )
        for k in edition.RECALL_CUTOFFS
    },
    "bpref": (
        "Bpref",
        f"How seldom a judged non-relevant abstract stands above an evidentiary one, in a claim's"
        f" first {edition.BPREF_DEPTH}",
    ),
    "score_1_2": ("Score1.2", f"F1 (weighted) + Recall@{_K}"),
    "verification_precision": ("Precision (weighted)", "Labels of the judged pairs that you found"),
    "verification_recall": ("Recall (weighted)", "The same pairs"),
    "verification_f1": ("F1 (weighted)", "The same pairs; each label weighted by its gold support"),
    "narrative_f1_macro": ("Macro-F1", "Plain mean of F1 over the codes that occur in the gold"),
    "narrative_precision_macro": ("Macro-precision", "The same codes"),
    "narrative_recall_macro": ("Macro-recall", "The same codes"),
    "narrative_f1_micro": ("Micro-F1", "Over all decisions, each code counted"),
    "narrative_f1_weighted": ("Weighted F1 (narratives)", "Each code weighted by its gold support"),
}
"""Name and making of each column of the board."""

_TITLES = {
    "1": "Task 1: abstract retrieval and claim verification",
    "2": "Task 2: narrative classification",
}


def official(scores: Scores, board: Board) -> str:
    """Return the section of the official scores, one table a task of the board."""
    return section("Official scores", *(_task(task, scores, board) for task in board.tasks))


def _task(task: str, scores: Scores, board: Board) -> str:
    columns = [key for key in task_columns(task) if key in board.columns]
    rows = [
        (name, scores.board[key], f"{how}{_most(key, scores)}.")
        for key, name, how in ((key, *EXPLAINED[key]) for key in columns)
    ]
    return table(_TITLES[task], ["Score", "Value", "How it is made up"], rows) + _missing(
        task, scores
    )


def _missing(task: str, scores: Scores) -> str:
    parts = {"1": ("1.1", "1.2"), "2": ("2",)}[task]
    left_out = [part for part in parts if part not in scores.tasks]
    named = " and ".join(f"task {part}" for part in left_out)
    text = f"You have not entered {named}: what it would score is 0." if left_out else ""
    return paragraph(text, "soft")


def _most(key: str, scores: Scores) -> str:
    """Return the attainable maximum of a Recall, which the gold alone decides."""
    if scores.counts.retrieval is None:
        return ""
    for cutoff, counts in scores.counts.retrieval.recall.items():
        if key == recall_column(cutoff):
            return f"; at most {recall.attainable(counts):.3f} can be reached"
    return ""
