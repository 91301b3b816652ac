"""The typed tables that the readers make and the metrics read.

One axis runs through all of them: ``claim`` is always the position of a claim in ``Claims.ids``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from climatecheck.problems import Problem

Integers: TypeAlias = npt.NDArray[np.int64]
Booleans: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]

Column: TypeAlias = Sequence[str] | npt.NDArray[np.object_]
"""A column of text, row by row; an array where it comes from a large table."""

NO_LABEL = -1
"""Stands in ``label`` arrays where a row has no label."""


@dataclass(frozen=True)
class Claims:
    """The claims of an edition, by distinct id, in the order of the file.

    Attributes:
        ids: the distinct ids.
        texts: the text of each id (the first, where an id has two).
        twice: the ids that the file lists with two texts.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    twice: frozenset[str] = frozenset()
    index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {id_: i for i, id_ in enumerate(self.ids)})

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Task1:
    """A run: the retrieved abstracts, sorted by claim and rank.

    Attributes:
        claim: (rows,) position of the claim in ``Claims.ids``.
        abstract: (rows,) abstract id.
        position: (rows,) 1 for a claim's best-ranked abstract, 2 for the next, without gaps.
        label: (rows,) position in ``edition.LABELS``, or ``NO_LABEL``.
        line: (rows,) line of the file.
        has_labels: whether the run enters task 1.2.
    """

    claim: Integers
    abstract: Integers
    position: Integers
    label: Integers
    line: Integers
    has_labels: bool

    def __len__(self) -> int:
        return len(self.claim)


@dataclass(frozen=True)
class Task2:
    """Narratives, one row a claim.

    Attributes:
        claim: (rows,) position of the claim in ``Claims.ids``; distinct.
        codes: (rows, codes) indicator matrix over ``taxonomy.CODES``.
    """

    claim: Integers
    codes: Booleans

    def __len__(self) -> int:
        return len(self.claim)

    def dense(self, claims: int) -> Booleans:
        """Return the (claims, codes) matrix; a claim without a row has no code."""
        matrix = np.zeros((claims, self.codes.shape[1]), dtype=np.bool_)
        matrix[self.claim] = self.codes
        return matrix


@dataclass(frozen=True)
class Submission:
    """What a submission says, and every problem found in it.

    A table is None where the task was not entered or where an error stands in its way.
    """

    claims: Claims
    task1: Task1 | None
    task2: Task2 | None
    problems: tuple[Problem, ...]
    digest: str = ""

    @property
    def valid(self) -> bool:
        """Whether no problem is an error."""
        return not any(problem.is_error for problem in self.problems)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks entered, among ``1.1``, ``1.2`` and ``2``."""
        task1 = ("1.1", "1.2") if self.task1 and self.task1.has_labels else ("1.1",)
        return (*(task1 if self.task1 else ()), *(("2",) if self.task2 else ()))


@dataclass(frozen=True)
class Gold:
    """The reference data of both tasks.

    Attributes:
        claim, abstract, label: (pairs,) the judged claim-abstract pairs, each once, sorted by
            claim and abstract; label is a position in ``edition.LABELS``.
        narratives: the gold of task 2; a claim without a row is not evaluated in task 2.
        digest: a short hash of the reference files.
    """

    claims: Claims
    claim: Integers
    abstract: Integers
    label: Integers
    narratives: Task2
    digest: str = ""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that have gold, among ``1`` and ``2``."""
        return tuple(t for t, rows in (("1", self.claim), ("2", self.narratives)) if len(rows))


Json: TypeAlias = dict[str, Any]
