"""The bundle gate: each faulty bundle is named by its own check and by no other error."""

import io
import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from organiser import bundle as building
from organiser.check import CHECKS, Bundle, open_bundle, report, run
from organiser.check.trees import open_zip
from organiser.competition import VARIANTS
from organiser.editions import ROOT, edition
from organiser.zips import zipped
from tests.bundles.draft import BEFORE, Draft, Files, failed, findings, raw_zip, unzipped
from tests.bundles.faults import ERRORS, WARNINGS


@pytest.fixture(scope="module")
def sound() -> Files:
    return building.entries(VARIANTS[""], edition())


@pytest.fixture(scope="module")
def unspoiled(sound: Files) -> set[str]:
    """What is said of the sound bundle already, such as that its data are the sample's."""
    return set(failed(Draft(sound).bundle()))


@pytest.fixture
def draft(sound: Files) -> Draft:
    return Draft(sound)


# --- the real bundles -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(VARIANTS))
def test_a_bundle_that_the_project_builds_has_no_error(name: str):
    bundle = Bundle(open_zip(building.bundle(VARIANTS[name])), "bundle.zip", now=BEFORE)
    found = failed(bundle)
    assert [id_ for id_, severity in found.items() if severity == "error"] == []
    assert [id_ for id_, severity in found.items() if severity == "warning"] == ["data-real"]


# --- faulty bundles -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id_", "spoil"), ERRORS, ids=[f"{i}-{id_}" for i, (id_, _) in enumerate(ERRORS)]
)
def test_a_faulty_bundle_is_named_by_its_own_check(draft: Draft, id_: str, spoil: Any):
    spoil(draft)
    found = failed(draft.bundle())
    assert [each for each, severity in found.items() if severity == "error"] == [id_]


@pytest.mark.parametrize(
    ("id_", "spoil"), WARNINGS, ids=[f"{i}-{id_}" for i, (id_, _) in enumerate(WARNINGS)]
)
def test_what_organisers_regret_is_said_and_is_no_error(
    draft: Draft, unspoiled: set[str], id_: str, spoil: Any
):
    spoil(draft)
    found = failed(draft.bundle())
    assert set(found) - unspoiled == {id_}
    assert "error" not in found.values()


def test_every_error_check_has_a_faulty_bundle():
    elsewhere = {"bundle-opens", "bundle-root", "gold-blind", "sample-scores"}
    tried = {id_ for id_, _ in ERRORS}
    assert {each.id for each in CHECKS.values() if each.severity == "error"} == tried | elsewhere


def test_a_folder_around_the_bundle_is_the_one_error(draft: Draft):
    content = zipped({f"bundle/{name}": data for name, data in unzipped(draft.built()).items()})
    found = failed(Bundle(open_zip(content), "bundle.zip", now=BEFORE))
    assert [id_ for id_, severity in found.items() if severity == "error"] == ["bundle-root"]


def test_a_folder_is_read_like_the_zip_of_it(draft: Draft, tmp_path: Path):
    with zipfile.ZipFile(io.BytesIO(draft.built())) as archive:
        archive.extractall(tmp_path)
    of_zip = [(r.check.id, r.status) for r in run(draft.bundle())]
    assert [(r.check.id, r.status) for r in run(open_bundle(tmp_path, now=BEFORE))] == of_zip
    (tmp_path / "pages" / "data.md").unlink()
    (tmp_path / "pages" / "data.md").symlink_to("/etc/hostname")
    found = failed(open_bundle(tmp_path, now=BEFORE))
    assert found["no-links"] == found["files-there"] == "error"


def test_a_sample_without_a_finite_score_is_named(draft: Draft, monkeypatch):
    from organiser.check import samples

    def nan(values: object, columns: object) -> str:
        raise ValueError("these scores cannot go on the board: not a finite number: 'bpref'")

    monkeypatch.setattr(samples, "scores_json", nan)
    assert list(failed(draft.bundle()).values()).count("error") == 1
    assert "not a finite number" in findings("sample-scores", draft.bundle())[0]


@pytest.mark.parametrize(("board", "sample"), [("task1", "task2"), ("task2", "retrieval_only")])
def test_a_sample_that_the_board_refuses_is_named(board: str, sample: str, sound: Files):
    draft = Draft(building.entries(VARIANTS[board], edition()))
    other = unzipped(sound["starting_kit.zip"])[f"samples/upload/{sample}.zip"]
    draft.put("starting_kit", samples__upload__other_dot_zip=other)
    (found,) = findings("sample-valid", draft.bundle())
    assert "samples/upload/other.zip: E-OTHER-TASK" in found


@pytest.mark.parametrize("part", ["starting_kit", "ingestion_program"])
def test_without_a_board_file_a_part_is_for_both_tasks(part: str):
    draft = Draft(building.entries(VARIANTS["task1"], edition()))
    draft.part(part, lambda files: files.pop("board.json"))
    (found,) = findings("program-board", draft.bundle())
    assert f"{part}.zip" in found and "their boards differ" in found


