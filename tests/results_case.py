"""A synthetic case that fills every table of the results page, and the page taken apart."""

from dataclasses import dataclass
from html.parser import HTMLParser

import numpy as np

from climatecheck import taxonomy
from climatecheck.board import Board, Facts
from climatecheck.results import Receipt, results_page
from climatecheck.scoring import score
from climatecheck.tables import Submission, Task2
from tests.random_runs import Case, gold_of, run_of

RECEIPT = Receipt("1.0", "2.0", "3.12", "test", "aaa", "bbb", "ccc")
FACTS = Facts("test", "A test", "Synthetic: made for a test.")
VOID = {"meta", "path", "ellipse", "wbr"}
ROWS = 8


@dataclass(frozen=True)
class Published(Facts):
    published: str = "2026"


class Page(HTMLParser):
    """Headings in order, tables by caption, and what the elements are."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.open: list[str] = []
        self.headings: list[tuple[str, str]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self._rows: list[list[str]] = []
        self._text = ""
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        if tag in ("h1", "h2", "h3", "caption", "th", "td"):
            self._text = ""
        if tag == "small":
            self._text += " | "

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self.open.pop() == tag
        if tag in ("h1", "h2", "h3"):
            self.headings.append((tag, self._text))
        elif tag == "caption":
            self._caption = self._text
        elif tag in ("th", "td"):
            self._rows[-1].append(self._text)
        elif tag == "table":
            assert self._caption not in self.tables
            self.tables[self._caption] = self._rows

    def handle_data(self, data):
        self._text += data

    def table(self, beginning: str) -> dict[str, list[str]]:
        """The one table whose caption begins so: its rows by their head."""
        (rows,) = [rows for name, rows in self.tables.items() if name.startswith(beginning)]
        return {row[0]: row[1:] for row in rows[1:]}

    def has(self, beginning: str) -> bool:
        return any(name.startswith(beginning) for name in self.tables)


def big_case(claims: int = 120, seed: int = 3) -> Case:
    """Enough claims that every table is shown."""
    rng = np.random.default_rng(seed)
    pairs = [
        [claim, 100 * claim + k, int(rng.integers(3))] for claim in range(claims) for k in range(7)
    ]
    rows = [
        [claim, 100 * claim + int(a), rank, int(rng.integers(3))]
        for claim in range(claims)
        for rank, a in enumerate(rng.permutation(12)[:ROWS])
    ]
    often = [0.3, 0.2, 0.2, 0.2, 0.04, 0.06]  # groups 3 and 4 are small, and pooled
    codes = [taxonomy.CODES.index(code) for code in ("0_0", "1_1", "1_4", "2_1", "3_3", "4_1")]
    both = []
    for share in (1.0, 0.95):
        matrix = np.zeros((claims, len(taxonomy.CODES)), dtype=np.bool_)
        for row in matrix:
            row[rng.choice(codes, size=rng.integers(1, 3), replace=False, p=often)] = True
        kept = np.flatnonzero(rng.random(claims) < share)
        both.append(Task2(kept, matrix[kept]))
    _make_mostly_right(rng, both[1], both[0])
    both[1].codes[0, taxonomy.CODES.index("4_5")] = True  # a code that the gold lacks
    return Case(gold_of(claims, np.array(pairs), both[0]), run_of(np.array(rows)), both[1])


def _make_mostly_right(rng: np.random.Generator, file: Task2, gold: Task2) -> None:
    """Half of the claims get the gold's codes, a fifth those with 1_1 and 1_4 exchanged."""
    one, other = taxonomy.CODES.index("1_1"), taxonomy.CODES.index("1_4")
    for claim, row in zip(file.claim, file.codes, strict=True):
        chance = rng.random()
        if chance < 0.7:
            row[:] = gold.codes[claim]
        if chance < 0.2:
            row[[one, other]] = row[[other, one]]


def html_of(submission: Submission, gold, *, board: Board | None = None, facts: Facts = FACTS):
    scores = score(submission, gold) if submission.valid else None
    return results_page(submission, scores, board=board or Board(), facts=facts, receipt=RECEIPT)


CASE = big_case()
HTML = html_of(CASE.submission(), CASE.gold)
PAGE = Page(HTML)
