"""The statistics behind the analyses of section 8, each against another computation."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import (
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    jaccard_score,
    matthews_corrcoef,
)

from climatecheck import taxonomy
from climatecheck.metrics import outcomes
from climatecheck.metrics.hierarchical import HierarchicalCounts
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.metrics.narratives import count as count_narratives
from climatecheck.tables import NO_LABEL, Claims, Gold, Task1, Task2
from organiser.analysis.section8 import (
    agreement_f1,
    claim_groups,
    confusion,
    counts_of,
    ensembles,
    error_agreement,
    hierarchy,
    missed_claims,
    narrative_groups,
    outcome_shares,
    recall_by_claim,
    refutes_by_group,
    verification_by_group,
)
from organiser.analysis.section8.error_agreement import Crossed
from organiser.analysis.section8.proportions import wilson
from organiser.analysis.section8.rank_correlation import DRAWS, EXACT_UP_TO, spearman
from tests.section8_example import evaluation, paper_size_gold, sample_gold, system, with_systems

SUPPORTS, REFUTES, NEI = range(3)


@pytest.fixture(scope="module")
def gold() -> Gold:
    return sample_gold()


@pytest.fixture(scope="module")
def systems(gold):
    return with_systems(gold, 4).systems


# --- rank correlation ----------------------------------------------------------------------------


def test_rho_is_that_of_scipy_with_ties():
    rng = np.random.RandomState(3)
    for number in (3, 5, 8, 12):
        x, y = rng.randint(0, 4, (2, number)).astype(float)
        if len(set(x)) > 1 and len(set(y)) > 1:
            assert spearman(x, y).rho == pytest.approx(stats.spearmanr(x, y).statistic)


def test_exact_p_counts_all_permutations():
    x, y = np.array([0.1, 0.4, 0.4, 0.7, 0.9]), np.array([0.3, 0.2, 0.8, 0.5, 0.9])
    observed = abs(stats.spearmanr(x, y).statistic)
    others = [abs(stats.spearmanr(x, y[list(order)]).statistic) for order in permutations(range(5))]
    found = spearman(x, y)
    assert found.exact
    assert found.p == np.mean(np.array(others) >= observed - 1e-12)


def test_perfect_agreement_of_four_labels_is_not_significant():
    """The paper's rho of 1.0 with n = 4: two of 4! orders are as far from 0, p = 2/24."""
    found = spearman(np.arange(4.0), np.arange(4.0) ** 2)
    assert (found.rho, found.n) == (pytest.approx(1.0), 4)
    assert found.p == pytest.approx(2 / 24)


def test_p_of_many_labels_rests_on_draws():
    number = EXACT_UP_TO + 1
    rng = np.random.RandomState(0)
    x = np.arange(number, dtype=float)
    y = x + rng.normal(scale=4, size=number)
    found = spearman(x, y)
    every = stats.rankdata(y)[np.array(list(permutations(range(number))))]
    centred = np.abs((every - every.mean(axis=1, keepdims=True)) @ (x - x.mean()))
    observed = abs((stats.rankdata(y) - stats.rankdata(y).mean()) @ (x - x.mean()))
    assert not found.exact
    assert found.p == pytest.approx(np.mean(centred >= observed - 1e-9), abs=4 / np.sqrt(DRAWS))


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 0.5, 0.5]])
def test_rho_is_undefined_without_variation(values):
    found = spearman(np.arange(float(len(values))), np.array(values))
    assert np.isnan(found.rho) and np.isnan(found.p) and found.n == len(values)


# --- proportions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("right", "of"), [(0, 1), (1, 1), (0, 7), (7, 7), (3, 11), (266, 889)])
def test_wilson_is_that_of_scipy(right, of):
    expected = stats.binomtest(right, of).proportion_ci(method="wilson")
    assert wilson(right, of) == pytest.approx((expected.low, expected.high))


# --- errors of two systems -----------------------------------------------------------------------


def test_agreement_of_errors_is_that_of_scikit_learn():
    rng = np.random.RandomState(5)
    for share in (0.2, 0.5, 0.8):
        wrong = rng.rand(2, 40) < share
        errors = error_agreement.Errors("x", "x", ("a", "b"), np.ones_like(wrong), wrong)
        crossed = errors.crossed(0, 1)
        assert crossed.items == 40
        assert crossed.kappa == pytest.approx(cohen_kappa_score(*wrong))
        assert crossed.phi == pytest.approx(matthews_corrcoef(*wrong))
        assert crossed.common == pytest.approx(jaccard_score(*wrong))


