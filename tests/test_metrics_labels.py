"""Verification and narratives against scikit-learn, hierarchical scores against sets of nodes."""

import numpy as np
import pytest

from climatecheck import edition, taxonomy
from climatecheck.metrics import hierarchical, narratives, verification
from climatecheck.metrics.example import gold, narrative_gold, run
from climatecheck.metrics.example import narratives as predicted
from climatecheck.metrics.judgements import judge
from tests.random_runs import Case, pairs_of, random_case, rows_of

CASES = 1000
CODES = taxonomy.CODES


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    rng = np.random.default_rng(20260218)
    return [random_case(rng) for _ in range(CASES)]


def sklearn_prf(truth, guess, **options):
    metrics = pytest.importorskip("sklearn.metrics")
    found = metrics.precision_recall_fscore_support(truth, guess, zero_division=0, **options)
    return found[:3]


def test_verification_against_sklearn(cases):
    compared = 0
    for case in cases:
        judged = judge(case.run, case.gold)
        ours = verification.weighted(verification.count(judged))
        label_of = {(c, a): label for c, a, label in pairs_of(case.gold).tolist()}
        pairs = [
            (label_of[c, a], label)
            for c, a, position, label in rows_of(case.run).tolist()
            if position <= edition.VERIFICATION_DEPTH and (c, a) in label_of
        ]
        if not pairs:
            assert ours == (0, 0, 0)
            continue
        truth, guess = zip(*pairs, strict=True)
        theirs = sklearn_prf(truth, guess, average="weighted")
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
        compared += 1
    assert compared > 0.9 * CASES


def test_verification_confusion_by_hand():
    # Rows: gold S predicted S; unjudged; gold R predicted N; gold N predicted R, below depth 3.
    judged = judge(run("aubx", labels="SSNR"), gold("a", "b", "x"))
    assert verification.count(judged, depth=3).tolist() == [[[1, 0, 0], [0, 0, 1], [0, 0, 0]]]
    assert verification.count(judged).sum() == 3


def test_no_judged_pair_is_0():
    counts = verification.count(judge(run("uv", labels="SR"), gold(supporting="a")))
    assert verification.weighted(counts) == (0, 0, 0)
    assert verification.weighted(counts, np.ones((4, 1))).f1.tolist() == [0, 0, 0, 0]


def matrices(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """The indicator matrices of the evaluated claims, gold and predicted."""
    evaluated = case.gold.narratives.claim
    guess = case.narratives.dense(case.claims)[evaluated]
    return case.gold.narratives.codes, guess


def test_narratives_against_sklearn(cases):
    for case in cases:
        counts = narratives.count(case.narratives, case.gold)
        truth, guess = matrices(case)
        label_sets = {
            "gold": truth.any(axis=0),
            "gold_or_predicted": truth.any(axis=0) | guess.any(axis=0),
            "all": np.ones(len(CODES), dtype=bool),
        }
        for name, chosen in label_sets.items():
            labels = np.flatnonzero(chosen)
            theirs = sklearn_prf(truth, guess, average="macro", labels=labels)
            ours = narratives.macro(counts, labels=name)
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
        theirs = sklearn_prf(truth, guess, average="micro")
        np.testing.assert_allclose(narratives.micro(counts), theirs, rtol=0, atol=1e-12)
        theirs = sklearn_prf(truth, guess, average="weighted")
        np.testing.assert_allclose(narratives.weighted(counts), theirs, rtol=0, atol=1e-12)
        assert counts.exact.sum() == (truth == guess).all(axis=1).sum()


def test_macro_label_set_is_formed_anew_in_each_resample():
    # Claim 1: gold 1_1, found; claim 2: gold 2_1, missed.
    counts = narratives.count(predicted("1_1", "3_1"), narrative_gold("1_1", "2_1"))
    weights = np.array([[1, 1], [2, 0], [0, 2], [0, 0]])
    # Over {1_1, 2_1}: (1 + 0) / 2; over {1_1}: 1; over {2_1}: 0; over no code: 0.
    assert narratives.macro(counts, weights).f1.tolist() == [0.5, 1.0, 0.0, 0.0]
    # With predicted codes: (1 + 0 + 0) / 3, 1, (0 + 0) / 2, 0.
    values = narratives.macro(counts, weights, labels="gold_or_predicted").f1
    np.testing.assert_allclose(values, [1 / 3, 1, 0, 0])


def test_claims_without_narrative_gold_play_no_part(cases):
    for case in cases[:100]:
        counts = narratives.count(case.narratives, case.gold)
        outside = np.setdiff1d(np.arange(case.claims), case.gold.narratives.claim)
        assert not (counts.tp | counts.fp | counts.fn)[outside].any()
        assert not counts.evaluated[outside].any()


def test_hierarchical_against_sets(cases):
    for case in cases[:400]:
        truth, guess = matrices(case)
        flat = narratives.count(case.narratives, case.gold)
        for left_out, count in (
            (set(), hierarchical.count),
            ({"0"}, hierarchical.count_narratives),
        ):
            common = predicted_nodes = gold_nodes = 0
            for gold_row, guess_row in zip(truth, guess, strict=True):
                t, c = (nodes(row) - left_out for row in (gold_row, guess_row))
                common += len(t & c)
                predicted_nodes += len(c)
                gold_nodes += len(t)
            precision = common / predicted_nodes if predicted_nodes else 0
            recall = common / gold_nodes if gold_nodes else 0
            f1 = 2 * precision * recall / (precision + recall) if common else 0
            ours = hierarchical.micro(count(flat))
            np.testing.assert_allclose(ours, (precision, recall, f1), rtol=0, atol=1e-12)


def nodes(row: np.ndarray) -> set[str]:
    """A code's group, and the code itself unless it ends in _0: spelt out, not the package's."""
    codes = [CODES[place] for place in np.flatnonzero(row)]
    return {code[0] for code in codes} | {code for code in codes if not code.endswith("_0")}


def test_counts_by_claim_are_small():
    claims = 100_000
    codes = np.zeros((claims, len(CODES)), dtype=bool)
    counts = narratives.NarrativeCounts(codes, codes, codes, codes[:, 0])
    made = narratives.count(predicted("1_1"), narrative_gold("1_1"))
    assert {part.dtype for part in (made.tp, made.fp, made.fn)} == {np.dtype(bool)}
    assert sum(part.nbytes for part in (counts.tp, counts.fp, counts.fn)) < 10_000_000
    assert narratives.macro(counts).f1 == 0
