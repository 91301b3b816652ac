"""Synthetic random gold, runs and narratives, and ways to change them, for tests of metrics."""

from dataclasses import dataclass, replace

import numpy as np

from climatecheck import edition, scoring, taxonomy
from climatecheck.metrics.judgements import judge
from climatecheck.tables import Claims, Gold, Submission, Task1, Task2

ABSTRACTS = 40
POOL = [
    taxonomy.CODES.index(code) for code in ("0_0", "1_0", "1_1", "2_0", "2_1", "2_3", "4_1", "5_2")
]


@dataclass(frozen=True)
class Case:
    gold: Gold
    run: Task1
    narratives: Task2

    @property
    def claims(self) -> int:
        return len(self.gold.claims)

    def submission(self) -> Submission:
        return Submission(self.gold.claims, self.run, self.narratives, ())

    def counts(self) -> scoring.Counts:
        return scoring.count(self.submission(), self.gold, judge(self.run, self.gold))

    def board(self, weights=None):
        return scoring.board_values(self.counts(), weights)


def claims_of(number: int) -> Claims:
    ids = tuple(f"c{place}" for place in range(number))
    return Claims(ids, ids)


def gold_of(number: int, pairs: np.ndarray, narratives: Task2) -> Gold:
    """Gold from rows of (claim, abstract, label)."""
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return Gold(claims_of(number), pairs[:, 0], pairs[:, 1], pairs[:, 2], narratives)


def run_of(rows: np.ndarray) -> Task1:
    """A run from rows of (claim, abstract, rank, label)."""
    rows = rows[np.lexsort((rows[:, 2], rows[:, 0]))]
    claim = rows[:, 0]
    place = np.arange(len(rows))
    position = place - np.searchsorted(claim, claim) + 1
    return Task1(claim, rows[:, 1], position, rows[:, 3], place + 2, has_labels=True)


def rows_of(run: Task1) -> np.ndarray:
    return np.column_stack([run.claim, run.abstract, run.position, run.label])


def pairs_of(gold: Gold) -> np.ndarray:
    return np.column_stack([gold.claim, gold.abstract, gold.label])


def random_gold(rng: np.random.Generator, claims: int, labels: tuple[float, ...]) -> np.ndarray:
    """(pairs, 3); up to 12 judged abstracts a claim, the first claim with an evidentiary one."""
    made = [[0, 0, 0]]
    for claim in range(claims):
        judged = rng.choice(np.arange(1, ABSTRACTS), size=rng.integers(0, 13), replace=False)
        made += [[claim, a, rng.choice(len(edition.LABELS), p=labels)] for a in judged]
    return np.array(made)


def random_rows(rng: np.random.Generator, claims: int, depth: int) -> np.ndarray:
    """(rows, 4); about one claim in eight is left out, ranks have gaps."""
    made = np.zeros((0, 4), dtype=np.int64)
    for claim in range(claims):
        size = 0 if rng.random() < 0.12 else rng.integers(1, depth + 1)
        abstract = rng.choice(ABSTRACTS, size=size, replace=False)
        rank = rng.choice(3 * depth, size=size, replace=False)
        label = rng.integers(0, len(edition.LABELS), size)
        rows = np.column_stack([np.full(size, claim), abstract, rank, label])
        made = np.concatenate([made, rows])
    return made


def random_narratives(rng: np.random.Generator, claims: int, share: float) -> Task2:
    """One to three codes for this share of the claims, from the pool."""
    chosen = np.flatnonzero(rng.random(claims) < share)
    matrix = np.zeros((len(chosen), len(taxonomy.CODES)), dtype=np.bool_)
    for row in matrix:
        row[rng.choice(POOL, size=rng.integers(1, 4), replace=False)] = True
    return Task2(chosen, matrix)


def random_case(rng: np.random.Generator, *, claims: int = 9, depth: int = 14) -> Case:
    shares = tuple(rng.dirichlet(np.ones(len(edition.LABELS))))
    narratives = random_narratives(rng, claims, share=0.9)
    gold = gold_of(claims, random_gold(rng, claims, shares), narratives)
    run = run_of(random_rows(rng, claims, depth))
    return Case(gold, run, random_narratives(rng, claims, share=0.8))


def reordered(case: Case, order: np.ndarray) -> Case:
    """The same case, each claim moved to another place."""
    gold = gold_of(
        case.claims,
        np.column_stack([order[case.gold.claim], case.gold.abstract, case.gold.label]),
        moved(case.gold.narratives, order),
    )
    rows = rows_of(case.run)
    rows[:, 0] = order[rows[:, 0]]
    return Case(gold, run_of(rows), moved(case.narratives, order))


def moved(narratives: Task2, order: np.ndarray) -> Task2:
    return Task2(order[narratives.claim], narratives.codes)


def repeated(case: Case, times: np.ndarray) -> Case:
    """A case in which each claim stands as many times as told, under ids of its own."""
    source = np.repeat(np.arange(case.claims), times)

    def rows(table: np.ndarray) -> np.ndarray:
        parts = [table[table[:, 0] == claim].copy() for claim in source]
        for new, part in enumerate(parts):
            part[:, 0] = new
        return np.concatenate(parts)

    def narratives(task2: Task2) -> Task2:
        held = np.isin(source, task2.claim)
        return Task2(np.flatnonzero(held), task2.dense(case.claims)[source[held]])

    gold = gold_of(len(source), rows(pairs_of(case.gold)), narratives(case.gold.narratives))
    return Case(gold, run_of(rows(rows_of(case.run))), narratives(case.narratives))


def without(case: Case, claim: int) -> Case:
    """The same case with a claim left out of the run and of the narratives."""
    task2 = case.narratives
    kept = task2.claim != claim
    rows = rows_of(case.run)
    return replace(
        case,
        run=run_of(rows[rows[:, 0] != claim]),
        narratives=Task2(task2.claim[kept], task2.codes[kept]),
    )
