"""Every figure of the results page against an independent computation."""

import numpy as np
import pytest
from sklearn import metrics as sk

from climatecheck import edition, taxonomy
from climatecheck.board import Facts
from climatecheck.bootstrap import board_intervals
from climatecheck.results.official import EXPLAINED
from climatecheck.scoring import score
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
        assert shown[title][1] == f"{low:.3f}–{high:.3f}", key  # noqa: RUF001
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


def test_coverage_counts_claims_and_judged_pairs_at_both_depths():
    labels, shown = gold_labels(), PAGE.table("What the file answers")
    answered = int(FILE_CODES.any(axis=1).sum())
    assert shown["Task 1: claims answered"] == ["120", "120", "100.0\u00a0%"]
    assert shown["Task 2: claims answered"][:2] == [str(answered), "120"]
    for depth, total in ((5, 5 * 120), (10, ROWS * 120)):
        pairs = [
            (claim, abstract) for claim, rows in ranked().items() for abstract, _ in rows[:depth]
        ]
        known = sum(pair in labels for pair in pairs)
        row = shown[f"Retrieved pairs that are judged, first {depth} rows"]
        assert row == [f"{known:,}", f"{total:,}", f"{100 * known / total:.1f}\u00a0%"]


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
    shares = sk.confusion_matrix(gold, predicted, labels=[0, 1, 2], normalize="true")
    shown = PAGE.table("Confusion matrix")
    for row, name in enumerate(edition.LABELS):
        cells = [
            f"{n:,} | {100 * s:.1f}\u00a0%" for n, s in zip(counts[row], shares[row], strict=True)
        ]
        assert shown[name] == [*cells, str(counts[row].sum())]


def test_narratives_by_group_and_code_are_those_of_scikit_learn():
    shown = PAGE.table("Claims that bear a narrative group or code")
    groups = np.array([taxonomy.group_of(code) for code in taxonomy.CODES])
    checked = 0
    for head, cells in shown.items():
        name = head.split(" ")[0]
        if name in taxonomy.GROUPS:
            gold, predicted = (m[:, groups == name].any(axis=1) for m in (GOLD_CODES, FILE_CODES))
        elif name in taxonomy.NARRATIVES:
            place = taxonomy.CODES.index(name)
            gold, predicted = GOLD_CODES[:, place], FILE_CODES[:, place]
        else:
            continue
        values = sk.precision_recall_fscore_support(gold, predicted, average="binary")[:3]
        assert cells == [str(gold.sum()), str(predicted.sum()), *(f"{v:.3f}" for v in values)]
        checked += 1
    assert checked == 6
    heads = [head.split(" ")[0] for head in shown]
    assert heads == ["0", "1", "1_1", "1_4", "2", "2_1", "Other"]


def test_a_pooled_row_adds_up_the_decisions_of_its_parts():
    shown = PAGE.table("Claims that bear a narrative group or code")
    groups = np.array([taxonomy.group_of(code) for code in taxonomy.CODES])
    named = {head.split(" ")[0] for head in shown}
    pooled = [group for group in taxonomy.GROUPS if group not in named]
    assert pooled == ["3", "4", "5"]
    gold, predicted = (
        np.concatenate([m[:, groups == group].any(axis=1) for group in pooled])
        for m in (GOLD_CODES, FILE_CODES)
    )
    values = sk.precision_recall_fscore_support(gold, predicted, average="binary")[:3]
    assert shown["Other groups, pooled"] == [
        str(gold.sum()),
        str(predicted.sum()),
        *(f"{value:.3f}" for value in values),
    ]


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
        common = predicted = gold = 0
        for truth, guess in zip(GOLD_CODES, FILE_CODES, strict=True):
            wanted, found = (nodes(row) - left_out for row in (truth, guess))
            common += len(wanted & found)
            predicted += len(found)
            gold += len(wanted)
        f1 = 2 * common / (predicted + gold)
        expected = [common / predicted, common / gold, f1]
        assert shown[name] == [f"{value:.3f}" for value in expected]


def nodes(row: np.ndarray) -> set[str]:
    made = set()
    for code in np.array(taxonomy.CODES)[row]:
        made |= {code[0]} if code.endswith("_0") else {code[0], str(code)}
    return made


def test_shares_of_outcomes():
    shown = PAGE.table("Shares of the 120 claims")
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
    counted = [exact, right, wrong, few, many]
    assert [cells[-1] for cells in shown.values()] == [
        f"{100 * number / 120:.1f}\u00a0%" for number in counted
    ]
    assert f"{100 * wrong / (right + wrong):.1f}\u00a0% are in a wrong group" in HTML


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
