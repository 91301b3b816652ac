"""What a submission brings along in the place of outputs changes nothing but its own verdict."""

import json
import os
import stat
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path

import pytest

from climatecheck.leaderboard import board_columns
from organiser import worker
from tests.conftest import CLAIMS, Folders, Submit, full_submission, rows, upload
from tests.reading import CLAIM, SCORES, Page, Reading, Section, reading
from tests.test_faults import run_program

WEAK = rows("claim_id,abstract_id,rank", [f"{claim},99999,1" for claim in CLAIMS])
"""Finds nothing, so that whatever is gained by forging can be seen: its scores are all 0."""

FORGED: dict[str, bytes] = {  # any of them may stand beside the others but for the last one
    "scores.json": json.dumps(dict.fromkeys(board_columns(), 1.0)).encode(),
    "detailed_results.html": b"<p>forged</p>",
    "validation.json": b'{"valid": true, "forged": 1}',
    "validated/task1.csv": full_submission(),
    "validated/validation.json": b"forged",
    "validated/metadata": b"forged",
    "output/scores.json": b"forged",
    "ref/task1_gold.csv": b"forged",
    "ref/claims.csv": b"claim_id,claim\nforged,forged\n",
    "board.json": b'{"tasks": ["2"], "columns": ["forged"], "blind": true}',
    "edition.json": b'{"notice": "forged"}',
    "climatecheck/__init__.py": b"raise SystemExit('forged')",
    "numpy.py": b"raise SystemExit('forged')",
    "sitecustomize.py": b"raise SystemExit('forged')",
    "scoring.py": b"raise SystemExit('forged')",
    "validated": b"forged",
}
ALL_AT_ONCE = dict(list(FORGED.items())[:-1])


@pytest.fixture(scope="module")
def honest(task: worker.Task, tmp_path_factory: pytest.TempPathFactory) -> Reading:
    made = reading(
        worker.run(upload({"predictions.csv": WEAK}), task, tmp_path_factory.mktemp("honest"))
    )
    assert set(json.loads(made.files[SCORES]).values()) == {0.0}
    return made


def same_but_for_remarks(page: str, honest: str) -> bool:
    """Whether two pages differ in their header (the verdict) and in the list of problems alone."""

    def kept(html: str) -> list[Section]:
        return [section for section in Page(html).sections[1:] if not section.lists_problems]

    return len(kept(honest)) > 2 and kept(page) == kept(honest)


def unforged(made: Reading, honest: Reading) -> None:
    assert made.files[SCORES] == honest.files[SCORES]
    assert made.logs["scoring.stdout"] == honest.logs["scoring.stdout"]
    assert same_but_for_remarks(made.page, honest.page)
    own = {name: data for name, data in made.files.items() if "/validated/" in name}
    assert set(own) == {"prediction/validated/task1.csv", "prediction/validated/validation.json"}
    assert all(b"forged" not in data for data in own.values() if data.startswith(b"claim_id"))


@pytest.mark.parametrize("name", list(FORGED))
def test_a_forged_file_is_not_read_and_not_kept(submit: Submit, honest: Reading, name: str) -> None:
    unforged(reading(submit({"predictions.csv": WEAK, name: FORGED[name]})), honest)


def test_all_forged_files_at_once(submit: Submit, honest: Reading) -> None:
    unforged(reading(submit({"predictions.csv": WEAK, **ALL_AT_ONCE})), honest)


@pytest.mark.parametrize("name", ["task1.csv", "task2.csv", "Predictions (1).csv"])
def test_a_second_candidate_is_refused_in_both_steps(submit: Submit, name: str) -> None:
    run = submit({"predictions.csv": WEAK, name: full_submission()})
    assert run.ingestion.exit_code == run.scoring.exit_code == 1
    for step in (run.ingestion, run.scoring):
        assert "E-MIXED-KINDS" in step.stderr or "E-TWO-CANDIDATES" in step.stderr
    assert not (run.output / "scores.json").exists()


# --- commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "quote"),
    [
        ("metadata", "command: {}"),
        ("metadata.yaml", "command: {}"),
        ("metadata.yaml", '"command" : "{}"'),
        ("metadata.yaml", "a: 1\ncommand: {}\n"),
    ],
)
def test_a_command_is_refused_in_words_by_both_steps(
    submit: Submit, tmp_path: Path, name: str, quote: str
) -> None:
    mark = tmp_path / "was-run"
    run = submit({"predictions.csv": WEAK, **ALL_AT_ONCE, name: quote.format(f"touch {mark}")})
    assert not mark.exists()
    assert "takes predictions and runs no code" in run.ingestion.stderr
    assert "no CSV file reached the scorer" in run.scoring.stderr
    assert name in run.ingestion.stderr and name in run.scoring.stderr
    assert run.ingestion.exit_code == run.scoring.exit_code == 1
    assert not (run.output / "scores.json").exists()


# --- links in the zip -----------------------------------------------------------------------------


