"""The files for trec_eval, read back by pytrec_eval."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import pytrec_eval

from climatecheck.board import Facts
from climatecheck.metrics import recall
from climatecheck.scoring import score
from climatecheck.tables import Claims
from organiser.analysis import trec
from organiser.analysis.systems import Evaluation, System
from tests.random_runs import Case, random_case


def system_of(case: Case, team: str = "A team") -> System:
    return System(team, "x.zip", case.submission(), score(case.submission(), case.gold))


@pytest.mark.parametrize("seed", range(3))
def test_trec_eval_sees_the_same_recall(seed):
    case = random_case(np.random.default_rng(seed), claims=15)
    system = system_of(case)
    qrels = pytrec_eval.parse_qrel(trec.qrels(case.gold).decode().splitlines(keepends=True))
    run = pytrec_eval.parse_run(trec.run(system, tag="a").decode().splitlines(keepends=True))
    found = pytrec_eval.RelevanceEvaluator(qrels, {"recall.5"}).evaluate(run)
    counts = system.scores.counts.retrieval
    assert counts is not None
    ours = recall.per_claim(counts.recall[5])
    compared = 0
    for place, id_ in enumerate(case.gold.claims.ids):
        if id_ in found and not np.isnan(ours[place]):
            assert found[id_]["recall_5"] == pytest.approx(ours[place])
            compared += 1
    assert compared > 5


def test_the_order_is_the_rank_and_the_score_falls():
    case = random_case(np.random.default_rng(7))
    lines = [line.split() for line in trec.run(system_of(case), tag="a").decode().splitlines()]
    assert [int(line[2]) for line in lines] == case.run.abstract.tolist()
    for above, below in pairwise(lines):
        if above[0] == below[0]:
            assert int(below[3]) == int(above[3]) + 1
            assert int(below[4]) == int(above[4]) - 1 >= 1
    assert all(len(line) == 6 and line[1] == "Q0" for line in lines)


def test_relevance_is_evidentiary_or_not():
    case = random_case(np.random.default_rng(1))
    relevance = [line.split()[3] for line in trec.qrels(case.gold).decode().splitlines()]
    # Supports 0 and Refutes 1 are evidentiary, Not Enough Information 2 is not.
    assert relevance == ["0" if label == 2 else "1" for label in case.gold.label]


def test_blanks_in_an_id_cannot_break_a_line():
    case = random_case(np.random.default_rng(2), claims=3)
    ids = ("a b", "a%20b", "é\u00a0")
    gold = replace(case.gold, claims=Claims(ids, ids))
    topics = {line.split()[0] for line in trec.qrels(gold).decode().splitlines()}
    assert topics <= {"a%20b", "a%2520b", "%C3%A9%C2%A0"}
    assert all(len(line.split()) == 4 for line in trec.qrels(gold).decode().splitlines())


def test_each_run_has_a_file_of_its_own():
    case = random_case(np.random.default_rng(3))
    systems = (system_of(case, "A/b"), system_of(case, "a b"), system_of(case, "../.."))
    assert sorted(trec.runs(systems)) == ["a-b-2.run", "a-b.run", "unnamed.run"]


def test_a_system_without_a_run_has_no_file():
    case = random_case(np.random.default_rng(4))
    with pytest.raises(ValueError, match="has no run"):
        trec.run(
            replace(system_of(case), submission=replace(case.submission(), task1=None)), tag="a"
        )


def test_runs_of_other_scripts_keep_their_names_and_say_whose_they_are():
    case = random_case(np.random.default_rng(3))
    systems = tuple(system_of(case, team) for team in ("日本", "中国", "!!", "??"))
    made = trec.files(Evaluation(case.gold.claims, case.gold, Facts(), systems))
    whose = dict(line.split(",")[:2] for line in made["runs.csv"].decode().splitlines()[1:])
    assert whose == {  # in order of the team, as the scores are equal
        "unnamed.run": "!!",
        "unnamed-2.run": "??",
        "中国.run": "中国",
        "日本.run": "日本",
    }
    assert set(made) == {"qrels.txt", "runs.csv", *whose}
    parsed = pytrec_eval.parse_run(made["日本.run"].decode().splitlines(keepends=True))
    assert sum(map(len, parsed.values())) == len(case.run)
