"""One suite over all of the board's columns: what must not change a value, and what must."""

import numpy as np
import pytest

from climatecheck import edition
from climatecheck.leaderboard import board_columns, task_columns
from climatecheck.metrics import recall
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import Task2
from tests.random_runs import (
    ABSTRACTS,
    Case,
    gold_of,
    pairs_of,
    random_case,
    random_narratives,
    random_rows,
    reordered,
    repeated,
    rows_of,
    run_of,
    without,
)

CASES = 60
RETRIEVAL = ("recall_at_2", "recall_at_5", "bpref", "score_1_1")


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    rng = np.random.default_rng(20260219)
    return [random_case(rng) for _ in range(CASES)]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def assert_same(first, second):
    assert list(first) == list(board_columns())
    for column in board_columns():
        np.testing.assert_allclose(first[column], second[column], atol=1e-12, err_msg=column)


def test_values_are_finite_and_within_bounds(cases):
    for case in cases:
        for column, value in case.board().items():
            assert 0 <= value <= (2 if column == "score_1_2" else 1), column


def test_the_cases_tell_the_columns_apart(cases):
    # No column is constant over the cases, or the invariances below would show nothing.
    boards = [case.board() for case in cases]
    for column in board_columns():
        assert len({round(float(board[column]), 6) for board in boards}) > CASES / 3, column


def test_row_order(cases, rng):
    for case in cases:
        rows, pairs = rows_of(case.run), pairs_of(case.gold)
        changed = Case(
            gold_of(case.claims, rng.permutation(pairs), case.gold.narratives),
            run_of(rng.permutation(rows)),
            shuffled(case.narratives, rng),
        )
        assert_same(changed.board(), case.board())


def shuffled(task2: Task2, rng: np.random.Generator) -> Task2:
    order = rng.permutation(len(task2))
    return Task2(task2.claim[order], task2.codes[order])


def test_order_of_claims(cases, rng):
    for case in cases:
        assert_same(reordered(case, rng.permutation(case.claims)).board(), case.board())


def test_relabelled_abstracts(cases, rng):
    for case in cases:
        new_id = rng.choice(edition.CORPUS_SIZE, size=ABSTRACTS, replace=False)
        pairs, rows = pairs_of(case.gold), rows_of(case.run)
        pairs[:, 1], rows[:, 1] = new_id[pairs[:, 1]], new_id[rows[:, 1]]
        changed = Case(
            gold_of(case.claims, pairs, case.gold.narratives), run_of(rows), case.narratives
        )
        assert_same(changed.board(), case.board())


def test_ranks_by_order_alone(cases, rng):
    for case in cases:
        rows = rows_of(case.run)
        rows[:, 2] = rows[:, 2] * 17 + rng.integers(0, 17, len(rows))
        changed = Case(case.gold, run_of(rows), case.narratives)
        assert_same(changed.board(), case.board())


def test_perfect_is_the_attainable_maximum(cases):
    for case in cases:
        pairs = pairs_of(case.gold)
        evidentiary_first = np.where(is_evidentiary(pairs[:, 2]), 0, 100) + np.arange(len(pairs))
        rows = np.column_stack([pairs[:, :2], evidentiary_first, pairs[:, 2]])
        perfect = Case(case.gold, run_of(rows), case.gold.narratives)
        board = perfect.board()
        counts = perfect.counts().retrieval
        for cutoff in edition.RECALL_CUTOFFS:
            most = recall.attainable(counts.recall[cutoff])
            assert board[f"recall_at_{cutoff}"] == pytest.approx(most)
        relevant = counts.bpref.relevant[counts.bpref.relevant > 0]
        most = np.mean(np.minimum(relevant, edition.BPREF_DEPTH) / relevant)
        assert board["bpref"] == pytest.approx(most)
        for column in (*task_columns("1")[-3:], *task_columns("2")):
            assert board[column] == pytest.approx(1), column


def test_empty_is_0(cases):
    for case in cases:
        nothing = Task2(np.zeros(0, dtype=np.int64), case.narratives.codes[:0])
        empty = Case(case.gold, run_of(np.zeros((0, 4), dtype=np.int64)), nothing)
        assert_same(empty.board(), dict.fromkeys(board_columns(), 0.0))


