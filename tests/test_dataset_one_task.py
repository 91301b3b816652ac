"""An edition of one task alone goes from import to upload, as the gold of 2025 does."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from baselines.cpu import train_pairs
from baselines.pair_model import read_labelled_pairs
from climatecheck import read_claims, read_gold
from climatecheck.gold import has_gold
from organiser import worker
from organiser.analysis.report import report
from organiser.analysis.uploads.loading import load
from organiser.build import piece
from organiser.bundle import bundle, entries
from organiser.check import CHECKS, Bundle, open_bundle, run
from organiser.check.report import has_errors
from organiser.check.trees import open_zip
from organiser.competition import VARIANTS
from organiser.dataset import __main__ as command
from organiser.dataset.importing import Outcome, Request, import_edition
from organiser.dry_run import score
from organiser.editions import Edition, OrganiserError, edition, gold_files
from organiser.zips import zipped
from tests.dataset_example import Row, clean, without_bundle, write_csv

PIECES = ("ingestion_program", "scoring_program", "input_data", "reference_data")


def gold_of_2025(rows: list[Row]) -> list[Row]:
    return [
        {
            "claim_id": each["claim_id"],
            "abstract_original_index": each["abstract_id"],
            "annotation": each["annotation"],
        }
        for each in rows
    ]


def one_a_claim(rows: list[Row], *columns: str) -> list[Row]:
    return [{c: each[c] for c in columns} for each in {r["claim_id"]: r for r in rows}.values()]


def gold_alone(folder: Path) -> Path:
    """The gold of the test claims, their texts in a file of their own, and nothing else."""
    (folder / "test").mkdir(parents=True)
    write_csv(folder / "test" / "gold.csv", gold_of_2025(clean().test))
    write_csv(folder / "test" / "claims.csv", one_a_claim(clean().test, "claim_id", "claim"))
    return folder


def with_train(folder: Path) -> Path:
    """The same, and training rows without narratives."""
    gold_alone(folder)
    columns = ("claim_id", "claim", "abstract_id", "abstract", "annotation")
    write_csv(folder / "train.csv", [{c: each[c] for c in columns} for each in clean().train])
    return folder


def narratives_alone(folder: Path) -> Path:
    folder.mkdir()
    for split, rows in (("train", clean().train), ("test", clean().test)):
        rows = one_a_claim(rows, "claim_id", "claim", "narrative")
        write_csv(folder / f"{split}.csv", rows)
    return folder


def data_of(outcome: Outcome) -> Edition:
    folder = outcome.folder
    return Edition(folder / "input_data", folder / "reference_data", folder / "starting_kit/data")


@pytest.fixture(scope="module", params=[gold_alone, with_train])
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    base = tmp_path_factory.mktemp("one-task")
    return import_edition(Request("of2025", request.param(base / "d")), base / "editions")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    base = tmp_path_factory.mktemp("trained")
    asked = Request("trained", with_train(base / "d"))
    return data_of(import_edition(asked, base / "editions", look=without_bundle))


def test_the_gold_of_2025_is_imported(imported: Outcome) -> None:
    found = {(f.kind.code, f.split): f.places[0].found for f in imported.findings}
    train = imported.counts["splits"]["train"]["claims"]["ids"]
    lacking = {("task-missing", "train"): "task 2"} if train else {("split-missing", "train"): ""}
    assert found == {("task-missing", "test"): "task 2", **lacking}
    assert imported.remarks[0].endswith("no other error.")
    data = data_of(imported)
    claims = read_claims(data.input_data / "claims.csv")
    gold = read_gold(data.reference_data, claims, tasks=("1",))
    assert (len(claims), len(gold.label), gold.tasks) == (4, 12, ("1",))
    assert not (data.reference_data / "task2_gold.csv").exists()
    if train:
        assert read_gold(data.kit_data / "train", tasks=()).tasks == ("1",)
        assert (data.kit_data / "abstracts.csv").read_text().count("\n") == 1 + 12
    else:
        assert not (data.kit_data / "train").exists()
        assert "There are no training data" in (data.kit_data / "README.md").read_text()


def test_its_bundle_is_uploadable_and_scores(imported: Outcome, tmp_path: Path) -> None:
    data, board = data_of(imported), VARIANTS["task1"]
    (tmp_path / "bundle.zip").write_bytes(bundle(board, data))
    results = run(open_bundle(tmp_path / "bundle.zip"))
    assert not has_errors(results)
    status = {result.check.id: result.status for result in results}
    assert {status[id_] for id_ in ("data-gold", "gold-told", "sample-scores")} == {"passed"}
    # Claim 11 has 1100 Supports, 1101 Refutes, 1102 NEI; the other three claims are left out.
    lines = ["claim_id,abstract_id,rank,label", "11,1100,1,Supports", "11,1101,2,Supports"]
    lines += ["11,1102,3,Not Enough Information", ""]
    task = worker.Task(*(piece(name, data, board) for name in PIECES))
    upload = zipped({"predictions.csv": "\n".join(lines).encode()})
    assert score(upload, tmp_path / "out", task=task, variant=board) == 0
    values = json.loads((tmp_path / "out" / "scores.json").read_text())
    # Recall@5 and Bpref are 1 for one claim of four. F1 of Supports 2/3 (precision 1/2, recall 1),
    # of Refutes 0, of NEI 1, each with support 1: 5/9; Score1.2 = 5/9 + 1/4.
    assert values["score_1_1"] == pytest.approx(0.25)
    assert values["score_1_2"] == pytest.approx(5 / 9 + 1 / 4)
    assert len(values) == 8


def test_a_bundle_of_both_tasks_is_refused_in_words(imported: Outcome) -> None:
    with pytest.raises(OrganiserError) as refused:
        bundle(VARIANTS[""], data_of(imported))
    assert str(refused.value).startswith("There is no gold of task 2: ")
    assert str(refused.value).endswith(
        "task2_gold.csv is missing or empty. Add it, or leave task 2 out: make bundle-task1, make"
        " score BOARD=task1."
    )


@pytest.fixture(scope="module")
def of_both() -> dict[str, bytes]:
    return entries(VARIANTS[""], edition(""))


@pytest.mark.parametrize("content", [None, b"claim_id,narrative\n"])
def test_the_check_says_which_task_of_a_board_lacks_gold(
    content: bytes | None, of_both: dict[str, bytes]
) -> None:
    with zipfile.ZipFile(io.BytesIO(of_both["reference_data.zip"])) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    del inside["task2_gold.csv"]
    inside |= {} if content is None else {"task2_gold.csv": content}
    tree = open_zip(zipped({**of_both, "reference_data.zip": zipped(inside)}))
    (finding,) = CHECKS["data-gold"].find(Bundle(tree, "b.zip"))
    assert finding.where == "reference_data.zip: task2_gold.csv"
    assert finding.what == "there is no gold of task 2, which the board scores"
    assert "make bundle-task1" in finding.mend


def test_a_file_with_its_header_alone_is_no_gold(trained: Edition, tmp_path: Path) -> None:
    task1 = (trained.reference_data / "task1_gold.csv").read_bytes()
    (tmp_path / "task1_gold.csv").write_bytes(task1)
    (tmp_path / "task2_gold.csv").write_text("claim_id,narrative\n")
    assert gold_files(tmp_path, ("1",)) == {"task1_gold.csv": task1}
    with pytest.raises(OrganiserError, match="no gold of task 2"):
        gold_files(tmp_path, ("1", "2"))
    (tmp_path / "task1_gold.csv").unlink()
    with pytest.raises(OrganiserError, match=r"no gold of task 1: .* Add it\.$"):
        gold_files(tmp_path, ("1",))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_gold_is_more_than_a_header_in_any_form(encoding: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    for text, there in (("claim_id,narrative", False), (f"claim_id,narrative{end}12,1_1", True)):
        path.write_bytes(f"{text}{end}{end}".encode(encoding))
        assert has_gold(path) is there


def test_the_command_says_what_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("organiser.editions.ROOT", tmp_path)
    monkeypatch.setattr("organiser.dataset.checking.MOST_CLAIMS", 0)
    for make, board in ((with_train, "task1"), (narratives_alone, "task2")):
        dataset = make(tmp_path / board)
        command.main(["--name", board, "--dataset", str(dataset)])
        assert capsys.readouterr().out.splitlines()[-1] == (
            f"Next: EDITION={board} make score BOARD={board}, then EDITION={board} make"
            f" bundle-{board}."
        )


def test_an_edition_of_narratives_alone(tmp_path: Path) -> None:
    asked = Request("two", narratives_alone(tmp_path / "d"))
    outcome = import_edition(asked, tmp_path / "editions")
    assert [(f.kind.code, f.split, f.places[0].found) for f in outcome.findings] == [
        ("task-missing", "test", "task 1"),
        ("task-missing", "train", "task 1"),
    ]
    assert outcome.remarks[0].endswith("no other error.")
    with pytest.raises(OrganiserError, match="make bundle-task2"):
        bundle(VARIANTS["task1"], data_of(outcome))


def test_strict_refuses_a_missing_task(tmp_path: Path) -> None:
    asked = Request("e", with_train(tmp_path / "d"), strict=True)
    with pytest.raises(OrganiserError) as refused:
        import_edition(asked, tmp_path / "editions", look=without_bundle)
    assert [line.split("  ")[0] for line in str(refused.value).splitlines()[1:]] == [
        "- warning task-missing",
        "- warning task-missing",
    ]


# --- what is done with such an edition ------------------------------------------------------------


def test_a_report_takes_the_other_task_as_not_entered(trained: Edition, tmp_path: Path) -> None:
    pairs = ["11,1100,1,Supports,0_0", "12,1200,1,Refutes,1_1", ""]
    files = {
        "both": "\n".join(["claim_id,abstract_id,rank,label,narrative", *pairs]),
        "narratives": "claim_id,narrative\n11,0_0\n",
    }
    for team, text in files.items():
        (tmp_path / f"{team}.zip").write_bytes(zipped({"predictions.csv": text.encode()}))
    said: list[str] = []
    loaded = load(tmp_path, trained.reference_data, trained.input_data, say=said.append)
    assert said[0] == "The gold is of task 1 alone; the other task counts as not entered"
    evaluation = loaded.evaluation
    assert [system.scores.tasks for system in evaluation.systems] == [("1.1", "1.2")]
    assert evaluation.entered("2") == ()
    assert [refused.team for refused in evaluation.refused] == ["narratives"]
    made = report(loaded)
    assert "1 entered task 1.2, 0 entered task 2; 1 upload was refused" in made.lead[1]
    sections = [section for chapter in made.chapters for section in chapter.sections]
    names = {part.name for section in sections for part in section.parts}
    assert "table2" in names
    assert "table3" not in names


def test_a_report_without_any_gold_is_refused(trained: Edition, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"task1_gold\.csv: the file cannot be read") as refused:
        load(tmp_path, tmp_path, trained.input_data)
    assert "task2_gold.csv: the file cannot be read" in str(refused.value)


@pytest.fixture(scope="module")
def kit(trained: Edition, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kit")
    with zipfile.ZipFile(io.BytesIO(piece("starting_kit", trained, VARIANTS["task1"]))) as archive:
        archive.extractall(folder)
    return folder


def in_kit(kit: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=kit, capture_output=True, text=True, check=False
    )


def test_the_kit_scores_the_task_that_has_gold(kit: Path) -> None:
    done = in_kit(kit, "score.py", "samples/train/both.zip")
    assert done.returncode == 0, done.stderr
    assert "score_1_1" in done.stdout
    assert "There is no gold of task 2" not in done.stdout  # the site does not score it either
    (kit / "board.json").unlink()  # a board of both tasks
    done = in_kit(kit, "score.py", "samples/train/both.zip")
    assert done.returncode == 0, done.stderr
    assert "There is no gold of task 2 in “" in done.stdout
    assert "narrative_f1_macro" not in done.stdout
    (kit / "data" / "train" / "task1_gold.csv").write_text("claim_id,abstract_id,label\n")
    done = in_kit(kit, "score.py", "samples/train/both.zip")
    assert done.returncode == 2
    assert "has no gold of what the site scores" in done.stderr


def test_what_needs_narratives_says_so(trained: Edition) -> None:
    train = trained.kit_data / "train"
    data = read_labelled_pairs(train, trained.kit_data / "abstracts.csv")
    assert len(data) == 12
    gold = read_gold(train, tasks=("1",))
    with pytest.raises(ValueError, match="no training gold of task 2, which --narrative-aware"):
        train_pairs(data, gold, aware_of=["A claim."], narratives=None)
