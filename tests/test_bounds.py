"""Bounds over judgements against enumeration of all 3**u ways to judge u unjudged abstracts."""

from itertools import product

import numpy as np
import pytest

from climatecheck import edition
from climatecheck.metrics import bpref, recall
from climatecheck.metrics.judgements import judge
from organiser.analysis.inference import bounds
from organiser.analysis.inference.judging_bounds import claim_ranges, mean_range
from organiser.analysis.inference.shared_judging import JOINTLY, greatest_lead
from organiser.analysis.inference.synthetic import Skill, evaluation
from organiser.analysis.inference.unjudged import rankings, values
from tests.random_runs import gold_of, pairs_of, random_narratives, run_of

TINY = 1e-9
SUPPORTS, NEI = 0, 2
NARRATIVES = random_narratives(np.random.default_rng(0), 2, 1.0)


def case(rng, *, claims, systems, abstracts, unjudged, depth=8):
    """Gold and runs in which each claim's pool holds at most ``unjudged`` abstracts."""
    judged, rows = [], [[] for _ in range(systems)]
    for claim in range(claims):
        known = rng.choice(abstracts, size=abstracts - rng.integers(0, unjudged + 1), replace=False)
        labels = rng.choice([SUPPORTS, NEI], size=len(known), p=[0.4, 0.6])
        judged += [[claim, a, label] for a, label in zip(known, labels, strict=True)]
        for of_system in rows:
            size = rng.integers(0, min(depth, abstracts) + 1)
            found = rng.choice(abstracts, size=size, replace=False)
            of_system += [[claim, a, rank, SUPPORTS] for rank, a in enumerate(found)]
    gold = gold_of(claims, np.array(judged, dtype=np.int64).reshape(-1, 3), NARRATIVES)
    return gold, [run_of(np.array(r, dtype=np.int64).reshape(-1, 4)) for r in rows]


def pool_of(gold, runs):
    judged = set(map(tuple, pairs_of(gold)[:, :2].tolist()))
    ranked = {(c, a) for run in runs for c, a in zip(run.claim, run.abstract, strict=True)}
    return sorted((int(c), int(a)) for c, a in ranked - judged)


def all_judgings(gold, runs):
    """Yield (systems, claims) Recall@5 and Bpref under each way to judge the pool."""
    pool = pool_of(gold, runs)
    for labels in product((SUPPORTS, NEI, None), repeat=len(pool)):
        new = [[*pair, x] for pair, x in zip(pool, labels, strict=True) if x is not None]
        pairs = np.concatenate([pairs_of(gold), np.array(new, dtype=np.int64).reshape(-1, 3)])
        judged = [judge(run, gold_of(len(gold.claims), pairs, NARRATIVES)) for run in runs]
        yield (
            np.array([recall.per_claim(recall.count(j)) for j in judged]),
            np.array([bpref.per_claim(bpref.count(j)) for j in judged]),
        )


def extremes(found):
    """Least and greatest, NaN where there is no value at all."""
    found = np.array(found)
    return np.fmin.reduce(found), np.fmax.reduce(found)


def ranked(gold, runs):
    return rankings([judge(run, gold) for run in runs])


def test_values_are_those_of_the_metrics():
    rng = np.random.default_rng(1)
    for _ in range(30):
        gold, runs = case(rng, claims=2, systems=2, abstracts=12, unjudged=5, depth=12)
        made = ranked(gold, runs)
        found = values(made.state, made.relevant)
        judged = [judge(run, gold) for run in runs]
        expected = (
            np.array([recall.per_claim(recall.count(j)) for j in judged]),
            np.array([bpref.per_claim(bpref.count(j)) for j in judged]),
        )
        np.testing.assert_allclose(found, expected, atol=TINY)


@pytest.mark.parametrize("seed", range(30))
def test_claim_ranges_against_enumeration(seed):
    rng = np.random.default_rng(seed)
    gold, runs = case(rng, claims=1, systems=3, abstracts=9, unjudged=5)
    found = claim_ranges(ranked(gold, runs))
    judgings = list(all_judgings(gold, runs))
    recalls, prefs = (np.array(part) for part in zip(*judgings, strict=True))
    for range_, enumerated in (
        (found.recall, recalls),
        (found.bpref, prefs),
        (found.score, (recalls + prefs) / 2),
    ):
        np.testing.assert_allclose(range_, extremes(enumerated), atol=TINY)


@pytest.mark.parametrize("seed", range(8))
def test_ranges_of_means_and_leads_against_enumeration(seed):
    # Two claims; a claim without evidentiary abstract counts only once judging finds one.
    rng = np.random.default_rng(100 + seed)
    gold, runs = case(rng, claims=2, systems=2, abstracts=6, unjudged=3, depth=6)
    made = ranked(gold, runs)
    found = bounds.mean_ranges(claim_ranges(made), made.relevant > 0)
    leads = bounds.all_leads(made)
    means = [[], [], []]
    for recalls, prefs in all_judgings(gold, runs):
        counts = ~np.isnan(recalls[0])
        if counts.any():
            for mean, part in zip(means, (recalls, prefs, (recalls + prefs) / 2), strict=True):
                mean.append(part[:, counts].mean(axis=1))
    for range_, enumerated in zip((found.recall, found.bpref, found.score), means, strict=True):
        np.testing.assert_allclose(np.array(range_).T, extremes(enumerated), atol=TINY)
    scores = np.array(means[2])
    lead = (scores[:, 0] - scores[:, 1]).max(), (scores[:, 1] - scores[:, 0]).max()
    assert leads.exact.all()
    np.testing.assert_allclose((leads.greatest[0, 1], leads.greatest[1, 0]), lead, atol=TINY)
    surely = [(scores[:, i] - scores[:, 1 - i] > TINY).all() for i in (0, 1)]
    assert [leads.surely_ahead[0, 1], leads.surely_ahead[1, 0]] == surely


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("jointly", [0, 2, JOINTLY])
def test_leads_against_enumeration(seed, jointly):
    # Exact where so many common abstracts are judged jointly; else an outer bound.
    rng = np.random.default_rng(1000 + seed)
    gold, runs = case(rng, claims=1, systems=3, abstracts=9, unjudged=5)
    made = ranked(gold, runs)
    judgings = [(r + p) / 2 for r, p in all_judgings(gold, runs)]
    for a, b in ((0, 1), (1, 0), (2, 1)):
        lead, exact = greatest_lead(made, a, b, jointly=jointly)
        _, truth = extremes([scores[a] - scores[b] for scores in judgings])
        assert (np.isnan(lead) == np.isnan(truth)).all()
        if exact.all():
            np.testing.assert_allclose(lead, truth, atol=TINY)
        elif not np.isnan(truth).any():
            assert (lead >= truth - TINY).all()