# --- hostile bundles ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04" + b"\0" * 100, b"no zip", raw_zip({}), raw_zip({"a/b": b"c"})],
    ids=["empty", "cut", "text", "nothing", "other"],
)
def test_what_is_no_bundle_is_a_finding(content: bytes):
    found = failed(Bundle(open_zip(content), "bundle.zip"))
    assert set(found) - {"files-used"} in ({"bundle-opens"}, {"bundle-root"})


@pytest.mark.parametrize(
    "text",
    [
        "- a\n- b\n",
        "a: &a [1]\nb: [*a, *a]\ntasks: {a: b}\nphases: [1, null, []]\npages: [[]]\n",
        "version: 2\nphases: [{start: 1, end: [], tasks: {}, index: x}]\ntasks: [{index: []}]\n",
        "leaderboards: [{columns: [{index: [], key: {}, title: 1.5}]}]\n",
        "fact_sheet: {a: 1, b: {}, 3: {key: 3, type: [], selection: {}}}\n",
        "leaderboards: [{columns: 3}, 4]\nfact_sheet: 7\nimage: 3\nterms: [x]\nsolutions: [{}]\n",
        "title: !!python/object:os.system x\n",
        "start: 2026-13-45\n",
        "[" * 3000,
        "a: " + "{a: " * 500 + "}" * 500,
    ],
)
def test_no_competition_yaml_breaks_a_check(draft: Draft, text: str):
    draft.files["competition.yaml"], draft.yaml = text.encode(), {}
    results = run(draft.bundle())
    assert report.has_errors(results)
    said = report.as_text(draft.bundle(), results)
    assert "could not cope" not in said


def test_random_damage_never_breaks_a_check(sound: Files):
    luck = random.Random(3)
    for _ in range(8):
        content = bytearray(zipped(sound))
        for _ in range(luck.choice((1, 20, 2000))):
            content[luck.randrange(len(content))] = luck.randrange(256)
        bundle = Bundle(open_zip(bytes(content)), "bundle.zip", now=BEFORE)
        assert "could not cope" not in report.as_text(bundle, run(bundle))


def test_a_bomb_is_not_unpacked(draft: Draft):
    draft.put("starting_kit", zeros=b"\0" * 150_000_000)
    found = findings("sizes", draft.bundle())
    assert found and found[0].startswith("starting_kit.zip: unpacks from")


def test_a_name_cannot_steer_the_terminal(draft: Draft):
    draft.files["\x1b[2Jx.md"] = b"x"
    bundle = draft.bundle()
    assert "\x1b" not in report.as_text(bundle, run(bundle))


def test_a_check_that_fails_itself_is_no_pass(draft: Draft, monkeypatch):
    from organiser.check import logo

    monkeypatch.setattr(logo, "_header", lambda content: 1 / 0)
    assert "ZeroDivisionError" in report.as_text(draft.bundle(), run(draft.bundle()))


# --- what is said ---------------------------------------------------------------------------------


def test_findings_say_line_and_mend(draft: Draft):
    draft.board["columns"][3]["key"] = "bpreff"
    (found,) = findings("column-unwritten", draft.bundle())
    lines = yaml.safe_dump(draft.yaml, sort_keys=False).splitlines()
    line = lines.index("    key: bpreff") + 1
    assert found.startswith(f"competition.yaml line {line} (leaderboards[0].columns[3].key): ")
    assert found.endswith("Did you mean bpref?")


def test_passes_and_skips_are_reported(draft: Draft):
    draft.yaml["docker_image"] = "mine/own:1"
    results = run(draft.bundle())
    assert len(results) == len(CHECKS)
    text = report.as_text(draft.bundle(), results)
    assert "program-imports: only the packages of codalab/codalab-legacy:py312 are known" in text
    assert "phase-order" in text and "✓ phases" in text
    assert text.endswith("It can be uploaded; read the warnings first.\n")


def test_the_command_fails_on_errors_alone(draft: Draft, tmp_path: Path):
    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "organiser.check", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    path = tmp_path / "bundle.zip"
    path.write_bytes(draft.built())
    done = command(str(path), "--json", "--now", "2026-01-01")
    said = json.loads(done.stdout)
    assert (done.returncode, said["uploadable"]) == (0, True)
    assert {each["status"] for each in said["checks"]} == {"passed", "failed", "skipped"}
    assert said["counts"]["error"] == 0

    draft.yaml.pop("version")
    path.write_bytes(draft.built())
    done = command(str(path))
    assert done.returncode == 1
    assert "✗ yaml-version" in done.stdout and "Do not upload it yet." in done.stdout

    done = command(str(path), "--brief")
    assert done.returncode == 1
    assert "✗ yaml-version" in done.stdout and "PASSED" not in done.stdout

    done = command(str(tmp_path / "other.zip"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "make bundle builds it" in done.stderr


def test_the_table_of_checks_is_current():
    assert (ROOT / "docs" / "checks.md").read_text("utf-8") == report.as_page()
    assert all(each.harm.endswith(".") and each.title for each in CHECKS.values())
