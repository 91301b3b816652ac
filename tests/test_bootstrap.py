import numpy as np
import pytest

from climatecheck import bootstrap, taxonomy
from climatecheck.bootstrap import board_intervals, intervals, places_by_counts, resamples
from climatecheck.leaderboard import board_columns
from climatecheck.metrics.counts import mean_over_claims
from climatecheck.scoring import Counts, board_values
from climatecheck.tables import Task2
from tests.random_runs import Case, gold_of, random_case, reordered, repeated, run_of

BOUND = 1e-12


def test_each_resample_draws_as_many_claims_as_there_are():
    drawn = np.concatenate(list(resamples(7, number=50)))
    assert drawn.shape == (50, 7)
    assert (drawn.sum(axis=1) == 7).all()
    assert drawn.min() == 0
    assert drawn.max() > 1


def test_the_draws_are_those_of_the_frozen_generator_whatever_the_size_of_the_parts(monkeypatch):
    drawn = np.random.RandomState(3).randint(0, 7, size=(50, 7), dtype=np.int64)
    counted = np.array([[(row == claim).sum() for claim in range(7)] for row in drawn])
    whole = list(resamples(7, number=50, seed=3))
    monkeypatch.setattr(bootstrap, "_CELLS_AT_ONCE", 7 * 8)
    parts = list(resamples(7, number=50, seed=3))
    assert len(whole) == 1
    assert [len(part) for part in parts] == [8, 8, 8, 8, 8, 8, 2]
    assert (whole[0] == counted).all()
    assert (np.concatenate(parts) == counted).all()


def test_intervals_are_those_of_a_plain_loop_over_resampled_submissions():
    case = random_case(np.random.default_rng(8), claims=12)
    number, seed = 40, 5
    found = intervals(
        lambda weights: board_values(case.counts(), weights), 12, number=number, seed=seed
    )
    generator = np.random.RandomState(seed)
    drawn = []
    for _ in range(number):
        claims = generator.randint(0, 12, size=12, dtype=np.int64)
        # The drawn claims as an edition of their own, its macro label set formed anew.
        drawn.append(repeated(case, np.bincount(claims, minlength=12)).board())
    for column in board_columns():
        values = sorted(float(board[column]) for board in drawn if not np.isnan(board[column]))
        assert found[column] == pytest.approx((at(values, 0.025), at(values, 0.975)), abs=BOUND), (
            column
        )
    low, high = found["narrative_f1_macro"]
    assert low < case.board()["narrative_f1_macro"] < high


def at(values: list[float], share: float) -> float:
    """The percentile: on the straight line between the two nearest of the sorted values."""
    place = share * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def test_board_intervals_deal_the_draws_out_by_the_counts():
    case = random_case(np.random.default_rng(1), claims=15)
    counts = case.counts()
    found = board_intervals(counts)
    assert tuple(found) == board_columns()
    drawn = np.random.RandomState(bootstrap.SEED).randint(0, 15, size=(1000, 15), dtype=np.int64)
    table = []
    for claim in range(15):
        alone = np.zeros(15)
        alone[claim] = 1
        relevant = counts.retrieval.bpref.relevant[claim]
        board = board_values(counts, alone)
        columns = ("recall_at_2", "recall_at_5", "bpref")
        key = [float(board[column]) if relevant else -1.0 for column in columns]
        pairs, found2 = counts.verification, counts.narratives
        labels = [k for k in range(3) if pairs[:, k, k].sum()]
        codes = np.flatnonzero(found2.tp.sum(axis=0))
        support = (found2.tp | found2.fn).astype(int)
        said = (found2.tp | found2.fp).astype(int)
        key += [pairs[claim, k, k] for k in labels]
        key += [pairs[claim, :, k].sum() for k in labels]
        key += [pairs[claim, k, :].sum() for k in labels]
        key += [pairs[claim].sum()] * 2
        key += [int(value) for side in (found2.tp, said, support) for value in side[claim, codes]]
        key += [said[claim].sum(), support[claim].sum(), *support[claim]]
        table.append([float(value) for value in key])
    order = sorted(range(15), key=lambda claim: tuple(table[claim]))
    values = []
    for row in drawn[:, :]:
        times = np.zeros(15)
        for place in row:
            times[order[place]] += 1
        values.append(board_values(counts, times)["score_1_1"])
    expected = (at(sorted(values), 0.025), at(sorted(values), 0.975))
    assert found["score_1_1"] == pytest.approx(expected, abs=BOUND)


