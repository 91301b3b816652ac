"""The formulas of Ev2R, worked out by hand, and their bounds against all that could be."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from baselines.chat import ParseError
from climatecheck import read_gold
from climatecheck.metrics.counts import mean_over_claims
from organiser.ev2r import scores
from organiser.ev2r.facts import precision_recall_f1, read_counts
from organiser.ev2r.pool import DEPTH, Pool, Rows, evaluable, left_out
from organiser.ev2r.results import COMMON, EV2R, MEAN_EV2R, S_VER, Result, results
from organiser.ev2r.worth import auc, worth
from tests import ev2r_example as example


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return example.write(tmp_path_factory.mktemp("ev2r"))


@pytest.fixture(scope="module")
def of_teams(folder: Path) -> dict[str, Result]:
    """The example's results, from counts and probabilities alone."""
    planned, gold = example.plan_of(folder)
    pool = planned.pool
    counts = np.array(
        [
            example.COUNTS[int(pool.abstract[item]), int(gold.abstract[reference])]
            for item, reference in zip(pool.item, pool.reference, strict=True)
        ],
        dtype=float,
    )
    chances = np.array(
        [
            example.CHANCES[gold.claims.ids[claim], int(id_)]
            for claim, id_ in zip(pool.claim, pool.abstract, strict=True)
        ]
    )
    f1 = precision_recall_f1(counts)[2]
    scored = scores.abstracts(pool, f1, gold.label, chances)
    made = results(planned.teams, planned.rows, pool, scored, len(gold.claims))
    return {result.team: result for result in made}


# --- facts ----------------------------------------------------------------------------------------


def test_f1_is_the_harmonic_mean_and_equal_values_are_equal_to_the_last_bit() -> None:
    # 3 of 5 and 2 of 7: .6 and .285714; 2 * .6 * .285714 / .885714 = .387097 = 12 / 31.
    # 6 of 10 and 4 of 14 are the same shares.
    precision, recall, f1 = precision_recall_f1(np.array([[5.0, 3, 7, 2], [10, 6, 14, 4]]))
    assert precision.tolist() == [0.6, 0.6] and recall.tolist() == [2 / 7, 2 / 7]
    assert f1[0] == f1[1] == pytest.approx(12 / 31)


def test_f1_of_texts_that_support_nothing_or_say_nothing_is_0() -> None:
    assert precision_recall_f1(np.array([[4.0, 0, 3, 0], [0, 0, 3, 0]]))[2].tolist() == [0, 0]


def test_f1_of_what_is_unknown_is_unknown() -> None:
    assert np.isnan(precision_recall_f1(np.full((1, 4), np.nan))[2]).all()


GOOD = '{"count_a": 2, "supported_a": 1, "count_b": 3, "supported_b": 3}'


def test_an_answer_in_a_fence_after_reasoning_is_read() -> None:
    assert read_counts(f"<think>Hm.</think>\n```json\n{GOOD}\n```") == (2, 1, 3, 3)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"),
        ("Two facts.", "not JSON"),
        (GOOD[:-5], "not JSON"),
        ("[2, 1, 3, 3]", "not a JSON object"),
        (GOOD.replace('"supported_a": 1', '"supported_a": 3'), "supported_a is 3, above count_a"),
        (GOOD.replace('"supported_b": 3', '"supported_b": 4'), "supported_b is 4, above count_b"),
        (GOOD.replace('"count_a": 2', '"count_a": -2'), "count_a should be a whole number"),
        (GOOD.replace('"count_a": 2', '"count_a": "two"'), "count_a should be a whole number"),
        (GOOD.replace('"count_a": 2', '"count_a": 2.5'), "count_a should be a whole number"),
        (GOOD.replace('"count_a": 2', '"count_a": true'), "count_a should be a whole number"),
        (GOOD.replace('"count_a": 2, ', ""), "count_a is missing"),
        (GOOD.replace('"count_a": 2', f'"count_a": {"9" * 400}'), "more than an abstract"),
        (GOOD.replace("{", '{"facts_a": ["one"], '), "facts_a lists 1 facts, but count_a is 2"),
    ],
)
def test_bad_answers_are_refused_in_words(text: str, what: str) -> None:
    with pytest.raises(ParseError, match=what):
        read_counts(text)


# --- which abstracts ------------------------------------------------------------------------------


def test_the_pool_holds_the_unannotated_abstracts_of_the_first_rows(folder: Path) -> None:
    planned, gold = example.plan_of(folder)
    ids = [gold.claims.ids[claim] for claim in planned.pool.claim]
    # Not 10 and 40, which are judged; not 300, whose claim has NEI gold alone; not 404, at rank 6.
    assert list(zip(ids, planned.pool.abstract.tolist(), strict=True)) == [
        *(("c1", 100), ("c1", 101), ("c2", 200), ("c2", 201)),
        *(("c4", 400), ("c4", 401), ("c4", 402), ("c4", 403)),
    ]
    assert evaluable(gold).tolist() == [True, True, False, True] and DEPTH == 5


