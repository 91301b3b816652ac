"""The reader of submissions: from an upload to two typed tables and every problem found."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from climatecheck import edition
from climatecheck import problem_table as table
from climatecheck.archive import open_upload
from climatecheck.cells import Cells, read_cells
from climatecheck.columns import parse_claims
from climatecheck.decoding import plain_name
from climatecheck.problems import Collector, Kind, Problem
from climatecheck.tables import Booleans, Claims, Column, Submission, Task1, Task2
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
_OPTIONAL = ("label", "narrative")
_ALSO_CALLED = {
    "claim_id": ("id", "qid", "queryid"),
    "abstract_id": ("docid", "documentid", "abstractoriginalindex"),
    "rank": ("position",),
    "label": ("annotation", "verdict", "lable"),
    "narrative": ("code", "codes", "cards"),
}
"""What people call these columns too, without case, blanks and underscores; never read so."""
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
    upload = open_upload(
        Path(source), len(claims), problems, tasks=tasks, from_platform=from_platform
    )
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
        cells = _without_broken_rows(cells)
        if not len(cells):
            return
        meant = self._refuse_meant(cells, known)
        answered = {task} if task is not None else _tasks_answered(cells, meant)
        self.answered |= answered
        wanted = [task for task in self.tasks if task in answered]
        required = [name for name in _required(wanted, file) if name not in meant.values()]
        missing = [name for name in required if wanted and name not in cells.columns]
        guesses = {name: _nearest(name, cells.ignored) for name in missing}
        self._report_missing(cells, known, guesses)
        self._remark_ignored(cells, known, {*meant, *guesses.values()})
        if wanted and not missing:
            self._read_rows(cells, wanted)

    def _refuse_meant(self, cells: Cells, known: Sequence[str]) -> dict[str, str]:
        """Return the column that was probably meant by each name that is not read, if it matters.

        Without such a column the file would be read, but it would mean something else.
        """
        meant = {}
        matters = {"label": "1" in self.tasks and "abstract_id" in cells.columns}
        matters["narrative"] = "2" in self.tasks
        for name in _OPTIONAL:
            if name in known and name not in cells.columns and matters[name]:
                written = next((other for other in cells.ignored if _means(other, name)), None)
                if written is not None:
                    meant[written] = name
        for written, name in meant.items():
            self.problems.add(
                table.COLUMN_MEANT,
                cells.file,
                line=cells.header_line,
                column=name,
                found=written,
                group_by=name,
            )
        return meant

    def _report_missing(
        self, cells: Cells, known: Sequence[str], guesses: Mapping[str, str]
    ) -> None:
        for name, written in guesses.items():
            self.problems.add(
                table.COLUMN_MISSING,
                cells.file,
                line=cells.header_line,
                column=name,
                found=",".join(cells.header),
                hint=name if written else "",
                written=written,
                expected=", ".join(known),
                group_by=name,
            )

    def _remark_ignored(self, cells: Cells, known: Sequence[str], said: Collection[str]) -> None:
        for name in cells.ignored:
            if name not in said:
                found = name.strip(BLANKS) or "(without a name)"
                self.problems.add(
                    table.COLUMN_IGNORED, cells.file, found=found, expected=", ".join(known)
                )

    def _read_rows(self, cells: Cells, wanted: Sequence[str]) -> None:
        claim = parse_claims(cells, self.claims, self.problems)
        of_task2 = _rows_without_abstract(cells)
        if "1" in self.tasks:
            self._check_task2_rows(cells, of_task2)
        if "1" in wanted:
            rows = np.flatnonzero(~of_task2)
            own = cells if len(rows) == len(cells) else cells.take(rows)
            self.task1 = read_task1(own, claim[rows], self.claims, self.problems)
        if "2" in wanted and "narrative" in cells.columns:
            self.task2 = read_task2(cells, claim, of_task2, self.claims, self.problems)

    def _check_task2_rows(self, cells: Cells, of_task2: Booleans) -> None:
        for name in ("rank", "label"):
            column = cells.columns.get(name)
            if column is None:
                continue
            rows = [row for row in np.flatnonzero(of_task2).tolist() if column[row].strip(BLANKS)]
            self._add_rows(table.TASK2_ROW, cells, name, rows)

    def _add_rows(self, kind: Kind, cells: Cells, name: str, rows: Sequence[int]) -> None:
        column = cells.columns[name]
        self.problems.add_rows(
            kind,
            cells.file,
            rows,
            lambda row: {"line": cells.lines[row], "column": name, "found": column[row]},
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


def _without_broken_rows(cells: Cells) -> Cells:
    if not cells.broken:
        return cells
    whole = np.setdiff1d(np.arange(len(cells)), cells.broken)
    return replace(cells.take(whole), broken=(), rows_lost=True)


def _nearest(name: str, others: Sequence[str]) -> str:
    """Return the one of the other names that probably stands for a column, or an empty string."""
    close = best_guess(name, others)
    also_called = (other for other in others if plain_name(other) in _ALSO_CALLED[name])
    return close or next(also_called, "")


def _means(written: str, name: str) -> bool:
    """Return whether a column called so was probably meant to be an optional one that is read.

    >>> [_means(w, "label") for w in ("labels", "pred_label", "annotation", "score", "table")]
    [True, True, True, False, False]
    """
    plain = plain_name(written)
    words = re.split(r"[^a-z]+", written.casefold())
    close = bool(plain) and bool(best_guess(name, [plain], cutoff=0.81))
    return close or name in words or plain in _ALSO_CALLED[name]


def _tasks_answered(cells: Cells, meant: Mapping[str, str]) -> set[str]:
    """Return the tasks that a file of both kinds answers, by its columns and rows."""
    there = {*cells.columns, *meant.values()}
    answered = {"2"} if "narrative" in there else set()
    if "abstract_id" in there:
        of_task1 = not _rows_without_abstract(cells).all()
    else:
        of_task1 = any(_has_content(cells.columns.get(name, ())) for name in ("rank", "label"))
    return answered | ({"1"} if of_task1 or not answered else set())


def _has_content(column: Column) -> bool:
    return any(cell.strip(BLANKS) for cell in column)


def _required(wanted: Sequence[str], file: str) -> Sequence[str]:
    if "1" in wanted:
        return ("claim_id", "abstract_id", "rank")
    return ("claim_id", "narrative") if file == edition.TASK2_FILE else ("claim_id",)


def _rows_without_abstract(cells: Cells) -> Booleans:
    """Return which rows are of task 2 alone: they could carry a narrative and name no abstract."""
    abstracts = cells.columns.get("abstract_id")
    if "narrative" not in cells.columns or abstracts is None:
        return np.full(len(cells), "abstract_id" not in cells.columns, dtype=np.bool_)
    return np.fromiter((not text.strip(BLANKS) for text in abstracts), np.bool_, len(cells))