def test_agreement_of_errors_is_undefined_where_nobody_can_differ():
    nobody, one_alone = Crossed(9, 0, 0, 0), Crossed(6, 3, 0, 0)
    assert all(map(np.isnan, (nobody.kappa, nobody.phi, nobody.common)))
    assert np.isnan(one_alone.phi)
    assert (one_alone.kappa, one_alone.common) == (0, 0)


def test_errors_in_labels_are_over_pairs_that_both_retrieved():
    """Gold of claim 0: 1 S, 2 R, 3 NEI, 9 S. One has 1 right, 2 wrong, 9 wrong; the other 2, 9."""
    pairs = np.array([[0, 1, SUPPORTS], [0, 2, REFUTES], [0, 3, NEI], [0, 9, SUPPORTS]])
    gold = Gold(Claims(("a",), ("a",)), *pairs.T, Task2(np.zeros(0, int), np.zeros((0, 33), bool)))

    def labelled(*rows):
        abstract, label = np.array(rows).T
        place = np.arange(len(rows))
        return Task1(place * 0, abstract, place + 1, label, place + 2, has_labels=True)

    one = _system(gold, labelled((1, SUPPORTS), (2, NEI), (77, SUPPORTS), (9, NEI)))
    other = _system(gold, labelled((9, REFUTES), (2, REFUTES), (3, NEI)))
    found = error_agreement.label_errors([one, other], gold)
    assert found.answered.astype(int).tolist() == [[1, 1, 0, 1], [0, 1, 1, 1]]
    assert found.wrong.astype(int).tolist() == [[0, 1, 0, 1], [0, 0, 0, 1]]
    assert found.crossed(0, 1) == (0, 1, 0, 1)  # of abstracts 2 and 9


def _system(gold, task1):
    from climatecheck import scoring
    from climatecheck.tables import Submission
    from organiser.analysis.systems import System

    submission = Submission(gold.claims, task1, None, ())
    return System("a", "a.zip", submission, scoring.score(submission, gold))


# --- retrieval -----------------------------------------------------------------------------------


def test_a_mean_of_thirds_that_makes_one_half_is_half():
    thirds = np.array([[1 / 3], [2 / 3], [1 / 3], [2 / 3], [1 / 3], [2 / 3], [1 / 2]])
    zero, below, half = recall_by_claim.classes(recall_by_claim.mean_recall(thirds))
    assert (zero.sum(), below.sum(), half.sum()) == (0, 0, 1)


def test_readings_of_table_6_by_hand(gold, systems):
    """Each reading counted row by row, in plain Python."""
    recall, evidentiary, judged = narrative_groups.readings(gold, systems)
    label = {(c, a): k for c, a, k in zip(gold.claim, gold.abstract, gold.label, strict=True)}
    for place, one in enumerate(systems):
        run = one.submission.task1
        for claim in range(len(gold.claims)):
            rows = np.flatnonzero((run.claim == claim) & (run.position <= 5))
            labels = [label.get((claim, run.abstract[row]), NO_LABEL) for row in rows]
            relevant = np.sum(is_evidentiary(gold.label[gold.claim == claim]))
            hits = labels.count(SUPPORTS) + labels.count(REFUTES)
            assert evidentiary.by_system[place, claim] == (hits > 0)
            assert judged.by_system[place, claim] == (hits + labels.count(NEI) > 0)
            if relevant:
                assert recall.by_system[place, claim] == pytest.approx(hits / relevant)
                assert recall.best[claim] == pytest.approx(min(5, relevant) / relevant)
            else:
                assert np.isnan(recall.by_system[place, claim])


def test_a_claim_of_two_groups_counts_in_both(gold):
    member = claim_groups.members(gold)
    for claim, codes in zip(gold.narratives.claim, gold.narratives.codes, strict=True):
        groups = {taxonomy.group_of(taxonomy.CODES[code]) for code in np.flatnonzero(codes)}
        held = {key for key, row in zip(claim_groups.GROUPS, member, strict=True) if row[claim]}
        assert held == groups


