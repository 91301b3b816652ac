"""The report on the annotations of one task or both."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from climatecheck import edition
from climatecheck.problems import Problem, counted
from organiser.agreement import (
    adjudication,
    alpha_picture,
    annotator_pairs,
    confusions,
    gold,
    label_measures,
    overall,
    plain_text,
)
from organiser.agreement.annotations import Annotations
from organiser.agreement.majority import Decisions
from organiser.reporting.parts import Column, Section, Table
from organiser.reporting.render import Chapter, Report

TITLES = {"1": "Task 1: labels of claim-abstract pairs", "2": "Task 2: narratives of claims"}
TEXT = "report.txt"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Annotated:
    """The annotations of a task and what was decided on them."""

    annotations: Annotations
    decisions: Decisions


def report(
    tasks: Mapping[str, Annotated],
    remarks: Sequence[Problem],
    notice: str,
    *,
    say: Say = lambda _: None,
) -> Report:
    """Return the report, with the gold, the adjudication sheets and the logs of decisions.

    Args:
        tasks: what was annotated, by task.
        remarks: what was remarked when the sheets were read.
        notice: what must be said of the data.
        say: takes a sentence on each step.
    """
    chapters = [
        Chapter(TITLES[task], tuple(_sections(tasks[task], say)))
        for task in sorted(tasks, reverse=True)
    ]
    made = Report(
        title=f"{edition.TITLE}: agreement of the annotators",
        lead=tuple(_lead(tasks[task]) for task in sorted(tasks, reverse=True)),
        notice=notice,
        chapters=(*chapters, Chapter("Sheets", (_remarks(remarks),))),
        files=files(tasks),
    )
    return replace(made, files={**made.files, TEXT: plain_text.text(made).encode()})


def _lead(annotated: Annotated) -> str:
    annotations, decisions = annotated.annotations, annotated.decisions
    value, interval = overall.over_all(annotations).at(0)
    alpha = "undefined" if value is None else f"{value:.3f}"
    reach = f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""
    items = counted(len(annotations.items), "item")
    settled = counted(int(decisions.votes.settled.sum()), "item")
    return (
        f"{TITLES[annotations.task]}: {len(annotations.annotators)} annotators, {items};"
        f" alpha over all decisions {alpha}{reach}; {settled} settled by the annotators,"
        f" {int(decisions.is_open.sum()):,} open."
    )


def _sections(annotated: Annotated, say: Say) -> list[Section]:
    annotations = annotated.annotations
    say(f"Task {annotations.task}: labels")
    found = label_measures.measures(annotations)
    by_label = label_measures.section(found)
    by_label = replace(by_label, parts=(alpha_picture.picture(found), *by_label.parts))
    say(f"Task {annotations.task}: all labels, annotators, confusions")
    return [
        overall.section(annotations),
        by_label,
        annotator_pairs.section(annotations),
        confusions.section(annotations),
        gold.section(annotated.decisions),
    ]


def files(tasks: Mapping[str, Annotated]) -> dict[str, bytes]:
    """Return gold, adjudication sheet and log of each task by their paths."""
    made = {}
    for task, annotated in tasks.items():
        name, content = gold.gold_file(annotated.decisions)
        made[f"gold/{name}"] = content
        made[gold.log_file(task)] = gold.log(annotated.decisions)
        sheet = adjudication.sheet(annotated.decisions)
        if sheet is not None:
            made[adjudication.sheet_file(task)] = sheet
    return made


def _remarks(remarks: Sequence[Problem]) -> Section:
    title = "What was remarked when they were read"
    if not remarks:
        return Section(title, ("Nothing.",), ())
    rows = tuple((p.code, p.where, p.count, p.sentence, p.mend) for p in remarks)
    columns = ("Code", "Where", "Times", "What", "What to do")
    table = Table("remarks", title, tuple(map(Column, columns)), rows)
    return Section(title, (), (table,))