def test_gold_abstracts_are_compared_in_the_order_of_their_ids(tmp_path: Path) -> None:
    folder = example.write(tmp_path)
    lines = (folder / "task1_gold.csv").read_text().splitlines()
    (folder / "task1_gold.csv").write_text("\n".join([lines[0], *lines[:0:-1], ""]))
    planned, gold = example.plan_of(folder)
    of_first = gold.abstract[planned.pool.reference[planned.pool.item == 0]]
    assert of_first.tolist() == [10, 11, 12]


def test_left_out_abstracts_are_not_compared_with_themselves(folder: Path) -> None:
    pool, label = left_out(read_gold(folder))
    # Of c1 all three keep evidence beside them; the others' claims would have none left.
    assert pool.abstract.tolist() == [10, 11, 12] and label.tolist() == [0, 1, 2]
    gold = read_gold(folder)
    beside = [gold.abstract[pool.reference[pool.item == place]].tolist() for place in range(3)]
    assert beside == [[11, 12], [10, 12], [10, 11]]


# --- scores ---------------------------------------------------------------------------------------


def test_ev2r_by_hand(of_teams: dict[str, Result]) -> None:
    # 100: S_ref 1/2 by abstract 10 (11 ties), so y* is Supports: (.5 + .7) / 2 = .6
    # 101: S_ref 4/5 by abstract 12, so y* is NEI: (.8 + .6) / 2 = .7
    # 200: (.6 + .4) / 2 = .5; 201: (1 + .9) / 2 = .95; 400 to 403: (0 + .5) / 2 = .25
    a, b = of_teams["A"], of_teams["B"]
    assert a.per_claim[EV2R].tolist() == pytest.approx([0.7, 0.5, np.nan, np.nan], nan_ok=True)
    assert b.per_claim[EV2R].tolist() == pytest.approx([0.6, 0.95, np.nan, 0.25], nan_ok=True)
    assert a.values[EV2R] == pytest.approx((0.7 + 0.5) / 2)
    assert b.values[EV2R] == pytest.approx((0.6 + 0.95 + 0.25) / 3)
    assert (a.claims, b.claims) == (2, 3)
    assert a.unannotated.tolist() == [2, 1, 0, 0] and b.unannotated.tolist() == [1, 2, 0, 4]


def test_beside_the_official_value_by_hand(of_teams: dict[str, Result]) -> None:
    a, b = of_teams["A"], of_teams["B"]
    assert a.values[MEAN_EV2R] == pytest.approx(((0.6 + 0.7) / 2 + 0.5) / 2)
    assert b.values[MEAN_EV2R] == pytest.approx((0.6 + (0.95 + 0.5) / 2 + 0.25) / 3)
    # Both have unannotated abstracts of c1 and c2.
    assert a.values[EV2R + COMMON] == pytest.approx((0.7 + 0.5) / 2)
    assert b.values[EV2R + COMMON] == pytest.approx((0.6 + 0.95) / 2)


def test_verification_by_hand(of_teams: dict[str, Result]) -> None:
    # 100, Supports: (.7 + 1) / 2 = .85; 101, Refutes against y* NEI: (.3 + 0) / 2 = .15;
    # 200, Refutes: (.4 + 1) / 2 = .7. Claims: .5 and .7.
    a = of_teams["A"]
    assert a.verified.s_ver.tolist() == pytest.approx([0.85, 0.15, 0.7])
    assert a.values[S_VER] == pytest.approx((0.5 + 0.7) / 2)
    assert np.isnan(of_teams["B"].values[S_VER])


def test_without_failures_value_and_bounds_are_the_same(of_teams: dict[str, Result]) -> None:
    for result in of_teams.values():
        for name in (EV2R, S_VER):
            for bound in ("_low", "_high"):
                both = result.per_claim[name], result.per_claim[name + bound]
                np.testing.assert_array_equal(*both)
        assert result.complete


def test_intervals_hold_the_value_and_are_the_plain_bootstrap(of_teams: dict[str, Result]) -> None:
    values = of_teams["B"].per_claim[EV2R]
    generator = np.random.RandomState(2026)
    drawn = generator.randint(0, 4, size=(1_000, 4), dtype=np.int64)
    means = [np.nanmean(row) if not np.isnan(row).all() else np.nan for row in values[drawn]]
    expected = np.nanpercentile(means, [2.5, 97.5])
    assert of_teams["B"].intervals[EV2R] == pytest.approx(tuple(expected))
    assert expected[0] <= mean_over_claims(values) <= expected[1]


# --- ties and failures ----------------------------------------------------------------------------


def one(comparisons: int) -> Pool:
    """An abstract of claim 0 with so many gold abstracts."""
    none = np.zeros(1, dtype=int)
    return Pool(none, none, none, np.zeros(comparisons, dtype=int), np.arange(comparisons))


P = np.array([[0.6, 0.1, 0.3]])


def score(f1: list[float], labels: list[int], chances: np.ndarray = P) -> scores.Abstracts:
    return scores.abstracts(one(len(f1)), np.array(f1), np.array(labels), chances)


