"""Parses a column of text, each distinct cell once, and reports what could not be read."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from climatecheck import problem_table as table
from climatecheck.cells import Cells
from climatecheck.problems import DISTINCT_PLACES, Collector, Kind, counted
from climatecheck.tables import NO_LABEL, Claims, Integers
from climatecheck.values import Factor, Parsed, claim_of, factorise

EMPTY = NO_LABEL
UNREADABLE = -2


def parse_column(
    cells: Cells,
    name: str,
    clean: Callable[[str], int | None],
    parse: Callable[[str], Parsed[int]],
    problems: Collector,
    *,
    unreadable: Kind,
    empty: Kind | None = None,
    remarks: Mapping[str, Kind],
) -> Integers:
    """Return the values of a column; ``EMPTY`` or ``UNREADABLE`` where there is none.

    Args:
        cells: the table.
        name: the column.
        clean: the value of a cell in its usual form, else None; most cells need no more.
        parse: reads any other distinct cell.
        problems: takes what was found.
        unreadable: the problem of a cell that cannot be read.
        empty: the problem of an empty cell, if it is one.
        remarks: the warning for each remark that ``parse`` makes.
    """
    factor = factorise(cells.columns[name])
    usual = list(map(clean, factor.texts))
    odd: dict[int, tuple[Kind | None, Parsed[int]]] = {}
    for distinct in [i for i, value in enumerate(usual) if value is None]:
        text = factor.texts[distinct]
        cell = parse(text) if text else Parsed(EMPTY)
        kind = remarks.get(cell.remark) if text else empty
        odd[distinct] = (unreadable if cell.value is None else kind, cell)
        usual[distinct] = UNREADABLE if cell.value is None else cell.value
    report(cells, name, factor, odd, problems)
    report_padding(cells, name, factor, problems)
    return np.array(usual, dtype=np.int64)[factor.codes]


def report(
    cells: Cells,
    name: str,
    factor: Factor,
    odd: Mapping[int, tuple[Kind | None, Parsed[Any]]],
    problems: Collector,
) -> None:
    """Add, for each row whose distinct cell is odd, the problem that it has, if it is one."""

    def place(row: int) -> dict[str, Any]:
        distinct = int(factor.codes[row])
        cell = odd[distinct][1]
        found = cell.found or factor.texts[distinct]
        hint = cell.guess if cell.guess is not None else ""
        line, read_as = cells.lines[row], cell.read_as
        return {"line": line, "column": name, "found": found, "hint": hint, "read_as": read_as}

    members: dict[Kind, list[int]] = {}
    for distinct, (kind, _) in odd.items():
        if kind is not None:
            members.setdefault(kind, []).append(distinct)
    for kind, of_kind in members.items():
        troubled = np.zeros(len(factor.texts), dtype=np.bool_)
        troubled[of_kind] = True
        rows = np.flatnonzero(troubled[factor.codes])
        worth_showing = _first_of_each(rows, factor.codes[rows])
        problems.add_rows(kind, cells.file, worth_showing, place, count=len(rows))


def _first_of_each(rows: Integers, codes: Integers) -> list[int]:
    """Return the first row of each of the first distinct cells, in order."""
    _, first = np.unique(codes, return_index=True)
    return [int(rows[i]) for i in np.sort(first)[: 2 * DISTINCT_PLACES]]


def report_padding(cells: Cells, name: str, factor: Factor, problems: Collector) -> None:
    """Add a warning for each cell from which blanks were taken away."""
    rows = np.flatnonzero(factor.padded).tolist()
    problems.add_rows(
        table.BLANKS_AROUND,
        cells.file,
        rows,
        lambda row: {"line": cells.lines[row], "column": name},
    )


def parse_claims(cells: Cells, claims: Claims, problems: Collector) -> Integers:
    """Return the position of each row's claim, or a negative number."""
    return parse_column(
        cells,
        "claim_id",
        claims.index.get,
        lambda text: claim_of(text, claims.index),
        problems,
        unreadable=table.UNKNOWN_CLAIM,
        empty=table.CLAIM_EMPTY,
        remarks={"decimal": table.ID_DECIMAL},
    )


def report_left_out(
    cells: Cells, claim: Integers, claims: Claims, task: str, problems: Collector
) -> None:
    """Add a warning if claims are left out; nobody knows where a row or its claim is unreadable."""
    if cells.rows_lost or (claim < 0).any():
        return
    answered = len(np.unique(claim))
    if answered < len(claims):
        problems.add(
            table.CLAIMS_LEFT_OUT,
            cells.file,
            found=f"{answered:,}",
            claims=counted(len(claims), "claim"),
            have="has" if answered == 1 else "have",
            others="the other" if answered + 1 == len(claims) else "each of the others",
            task=task,
            group_by=task,
        )


def twice_mask(claims: Claims) -> np.typing.NDArray[np.bool_]:
    """Return which claims have two texts, shape (claims,)."""
    mask = np.zeros(len(claims), dtype=np.bool_)
    mask[[claims.index[id_] for id_ in claims.twice]] = True
    return mask
