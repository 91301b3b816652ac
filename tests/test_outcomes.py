import numpy as np
import pytest

from climatecheck import taxonomy
from climatecheck.metrics import narratives as flat
from climatecheck.metrics import outcomes
from climatecheck.metrics.example import narrative_gold, narratives
from tests.random_runs import random_case, repeated


def found(gold: list[str], predicted: list[str]) -> dict[str, float]:
    counts = flat.count(narratives(*predicted), narrative_gold(*gold))
    return {name: float(value) for name, value in outcomes.shares(outcomes.count(counts)).items()}


def test_outcomes_by_hand():
    pairs = [
        ("1_1", "1_1"),  # exact
        ("0_0", "0_0"),  # exact
        ("1_1", "1_2"),  # right group
        ("1_1;2_1", "2_3;1_1"),  # right groups
        ("1_1", "1_1;1_2"),  # right group, too many
        ("1_1;1_2", "1_0"),  # right group, too few
        ("1_1;2_1", "1_1"),  # a group is missing: wrong group, too few
        ("0_0", "5_1;5_2"),  # wrong group, too many
    ]
    shares = found(*map(list, zip(*pairs, strict=True)))
    assert shares == {
        "exact": 2 / 8,
        "right_group": 4 / 8,
        "wrong_group": 2 / 8,
        "too_few": 2 / 8,
        "too_many": 2 / 8,
        "errors_crossing_groups": 2 / 6,
    }


def test_an_empty_answer_names_no_group():
    shares = found(["1_1"], [""])
    assert (shares["wrong_group"], shares["too_few"]) == (1, 1)


def test_without_errors_no_share_of_them_is_defined():
    assert np.isnan(found(["1_1"], ["1_1"])["errors_crossing_groups"])


def test_outcomes_against_sets_on_random_cases():
    rng = np.random.default_rng(6)
    for _ in range(30):
        case = random_case(rng, claims=12)
        counts = case.counts().narratives
        gold, predicted = (sets(task2, 12) for task2 in (case.gold.narratives, case.narratives))
        evaluated = case.gold.narratives.claim.tolist()
        pairs = [(gold[claim], predicted[claim]) for claim in evaluated]
        shares = outcomes.shares(outcomes.count(counts))
        total = len(pairs)
        assert shares["exact"] == pytest.approx(sum(g == p for g, p in pairs) / total)
        wrong = sum(groups(g) != groups(p) for g, p in pairs)
        right = sum(g != p and groups(g) == groups(p) for g, p in pairs)
        assert shares["wrong_group"] == pytest.approx(wrong / total)
        assert shares["right_group"] == pytest.approx(right / total)
        assert shares["too_few"] == pytest.approx(sum(len(p) < len(g) for g, p in pairs) / total)
        assert shares["too_many"] == pytest.approx(sum(len(p) > len(g) for g, p in pairs) / total)
        three = shares["exact"] + shares["right_group"] + shares["wrong_group"]
        assert three == pytest.approx(1)


def test_weights_repeat_claims():
    rng = np.random.default_rng(7)
    case = random_case(rng, claims=8)
    times = rng.integers(1, 4, 8)
    weighted = outcomes.shares(outcomes.count(case.counts().narratives), times)
    again = outcomes.shares(outcomes.count(repeated(case, times).counts().narratives))
    for name, value in again.items():
        assert weighted[name] == pytest.approx(value)


def sets(task2, claims: int) -> list[set[str]]:
    codes = np.array(taxonomy.CODES)
    return [set(codes[row]) for row in task2.dense(claims)]


def groups(codes: set[str]) -> set[str]:
    return {code[0] for code in codes}
