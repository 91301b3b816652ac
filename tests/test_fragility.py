"""The fewest claims that swap two systems, against all sets of claims."""

from itertools import combinations

import numpy as np
import pytest

from climatecheck import scoring
from organiser.analysis.inference import fragility
from organiser.analysis.inference.measures import MEASURES, fields
from organiser.analysis.inference.synthetic import Skill, evaluation
from organiser.analysis.systems import TASKS

SKILLS = [Skill(), Skill(1.9, 0.75, 0.85), Skill(1.3, 0.6, 0.7)]


def fewest_of_all(counts, column, claims, limit):
    """The size of the smallest set that swaps the two; None if none of up to ``limit`` does."""
    for number in range(1, limit + 1):
        for removed in combinations(range(claims), number):
            weights = np.ones(claims)
            weights[list(removed)] = 0
            ahead, behind = (scoring.board_values(c, weights)[column] for c in counts)
            if ahead < behind - 1e-9:
                return number
    return None


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_against_all_sets_of_claims(task, seed):
    claims = 9
    made = evaluation(seed, SKILLS, claims=claims)
    systems = made.entered(task)
    field = next(f for f in fields(made) if f.measure.task == task)
    for i in range(2):
        counts = [system.scores.counts for system in systems[i : i + 2]]
        found = fragility.fewest(field, i, i + 1)
        truth = fewest_of_all(counts, field.measure.column, claims, claims - 1)
        if found.claims is None:
            assert truth is None or not found.exact
            continue
        weights = np.ones(claims)
        weights[list(found.claims)] = 0
        values = [scoring.board_values(c, weights)[field.measure.column] for c in counts]
        assert values[0] < values[1]
        assert truth <= len(found.claims)
        if found.exact:
            assert len(found.claims) == truth


def mean_features(*differences):
    ones = np.ones(len(differences))
    return np.array(
        [np.column_stack([differences, ones]), np.column_stack([0 * ones, ones])], dtype=float
    )


def test_of_a_mean_by_hand():
    # Differences .5, .3, -.2, .1, -.4 with the sum .3. Without .5: -.2, so one claim does.
    value = MEASURES["1.1"].value
    found = fragility.fewest_of_mean(mean_features(0.5, 0.3, -0.2, 0.1, -0.4), value)
    assert found == fragility.Swap((0,), exact=True)
    # .5, .5, .5, -.1, -.1 with the sum 1.3: .8, .3, then -.2, so three.
    found = fragility.fewest_of_mean(mean_features(0.5, 0.5, 0.5, -0.1, -0.1), value)
    assert found == fragility.Swap((0, 1, 2), exact=True)
    # A tie is no swap: .3, -.3 has the sum 0, and without .3 it is -.3.
    assert fragility.fewest_of_mean(mean_features(0.3, -0.3), value).claims == (0,)
    # Nothing speaks for the other one.
    found = fragility.fewest_of_mean(mean_features(0.3, 0.0), value)
    assert found == fragility.Swap(None, exact=True)


def test_the_search_agrees_with_the_exact_rule_on_means():
    rng = np.random.default_rng(7)
    value = MEASURES["1.1"].value
    for _ in range(30):
        differences = rng.normal(0.05, 0.3, 25)
        if differences.sum() < 0:
            differences = -differences
        pair = mean_features(*differences)
        exact, searched = (
            search(pair, value) for search in (fragility.fewest_of_mean, fragility.fewest_by_search)
        )
        assert len(exact.claims) == len(searched.claims)


def test_two_claims_that_only_swap_together_are_found():
    # The lead is 3, and falls by 1 for each claim taken away, but by 4 for claims 3 and 4 together.
    # One by one, the search takes claims 0 to 3 (leads 2, 1, 0, -1); all pairs are tried too.
    features = np.zeros((2, 6, 6))
    features[0] = np.eye(6)

    def value(sums):
        present = sums[0]
        lead = 3.0 - (1 - present).sum(axis=-1)
        both_away = (present[..., 3] == 0) & (present[..., 4] == 0)
        return np.stack([np.where(both_away, -1.0, lead), np.zeros_like(lead)])

    assert fragility.fewest_by_search(features, value) == fragility.Swap((3, 4), exact=True)


def test_section_names_claims_and_how_sure_it_is():
    made = evaluation(5, SKILLS, claims=30)
    table = fragility.section(made).parts[0]
    assert len(table.rows) == 6  # three scores, two neighbours each
    for row in table.rows:
        assert len(row) == len(table.columns)
        if row[4] is not None:
            assert row[5] == row[4] / 30
            assert row[6] in ("exact", "at most")
            assert set(row[7].removesuffix(", …").split(", ")) <= set(made.claims.ids)
    assert fragility.section(evaluation(5, SKILLS[:1], claims=30)).parts == ()
