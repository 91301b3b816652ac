"""Every figure of the results page against an independent computation."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn import metrics as sk

from climatecheck import edition, taxonomy
from climatecheck.board import Facts
from climatecheck.bootstrap import board_intervals
from climatecheck.results.official import EXPLAINED
from climatecheck.scoring import score
from climatecheck.tables import Submission, Task2
from tests.results_case import CASE, FACTS, HTML, PAGE, ROWS, Page, Published, html_of

LAST = 10
GOLD_CODES = CASE.gold.narratives.dense(CASE.claims)
FILE_CODES = CASE.narratives.dense(CASE.claims)


def gold_labels() -> dict[tuple[int, int], int]:
    gold = CASE.gold
    pairs = zip(gold.claim.tolist(), gold.abstract.tolist(), strict=True)
    return dict(zip(pairs, gold.label.tolist(), strict=True))


def ranked() -> dict[int, list[tuple[int, int]]]:
    """Abstract and label of each claim's rows, best first."""
    run, made = CASE.run, {}
    order = np.lexsort((run.position, run.claim))
    for row in order.tolist():
        made.setdefault(int(run.claim[row]), []).append((int(run.abstract[row]), run.label[row]))
    return made


def test_official_scores_stand_beside_their_intervals():
    scores = score(CASE.submission(), CASE.gold)
    intervals = board_intervals(scores.counts)
    shown = PAGE.table("Official scores of task 1") | PAGE.table("Official scores of task 2")
    for key, (title, _) in EXPLAINED.items():
        low, high = intervals[key]
        assert shown[title][0].split(" | ")[0] == f"{scores.board[key]:.3f}", key
        assert shown[title][1] == f"{low:.2f}–{high:.2f}", key  # noqa: RUF001
        assert low < scores.board[key] < high


def test_the_attainable_maximum_stands_beside_recall():
    labels = gold_labels()
    relevant = [sum(labels[claim, 100 * claim + k] < 2 for k in range(7)) for claim in range(120)]
    for cutoff in (2, 5):
        most = np.mean([min(cutoff, number) / number for number in relevant if number])
        shown = PAGE.table("Official scores of task 1")[f"Recall@{cutoff}"][0]
        assert shown.endswith(f" | at most {most:.3f}")


def test_every_score_is_explained_once():
    for title, how in EXPLAINED.values():
        assert f"<dt>{title}</dt>" in HTML
        assert how.replace("'", "&#x27;") in HTML


def tens(number: int) -> int:
    return 10 * int(number / 10 + 0.5)


def percent(share: float) -> str:
    return f"{min(100, round(100 * share))}\u00a0%"


def test_coverage_counts_claims_and_judged_pairs():
    labels, shown = gold_labels(), PAGE.table("What the file answers")
    answered = int(FILE_CODES.any(axis=1).sum())
    assert shown["Task 1: claims answered"] == ["120", "120", "100\u00a0%"]
    assert shown["Task 2: claims answered"] == [str(answered), "120", percent(answered / 120)]
    pairs = [(claim, abstract) for claim, rows in ranked().items() for abstract, _ in rows[:LAST]]
    known = tens(sum(pair in labels for pair in pairs))
    row = shown["Retrieved pairs that are judged, first 10 rows"]
    assert row == [f"about\u00a0{known}", f"{ROWS * 120:,}", percent(known / (ROWS * 120))]


def test_bpref_at_both_depths():
    labels, shown = gold_labels(), PAGE.table("Bpref by how many rows")
    for depth in (5, 10):
        values = []
        for claim, rows in ranked().items():
            relevant = sum(labels[claim, 100 * claim + k] < 2 for k in range(7))
            above, total = 0, 0.0
            for abstract, _ in rows[:depth]:
                label = labels.get((claim, abstract))
                if label == 2:
                    above += 1
                elif label is not None:
                    total += 1 - min(above, relevant) / relevant
            if relevant:
                values.append(total / relevant)
        assert shown[f"Bpref@{depth}"] == [f"{np.mean(values):.3f}"]
    assert shown["Bpref@5"] != shown["Bpref@10"]


