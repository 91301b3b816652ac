"""Both programs under the image's exact pins, and the kit's scripts on each Python that is there.

Run by ``make image-test`` alone, since it makes environments.
"""

import json
import subprocess
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from climatecheck.leaderboard import board_columns
from organiser import worker
from organiser.build import piece
from organiser.competition import VARIANTS
from organiser.dry_run import task_zips
from organiser.editions import OrganiserError, edition
from organiser.environments import (
    IMAGE_PINS,
    IMAGE_VERSION,
    KIT_NEEDS,
    environment,
    find_python,
    image_python,
)
from organiser.samples import sample

SHAPES = ("retrieval_only", "task1", "task2", "both")
KIT_VERSIONS = ("3.10", "3.11", "3.12", "3.13")


@pytest.fixture(scope="module")
def image() -> str:
    try:
        return image_python()
    except OrganiserError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="module")
def task() -> worker.Task:
    return task_zips("", "", VARIANTS[""])


def test_the_environment_is_the_image(image: str):
    code = (
        "import json, sys\nfrom importlib.metadata import version\n"
        "print(json.dumps(['%d.%d' % sys.version_info[:2], {n: version(n) for n in sys.argv[1:]}]))"
    )
    lines = [line for line in IMAGE_PINS.read_text().splitlines() if "==" in line]
    pins = dict(line.split("==") for line in lines)
    done = subprocess.run([image, "-c", code, *pins], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [IMAGE_VERSION, pins]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_sample_scores_the_same_as_here(
    image: str, task: worker.Task, tmp_path: Path, shape: str
):
    submission = sample(f"upload/{shape}.zip", edition())
    made = {}
    for name, python in (("image", image), ("here", None)):
        keywords = {"python": python} if python else {}
        run = worker.run(submission, task, tmp_path / name, **keywords)
        assert run.ingestion.exit_code == run.scoring.exit_code == 0, run.scoring.stderr
        assert run.ingestion.stderr == run.scoring.stderr == ""
        made[name] = json.loads((run.output / "scores.json").read_text())
    assert tuple(made["image"]) == board_columns()
    assert made["image"] == pytest.approx(made["here"], abs=1e-12)


def test_a_refused_file_fails_in_words(image: str, task: worker.Task, tmp_path: Path):
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("predictions.csv", "claim_id,abstract_id,rank\nnone,1,first\n")
    run = worker.run(buffer.getvalue(), task, tmp_path, image)
    assert run.scoring.exit_code == 1
    assert "E-UNKNOWN-CLAIM" in run.scoring.stderr
    assert "Traceback" not in run.scoring.stderr + run.ingestion.stderr
    assert not (run.output / "scores.json").exists()


@pytest.mark.parametrize("version", KIT_VERSIONS)
def test_the_kits_scripts_run_on_each_python(version: str, tmp_path: Path):
    base = find_python(version)
    if base is None:
        pytest.skip(f"there is no Python {version} on this machine")
    python = environment(f"kit-{version}", base, KIT_NEEDS)
    kit = tmp_path / "the unpacked kit"
    with zipfile.ZipFile(BytesIO(piece("starting_kit"))) as archive:
        archive.extractall(kit)
    for command in (
        *(["validate.py", f"samples/upload/{shape}.zip"] for shape in SHAPES),
        *(["score.py", f"samples/train/{shape}.zip"] for shape in SHAPES),
        ["score.py", "samples/train/both.zip", "--per-claim", "out.csv"],
    ):
        done = subprocess.run(
            [python, *command], cwd=kit, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    assert (kit / "out.csv").is_file()
