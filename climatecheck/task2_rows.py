"""From the rows of task 2 to one set of narrative codes a claim."""

import numpy as np

from climatecheck import problem_table as table
from climatecheck import taxonomy
from climatecheck.cells import Cells
from climatecheck.columns import (
    EMPTY,
    UNREADABLE,
    report,
    report_left_out,
    report_padding,
    twice_mask,
)
from climatecheck.problems import Collector, Kind
from climatecheck.tables import Booleans, Claims, Integers, Task2
from climatecheck.values import Parsed, codes_of, factorise, unusual_combination

_REMARKS = {"form": table.NARRATIVE_FORM, "twice": table.NARRATIVE_TWICE}


def read_task2(
    cells: Cells, claim: Integers, narrative_rows: Booleans, claims: Claims, problems: Collector
) -> Task2:
    """Return the codes of each claim that the file answers; meaningful only without errors.

    Args:
        cells: all rows that may carry narratives.
        claim: (rows,) position of each row's claim, negative where unknown.
        narrative_rows: (rows,) whether a row is of task 2 alone, without an abstract.
        claims: the claims of the edition.
        problems: takes what was found.
    """
    choice, sets = _choices(cells, problems)
    if (choice == EMPTY).all():
        problems.add(table.NARRATIVES_BLANK, cells.file, column="narrative")
    rows = np.flatnonzero((claim >= 0) & (choice >= 0))
    key = claim[rows] * max(len(sets), 1) + choice[rows]
    _, first = np.unique(key, return_index=True)
    rows = rows[first]  # the first row of each distinct answer to a claim, sorted by claim
    answers = np.bincount(claim[rows], minlength=len(claims))
    _report_disagreement(cells, claim, rows, answers, claims, problems)
    _remark_gaps(cells, claim, choice == EMPTY, narrative_rows, answers, claims, problems)
    report_left_out(cells, claim, claims, "2", problems)
    matrix = np.zeros((len(claims), len(taxonomy.CODES)), dtype=np.bool_)
    for row in rows.tolist():
        matrix[claim[row], list(sets[choice[row]])] = True
    answered = np.unique(claim[claim >= 0])
    return Task2(answered, matrix[answered])


def _choices(cells: Cells, problems: Collector) -> tuple[Integers, list[tuple[int, ...]]]:
    """Return, for each row, which of the distinct sets of codes it names."""
    factor = factorise(cells.columns["narrative"])
    parsed = [codes_of(text) for text in factor.texts]
    odd: dict[int, tuple[Kind | None, Parsed[tuple[int, ...]]]] = {}
    unusual: dict[int, tuple[Kind | None, Parsed[tuple[int, ...]]]] = {}
    for distinct, cell in enumerate(parsed):
        unreadable = cell.value is None
        odd[distinct] = (table.NARRATIVE if unreadable else _REMARKS.get(cell.remark), cell)
        if unusual_combination(cell.value or ()):
            unusual[distinct] = (table.NARRATIVE_COMBINATION, cell)
    report(cells, "narrative", factor, odd, problems)
    report(cells, "narrative", factor, unusual, problems)
    report_padding(cells, "narrative", factor, problems)
    index: dict[tuple[int, ...], int] = {}
    choices = []
    for cell in parsed:
        if cell.value is None:
            choices.append(UNREADABLE)
        else:
            choices.append(index.setdefault(cell.value, len(index)) if cell.value else EMPTY)
    return np.array(choices, dtype=np.int64)[factor.codes], list(index)


def _report_disagreement(
    cells: Cells,
    claim: Integers,
    rows: Integers,
    answers: Integers,
    claims: Claims,
    problems: Collector,
) -> None:
    several = (answers > 1) & ~twice_mask(claims)
    seen: dict[int, int] = {}
    for row in np.sort(rows[several[claim[rows]]]).tolist():
        position = int(claim[row])
        if position not in seen:
            seen[position] = cells.lines[row]
        elif seen[position] >= 0:
            problems.add(
                table.NARRATIVES_DISAGREE,
                cells.file,
                line=cells.lines[row],
                column="narrative",
                found=cells.columns["narrative"][row],
                claim=claims.ids[position],
                earlier=seen[position],
            )
            seen[position] = -1
    for position in np.flatnonzero((answers > 1) & twice_mask(claims)).tolist():
        problems.add(table.NARRATIVES_UNITED, cells.file, claim=claims.ids[position])


def _remark_gaps(
    cells: Cells,
    claim: Integers,
    empty: Booleans,
    narrative_rows: Booleans,
    answers: Integers,
    claims: Claims,
    problems: Collector,
) -> None:
    if not answers.any():
        return
    known = claim >= 0
    by_itself = np.zeros(len(claims), dtype=np.bool_)
    by_itself[claim[known & narrative_rows & ~empty]] = True
    answered = answers[claim] > 0
    # Beside a row that gives a claim's narratives by itself, the rows of task 1 need none.
    left_open = narrative_rows | ~by_itself[claim]
    for kind, odd in (
        (table.NARRATIVE_EMPTY, ~answered),
        (table.NARRATIVE_PARTIAL, answered & left_open),
    ):
        rows = np.flatnonzero(known & empty & odd)
        _, first = np.unique(claim[rows], return_index=True)
        problems.add_rows(
            kind,
            cells.file,
            np.sort(rows[first]).tolist(),
            lambda row: {"line": cells.lines[row], "claim": claims.ids[claim[row]]},
        )
