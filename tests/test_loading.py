"""From files to an evaluation: folders, the platform's bulk download, fact sheets."""

import csv
import io
import json
from pathlib import Path

import pytest

from climatecheck.problems import Problem
from organiser.analysis import emissions
from organiser.analysis.uploads.fact_sheets import parse_answers, read_fact_sheets
from organiser.analysis.uploads.loading import Loaded, load
from organiser.editions import OrganiserError
from tests.conftest import CLAIMS, Tiny, full_submission, rows, upload


def retrieval_only(hits: int = 2) -> bytes:
    """Each claim's first ``hits`` evidentiary abstracts, filled up with unjudged ones."""
    found = [
        [1000 * i + k if k <= hits else 100_000 + k for k in range(1, 6)]
        for i in range(len(CLAIMS))
    ]
    lines = [
        f"{claim},{abstract},{rank}"
        for claim, abstracts in zip(CLAIMS, found, strict=True)
        for rank, abstract in enumerate(abstracts, start=1)
    ]
    return rows("claim_id,abstract_id,rank", lines)


def task2_only(code: str = "0_0") -> bytes:
    return rows("claim_id,narrative", [f"{claim},{code}" for claim in CLAIMS])


def labelled(label: str) -> bytes:
    """The first evidentiary abstract of each claim, which supports it, with one label for all."""
    lines = [f"{claim},{1000 * i + 1},1,{label}" for i, claim in enumerate(CLAIMS)]
    return rows("claim_id,abstract_id,rank,label", lines)


def zipped(content: bytes) -> bytes:
    return upload({"predictions.csv": content})


def bulk(folder: Path, entries: dict[str, bytes]) -> Path:
    path = folder / "bulk_submissions.zip"
    path.write_bytes(upload(entries))
    return path


def named(number: int, owner: str, file: str = "predictions.zip", phase: int = 7) -> str:
    return f"{number}_{owner}_PhaseId{phase}_2026-02-01_05-33_{file}"


def loaded(tiny: Tiny, source: Path, **options) -> Loaded:
    return load(source, tiny.reference, tiny.inputs, **options)


def standing(made: Loaded) -> dict[str, str]:
    """Which upload stands for which team in which task."""
    return {
        f"{system.team} {task}": system.file
        for task in ("1.1", "1.2", "2")
        for system in made.evaluation.entered(task)
    }


def kinds(made: Loaded) -> dict[str, list[str]]:
    return {r.file: [p.code for p in r.problems] for r in made.evaluation.refused}


def test_a_folder_of_files_named_by_team(tiny, tmp_path):
    (tmp_path / "Good.zip").write_bytes(zipped(full_submission()))
    (tmp_path / "Retrieval only.csv").write_bytes(retrieval_only())
    (tmp_path / "Narratives").mkdir()
    (tmp_path / "Narratives" / "task2.csv").write_bytes(task2_only())
    (tmp_path / "Bad.zip").write_bytes(zipped(b"claim_id,abstract_id,rank\nnobody,1,1\n"))
    (tmp_path / ".DS_Store").write_bytes(b"junk")
    made = loaded(tiny, tmp_path)
    tasks = {system.team: system.scores.tasks for system in made.evaluation.systems}
    assert tasks == {
        "Good": ("1.1", "1.2", "2"),
        "Narratives": ("2",),
        "Retrieval only": ("1.1",),
    }
    assert [(r.team, r.file) for r in made.evaluation.refused] == [("Bad", "Bad.zip")]
    assert "E-UNKNOWN-CLAIM" in kinds(made)["Bad.zip"]


AWKWARD = ["under_score_d", "dotted.name", "Zoë", "12_34", "PhaseId9_x", "_", "a-b"]


def test_owners_of_a_bulk_download_become_teams(tiny, tmp_path):
    files = {
        named(10 + k, owner, "my_run_v2.zip"): zipped(retrieval_only())
        for k, owner in enumerate(AWKWARD)
    }
    made = loaded(tiny, bulk(tmp_path, files))
    assert sorted(s.team for s in made.evaluation.systems) == sorted(AWKWARD)
    assert made.evaluation.systems[0].file.startswith("my_run_v2.zip (no. 1")
    assert made.evaluation.refused == ()


