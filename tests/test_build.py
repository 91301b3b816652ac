"""The built bundle: the same bytes twice, exactly what the platform reads, no gold in the open."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
import yaml

from climatecheck.leaderboard import board_columns
from climatecheck.problem_table import KINDS
from climatecheck.results.official import EXPLAINED
from climatecheck.taxonomy import CODES
from organiser import bundle, competition, pages
from organiser.build import PIECES, piece
from organiser.competition import VARIANTS, Variant, derived
from organiser.editions import ROOT, OrganiserError, edition
from organiser.zips import files_of, zipped

SOURCE = yaml.safe_load((ROOT / "competition.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def bundles() -> dict[str, bytes]:
    return {name: bundle.bundle(variant) for name, variant in VARIANTS.items()}


def opened(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


# --- zips -----------------------------------------------------------------------------------------


def test_the_same_sources_give_the_same_bytes_in_another_process(bundles, tmp_path: Path):
    code = (
        "import sys\nfrom organiser.bundle import bundle\n"
        "from organiser.competition import VARIANTS\n"
        "sys.stdout.buffer.write(bundle(VARIANTS['task1']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "3", "TZ": "Asia/Tokyo"},
        capture_output=True,
        check=True,
    )
    assert done.stdout == bundles["task1"]


def test_a_zip_is_sorted_with_fixed_times_and_modes():
    with zipfile.ZipFile(io.BytesIO(zipped({"b": b"2", "a/c": b"1"}))) as archive:
        infos = archive.infolist()
    assert [info.filename for info in infos] == ["a/c", "b"]
    assert {info.date_time for info in infos} == {(1980, 1, 1, 0, 0, 0)}
    assert {info.external_attr >> 16 for info in infos} == {0o100644}


def test_junk_and_links_stay_out(tmp_path: Path):
    for name in ("a.py", ".DS_Store", "._a.py", "__pycache__/a.pyc", "sub/b.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to(tmp_path / "a.py")
    assert list(files_of(tmp_path, "x/")) == ["x/a.py", "x/sub/b.py"]


@pytest.mark.parametrize("name", ["ingestion_program", "scoring_program"])
def test_a_program_has_its_metadata_at_the_root_and_its_own_copy_of_the_rules(name: str):
    files = opened(piece(name))
    command = yaml.safe_load(files["metadata.yaml"])["command"]
    assert command == f"python3 {name.removesuffix('_program')}.py"
    assert command.split()[1] in files
    board = json.loads(files["board.json"])
    assert board == {"tasks": ["1", "2"], "columns": list(board_columns()), "blind": False}
    rules = {n for n in files if n.startswith("climatecheck/")}
    assert rules == set(files_of(ROOT / "climatecheck", "climatecheck/"))
    assert not any(n.startswith(("organiser", "baselines", "tests")) for n in files)


def test_reference_data_carry_the_claims_of_the_input_data():
    reference, inputs = opened(piece("reference_data")), opened(piece("input_data"))
    assert set(inputs) == {"claims.csv", "edition.json"}
    assert set(reference) == {"claims.csv", "edition.json", "task1_gold.csv", "task2_gold.csv"}
    assert reference["claims.csv"] == inputs["claims.csv"]


def test_the_kit_holds_what_a_participant_needs_and_no_gold_of_the_test_claims():
    files = opened(piece("starting_kit"))
    expected = {"README.md", "validate.py", "score.py", "claims.csv", "baselines/plain.py"}
    shapes = ("retrieval_only", "task1", "task2", "both")
    expected |= {
        f"samples/{split}/{shape}.zip" for split in ("upload", "train") for shape in shapes
    }
    assert expected <= set(files)
    gold = edition().reference_data
    secret = {(gold / name).read_bytes() for name in ("task1_gold.csv", "task2_gold.csv")}
    rows = {
        line for content in secret for line in content.splitlines()[1:] if line.count(b",") == 2
    }
    for content in files.values():
        assert content not in secret
        assert not rows.intersection(content.splitlines())


SAMPLES = {
    "": {"retrieval_only", "task1", "task2", "both"},
    "task1": {"retrieval_only", "task1", "both"},
    "task2": {"task2", "both"},
}


@pytest.mark.parametrize("name", list(VARIANTS))
def test_the_kit_is_for_the_board_of_its_bundle(bundles, name: str):
    site = opened(bundles[name])
    kit = opened(site["starting_kit.zip"])
    assert kit["board.json"] == opened(site["scoring_program.zip"])["board.json"]
    for split in ("upload", "train"):
        there = {n for n in kit if n.startswith(f"samples/{split}/")}
        assert there == {f"samples/{split}/{shape}.zip" for shape in SAMPLES[name]}
    readme = kit["README.md"].decode()
    named = set(re.findall(r"\b(?:samples/\w+/)?(\w+)\.zip`? ", readme)) - {"predictions"}
    listed = set(re.findall(r"^\| `(\w+)\.zip`", readme, re.MULTILINE))
    assert listed == SAMPLES[name] and "both" in named
    assert {f"samples/{path}" for path in re.findall(r"samples/(\w+/\w+\.zip)", readme)} <= set(kit)
    assert "{{" not in readme
    assert ("alone, and the file `board.json`" in readme) == bool(name)


@pytest.mark.parametrize("name", list(VARIANTS))
def test_the_pages_list_the_columns_of_the_board(bundles, name: str):
    site = opened(bundles[name])
    made = yaml.safe_load(site["competition.yaml"])
    on_board = {column["key"] for column in made["leaderboards"][0]["columns"]}
    evaluation = site["pages/evaluation.md"].decode()
    _, _, after = evaluation.partition("## The columns of the board")
    table = after.partition("</div>")[0]
    assert set(re.findall(r"`(\w+)`", table)) == on_board
    overview = site["pages/overview.md"].decode()
    assert ("**1.1** Abstract" in overview) == ("1" in VARIANTS[name].tasks)
    assert ("**2** Narrative" in overview) == ("2" in VARIANTS[name].tasks)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{#deaf}}x{{/deaf}}", "no condition deaf"),
        ("{{#blind}}x", "{{#blind}} has no counterpart"),
        ("x{{/both}}", "{{/both}} has no counterpart"),
        ("{{nothing}}", "nothing fills"),
    ],
)
def test_a_slip_in_a_page_stops_the_build(tmp_path: Path, monkeypatch, text: str, words: str):
    (tmp_path / "page.md").write_text(text)
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    with pytest.raises(OrganiserError, match=re.escape(words)):
        pages.page("page.md", edition())


def test_parts_of_a_page_depend_on_the_bundle(tmp_path: Path, monkeypatch):
    text = (
        "a\n{{#task1}}\none{{^both}} alone{{/both}}\n{{/task1}}\n{{#task2}}\ntwo\n{{/task2}}\nz\n"
    )
    (tmp_path / "page.md").write_text(text)
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    made = {name: pages.page("page.md", edition(), VARIANTS[name]) for name in VARIANTS}
    assert made == {"": b"a\none\ntwo\nz\n", "task1": b"a\none alone\nz\n", "task2": b"a\ntwo\nz\n"}


# --- bundles --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(VARIANTS))
def test_a_bundle_holds_exactly_what_the_platform_reads(bundles, name: str):
    files = opened(bundles[name])
    made = yaml.safe_load(files["competition.yaml"])
    read = {"competition.yaml", made["image"], made["terms"]}
    read |= {page["file"] for page in made["pages"]}
    read |= {
        made["tasks"][0][kind]
        for kind in ("ingestion_program", "scoring_program", "reference_data", "input_data")
    }
    read |= {phase["starting_kit"] for phase in made["phases"]}
    assert set(files) == read
    assert read >= {f"{piece_name}.zip" for piece_name in PIECES}


@pytest.mark.parametrize("name", list(VARIANTS))
def test_board_and_programs_of_a_bundle_agree(bundles, name: str):
    files, variant = opened(bundles[name]), VARIANTS[name]
    columns = yaml.safe_load(files["competition.yaml"])["leaderboards"][0]["columns"]
    keys = [column["key"] for column in columns]
    assert keys == list(board_columns(variant.tasks))
    assert [column["index"] for column in columns] == list(range(len(keys)))
    for program in ("ingestion_program.zip", "scoring_program.zip"):
        board = json.loads(opened(files[program])["board.json"])
        assert (board["columns"], board["tasks"]) == (keys, list(variant.tasks))


def test_rules_titles_and_primary_columns_of_the_bundles(bundles):
    boards = {}
    for name, content in bundles.items():
        made = yaml.safe_load(opened(content)["competition.yaml"])
        board = made["leaderboards"][0]
        boards[name] = (board["submission_rule"], board["columns"][0]["key"])
    assert boards == {
        "": ("Force_Latest_Multiple", "score_1_1"),
        "task1": ("Force_Last", "score_1_1"),
        "task2": ("Force_Last", "narrative_f1_macro"),
    }


def test_board_and_page_call_each_column_the_same():
    columns = SOURCE["leaderboards"][0]["columns"]
    assert {column["key"]: column["title"] for column in columns} == {
        key: title for key, (title, _) in EXPLAINED.items()
    }


def test_a_primary_column_comes_first_wherever_it_stands_in_the_source():
    variant = Variant("x", ("1",), "X", "", "Force_Last", "bpref")
    columns = derived(SOURCE, variant)["leaderboards"][0]["columns"]
    assert [column["key"] for column in columns][:3] == ["bpref", "score_1_1", "recall_at_2"]
    assert [column["index"] for column in columns] == list(range(8))


def test_a_column_that_nobody_writes_is_an_error():
    faulty = competition.derived(SOURCE, VARIANTS[""])
    faulty["leaderboards"][0]["columns"][3]["key"] = "bpref_at_5"
    with pytest.raises(OrganiserError, match="bpref_at_5"):
        derived(faulty, VARIANTS[""])


@pytest.mark.parametrize("name", list(VARIANTS))
def test_the_yaml_keeps_what_the_platform_asks_for(bundles, name: str):
    made = yaml.safe_load(opened(bundles[name])["competition.yaml"])
    assert made["version"] == 2
    assert made["docker_image"] == "codalab/codalab-legacy:py312"
    assert made["enable_detailed_results"] is True
    assert len(made["tasks"]) == len(made["leaderboards"]) == 1
    evaluation, afterwards = made["phases"]
    # Strings: an unquoted timestamp would lose its time of day.
    assert (evaluation["start"], evaluation["end"]) == (
        "2026-01-15 00:00:00",
        "2026-02-18 23:59:59",
    )
    assert afterwards["start"] == "2026-02-19 00:00:00"
    assert "end" not in afterwards
    assert datetime.fromisoformat(afterwards["start"]) > datetime.fromisoformat(evaluation["end"])
    assert (evaluation["max_submissions_per_day"], evaluation["max_submissions"]) == (5, 50)
    assert evaluation["tasks"] == afterwards["tasks"] == [0]
    board = made["leaderboards"][0]
    assert len(made["title"]) <= 256 and len(board["title"]) <= 64 and len(board["key"]) <= 36
    for column in board["columns"]:
        assert len(column["title"]) <= 36 and len(column["key"]) <= 36
        assert (column["sorting"], column["precision"]) == ("desc", 3)
    assert len({column["title"] for column in board["columns"]}) == len(board["columns"])
    for key, question in made["fact_sheet"].items():
        assert question["key"] == key
        assert set(question) == {
            "key",
            "type",
            "title",
            "selection",
            "is_required",
            "is_on_leaderboard",
        }
        assert (question["type"], question["selection"]) == ("text", "")
        assert {question["is_required"], question["is_on_leaderboard"]} <= {"true", "false"}


def test_pages_are_filled_and_fit_for_the_platform(bundles):
    files = opened(bundles[""])
    texts = {name: data for name, data in files.items() if name.startswith("pages/")}
    for name, data in texts.items():
        text = data.decode("utf-8")
        assert text.strip() and "\r" not in text, name
        assert "{{" not in text, name
    submit = texts["pages/submit.md"].decode()
    assert all(f"`{code}`" in submit for code in KINDS)
    assert all(f"`{code}`" in texts["pages/data.md"].decode() for code in CODES)
    assert "| ClimateSense | 0.221 | 0.443 |" in texts["pages/results.md"].decode()
    assert edition().notice in texts["pages/overview.md"].decode()


def test_a_place_that_nothing_fills_is_an_error(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    (tmp_path / "page.md").write_text("{{ nothing_fills_this }}")
    with pytest.raises(OrganiserError, match="nothing_fills_this"):
        pages.page("page.md", edition())
    with pytest.raises(OrganiserError, match=r"other\.md"):
        pages.page("other.md", edition())


def test_a_cell_of_a_table_cannot_break_it():
    assert pages.table(["a"], [["x|y\nz"]]) == "| a |\n| --- |\n| x\\|y z |"


# --- editions -------------------------------------------------------------------------------------


def test_an_edition_of_its_own_takes_the_place_of_the_sample(tmp_path: Path, monkeypatch):
    from organiser import editions

    base = tmp_path / "editions" / "real"
    for folder in ("input_data", "reference_data", "starting_kit/data"):
        (base / folder).mkdir(parents=True)
    (base / "input_data" / "claims.csv").write_text("claim_id,claim\n7,Real.\n")
    monkeypatch.setattr(editions, "ROOT", tmp_path)
    monkeypatch.setenv("EDITION", "real")
    assert opened(piece("input_data")) == {"claims.csv": b"claim_id,claim\n7,Real.\n"}
    assert edition().notice == ""
    with pytest.raises(OrganiserError, match=r"task1_gold\.csv is missing"):
        piece("reference_data")
    with pytest.raises(OrganiserError, match="no edition “other”"):
        edition("other")
