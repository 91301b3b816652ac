"""The programs by themselves: same scores for the same content, faults in words, nothing stale."""

import errno
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from climatecheck import running
from climatecheck.board import Board, read_board, read_facts
from climatecheck.gold import GoldError
from tests.conftest import ROOT, ROWS_PER_CLAIM, Folders, full_submission


def scores(folders: Folders) -> dict[str, float]:
    done = folders.score()
    assert done.returncode == 0, done.stderr
    return json.loads((folders.output / "scores.json").read_text())


def fails(folders: Folders) -> str:
    done = folders.score()
    assert done.returncode == 1
    assert not (folders.output / "scores.json").exists()
    assert "Traceback" not in done.stdout + done.stderr
    return done.stderr


def test_the_scores_of_shuffled_rows_are_the_same(folders: Folders):
    before = scores(folders)
    header, *lines = full_submission().decode().splitlines()
    random.Random(7).shuffle(lines)
    (folders.inputs / "res" / "predictions.csv").write_text("\n".join([header, *lines]))
    assert scores(folders) == before


def test_the_same_input_gives_the_same_bytes(folders: Folders):
    names = ("scores.json", "detailed_results.html")
    scores(folders)
    before = [(folders.output / name).read_bytes() for name in names]
    scores(folders)
    assert [(folders.output / name).read_bytes() for name in names] == before


def test_page_and_scores_of_an_earlier_run_do_not_outlive_a_failure(folders: Folders):
    for name in ("scores.json", "detailed_results.html"):
        (folders.output / name).write_text("stale")
    (folders.inputs / "res" / "predictions.csv").write_text("claim_id,abstract_id\nc00,1\n")
    assert "E-COLUMN-MISSING" in fails(folders)
    assert "stale" not in (folders.output / "detailed_results.html").read_text("utf-8")


def test_a_refused_file_gets_all_problems_on_stderr_and_on_the_page(folders: Folders):
    (folders.inputs / "res" / "predictions.csv").write_text(
        "claim_id,abstract_id,rank\nc00,1,1\nc00,1,2\nc99,4,<b>x</b>\n"
    )
    said = fails(folders)
    page = (folders.output / "detailed_results.html").read_text("utf-8")
    for code in ("E-DUPLICATE-PAIR", "E-UNKNOWN-CLAIM", "E-RANK"):
        assert code in said
        assert code in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "<b>" not in page


def test_the_page_says_that_the_data_are_synthetic_and_what_it_rests_on(folders: Folders):
    scores(folders)
    page = (folders.output / "detailed_results.html").read_text("utf-8")
    assert "Synthetic: made for a test." in page
    for receipt in ("Hash of the gold", "Hash of the submission", "Hash of the scorer", "numpy"):
        assert receipt in page
    assert "<script" not in page
    assert "http" not in page


@pytest.mark.parametrize("answered", [9, 10])
def test_under_ten_answered_claims_get_the_official_scores_alone(folders: Folders, answered: int):
    lines = full_submission().decode().splitlines()[: 1 + ROWS_PER_CLAIM * answered]
    (folders.inputs / "res" / "predictions.csv").write_text("\n".join(lines))
    scores(folders)
    page = (folders.output / "detailed_results.html").read_text("utf-8")
    assert ("The interval says" in page) == (answered == 10)


@pytest.mark.parametrize("name", ["task1_gold.csv", "task2_gold.csv", "claims.csv"])
def test_a_fault_of_the_reference_data_is_the_organisers(folders: Folders, name: str):
    (folders.inputs / "ref" / name).unlink()
    said = fails(folders)
    assert "fault of the competition, not of your submission" in said
    assert name in said


def test_a_claim_of_the_gold_that_is_no_claim_is_the_organisers_fault(folders: Folders):
    with (folders.inputs / "ref" / "task1_gold.csv").open("a") as file:
        file.write("secret-claim,7,Supports\n")
    said = fails(folders)
    assert "fault of the competition" in said
    assert "secret-claim" not in said


def test_a_broken_board_or_edition_file_is_the_organisers_fault(tmp_path: Path):
    (tmp_path / "board.json").write_text('{"tasks": ["1"]}')
    with pytest.raises(GoldError, match=r"board\.json"):
        read_board(tmp_path / "board.json")
    (tmp_path / "edition.json").write_text("{")
    with pytest.raises(GoldError, match=r"edition\.json"):
        read_facts(tmp_path)
    assert read_board(tmp_path / "none.json") == Board()
    assert len(Board().columns) == 13


