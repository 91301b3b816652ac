"""From tables of text to annotations, every fault told at once with its sheet and row."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from climatecheck import problem_table as table
from climatecheck.cells import Cells
from climatecheck.columns import report, report_padding
from climatecheck.problems import Collector, Kind, Problem
from climatecheck.tables import Claims
from climatecheck.values import factorise, unusual_combination
from organiser.agreement import sheet_problems as kinds
from organiser.agreement.annotations import (
    ANSWER,
    ITEM,
    LABELS,
    Annotations,
    Item,
    plain,
    said,
    tasks_with,
)
from organiser.agreement.cell_values import Found, abstract, annotator, claim, label, narrative
from organiser.agreement.sheets import KNOWN, Sheet, read_sheets


class SheetErrors(Exception):
    """Sheets cannot be used; every problem in them, the warnings included."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problem.message for problem in problems))


@dataclass(frozen=True)
class Answer:
    """One answer and where it stands.

    Attributes:
        annotator: who gave it.
        item: to what.
        given: positions of the labels.
        text: of the claim, if the sheet has it.
        comment: beside it.
        file, line: where.
    """

    annotator: str
    item: Item
    given: tuple[int, ...]
    text: str
    comment: str
    file: str
    line: int


def read_annotations(
    path: Path, claims: Claims | None = None
) -> tuple[dict[str, Annotations], tuple[Problem, ...]]:
    """Return the annotations of each task that the sheets hold, and what was remarked.

    Args:
        path: a file, or a folder of files.
        claims: ids are checked against them; None takes the ids as they are.

    Raises:
        SheetErrors: something in the sheets would have to be guessed.
        OrganiserError: there is nothing to read.
    """
    problems = Collector()
    answers: dict[str, list[Answer]] = {task: [] for task in LABELS}
    sheets = read_sheets(path, problems)
    _remark_names(sheets, problems)
    for sheet in _told_apart(sheets, problems):
        for task in tasks_of(sheet.cells, problems):
            answers[task] += answers_of(sheet, task, claims, problems)
    made = {
        task: assembled(task, given, claims, problems) for task, given in answers.items() if given
    }
    found = kinds.of_sheets(problems.problems())
    if problems.has_errors:
        raise SheetErrors(found)
    return made, found


def _remark_names(sheets: Sequence[Sheet], problems: Collector) -> None:
    """Say which sheets name annotators, where beside them files do."""
    if len({sheet.workbook or sheet.cells.file for sheet in sheets}) > 1:
        for sheet in sheets:
            if sheet.workbook and "annotator" not in sheet.cells.columns:
                problems.add(kinds.NAMED_BY_SHEET, sheet.workbook, found=sheet.name)


def _told_apart(sheets: Sequence[Sheet], problems: Collector) -> Iterator[Sheet]:
    """Yield the sheets, those apart that one annotator cannot have filled in under one name.

    Where sheets of one name in two workbooks have the same items, the workbooks are likely to be
    two annotators'.
    """
    seen: dict[tuple[str, tuple[str, ...]], str] = {}
    for sheet in sheets:
        columns = sheet.cells.columns
        if not sheet.workbook or "annotator" in columns or "claim_id" not in columns:
            yield sheet
            continue
        parts = [columns[name] for name in ITEM["1"] if name in columns]
        items = [tuple(each) for each in zip(*parts, strict=True) if all(each)]
        files = {item: seen.setdefault((sheet.name, item), sheet.workbook) for item in items}
        shared = [item for item, file in files.items() if file != sheet.workbook]
        if shared:
            problems.add(
                kinds.WHOSE_SHEET,
                sheet.workbook,
                found=sheet.name,
                item=called(shared[0]),
                where=files[shared[0]],
            )
            sheet = replace(sheet, name=sheet.cells.file)
        yield sheet


def tasks_of(cells: Cells, problems: Collector) -> list[str]:
    """Return the tasks that a table has the columns of, and tell if there are none."""
    has = {name: name in cells.columns for name in KNOWN}
    tasks = tasks_with(cells.columns)
    if tasks:
        return tasks
    if not has["claim_id"]:
        note = "a column claim_id is missing"
    elif has["label"]:
        note = "a column abstract_id is missing beside label"
    else:
        note = "a column narrative or label is missing"
    header = ", ".join(cells.header)
    problems.add(kinds.COLUMNS, cells.file, line=cells.header_line, found=header, note=note)
    return []


