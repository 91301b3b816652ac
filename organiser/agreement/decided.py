"""Back from the adjudication sheets: what people decided, and what must not be lost of it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from climatecheck.problems import Collector, shown
from climatecheck.tables import Booleans, Claims
from climatecheck.values import BLANKS
from organiser.agreement import cell_values, spreadsheet
from organiser.agreement import sheet_problems as kinds
from organiser.agreement.adjudication import sheet_file
from organiser.agreement.annotations import ANSWER, ITEM, LABELS, Annotations, Item, said
from organiser.agreement.gold import log_file
from organiser.agreement.majority import Decisions, Votes
from organiser.agreement.reading import Answer, answers_of, called, tasks_of, words
from organiser.agreement.sheets import BOOKS, LEGEND, OTHER_SHEETS, read_sheets
from organiser.editions import OrganiserError

_GIVE_OR_MOVE = (
    "would be lost: give the sheet with ADJUDICATED=, which keeps decisions and comments, or move"
    " it elsewhere."
)


@dataclass(frozen=True)
class Adjudication:
    """What people decided, by item, and what they noted beside it."""

    answers: Mapping[Item, Booleans]
    comments: Mapping[Item, str]


NONE = Adjudication({}, {})


def paths_of(arguments: Sequence[str]) -> list[Path]:
    """Return the sheets that are named; one argument may name several, joined by ``os.pathsep``.

    A name that is there as it stands is taken as it stands; each file is taken once.
    """
    names: list[str] = []
    for text in arguments:
        names += [text] if Path(text).exists() else text.split(os.pathsep)
    paths = [Path(name.strip()) for name in names if name.strip()]
    return list({path.resolve(): path for path in paths}.values())


def filled_in(
    paths: Sequence[Path], tasks: Sequence[str], claims: Claims | None, problems: Collector
) -> dict[str, list[Answer]]:
    """Return the rows of adjudication sheets by task, those without a decision too.

    Args:
        paths: the sheets, XLSX or CSV.
        tasks: those that were annotated.
        claims: ids are checked against them.
        problems: takes every fault, that of a sheet which cannot be read among them.

    Raises:
        OrganiserError: there is no such file.
    """
    found: dict[str, list[Answer]] = {task: [] for task in tasks}
    names = [path.name for path in paths]
    for path in paths:
        name = path.name if names.count(path.name) == 1 else str(path)
        for table in read_sheets(path, problems, called=name):
            for task in tasks_of(table.cells, problems):
                if task in found:
                    found[task] += answers_of(table, task, claims, problems, blank=None)
                else:
                    problems.add(kinds.OTHER_TASK, table.cells.file, task=task, group_by=task)
    return found


def adjudication(
    rows: Sequence[Answer],
    annotations: Annotations,
    votes: Votes,
    curated: Mapping[Item, Booleans],
    problems: Collector,
) -> Adjudication:
    """Return what was decided; rows without a decision stay open.

    Args:
        rows: of all adjudication sheets of the task.
        annotations: of the annotators.
        votes: what they have settled.
        curated: what the curator has decided of the rest.
        problems: takes decisions that contradict each other, or that none is needed for.
    """
    place = {item: i for i, item in enumerate(annotations.items)}
    labels = annotations.labels
    first: dict[Item, Answer] = {}
    comments: dict[Item, list[str]] = {}
    for row in rows:
        at: dict[str, Any] = {"line": row.line, "item": called(row.item)}
        if row.item not in place:
            problems.add(kinds.NOT_AN_ITEM, row.file, **at)
            continue
        noted = row.comment.strip(BLANKS)
        if noted and noted not in comments.setdefault(row.item, []):
            comments[row.item].append(noted)
        if not row.given:
            continue
        where = place[row.item]
        if votes.settled[where]:
            before = said(labels, votes.agreed[where])
            problems.add(kinds.NOT_OPEN, row.file, before=before, **at)
        elif row.item in curated:
            before = said(labels, curated[row.item])
            problems.add(kinds.NOT_OPEN, row.file, before=before, **at)
        elif first.setdefault(row.item, row) is not row:
            _twice(annotations.task, first[row.item], row, problems)
    answers = {item: _marks(annotations, row) for item, row in first.items()}
    return Adjudication(answers, {item: "; ".join(texts) for item, texts in comments.items()})


def _twice(task: str, before: Answer, row: Answer, problems: Collector) -> None:
    problems.add(
        kinds.SAME_DECISION if before.given == row.given else kinds.DECIDED_TWICE,
        row.file,
        line=row.line,
        found=words(task, row.given),
        item=called(row.item),
        before=words(task, before.given),
        where=f"{before.file} line {before.line}",
    )


def _marks(annotations: Annotations, answer: Answer) -> Booleans:
    marks = np.zeros(len(annotations.labels), dtype=np.bool_)
    marks[list(answer.given)] = True
    return marks


def refuse_to_lose(out: Path, decided: Mapping[str, Decisions], given: Sequence[Path]) -> None:
    """Raise if what people typed would be lost with a report that is about to be replaced.

    Args:
        out: the report's folder.
        decided: what is about to be written, by task.
        given: the adjudication sheets in use, which are kept.

    Raises:
        OrganiserError: it would.
    """
    made = {out / name(task) for task in LABELS for name in (sheet_file, log_file)}
    kept = {path.resolve() for path in given}
    for file in sorted(out.rglob("*")):
        sheets = (*BOOKS, *OTHER_SHEETS, *((".csv", ".tsv") if file.parent == out else ()))
        known = file in made or file.resolve() in kept
        if file.suffix.lower() in sheets and not known:
            raise OrganiserError(f"{file} is no part of the report and {_GIVE_OR_MOVE}")
    for task in LABELS:
        path = out / sheet_file(task)
        if path.is_file():
            _refuse_to_lose_typed(path, task, decided.get(task))


def _refuse_to_lose_typed(path: Path, task: str, decisions: Decisions | None) -> None:
    try:
        pages = list(spreadsheet.read(path.read_bytes()))
    except spreadsheet.Broken:
        raise OrganiserError(
            f"{path} cannot be read, and decisions in it would be lost; move it elsewhere."
        ) from None
    for page in pages:
        header = page.rows[0] if page.rows else []
        if tuple(header[: len(LEGEND)]) == LEGEND:
            continue
        for line, row in enumerate(page.rows[1:], start=2):
            cells = dict(zip(header, row, strict=True))
            for name, text in _typed(header, row, task):
                if decisions is None or not _is_kept(cells, name, decisions):
                    place = f"{path} [{page.title}] line {line}"
                    raise OrganiserError(f"{place} holds “{shown(text)}”, which {_GIVE_OR_MOVE}")


def _typed(header: Sequence[str], row: Sequence[str], task: str) -> Iterator[tuple[str, str]]:
    """Yield column and text of the cells that are not as the sheet was made."""
    made = {*ITEM[task], "claim", "agreed", "disputed"}
    for name, text in zip(header, row, strict=True):
        if text.strip(BLANKS) and name not in made and not name.endswith(" said"):
            yield name, text


def _is_kept(cells: Mapping[str, str], name: str, decisions: Decisions) -> bool:
    """Return whether a decision or a comment is among those that will be written."""
    task = decisions.annotations.task
    text = cells[name].strip(BLANKS)
    ids = [cell_values.claim(cells.get("claim_id", "").strip(BLANKS), None)[1].value]
    if task == "1":
        ids.append(cell_values.abstract(cells.get("abstract_id", "").strip(BLANKS))[1].value)
    item = tuple(map(str, ids))
    if name == "comment":
        return text in decisions.comments.get(item, "")
    if name != ANSWER[task] or item not in decisions.annotations.items:
        return False
    parse = cell_values.label if task == "1" else cell_values.narrative
    given: Any = parse(text)[1].value
    gold = decisions.gold[decisions.annotations.items.index(item)]
    return given is not None and np.flatnonzero(gold).tolist() == list(given)
