"""Fixtures shared by the tests: a tiny edition, and the way through the imitated worker."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pytest

from organiser import worker
from organiser.build import piece
from organiser.competition import VARIANTS
from organiser.zips import files_of, zipped

os.environ.pop("EDITION", None)  # the tests are about the sample edition

ROOT = Path(__file__).resolve().parent.parent
CLAIMS = [f"c{i:02}" for i in range(12)]
"""Ids that occur in no other text, so that a leak of one can be seen."""


@dataclass(frozen=True)
class Tiny:
    """Twelve claims; of claim i, abstract 1000i+1 Supports, 1000i+2 Refutes, 1000i+3 is NEI."""

    inputs: Path
    reference: Path

    def task(self, variant: str = "") -> worker.Task:
        chosen = VARIANTS[variant]
        return worker.Task(
            piece("ingestion_program", variant=chosen),
            piece("scoring_program", variant=chosen),
            zipped(files_of(self.inputs)),
            zipped({**files_of(self.inputs), **files_of(self.reference)}),
        )


def rows(header: str, lines: list[str]) -> bytes:
    return "\n".join([header, *lines, ""]).encode()


ROWS_PER_CLAIM = 5


def full_submission() -> bytes:
    """Each claim gets its two evidentiary abstracts, rightly labelled, then three unjudged ones."""
    lines = []
    for i, claim in enumerate(CLAIMS):
        found = [(1000 * i + 1, "Supports"), (1000 * i + 2, "Refutes")]
        found += [(100_000 + k, "Supports") for k in range(ROWS_PER_CLAIM - len(found))]
        code = "1_1" if i < 4 else "0_0"
        lines += [f"{claim},{id_},{k},{label},{code}" for k, (id_, label) in enumerate(found, 1)]
    return rows("claim_id,abstract_id,rank,label,narrative", lines)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    base = tmp_path_factory.mktemp("tiny")
    edition = Tiny(base / "input_data", base / "reference_data")
    edition.inputs.mkdir()
    edition.reference.mkdir()
    claims = [f'{claim},"Something about the climate, number {claim}."' for claim in CLAIMS]
    (edition.inputs / "claims.csv").write_bytes(rows("claim_id,claim", claims))
    facts = {"name": "tiny", "title": "Tiny edition", "notice": "Synthetic: made for a test."}
    (edition.inputs / "edition.json").write_text(json.dumps(facts))
    labels = ("Supports", "Refutes", "Not Enough Information")
    pairs = [
        f"{claim},{1000 * i + k},{label}"
        for i, claim in enumerate(CLAIMS)
        for k, label in enumerate(labels, start=1)
    ]
    (edition.reference / "task1_gold.csv").write_bytes(rows("claim_id,abstract_id,label", pairs))
    codes = [f"{claim},{'1_1' if i < 4 else '0_0'}" for i, claim in enumerate(CLAIMS)]
    (edition.reference / "task2_gold.csv").write_bytes(rows("claim_id,narrative", codes))
    return edition


@pytest.fixture(scope="session")
def task(tiny: Tiny) -> worker.Task:
    return tiny.task()


def upload(files: Mapping[str, bytes | str]) -> bytes:
    """A zip with these files, its entries in this order."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


Submit = Callable[..., worker.Run]


@pytest.fixture
def submit(tmp_path: Path, task: worker.Task) -> Submit:
    """Take files through both steps, in ``tmp_path / "app"``."""

    def take(files: Mapping[str, bytes | str], task: worker.Task = task) -> worker.Run:
        return worker.run(upload(files), task, tmp_path / "app")

    return take


@dataclass(frozen=True)
class Folders:
    """The scoring step's folders, for a program run by itself."""

    inputs: Path
    output: Path

    def score(self) -> subprocess.CompletedProcess[str]:
        program = ROOT / "scoring_program" / "scoring.py"
        return subprocess.run(
            [sys.executable, str(program), str(self.inputs), str(self.output)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )


@pytest.fixture
def folders(tiny: Tiny, tmp_path: Path) -> Folders:
    """``ref`` of the tiny edition, and a valid submission in ``res``."""
    made = Folders(tmp_path / "input", tmp_path / "output")
    for name, files in (
        ("ref", {**files_of(tiny.inputs), **files_of(tiny.reference)}),
        ("res", {"predictions.csv": full_submission()}),
    ):
        (made.inputs / name).mkdir(parents=True)
        for file, content in files.items():
            (made.inputs / name / file).write_bytes(content)
    made.output.mkdir()
    return made