def test_the_confusion_matrix_is_that_of_scikit_learn():
    labels = gold_labels()
    pairs = [
        (labels[claim, abstract], label)
        for claim, rows in ranked().items()
        for abstract, label in rows[:LAST]
        if (claim, abstract) in labels
    ]
    gold, predicted = zip(*pairs, strict=True)
    counts = sk.confusion_matrix(gold, predicted, labels=[0, 1, 2])
    shown = PAGE.table("Confusion matrix")
    for row, name in enumerate(edition.LABELS):
        total = tens(counts[row].sum())
        cells = [f"{percent(tens(n) / total)} | about\u00a0{tens(n)}" for n in counts[row]]
        assert shown[name] == [*cells, f"about\u00a0{total}"]


def test_a_small_cell_of_the_matrix_is_not_told_from_an_empty_one():
    run = replace(CASE.run, label=CASE.run.label.copy())
    labels = gold_labels()
    truth = [
        labels.get(pair, -1) for pair in zip(run.claim.tolist(), run.abstract.tolist(), strict=True)
    ]
    run.label[:] = np.where(np.array(truth) >= 0, truth, 0)
    pages = []
    for wrong in (0, 9):
        chosen = np.flatnonzero(np.array(truth) == 2)[:wrong]
        run.label[chosen] = 0
        submission = Submission(CASE.gold.claims, run, None, ())
        pages.append(Page(html_of(submission, CASE.gold)).table("Confusion matrix"))
    none, nine = pages
    assert none["Not Enough Information"][:2] == nine["Not Enough Information"][:2]
    assert set(none["Not Enough Information"][:2]) == {"under\u00a010"}


def decisions(codes: list[str]) -> list[str]:
    """The cells of a line over these codes, of scikit-learn."""
    places = [taxonomy.CODES.index(code) for code in codes]
    gold, predicted = (m[:, places].ravel() for m in (GOLD_CODES, FILE_CODES))
    values = sk.precision_recall_fscore_support(gold, predicted, average="binary")[:3]
    return [str(tens(gold.sum())), str(predicted.sum()), *(f"{value:.2f}" for value in values)]


def codes_of(*groups: str) -> list[str]:
    return [code for code in taxonomy.CODES if taxonomy.group_of(code) in groups]


def test_narratives_by_group_and_code_are_those_of_scikit_learn():
    shown = PAGE.table("Narrative groups and codes")
    heads = {head.split(" ")[0]: cells for head, cells in shown.items()}
    # Group 2 is 2_1 alone. Groups 3 and 4 are small and pooled; group 5 is never named.
    assert list(heads) == ["0", "1", "1_1", "1_4", "2", "Other"]
    for name in ("0", "1", "2"):
        assert heads[name] == decisions(codes_of(name))
    for name in ("1_1", "1_4"):
        assert heads[name] == decisions([name])
    assert shown["Other groups, pooled"] == decisions(codes_of("3", "4"))


def test_macro_f1_over_the_three_label_sets_is_that_of_scikit_learn():
    shown = PAGE.table("Macro-F1 by the codes")
    evaluated = GOLD_CODES.any(axis=1)
    gold, predicted = GOLD_CODES[evaluated], FILE_CODES[evaluated]
    sets = {
        "Codes that occur in the gold (official)": gold.any(axis=0),
        "Codes that occur in the gold or in the file": (gold | predicted).any(axis=0),
        "All 33 codes": np.ones(33, dtype=np.bool_),
    }
    assert len({codes.sum() for codes in sets.values()}) == 3
    for name, codes in sets.items():
        value = sk.f1_score(gold[:, codes], predicted[:, codes], average="macro", zero_division=0)
        assert shown[name] == [f"{value:.3f}"]


