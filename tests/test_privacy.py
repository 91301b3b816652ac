import numpy as np
import pytest

from climatecheck import edition, taxonomy
from climatecheck.metrics.judgements import judge
from climatecheck.metrics.narratives import NarrativeCounts
from climatecheck.privacy import POOLED, Row, about, answers_enough, enough, publishable, split
from climatecheck.results import confusion
from climatecheck.results.evidence import depths, open_tasks
from climatecheck.results.narrative_table import lines
from climatecheck.scoring import score
from climatecheck.tables import Submission, Task2
from tests.random_runs import gold_of, run_of

FLOOR = edition.PRIVACY_FLOOR
JUNK = 9_000


def some(number: int, start: int = 0, of: int = 100) -> np.ndarray:
    """Claims ``start`` to ``start + number``."""
    place = np.arange(of)
    return (place >= start) & (place < start + number)


def names(rows: list[Row]) -> list[str]:
    return [row.name for row in rows]


# --- the rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answered", "claims", "enough_of_them"),
    [
        (9, 12, False),  # under the floor
        (10, 12, True),
        (10, 20, True),
        (10, 21, False),  # under half
        (11, 21, True),
        (85, 172, False),
        (86, 172, True),
        (0, 0, False),
    ],
)
def test_a_file_answers_enough_with_ten_claims_that_are_half_of_all(
    answered: int, claims: int, enough_of_them: bool
):
    assert answers_enough(some(answered, of=claims)) == enough_of_them


def test_none_is_as_small_as_a_few():
    assert [enough(some(number)) for number in (0, 1, 9, 10)] == [False, False, False, True]


def test_numbers_are_rounded_to_tens_and_small_ones_never_shown():
    assert [about(number) for number in (10, 14, 15, 24, 25, 355, 356)] == [
        10,
        10,
        20,
        20,
        30,
        360,
        360,
    ]
    assert about(22, floor=5) == 20
    for number in (0, 1, 9):
        with pytest.raises(ValueError, match="below 10"):
            about(number)


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ([10, 10], ["0", "1"]),
        ([20, 5, 5], ["0", POOLED]),
        ([9, 9], [POOLED]),
        ([10, 9], [POOLED]),  # the nine alone could be subtracted
        ([30, 12, 5], ["0", POOLED]),  # the next smallest joins
        ([30, 12, 0], ["0", POOLED]),  # none is as small as a few
        ([30, 12, 9], ["0", POOLED]),
        ([9], []),
        ([0], []),
        ([], []),
    ],
)
def test_small_rows_are_pooled_with_the_next_smallest_if_need_be(sizes, shown):
    starts = np.cumsum([0, *sizes])
    rows = [Row(str(k), some(size, starts[k])) for k, size in enumerate(sizes)]
    found = publishable(rows)
    assert names(found) == shown
    assert sorted(part for row in found for part in row.parts) == (
        sorted(names(rows)) if shown else []
    )


def test_claims_that_are_in_two_small_rows_count_once():
    assert publishable([Row("a", some(9)), Row("b", some(9))]) == []


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ((10, 10, 10), ["rest", "a", "b"]),
        ((10, 9, 80), ["rest", "a or b"]),
        ((10, 0, 80), ["rest", "a or b"]),
        ((10, 5, 5), ["rest", "a or b"]),
        ((10, 5, 4), []),
        ((9, 50, 41), []),
        ((100, 0, 0), []),
    ],
)
def test_two_kinds_are_pooled_if_either_is_small_and_nothing_is_shown_if_that_is_small(
    sizes, shown
):
    rows = [
        Row(name, some(size, sum(sizes[:k])))
        for k, (name, size) in enumerate(zip(("rest", "a", "b"), sizes, strict=True))
    ]
    found = split(*rows, "a or b")
    assert names(found) == shown
    assert sum(row.number for row in found) == (sum(sizes) if shown else 0)


# --- narratives -----------------------------------------------------------------------------------


def narrative_counts(rng: np.random.Generator, claims: int = 150) -> NarrativeCounts:
    """Skewed codes, as in the real data."""
    share = rng.dirichlet(np.full(len(taxonomy.CODES), 0.25))
    gold = rng.multinomial(1, share, claims) > 0
    predicted = np.where(rng.random((claims, 1)) < 0.7, gold, rng.multinomial(1, share, claims) > 0)
    every = np.ones(claims, dtype=np.bool_)
    return NarrativeCounts(gold & predicted, predicted & ~gold, gold & ~predicted, every)


