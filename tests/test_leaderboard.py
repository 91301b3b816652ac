"""The board's columns, and that nothing incomplete or infinite gets onto it."""

import json

import numpy as np
import pytest

from climatecheck.leaderboard import board_columns, scores_json, task_columns

COLUMNS = (
    "score_1_1",
    "recall_at_2",
    "recall_at_5",
    "bpref",
    "score_1_2",
    "verification_precision",
    "verification_recall",
    "verification_f1",
    "narrative_f1_macro",
    "narrative_precision_macro",
    "narrative_recall_macro",
    "narrative_f1_micro",
    "narrative_f1_weighted",
)


def test_columns_in_order():
    assert board_columns() == COLUMNS
    assert board_columns(["1"]) == task_columns("1") == COLUMNS[:8]
    assert board_columns(("2",)) == task_columns("2") == COLUMNS[8:]


def test_columns_fit_the_platform():
    assert len(set(COLUMNS)) == len(COLUMNS)
    assert max(map(len, COLUMNS)) <= 36


def test_unknown_task():
    with pytest.raises(ValueError, match=r"no task '1\.1'; the tasks are 1, 2"):
        task_columns("1.1")


def test_written_in_the_columns_order_and_exactly():
    values = {"b": np.float64(1 / 3), "a": 1}
    text = scores_json(values, ("a", "b"))
    assert text == '{\n  "a": 1.0,\n  "b": 0.3333333333333333\n}\n'
    assert json.loads(text) == {"a": 1.0, "b": 1 / 3}


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -np.inf, None, "0.5", [1.0], {}, 1j, 10**400]
)
def test_a_value_that_is_no_finite_number(value):
    with pytest.raises(ValueError, match="not a finite number: 'b'"):
        scores_json({"a": 0.0, "b": value}, ("a", "b"))


def test_all_faults_at_once():
    with pytest.raises(ValueError, match=r"missing: 'c'; not on the board: 'x'; not a finite.*'b'"):
        scores_json({"a": 0.0, "b": np.nan, "x": 1.0}, ("a", "b", "c"))
    with pytest.raises(ValueError, match="missing: 'a'"):
        scores_json({}, ("a",))
