import numpy as np
import pytest

from climatecheck import edition, taxonomy
from climatecheck.metrics.judgements import judge
from climatecheck.metrics.narratives import NarrativeCounts
from climatecheck.privacy import POOLED, Row, all_or_none, broken_down, enough, publishable
from climatecheck.results import confusion
from climatecheck.results.evidence import bearing, depths, open_tasks
from climatecheck.results.narrative_table import lines
from climatecheck.scoring import score
from climatecheck.tables import NO_LABEL, Submission, Task2
from tests.random_runs import gold_of, run_of

FLOOR = edition.PRIVACY_FLOOR
JUNK = 9_000


def some(number: int, start: int = 0, of: int = 100) -> np.ndarray:
    """Claims ``start`` to ``start + number``."""
    place = np.arange(of)
    return (place >= start) & (place < start + number)


def names(rows: list[Row] | None) -> list[str] | None:
    return None if rows is None else [row.name for row in rows]


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ([10, 10], ["0", "1"]),
        ([10, 0, 10], ["0", "2"]),  # nothing rests on no claim
        ([10, 9], None),  # pooled, the nine are still nine
        ([20, 5, 4], None),
        ([20, 5, 5], ["0", POOLED]),
        ([9, 9], [POOLED]),
        ([], []),
    ],
)
def test_small_rows_are_pooled_and_the_table_left_out_if_that_is_not_enough(sizes, shown):
    starts = np.cumsum([0, *sizes])
    rows = [Row(str(k), some(size, starts[k])) for k, size in enumerate(sizes)]
    assert names(publishable(rows)) == shown


def test_claims_that_are_in_two_small_rows_count_once():
    rows = [Row("a", some(9)), Row("b", some(9))]
    assert publishable(rows) is None


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (0, ["a", "b"]),  # never said, so no answer is judged by the row
        (1, [POOLED]),
        (9, [POOLED]),
        (10, ["a", "b"]),
    ],
)
def test_a_row_stands_only_if_it_was_said_often_enough_too(said, shown):
    rows = [Row("a", some(30), some(30)), Row("b", some(20, 30), some(said))]
    assert names(publishable(rows)) == shown


def test_where_enough_bear_the_pool_but_too_few_were_said_to_the_smallest_rows_join_it():
    rows = [
        Row("a", some(40), some(40)),
        Row("b", some(12, 40), some(12, 40)),
        Row("c", some(6, 52), some(1, 52)),
        Row("d", some(6, 58), some(1, 58)),
    ]
    found = publishable(rows)
    assert names(found) == ["a", POOLED]
    assert found[1].parts == ("c", "d", "b")


def test_none_is_harmless_only_where_the_participant_decides():
    assert not enough(some(0))
    assert all_or_none(some(0))
    assert not all_or_none(some(1))
    assert not all_or_none(some(FLOOR - 1))
    assert all_or_none(some(FLOOR))


def test_a_part_is_not_named_if_the_rest_of_its_row_would_be_small():
    group, kept = Row("g", some(15)), Row("g_1", some(10))
    for rest, expected in ((5, {}), (10, {"g": ["g_1", "g_2"]})):
        parts = {"g": [kept, Row("g_2", some(rest, 10))]}
        found = broken_down([group], parts)
        assert {name: names(rows) for name, rows in found.items()} == expected


def test_no_part_is_named_if_all_that_is_unnamed_would_be_small():
    shown = [Row("g", some(20)), Row("h", some(30, 20))]
    parts = {
        "g": [Row("g_1", some(10)), Row("g_2", some(10, 10))],
        "h": [Row("h_1", some(30, 20))],
        "i": [Row("i_1", some(3, 50))],  # pooled in the table of groups
    }
    assert broken_down(shown, parts) == {}
    del parts["i"]
    assert list(broken_down(shown, parts)) == ["g"]


def narrative_counts(rng: np.random.Generator, claims: int = 150) -> NarrativeCounts:
    """Skewed codes, as in the real data."""
    share = rng.dirichlet(np.full(len(taxonomy.CODES), 0.25))
    gold = rng.multinomial(1, share, claims) > 0
    predicted = np.where(rng.random((claims, 1)) < 0.7, gold, rng.multinomial(1, share, claims) > 0)
    every = np.ones(claims, dtype=np.bool_)
    return NarrativeCounts(gold & predicted, predicted & ~gold, gold & ~predicted, every)