def test_board_intervals_tell_nothing_of_which_claim_did_how_well():
    rng = np.random.default_rng(2)
    case = random_case(rng, claims=20)
    moved = reordered(case, rng.permutation(20))
    before, after = board_intervals(case.counts()), board_intervals(moved.counts())
    for column in board_columns():
        assert after[column] == pytest.approx(before[column], abs=BOUND)
    plain = [
        intervals(lambda weights, counts=counts: board_values(counts, weights), 20)
        for counts in (case.counts(), moved.counts())
    ]
    assert plain[0]["bpref"] != pytest.approx(plain[1]["bpref"], abs=BOUND)


def test_an_interval_moves_only_where_the_value_could():
    """A claim finds 1 of 2 evidentiary abstracts or 2 of 4: Recall and Bpref are the same."""
    rows = [[claim, 10 * claim + k, k + 1, 0] for claim in range(20) for k in range(claim % 3)]
    task2 = Task2(np.zeros(0, dtype=np.int64), np.zeros((0, len(taxonomy.CODES)), dtype=np.bool_))
    found = []
    for more in (0, 1):
        pairs = [[claim, 10 * claim + k, 0] for claim in range(20) for k in (0, 9)]
        pairs += [[2, 21, 0], [2, 28, 0]] * more  # claim 2 retrieves 20 and 21
        case = Case(gold_of(20, np.array(pairs), task2), run_of(np.array(rows)), task2)
        found.append(case.counts().retrieval)
    before, after = (board_intervals(Counts(retrieval=retrieval)) for retrieval in found)
    assert found[0].recall[5].hits.tolist() != found[1].recall[5].hits.tolist()
    low, high = before["recall_at_5"]
    assert low < high
    assert before == after


def test_a_label_that_is_never_right_does_not_move_an_interval():
    """The first two labels are never right; a pair of one claim bears the first or the second."""
    found = []
    for label in (0, 1):
        pairs = np.zeros((20, 3, 3), dtype=np.int64)
        pairs[:10, 2, 2] = 1
        pairs[10:, 1, 0] = pairs[10:, 1, 2] = 1
        pairs[15] = 0
        pairs[15, 2, 0] = pairs[15, label, 2] = 1
        found.append(board_intervals(Counts(verification=pairs)))
    low, high = found[0]["verification_f1"]
    assert low < high
    for column in board_columns():
        assert found[0][column] == pytest.approx(found[1][column], abs=BOUND)


def test_places_are_a_permutation_that_sorts():
    counts = np.random.default_rng(0).integers(0, 3, (40, 4))
    places = places_by_counts(counts)
    assert sorted(places) == list(range(40))
    assert [tuple(row) for row in counts[np.argsort(places)]] == sorted(map(tuple, counts))


def test_a_value_that_never_varies_has_an_interval_of_no_width():
    assert intervals(lambda weights: {"x": np.full(len(weights), 0.25)}, 5) == {"x": (0.25, 0.25)}


def test_resamples_without_a_value_are_left_out():
    values = np.array([np.nan, 1.0, np.nan])
    found = intervals(
        lambda weights: {
            "some": mean_over_claims(values, weights),
            "none": mean_over_claims(values * np.nan, weights),
        },
        3,
        number=100,
    )
    assert found["some"] == (1.0, 1.0)
    assert np.isnan(found["none"]).all()


def test_nothing_entered_has_no_intervals():
    assert board_intervals(Counts()) == {}