def test_the_first_gold_abstract_wins_a_tie_and_the_tie_is_told() -> None:
    made = score([0.2, 0.5, 0.5], [0, 1, 2])
    assert (made.best[0], made.label[0], made.tied[0]) == (1, 1, 2) and made.decided_by_tie[0]
    assert made.ev2r[0] == pytest.approx((0.5 + 0.1) / 2)
    assert not score([0.5, 0.5], [1, 1]).decided_by_tie[0]


def test_if_nothing_is_alike_the_first_gold_abstract_is_taken() -> None:
    made = score([0.0, 0.0], [2, 0])
    assert made.label[0] == 2 and made.ev2r[0] == pytest.approx(0.15)


def test_a_failure_is_left_out_and_bounded() -> None:
    # Known .5 to a Supports; the failed one is a Refutes with P = .1.
    made = score([0.5, np.nan], [0, 1])
    assert made.ev2r[0] == pytest.approx((0.5 + 0.6) / 2) and made.missing[0] == 1
    assert made.low[0] == pytest.approx((0.5 + 0.1) / 2)  # it is just above .5
    assert made.high[0] == pytest.approx(0.55)  # (1 + .1) / 2 is not more than what is known
    # Of the same label: between nothing gained and (1 + .6) / 2.
    same = score([0.5, np.nan], [0, 0])
    assert (same.low[0], same.high[0]) == pytest.approx((0.55, 0.8))


def test_if_all_failed_nothing_is_known_but_bounds() -> None:
    made = score([np.nan, np.nan], [0, 1])
    assert np.isnan(made.ev2r[0]) and made.label[0] == scores.NONE
    assert (made.low[0], made.high[0]) == pytest.approx((0.05, 0.8))


def test_a_known_f1_of_1_cannot_be_beaten_by_a_later_failure() -> None:
    made = score([1.0, np.nan], [0, 1])
    assert made.low[0] == made.high[0] == made.ev2r[0] == pytest.approx(0.8)


def test_unknown_probabilities_leave_everything_open() -> None:
    made = score([np.nan], [0], np.full((1, 3), np.nan))
    assert (made.low[0], made.high[0]) == (0, 1)


_LEVELS = (0.0, 0.25, 0.5, 1.0)
_MAYBE = st.sampled_from([*_LEVELS, np.nan, np.nan])


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.tuples(_MAYBE, st.integers(0, 2)), min_size=1, max_size=3),
    st.permutations([0.55, 0.3, 0.15]),
    st.integers(0, 2),
)
def test_bounds_hold_and_are_reached_over_all_that_could_be(
    known: list[tuple[float, int]], chances: list[float], predicted: int
) -> None:
    f1, labels = [value for value, _ in known], [label for _, label in known]
    probabilities = np.array([chances])
    rows = Rows(np.array([0]), np.array([1]), np.array([predicted]), has_labels=True)
    made = score(f1, labels, probabilities)
    fine = sorted({*_LEVELS, *(level + 1e-9 for level in _LEVELS[:-1])})
    options = [fine if np.isnan(value) else [value] for value in f1]
    ev2r, s_ver = [], []
    for filled in product(*options):
        could = score(list(filled), labels, probabilities)
        ev2r.append(could.ev2r[0])
        s_ver.append(scores.verified(rows, could).s_ver[0])
    assert made.low[0] <= min(ev2r) + 1e-12 and max(ev2r) <= made.high[0] + 1e-12
    assert made.high[0] == pytest.approx(max(ev2r))
    verified = scores.verified(rows, made)
    assert verified.low[0] <= min(s_ver) and max(s_ver) <= verified.high[0]
    assert verified.high[0] == pytest.approx(max(s_ver))
    assert made.low[0] == pytest.approx(min(ev2r), abs=1e-8)
    assert verified.low[0] == pytest.approx(min(s_ver))


# --- worth ----------------------------------------------------------------------------------------


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 3)), min_size=2, max_size=30
    )
)
def test_auc_is_that_of_scikit_learn(items: list[tuple[int, bool, int]]) -> None:
    score_, positive, weight = (np.array(column) for column in zip(*items, strict=True))
    found = auc(score_.astype(float), positive, weight.astype(float))
    drawn = np.repeat(np.arange(len(items)), weight)
    if len(set(positive[drawn].tolist())) < 2:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(roc_auc_score(positive[drawn], score_[drawn]))


def test_worth_by_hand(folder: Path) -> None:
    gold = read_gold(folder)
    pool, label = left_out(gold)
    # 10 against 11 and 12: .6 and .1; 11: .5 and .2; 12: .3 and .1. S_ref: .6, .5, .3.
    f1 = np.array([0.6, 0.1, 0.5, 0.2, 0.3, 0.1])
    scored = scores.abstracts(pool, f1, gold.label, np.tile(P, (3, 1)))
    made = {item.score.split()[0]: item for item in worth(pool, scored, label)}
    assert made["S_ref"].value == 1 and (made["S_ref"].abstracts, made["S_ref"].claims) == (3, 1)
    # y* of 10 is Refutes (wrong), of 11 Supports (wrong), of 12 Supports (wrong).
    assert made["y*"].value == 0
    # S_proxy: P(Refutes) = .1, P(Supports) = .6, .6: of 2 pairs with 12, none in order, one a tie.
    assert made["S_proxy"].value == 0.25