def test_no_line_and_no_difference_of_lines_rests_on_few_claims():
    rng = np.random.default_rng(4)
    seen = 0
    for _ in range(400):
        counts = narrative_counts(rng)
        found = lines(counts)
        groups = [line for line in found if not line.below]
        sizes = [(line.gold, line.predicted) for line in found]
        for at, line in enumerate(found):
            if line.below or line.name.startswith("Other"):
                continue
            beneath = []
            for code in found[at + 1 :]:
                if not code.below:
                    break
                beneath.append(code)
            seen += bool(beneath)
            if beneath:  # single labels: a group's claims are its codes' claims
                sizes.append((line.gold, line.predicted))
                sizes += [
                    (line.gold - code.gold, line.predicted - code.predicted) for code in beneath
                ]
        if found:
            assert sum(line.gold for line in groups) == 150
        for gold, predicted in sizes:
            assert gold == 0 or gold >= FLOOR
            assert predicted == 0 or predicted >= FLOOR
    assert seen > 50


def submission_of(run, codes: Task2 | None = None, claims: int = 30) -> Submission:
    gold = gold_of(claims, PAIRS, NARRATIVES)
    return Submission(gold.claims, run, codes, ())


PAIRS = np.array([[claim, 10 * claim + k, k % 3] for claim in range(30) for k in range(6)])
NARRATIVES = Task2(np.arange(30), np.eye(len(taxonomy.CODES), dtype=np.bool_)[np.arange(30) % 3])
GOLD = gold_of(30, PAIRS, NARRATIVES)


def rows(claim: int, abstracts: list[int], label: int = 0) -> list[list[int]]:
    return [[claim, abstract, rank, label] for rank, abstract in enumerate(abstracts, 1)]


def judged_rows(claim: int, number: int = 5, label: int = 0) -> list[list[int]]:
    return rows(claim, [10 * claim + k for k in range(number)], label)


def junk_rows(claim: int, number: int = 5, label: int = 0) -> list[list[int]]:
    return rows(claim, [JUNK + k for k in range(number)], label)


def test_claims_answered_with_junk_do_not_open_task_1_2():
    aimed = judged_rows(0) + [row for claim in range(1, 20) for row in junk_rows(claim)]
    scores = score(submission_of(run_of(np.array(aimed))), GOLD)
    assert bearing(scores, "1.2").sum() == 1
    assert "1.2" not in open_tasks(scores)


def test_empty_narratives_do_not_open_task_2():
    codes = np.zeros((30, len(taxonomy.CODES)), dtype=np.bool_)
    codes[:9, 0] = True
    scores = score(submission_of(None, Task2(np.arange(30), codes)), GOLD)
    assert open_tasks(scores) == ()
    codes[9, 0] = True
    assert open_tasks(score(submission_of(None, Task2(np.arange(30), codes)), GOLD)) == ("2",)


@pytest.mark.parametrize(
    ("deeper", "junk", "shown"),
    [(0, 0, (5, 10)), (1, 0, (10,)), (9, 0, (10,)), (10, 0, (5, 10)), (1, 20, (10,))],
)
def test_both_depths_are_shown_only_if_enough_claims_differ(deeper: int, junk: int, shown):
    made = []
    for claim in range(30):
        below = [10 * claim + 5] if claim < deeper else [JUNK + 50] if claim < deeper + junk else []
        made += rows(claim, [10 * claim + k for k in range(5)] + below)
    assert depths(judge(run_of(np.array(made)), GOLD)) == shown


def used(run) -> np.ndarray:
    return np.isin(np.arange(len(edition.LABELS)), run.label[run.label != NO_LABEL])


def test_a_label_used_for_one_claim_alone_would_show_its_gold():
    aimed = [row for claim in range(30) for row in judged_rows(claim)]
    plain = run_of(np.array(aimed))
    counts = score(submission_of(plain), GOLD).counts.verification
    assert confusion.publishable(counts, used(plain))
    aimed[0][3] = 1
    run = run_of(np.array(aimed))
    counts = score(submission_of(run), GOLD).counts.verification
    assert counts[0].sum() == 5
    assert not confusion.publishable(counts, used(run))


def test_a_gold_label_of_few_claims_leaves_the_matrix_out():
    aimed = [row for claim in range(30) for row in judged_rows(claim)]
    run = run_of(np.array(aimed))
    for refuted, shown in ((9, False), (10, True)):
        pairs = PAIRS.copy()
        pairs[(pairs[:, 2] == 1) & (pairs[:, 0] >= refuted), 2] = 2
        gold = gold_of(30, pairs, NARRATIVES)
        counts = score(submission_of(run), gold).counts.verification
        assert confusion.publishable(counts, used(run)) == shown
