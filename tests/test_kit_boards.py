"""The kit of a bundle of one task, and of a blind one: its scripts say what its site says."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from climatecheck.leaderboard import task_columns
from organiser.build import starting_kit
from organiser.competition import VARIANTS, Variant
from organiser.editions import edition
from organiser.samples import sample

BLIND = replace(VARIANTS["task1"], blind=True)


def unpacked(variant: Variant, folder: Path) -> Path:
    for name, content in starting_kit(edition(), variant).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def kits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    variants = {"task1": VARIANTS["task1"], "task2": VARIANTS["task2"], "blind": BLIND}
    return {name: unpacked(v, tmp_path_factory.mktemp(name)) for name, v in variants.items()}


def run(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


OTHER = {"task1": "task2", "task2": "retrieval_only", "blind": "task2"}


@pytest.mark.parametrize("name", list(OTHER))
def test_a_file_for_the_other_task_is_refused_as_on_the_site(
    kits: dict[str, Path], tmp_path: Path, name: str
) -> None:
    for split, command in (
        ("upload", ["validate.py"]),
        ("train", ["validate.py", "--train"]),
        ("train", ["score.py"]),
    ):
        path = tmp_path / f"{split}.zip"
        path.write_bytes(sample(f"{split}/{OTHER[name]}.zip", edition()))
        done = run(kits[name], *command, path)
        assert done.returncode == 1
        assert "E-OTHER-TASK" in done.stdout


@pytest.mark.parametrize(("name", "task"), [("task1", "1"), ("task2", "2"), ("blind", "1")])
def test_scores_are_those_of_the_task(kits: dict[str, Path], name: str, task: str) -> None:
    done = run(kits[name], "score.py", "samples/train/both.zip")
    assert done.returncode == 0
    assert "W-OTHER-TASK" in done.stdout
    after = done.stdout.partition("Scores on the")[2].partition("What a score")[0]
    listed = [line.split()[0] for line in after.splitlines() if line.startswith("  ")]
    assert listed == list(task_columns(task))


@pytest.mark.parametrize("name", list(OTHER))
def test_every_sample_of_the_kit_is_accepted(kits: dict[str, Path], name: str) -> None:
    uploads = sorted((kits[name] / "samples" / "upload").iterdir())
    assert uploads
    for path in uploads:
        assert run(kits[name], "validate.py", path).returncode == 0


def test_a_board_that_cannot_be_read_is_said(kits: dict[str, Path], tmp_path: Path) -> None:
    broken = unpacked(BLIND, tmp_path)
    (broken / "board.json").write_text("{")
    done = run(broken, "validate.py", "samples/upload/both.zip")
    assert done.returncode == 2
    assert "Not checked: board.json" in done.stderr


@pytest.mark.parametrize(("path", "words"), [("no/x.csv", "no folder"), (".", "is a folder")])
def test_the_path_for_scores_of_each_claim_is_looked_at_first(
    kits: dict[str, Path], tmp_path: Path, path: str, words: str
) -> None:
    out = tmp_path / path
    done = run(kits["task1"], "score.py", "samples/train/both.zip", "--per-claim", out)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_path_that_may_not_be_written_is_said_first(
    kits: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "x.csv").touch(0o444)
    arguments = ("samples/train/both.zip", "--per-claim", tmp_path / "x.csv")
    done = run(kits["task1"], "score.py", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "may not be written" in done.stderr
