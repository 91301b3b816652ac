"""Files as tables: rows of cells, whatever the format, read in every way that may fit."""

import ast
import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, TypeAlias

from organiser.check.downloads import parquet_reader

Cells: TypeAlias = dict[str, str]
"""A row's cells by column; a column without a name is called by its number."""

_SEPARATORS = ",;\t|"
_TOKENS = re.compile(r"[^\s,;|\"'()\[\]{}:=<>`]+")
_BRACKETS = re.compile(r"[\n\r()\[\]{}<>]+")
_HEAD = 50
_LONG_LINE = 600
_LARGE = 2_000_000
_ROWS = 2_000_000
_FIELD_LIMIT = 10_000_000
_LISTS = (list, tuple, set, frozenset)
_LITERALS = (ast.Dict, ast.List, ast.Set, ast.Tuple)
_FAULTS = (
    ValueError,
    csv.Error,
    RecursionError,
    KeyError,
    TypeError,
    OSError,
    SyntaxError,
    MemoryError,
)


def plain(text: str) -> str:
    """Return the text of a cell without what formats put around it.

    >>> plain(" 12.0 "), plain("**`4711`**")
    ('12', '4711')
    """
    text = text.strip().strip("`*'\"").strip()
    return text[:-2] if text.endswith(".0") and text[:-2].isdigit() else text


def tables(content: bytes) -> Iterator[list[Cells]]:
    """Yield the rows of a file for each format of tables that it may have."""
    for table in _tables(content):
        yield list(_safely(table))


def loose_tables(content: bytes, names: Mapping[str, object]) -> Iterator[list[Cells]]:
    """Yield what else may be rows: parts of literals, lines, and what stands between brackets.

    Args:
        content: of the file.
        names: what names claims; of a large file, only lines that hold a name are yielded.
    """
    text = text_of(content)
    if len(text) > _LARGE:
        yield [row for row in _words_of_lines(text) if not names.keys().isdisjoint(row.values())]
        return
    for table in _loose_tables(text):
        yield list(_safely(table))


def words(content: bytes) -> list[str]:
    """Return what stands in a file between blanks, brackets and signs, in its order."""
    return [plain(found[0]) for found in islice(_TOKENS.finditer(text_of(content)), _ROWS)]


def text_of(content: bytes) -> str:
    """Return the text of a file; empty for a binary one."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:10_000]:
        return ""
    return content.decode("utf-8-sig", "replace")


def _safely(rows: Iterator[Cells]) -> Iterator[Cells]:
    """Yield rows as long as they can be read; a file may not be of this form after all."""
    with suppress(*_FAULTS):
        yield from rows


def _tables(content: bytes) -> Iterator[Iterator[Cells]]:
    """Yield the rows of a file for each way in which it can be read as a table."""
    if content.startswith(b"PAR1"):
        yield _parquet(content)
        return
    text = text_of(content)
    lines = text.splitlines()[:_ROWS]
    head = [line for line in lines[:_HEAD] if line.strip()]
    if text.lstrip()[:1] in ("{", "["):
        yield (row for each in [text] for row in _flat(json.loads(each)))
        yield (row for line in lines if line.strip() for row in _flat_line(line))
    for separator in _SEPARATORS:
        if sum(separator in line for line in head) * 2 >= len(head) > 0:
            yield _delimited(lines, separator)


def _loose_tables(text: str) -> Iterator[Iterator[Cells]]:
    lines = text.splitlines()[:_ROWS]
    yield _literals(text)
    yield (dict(_numbered(line.split())) for line in lines)
    yield _words_of_lines(text)
    yield (dict(_numbered(_TOKENS.findall(part))) for part in _BRACKETS.split(text)[:_ROWS])


def _words_of_lines(text: str) -> Iterator[Cells]:
    for line in text.splitlines()[:_ROWS]:
        if len(line) < _LONG_LINE:
            yield dict(_numbered(_TOKENS.findall(line)))


def _parquet(content: bytes) -> Iterator[Cells]:
    read = parquet_reader()
    for row in read(content) if read else []:
        yield from _flat(row)


def _literals(text: str) -> Iterator[Cells]:
    """Yield the rows of the lists and dictionaries that are written out in Python."""
    todo: list[ast.AST] = [ast.parse(text)]
    found: dict[str, Any] = {}
    while todo:
        node = todo.pop()
        if isinstance(node, _LITERALS):
            with suppress(*_FAULTS):
                found[str(len(found))] = ast.literal_eval(node)
                continue
        todo.extend(ast.iter_child_nodes(node))
    yield from _flat(found)


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
        yield from (above | row for row in _side_by_side(node))
        own = {str(k): plain(str(v)) for k, v in node.items() if _is_leaf(v)}
        if own:
            yield above | own
        for key, value in node.items():
            step = {f"key {depth}": plain(str(key))}
            if _is_leaf(value):
                yield above | step | {"value": plain(str(value))}
            else:
                yield from _flat(value, above | own | step, depth + 1)
    elif isinstance(node, _LISTS):
        leaves = [plain(str(v)) for v in node if _is_leaf(v)]
        if leaves:
            yield above | dict(_numbered(leaves))
        for value in node:
            if _is_leaf(value):
                yield above | {"value": plain(str(value))}
            else:
                yield from _flat(value, above, depth + 1)
    else:
        yield above | {"value": plain(str(node))}


def _is_leaf(node: Any) -> bool:
    return not isinstance(node, (dict, *_LISTS))


def _side_by_side(node: Mapping[Any, Any]) -> Iterator[Cells]:
    """Yield the rows of columns that stand beside each other: lists of one length, or same keys.

    >>> list(_side_by_side({"id": [7, 8], "code": ["1_1", "0_0"], "note": "x"}))
    [{'id': '7', 'code': '1_1'}, {'id': '8', 'code': '0_0'}]
    """
    alike: dict[tuple[Any, ...], dict[str, Mapping[Any, Any]]] = {}
    for name, value in node.items():
        column = dict(enumerate(value)) if isinstance(value, (list, tuple)) else value
        if isinstance(column, dict) and len(column) > 1 and all(map(_is_leaf, column.values())):
            alike.setdefault(tuple(column), {})[str(name)] = column
    for keys, columns in alike.items():
        if len(columns) > 1:
            for key in keys:
                yield {name: plain(str(column[key])) for name, column in columns.items()}
