"""The reader of submissions: from an upload to two typed tables and every problem found."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from climatecheck import edition
from climatecheck import problem_table as table
from climatecheck.archive import open_upload
from climatecheck.cells import Cells, read_cells
from climatecheck.columns import parse_claims
from climatecheck.problems import Collector, Problem
from climatecheck.tables import Booleans, Claims, Submission, Task1, Task2
from climatecheck.task1_rows import read_task1
from climatecheck.task2_rows import read_task2
from climatecheck.values import BLANKS, best_guess

BOTH_TASKS = ("1", "2")
_TASK1_COLUMNS = ("claim_id", "abstract_id", "rank", "label")
_TASK2_COLUMNS = ("claim_id", "narrative")
_COLUMNS = {
    edition.PREDICTIONS_FILE: (*_TASK1_COLUMNS, "narrative"),
    edition.TASK1_FILE: _TASK1_COLUMNS,
    edition.TASK2_FILE: _TASK2_COLUMNS,
}
_FILE_OF_ONE_TASK = {edition.TASK1_FILE: "1", edition.TASK2_FILE: "2"}


def read_submission(
    source: Path | str,
    claims: Claims,
    *,
    tasks: Sequence[str] = BOTH_TASKS,
    from_platform: bool = False,
) -> Submission:
    """Read a submission and collect all its problems.

    Args:
        source: a zip, a folder or a CSV file.
        claims: the claims that it should answer.
        tasks: the tasks that are scored, ``"1"`` and/or ``"2"``; what the file holds for the other
            is ignored with a warning.
        from_platform: whether ``source`` is the scoring step's folder, which also holds files of
            the platform and of ingestion.

    Returns:
        The tables of the tasks entered, and the problems. Nothing is raised for what the
        participant sent; both tables are None if any problem is an error.
    """
    problems = Collector()
    upload = open_upload(Path(source), len(claims), problems, from_platform=from_platform)
    reader = _Reader(claims, tasks, problems)
    for file, (name, data) in upload.files.items():
        reader.read(file, name, data)
    reader.remark_other_task()
    if problems.has_errors:
        return Submission(claims, None, None, problems.problems(), upload.digest)
    return Submission(claims, reader.task1, reader.task2, problems.problems(), upload.digest)


def validate(
    source: Path | str, claims: Claims, *, tasks: Sequence[str] = BOTH_TASKS
) -> tuple[Problem, ...]:
    """Return the problems of a submission: errors first, none at all for a clean file."""
    return read_submission(source, claims, tasks=tasks).problems


class _Reader:
    """Reads the files of one upload and remembers which tasks they answer."""

    def __init__(self, claims: Claims, tasks: Sequence[str], problems: Collector) -> None:
        self.claims, self.tasks, self.problems = claims, tasks, problems
        self.task1: Task1 | None = None
        self.task2: Task2 | None = None
        self.answered: set[str] = set()

    def read(self, file: str, name: str, data: bytes) -> None:
        task = _FILE_OF_ONE_TASK.get(file)
        if task is not None and task not in self.tasks:
            self.answered.add(task)
            return
        known, rows = _COLUMNS[file], edition.max_rows(len(self.claims))
        cells = read_cells(data, name, known, self.problems, max_rows=rows)
        if cells is None:
            return
        answered = {task} if task is not None else _tasks_answered(cells)
        self.answered |= answered
        wanted = [task for task in self.tasks if task in answered]
        self._remark_ignored(cells)
        if wanted and self._has(cells, _required(wanted)):
            self._read_rows(cells, wanted)

    def _has(self, cells: Cells, required: Sequence[str]) -> bool:
        missing = [name for name in required if name not in cells.columns]
        for name in missing:
            written = best_guess(name, cells.ignored)
            self.problems.add(
                table.COLUMN_MISSING,
                cells.file,
                line=1,
                column=name,
                found=",".join(cells.header),
                hint=name if written else "",
                written=written,
                group_by=name,
            )
        return not missing

    def _remark_ignored(self, cells: Cells) -> None:
        for name in cells.ignored:
            self.problems.add(table.COLUMN_IGNORED, cells.file, found=name)

    def _read_rows(self, cells: Cells, wanted: Sequence[str]) -> None:
        claim = parse_claims(cells, self.claims, self.problems)
        of_task2 = _rows_without_abstract(cells)
        if "1" in wanted:
            self._check_task2_rows(cells, of_task2)
            rows = np.flatnonzero(~of_task2)
            own = cells if len(rows) == len(cells) else cells.take(rows)
            self.task1 = read_task1(own, claim[rows], self.claims, self.problems)
        if "2" in wanted:
            self.task2 = read_task2(cells, claim, of_task2, self.claims, self.problems)

    def _check_task2_rows(self, cells: Cells, of_task2: Booleans) -> None:
        for name in ("rank", "label"):
            column = cells.columns.get(name)
            for row in np.flatnonzero(of_task2).tolist() if column is not None else ():
                if column is not None and column[row].strip(BLANKS):
                    self.problems.add(
                        table.TASK2_ROW,
                        cells.file,
                        line=cells.lines[row],
                        column=name,
                        found=column[row],
                    )

    def remark_other_task(self) -> None:
        """Say what is ignored on a board of one task, or that nothing is left."""
        ignored = sorted(self.answered - set(self.tasks))
        if not ignored:
            return
        if self.answered & set(self.tasks):
            self.problems.add(table.OTHER_TASK, task=ignored[0])
        else:
            self.problems.add(table.OTHER_TASK_ALONE, task=self.tasks[0])


def _tasks_answered(cells: Cells) -> set[str]:
    """Return the tasks that a file of both kinds answers, by its columns and rows."""
    answered = {"2"} if "narrative" in cells.columns else set()
    by_abstract = any(name in cells.columns for name in ("abstract_id", "rank", "label"))
    if by_abstract and not _rows_without_abstract(cells).all():
        answered.add("1")
    return answered or {"1"}


def _required(wanted: Sequence[str]) -> Sequence[str]:
    return ("claim_id", "abstract_id", "rank") if "1" in wanted else ("claim_id",)


def _rows_without_abstract(cells: Cells) -> Booleans:
    """Return which rows are of task 2 alone: they could carry a narrative and name no abstract."""
    abstracts = cells.columns.get("abstract_id")
    if "narrative" not in cells.columns or abstracts is None:
        return np.full(len(cells), "abstract_id" not in cells.columns, dtype=np.bool_)
    return np.fromiter((not text.strip(BLANKS) for text in abstracts), np.bool_, len(cells))