def test_a_bulk_download_is_read_as_it_comes_in_a_folder_and_unpacked(tiny, tmp_path):
    files = {
        named(1, "ann"): zipped(full_submission()),
        named(2, "ben"): zipped(retrieval_only()),
        "failed.txt": b"3_cat_PhaseId7_2026-02-01_05-33_x.zip\n",
    }
    folder, unpacked = tmp_path / "made", tmp_path / "unpacked"
    folder.mkdir()
    unpacked.mkdir()
    as_it_comes = bulk(folder, files)
    for name, content in files.items():
        (unpacked / name).write_bytes(content)
    first = loaded(tiny, as_it_comes)
    for source in (folder, unpacked):
        other = loaded(tiny, source)
        assert standing(other) == standing(first)
        assert kinds(other) == kinds(first)
    assert kinds(first) == {"3_cat_PhaseId7_2026-02-01_05-33_x.zip": ["E-UNFETCHED"]}
    assert standing(first)["ben 1.1"] == "predictions.zip (no. 2)"


def test_the_last_valid_upload_stands_for_a_team(tiny, tmp_path):
    files = {
        named(9, "ann"): zipped(full_submission()),
        named(10, "ann"): zipped(retrieval_only()),  # 10 comes after 9, though "10" sorts before
        named(11, "ann"): zipped(b"claim_id,abstract_id\n"),
    }
    made = loaded(tiny, bulk(tmp_path, files))
    assert standing(made) == {"ann 1.1": "predictions.zip (no. 10)"}
    assert list(kinds(made)) == ["predictions.zip (no. 11)"]
    assert [read.stands_for for _, read in made.uploads] == [(), ("1.1",)]


def test_the_best_upload_of_each_task_stands_for_a_team(tiny, tmp_path):
    files = {
        named(1, "ann", "wrong.zip"): zipped(labelled("Refutes")),
        named(2, "ann", "right.zip"): zipped(labelled("Supports")),
        named(3, "ann", "run.zip"): zipped(retrieval_only()),
        named(4, "ann", "codes.zip"): zipped(task2_only()),
        named(5, "ann", "same.zip"): zipped(task2_only()),
    }
    made = loaded(tiny, bulk(tmp_path, files), pick="best")
    assert standing(made) == {
        "ann 1.1": "run.zip (no. 3)",  # both evidentiary abstracts, the others have one of two
        "ann 1.2": "right.zip (no. 2)",
        "ann 2": "same.zip (no. 5)",  # equal scores: the later
    }
    # Of the upload that stands for 1.2 alone nothing is entered elsewhere.
    (verified,) = made.evaluation.entered("1.2")
    assert verified.scores.tasks == ("1.2",)
    assert verified.scores.board["score_1_2"] == pytest.approx(1.0 + 0.5)
    (found,) = made.evaluation.entered("1.1")
    assert found.scores.board["score_1_2"] == 0.0


def test_a_name_with_two_readings_is_nobodys(tiny, tmp_path):
    hostile = named(2, named(1, "ann", "x"))
    made = loaded(tiny, bulk(tmp_path, {hostile: zipped(full_submission()), "readme.md": b"x"}))
    assert made.evaluation.systems == ()
    found = {r.problems[0].code for r in made.evaluation.refused}
    assert found == {"E-OWNER-UNCLEAR"}
    assert len(made.evaluation.refused) == 2


def test_a_hostile_entry_is_unpacked_nowhere_else(tiny, tmp_path):
    name = named(1, "ann", "..\\..\\evil.zip")
    made = loaded(tiny, bulk(tmp_path, {name: zipped(full_submission())}))
    assert [system.team for system in made.evaluation.systems] == ["ann"]
    assert not list(tmp_path.parent.glob("**/evil.zip"))


def test_names_are_fit_to_print_and_distinct(tiny, tmp_path):
    long = "x" * 80
    files = {
        named(1, "a\u202eb"): zipped(full_submission()),
        named(2, long + "1"): zipped(task2_only()),
        named(3, long + "2"): zipped(task2_only()),
    }
    teams = [system.team for system in loaded(tiny, bulk(tmp_path, files)).evaluation.systems]
    assert teams == ["a\\u202eb", "x" * 60 + "…", "x" * 60 + "… (2)"]


