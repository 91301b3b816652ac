"""The report as a whole: a folder of unlike submissions, the same bytes, one team's report."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from organiser.analysis import __main__ as command
from organiser.analysis.__main__ import main
from organiser.analysis.inference import power
from organiser.analysis.official_tables import score_columns
from organiser.reporting.output import write_folder
from tests.conftest import CLAIMS, ROOT, Tiny, full_submission, rows
from tests.test_loading import bulk, leaderboard_csv, named, retrieval_only, task2_only, zipped

TEAMS = ("Good", "Retrieval <b>only</b>", "Narratives")
BAD = "Bad"


@pytest.fixture(scope="session")
def four(tmp_path_factory) -> Path:
    """One good, one retrieval-only, one task-2-only and one invalid submission."""
    folder = tmp_path_factory.mktemp("four")
    contents = (full_submission(), retrieval_only(1), task2_only())
    entries = {
        named(k, team): zipped(content)
        for k, (team, content) in enumerate(zip(TEAMS, contents, strict=True), start=1)
    }
    return bulk(folder, {**entries, named(9, BAD): zipped(b"claim_id,abstract_id,rank\nx,y,z\n")})


def arguments(tiny: Tiny, submissions: Path, out: Path, *more: str) -> list[str]:
    given = {"submissions": submissions, "reference": tiny.reference, "input": tiny.inputs}
    return [*(f"--{key}={path}" for key, path in given.items()), f"--out={out}", *more]


@pytest.fixture(scope="session")
def made(tiny, four, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("made") / "report"
    assert main(arguments(tiny, four, out, f"--reference-old={tiny.reference}")) == 0
    return out


def files_in(folder: Path) -> dict[str, bytes]:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "tables" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_each_table_and_figure_has_its_files(made):
    files = files_in(made)
    html = files["report.html"].decode()
    stems = {Path(name).with_suffix("").as_posix() for name in files if name.startswith("tables/")}
    assert {f"{stem}.{kind}" for stem in stems for kind in ("csv", "tex")} <= set(files)
    figures = {Path(name).stem for name in files if name.startswith("figures/")}
    assert {f"figures/{stem}.{kind}" for stem in figures for kind in ("svg", "pdf")} <= set(files)
    assert html.count("<svg") == len(figures) > 3
    beside = {stem for stem in stems if f'id="table-{Path(stem).name}"' not in html}
    assert beside == {"tables/bounds_claims_bpref", "tables/bounds_claims_recall"}
    assert all(stem in html for stem in beside)  # the page says where they are
    assert {"table2", "table3", "uploads", "refused", "receipt"} <= {Path(s).name for s in stems}


def test_what_was_not_entered_is_a_dash_and_not_a_zero(made):
    rows = {row["team"]: row for row in table(made, "table2")}
    # Good: both evidentiary abstracts of each claim, rightly labelled, so 1 and 1 + 1.
    assert float(rows["Good"]["score_1_1"]) == 1.0
    assert float(rows["Good"]["score_1_2"]) == 2.0
    # One of two evidentiary abstracts, none above it: Recall@5 and Bpref are 1/2.
    unlabelled = rows[TEAMS[1]]
    assert float(unlabelled["score_1_1"]) == 0.5
    assert {unlabelled[key] for key in score_columns("1.2")} == {""}
    assert unlabelled["rank_1_2"] == ""
    assert set(rows) == {"Good", TEAMS[1]}
    assert [row["team"] for row in table(made, "table3")] == ["Good", "Narratives"]


def test_the_invalid_one_is_listed_with_its_problems(made):
    rows = table(made, "refused")
    assert {row["team"] for row in rows} == {BAD}
    assert {row["severity"] for row in rows} >= {"error"}
    assert any("E-UNKNOWN-CLAIM" in row["problem"] for row in rows)
    assert BAD not in {row["team"] for row in table(made, "uploads")}


def test_markup_in_a_name_is_text(made):
    html = (made / "report.html").read_text("utf-8")
    assert "Retrieval &lt;b&gt;only&lt;/b&gt;" in html
    assert "<b>" not in html


def test_the_page_says_what_it_rests_on(made):
    html = (made / "report.html").read_text("utf-8")
    assert "Synthetic: made for a test." in html
    receipt = {row["what"]: row["which"] for row in table(made, "receipt")}
    assert receipt["Edition"] == "tiny"
    assert len(receipt["Hash of the gold"]) == len(receipt["Hash of the scorer"]) == 12
    numbers = {row["what"]: int(row["number"]) for row in table(made, "data")}
    # Twelve claims with one pair of each of three labels.
    assert numbers["Claims"] == len(CLAIMS) == 12
    assert numbers["Judged claim-abstract pairs"] == 36
    assert numbers["Claims with an evidentiary abstract"] == 12


def test_the_same_gold_twice_changes_nothing(made):
    assert {float(row["difference"]) for row in table(made, "two_golds")} == {0.0}
    assert {row["places_won"] for row in table(made, "two_golds_ranks")} == {"0"}


def test_trec_files_are_there(made):
    names = {name for name in files_in(made) if name.startswith("trec/")}
    runs = {"trec/good.run": "Good", "trec/retrieval-b-only-b.run": "Retrieval <b>only</b>"}
    assert names == {"trec/qrels.txt", "trec/runs.csv", *runs}
    with (made / "trec" / "runs.csv").open(newline="") as file:
        assert {f"trec/{row['run']}": row["team"] for row in csv.DictReader(file)} == runs
    assert len((made / "trec" / "qrels.txt").read_text().splitlines()) == 36


def test_the_same_input_gives_the_same_bytes_in_another_process(tiny, four, made, tmp_path):
    out = tmp_path / "again"
    command = [sys.executable, "-m", "organiser.analysis"]
    command += arguments(tiny, four, out, f"--reference-old={tiny.reference}")
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert files_in(out) == files_in(made)
    assert "Drawing figure" in run.stderr and run.stdout == ""


# --- one team's report -------------------------------------------------------------------------


@pytest.fixture(scope="session")
def of_team(tiny, four, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("team")
    board = folder / "board.csv"
    board.write_text(
        leaderboard_csv({"Good-1": "{'co2e_kg': '2'}", "Narratives-3": "{'co2e_kg': '7351'}"})
    )
    out = folder / "report"
    assert main(arguments(tiny, four, out, "--team=Good", f"--leaderboard={board}")) == 0
    return out


def test_a_teams_report_knows_no_other_team(of_team):
    for name, content in files_in(of_team).items():
        for other in (*TEAMS[1:], BAD, "Narratives", "7351", "Retrieval &lt;"):
            assert other.encode() not in content, name


def test_a_teams_report_holds_no_gold(of_team):
    files = files_in(of_team)
    assert "trec/good.run" in files and "trec/qrels.txt" not in files
    for name, content in files.items():
        if not name.endswith(".run"):  # what the team sent itself
            assert re.search(rb"\bc\d\d\b", content) is None, name


def test_a_teams_report_has_its_scores_and_its_page(of_team):
    scores = {row["score"]: float(row["value"]) for row in table(of_team, "scores_1_1")}
    assert scores == {"Score1.1": 1.0, "Recall@2": 1.0, "Recall@5": 1.0, "Bpref": 1.0}
    (page,) = of_team.glob("results-of-*.html")
    assert page.name in (of_team / "report.html").read_text("utf-8")


def test_few_claims_have_no_intervals(tiny, tmp_path):
    content = task2_only().splitlines()[:6]  # the header and five claims
    (tmp_path / "Few.csv").write_bytes(b"\n".join(content) + b"\n")
    out = tmp_path / "out"
    assert main(arguments(tiny, tmp_path / "Few.csv", out)) == 2
    (tmp_path / "teams").mkdir()
    (tmp_path / "Few.csv").rename(tmp_path / "teams" / "Few.csv")
    assert main(arguments(tiny, tmp_path / "teams", out, "--team=Few")) == 0
    assert {row["interval_low"] + row["interval_high"] for row in table(out, "scores_2")} == {""}


# --- the command -------------------------------------------------------------------------------


def test_a_folder_that_is_no_report_is_left_alone(tiny, four, tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("years of work")
    assert main(arguments(tiny, four, tmp_path, "--team=Good")) == 2
    assert "is no report" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_older_report_is_replaced_whole(tiny, four, tmp_path):
    out = tmp_path / "report"
    out.mkdir()
    (out / "report.html").write_text("old")
    (out / "stale.csv").write_text("old")
    assert main(arguments(tiny, four, out, "--team=Good", "--pick=", "--leaderboard=")) == 0
    assert "stale.csv" not in files_in(out)
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.parametrize(
    "more",
    [
        "--submissions=/nowhere",
        "--reference=/nowhere",
        "--input=/nowhere",
        "--pick=x",
        "--team=nobody",
        "--leaderboard=/nowhere",
        "--reference-old=/nowhere",
    ],
)
def test_what_is_missing_is_said_in_words(tiny, four, tmp_path, capsys, more):
    assert main([*arguments(tiny, four, tmp_path / "out"), more]) == 2
    said = capsys.readouterr().err
    assert "No report: " in said and "Traceback" not in said
    assert not (tmp_path / "out").exists()


def with_gold(tiny: Tiny, folder: Path, task1: list[str]) -> Path:
    """Tiny gold with other judgements."""
    folder.mkdir()
    (folder / "task1_gold.csv").write_bytes(rows("claim_id,abstract_id,label", task1))
    task2 = next(path for path in tiny.reference.iterdir() if path.name.startswith("task2"))
    (folder / task2.name).write_bytes(task2.read_bytes())
    return folder


@pytest.mark.parametrize("evidentiary", [1, 2])
def test_a_gold_with_few_evidentiary_claims_makes_a_report(tiny, tmp_path, evidentiary):
    gold = [f"{claim},{1000 * k + 1},Supports" for k, claim in enumerate(CLAIMS[:evidentiary])]
    gold += [f"{CLAIMS[-1]},7,Not Enough Information"]
    reference = with_gold(tiny, tmp_path / "reference", gold)
    (tmp_path / "teams").mkdir()
    for team, hits in (("A", 1), ("B", 0)):
        (tmp_path / "teams" / f"{team}.csv").write_bytes(retrieval_only(hits))
    out = tmp_path / "out"
    more = (f"--reference={reference}", f"--input={tiny.inputs}")
    assert main([f"--submissions={tmp_path / 'teams'}", f"--out={out}", *more]) == 0
    (row,) = table(out, "pairs_score_1_1")
    # A finds the only evidentiary abstract of each such claim and B none, so that the difference
    # is 1 in every resample that draws one of these claims.
    assert [float(row[key]) for key in ("interval_low", "difference", "interval_high")] == [1, 1, 1]
    html = (out / "report.html").read_text()
    assert "resamples draw no claim with an evidentiary abstract" in html
    assert not any(b"nan" in content for name, content in files_in(out).items() if ".csv" in name)
    power_of = ["--submissions", str(tmp_path / "teams"), *more]
    assert power.main(power_of) == 0


def test_a_fault_that_no_check_foresaw_is_said_in_words(tiny, four, tmp_path, capsys, monkeypatch):
    def broken(*_, **__):
        raise ValueError("NaN is no label")

    monkeypatch.setattr(command, "load", broken)
    monkeypatch.setattr(power, "load", broken)
    given = arguments(tiny, four, tmp_path / "out")
    assert main(given) == 2
    assert power.main(given[:3]) == 2
    said = capsys.readouterr().err
    assert said.count("(NaN is no label)") == 2 and "Traceback" not in said


def test_without_a_valid_upload_the_report_says_why(tiny, tmp_path, capsys):
    (tmp_path / "teams").mkdir()
    (tmp_path / "teams" / "Bad.csv").write_bytes(b"claim_id,abstract_id,rank\nx,y,z\n")
    out = tmp_path / "out"
    assert main(arguments(tiny, tmp_path / "teams", out)) == 2
    assert "No upload was valid" in capsys.readouterr().err
    assert {row["team"] for row in table(out, "refused")} == {"Bad"}


def test_a_wrong_out_is_refused_before_anything_is_read(tiny, four, tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("years of work")
    given = arguments(tiny, four, tmp_path, "--submissions=/nowhere")
    assert main(given) == 2
    assert "is no report" in capsys.readouterr().err


def test_a_relative_out_is_where_the_caller_stands(tiny, four, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments(tiny, four, Path("here"), "--team=Good")) == 0
    assert (tmp_path / "here" / "report.html").is_file()


def test_an_old_gold_that_is_faulty_is_named(tiny, four, tmp_path, capsys):
    old = with_gold(tiny, tmp_path / "old", [f"{CLAIMS[0]},7,Perhaps"])
    assert main(arguments(tiny, four, tmp_path / "out", f"--reference-old={old}")) == 2
    assert str(old) in capsys.readouterr().err


def test_an_older_report_comes_back_if_the_new_one_cannot_be_put_there(tmp_path, monkeypatch):
    out = tmp_path / "report"
    out.mkdir()
    (out / "report.html").write_text("old")
    replace = os.replace

    def failing(source, target):
        if Path(source).name == "new":
            raise PermissionError(13, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(PermissionError):
        write_folder(out, {"report.html": b"new"})
    assert files_in(tmp_path) == {"report/report.html": b"old"}