# --- verification --------------------------------------------------------------------------------


def _judged_labels(one, claims):
    """Gold and predicted labels of the judged pairs of these claims."""
    judged = counts_of.judged(one)
    rows = (judged.gold_label != NO_LABEL) & np.isin(judged.run.claim, np.flatnonzero(claims))
    rows &= judged.run.position <= 10
    return judged.gold_label[rows], judged.run.label[rows]


def test_confusion_is_that_of_scikit_learn(gold, systems):
    for one in systems:
        truth, guess = _judged_labels(one, np.ones(len(gold.claims)))
        found = confusion.by_gold(confusion.confusion_of(one))
        expected = confusion_matrix(truth, guess, labels=range(3), normalize="true")
        assert found == pytest.approx(expected)


def test_verification_by_group_is_that_of_scikit_learn(gold, systems):
    member = claim_groups.members(gold)
    for one in systems:
        counts = counts_of.verification(one)
        found = verification_by_group.by_group(counts, member)
        refuting = refutes_by_group.recognised(counts, member)
        for place, group in enumerate(member):
            truth, guess = _judged_labels(one, group)
            assert found.pairs[place] == len(truth)
            assert found.accuracy[place] == pytest.approx(np.mean(truth == guess))
            expected = f1_score(truth, guess, labels=range(3), average="weighted", zero_division=0)
            assert found.f1[place] == pytest.approx(expected)
            assert refuting.pairs[place] == np.sum(truth == REFUTES)
            assert refuting.right[place] == np.sum((truth == REFUTES) & (guess == REFUTES))


# --- narratives ----------------------------------------------------------------------------------


def test_f1_by_code_is_that_of_scikit_learn(gold, systems):
    truth = gold.narratives.dense(len(gold.claims))
    for one in systems:
        guess = one.submission.task2.dense(len(gold.claims))
        expected = f1_score(truth, guess, average=None, zero_division=0)
        assert agreement_f1.f1_by_code(counts_of.narratives(one)) == pytest.approx(expected)


def test_labels_of_figure_4_are_frequent_and_the_best_agreed_first():
    big = paper_size_gold()
    alpha = np.linspace(0, 1, 33)
    alpha[0] = np.nan  # an agreement that was not published
    support = big.narratives.codes.sum(axis=0)
    found = agreement_f1.frequent(big, alpha)
    assert set(found) == {code for code in range(1, 33) if support[code] >= 4}
    assert (np.diff(alpha[found]) < 0).all()


def test_pooled_shares_count_predictions(systems):
    """Of systems that answer the same claims, pooled shares are the mean of theirs."""
    every = [outcomes.count(counts_of.narratives(one)) for one in systems]
    pooled = outcomes.shares(outcome_shares.pooled(every))
    each = [outcomes.shares(counts) for counts in every]
    for name in ("exact", "right_group", "wrong_group", "too_few", "too_many"):
        assert pooled[name] == pytest.approx(np.mean([shares[name] for shares in each]))
    assert pooled["errors_crossing_groups"] == pytest.approx(
        pooled["wrong_group"] / (1 - pooled["exact"])
    )


def test_hierarchical_scores_that_divide_by_nothing_are_dashes():
    nothing, two = np.array([0, 0]), np.array([1, 1])
    assert hierarchy.cells(HierarchicalCounts(nothing, nothing, nothing)) == (None, None, None)
    assert hierarchy.cells(HierarchicalCounts(nothing, nothing, two)) == (None, 0, 0)
    assert hierarchy.cells(HierarchicalCounts(two, two, two * 3)) == (1, pytest.approx(1 / 3), 0.5)


# --- ensembles and missed claims -----------------------------------------------------------------


def test_majority_needs_more_than_half():
    votes = np.zeros((4, 3, 2), dtype=bool)
    votes[:2, 0, 0] = True  # two of four are not more than half
    votes[:3, 1, 0] = True
    assert ensembles.majority(votes).tolist() == [[False, False], [True, False], [False, False]]


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        ([(1,), (2,), (2,)], (2,)),
        ([(), (), (1,)], ()),
        ([(1,), (2,), (1, 2)], (1,)),  # 2 votes a code in each; (1,) is small and first
        ([(5,), (2, 3), (3, 4)], (2, 3)),  # 1 vote; 1.5; 1.5, and 2 before 4
        ([(9,), ()], (9,)),
    ],
)
def test_plurality_breaks_ties_as_documented(sets, expected):
    assert ensembles.most_frequent(sets) == expected
    assert ensembles.most_frequent(sets[::-1]) == expected