def test_one_team_alone_is_read(tiny, tmp_path):
    files = {named(1, "ann"): zipped(full_submission()), named(2, "ben"): b"no zip"}
    made = loaded(tiny, bulk(tmp_path, files), team="ann")
    assert [system.team for system in made.evaluation.systems] == ["ann"]
    assert made.evaluation.refused == ()


@pytest.mark.parametrize(
    ("make", "options", "words"),
    [
        (lambda folder: folder / "missing", {}, "There is no folder or file"),
        (lambda folder: folder, {}, "There is no submission in"),
        (
            lambda folder: _two_of_a_name(folder),
            {},
            "Team ann has 2 submissions.*: ann.csv, ann.zip. Keep one",
        ),
        (lambda folder: _text(folder), {}, "neither a folder nor a zip"),
        (lambda folder: _text(folder).parent, {}, "There is no submission in"),
        (lambda folder: _numbered_too(folder), {}, r"ann has 2.*: x.zip \(no. 101\), ann.zip"),
        (lambda folder: _one(folder), {"team": "zoe"}, "no upload of a team “zoe”"),
        (lambda folder: _one(folder), {"pick": "first"}, "it can be last or best"),
        (lambda folder: _one(folder), {"leaderboard": Path("no.zip")}, "no leaderboard export"),
    ],
)
def test_what_an_organiser_can_mend_is_said_in_words(tiny, tmp_path, make, options, words):
    with pytest.raises(OrganiserError, match=words):
        loaded(tiny, make(tmp_path), **options)


def _one(folder: Path) -> Path:
    (folder / "ann.zip").write_bytes(zipped(full_submission()))
    return folder


def _two_of_a_name(folder: Path) -> Path:
    (folder / "ann.csv").write_bytes(full_submission())
    return _one(folder)


def _numbered_too(folder: Path) -> Path:
    """The plain name would count as number 0, so as the first, though it may be the last."""
    (folder / named(101, "ann", "x.zip")).write_bytes(zipped(task2_only()))
    return _one(folder)


def _text(folder: Path) -> Path:
    path = folder / "notes.txt"
    path.write_text("nothing")
    return path


def leaderboard_csv(answers: dict[str, str]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["Username", "fact_sheet_answers", "ClimateCheck 2026(3)-Score1.1"])
    writer.writerows([key, answer, "0.5"] for key, answer in answers.items())
    return text.getvalue()


def test_fact_sheets_come_from_the_row_of_the_upload(tiny, tmp_path):
    source = bulk(
        tmp_path,
        {named(8, "ann-1"): zipped(full_submission()), named(9, "ben"): zipped(task2_only())},
    )
    board = tmp_path / "board.zip"
    answers = {
        "ann-1-7": "{'co2e_kg': '1'}",
        "ann-1-8": "{'co2e_kg': '2', 'external_data': None}",
        "ben-5": '{"co2e_kg": 0.5}',
        "ben-4": '{"co2e_kg": 0.25}',
    }
    board.write_bytes(upload({"ClimateCheck 2026 - Evaluation(7).csv": leaderboard_csv(answers)}))
    made = loaded(tiny, source, leaderboard=board)
    sheets = {system.team: system.fact_sheet for system in made.evaluation.systems}
    assert sheets == {"ann-1": {"co2e_kg": "2"}, "ben": {}}  # ben's are of other uploads
    (note,) = made.evaluation.sheet_notes
    assert note.endswith("so its fact sheet is not shown: ben.")
    section = emissions.section(made.evaluation)
    assert note in section.prose and [row[0] for row in section.parts[0].rows] == ["ann-1"]