def test_a_log_that_knows_few_characters_does_not_matter(folders: Folders, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    (folders.inputs / "res" / "predictions.csv").write_text(
        "claim_id,abstract_id,rank\nc00,1,ä\n", "utf-8"
    )
    assert "rank \\u201c\\xe4\\u201d" in fails(folders)


@pytest.mark.parametrize("program", ["ingestion", "scoring"])
def test_a_wrong_number_of_arguments_is_said(program: str):
    path = ROOT / f"{program}_program" / f"{program}.py"
    done = subprocess.run(
        [sys.executable, str(path), "one"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Usage: python3 ")


def test_a_missing_output_folder_is_said_in_words(folders: Folders):
    shutil.rmtree(folders.output)
    done = folders.score()
    assert done.returncode == 1
    assert "missing" in done.stderr
    assert "Traceback" not in done.stderr


# --- running --------------------------------------------------------------------------------------


def ran(error: BaseException, capsys: pytest.CaptureFixture[str]) -> str:
    def main(_: object) -> int:
        raise error

    assert running.run(main, []) == 1
    return capsys.readouterr().err


def test_a_crash_tells_its_class_and_a_short_id_and_nothing_more(capsys):
    said = ran(KeyError("claim 12 Supports"), capsys)
    assert "KeyError, id " in said
    assert "claim 12" not in said
    assert said == ran(KeyError("something else"), capsys)  # same class, same place


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "memory did not suffice"),
        (OSError(errno.ENOSPC, "x"), "disk is full"),
        (OSError(errno.EROFS, "x"), "read-only"),
        (PermissionError(errno.EACCES, "x", "secret.csv"), "may not be read or written"),
        (GoldError("task1_gold.csv: an unknown label (line 3)"), "unknown label (line 3)"),
        (RecursionError(), "RecursionError"),
    ],
)
def test_each_fault_has_its_words(error: Exception, words: str, capsys):
    said = ran(error, capsys)
    assert words in said
    assert "secret" not in said
    assert "Traceback" not in said


@pytest.mark.parametrize("work", ["time.sleep(60)", "[0 for _ in iter(int, 1)]", "pow(7, 10**8)"])
def test_the_time_limit_holds_while_the_program_sleeps_or_computes(work: str):
    code = (
        "import sys, time\n"
        "from climatecheck import running\n"
        "running._BACKSTOP_SECONDS = 1\n"
        f"sys.exit(running.run(lambda _: {work}, [], seconds=0.3))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    if "pow" not in work:  # that one never gives the interpreter's lock back
        assert "time limit of 0.3 seconds" in done.stderr


def raced(main: str, folder: Path) -> tuple[int, str, bool]:
    """Run a main under a limit of .4 s; return exit code, stderr, and whether scores are there."""
    code = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from climatecheck import running\n"
        "scores = Path('scores.json').resolve()\n"
        f"def main(_):\n{main}\n    return 0\n"
        "sys.exit(running.run(main, [], seconds=0.4))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=30,
        check=False,
    )
    return done.returncode, done.stderr, (folder / "scores.json").exists()


def test_the_time_limit_does_not_fire_once_the_scores_are_there(tmp_path: Path):
    main = "    running.write_last(scores, '{}')\n    time.sleep(1)"
    assert raced(main, tmp_path) == (0, "", True)


def test_the_time_limit_does_not_fire_while_the_scores_are_written(tmp_path: Path):
    main = (
        "    replace = os.replace\n"
        "    os.replace = lambda a, b: (time.sleep(1), replace(a, b), time.sleep(0.2))\n"
        "    running.write_last(scores, '{}')"
    )
    assert raced(main, tmp_path) == (0, "", True)


def test_no_scores_are_written_once_the_time_is_over(tmp_path: Path):
    """The limit is about to end the process (saying so takes it a second) when they come."""
    main = (
        "    say = running.say\n"
        "    running.say = lambda message: (time.sleep(1), say(message))\n"
        "    time.sleep(0.8)\n"
        "    running.write_last(scores, '{}')"
    )
    code, said, there = raced(main, tmp_path)
    assert (code, there) == (1, False)
    assert "time limit of 0.4 seconds" in said


def test_no_backstop_is_left_behind_by_a_run(tmp_path: Path):
    """It would end the process, with code 1, at any time after the scores were written."""
    main = (
        "    running._LIMITS[0].lift()\n"
        "    running._BACKSTOP_SECONDS = -0.2\n"
        "    with running._time_limit(0.4):\n"
        "        running.write_last(scores, '{}')\n"
        "        time.sleep(0.7)"
    )
    assert raced(main, tmp_path) == (0, "", True)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch):
    target = tmp_path / "scores.json"
    target.write_text("before")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError):
        running.write_atomically(target, "after")
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_in_the_place_of_an_output_is_replaced_and_not_followed(tmp_path: Path):
    victim, link = tmp_path / "victim", tmp_path / "scores.json"
    victim.write_text("untouched")
    link.symlink_to(victim)
    running.write_atomically(link, "scores")
    assert victim.read_text() == "untouched"
    assert not link.is_symlink()
    link.unlink()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").touch()
    link.symlink_to(folder)
    running.remove(link)
    assert (folder / "file").exists()
    assert not link.exists()
    running.remove(folder)
    assert not folder.exists()


def test_scores_are_written_after_the_page(folders: Folders, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scoring_program"))
    import scoring

    written: list[str] = []
    write = running.write_atomically

    def noted(path: Path, content: str | bytes) -> None:
        written.append(path.name)
        write(path, content)

    monkeypatch.setattr(scoring, "write_atomically", noted)
    monkeypatch.setattr(running, "write_atomically", noted)  # what write_last ends with
    assert scoring.main([str(folders.inputs), str(folders.output)]) == 0
    assert written == ["detailed_results.html", "scores.json"]


def test_start_up_imports_no_heavy_library(folders: Folders):
    """Start-up is the cost that a participant feels."""
    code = (
        "import sys; sys.path.insert(0, 'scoring_program'); import scoring\n"
        f"code = scoring.main([{str(folders.inputs)!r}, {str(folders.output)!r}])\n"
        "heavy = {'pandas', 'yaml', 'sklearn', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(code or (f'imported: {heavy}' if heavy else 0))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
