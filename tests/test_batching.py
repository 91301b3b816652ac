"""The batching loop and its progress bar."""

import io
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.batching import by_length, in_batches
from baselines.progress import Progress, status


@given(st.lists(st.text(max_size=9), max_size=40), st.integers(1, 9))
def test_results_stand_in_the_old_order_whatever_the_batches(items: list[str], size: int) -> None:
    seen: list[list[str]] = []

    def work(batch: list[str]) -> list[str]:
        seen.append(batch)
        return [text + "!" for text in batch]

    assert in_batches(items, work, size=size, length=len) == [text + "!" for text in items]
    assert all(len(batch) == size for batch in seen[:-1]) and all(seen)
    lengths = [len(text) for batch in seen for text in batch]
    assert lengths == sorted(map(len, items), reverse=True)


def test_rows_of_an_array_are_results() -> None:
    made = in_batches(
        [3, 1, 2], lambda batch: np.array([[n, n * n] for n in batch]), size=2, length=int
    )
    assert np.stack(made).tolist() == [[3, 9], [1, 1], [2, 4]]


def test_too_few_results_are_noticed() -> None:
    with pytest.raises(ValueError, match="1 results came back for a batch of 2 items"):
        in_batches(["a", "b"], lambda batch: batch[:1], size=2, length=len)


@pytest.mark.parametrize("size", [0, -1])
def test_a_batch_of_nothing(size: int) -> None:
    with pytest.raises(ValueError, match="at least one item"):
        by_length([1], size)


def test_the_plain_line_every_ten_seconds() -> None:
    seconds = iter([0.0, 4.0, 12.0, 12.0, 20.0, 25.0])
    stream = io.StringIO()
    with Progress("pairs", 40, plain=True, stream=stream, clock=lambda: next(seconds)) as bar:
        bar.advance(10)  # after 4 s: too soon for a line
        bar.advance(10, failures=1)  # after 12 s: a line
        bar.advance(10)  # after 20 s: 8 s since the last one
    # 20 items in 12 s are 1.67 a second, and the other 20 take 12 s; 30 in 25 s are 1.2 a second.
    assert stream.getvalue().splitlines() == [
        "pairs: 20 of 40, 1.7/s, 1 failed, 12 s left",
        "pairs: 30 of 40, 1.2/s, 1 failed, 8 s left",
    ]
    assert (bar.done, bar.failed) == (30, 1)


def test_without_tqdm_and_without_a_title(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    in_batches(["a"], list, size=1, length=len)
    assert capsys.readouterr().err == ""
    in_batches(["a"], list, size=1, length=len, progress="letters")
    assert capsys.readouterr().err.startswith("letters: 1 of 1, ")


def test_with_tqdm(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    in_batches(list("abc"), list, size=2, length=len, progress="letters")
    shown: Any = capsys.readouterr()
    assert "letters" in shown.err and "3/3" in shown.err and shown.out == ""


def test_a_total_that_is_not_known() -> None:
    # 100 items in 8 s are 12.5 a second; how long is left cannot be said.
    assert status("calls", 100, None, 0, 8.0) == "calls: 100, 12.5/s"