def test_a_teams_report_takes_no_sheet_of_an_owner_whose_name_looks_like_its_upload(tiny, tmp_path):
    (tmp_path / "teams").mkdir()
    _one(tmp_path / "teams")
    (tmp_path / "teams" / "ann-8.csv").write_bytes(task2_only())
    board = tmp_path / "board.csv"
    board.write_text(leaderboard_csv({"ann-8": "{'co2e_kg': '1'}"}))
    made = loaded(tiny, tmp_path / "teams", leaderboard=board, team="ann")
    assert [system.fact_sheet for system in made.evaluation.systems] == [{}]


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"zoe-8": "{'co2e_kg': '1'}"}, "none of its rows is of an upload"),
        ({"ann-8": ""}, "no fact sheet of these uploads has an answer"),
        ({"ann-7": "{'co2e_kg': '1'}"}, "has a row of another upload"),
    ],
)
def test_why_there_is_no_fact_sheet_is_said_truly(tiny, tmp_path, answers, words):
    board = tmp_path / "board.csv"
    board.write_text(leaderboard_csv(answers))
    source = bulk(tmp_path, {named(8, "ann"): zipped(full_submission())})
    section = emissions.section(loaded(tiny, source, leaderboard=board).evaluation)
    assert words in " ".join(section.prose) and not section.parts
    assert "No leaderboard export was given" not in " ".join(section.prose)
    without = emissions.section(loaded(tiny, source).evaluation)
    assert "No leaderboard export was given" in " ".join(without.prose)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.zip", upload({"readme.txt": "x"})),
        ("a.json", b"{}"),
        ("a.json", b'{"Board": {"ann-8": {"Score1.1": 0.5}}}'),
        ("a.csv", leaderboard_csv({}).encode()),
    ],
)
def test_an_export_without_a_row_is_an_error(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(OrganiserError, match="it holds no row"):
        read_fact_sheets(tmp_path / name)


def test_documents_beside_the_submissions_are_left_aside_with_a_remark(tiny, tmp_path):
    said: list[str] = []
    _text(_one(tmp_path))
    (tmp_path / "README.md").write_text("What this folder is.")
    (tmp_path / named(5, "ben", "run.txt")).write_bytes(b"an upload that is no zip")
    made = loaded(tiny, tmp_path, say=said.append)
    assert [s.team for s in made.evaluation.systems] == ["ann"]
    assert [r.team for r in made.evaluation.refused] == ["ben"]  # somebody uploaded it
    aside = [line for line in said if "left aside" in line]
    assert [line.split()[0] for line in aside] == ["README.md", "notes.txt"]


def test_problems_name_the_file_that_was_uploaded(tiny, tmp_path):
    source = bulk(tmp_path, {named(3, "ben", "my run.zip"): b"no zip at all"})
    (refused,) = loaded(tiny, source).evaluation.refused
    messages = " ".join(problem.message for problem in refused.problems)
    assert "my_run.zip" in messages and "PhaseId" not in messages


def test_fact_sheets_come_from_json_too(tmp_path):
    path = tmp_path / "board.json"
    row = {"fact_sheet_answers": {"energy_kwh": "3"}, "ClimateCheck 2026(3)-Bpref": 0.5}
    path.write_text(json.dumps({"Board - Evaluation(7)": {"ann-8": row, "old": row}}))
    sheets = read_fact_sheets(path)
    assert sheets.of("ann", 8) == sheets.of("ann", 0) == sheets.of("old", 0) == {"energy_kwh": "3"}
    assert sheets.of("bob", 8) == {}
    assert sheets.of("ann", 0, owners=["ann-8"]) == {}  # the row is of an owner of that name


@pytest.mark.parametrize(
    "text",
    ["__import__('os').system('false')", "[" * 50_000, "(" * 500, "{'a': open('x')}", "", "7"],
)
def test_answers_are_never_run(text):
    assert parse_answers(text) == {}


def test_a_broken_entry_is_refused_and_the_others_are_read(tiny, tmp_path):
    path = bulk(
        tmp_path,
        {named(1, "ann"): zipped(full_submission()), named(2, "ben"): zipped(task2_only())},
    )
    data = bytearray(path.read_bytes())
    place = data.index(b"predictions.zip") + 60
    data[place : place + 4] = b"\0\0\0\0"
    path.write_bytes(data)
    made = loaded(tiny, path)
    assert [system.team for system in made.evaluation.systems] == ["ben"]
    (refused,) = made.evaluation.refused
    assert refused.team == "ann"
    assert isinstance(refused.problems[0], Problem)
    assert refused.problems[0].code == "E-UNREADABLE-ENTRY"
