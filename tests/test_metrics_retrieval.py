"""Recall and Bpref: examples by hand, pytrec_eval where it agrees by definition, else by loops."""

import numpy as np
import pytest

from climatecheck import edition
from climatecheck.metrics import bpref, recall
from climatecheck.metrics.example import gold, run
from climatecheck.metrics.judgements import judge
from tests.random_runs import (
    Case,
    gold_of,
    pairs_of,
    random_case,
    random_narratives,
    rows_of,
    run_of,
)

ALL_ROWS = 1000
CASES = 150
CLAIMS = 25


# R, N, ranking: Bpref here and as trec_eval divides, by min(R, N).
# 3, 4: ((1 - 1/3) + (1 - 1/3)) / 3 = 4/9 in both.
# 4, 2: ((1 - 1/4) + (1 - 2/4)) / 4 = 5/16; trec_eval: ((1 - 1/2) + (1 - 2/2)) / 4 = 1/8.
# 2, 0: (1 + 1) / 2.
# 0, 3: undefined; trec_eval says 0.
# 6, 5: ((1 - 2/6) + (1 - 2/6)) / 6 = 2/9; trec_eval: 2 * (1 - 2/5) / 6 = 1/5.
EXAMPLES = [
    ("abc", "wxyz", "xauby", 4 / 9, 4 / 9),
    ("abcd", "xy", "xaybu", 5 / 16, 1 / 8),
    ("ab", "", "uavbw", 1.0, 1.0),
    ("", "xyz", "xyzuv", np.nan, 0.0),
    ("abcdef", "vwxyz", "xyuab", 2 / 9, 1 / 5),
]


@pytest.mark.parametrize(("relevant", "nonrelevant", "ranking", "here", "trec"), EXAMPLES)
def test_bpref_by_hand(relevant, nonrelevant, ranking, here, trec):
    judgements = gold(supporting=relevant, nonrelevant=nonrelevant)
    value = bpref.per_claim(bpref.count(judge(run(ranking), judgements)))
    np.testing.assert_allclose(value, [here], rtol=0, atol=1e-12)
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels = {"1": {**dict.fromkeys(relevant, 1), **dict.fromkeys(nonrelevant, 0)}}
    results = {"1": {letter: float(-place) for place, letter in enumerate(ranking)}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"bpref"}).evaluate(results)
    assert theirs["1"]["bpref"] == pytest.approx(trec)


def test_only_the_first_r_nonrelevant_ones_count():
    # R = 1, N = 3: n is capped at 1, so (1 - 1/1) / 1 = 0 and never below.
    judgements = gold(supporting="a", nonrelevant="xyz")
    assert bpref.bpref(bpref.count(judge(run("xyza"), judgements))) == 0


def test_depth_and_cutoff_are_settings():
    # Row 3 is the only evidentiary one, R = 2: seen at depth 3, not at 2; x above: (1 - 1/2) / 2.
    judged = judge(run("xua"), gold(refuting="ab", nonrelevant="x"))
    assert bpref.bpref(bpref.count(judged, depth=2)) == 0
    assert bpref.bpref(bpref.count(judged, depth=3)) == 0.25
    assert recall.recall(recall.count(judged, cutoff=2)) == 0
    assert recall.recall(recall.count(judged, cutoff=3)) == 0.5


def test_defaults_are_the_editions():
    # 14 unjudged rows, the evidentiary one at each place in turn.
    judgements = gold(supporting="a")
    rows = "bcdefghijklmn"
    runs = [judge(run(rows[:k] + "a" + rows[k:]), judgements) for k in range(14)]
    assert sum(int(recall.count(judged).hits[0]) for judged in runs) == edition.score_cutoff()
    assert sum(int(bpref.count(judged).preferred[0]) for judged in runs) == edition.BPREF_DEPTH


def test_no_gold_and_no_rows():
    judged = judge(run(""), gold())
    assert np.isnan(recall.recall(recall.count(judged)))
    assert np.isnan(bpref.bpref(bpref.count(judged)))
    judged = judge(run("ab"), gold())
    assert judged.gold_label.tolist() == [-1, -1]


