"""The rows of a dataset: first as text, then parsed; each row knows where it stands."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from climatecheck.problems import shown
from climatecheck.tables import Booleans, Integers
from organiser.dataset.findings import Place

SPLITS = ("train", "test")
TRAIN, TEST = range(len(SPLITS))

NONE = -1
"""Stands in every array of positions where a cell is empty or cannot be read."""


@dataclass(frozen=True)
class Column:
    """A column of text by the distinct cells of each file.

    Attributes:
        codes: (rows,) position in ``texts``, or ``NONE``.
        texts: the distinct cells, file by file.
    """

    codes: Integers
    texts: list[str]

    def spread(self, values: Iterable[int]) -> Integers:
        """Return a value a row, from a value a distinct cell; ``NONE`` for an empty cell."""
        return np.array([*values, NONE], dtype=np.int64)[self.codes]


@dataclass(frozen=True)
class Rows:
    """All rows of a dataset, as text.

    Attributes:
        files: the names of the files.
        paths: of the files.
        file: (rows,) position in ``files``.
        number: (rows,) of the row in its file, from 1, the header not counted.
        split: (rows,) position in ``SPLITS``.
        columns: by name; every column that is read is there.
    """

    files: tuple[str, ...]
    paths: tuple[Path, ...]
    file: Integers
    number: Integers
    split: Integers
    columns: dict[str, Column]

    def __len__(self) -> int:
        return len(self.file)

    def cell(self, name: str, row: int) -> str:
        """Return the text of a cell, fit to print."""
        column = self.columns[name]
        code = int(column.codes[row])
        return "" if code == NONE else shown(column.texts[code].strip())

    def place(self, row: int, found: str = "") -> Place:
        """Return where a row stands."""
        file, number = self.files[int(self.file[row])], int(self.number[row])
        ids = self.cell("claim_id", row), self.cell("abstract_id", row)
        return Place(file, number, *ids, found)


@dataclass(frozen=True)
class Records:
    """Parsed rows; ``NONE`` where there is no value.

    Attributes:
        row: (records,) row of ``rows`` in which each record stands.
        split: (records,) position in ``SPLITS``.
        claim: (records,) position in ``ids``.
        text: (records,) position in ``texts``.
        abstract: (records,) abstract id.
        label: (records,) position in the edition's labels.
        narrative: (records,) position in ``narratives``.
        abstract_text: (records,) position in ``abstract_texts``.
        version: (records,) position in ``versions``.
        rows: where all stand.
        ids, texts, narratives, abstract_texts, versions: the distinct values; those of
            ``narratives`` are positions of codes, sorted.
    """

    row: Integers
    split: Integers
    claim: Integers
    text: Integers
    abstract: Integers
    label: Integers
    narrative: Integers
    abstract_text: Integers
    version: Integers
    rows: Rows
    ids: list[str]
    texts: list[str]
    narratives: list[tuple[int, ...]]
    abstract_texts: list[str]
    versions: list[str]

    def __len__(self) -> int:
        return len(self.row)

    def take(self, chosen: Booleans) -> "Records":
        """Return some of the records."""
        if chosen.all():
            return self
        arrays = {
            field.name: getattr(self, field.name)[chosen]
            for field in fields(self)
            if isinstance(getattr(self, field.name), np.ndarray)
        }
        return replace(self, **arrays)

    @property
    def unit(self) -> Integers:
        """A number for each claim of each split, (records,): an id may stand in both splits."""
        return self.split * len(self.ids) + self.claim

    def split_of(self, unit: int) -> int:
        """Return the split of a claim of a split."""
        return unit // len(self.ids)

    def id_of(self, unit: int) -> str:
        """Return the id of a claim of a split."""
        return self.ids[unit % len(self.ids)]

    def in_files_with(self, chosen: Booleans) -> Booleans:
        """Return which records stand in a file in which any of the chosen ones stand."""
        file = self.rows.file[self.row]
        return np.isin(file, np.unique(file[chosen]))

    def places(
        self, records: Integers, found: Callable[[int], str] = lambda record: ""
    ) -> list[Place]:
        """Return where some records stand; ``found`` says what was found in each."""
        rows = self.row[records].tolist()
        return [
            self.rows.place(row, found(record))
            for row, record in zip(rows, records.tolist(), strict=True)
        ]


@dataclass(frozen=True)
class Votes:
    """What the members of each group say.

    Attributes:
        group: the distinct groups, sorted.
        winner: (groups,) the value of most members; ``NONE`` where two are as frequent.
        members: (groups,) how many there are.
        values: (groups,) how many different values they give.
    """

    group: Integers
    winner: Integers
    members: Integers
    values: Integers


def votes(group: Integers, value: Integers, size: int) -> Votes:
    """Return the most frequent value of each group.

    Args:
        group: (members,) not negative.
        value: (members,) from 0 to ``size`` less one.
        size: how many values there can be.

    >>> made = votes(np.array([7, 7, 7, 9, 9]), np.array([1, 0, 1, 0, 1]), 2)
    >>> made.group.tolist(), made.winner.tolist(), made.members.tolist(), made.values.tolist()
    ([7, 9], [1, -1], [3, 2], [2, 2])
    """
    if not len(group):
        return Votes(*(np.zeros(0, dtype=np.int64),) * 4)
    size = max(size, 1)
    keys, counts = np.unique(group * size + value, return_counts=True)
    owner = keys // size
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    values = np.diff(starts, append=len(owner))
    members = np.add.reduceat(counts, starts)
    is_top = counts == np.repeat(np.maximum.reduceat(counts, starts), values)
    tops = np.add.reduceat(is_top.astype(np.int64), starts)
    top_places = np.flatnonzero(is_top)
    first_top = top_places[np.searchsorted(top_places, starts)]
    winner = np.where(tops == 1, keys[first_top] % size, NONE)
    return Votes(owner[starts], winner, members, values)


def first_of_each(keys: Integers, wanted: Integers) -> Integers:
    """Return the place of the first of each wanted key, in order.

    >>> first_of_each(np.array([5, 3, 5, 4]), np.array([4, 5])).tolist()
    [0, 3]
    """
    places = np.flatnonzero(np.isin(keys, wanted))
    _, first = np.unique(keys[places], return_index=True)
    return np.sort(places[first])
