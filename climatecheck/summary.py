"""What ingestion says about a submission: in words, as JSON, and as normalised files."""

import csv
import io
from collections.abc import Iterable

import numpy as np

from climatecheck import edition
from climatecheck.problems import counted, verdict
from climatecheck.tables import Claims, Json, Submission, Task1, Task2
from climatecheck.taxonomy import CODES


def summary(submission: Submission) -> str:
    """Return verdict, what was understood, and every warning, in lines of prose."""
    remarks = [problem.message for problem in submission.problems if not problem.is_error]
    return "\n".join([verdict(submission.problems), *understood(submission), *remarks])


def understood(submission: Submission) -> list[str]:
    """Return in sentences what was read for each task entered."""
    claims, said = counted(len(submission.claims), "claim"), []
    if submission.task1 is not None:
        rows, answered = (
            counted(len(submission.task1), "row"),
            len(np.unique(submission.task1.claim)),
        )
        labels = "with" if submission.task1.has_labels else "without"
        said.append(f"Task 1: {rows} {labels} labels, for {answered:,} of {claims}.")
    if submission.task2 is not None:
        codes = counted(int(submission.task2.codes.sum()), "narrative code")
        said.append(f"Task 2: {codes}, for {len(submission.task2):,} of {claims}.")
    if said:
        said.append(f"Entered: {', '.join(f'task {task}' for task in submission.tasks)}.")
    return said


def validation_json(submission: Submission) -> Json:
    """Return verdict, tasks, counts and problems as data."""
    task1, task2 = submission.task1, submission.task2
    return {
        "valid": submission.valid,
        "verdict": verdict(submission.problems),
        "tasks": list(submission.tasks),
        "claims": len(submission.claims),
        "task1_rows": 0 if task1 is None else len(task1),
        "task1_claims": 0 if task1 is None else len(np.unique(task1.claim)),
        "task2_claims": 0 if task2 is None else len(task2),
        "problems": [problem.as_json() for problem in submission.problems],
    }


def task1_csv(run: Task1, claims: Claims) -> str:
    """Return a run as ``claim_id, abstract_id, rank, label``, sorted by claim and rank.

    Joined by hand: a run can have a million rows, of which only the claim's id can need quotes.
    """
    ids = [_quoted(claim) for claim in claims.ids]
    labels = [*edition.LABELS, ""]  # NO_LABEL is -1, so it finds the last
    rows = zip(
        run.claim.tolist(),
        run.abstract.tolist(),
        run.position.tolist(),
        run.label.tolist(),
        strict=True,
    )
    lines = [
        f"{ids[claim]},{abstract},{rank},{labels[label]}\n" for claim, abstract, rank, label in rows
    ]
    return _with_header("claim_id,abstract_id,rank,label", lines)


def task2_csv(narratives: Task2, claims: Claims) -> str:
    """Return narratives as ``claim_id, narrative``, codes joined by ``;``."""
    names = np.array(CODES)
    rows = (
        f"{_quoted(claims.ids[claim])},{';'.join(names[row])}\n"
        for claim, row in zip(narratives.claim.tolist(), narratives.codes, strict=True)
    )
    return _with_header("claim_id,narrative", rows)


def _with_header(header: str, rows: Iterable[str]) -> str:
    return "".join([f"{header}\n", *rows])


def _quoted(cell: str) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([cell])
    return text.getvalue()
