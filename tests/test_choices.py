"""Other choices of the definitions: by hand, by pytrec_eval, by scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest

from climatecheck import edition
from climatecheck.metrics.example import gold, run
from climatecheck.metrics.judgements import judge
from climatecheck.scoring import score
from climatecheck.tables import NO_LABEL, Task1
from organiser.analysis.inference import choices, common_pairs
from organiser.analysis.inference.measures import MEASURES, field_of
from organiser.analysis.inference.synthetic import Skill, evaluation
from organiser.analysis.section8 import counts_of
from organiser.analysis.systems import TASKS
from tests.random_runs import pairs_of, random_case, rows_of
from tests.test_metrics_retrieval import EXAMPLES

SKILLS = [Skill(), Skill(1.9, 0.75, 0.85), Skill(1.3, 0.6, 0.7)]


@pytest.fixture(scope="module")
def made():
    return evaluation(7, SKILLS, claims=40)


@pytest.mark.parametrize(("relevant", "nonrelevant", "ranking", "here", "trec"), EXAMPLES)
def test_bpref_as_trec_eval_by_hand(relevant, nonrelevant, ranking, here, trec):
    judged = judge(run(ranking), gold(supporting=relevant, nonrelevant=nonrelevant))
    found = choices.trec_bpref(judged, depth=10)
    np.testing.assert_allclose(found, [trec if relevant else np.nan], atol=1e-12)


def test_bpref_as_trec_eval_against_pytrec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(3)
    for _ in range(30):
        case = random_case(rng)
        found = choices.trec_bpref(judge(case.run, case.gold), depth=1000)
        qrels, ranked = {}, {}
        for claim, abstract, label in pairs_of(case.gold).tolist():
            qrels.setdefault(str(claim), {})[str(abstract)] = int(label < 2)
        for claim, abstract, position, _ in rows_of(case.run).tolist():
            ranked.setdefault(str(claim), {})[str(abstract)] = -float(position)
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {"bpref"}).evaluate(ranked)
        for claim, value in enumerate(found):
            if not np.isnan(value):
                expected = theirs.get(str(claim), {"bpref": 0.0})["bpref"]
                assert value == pytest.approx(expected)


@pytest.mark.parametrize("task", TASKS)
def test_the_first_choice_is_the_official_score(made, task):
    official = choices._CHOICES[task](made.entered(task))[0]
    np.testing.assert_allclose(official.scores, field_of(made, MEASURES[task]).scores, atol=1e-12)


def test_claims_answered_alone():
    # Two claims with R = 1; the run answers the first one alone, fully: 1 of it, (1 + 0) / 2 of
    # both.
    first = gold(supporting="a")
    judged = judge(run("a"), first)
    both = replace(
        judged,
        relevant_of=np.array([1, 1]),
        nonrelevant_of=np.array([0, 0]),
    )
    chosen = {
        all_claims: choices.retrieval_score(both, plain=True, depth=10, all_claims=all_claims)
        for all_claims in (True, False)
    }
    assert chosen == {True: 0.5, False: 1.0}


def test_depth():
    # Six unjudged rows, then the only evidentiary one: Recall@5 0, Bpref 1 at depth 10, 0 at 5.
    judged = judge(run("uvwxyza"), gold(supporting="a"))
    score_at = {
        depth: choices.retrieval_score(judged, plain=True, depth=depth, all_claims=True)
        for depth in (10, 5)
    }
    assert score_at == {10: 0.5, 5: 0.0}


def test_reversals_count_each_pair_once():
    # 1 > 2 > 3 against 3 > 2 > 1: all three pairs; a tie reverses nothing.
    assert choices.reversals(np.array([3.0, 2, 1]), np.array([1.0, 2, 3])) == 3
    assert choices.reversals(np.array([3.0, 2, 1]), np.array([1.0, 1, 1])) == 0


def test_section(made):
    tables = {table.name: table for table in choices.section(made).parts}
    assert len(tables) == 7
    for table in tables.values():
        assert {len(row) for row in table.rows} == {len(table.columns)}
    ranks = tables["choices_score_1_1_ranks"].rows
    assert len(ranks) == 8  # denominator, depth, claims: two each
    assert ranks[0][1:] == (0, 1, 2, 3)
    assert choices.section(evaluation(7, SKILLS[:1], claims=9)).parts == ()


def test_common_pairs_against_sets_and_scikit_learn(made):
    metrics = pytest.importorskip("sklearn.metrics")
    systems = made.entered("1.2")
    gold_labels = {(c, a): label for c, a, label in pairs_of(made.gold).tolist()}
    answers = []
    for system in systems:
        rows = rows_of(system.submission.task1).tolist()
        answers.append({(c, a): label for c, a, position, label in rows if (c, a) in gold_labels})
    common = sorted(set.intersection(*map(set, answers)))
    table = common_pairs.table(made)
    for row, answer in zip(table.rows, answers, strict=True):
        assert row[4] == len(common)
        found = metrics.precision_recall_fscore_support(
            [gold_labels[pair] for pair in common],
            [answer[pair] for pair in common],
            average="weighted",
            zero_division=0,
        )
        np.testing.assert_allclose(row[5:8], found[:3], atol=1e-12)
    assert [row[2] for row in table.rows] == pytest.approx(
        [system.scores.board["verification_f1"] for system in systems]
    )


def test_common_pairs_by_hand():
    # Judged a S, b R, x NEI. One run ranks a b x, the other u x a: a and x in common.
    judgements = gold(supporting="a", refuting="b", nonrelevant="x")
    runs = [judge(run("abx", "SRN"), judgements), judge(run("uxa", "SSR"), judgements)]
    first, second = common_pairs.common_counts(runs)
    assert first.tolist() == [[[1, 0, 0], [0, 0, 0], [0, 0, 1]]]
    assert second.tolist() == [[[0, 1, 0], [0, 0, 0], [1, 0, 0]]]
    # At depth 2 the first run has a b, the second u x: nothing in common.
    assert not any(counts.any() for counts in common_pairs.common_counts(runs, depth=2))


def test_no_pair_in_common_is_a_dash(made):
    first, *others = made.systems
    task1 = first.submission.task1
    nowhere = replace(task1, abstract=task1.abstract + 1000)
    submission = replace(first.submission, task1=nowhere)
    moved = replace(first, submission=submission, scores=score(submission, made.gold))
    apart = replace(made, systems=(moved, *others))
    table = common_pairs.table(apart)
    assert {row[4] for row in table.rows} == {0}
    assert {row[5:] for row in table.rows} == {(None,) * 4}
    assert len(choices.verification_choices(apart.entered("1.2"))) == 4


def test_a_run_without_labels_is_not_in_task_1_2(made):
    first, *others = made.systems
    task1: Task1 = first.submission.task1
    plain = replace(task1, label=np.full(len(task1), NO_LABEL), has_labels=False)
    submission = replace(first.submission, task1=plain)
    unlabelled = replace(first, submission=submission, scores=score(submission, made.gold))
    mixed = replace(made, systems=(unlabelled, *others))
    assert len(common_pairs.table(mixed).rows) == 2
    assert len(counts_of.judged(unlabelled)) == 40
    assert edition.VERIFICATION_DEPTH in choices.DEPTHS
