"""Files as listings: rows that name a claim, whatever the format."""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from organiser.check.downloads import parquet_reader

T = TypeVar("T")
Cells: TypeAlias = dict[str, str]
"""A row's cells by column; a column without a name is called by its number."""

_SEPARATORS = ",;\t|"
_SPLIT = re.compile(r"[\s,;|\[\](){}\"']+")
_TOKENS = re.compile(r"[^\s,;|\"'()\[\]{}:=<>`]+")
_HEAD = 50
_LONG_CELL = 4_000
_LONG_LINE = 600
_ROWS = 2_000_000
_CLAIM_COLUMNS = 4
_COLUMN_SHARE = 0.2
_FIELD_LIMIT = 10_000_000


@dataclass(frozen=True)
class Row:
    """A claim with one abstract, and what else stands in its row."""

    claim: str
    answer: str
    others: Cells


@dataclass(frozen=True)
class Listing:
    """The rows of a file in which some column, the same for all, names a claim."""

    claim_column: str
    rows: Sequence[tuple[str, Cells]]

    def pairs(self, gold: Mapping[str, Mapping[str, int]]) -> list[Row]:
        """Return each row's abstracts; their columns are those with the most judged pairs."""
        hits: Counter[str] = Counter()
        for claim, cells in self.rows:
            judged = gold.get(claim, {})
            for column, cell in cells.items():
                hits[column] += any(token in judged for token in _tokens(cell))
        most = max(hits.values(), default=0)
        columns = [c for c, count in hits.items() if count and count >= _COLUMN_SHARE * most]
        return [
            Row(claim, token, {**cells, "column": column})
            for claim, cells in self.rows
            for column in columns
            for token in _tokens(cells.get(column, ""))
            if token.isdigit()
        ]

    def columns(self, read: Callable[[str], T | None]) -> Iterator[list[tuple[str, T]]]:
        """Yield, for each column, the claims with what its cells say, where they say anything.

        A column that is named by what it says, and holds a yes or no, counts as said where yes.
        """
        named: list[tuple[str, T]] = []
        columns: dict[str, list[tuple[str, T]]] = {}
        for claim, cells in self.rows:
            for column, cell in cells.items():
                if (value := read(cell)) is not None:
                    columns.setdefault(column, []).append((claim, value))
                elif cell.casefold() in ("1", "true", "yes", "x"):
                    said = read(column)
                    named += [(claim, said)] if said is not None else []
        yield from columns.values()
        yield named


def plain(text: str) -> str:
    """Return the text of a cell without what formats put around it.

    >>> plain(" 12.0 "), plain("**`4711`**")
    ('12', '4711')
    """
    text = text.strip().strip("`*'\"").strip()
    return text[:-2] if text.endswith(".0") and text[:-2].isdigit() else text


def _tokens(cell: str) -> list[str]:
    if cell.isdigit() or len(cell) > _LONG_CELL:
        return [cell]
    return [plain(token) for token in _SPLIT.split(cell) if token]


def listings(content: bytes, claims: Mapping[str, str]) -> Iterator[Listing]:
    """Yield a file's listings: one for each way to read it and each column that may name claims.

    Args:
        content: of the file.
        claims: the id of each claim by everything that names it.
    """
    for table in _tables(content):
        rows = [cells for cells in _safely(table) if not claims.keys().isdisjoint(cells.values())]
        counts = Counter(
            column for cells in rows for column, cell in cells.items() if cell in claims
        )
        for column, _ in counts.most_common(_CLAIM_COLUMNS):
            yield Listing(
                column,
                [
                    (claims[cells[column]], {c: v for c, v in cells.items() if c != column})
                    for cells in rows
                    if cells.get(column) in claims
                ],
            )


def _tables(content: bytes) -> Iterator[Iterator[Cells]]:
    """Yield the rows of a file for each way in which it can be read as a table."""
    if content.startswith(b"PAR1"):
        yield _parquet(content)
        return
    text = _text(content)
    lines = text.splitlines()[:_ROWS]
    head = [line for line in lines[:_HEAD] if line.strip()]
    if text.lstrip()[:1] in ("{", "["):
        yield (row for each in [text] for row in _flat(json.loads(each)))
        yield (row for line in lines if line.strip() for row in _flat_line(line))
    for separator in _SEPARATORS:
        if sum(separator in line for line in head) * 2 >= len(head) > 0:
            yield _delimited(lines, separator)
    short = (line for line in lines if len(line) < _LONG_LINE)
    yield (dict(_numbered(_TOKENS.findall(line))) for line in short)


def _parquet(content: bytes) -> Iterator[Cells]:
    read = parquet_reader()
    for row in read(content) if read else []:
        yield from _flat(row)


def _text(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:10_000]:
        return ""
    return content.decode("utf-8-sig", "replace")


def _safely(rows: Iterator[Cells]) -> Iterator[Cells]:
    """Yield rows as long as they can be read; a file may not be of this form after all."""
    with suppress(ValueError, csv.Error, RecursionError, KeyError, TypeError, OSError):
        yield from rows


def _delimited(lines: Iterable[str], separator: str) -> Iterator[Cells]:
    csv.field_size_limit(_FIELD_LIMIT)
    header: list[str] = []
    for cells in csv.reader(lines, delimiter=separator, skipinitialspace=True):
        header = header or [plain(cell) for cell in cells]
        if len(cells) == len(header) == len(set(header)):
            yield {name: plain(cell) for name, cell in zip(header, cells, strict=True)}
        else:
            yield dict(_numbered(cells))


def _numbered(cells: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((str(i), plain(cell)) for i, cell in enumerate(cells))


def _flat_line(line: str) -> Iterator[Cells]:
    try:
        yield from _flat(json.loads(line))
    except ValueError:
        return


def _flat(node: Any, above: Cells | None = None, depth: int = 0) -> Iterator[Cells]:
    """Yield the rows of nested data: what a leaf says, with the keys on the way to it."""
    above = above or {}
    if isinstance(node, dict):
        own = {str(k): plain(str(v)) for k, v in node.items() if not isinstance(v, (dict, list))}
        if own:
            yield above | own
        for key, value in node.items():
            step = {f"key {depth}": plain(str(key))}
            if isinstance(value, (dict, list)):
                yield from _flat(value, above | own | step, depth + 1)
            else:
                yield above | step | {"value": plain(str(value))}
    elif isinstance(node, list):
        leaves = [plain(str(v)) for v in node if not isinstance(v, (dict, list))]
        if leaves:
            yield above | dict(_numbered(leaves))
        for value in node:
            if isinstance(value, (dict, list)):
                yield from _flat(value, above, depth + 1)
            else:
                yield above | {"value": plain(str(value))}
    else:
        yield above | {"value": plain(str(node))}
