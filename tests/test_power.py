"""Standard errors by closed form, power by simulation, coverage of intervals by simulation."""

import numpy as np
import pytest

from organiser.analysis.inference import power, simulation
from organiser.analysis.inference.measures import MEASURES, field_of, fields
from organiser.analysis.inference.synthetic import Skill, evaluation

stats = pytest.importorskip("scipy.stats")


@pytest.fixture(scope="module")
def made():
    return evaluation(3, [Skill(), Skill(2.0, 0.8, 0.9), Skill(1.0, 0.5, 0.6)], claims=60)


def test_half_width_and_detectable_difference_by_hand():
    # Quantiles from scipy; at 5 % and 80 %: 1.9600 and 0.8416.
    assert power.half_width(0.02) == pytest.approx(0.02 * stats.norm.ppf(0.975))
    expected = 0.02 * (stats.norm.ppf(0.975) + stats.norm.ppf(0.8))
    assert power.detectable(0.02) == pytest.approx(expected)
    corrected = 0.02 * (stats.norm.ppf(1 - 0.025 / 28) + stats.norm.ppf(0.8))
    assert power.detectable(0.02, alpha=0.05 / 28) == pytest.approx(corrected)


@pytest.mark.parametrize("gap", [0.02, 0.05])
def test_claims_needed_give_the_power(gap):
    # Differences with standard deviation .2: a standard error of .02 on 100 claims. With so many
    # claims, the t-test finds the gap in 80 % of 4,000 test sets (standard error .6 %).
    claims = power.claims_needed(0.02, 100, gap)
    assert claims == int(np.ceil(((1.959964 + 0.841621) * 0.2 / gap) ** 2))
    differences = np.random.default_rng(8).normal(gap, 0.2, (4_000, claims))
    found = np.mean(stats.ttest_1samp(differences, 0, axis=1).pvalue <= 0.05)
    assert abs(found - 0.8) < 0.025


def test_standard_error_of_a_mean_is_the_textbooks(made):
    field = field_of(made, MEASURES["1.1"])
    defined = field.features[0, :, 1] > 0
    errors = power.standard_errors(field.resampled(4_000))
    for i, j in field.pairs:
        difference = (field.features[i] - field.features[j])[defined, 0]
        textbook = difference.std() / np.sqrt(defined.sum())
        # 4,000 resamples know a standard deviation to 1 / sqrt(8,000) = 1.1 %; that the number of
        # claims with evidentiary abstracts varies adds about 1 %.
        assert errors[i, j] == pytest.approx(textbook, rel=0.06)


def test_standard_errors_are_those_of_the_differences(made):
    drawn = field_of(made, MEASURES["2"]).resampled(300)
    errors = power.standard_errors(drawn)
    assert errors[0, 2] == pytest.approx((drawn[:, 0] - drawn[:, 2]).std(ddof=1))
    assert errors[1, 1] == 0


@pytest.mark.parametrize("task", ["1.1", "1.2"])
def test_intervals_hold_the_truth_about_as_often_as_they_say(task):
    # 80 test sets, three systems: the share has a standard error of at most
    # sqrt(.95 * .05 / 80) = .024.
    skills = simulation.STEPS[:3]
    truth = field_of_skills(task, skills, 20_000)
    sample = simulation.samples(task, skills, 80, claims=120)
    scores, differences = simulation.held(sample, truth, resamples=400)
    assert 0.88 < scores <= 1
    assert 0.88 < differences <= 1


def field_of_skills(task, skills, claims):
    made = evaluation(99, skills, claims=claims)
    column = MEASURES[task].column
    return np.array([system.scores.board[column] for system in made.systems])


def test_section(made):
    found = power.section(made)
    summary, pairs = found.parts
    assert len(summary.rows) == 9  # three scores, three pairs each
    assert len(pairs.rows) == 9
    for table in found.parts:
        assert {len(row) for row in table.rows} == {len(table.columns)}
    for row in pairs.rows:
        error, half, detectable, corrected, *claims = row[4:]
        assert error < half < detectable < corrected
        assert claims == sorted(claims, reverse=True)
    errors = [row[3] for row in summary.rows[:3]]
    assert errors == sorted(errors)


def test_systems_that_answer_alike_are_dashes():
    same = [Skill(family=1, likeness=1.0)] * 2
    row = power.section(evaluation(2, same, claims=20)).parts[1].rows[0]
    assert row[4] == 0
    assert row[5:] == (None,) * 6


def test_nothing_to_compare():
    assert power.section(evaluation(2, [Skill()], claims=20)).parts == ()
    assert fields(evaluation(2, [Skill()], claims=20)) == []


def test_command(capsys, tmp_path):
    assert power.main([]) == 0
    printed = capsys.readouterr().out
    assert "Differences that this test set can detect" in printed
    assert "Claims for 0.01" in printed
    assert power.main(["--submissions", str(tmp_path / "nowhere")]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_resamples_without_a_value_are_left_out():
    drawn = np.array([[0.1, 0.3], [np.nan, 0.2], [0.3, 0.3]])
    # the differences of the two defined resamples are -.2 and 0: variance .02
    assert power.standard_errors(drawn)[0, 1] == pytest.approx(np.sqrt(0.02))
    assert np.isnan(power.standard_errors(drawn[1:2])).all()