def test_an_ensemble_of_three_equals_the_two_that_agree(gold):
    good, bad = system(gold, "good", 0.9, 1), system(gold, "bad", 0.1, 2)
    every = [counts_of.narratives(one) for one in (good, bad, good)]
    answers = ensembles.answers_of(every)
    assert (ensembles.majority(answers) == good.submission.task2.dense(len(gold.claims))).all()
    assert (ensembles.plurality(answers) == ensembles.majority(answers)).all()


def test_scores_of_an_ensemble_are_the_official_ones(gold):
    """Three times the same system: each row of the table holds that system's board."""
    one = system(gold, "a", 0.7, 1)
    (table,) = ensembles.section(evaluation(gold, one, one, one)).parts
    keys = [key for key in one.scores.board if key.startswith("narrative")]
    exact = np.mean(counts_of.narratives(one).exact)
    expected = [*(one.scores.board[key] for key in keys), exact]
    assert [len(row) for row in table.rows] == [7, 7, 7]
    for row in table.rows:
        assert row[1:] == pytest.approx(expected)


def test_missed_claims_are_those_nobody_answers(gold, systems):
    truth = gold.narratives.dense(len(gold.claims))
    weak = [system(gold, str(seed), 0.2, seed) for seed in (1, 2)]
    missed = missed_claims.missed_narratives([counts_of.narratives(one) for one in weak])
    for claim in range(len(gold.claims)):
        answers = [one.submission.task2.dense(len(truth))[claim] for one in weak]
        assert missed[claim] == (not any((answer == truth[claim]).all() for answer in answers))
    assert 0 < missed.sum() < len(missed)
    unanswered = missed_claims.missed_retrieval(gold, weak)
    for claim in np.flatnonzero(unanswered):
        pairs = gold.abstract[(gold.claim == claim) & is_evidentiary(gold.label)]
        assert len(pairs)
        for one in weak:
            run = one.submission.task1
            top = run.abstract[(run.claim == claim) & (run.position <= 5)]
            assert not np.isin(pairs, top).any()
    assert unanswered.any()


def test_a_claim_without_gold_narratives_is_not_missed():
    gold = paper_size_gold(6)
    kept = gold.narratives.claim < 4
    short = Gold(
        gold.claims,
        gold.claim,
        gold.abstract,
        gold.label,
        Task2(gold.narratives.claim[kept], gold.narratives.codes[kept]),
    )
    nothing = Task2(np.zeros(0, dtype=int), np.zeros((0, 33), dtype=bool))
    missed = missed_claims.missed_narratives([count_narratives(nothing, short)])
    assert missed.tolist() == [True] * 4 + [False] * 2


def test_claims_of_equal_mean_recall_stand_in_their_order():
    # Both means are .15; that of the second claim is the greater by rounding.
    by_system = np.array([[0.3, 0.1], [0.0, 0.2]])
    mean = recall_by_claim.mean_recall(by_system)
    assert mean[1] > mean[0]
    assert recall_by_claim.best_first(mean).tolist() == [0, 1]
    assert recall_by_claim.best_first(np.array([np.nan, 0.1, 0.2])).tolist() == [2, 1]


def test_means_that_are_equal_but_for_rounding_are_tied():
    # .1 + .2 > .3 in floats; both means are .15. Ranks 1, 2.5, 2.5 against 1, 2, 3: covariance
    # 1.5, variances 1.5 and 2, so rho = 1.5 / sqrt(1.5 * 2).
    means = np.array([[0.0, 0.1, 0.3], [0.0, 0.2, 0.0]]).mean(axis=0)
    assert means[1] != means[2]
    found = spearman(means, np.arange(3.0))
    assert found.rho == pytest.approx(np.sqrt(3) / 2)
    assert found.p == 4 / 6  # of all 6 orders, 4 have a covariance of 1.5 or -1.5, 2 have 0
    constant = spearman(np.array([0.3, 0.1 + 0.2]), np.arange(2.0))
    assert np.isnan(constant.rho)
