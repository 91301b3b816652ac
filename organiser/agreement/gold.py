"""The gold that comes of the annotations: its files, its shares, and the log of decisions."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from climatecheck import edition
from climatecheck.problems import counted
from climatecheck.values import unusual_combination
from organiser.agreement import beside
from organiser.agreement.adjudication import sheet_file, what_each_said
from organiser.agreement.annotations import ANSWER, ITEM, said
from organiser.agreement.majority import (
    ADJUDICATED,
    CURATOR,
    LEAST_ANNOTATORS,
    MAJORITY,
    OPEN,
    UNANIMOUS,
    Decisions,
)
from organiser.agreement.spreadsheet import guarded
from organiser.analysis.section8.proportions import wilson
from organiser.reporting.parts import Cell, Column, Section, Table

FILES = {"1": edition.TASK1_GOLD_FILE, "2": edition.TASK2_GOLD_FILE}


def gold_file(decisions: Decisions) -> tuple[str, bytes]:
    """Return name and content of the reference data; of what is settled, if items are open."""
    task = decisions.annotations.task
    decided = np.flatnonzero(~decisions.is_open).tolist()
    rows = [
        (
            *decisions.annotations.items[place],
            said(decisions.annotations.labels, decisions.gold[place]),
        )
        for place in decided
    ]
    name = FILES[task] if not decisions.is_open.any() else f"unfinished_{FILES[task]}"
    return name, _csv([(*ITEM[task], ANSWER[task]), *rows])


def log_file(task: str) -> str:
    """Return the name of the log."""
    return f"task{task}_decisions.csv"


def log(decisions: Decisions) -> bytes:
    """Return the log as CSV: who said what, what was decided, and how."""
    annotations, votes = decisions.annotations, decisions.votes
    header = [
        *ITEM[annotations.task],
        *(f"{name} said" for name in annotations.annotators),
        "votes",
        "annotators",
        "agreed",
        "disputed",
        "curator said",
        "decided",
        "how",
        "comment",
    ]
    rows = [
        (
            *item,
            *what_each_said(annotations, place),
            _votes(annotations.labels, votes.votes[place]),
            str(votes.number[place]),
            said(annotations.labels, votes.agreed[place]),
            said(annotations.labels, votes.disputed[place]),
            said(annotations.labels, decisions.curated[item]) if item in decisions.curated else "",
            said(annotations.labels, decisions.gold[place]),
            decisions.how[place],
            decisions.comments.get(item, ""),
        )
        for place, item in enumerate(annotations.items)
    ]
    return _csv([header, *rows])


def _votes(labels: Sequence[str], votes: Iterable[int]) -> str:
    return "; ".join(f"{label}: {n}" for label, n in zip(labels, votes, strict=True) if n)


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return text.getvalue().encode()


def section(decisions: Decisions) -> Section:
    """Return how the gold came about, and what it holds."""
    share = decisions.votes.share
    rule = (
        f"A label is in the gold if at least {share} of those who annotated the item gave it, and"
        " left out if at least that share did not. An item is settled if so much is said of every"
        f" label, one at least is in, and {LEAST_ANNOTATORS} annotators or more have seen it. The"
        " rest is for the curator, if there is one, and then for adjudication."
    )
    opened = int(decisions.is_open.sum())
    task = decisions.annotations.task
    state = (
        f"{counted(opened, 'item')} {'is' if opened == 1 else 'are'} open, to be decided in"
        f" {sheet_file(task)};"
        f" gold/{gold_file(decisions)[0]} holds the others alone."
        if opened
        else f"Every item is decided; gold/{gold_file(decisions)[0]} is complete."
    )
    logged = f"{log_file(task)} says of each item who said what, what was decided, and how."
    return Section("Gold", (rule, state, logged), (_shares(decisions), _labels(decisions)))


def _shares(decisions: Decisions) -> Table:
    told = beside.overall() if decisions.annotations.task == "2" else {}
    counts = Counter(decisions.how)
    votes = decisions.votes
    rows = [
        _share("Unanimous", counts[UNANIMOUS], decisions, told.get("unanimous")),
        _share(
            "Settled by majority, the unanimous ones included",
            counts[UNANIMOUS] + counts[MAJORITY],
            decisions,
            told.get("majority"),
        ),
        _share("Not settled", int((~votes.settled).sum()), decisions, told.get("adjudicated")),
        _share("Decided by the curator", counts[CURATOR], decisions),
        _share("Adjudicated", counts[ADJUDICATED], decisions),
        _share("Open", counts[OPEN], decisions),
        _share("Settled against the curator", len(decisions.overruled), decisions),
        _share(
            f"The very same labels from {votes.share} of the annotators",
            int(votes.same_set.sum()),
            decisions,
        ),
    ]
    return Table(
        name=f"{decisions.annotations.prefix}gold_shares",
        title="How the items were decided",
        columns=(
            Column("Items"),
            Column("Number"),
            Column("Share"),
            Column("", name="share"),
            Column("Published 2026"),
        ),
        rows=tuple(rows),
        notes=("Intervals: Wilson's. Published: the text also says that 16.6% were adjudicated.",)
        if told
        else ("Intervals: Wilson's.",),
    )


def _share(
    what: str, number: int, decisions: Decisions, told: float | None = None
) -> tuple[Cell, ...]:
    items = len(decisions.how)
    return what, number, number / items if items else None, wilson(number, items), told


def _labels(decisions: Decisions) -> Table:
    annotations = decisions.annotations
    given = decisions.gold.sum(axis=0)
    disputed = decisions.votes.disputed.sum(axis=0)
    decided = int((~decisions.is_open).sum())
    rows = [
        (
            label,
            int(given[place]),
            int(given[place]) / decided if decided else None,
            int(disputed[place]),
        )
        for place, label in enumerate(annotations.labels)
    ]
    unusual = sum(unusual_combination(np.flatnonzero(row)) for row in decisions.gold)
    odd = (
        f"Of the gold, {counted(unusual, 'item')} {'has' if unusual == 1 else 'have'} 0_0 beside"
        " another code, or a general code beside one of its group; nothing forbids it."
        if annotations.task == "2" and unusual
        else ""
    )
    return Table(
        name=f"{annotations.prefix}gold_labels",
        title="Labels of the gold",
        columns=(Column("Label"), Column("Items"), Column("Share"), Column("Disputed on")),
        rows=tuple(rows),
        notes=("Disputed on: items on which the votes neither give nor leave out the label.", odd)
        if odd
        else ("Disputed on: items on which the votes neither give nor leave out the label.",),
    )
