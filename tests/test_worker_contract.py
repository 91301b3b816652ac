"""What the platform does to a submission, and that the bundle lives with it: a test a sentence."""

import csv
import json
import math
from pathlib import Path

import pytest

from climatecheck.leaderboard import board_columns
from organiser import dry_run, worker
from organiser.competition import VARIANTS
from tests.conftest import CLAIMS, Submit, Tiny, full_submission, rows, upload
from tests.reading import CLAIM

GOOD = {"predictions.csv": full_submission()}


def scores_of(run: worker.Run) -> dict[str, float]:
    return json.loads((run.output / "scores.json").read_text())


def res_of(run: worker.Run) -> Path:
    return run.output.parent / "input" / "res"


# --- what happens to a submission -----------------------------------------------------------------


def test_files_without_metadata_reach_scoring_and_a_perfect_file_scores_by_hand(submit: Submit):
    run = submit(GOOD)
    assert (res_of(run) / "predictions.csv").read_bytes() == GOOD["predictions.csv"]
    assert run.scoring.exit_code == 0
    scores = scores_of(run)
    # Both evidentiary abstracts of each claim on ranks 1 and 2, nothing judged NEI above them.
    assert scores["recall_at_2"] == scores["recall_at_5"] == scores["bpref"] == 1
    assert scores["score_1_1"] == 1  # (1 + 1) / 2
    assert scores["score_1_2"] == 2  # F1 1 + Recall@5 1
    assert scores["narrative_f1_macro"] == 1


def test_ingestion_writes_what_it_understood(submit: Submit):
    validated = res_of(submit(GOOD)) / "validated"
    task1 = list(csv.reader((validated / "task1.csv").open()))
    assert task1[:3] == [
        ["claim_id", "abstract_id", "rank", "label"],
        ["c00", "1", "1", "Supports"],
        ["c00", "2", "2", "Refutes"],
    ]
    assert len(task1) == 1 + 5 * 12
    task2 = list(csv.reader((validated / "task2.csv").open()))
    assert task2[:2] == [["claim_id", "narrative"], ["c00", "1_1"]]
    assert task2[-1] == ["c11", "0_0"]
    report = json.loads((validated / "validation.json").read_text("utf-8"))
    assert report["valid"] and report["tasks"] == ["1.1", "1.2", "2"]
    assert (report["task1_rows"], report["task1_claims"], report["task2_claims"]) == (60, 12, 12)


def test_on_equal_names_the_file_of_ingestion_wins(submit: Submit):
    forged = {**GOOD, "validated/task1.csv": "forged", "validated/own.txt": "forged"}
    validated = res_of(submit(forged)) / "validated"
    assert sorted(path.name for path in validated.iterdir()) == [
        "task1.csv",
        "task2.csv",
        "validation.json",
    ]
    assert "forged" not in (validated / "task1.csv").read_text()


@pytest.mark.parametrize("name", ["validated", "validated/task1.csv/x"])
def test_whatever_stands_in_the_place_of_ingestions_folder_is_replaced(submit: Submit, name: str):
    run = submit({**GOOD, name: "forged"})
    assert (res_of(run) / "validated" / "task1.csv").is_file()
    assert scores_of(run)["score_1_1"] == 1


def test_a_command_is_not_run_and_the_submission_is_refused_in_words(submit: Submit, tmp_path):
    mark = tmp_path / "run"
    run = submit({**GOOD, "metadata.yaml": f"command: touch {mark}"})
    assert not mark.exists()
    assert "E-COMMAND" in run.ingestion.stderr
    assert run.ingestion.exit_code == run.scoring.exit_code == 1
    assert "would run as code" in run.notes[0]


@pytest.mark.parametrize("name", ["metadata", "metadata.yaml"])
def test_with_metadata_nothing_reaches_scoring_and_both_steps_say_so(submit: Submit, name: str):
    run = submit({**GOOD, name: "description: mine"})
    assert not (res_of(run) / "predictions.csv").exists()
    assert "E-METADATA-FILE" in run.ingestion.stderr
    assert "E-NO-CSV-ARRIVED" in run.scoring.stderr
    assert not (run.output / "scores.json").exists()


def test_scoring_follows_a_failed_ingestion_and_fails_by_itself(submit: Submit):
    run = submit({"predictions.csv": "claim_id,abstract_id\nc00,1\n"})
    assert run.ingestion.exit_code == 1
    assert "ingestionExitCode: 1" in (res_of(run) / "metadata").read_text()
    assert run.scoring.exit_code == 1
    assert "E-COLUMN-MISSING" in run.ingestion.stderr
    assert "E-COLUMN-MISSING" in run.scoring.stderr
    assert "E-COLUMN-MISSING" in (run.output / "detailed_results.html").read_text("utf-8")


def test_nothing_in_res_is_trusted(submit: Submit, tmp_path, task: worker.Task):
    weak = rows("claim_id,abstract_id,rank", [f"{claim},{9}999,1" for claim in CLAIMS])
    honest = worker.run(upload({"predictions.csv": weak}), task, tmp_path / "honest")
    forged = submit(
        {
            "predictions.csv": weak,
            "scores.json": json.dumps(dict.fromkeys(board_columns(), 1.0)),
            "detailed_results.html": "<p>forged</p>",
            "validation.json": '{"valid": true}',
            "validated/task1.csv": full_submission(),
        }
    )
    assert scores_of(forged) == scores_of(honest)
    assert scores_of(forged)["score_1_1"] == 0
    assert "forged" not in (forged.output / "detailed_results.html").read_text("utf-8")


