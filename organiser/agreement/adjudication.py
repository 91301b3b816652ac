"""The sheet in which people decide what no majority settled, and the way back from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from climatecheck import taxonomy
from climatecheck.problems import Collector
from climatecheck.tables import Booleans, Claims
from organiser.agreement import sheet_problems as kinds
from organiser.agreement import spreadsheet
from organiser.agreement.annotations import ANSWER, LABELS, Annotations, Item, said
from organiser.agreement.majority import ADJUDICATED, OPEN, Decisions, Votes
from organiser.agreement.reading import Answer, SheetErrors, answers_of, called, each_once
from organiser.agreement.sheets import read_sheets
from organiser.editions import OrganiserError

_WIDTHS = {"claim_id": 10, "abstract_id": 12, "claim": 60, "comment": 30}
_WIDTH = 18


def sheet_file(task: str) -> str:
    """Return the name of the sheet."""
    return f"task{task}_adjudication.xlsx"


def sheet(decisions: Decisions) -> bytes | None:
    """Return the sheet as XLSX; None if nothing needs it.

    It has all items that neither a majority nor the curator decides. What was adjudicated before
    is filled in.
    """
    task = decisions.annotations.task
    asked = [place for place, how in enumerate(decisions.how) if how in (ADJUDICATED, OPEN)]
    if not asked:
        return None
    header = _header(decisions.annotations)
    answer = header.index(ANSWER[task])
    page = spreadsheet.Page(
        "adjudication",
        [header, *(_row(decisions, place) for place in asked)],
        [_WIDTHS.get(name, _WIDTH) for name in header],
        {answer: LABELS[task]} if task == "1" else {},
        to_fill=(answer, answer + 1),
    )
    return spreadsheet.written([page, *_legend(task)])


def _legend(task: str) -> Iterator[spreadsheet.Page]:
    if task == "2":
        rows = [("code", "narrative it stands for"), *taxonomy.NARRATIVES.items()]
        yield spreadsheet.Page("codes", rows, [10, 60], {})


def item_columns(task: str) -> list[str]:
    """Return the columns that tell a task's items."""
    return ["claim_id", "abstract_id"] if task == "1" else ["claim_id"]


def _header(annotations: Annotations) -> list[str]:
    return [
        *item_columns(annotations.task),
        "claim",
        *(f"{name} said" for name in annotations.annotators),
        "agreed",
        "disputed",
        ANSWER[annotations.task],
        "comment",
    ]


def _row(decisions: Decisions, place: int) -> list[str]:
    annotations, votes = decisions.annotations, decisions.votes
    item, labels = annotations.items[place], annotations.labels
    return [
        *item,
        annotations.texts.get(item[0], ""),
        *what_each_said(annotations, place),
        said(labels, votes.agreed[place]),
        said(labels, votes.disputed[place]),
        said(labels, decisions.gold[place]),
        decisions.comments.get(item, ""),
    ]


def what_each_said(annotations: Annotations, place: int) -> list[str]:
    """Return each annotator's answer to an item; empty where there is none."""
    return [said(annotations.labels, marks) for marks in annotations.marks[:, place]]


@dataclass(frozen=True)
class Adjudication:
    """What people decided, by item, and what they noted beside it."""

    answers: Mapping[Item, Booleans]
    comments: Mapping[Item, str]


NONE = Adjudication({}, {})


def read_back(
    path: Path, annotations: Annotations, votes: Votes, claims: Claims | None
) -> Adjudication:
    """Return what is filled in in an adjudication sheet; rows without an answer stay open.

    Args:
        path: the sheet, XLSX or CSV.
        annotations: of the annotators.
        votes: what they have settled.
        claims: ids are checked against them.

    Raises:
        SheetErrors: something cannot be read, or an item needs no adjudication.
        OrganiserError: there is no such file.
    """
    problems = Collector()
    found = _filled_in(path, annotations.task, claims, problems)
    place = {item: i for i, item in enumerate(annotations.items)}
    answers, comments = {}, {}
    for answer in each_once(annotations.task, found, problems):
        comments[answer.item] = answer.comment
        settled = answer.item in place and votes.settled[place[answer.item]]
        at: dict[str, Any] = {"line": answer.line, "item": called(answer.item)}
        if answer.item not in place:
            problems.add(kinds.NOT_AN_ITEM, answer.file, **at)
        elif answer.given and settled:
            before = said(annotations.labels, votes.agreed[place[answer.item]])
            problems.add(kinds.NOT_OPEN, answer.file, before=before, **at)
        elif answer.given:
            answers[answer.item] = _marks(annotations, answer)
    if problems.has_errors:
        raise SheetErrors(problems.problems())
    return Adjudication(answers, {item: text for item, text in comments.items() if text})


def _marks(annotations: Annotations, answer: Answer) -> Booleans:
    marks = np.zeros(len(annotations.labels), dtype=np.bool_)
    marks[list(answer.given)] = True
    return marks


def _filled_in(
    path: Path, task: str, claims: Claims | None, problems: Collector
) -> Sequence[Answer]:
    found: list[Answer] = []
    for table in read_sheets(path, problems):
        if all(name in table.cells.columns for name in (*item_columns(task), ANSWER[task])):
            found += answers_of(table, task, claims, problems, blank=None)
            continue
        problems.add(
            kinds.COLUMNS,
            table.cells.file,
            line=table.cells.header_line,
            found=", ".join(table.cells.header),
            note=f"{', '.join(item_columns(task))} and {ANSWER[task]} are needed",
        )
    return found


def refuse_to_lose(path: Path, decisions: Decisions) -> None:
    """Raise if a sheet that is about to be written over holds answers that are not in use.

    Raises:
        OrganiserError: it does.
    """
    if not path.is_file():
        return
    annotations = decisions.annotations
    place = {item: i for i, item in enumerate(annotations.items)}
    for answer in _filled_in(path, annotations.task, None, Collector()):
        kept = answer.item in place and np.array_equal(
            decisions.gold[place[answer.item]], _marks(annotations, answer)
        )
        noted = answer.comment in ("", decisions.comments.get(answer.item))
        if (answer.given and not kept) or not noted:
            raise OrganiserError(
                f"{path} holds a decision on {called(answer.item)} that would be lost; give the"
                " sheet with ADJUDICATED=, or move it elsewhere."
            )