def bpref_by_loops(case: Case, claim: int, depth: int) -> float:
    evidentiary = [edition.LABELS.index(label) for label in edition.EVIDENTIARY_LABELS]
    of_claim = [(a, label) for c, a, label in pairs_of(case.gold).tolist() if c == claim]
    relevant = {a for a, label in of_claim if label in evidentiary}
    nonrelevant = {a for a, label in of_claim if label not in evidentiary}
    if not relevant:
        return float("nan")
    total, seen = 0.0, []
    rows = [a for c, a, position, _ in rows_of(case.run).tolist() if c == claim]
    for abstract in rows[:depth]:
        if abstract in nonrelevant and len(seen) < len(relevant):
            seen.append(abstract)
        if abstract in relevant:
            total += 1 - len(seen) / len(relevant)
    return total / len(relevant)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    rng = np.random.default_rng(20260115)
    return [random_case(rng, claims=CLAIMS) for _ in range(CASES)]


def test_bpref_against_loops(cases):
    for case in cases:
        judged = judge(case.run, case.gold)
        for depth in (5, 10):
            ours = bpref.per_claim(bpref.count(judged, depth=depth))
            loops = [bpref_by_loops(case, claim, depth) for claim in range(case.claims)]
            np.testing.assert_allclose(ours, loops, rtol=0, atol=1e-12)


def test_recall_and_bpref_against_pytrec_eval(cases):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    compared = fewer = 0
    for case in cases:
        judged = judge(case.run, case.gold)
        evidentiary = [label in edition.EVIDENTIARY_LABELS for label in edition.LABELS]
        qrels: dict[str, dict[str, int]] = {}
        for claim, abstract, label in pairs_of(case.gold).tolist():
            qrels.setdefault(str(claim), {})[str(abstract)] = int(evidentiary[label])
        results: dict[str, dict[str, float]] = {}
        for claim, abstract, position, _ in rows_of(case.run).tolist():
            results.setdefault(str(claim), {})[str(abstract)] = -float(position)
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {"recall.2,5", "bpref"}).evaluate(results)
        ours = {
            "recall_2": recall.per_claim(recall.count(judged, cutoff=2)),
            "recall_5": recall.per_claim(recall.count(judged, cutoff=5)),
            "bpref": bpref.per_claim(bpref.count(judged, depth=ALL_ROWS)),
        }
        for claim, values in theirs.items():
            relevant, nonrelevant = (
                of_claim[int(claim)] for of_claim in (judged.relevant_of, judged.nonrelevant_of)
            )
            if relevant == 0:
                continue
            for name in ("recall_2", "recall_5"):
                assert ours[name][int(claim)] == pytest.approx(values[name], abs=1e-9)
            if nonrelevant >= relevant or nonrelevant == 0:
                assert ours["bpref"][int(claim)] == pytest.approx(values["bpref"], abs=1e-9)
                compared += 1
            else:
                # min(R, N) < R: each non-relevant one above weighs more there than here.
                assert ours["bpref"][int(claim)] >= values["bpref"] - 1e-9
                fewer += 1
    assert compared > 1000
    assert fewer > 300


def test_a_large_run_is_judged_without_loops_over_claims():
    # 40,000 claims, 10 rows each, the first five of them evidentiary and all that there is.
    claims, rows = 40_000, 10
    claim = np.repeat(np.arange(claims), rows)
    abstract = np.tile(np.arange(rows), claims)
    table = np.column_stack([claim, abstract, abstract, np.zeros_like(claim)])
    evidentiary = table[abstract < 5][:, [0, 1, 3]]
    narratives = random_narratives(np.random.default_rng(0), 3, 1.0)
    judged = judge(run_of(table), gold_of(claims, evidentiary, narratives))
    assert recall.recall(recall.count(judged, cutoff=2)) == pytest.approx(2 / 5)
    assert bpref.bpref(bpref.count(judged)) == 1
