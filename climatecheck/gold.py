"""The reader of claims and reference data.

Whatever is wrong here is an organiser's fault. It is told by file, line and kind alone, never with
what stands there, so that the message can be shown to anyone.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from climatecheck import edition, problem_table, taxonomy
from climatecheck.cells import Cells, read_cells
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.problems import Collector, Kind
from climatecheck.tables import Booleans, Claims, Column, Gold, Integers, Task2
from climatecheck.values import (
    BLANKS,
    Parsed,
    abstract_of,
    claim_of,
    codes_of,
    factorise,
    label_of,
    plain_abstract,
    plain_label,
)

T = TypeVar("T")

GOLD_FILES = {"1": edition.TASK1_GOLD_FILE, "2": edition.TASK2_GOLD_FILE}
"""The file of each task's gold."""

_ABSTRACT_COLUMNS = ("abstract_id", "abstract_original_index")
_TEXTS_OF_AN_ID = 2
_SHOWN_LINES = 5
_MAX_ROWS = 100_000_000
_DIGEST_CHARACTERS = 12
_UNREADABLE = -1


class GoldError(Exception):
    """The organisers' data cannot be used; the message lists every fault and shows no gold."""


def read_claims(path: Path) -> Claims:
    """Read the claims of an edition: columns ``claim_id`` and ``claim``.

    An id with two texts is read with the first of them and noted in ``Claims.twice``.

    Raises:
        GoldError: the file cannot be read, an id is empty, or a row is repeated.
    """
    faults = _Faults()
    claims = _claims(path, faults)
    faults.raise_if_any()
    return claims


def read_gold(
    folder: Path, claims: Claims | None = None, *, tasks: Sequence[str] = ("1", "2")
) -> Gold:
    """Read the reference data of both tasks.

    Task 1: columns ``claim_id``, ``abstract_id`` (or ``abstract_original_index``) and ``label``.
    Task 2: columns ``claim_id`` and ``narrative``. A claim may have gold for either task alone.

    Args:
        folder: where both files stand.
        claims: the claims of the edition; None reads the file of claims in the same folder.
        tasks: the tasks that must have gold. The file of another task may hold its header alone, or
            be missing: an edition of one task, for a board of that task.

    Raises:
        GoldError: a file cannot be read; a claim is not among the claims; a pair or a claim's
            narratives are given twice; a label, code or abstract id is unknown; or no abstract at
            all is evidentiary.
    """
    faults = _Faults()
    task1, task2 = (folder / name for name in GOLD_FILES.values())
    if claims is None:
        claims = _claims(folder / edition.CLAIMS_FILE, faults)
    # Without a list of claims, each row would be reported as a claim that is not in it.
    index = claims.index if len(claims) else None
    claim, abstract, label = (
        _pairs(task1, index, faults) if "1" in tasks or has_gold(task1) else _NO_PAIRS
    )
    narratives = (
        _narratives(task2, index, faults) if "2" in tasks or has_gold(task2) else _NO_NARRATIVES
    )
    faults.raise_if_any()
    return Gold(claims, claim, abstract, label, narratives, _digest(task1, task2))


def has_gold(path: Path) -> bool:
    """Return whether a file of gold is there and holds more than its header."""
    # The zero bytes are those of UTF-16.
    return path.is_file() and len(path.read_bytes().strip(b"\0\t\r\n ").splitlines()) > 1