def test_hierarchical_scores_with_and_without_0_0():
    shown = PAGE.table("Hierarchical scores")
    for name, left_out in (("All codes", set()), ("Without 0_0", {"0"})):
        sure = by_group = predicted = gold = 0
        for truth, guess in zip(GOLD_CODES, FILE_CODES, strict=True):
            wanted, found = (nodes(row) - left_out for row in (truth, guess))
            right = nodes(truth & guess) - left_out
            sure += len(right)
            by_group += len(wanted & found - right)
            predicted += len(found)
            gold += len(wanted)
        assert by_group >= 10
        common = sure + tens(by_group)
        f1 = 2 * common / (predicted + gold)
        expected = [common / predicted, common / gold, f1]
        assert shown[name] == [f"{value:.2f}" for value in expected]


def test_a_few_right_groups_are_not_told_from_none():
    codes = GOLD_CODES.copy()
    one, other = (taxonomy.CODES.index(code) for code in ("1_1", "1_4"))
    alone = np.flatnonzero(codes[:, one] & (codes.sum(axis=1) == 1))
    pages = []
    for wrong in (0, 5, 9):
        said = codes.copy()
        said[alone[:9], one] = False
        said[alone[:wrong], other] = True
        said[alone[wrong:9], taxonomy.CODES.index("5_1")] = True
        file = Task2(np.arange(120), said)
        pages.append(Page(html_of(replace(CASE.submission(), task2=file), CASE.gold)))
    shown = [
        [cells[1] for cells in page.table("Hierarchical scores").values()] for page in pages
    ]  # recall: precision and F1 move with the file's own nodes
    assert shown[0] == shown[1] == shown[2]
    assert not any("Right group, wrong code" in page.html for page in pages)


def nodes(row: np.ndarray) -> set[str]:
    made = set()
    for code in np.array(taxonomy.CODES)[row]:
        made |= {code[0]} if code.endswith("_0") else {code[0], str(code)}
    return made


def outcome_cells(numbers: list[int]) -> list[str]:
    rounded = [tens(number) for number in numbers]
    return [f"{percent(n / sum(rounded))} | about\u00a0{n}" for n in rounded]


def test_shares_of_outcomes():
    shown = PAGE.table("What became of the claims")
    codes = np.array(taxonomy.CODES)
    pairs = [
        (set(codes[truth]), set(codes[guess]))
        for truth, guess in zip(GOLD_CODES, FILE_CODES, strict=True)
    ]
    groups = [({g[0] for g in gold}, {p[0] for p in predicted}) for gold, predicted in pairs]
    exact = sum(gold == predicted for gold, predicted in pairs)
    right = sum(gold == predicted for gold, predicted in groups) - exact
    wrong = 120 - exact - right
    few = sum(len(predicted) < len(gold) for gold, predicted in pairs)
    many = sum(len(predicted) > len(gold) for gold, predicted in pairs)
    counted = [exact, right, wrong, 120 - few - many, few, many]
    assert min(counted) >= 10
    shares = {name: cells[-1] for name, cells in shown.items()}
    assert list(shares.items()) == [
        *zip(
            ("Exact match", "Right group, wrong code", "Wrong group"),
            outcome_cells(counted[:3]),
            strict=True,
        ),
        *zip(
            ("As many codes", "Too few codes", "Too many codes"),
            outcome_cells(counted[3:]),
            strict=True,
        ),
    ]


# --- the published baseline -------------------------------------------------------------------


def test_the_baseline_stands_only_where_its_definition_is_ours():
    facts = Published("test", "A test", "")
    page = Page(html_of(CASE.submission(), CASE.gold, facts=facts))
    shown = page.table("Official scores of task 1") | page.table("Official scores of task 2")
    figures = {title: cells[-1] for title, cells in shown.items() if cells[-1] != "–"}  # noqa: RUF001
    assert figures == {
        "Recall@2": "0.213",
        "Recall@5": "0.403",
        "Micro-F1": "0.798",
        "Weighted F1 (narratives)": "0.784",
    }
    assert "does not say how many rows" in page.html
    assert "does not say over which codes" in page.html


@pytest.mark.parametrize("facts", [FACTS, Published(published=""), Published(published="../x")])
def test_without_published_gold_there_is_no_baseline(facts: Facts):
    page = html_of(CASE.submission(), CASE.gold, facts=facts)
    assert "aseline" not in page