def test_an_unjudged_abstract_below_changes_nothing(cases):
    for case in cases:
        rows = rows_of(case.run)
        claims = np.arange(case.claims)
        never_judged = np.full(case.claims, ABSTRACTS + 5)
        below = np.column_stack([claims, never_judged, np.full(case.claims, 999), claims % 3])
        changed = Case(case.gold, run_of(np.concatenate([rows, below])), case.narratives)
        assert_same(changed.board(), case.board())


def test_leaving_a_claim_out_never_raises_retrieval(cases):
    lowered = 0
    for case in cases:
        before = case.board()
        for claim in range(case.claims):
            after = without(case, claim).board()
            for column in RETRIEVAL:
                assert after[column] <= before[column] + 1e-12, column
            lowered += after["score_1_1"] < before["score_1_1"] - 1e-12
    assert lowered > CASES


def test_one_more_evidentiary_abstract_below_never_lowers_retrieval(cases):
    for case in cases:
        rows, pairs = rows_of(case.run), pairs_of(case.gold)
        before = case.board()
        listed = set(map(tuple, rows[:, :2].tolist()))
        for claim, abstract, label in pairs[is_evidentiary(pairs[:, 2])].tolist()[:5]:
            if (claim, abstract) not in listed:
                row = np.array([[claim, abstract, 999, label]])
                after = Case(case.gold, run_of(np.concatenate([rows, row])), case.narratives)
                for column in RETRIEVAL:
                    assert after.board()[column] >= before[column] - 1e-12, column


def test_weights_of_one_are_no_weights(cases):
    for case in cases:
        plain = case.board()
        assert_same(case.board(np.ones(case.claims)), plain)
        stacked = case.board(np.ones((3, case.claims), dtype=np.int64))
        assert_same({name: value[2] for name, value in stacked.items()}, plain)
        assert {value.shape for value in stacked.values()} == {(3,)}


def test_whole_weights_are_repeated_claims(cases, rng):
    for case in cases:
        times = rng.integers(0, 4, size=(2, case.claims))
        times[:, 0] = 1  # the first claim has an evidentiary abstract
        values = case.board(times)
        for place in range(2):
            many = repeated(case, times[place]).board()
            assert_same({name: value[place] for name, value in values.items()}, many)


def test_swapping_claims_between_systems_is_a_matter_of_weights(cases, rng):
    # A randomisation test takes each claim from one of two systems: join the counts of both along
    # the claims, and weigh 1 in the one, 0 in the other.
    for case in cases[:20]:
        other = Case(
            case.gold,
            run_of(random_rows(rng, case.claims, 12)),
            random_narratives(rng, case.claims, 0.9),
        )
        swap = rng.random(case.claims) < 0.5
        by_weights = joined(case, other).board(np.concatenate([~swap, swap]))
        rows = np.concatenate([chosen(case, ~swap), chosen(other, swap)])
        guess = np.where(
            swap[:, None], other.narratives.dense(case.claims), case.narratives.dense(case.claims)
        )
        mixed = Case(case.gold, run_of(rows), Task2(np.arange(case.claims), guess))
        assert_same(by_weights, mixed.board())


def chosen(case: Case, claims: np.ndarray) -> np.ndarray:
    rows = rows_of(case.run)
    return rows[claims[rows[:, 0]]]


def joined(first: Case, second: Case) -> Case:
    """Both cases side by side, the second one's claims after the first one's."""

    def rows(one: np.ndarray, two: np.ndarray) -> np.ndarray:
        two = two.copy()
        two[:, 0] += first.claims
        return np.concatenate([one, two])

    def narratives(one: Task2, two: Task2) -> Task2:
        claim = np.concatenate([one.claim, two.claim + first.claims])
        return Task2(claim, np.concatenate([one.codes, two.codes]))

    gold = gold_of(
        first.claims + second.claims,
        rows(pairs_of(first.gold), pairs_of(second.gold)),
        narratives(first.gold.narratives, second.gold.narratives),
    )
    run = run_of(rows(rows_of(first.run), rows_of(second.run)))
    return Case(gold, run, narratives(first.narratives, second.narratives))
