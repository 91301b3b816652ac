"""The catalogue of cases: every fault has its verdict and its sentences, and no input is slow."""

import os
import random
import re
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from climatecheck import read_submission
from climatecheck.archive import open_upload
from climatecheck.cells import Cells, read_cells
from climatecheck.choice import Entry
from climatecheck.problem_table import KINDS
from climatecheck.problems import Collector
from climatecheck.tables import Claims, Submission
from tests import catalogue, make_cases, zip_cases

_NEEDS_UNIX = pytest.mark.skipif(os.name == "nt", reason="builds links, pipes and odd names")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=_NEEDS_UNIX if n in make_cases.BUILT else ()) for n in catalogue.NAMES],
)
def test_case(name: str, tmp_path: Path) -> None:
    assert catalogue.told(catalogue.read(name, tmp_path)) == catalogue.expected(name)


@pytest.mark.parametrize(
    "name", [n for n in catalogue.NAMES if catalogue.expected(n).startswith("Accepted")]
)
def test_the_order_of_rows_changes_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = _tables(catalogue.read(name, tmp_path))
    for seed in range(3):

        def shuffled(*arguments: Any, seed: int = seed, **options: Any) -> Cells | None:
            cells = read_cells(*arguments, **options)
            return cells and cells.take(np.random.default_rng(seed).permutation(len(cells)))

        monkeypatch.setattr("climatecheck.submission.read_cells", shuffled)
        (tmp_path / str(seed)).mkdir()
        assert _tables(catalogue.read(name, tmp_path / str(seed))) == usual


def _tables(submission: Submission) -> list[str]:
    lines = catalogue.told(submission).split("\n")[:-1]
    assert lines[0].startswith("Accepted, ")
    return [line for line in lines[1:] if not re.match("[EW]-", line)]


def test_each_file_that_may_be_meant_is_looked_at_in_both_steps(tmp_path: Path) -> None:
    for name in [n for n in zip_cases.ZIPS if n.startswith(("zip-meant", "zip-not-meant"))]:
        folder = tmp_path / name
        with zipfile.ZipFile(make_cases.CASES / name / "input.zip") as archive:
            archive.extractall(folder)
        options = {**catalogue.options(name), "from_platform": True}
        scoring = read_submission(folder, catalogue.CLAIMS, **options)
        assert scoring.problems == catalogue.read(name, tmp_path).problems, name


def test_every_kind_of_problem_has_a_case() -> None:
    lines = [line for name in catalogue.NAMES for line in catalogue.expected(name).split("\n")]
    assert {line.split("  ")[0] for line in lines if re.match("[EW]-", line)} == set(KINDS)


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_every_message_is_one_printable_line_that_ends(name: str) -> None:
    verdict, *lines = catalogue.expected(name).removesuffix("\n").split("\n")
    assert verdict.startswith(("Accepted, ", "Refused: "))
    for line in lines:
        assert line.isprintable() and len(line) < 1000
        assert line.endswith(".") == bool(re.match("[EW]-", line))


def test_each_folder_is_a_case_and_each_generated_input_is_up_to_date() -> None:
    assert {*zip_cases.ZIPS, *make_cases.BUILT} <= set(catalogue.NAMES)
    for name, data in zip_cases.ZIPS.items():
        assert (make_cases.CASES / name / "input.zip").read_bytes() == data, name


# --- hostile inputs: a verdict soon, whatever it is -------------------------------------------

_SIZE = 3_500_000  # just below the largest file that is read for 172 claims
_HEADER = "claim_id,abstract_id,rank,label,narrative\n"
_CLAIMS = Claims(tuple(map(str, range(172))), ("x",) * 172, frozenset({"7"}))
_SECONDS = 2.0  # of processor time, which a busy machine does not stretch


def _rows(row: Callable[[int], str], count: int = 18_000) -> str:
    return _HEADER + "".join(f"{row(i)}\n" for i in range(count))


