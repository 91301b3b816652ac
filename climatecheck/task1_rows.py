"""From the rows of task 1 to a run, each row checked against the others of its claim."""

import numpy as np

from climatecheck import edition
from climatecheck import problem_table as table
from climatecheck.cells import Cells
from climatecheck.columns import EMPTY, parse_column, report_left_out, twice_mask
from climatecheck.problems import Collector, Kind
from climatecheck.tables import Booleans, Claims, Integers, Task1
from climatecheck.values import (
    abstract_of,
    label_of,
    plain_abstract,
    plain_label,
    plain_number,
    rank_of,
)


def read_task1(cells: Cells, claim: Integers, claims: Claims, problems: Collector) -> Task1:
    """Return the run; meaningful only if no error was added.

    Args:
        cells: the rows of task 1.
        claim: (rows,) position of each row's claim, negative where unknown.
        claims: the claims of the edition.
        problems: takes what was found.
    """
    abstract = parse_column(
        cells,
        "abstract_id",
        plain_abstract,
        abstract_of,
        problems,
        unreadable=table.ABSTRACT_ID,
        empty=table.ABSTRACT_EMPTY,
        remarks={"decimal": table.ID_DECIMAL},
    )
    rank = parse_column(
        cells,
        "rank",
        plain_number,
        rank_of,
        problems,
        unreadable=table.RANK,
        empty=table.RANK_EMPTY,
        remarks={"decimal": table.RANK_DECIMAL},
    )
    label, has_labels = _labels(cells, problems)
    readable = np.flatnonzero((claim >= 0) & (abstract >= 0) & (rank >= 0))
    readable = _with_ties_settled(readable, twice_mask(claims)[claim], abstract, label)
    rows = _Rows(cells, claims, claim, abstract, rank, readable)
    kept = rows.check(problems)
    run = Task1(
        claim[kept],
        abstract[kept],
        positions(claim[kept]),
        label[kept],
        np.asarray(cells.lines, dtype=np.int64)[kept],
        has_labels,
    )
    _check_labels(cells, run, claims, problems)
    if not (cells.rows_lost or (claim < 0).any()):
        _check_depth(cells, run, claim, claims, problems)
    report_left_out(cells, claim, claims, "1", problems)
    return run


def _with_ties_settled(
    rows: Integers, has_two_texts: Booleans, abstract: Integers, label: Integers
) -> Integers:
    """Return the rows in an order that settles what is equal in rank by what the rows say.

    Two lists of one id share their ranks. Were these settled by line, the same rows in another
    order would get other scores. Of a pair given twice, a row without a label comes first, so that
    the label is missed.
    """
    shared = rows[has_two_texts[rows]]
    by_content = shared[np.lexsort((label[shared], abstract[shared]))]
    return np.concatenate([rows[~has_two_texts[rows]], by_content])


def _labels(cells: Cells, problems: Collector) -> tuple[Integers, bool]:
    if "label" not in cells.columns:
        return np.full(len(cells), EMPTY, dtype=np.int64), False
    label = parse_column(
        cells,
        "label",
        plain_label,
        label_of,
        problems,
        unreadable=table.LABEL,
        remarks={"form": table.LABEL_FORM},
    )
    has_labels = bool((label != EMPTY).any())
    if not has_labels:
        problems.add(table.LABELS_BLANK, cells.file, column="label")
    return label, has_labels


def positions(claim: Integers) -> Integers:
    """Return 1, 2, 3, … within each run of equal claims of a sorted array.

    >>> positions(np.array([4, 4, 4, 7, 9, 9])).tolist()
    [1, 2, 3, 1, 1, 2]
    """
    starts = np.flatnonzero(np.diff(claim, prepend=-1))
    lengths = np.diff(starts, append=len(claim))
    return np.arange(len(claim), dtype=np.int64) - np.repeat(starts, lengths) + 1


