"""A file's columns as text, whatever its format.

Nothing infers types: whatever a file stores becomes text, and ``parsing`` reads it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from climatecheck.decoding import plain_name
from organiser.dataset.records import NONE, Column

CHUNK = 50_000
"""Rows of a part of a file that is read in parts."""

Choose: TypeAlias = Callable[[Sequence[str]], Mapping[str, str]]
"""From the names in a file to those that are read: the usual name, and the name in the file."""


class Unreadable(Exception):
    """A file cannot be read; the message says why, without its name."""


@dataclass(frozen=True)
class Sheet:
    """The columns of a file that are read, by their usual names.

    Attributes:
        rows: how many there are.
        header: the names as they stand in the file.
        used: the names that are read.
        columns: by usual name.
    """

    rows: int
    header: tuple[str, ...]
    used: tuple[str, ...]
    columns: dict[str, Column]


def known_names(header: Sequence[str], names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the name in the file of each known column that it has.

    Args:
        header: the names in the file.
        names: by usual name, the names that a column may have, the preferred ones first.

    Raises:
        Unreadable: a column is there twice.

    >>> known_names(["Claim-ID", "x"], {"claim_id": ["claim_id"], "claim": ["claim"]})
    {'claim_id': 'Claim-ID'}
    """
    found: dict[str, str] = {}
    for usual, others in names.items():
        for name in others:
            written = [each for each in header if plain_name(each) == plain_name(name)]
            if len(written) > 1:
                raise Unreadable(f"the column {name} is there twice")
            if written:
                found.setdefault(usual, written[0])
    return found


def text_of(value: object) -> str:
    """Return a stored value as the text of a cell; lists are joined by ``;``.

    >>> text_of(12), text_of(12.0), text_of(None), text_of(["1_1", "2_1"])
    ('12', '12.0', '', '1_1;2_1')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ";".join(map(text_of, value))
    return str(value)


def factorised(values: Iterable[object]) -> Column:
    """Return a column by its distinct cells."""
    index: dict[str, int] = {}
    codes = [NONE if v is None else index.setdefault(text_of(v), len(index)) for v in values]
    return Column(np.array(codes, dtype=np.int64), list(index))


def arrow_column(column: Any) -> Column:
    """Return a column of an Arrow table."""
    if str(column.type).startswith(("list", "large_list", "fixed_size_list", "struct")):
        return factorised(column.to_pylist())
    if not str(column.type).startswith("dictionary"):
        column = column.dictionary_encode()
    chunks = column.unify_dictionaries().chunks
    if not chunks:
        return factorised([])
    codes = [chunk.indices.fill_null(NONE).to_numpy(zero_copy_only=False) for chunk in chunks]
    texts = chunks[0].dictionary.to_pylist()
    if not str(column.type.value_type).endswith("string"):
        texts = list(map(text_of, texts))
    return Column(np.concatenate(codes).astype(np.int64), texts)
