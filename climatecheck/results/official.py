"""The official scores: value, interval, published baseline, and how each is made up."""

from collections.abc import Mapping
from itertools import compress

from climatecheck import edition
from climatecheck.board import Board, Facts
from climatecheck.bootstrap import CONFIDENCE, RESAMPLES, Interval, board_intervals
from climatecheck.leaderboard import recall_column, task_columns
from climatecheck.metrics import recall
from climatecheck.privacy import enough
from climatecheck.results.evidence import WITHHELD, right
from climatecheck.results.markup import (
    NOTHING,
    beside,
    explained,
    paragraph,
    part,
    section,
    span,
    table,
)
from climatecheck.results.published import OTHERS, baseline
from climatecheck.scoring import Scores

_K = edition.score_cutoff()
_PERCENT = f"{100 * CONFIDENCE:g}\u00a0%"

EXPLAINED = {
    "score_1_1": ("Score1.1", f"(Recall@{_K} + Bpref) / 2."),
    **{
        recall_column(k): (
            f"Recall@{k}",
            f"Evidentiary abstracts among a claim's first {k}, over all its evidentiary ones;"
            " mean over the claims that have any.",
        )
        for k in edition.RECALL_CUTOFFS
    },
    "bpref": (
        "Bpref",
        "How seldom a judged non-relevant abstract stands above an evidentiary one, in a claim's"
        f" first {edition.BPREF_DEPTH} rows; mean over the same claims.",
    ),
    "score_1_2": ("Score1.2", f"F1 (weighted) + Recall@{_K}; at most 2."),
    "verification_precision": (
        "Precision (weighted)",
        "For each label, the share of your uses of it that are right; over the judged pairs among"
        f" a claim's first {edition.VERIFICATION_DEPTH} rows; each label weighted by its gold"
        " support among these.",
    ),
    "verification_recall": (
        "Recall (weighted)",
        "For each label, the share of the pairs with this gold label that you labelled so; the same"
        " pairs and weights.",
    ),
    "verification_f1": (
        "F1 (weighted)",
        "For each label, the harmonic mean of both; the same pairs and weights.",
    ),
    "narrative_f1_macro": ("Macro-F1", "Plain mean of F1 over the codes that occur in the gold."),
    "narrative_precision_macro": (
        "Macro-precision",
        "Plain mean of precision over the same codes.",
    ),
    "narrative_recall_macro": ("Macro-recall", "Plain mean of recall over the same codes."),
    "narrative_f1_micro": ("Micro-F1", "F1 over all decisions, each code of each claim counted."),
    "narrative_f1_weighted": (
        "Weighted F1 (narratives)",
        "Mean of F1 over the codes, each weighted by its gold support.",
    ),
}
"""Name and making of each column of the board."""

_TITLES = {
    "1": "Task 1: abstract retrieval and claim verification",
    "2": "Task 2: narrative classification",
}
_PARTS = {"1": ("1.1", "1.2"), "2": ("2",)}
_MOST = {"score_1_2": 2.0}
_INTERVALS = (
    "The interval says how far a value would move with other claims of the same kind. The claims"
    f" were drawn anew {RESAMPLES:,} times, with replacement, and scored each time (a macro average"
    f" over the codes that the draw's gold holds); {_PERCENT} of the values lie between the two"
    " figures. A macro average can lie outside its interval, since rare codes fall out of many"
    " draws. The picture's scale runs from 0 to 1, for Score1.2 to 2. A score has an interval if"
    f" the file is right on at least {edition.PRIVACY_FLOOR} claims."
)


def official(scores: Scores, board: Board, facts: Facts, opened: tuple[str, ...]) -> str:
    """Return the section of the official scores, one table a task of the board."""
    told = {task for task in opened if enough(right(scores, task))}
    found = board_intervals(scores.counts) if told else {}
    spans = {key: value for key, value in found.items() if told.issuperset(_rests_on(key))}
    return section(
        "Official scores",
        paragraph(_INTERVALS if spans else "", "soft"),
        *(_task(task, scores, board, facts, opened, spans) for task in board.tasks),
    )


def _task(
    task: str,
    scores: Scores,
    board: Board,
    facts: Facts,
    opened: tuple[str, ...],
    spans: Mapping[str, Interval],
) -> str:
    columns = [key for key in task_columns(task) if key in board.columns]
    entered = [part for part in _PARTS[task] if part in scores.tasks]
    if not entered:
        text = f"Task {task} was not entered, so its columns on the board are 0."
        return part(_TITLES[task], paragraph(text))
    published = baseline(facts, task)
    own = {key: spans[key] for key in columns if key in spans}
    heads = ["Score", "Value", f"{_PERCENT} interval", "Baseline"]
    shown = [True, True, bool(own), bool(published)]
    withheld = [name for name in entered if name not in opened]
    return part(
        _TITLES[task],
        table(
            f"Official scores of task {task}",
            list(compress(heads, shown)),
            [list(compress(_row(key, scores, opened, own, published), shown)) for key in columns],
        ),
        paragraph(_missing(task, entered), "soft"),
        paragraph(f"Task {' and '.join(withheld)}: {WITHHELD}" if withheld else "", "soft"),
        paragraph(OTHERS[task] if published else "", "soft"),
        explained(EXPLAINED[key] for key in columns),
    )


def _row(
    key: str,
    scores: Scores,
    opened: tuple[str, ...],
    spans: Mapping[str, Interval],
    published: Mapping[str, float],
) -> list[object]:
    value = scores.board[key]
    remark = "" if _task_of(key) in scores.tasks else "not entered"
    if "1.1" in opened:
        remark = remark or _most(key, scores)
    interval = span(*spans[key], value, _MOST.get(key, 1.0)) if key in spans else NOTHING
    return [EXPLAINED[key][0], beside(value, remark), interval, published.get(key, NOTHING)]


def _missing(task: str, entered: list[str]) -> str:
    left_out = [part for part in _PARTS[task] if part not in entered]
    return f"Task {' and '.join(left_out)} was not entered: it counts 0." if left_out else ""


def _most(key: str, scores: Scores) -> str:
    """Return the attainable maximum of a Recall, which the gold alone decides."""
    if scores.counts.retrieval is None:
        return ""
    for cutoff, counts in scores.counts.retrieval.recall.items():
        if key == recall_column(cutoff):
            return f"at most {recall.attainable(counts):.3f}"
    return ""


def _rests_on(key: str) -> set[str]:
    """Return the tasks whose counts a column is made of."""
    return {"1.1", "1.2"} if key == "score_1_2" else {_task_of(key)}


def _task_of(key: str) -> str:
    """Return the task that a column belongs to.

    >>> [_task_of(key) for key in ("bpref", "score_1_2", "narrative_f1_macro")]
    ['1.1', '1.2', '2']
    """
    if key in task_columns("2"):
        return "2"
    return "1.2" if key == "score_1_2" or key.startswith("verification") else "1.1"
