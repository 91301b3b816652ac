"""Files as listings: rows that name a claim, by its id or text, or by their place in the file."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from climatecheck import taxonomy
from organiser.check.answers import Known
from organiser.check.rows import Cells, words

T = TypeVar("T")

_ID = re.compile(r"(?<![\w.])(\d+)(?:\.0)?(?!\.?\w)")
_CODE = re.compile(r"(?<![\w.])\d+_\d+(?![\w.])")
_NAMES = {name.casefold() for name in taxonomy.NARRATIVES.values()}
_LONG_CELL = 4_000
_CLAIM_COLUMNS = 4
_COLUMN_SHARE = 0.2
_WORDS_OF_A_CLAIM = 200
_FEWEST_PLACES = 10
_WIDE_ROWS = 50


@dataclass(frozen=True)
class Row:
    """A claim with one abstract, and what else stands in its row."""

    claim: str
    answer: str
    others: Cells


@dataclass(frozen=True)
class Listing:
    """Rows of a file, each with its claim.

    Attributes:
        rows: the id of the claim, and the cells without the one that names it.
        named: whether a column, the same for all rows, names the claim.
    """

    rows: Sequence[tuple[str, Cells]]
    named: bool = False

    def pairs(self, gold: Mapping[str, Mapping[str, int]]) -> list[Row]:
        """Return each row's abstracts; their columns are those with the most judged pairs."""
        hits: Counter[str] = Counter()
        for claim, cells in self.rows:
            judged = gold.get(claim, {})
            for column, cell in cells.items():
                if judged and not judged.keys().isdisjoint(_ids(cell)):
                    hits[column] += 1
        most = max(hits.values(), default=0)
        columns = [c for c, count in hits.items() if count and count >= _COLUMN_SHARE * most]
        return [
            Row(claim, token, {**cells, "column": column})
            for claim, cells in self.rows
            for column in columns
            for token in _ids(cells.get(column, ""))
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


def _ids(cell: str) -> list[str]:
    """Return the whole numbers in a cell.

    >>> _ids("[12, 340043.0]"), _ids("4_3"), _ids("0.5")
    (['12', '340043'], [], [])
    """
    return _ID.findall(cell) if len(cell) <= _LONG_CELL else []


def listings(table: Sequence[Cells], answers: Known) -> Iterator[Listing]:
    """Yield a table's listings: one for each way to know of which claim a row is."""
    yield from _named(table, answers)
    yield from _by_place(table, answers)


def _named(table: Sequence[Cells], answers: Known) -> Iterator[Listing]:
    """Yield a listing for each column that may name claims."""
    claims, ids = answers.claims, answers.abstracts
    rows = [cells for cells in table if not claims.keys().isdisjoint(cells.values())]
    counts = Counter(column for cells in rows for column, cell in cells.items() if cell in claims)
    for column, _ in counts.most_common(_CLAIM_COLUMNS):
        of_claims = [
            (claims[cells[column]], {c: ids.get(v, v) for c, v in cells.items() if c != column})
            for cells in rows
            if cells.get(column) in claims
        ]
        yield Listing(of_claims, named=True)


def _by_place(table: Sequence[Cells], answers: Known) -> Iterator[Listing]:
    """Yield a listing for each order of the claims in which the rows, or a row's cells, may be."""
    wide = [cells for cells in table if 2 * len(cells) >= max(len(answers.codes), 2)]
    for rows in (table, *([{"cell": v} for v in cells.values()] for cells in wide[:_WIDE_ROWS])):
        span = _answering(rows, answers)
        for order in answers.orders if span else ():
            yield Listing(list(zip(order, span, strict=False)))
            if len(span) != len(order):
                both = min(len(span), len(order))
                yield Listing(list(zip(order[-both:], span[-both:], strict=True)))


def _answering(rows: Sequence[Cells], answers: Known) -> list[Cells]:
    """Return the rows from the first to the last that may be an answer; none if these are few."""
    if any(_CODE.fullmatch(column) for cells in rows[:2] for column in cells):
        return list(rows)  # a column for each code
    judged = answers.judged
    at = [
        i
        for i, cells in enumerate(rows)
        if any(
            cell in judged or _CODE.search(cell) or cell.casefold() in _NAMES
            for cell in cells.values()
        )
    ]
    return list(rows[at[0] : at[-1] + 1]) if len(at) >= _FEWEST_PLACES else []


def led(content: bytes, claims: Mapping[str, str]) -> Listing:
    """Return a listing in which a claim's row are the words from its id to the next claim's."""
    rows: list[tuple[str, Cells]] = []
    for token in words(content):
        if token in claims:
            rows.append((claims[token], {}))
        elif rows and len(rows[-1][1]) < _WORDS_OF_A_CLAIM:
            rows[-1][1][str(len(rows[-1][1]))] = token
    return Listing(rows)