def test_no_line_and_no_difference_of_lines_rests_on_few_claims():
    rng = np.random.default_rng(4)
    seen = 0
    for _ in range(400):
        counts = narrative_counts(rng)
        found = lines(counts)
        groups = [line for line in found if not line.below]
        assert sum(line.both for line in groups) == counts.tp.sum()  # single labels: claims
        assert sum(line.predicted for line in groups) == (counts.tp | counts.fp).sum()
        assert all(line.both >= FLOOR for line in found)
        for at, line in enumerate(found):
            beneath = []
            for code in found[at + 1 :] if not line.below else []:
                if not code.below:
                    break
                beneath.append(code)
            if beneath:
                seen += 1
                assert sum(code.both for code in beneath) == line.both
                assert len(beneath) > 1
    assert seen > 50


def test_a_line_is_there_or_not_by_right_answers_alone():
    """Where the gold bears another code that is never right, the same lines stand."""
    rng = np.random.default_rng(9)
    changed = 0
    for _ in range(50):
        counts = narrative_counts(rng)
        never = np.flatnonzero(~counts.tp.any(axis=0))
        missed = counts.fn.copy()
        for row, wrong in zip(missed, counts.fp, strict=True):
            other = row.copy()
            other[rng.permutation(never)] = row[never]
            row[:] = row if (other & wrong).any() else other
        after = NarrativeCounts(counts.tp, counts.fp, missed, counts.evaluated)
        changed += bool((missed != counts.fn).any())
        before = [(line.name, line.both) for line in lines(counts)]
        assert [(line.name, line.both) for line in lines(after)] == before
    assert changed > 30


# --- the gates ------------------------------------------------------------------------------------


def submission_of(run, codes: Task2 | None = None) -> Submission:
    return Submission(GOLD.claims, run, codes, ())


PAIRS = np.array([[claim, 10 * claim + k, k % 3] for claim in range(30) for k in range(6)])
NARRATIVES = Task2(np.arange(30), np.eye(len(taxonomy.CODES), dtype=np.bool_)[np.arange(30) % 3])
GOLD = gold_of(30, PAIRS, NARRATIVES)


def rows(claim: int, abstracts: list[int], label: int = 0) -> list[list[int]]:
    return [[claim, abstract, rank, label] for rank, abstract in enumerate(abstracts, 1)]


def judged_rows(claim: int, number: int = 5) -> list[list[int]]:
    """Rows with the right labels."""
    found = rows(claim, [10 * claim + k for k in range(number)])
    return [[*row[:3], k % 3] for k, row in enumerate(found)]


@pytest.mark.parametrize(("answered", "opened"), [(14, ()), (15, ("1.1", "1.2"))])
def test_the_file_alone_opens_task_1(answered: int, opened: tuple[str, ...]):
    for make in (judged_rows, lambda claim: rows(claim, [JUNK])):
        run = run_of(np.array([row for claim in range(answered) for row in make(claim)]))
        assert open_tasks(submission_of(run)) == opened


def test_empty_narratives_do_not_open_task_2():
    codes = np.zeros((30, len(taxonomy.CODES)), dtype=np.bool_)
    codes[:14, 0] = True
    assert open_tasks(submission_of(None, Task2(np.arange(30), codes))) == ()
    codes[14, 5] = True
    assert open_tasks(submission_of(None, Task2(np.arange(30), codes))) == ("2",)


@pytest.mark.parametrize(
    ("deeper", "shown"), [(0, (5, 10)), (1, (10,)), (14, (10,)), (15, (5, 10)), (30, (5, 10))]
)
def test_both_depths_are_shown_only_if_enough_claims_have_deeper_rows(deeper: int, shown):
    for junk in (False, True):
        made = []
        for claim in range(30):
            below = [JUNK if junk else 10 * claim + 5] if claim < deeper else []
            made += rows(claim, [10 * claim + k for k in range(5)] + below)
        assert depths(judge(run_of(np.array(made)), GOLD)) == shown


@pytest.mark.parametrize(("right", "shown"), [(0, False), (9, False), (10, True), (30, True)])
def test_the_matrix_is_shown_if_every_label_is_right_on_enough_claims(right: int, shown: bool):
    made = [row for claim in range(30) for row in judged_rows(claim)]
    for row in made:
        if row[0] >= right and row[3] == 1:
            row[3] = 2
    counts = score(submission_of(run_of(np.array(made))), GOLD).counts.verification
    assert confusion.publishable(counts) == shown
