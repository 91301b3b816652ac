"""The sheet in which people decide what no majority settled; ``decided`` reads it back."""

from collections.abc import Iterator

from climatecheck import taxonomy
from organiser.agreement import spreadsheet
from organiser.agreement.annotations import ANSWER, ITEM, LABELS, Annotations, said
from organiser.agreement.majority import ADJUDICATED, OPEN, Decisions
from organiser.agreement.sheets import LEGEND

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
        rows = [LEGEND, *taxonomy.NARRATIVES.items()]
        yield spreadsheet.Page("codes", rows, [10, 60], {})


def _header(annotations: Annotations) -> list[str]:
    return [
        *ITEM[annotations.task],
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