class _Faults:
    """Gathers faults by file and kind."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str], list[int]] = {}
        self._unplaced: Counter[tuple[str, str]] = Counter()

    def add(self, path: Path, kind: str, lines: Sequence[int] = (), *, count: int = 0) -> None:
        """Add a fault of a file, seen ``count`` times, on these lines or on these among others."""
        self._lines.setdefault((path.name, kind), []).extend(lines)
        self._unplaced[path.name, kind] += max(0, count - len(lines))

    def add_rows(self, path: Path, kind: str, cells: Cells, rows: Booleans) -> None:
        """Add a fault of the chosen rows, if there are any."""
        if rows.any():
            self.add(path, kind, [cells.lines[row] for row in np.flatnonzero(rows).tolist()])

    def raise_if_any(self) -> None:
        """Raise a ``GoldError`` that lists everything, if there is anything."""
        if self._lines:
            listed = [
                f"{file}: {kind}{_places(lines, self._unplaced[file, kind])}"
                for (file, kind), lines in self._lines.items()
            ]
            raise GoldError(
                "The organisers' data are faulty (no submission can be the cause):\n- "
                + "\n- ".join(listed)
            )


def _places(lines: Sequence[int], unplaced: int) -> str:
    if not lines:
        return ""
    shown = ", ".join(str(line) for line in sorted(lines)[:_SHOWN_LINES])
    more = max(0, len(lines) - _SHOWN_LINES) + unplaced
    word = "line" if len(lines) + unplaced == 1 else "lines"
    return f" ({word} {shown}{f' and {more:,} more' if more else ''})"


def _table(
    path: Path,
    columns: Sequence[str],
    faults: _Faults,
    *,
    either: Sequence[str] = (),
    allowed: Sequence[Kind] = (),
) -> Cells | None:
    """Return the cells of a file that has all of these columns and one of ``either``.

    The kinds of problems in ``allowed`` are no faults in this file.
    """
    try:
        data = path.read_bytes()
    except OSError:
        faults.add(path, "the file cannot be read")
        return None
    problems = Collector()
    cells = read_cells(data, path.name, (*columns, *either), problems, max_rows=_MAX_ROWS)
    errors = [p for p in problems.problems() if p.is_error and p.kind not in allowed]
    for problem in errors:
        lines = [place.line for place in problem.places if place.line is not None]
        faults.add(path, problem.kind.title, lines, count=problem.count)
    if cells is None:
        if not errors:
            faults.add(path, "the file cannot be read")
        return None
    missing = [f"there is no column {name}" for name in columns if name not in cells.columns]
    if either and not any(name in cells.columns for name in either):
        missing.append(f"there is no column {either[0]}")
    for kind in missing:
        faults.add(path, kind)
    return None if missing else cells


def _claims(path: Path, faults: _Faults) -> Claims:
    cells = _table(path, ("claim_id", "claim"), faults, allowed=(problem_table.LINE_BREAK,))
    if cells is None:
        return Claims((), ())
    texts: dict[str, list[str]] = {}
    rows = zip(cells.lines, cells.columns["claim_id"], cells.columns["claim"], strict=True)
    for line, *row in rows:
        id_, text = (cell.strip(BLANKS) for cell in row)
        if not id_:
            faults.add(path, "an empty claim_id", [line])
            continue
        of_id = texts.setdefault(id_, [])
        if len(id_.splitlines()) > 1:
            faults.add(path, "a line break in a claim_id", [line])
        elif text in of_id:
            faults.add(path, "a claim a second time", [line])
        elif len(of_id) == _TEXTS_OF_AN_ID:
            faults.add(path, "a third text for the same claim_id", [line])
        else:
            of_id.append(text)
    twice = frozenset(id_ for id_, of_id in texts.items() if len(of_id) > 1)
    return Claims(tuple(texts), tuple(next(iter(of_id), "") for of_id in texts.values()), twice)


def _pairs(
    path: Path, index: dict[str, int] | None, faults: _Faults
) -> tuple[Integers, Integers, Integers]:
    """Return claim, abstract and label of each judged pair, sorted by claim and abstract."""
    cells = _table(path, ("claim_id", "label"), faults, either=_ABSTRACT_COLUMNS)
    if cells is None:
        return _NO_PAIRS
    ids = next(cells.columns[name] for name in _ABSTRACT_COLUMNS if name in cells.columns)
    claim = _claim_positions(path, cells, index, faults)
    abstract = _positions(ids, plain_abstract, abstract_of)
    label = _positions(cells.columns["label"], plain_label, label_of)
    faults.add_rows(path, "an abstract id outside the corpus", cells, abstract == _UNREADABLE)
    faults.add_rows(path, "an unknown label", cells, label == _UNREADABLE)
    if not is_evidentiary(label).any():
        faults.add(path, "no abstract at all is evidentiary, so retrieval cannot be scored")
    readable = (claim != _UNREADABLE) & (abstract != _UNREADABLE)
    order, again = _sorted(claim * edition.CORPUS_SIZE + abstract)
    faults.add_rows(path, "a claim-abstract pair a second time", cells, again & readable)
    return claim[order], abstract[order], label[order]


def _narratives(path: Path, index: dict[str, int] | None, faults: _Faults) -> Task2:
    """Return the gold of task 2, sorted by claim."""
    cells = _table(path, ("claim_id", "narrative"), faults)
    if cells is None:
        return _NO_NARRATIVES
    claim = _claim_positions(path, cells, index, faults)
    order, again = _sorted(claim)
    faults.add_rows(path, "a claim a second time", cells, again & (claim != _UNREADABLE))
    factor = factorise(cells.columns["narrative"])
    parsed = [codes_of(text).value for text in factor.texts]
    unknown = np.array([codes is None for codes in parsed], dtype=np.bool_)
    empty = np.array([codes == () for codes in parsed], dtype=np.bool_)
    faults.add_rows(path, "an unknown narrative code", cells, unknown[factor.codes])
    faults.add_rows(path, "no narrative code", cells, empty[factor.codes])
    matrix = np.zeros((len(parsed), len(taxonomy.CODES)), dtype=np.bool_)
    for row, codes in enumerate(parsed):
        matrix[row, list(codes or ())] = True
    return Task2(claim[order], matrix[factor.codes[order]])


def _sorted(keys: Integers) -> tuple[Integers, Booleans]:
    """Return the order that sorts the keys, and which of them have stood above."""
    order = np.argsort(keys, kind="stable")
    again = np.zeros(len(keys), dtype=np.bool_)
    again[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return order, again


def _claim_positions(
    path: Path, cells: Cells, index: dict[str, int] | None, faults: _Faults
) -> Integers:
    column = cells.columns["claim_id"]
    if index is None:
        return factorise(column).codes
    claim = _positions(column, index.get, lambda text: claim_of(text, index))
    kind = f"a claim that is not in {edition.CLAIMS_FILE}"
    faults.add_rows(path, kind, cells, claim == _UNREADABLE)
    return claim


def _positions(
    column: Column, clean: Callable[[str], int | None], parse: Callable[[str], Parsed[int]]
) -> Integers:
    """Return the value of each cell, ``_UNREADABLE`` where it has none.

    Args:
        column: the cells.
        clean: the value of a cell in its usual form, else None; most cells need no more.
        parse: reads any other distinct cell.
    """
    factor = factorise(column)
    values = list(map(clean, factor.texts))
    for place in [place for place, value in enumerate(values) if value is None]:
        values[place] = parse(factor.texts[place]).value
    numbers = [_UNREADABLE if value is None else value for value in values]
    return np.array(numbers, dtype=np.int64)[factor.codes]


def _digest(*paths: Path) -> str:
    """Return a short hash of the files' contents, each with its length so that none can shift."""
    whole = hashlib.sha256()
    for path in paths:
        data = path.read_bytes() if path.is_file() else b""
        whole.update(f"{len(data)} ".encode() + data)
    return whole.hexdigest()[:_DIGEST_CHARACTERS]


_NONE = np.zeros(0, dtype=np.int64)
_NO_PAIRS = (_NONE, _NONE, _NONE)
_NO_NARRATIVES = Task2(_NONE, np.zeros((0, len(taxonomy.CODES)), dtype=np.bool_))
