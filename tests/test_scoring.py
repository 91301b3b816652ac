"""Whole submissions, read from files and scored: ten claims by hand (tests/golden/README.md)."""

import csv
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from climatecheck import read_gold, read_submission, score
from climatecheck.leaderboard import board_columns, task_columns
from climatecheck.metrics import hierarchical, narratives, recall
from climatecheck.problem_table import LABEL
from climatecheck.problems import Collector
from climatecheck.scoring import Scores
from climatecheck.tables import Claims, Gold

GOLDEN = Path(__file__).parent / "golden"
EXPECTED = json.loads((GOLDEN / "expected.json").read_text())


@pytest.fixture(scope="module")
def gold() -> Gold:
    return read_gold(GOLDEN)


@pytest.fixture(scope="module")
def scores(gold) -> Scores:
    return scored(GOLDEN / "predictions.csv", gold)


def scored(file: Path, gold: Gold) -> Scores:
    submission = read_submission(file, gold.claims)
    assert submission.valid, [problem.message for problem in submission.problems]
    return score(submission, gold)


def golden_rows() -> list[dict[str, str]]:
    with (GOLDEN / "predictions.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def written(path: Path, rows: list[dict[str, str]], columns: list[str]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_golden_board(scores):
    assert tuple(scores.board) == board_columns()
    assert scores.board == pytest.approx(EXPECTED["board"], abs=1e-11)
    assert {type(value) for value in scores.board.values()} == {float}
    assert scores.tasks == ("1.1", "1.2", "2")


def test_golden_values_that_are_never_ranked(scores):
    expected, counts = EXPECTED["never_ranked"], scores.counts
    nodes = hierarchical.micro(hierarchical.count(counts.narratives))
    without = hierarchical.micro(hierarchical.count_narratives(counts.narratives))
    found = {
        "narrative_f1_macro_gold_or_predicted": narratives.macro(
            counts.narratives, labels="gold_or_predicted"
        ).f1,
        "narrative_f1_macro_all": narratives.macro(counts.narratives, labels="all").f1,
        "hierarchical_precision": nodes.precision,
        "hierarchical_recall": nodes.recall,
        "hierarchical_f1": nodes.f1,
        "hierarchical_f1_without_0_0": without.f1,
        "attainable_recall_at_2": recall.attainable(counts.retrieval.recall[2]),
        "attainable_recall_at_5": recall.attainable(counts.retrieval.recall[5]),
    }
    assert found == pytest.approx(expected, abs=1e-11)


def test_order_of_rows_and_columns(gold, scores, tmp_path):
    rows = golden_rows()
    order = np.random.default_rng(3).permutation(len(rows))
    columns = ["narrative", "rank", "label", "abstract_id", "claim_id"]
    file = written(tmp_path / "predictions.csv", [rows[i] for i in order], columns)
    assert scored(file, gold).board == scores.board


def test_without_labels_task_1_2_is_0(gold, scores, tmp_path):
    columns = ["claim_id", "abstract_id", "rank", "narrative"]
    found = scored(written(tmp_path / "predictions.csv", golden_rows(), columns), gold)
    assert found.tasks == ("1.1", "2")
    task_1_2 = task_columns("1")[4:]
    assert {found.board[column] for column in task_1_2} == {0.0}
    others = [column for column in board_columns() if column not in task_1_2]
    assert [found.board[c] for c in others] == [scores.board[c] for c in others]


@pytest.mark.parametrize(
    ("file", "columns", "task", "other"),
    [
        ("task1.csv", ["claim_id", "abstract_id", "rank", "label"], "1", "2"),
        ("task2.csv", ["claim_id", "narrative"], "2", "1"),
    ],
)
def test_one_task_alone(gold, scores, tmp_path, file, columns, task, other):
    rows = [row for row in golden_rows() if task == "2" or row["abstract_id"]]
    if task == "2":
        rows = list({row["claim_id"]: row for row in rows}.values())
    found = scored(written(tmp_path / file, rows, columns), gold)
    for column in task_columns(task):
        assert found.board[column] == scores.board[column] > 0
    assert {found.board[column] for column in task_columns(other)} == {0.0}


def test_per_claim(scores):
    frame = scores.per_claim()
    assert list(frame.columns) == [
        "claim_id",
        "evidentiary",
        "recall_at_2",
        "recall_at_5",
        "bpref",
        "labels_right",
        "labels_wrong",
        "narratives_exact",
        "narratives_tp",
        "narratives_fp",
        "narratives_fn",
    ]
    rows = frame.set_index("claim_id")
    nan = np.nan
    # The lines of tests/golden/README.md.
    by_hand = {
        "1": [3, 1 / 3, 2 / 3, 4 / 9, 2, 2, 1, 1, 0, 0],
        "4": [0, nan, nan, nan, 1, 1, 0, 1, 0, 1],
        "5": [6, 0, 2 / 6, 2 / 9, 3, 1, 0, 1, 1, 0],
        "6": [1, 0, 0, 0, 0, 0, nan, nan, nan, nan],
        "7": [2, 0, 0, 1 / 4, 2, 1, 0, 1, 0, 1],
        "10": [0, nan, nan, nan, 0, 0, 0, 1, 1, 0],
    }
    for claim, values in by_hand.items():
        np.testing.assert_allclose(rows.loc[claim].to_numpy(float), values, err_msg=claim)
    assert frame["recall_at_5"].mean() == pytest.approx(scores.board["recall_at_5"])


def test_per_claim_of_one_task(gold, tmp_path):
    rows = [{"claim_id": "3", "narrative": "1_1"}]
    frame = scored(
        written(tmp_path / "task2.csv", rows, ["claim_id", "narrative"]), gold
    ).per_claim()
    assert frame["bpref"].isna().all()
    assert frame["labels_right"].isna().all()
    assert frame["narratives_exact"].sum() == 1


def test_an_invalid_submission_is_not_scored(gold):
    submission = read_submission(GOLDEN / "predictions.csv", gold.claims)
    problems = Collector()
    problems.add(LABEL, "predictions.csv", line=2, found="x")
    with pytest.raises(ValueError, match="a submission with errors is not scored"):
        score(replace(submission, problems=problems.problems()), gold)


def test_other_claims_are_refused(gold):
    others = Claims(gold.claims.ids[::-1], gold.claims.texts)
    submission = read_submission(GOLDEN / "predictions.csv", others)
    with pytest.raises(ValueError, match="other claims than those of the gold"):
        score(submission, gold)


def test_scoring_starts_without_pandas():
    code = (
        "import sys, climatecheck.scoring, climatecheck.gold, climatecheck.leaderboard;"
        "print([m for m in ('pandas', 'scipy', 'sklearn', 'yaml') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert done.stdout.strip() == "[]"