def with_links(files: Mapping[str, bytes], links: Mapping[str, str]) -> bytes:
    """A zip with entries of the mode of a symbolic link beside its files."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        for name, target in links.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system = 3
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(entry, target)
    return buffer.getvalue()


TARGETS = ("/app/input/ref/task1_gold.csv", "../../input_data/claims.csv", "/etc/passwd", ".")


@pytest.mark.parametrize("target", TARGETS)
def test_links_beside_the_predictions_change_nothing(
    task: worker.Task, tmp_path: Path, honest: Reading, target: str
) -> None:
    names = ("scores.json", "validated", "detailed_results.html", "validation.json")
    zipped = with_links({"predictions.csv": WEAK}, dict.fromkeys(names, target))
    unforged(reading(worker.run(zipped, task, tmp_path)), honest)


@pytest.mark.parametrize(
    ("name", "target"),
    list(zip(["predictions.csv", "task1.csv"] * 2, TARGETS, strict=True)),
)
def test_a_link_in_the_place_of_the_predictions_is_refused(
    task: worker.Task, tmp_path: Path, name: str, target: str
) -> None:
    run = worker.run(with_links({}, {name: target}), task, tmp_path)
    assert run.ingestion.exit_code == run.scoring.exit_code == 1
    assert f"{name}" in run.scoring.stderr and "E-" in run.scoring.stderr
    assert "root:" not in str(reading(run))
    assert not (run.output / "scores.json").exists()


# --- real links, had anything made them -----------------------------------------------------------


def snapshot(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def link_to_a_file(place: Path, victims: Path) -> None:
    place.symlink_to(victims / "ref" / "task1_gold.csv")


def link_to_a_folder(place: Path, victims: Path) -> None:
    place.symlink_to(victims / "ref", target_is_directory=True)


def link_to_nothing(place: Path, victims: Path) -> None:
    place.symlink_to(victims / "ref" / "new.csv")


def link_to_itself(place: Path, _: Path) -> None:
    place.symlink_to(place)


def hard_link(place: Path, victims: Path) -> None:
    os.link(victims / "ref" / "task1_gold.csv", place)


def full_folder(place: Path, victims: Path) -> None:
    (place / "deeper").mkdir(parents=True)
    (place / "task1.csv").symlink_to(victims / "ref" / "task1_gold.csv")
    (place / "deeper" / "ref").symlink_to(victims / "ref", target_is_directory=True)


def pipe(place: Path, _: Path) -> None:
    os.mkfifo(place)


TRAPS = (
    link_to_a_file,
    link_to_a_folder,
    link_to_nothing,
    link_to_itself,
    hard_link,
    full_folder,
    pipe,
)
Trap = Callable[[Path, Path], None]


@pytest.mark.parametrize("trap", TRAPS)
def test_scoring_replaces_whatever_stands_in_the_place_of_its_outputs(
    folders: Folders, trap: Trap
) -> None:
    before = snapshot(folders.inputs)
    for name in ("scores.json", "detailed_results.html"):
        trap(folders.output / name, folders.inputs)
    done = run_program("scoring", folders.inputs, folders.output)
    assert done.returncode == 0, done.stderr
    assert snapshot(folders.inputs) == before
    left = list(folders.output.iterdir())
    assert sorted(path.name for path in left) == ["detailed_results.html", "scores.json"]
    assert all(path.is_file() and not path.is_symlink() for path in left)
    assert json.loads((folders.output / "scores.json").read_text())["score_1_1"] == 1


@pytest.mark.parametrize("trap", TRAPS)
def test_ingestion_replaces_whatever_stands_in_the_place_of_its_folder(
    folders: Folders, trap: Trap
) -> None:
    before = snapshot(folders.inputs)
    trap(folders.output / "validated", folders.inputs)
    source, claims = folders.inputs / "res", folders.inputs / "ref"
    done = run_program("ingestion", source, claims, folders.output)
    assert done.returncode == 0, done.stderr
    assert snapshot(folders.inputs) == before
    validated = folders.output / "validated"
    assert not validated.is_symlink()
    assert sorted(snapshot(validated)) == ["task1.csv", "task2.csv", "validation.json"]
    assert not any(path.is_symlink() for path in validated.iterdir())


@pytest.mark.parametrize(
    ("name", "trap"),
    [
        ("predictions.csv", link_to_a_file),
        ("task1.csv", link_to_a_folder),
        ("predictions.csv", link_to_nothing),
        ("predictions.csv", pipe),
        ("notes.txt", link_to_a_file),
    ],
)
def test_scoring_follows_no_link_among_the_files_of_a_submission(
    folders: Folders, trap: Trap, name: str
) -> None:
    res = folders.inputs / "res"
    (res / "predictions.csv").unlink()
    trap(res / name, folders.inputs)
    done = run_program("scoring", folders.inputs, folders.output)
    assert done.returncode == 1
    assert "E-LINK" in done.stderr
    page = (folders.output / "detailed_results.html").read_text("utf-8")
    assert not CLAIM.search(done.stderr + page)
    assert not (folders.output / "scores.json").exists()


@pytest.mark.parametrize("trap", [link_to_a_folder, link_to_a_file, full_folder])
def test_scoring_never_looks_into_the_folder_of_ingestion(folders: Folders, trap: Trap) -> None:
    trap(folders.inputs / "res" / "validated", folders.inputs)
    done = run_program("scoring", folders.inputs, folders.output)
    assert done.returncode == 0, done.stderr
    assert json.loads((folders.output / "scores.json").read_text())["score_1_1"] == 1