def test_some_leads_are_exact_and_some_are_not():
    rng = np.random.default_rng(3)
    exact = []
    for _ in range(40):
        gold, runs = case(rng, claims=1, systems=2, abstracts=9, unjudged=5)
        exact.append(greatest_lead(ranked(gold, runs), 0, 1, jointly=1)[1][0])
    assert 0 < np.mean(exact) < 1


def test_by_hand():
    # Gold: a Supports, x NEI. One run ranks x u a, another a u; u is unjudged.
    # First run, R = 1: Recall 1/1; Bpref (1 - 1/1) / 1 = 0.
    #   u evidentiary: R = 2, Recall 2/2, Bpref ((1 - 1/2) + (1 - 1/2)) / 2 = .5
    #   u NEI: n = min(2, 1) = 1, Bpref 0.
    # Second run: Recall 1, Bpref 1 whatever u is: ((1 - 0) + (1 - 0)) / 2 = 1.
    gold = gold_of(1, np.array([[0, 1, SUPPORTS], [0, 2, NEI]]), NARRATIVES)
    first = run_of(np.array([[0, 2, 0, 0], [0, 3, 1, 0], [0, 1, 2, 0]]))
    second = run_of(np.array([[0, 1, 0, 0], [0, 3, 1, 0]]))
    made = ranked(gold, [first, second])
    assert made.pool.tolist() == [1]
    found = claim_ranges(made)
    assert found.bpref[0].tolist() == [[0.0], [1.0]]
    assert found.bpref[1].tolist() == [[0.5], [1.0]]
    # Score: .5 to .75, and 1: the second one is ahead by .25 to .5.
    assert greatest_lead(made, 0, 1)[0].tolist() == [-0.25]
    assert greatest_lead(made, 1, 0)[0].tolist() == [0.5]
    assert bounds.all_leads(made).surely_ahead.tolist() == [[False, False], [True, False]]


def test_mean_range_of_claims_that_may_count():
    # Of a fixed claim with 0.5 and optional ones with at most 0.9 and 0.1: (.5 + .9) / 2 at most;
    # at least (.5 + .1 + .0) / 3.
    least, greatest = np.array([0.5, 0.0, 0.1]), np.array([0.5, 0.9, 0.1])
    always = np.array([True, False, False])
    assert mean_range(least, greatest, always) == pytest.approx((0.2, 0.7))


def test_rows_below_the_depth_are_no_part_of_the_pool():
    gold = gold_of(1, np.array([[0, 0, SUPPORTS]]), NARRATIVES)
    rows = [[0, abstract, abstract, 0] for abstract in range(edition.depth() + 3)]
    assert ranked(gold, [run_of(np.array(rows))]).pool.tolist() == [edition.depth() - 1]


def test_equal_rankings_stay_equal():
    made = evaluation(4, [Skill(family=1, likeness=1.0)] * 2, claims=30)
    leads = bounds.all_leads(rankings([system.scores.judged for system in made.systems]))
    assert leads.greatest.tolist() == [[0, 0], [0, 0]]
    assert leads.exact.all()


def test_section():
    made = evaluation(6, [Skill(), Skill(2.5), Skill(0.1)], claims=40)
    found = bounds.section(made)
    systems, _, pairs = found.parts
    for table in (systems, pairs, *bounds.claim_tables(made)):
        assert {len(row) for row in table.rows} == {len(table.columns)}
    for row in systems.rows:
        for value, (low, high) in zip(row[2::2], row[3::2], strict=True):
            assert low - TINY <= value <= high + TINY
    said = set()
    for _, _, difference, (low, high), can, kind in pairs.rows:
        assert low - TINY <= difference <= high + TINY
        assert can == "no" if low >= 0 else can in ("yes", "not excluded")
        assert can != "not excluded" or kind == "outer bound"
        said.add(can)
    assert "not excluded" in said
    assert len(bounds.section(evaluation(6, [Skill()], claims=9)).parts) == 2
    assert bounds.claim_tables(evaluation(6, [], claims=9)) == ()


@pytest.mark.parametrize(
    ("least", "exact", "said"),
    [
        (-0.1, True, "yes"),
        (-0.1, False, "not excluded"),  # the bound is not reached, so perhaps nor is a change
        (0.1, True, "no"),
        (0.1, False, "no"),  # the true least lead is at least the bound
        (-1e-12, True, "no"),  # a tie but for rounding
    ],
)
def test_that_two_can_change_places_is_said_where_it_is_reached(least, exact, said):
    assert bounds._can_change(least, exact=exact) == said