class _Rows:
    """The readable rows by claim and rank; what is equal in both keeps its order."""

    def __init__(
        self,
        cells: Cells,
        claims: Claims,
        claim: Integers,
        abstract: Integers,
        rank: Integers,
        readable: Integers,
    ) -> None:
        key = claim[readable] * (int(rank.max(initial=0)) + 1) + rank[readable]
        order = readable[np.argsort(key, kind="stable")]
        self.order, self.cells, self.claims = order, cells, claims
        self.claim, self.abstract, self.rank = claim[order], abstract[order], rank[order]
        self.line = np.asarray(cells.lines, dtype=np.int64)[order]
        self.has_two_texts = twice_mask(claims)[self.claim]
        self.whole = np.full(len(claims), not cells.rows_lost and bool((claim >= 0).all()))
        """(claims,) whether all rows of a claim are readable, so that gaps are gaps."""
        unreadable = (claim >= 0) & ((abstract < 0) | (rank < 0))
        self.whole[claim[unreadable]] = False

    def check(self, problems: Collector) -> Integers:
        """Report repeats and odd ranks; return the rows to keep, in order."""
        by_rank = np.arange(len(self.order), dtype=np.int64)
        same_rank = self._repeats(
            self.claim * (int(self.rank.max(initial=0)) + 1) + self.rank, by_rank
        )
        pair = self.claim * edition.CORPUS_SIZE + self.abstract
        by_pair = np.argsort(pair, kind="stable")
        same_pair = self._repeats(pair, by_pair)
        self._report(table.DUPLICATE_RANK, self.rank, same_rank, problems)
        self._report(table.DUPLICATE_PAIR, self.abstract, same_pair, problems)
        repeated = np.zeros(len(self.order), dtype=np.bool_)
        repeated[same_pair[1]] = True
        two_lists = np.zeros(len(self.claims), dtype=np.bool_)
        for _, later in (same_rank, same_pair):
            two_lists[self.claim[later]] = True
        two_lists &= twice_mask(self.claims)
        for position in np.flatnonzero(two_lists):
            problems.add(
                table.TWO_LISTS,
                self.cells.file,
                claim=self.claims.ids[position],
            )
        self._remark_ranks(two_lists, problems)
        return self.order[~(repeated & self.has_two_texts)]

    def _repeats(self, key: Integers, order: Integers) -> tuple[Integers, Integers]:
        """Return the rows whose key stands earlier in the order, with the earlier row first."""
        equal = np.flatnonzero(key[order][1:] == key[order][:-1])
        return order[equal], order[equal + 1]

    def _report(
        self, kind: Kind, found: Integers, repeats: tuple[Integers, Integers], problems: Collector
    ) -> None:
        earlier, later = repeats
        third = np.isin(earlier, later)
        refused = np.flatnonzero(~self.has_two_texts[later] | third)
        lines = np.sort(np.stack([self.line[earlier[refused]], self.line[later[refused]]]), axis=0)

        def place(i: int) -> dict[str, object]:
            row = later[refused[i]]
            claim, line, earlier = self.claims.ids[self.claim[row]], int(lines[1][i]), lines[0][i]
            return {"line": line, "found": int(found[row]), "claim": claim, "earlier": earlier}

        by_line = np.argsort(lines[1], kind="stable").tolist()
        problems.add_rows(kind, self.cells.file, by_line, place)

    def _remark_ranks(self, two_lists: Booleans, problems: Collector) -> None:
        starts = np.flatnonzero(np.diff(self.claim, prepend=-1))
        if not len(starts):
            return
        ends = np.append(starts[1:], len(self.claim)) - 1
        first, last, count = self.rank[starts], self.rank[ends], ends - starts + 1
        plain = ~two_lists[self.claim[starts]] & self.whole[self.claim[starts]]
        for kind, odd in (
            (table.RANK_FROM_ZERO, first == 0),
            (table.RANK_GAPS, (first > 1) | (last - first + 1 > count)),
        ):
            of_kind = starts[odd & plain]
            by_line = of_kind[np.argsort(self.line[of_kind], kind="stable")]
            problems.add_rows(kind, self.cells.file, by_line.tolist(), self._place)

    def _place(self, row: int) -> dict[str, object]:
        return {"line": int(self.line[row]), "claim": self.claims.ids[self.claim[row]]}


def _check_labels(cells: Cells, run: Task1, claims: Claims, problems: Collector) -> None:
    if not run.has_labels:
        return
    missing = (run.label == EMPTY) & (run.position <= edition.VERIFICATION_DEPTH)
    rows = np.flatnonzero(missing)
    rows = rows[np.argsort(run.line[rows], kind="stable")]
    problems.add_rows(
        table.LABEL_MISSING,
        cells.file,
        rows.tolist(),
        lambda row: {"line": int(run.line[row]), "claim": claims.ids[run.claim[row]]},
    )


def _check_depth(
    cells: Cells, run: Task1, claim: Integers, claims: Claims, problems: Collector
) -> None:
    """Remark on claims with few or many rows, the unreadable ones included."""
    counts = np.bincount(claim, minlength=len(claims))
    for kind, odd in (
        (table.FEW_ABSTRACTS, (counts > 0) & (counts < edition.ABSTRACTS_ASKED)),
        (table.EXTRA_ROWS, counts > edition.depth()),
    ):
        at = edition.depth() + 1 if kind is table.EXTRA_ROWS else 1
        rows = np.flatnonzero((run.position == at) & odd[run.claim])
        rows = rows[np.argsort(run.line[rows], kind="stable")]
        problems.add_rows(
            kind,
            cells.file,
            rows.tolist(),
            lambda row: {"line": int(run.line[row]), "claim": claims.ids[run.claim[row]]},
        )