def answers_of(
    sheet: Sheet,
    task: str,
    claims: Claims | None,
    problems: Collector,
    *,
    blank: Kind | None = kinds.BLANK_ANSWER,
) -> list[Answer]:
    """Return the answers of a table, those that can be read.

    Args:
        sheet: the table.
        task: which of its answers.
        claims: as for ``read_annotations``.
        problems: takes what was found.
        blank: the problem of an empty answer, which is then left out; None keeps it, as in a
            sheet for adjudication, which is no annotator's.
    """
    cells = sheet.cells
    ids = _column(cells, "claim_id", lambda text: claim(text, claims), problems)
    item: list[Sequence[object]] = [ids]
    if task == "1":
        item.append(_column(cells, "abstract_id", abstract, problems))
    named = "annotator" in cells.columns and blank is not None
    who = _column(cells, "annotator", annotator, problems) if named else [sheet.name] * len(cells)
    given = _column(cells, ANSWER[task], label if task == "1" else narrative, problems)
    texts, comments = (cells.columns.get(name, [""] * len(cells)) for name in ("claim", "comment"))
    made = []
    for row, parts in enumerate(zip(*item, who, given, strict=True)):
        *key, name, positions = parts
        if any(part is None for part in parts):
            continue
        keyed = tuple(map(str, key))
        at: dict[str, Any] = {"file": cells.file, "line": cells.lines[row]}
        if not positions and blank is not None:
            problems.add(blank, **at, item=called(keyed))
            continue
        chosen = cast("tuple[int, ...]", positions)
        made.append(Answer(str(name), keyed, chosen, texts[row], comments[row], **at))
    return made


def called(item: Item) -> str:
    """Return an item in words.

    >>> called(("12",)), called(("12", "4711"))
    ('claim 12', 'claim 12 with abstract 4711')
    """
    return " with abstract ".join((f"claim {item[0]}", *item[1:]))


def _column(
    cells: Cells, name: str, parse: Callable[[str], Found], problems: Collector
) -> list[object]:
    """Return a column's values, None where there is none; each distinct cell is parsed once."""
    factor = factorise(cells.columns[name])
    found = [parse(text) for text in factor.texts]
    report(cells, name, factor, dict(enumerate(found)), problems)
    if name == "narrative":
        unusual = {
            place: (table.NARRATIVE_COMBINATION, parsed)
            for place, (_, parsed) in enumerate(found)
            if unusual_combination(parsed.value or ())  # type: ignore[arg-type]
        }
        report(cells, name, factor, unusual, problems)
    report_padding(cells, name, factor, problems)
    return [found[code][1].value for code in factor.codes.tolist()]


def assembled(
    task: str, answers: Sequence[Answer], claims: Claims | None, problems: Collector
) -> Annotations:
    """Return answers as arrays; items in the order of the claims, or of the sheets.

    Args:
        task: of the answers.
        answers: at least one.
        claims: the order of the items; None takes that of the answers.
        problems: takes what stands twice.
    """
    annotators = tuple(dict.fromkeys(answer.annotator for answer in answers))
    items = list(dict.fromkeys(answer.item for answer in answers))
    if claims is not None:
        items.sort(key=lambda item: claims.index[item[0]])
    place = {item: i for i, item in enumerate(items)}
    made = np.zeros((len(annotators), len(items)), dtype=np.bool_)
    marks = np.zeros((*made.shape, len(LABELS[task])), dtype=np.bool_)
    for answer in each_once(task, answers, problems):
        who, what = annotators.index(answer.annotator), place[answer.item]
        made[who, what] = True
        marks[who, what, list(answer.given)] = True
    texts = {answer.item[0]: answer.text for answer in answers if answer.text}
    if claims is not None:
        texts |= dict(zip(claims.ids, claims.texts, strict=True))
    annotations = Annotations(task, annotators, tuple(items), LABELS[task], made, marks, texts)
    _remark_alike(annotations, problems)
    _remark_lone(annotations, problems)
    return annotations


def each_once(task: str, answers: Sequence[Answer], problems: Collector) -> Iterator[Answer]:
    """Yield the first answer of each annotator to each item, and tell of others."""
    first: dict[tuple[str, Item], Answer] = {}
    for answer in answers:
        before = first.setdefault((answer.annotator, answer.item), answer)
        if before is answer:
            yield answer
            continue
        problems.add(
            kinds.SAME_TWICE if before.given == answer.given else kinds.DIFFERENT_TWICE,
            answer.file,
            line=answer.line,
            found=words(task, answer.given),
            annotator=answer.annotator,
            item=called(answer.item),
            before=words(task, before.given),
            where=f"{before.file} line {before.line}",
        )


def words(task: str, given: Sequence[int]) -> str:
    """Return positions of labels as a cell of a sheet."""
    chosen = np.zeros(len(LABELS[task]), dtype=np.bool_)
    chosen[list(given)] = True
    return said(LABELS[task], chosen)


def _remark_alike(annotations: Annotations, problems: Collector) -> None:
    alike: dict[str, list[str]] = {}
    for name in annotations.annotators:
        alike.setdefault(plain(name), []).append(name)
    for names in alike.values():
        if len(names) > 1:
            listed = " and ".join(f"“{name}”" for name in names)
            problems.add(kinds.NAMES_ALIKE, "sheets", found=listed, group_by=listed)


def _remark_lone(annotations: Annotations, problems: Collector) -> None:
    if len(annotations.annotators) < 2:
        return
    for place in np.flatnonzero(annotations.made.sum(axis=0) == 1).tolist():
        who = annotations.annotators[int(annotations.made[:, place].argmax())]
        item = called(annotations.items[place])
        problems.add(kinds.LONE, "sheets", item=item, annotator=who, note=item)
