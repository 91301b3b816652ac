"""What annotators said of which item; the one table that every measure reads."""

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from climatecheck import edition, taxonomy
from climatecheck.tables import Booleans, Integers

Item: TypeAlias = tuple[str, ...]
"""What is annotated: ``(claim_id,)`` in task 2, ``(claim_id, abstract_id)`` in task 1."""

LABELS = {"1": edition.LABELS, "2": taxonomy.CODES}
ANSWER = {"1": "label", "2": "narrative"}
"""The column of a task's answers."""

ITEM = {"1": ("claim_id", "abstract_id"), "2": ("claim_id",)}
"""The columns that tell a task's items."""

NOT_MADE = -1


@dataclass(frozen=True)
class Annotations:
    """The annotations of one task, those that are missing included.

    Attributes:
        task: ``1``, one label an item, or ``2``, one or more narrative codes an item.
        annotators: their names.
        items: in the order of the claims.
        labels: of the task, or the groups of its codes.
        made: (annotators, items) whether an annotator has annotated an item.
        marks: (annotators, items, labels) whether an annotator has given a label; False where no
            annotation was made.
        texts: the text of a claim by its id, where it is known.
    """

    task: str
    annotators: tuple[str, ...]
    items: tuple[Item, ...]
    labels: tuple[str, ...]
    made: Booleans
    marks: Booleans
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """What begins the names of the task's files; both tasks can stand in one report."""
        return "" if self.task == "2" else f"task{self.task}_"

    def of(self, annotators: Sequence[int]) -> "Annotations":
        """Return the annotations of some annotators, without items that none of them annotated."""
        chosen = list(annotators)
        seen = np.flatnonzero(self.made[chosen].any(axis=0))
        return replace(
            self,
            annotators=tuple(self.annotators[i] for i in chosen),
            items=tuple(self.items[i] for i in seen.tolist()),
            made=self.made[chosen][:, seen],
            marks=self.marks[chosen][:, seen],
        )

    def grouped(self) -> "Annotations":
        """Return narratives by group: a group is marked if any of its codes is."""
        groups = tuple(taxonomy.GROUPS)
        member = np.array([taxonomy.group_of(code) for code in self.labels])
        marks = np.stack([self.marks[..., member == group].any(axis=-1) for group in groups], -1)
        return replace(self, labels=groups, marks=marks)

    def answers(self) -> tuple[Integers, Booleans]:
        """Return annotations by their distinct sets of labels.

        Returns:
            (annotators, items) which set was given, ``NOT_MADE`` where none was; and the
            (sets, labels) themselves.
        """
        given = self.marks[self.made]
        packed = np.ascontiguousarray(np.packbits(given, axis=-1))
        rows = packed.view(np.dtype((np.void, packed.shape[-1]))).ravel()
        _, first, which = np.unique(rows, return_index=True, return_inverse=True)
        answer = np.full(self.made.shape, NOT_MADE, dtype=np.int64)
        answer[self.made] = which.ravel()
        return answer, given[first]


def said(labels: Sequence[str], given: Iterable[bool]) -> str:
    """Return a set of labels as a cell of a sheet.

    >>> said(("1_1", "2_1", "3_1"), [True, False, True])
    '1_1;3_1'
    """
    return ";".join(label for label, is_given in zip(labels, given, strict=True) if is_given)


def tasks_with(columns: Container[str]) -> list[str]:
    """Return the tasks that a table has the columns of.

    >>> tasks_with(["claim_id", "narrative", "label"])
    ['2']
    """
    return [t for t in LABELS if all(name in columns for name in (*ITEM[t], ANSWER[t]))]


def plain(annotator: str) -> str:
    """Return a name without what people write now so, now so.

    >>> plain("Ann-B"), plain("ann b")
    ('annb', 'annb')
    """
    return re.sub(r"[\s_-]+", "", unicodedata.normalize("NFKC", annotator)).casefold()