_HOSTILE: dict[str, Callable[[], str]] = {
    "only quotes": lambda: '"' * _SIZE,
    "only commas": lambda: "," * _SIZE,
    "only line ends": lambda: "\n" * _SIZE,
    "only spaces": lambda: " " * _SIZE,
    "one line": lambda: "x" * _SIZE,
    "quotes below a header": lambda: _HEADER + '"' * _SIZE,
    "commas below a header": lambda: _HEADER + "," * _SIZE,
    "line ends below a header": lambda: _HEADER + "\n" * _SIZE,
    "blank rows": lambda: _HEADER + " \n" * (_SIZE // 2),
    "rows of commas": lambda: _HEADER + ",,,,\n" * (_SIZE // 5),
    "empty quoted rows": lambda: _HEADER + '""\n' * (_SIZE // 3),
    "the header again and again": lambda: _HEADER * (_SIZE // len(_HEADER)),
    "short rows": lambda: _HEADER + "1\n" * (_SIZE // 2),
    "a wide header": lambda: ",".join(f"c{i}" for i in range(100_000)) + "\n1\n",
    "a wide table": lambda: (",".join("c" * 4000) + "\n") * 400,
    "a hundred like columns": lambda: ",".join(f"label_{i}" for i in range(100)) + "\n1\n",
    "a number of millions of digits": lambda: _HEADER + "1," + "9" * _SIZE + ",1,,\n",
    "long numbers": lambda: _rows(lambda i: f"{i % 172},{'9' * 100},{'9' * 50},,"),
    "ranks far apart": lambda: _rows(lambda i: f"{i % 172},{i},{999_999_999 - i},,"),
    "distinct labels": lambda: _rows(lambda i: f"{i % 172},{i},{i},Not Enough Informatoin {i},"),
    "distinct narratives": lambda: _rows(lambda i: f"{i % 172},{i},{i},,it is a hoax {i} by 1_1"),
    "distinct claims": lambda: _rows(lambda i: f"claim {i},{i},{i},,"),
    "a fault in each cell": lambda: _rows(lambda i: f"c{i},a{i},r{i},l{i},n{i}"),
    "the same row": lambda: _rows(lambda i: "1,1,1,,"),
    "a remark on each cell": lambda: _rows(lambda i: f' {i % 172}.0,{i}.0,{i}.0,nei,"[1_1,2_1]"'),
    "line breaks": lambda: _rows(lambda i: f'{i % 172},{i},{i},,"x\ny"'),
    "long lists of codes": lambda: _rows(lambda i: f"{i},,,,{'1_1;' * 2400}", 172),
    "long unknown narratives": lambda: _rows(lambda i: f"{i},,,,{'1 1 ' * 2400}", 172),
    "brackets": lambda: _rows(lambda i: f"{i},,,,{'[' * 4000}{']' * 4000}", 172),
}


def _in_time(read: Callable[[], Submission]) -> Submission:
    start = time.process_time()
    submission = read()
    assert time.process_time() - start < _SECONDS
    assert all(problem.message.isprintable() for problem in submission.problems)
    return submission


@pytest.mark.parametrize("name", _HOSTILE)
def test_a_hostile_table_gets_its_verdict_soon(name: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text(_HOSTILE[name](), newline="")
    accepted = name in ("a remark on each cell", "long lists of codes")
    assert _in_time(lambda: read_submission(path, _CLAIMS)).valid == accepted


def test_two_hundred_large_entries_are_not_all_read(tmp_path: Path) -> None:
    path, large = tmp_path / "input.zip", b"0" * 100_000
    entries = [(f"{i}.txt", large) for i in range(199)]
    path.write_bytes(zip_cases.a_zip_of([*entries, ("predictions.csv", zip_cases.RUN)]))
    assert _in_time(lambda: read_submission(path, _CLAIMS)).valid


def test_random_bytes_in_the_place_of_a_zip_get_their_verdict(tmp_path: Path) -> None:
    chance, path = random.Random(1), tmp_path / "input.zip"
    good = zip_cases.ZIPS["zip-of-both-tasks"]
    for _ in range(300):
        data = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        _in_time(lambda: read_submission(path, _CLAIMS))


def _nothing(path: Path) -> None:
    """Leave the place empty."""


def _link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


@_NEEDS_UNIX
@pytest.mark.parametrize("put", [_nothing, _link, os.mkfifo, Path.mkdir])
def test_a_file_that_is_something_else_by_the_time_it_is_read(
    put: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "predictions.csv"
    path.write_bytes(zip_cases.RUN)

    def choose_late(entries: list[Entry], *_: object) -> dict[str, Entry]:
        path.unlink()
        put(path)
        return {"predictions.csv": entries[0]}

    monkeypatch.setattr("climatecheck.archive.choose", choose_late)
    problems = Collector()
    reading = threading.Thread(target=open_upload, args=(tmp_path, 12, problems), daemon=True)
    reading.start()
    reading.join(5)
    assert not reading.is_alive()
    assert [problem.code for problem in problems.problems()] == ["E-UNREADABLE"]