def test_files_are_plain_and_of_mode_0644(submit: Submit):
    run = submit({**GOOD, "folder/notes.txt": "x"})
    files = [path for path in res_of(run).rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in files if "validated" not in path.parts} == {
        0o644
    }
    assert {path.stat().st_mode & 0o777 for path in (res_of(run) / "validated").iterdir()} == {
        0o644
    }


def test_no_program_leaves_a_file_called_metadata_or_anything_unfinished(submit: Submit):
    run = submit(GOOD)
    assert sorted(path.name for path in run.output.iterdir()) == [
        "detailed_results.html",
        "scores.json",
    ]
    prediction = run.output.parent.parent / "prediction" / "output"
    assert sorted(path.name for path in prediction.iterdir()) == [
        "metadata",  # the platform's own
        "predictions.csv",
        "validated",
    ]


def test_the_log_is_prose_since_chunks_of_json_are_dropped(submit: Submit):
    run = submit(GOOD)
    for step in (run.ingestion, run.scoring):
        assert step.stdout
        for line in (step.stdout + step.stderr).splitlines():
            with pytest.raises(ValueError):
                json.loads(line)


def test_what_participants_read_shows_no_claim_and_no_verdict_on_one(submit: Submit):
    run = submit(GOOD)
    page = (run.output / "detailed_results.html").read_text("utf-8")
    for text in (run.ingestion.stdout, run.scoring.stdout, run.scoring.stderr, page):
        assert not CLAIM.search(text)
        for abstract in (5001, 5002, 5003, 11003):
            assert str(abstract) not in text


@pytest.mark.parametrize("content", [b"PK\x03\x04 broken", b"not a zip"])
def test_what_cannot_be_unpacked_never_starts(tmp_path, task: worker.Task, content: bytes):
    with pytest.raises(worker.PlatformError, match="cannot unpack"):
        worker.run(content, task, tmp_path)


# --- scores.json ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "cells", "entered"),
    [
        ("claim_id,abstract_id,rank", "{i}001,1", {"score_1_1", "recall_at_5", "bpref"}),
        ("claim_id,abstract_id,rank,label", "{i}001,1,Supports", {"score_1_2"}),
        ("claim_id,narrative", "0_0", {"narrative_f1_macro", "narrative_f1_micro"}),
    ],
)
def test_every_column_every_time_and_finite(submit: Submit, header: str, cells: str, entered: set):
    lines = [f"{claim},{cells.format(i=i + 1)}" for i, claim in enumerate(CLAIMS)]
    scores = scores_of(submit({"predictions.csv": rows(header, lines)}))
    assert tuple(scores) == board_columns()
    assert all(math.isfinite(value) and 0 <= value <= 2 for value in scores.values())
    tasks = {"1": header.count("rank"), "2": header.count("narrative")}
    for column, value in scores.items():
        narrative = column.startswith("narrative")
        if not tasks["2" if narrative else "1"]:
            assert value == 0
    if "label" not in header:
        assert scores["score_1_2"] == scores["verification_f1"] == 0
    if "narrative" in header:
        # Gold: 4 claims 1_1, 8 claims 0_0; all predicted 0_0. 0_0: P 8/12, R 1, F1 .8; 1_1: 0.
        assert scores["narrative_f1_macro"] == pytest.approx(0.4)
    assert entered <= set(scores)


@pytest.mark.parametrize("variant", ["task1", "task2"])
def test_a_board_of_one_task_gets_its_own_columns_alone(submit: Submit, tiny: Tiny, variant: str):
    run = submit(GOOD, task=tiny.task(variant))
    assert tuple(scores_of(run)) == board_columns(VARIANTS[variant].tasks)
    assert "W-OTHER-TASK" in run.ingestion.stdout


def test_a_file_for_the_other_task_alone_is_refused(submit: Submit, tiny: Tiny):
    lines = [f"{claim},0_0" for claim in CLAIMS]
    run = submit({"predictions.csv": rows("claim_id,narrative", lines)}, task=tiny.task("task1"))
    assert run.scoring.exit_code == 1
    assert "E-OTHER-TASK" in run.scoring.stderr


@pytest.mark.parametrize("value", [math.nan, math.inf, None, "N/A", {"x": 1}, 10**11, True])
def test_the_dry_run_knows_what_the_platform_does_not_store(value: object):
    assert worker.stored({"a": value, "b": 0.5}, ["a", "b"])


def test_the_dry_run_knows_a_missing_and_an_unknown_column():
    assert worker.stored({"a": 1.0}, ["a", "b"]) == ["b is missing; it would rank first"]
    assert worker.stored({"a": 1.0, "c": 1}, ["a"]) == ["c is no column of the board"]
    assert worker.stored({"a": 1.0}, ["a"]) == []


def test_the_dry_run_removes_what_an_earlier_run_left(tmp_path, task: worker.Task, capfd):
    out = tmp_path / "out"
    assert dry_run.score(upload(GOOD), out, task=task) == 0
    assert (out / "scores.json").is_file()
    assert dry_run.score(upload({"predictions.csv": "claim_id,x\n"}), out, task=task) == 1
    assert [path.name for path in out.iterdir()] == ["detailed_results.html"]
    assert "Failed" in capfd.readouterr().err
