"""The Makefile: every target is documented, and the commands that people type do what they say."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from organiser.editions import edition
from organiser.samples import sample
from tests.conftest import ROOT

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
SET_UP = {"setup", "clean", "test", "lint", "bench", "image-test"}


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make with this very Python in the place of .venv."""
    return subprocess.run(
        ["make", *arguments, "READY=", f"BIN={Path(sys.executable).parent}"],
        cwd=ROOT,
        env={k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))},
        capture_output=True,
        text=True,
        check=False,
    )


def targets() -> set[str]:
    phony = re.search(r"^\.PHONY:(.*?)(?<!\\)$", MAKEFILE, re.M | re.S)
    assert phony is not None
    return set(phony[1].replace("\\", " ").split()) - {"FORCE"}


def test_help_is_the_default_goal_and_lists_every_target():
    done = make()
    assert done.returncode == 0
    listed = set(re.findall(r"^  (\S+)  +\S", done.stdout, re.M))
    pieces = (
        "ingestion_program",
        "scoring_program",
        "reference_data",
        "input_data",
        "starting_kit",
    )
    assert listed == targets() | {f"dist/{piece}.zip" for piece in pieces}


def test_set_up_is_done_by_every_target_that_needs_it():
    for target in targets() - {"help", "setup", "clean", "test"}:
        assert re.search(rf"^{target}: \$\((BROWSER_|MODELS_)?READY\)", MAKEFILE, re.M), target
    assert re.search(r"^test: lint ", MAKEFILE, re.M)
    assert re.search(r"^\$\(READY\): pyproject\.toml$", MAKEFILE, re.M)
    assert re.search(r"^\$\(BROWSER_READY\): \$\(READY\)$", MAKEFILE, re.M)
    assert re.search(r"^\$\(MODELS_READY\): pyproject\.toml ", MAKEFILE, re.M)


def test_score_alone_scores_the_sample(tmp_path: Path):
    done = make("score", f"OUT={tmp_path}")
    assert done.returncode == 0, done.stderr
    assert "Score1.1" in done.stdout
    assert len(json.loads((tmp_path / "scores.json").read_text())) == 13
    assert (tmp_path / "detailed_results.html").is_file()


def test_score_takes_other_folders_and_the_gold_may_lack_the_claims(tiny, tmp_path: Path):
    from tests.conftest import full_submission

    path = tmp_path / "my run.csv"
    path.write_bytes(full_submission())
    done = make(
        "score",
        f"SUBMISSION={path}",
        f"REFERENCE={tiny.reference}",
        f"INPUT={tiny.inputs}",
        f"OUT={tmp_path / 'out'}",
        "BOARD=task2",
    )
    assert done.returncode == 0, done.stderr
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert scores["narrative_f1_macro"] == 1
    assert len(scores) == 5


def test_score_takes_gold_with_its_own_claims_beside_it(tmp_path: Path):
    path = tmp_path / "both.zip"
    path.write_bytes(sample("train/both.zip", edition()))
    train = edition().kit_data / "train"
    done = make("score", f"SUBMISSION={path}", f"REFERENCE={train}", f"OUT={tmp_path}")
    assert done.returncode == 0, done.stdout
    assert edition().notice in (tmp_path / "detailed_results.html").read_text("utf-8")


def test_score_fails_where_the_platform_would(tmp_path: Path):
    (tmp_path / "predictions.csv").write_text("claim_id,abstract_id,rank\nno-claim,1,1\n")
    done = make("score", f"SUBMISSION={tmp_path}", f"OUT={tmp_path / 'out'}")
    assert done.returncode != 0
    assert "E-UNKNOWN-CLAIM" in done.stdout
    assert "Failed: the scoring program ended with code 1." in done.stderr
    assert not (tmp_path / "out" / "scores.json").exists()


def test_what_is_no_zip_is_said_with_one_full_stop(tmp_path: Path):
    (tmp_path / "hostname").write_text("no zip")
    done = make("score", f"SUBMISSION={tmp_path / 'hostname'}", f"OUT={tmp_path / 'out'}")
    assert "Failed: The platform cannot unpack the zip (BadZipFile).\n" in done.stderr


def test_an_output_folder_that_is_a_file_is_said_in_words(tmp_path: Path):
    (tmp_path / "out").write_text("")
    done = make("score", f"OUT={tmp_path / 'out'}")
    assert done.returncode != 0
    assert f"File exists: {tmp_path / 'out'}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("what", ["score", "validate"])
def test_a_path_where_nothing_is_is_said(what: str, tmp_path: Path):
    done = make(what, f"SUBMISSION={tmp_path / 'none.zip'}", f"OUT={tmp_path}")
    assert done.returncode != 0
    assert "none.zip" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_validate_prints_the_verdict_alone(tmp_path: Path):
    done = make("validate")
    assert (done.returncode, done.stdout) == (0, "Accepted, without a remark.\n")
    bad = tmp_path / "predictions.csv"
    bad.write_text("claim_id,narrative\n")
    done = make("validate", f"SUBMISSION={bad}")
    assert done.returncode != 0
    assert "E-NO-ROWS" in done.stdout
    assert "Refused" in done.stdout


def test_a_piece_is_built_where_the_target_says(tmp_path: Path):
    done = make("dist/input_data.zip")
    assert done.returncode == 0, done.stderr
    assert "dist/input_data.zip" in done.stdout
    assert (ROOT / "dist" / "input_data.zip").is_file()
