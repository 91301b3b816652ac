"""A blind bundle: no gold in it, one column for acceptance, scores on the organiser's machine."""

import hashlib
import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from climatecheck import read_claims, read_gold
from climatecheck.board import BLIND_NOTICE
from organiser import build, bundle, dry_run, worker
from organiser.build import piece
from organiser.competition import VARIANTS, chosen, columns_of, competition
from organiser.editions import Edition, OrganiserError, edition
from organiser.pages import page
from organiser.samples import sample
from organiser.zips import files_of, zipped
from tests.conftest import Tiny, full_submission, upload
from tests.reading import CLAIM, PAGE, SCORES, Page, Reading, reading

BLIND = {name: replace(variant, blind=True) for name, variant in VARIANTS.items()}
GOLD_FILES = ("task1_gold.csv", "task2_gold.csv")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    """The sample edition, with narratives in the gold that no sample of the kit predicts."""
    gold = tmp_path_factory.mktemp("gold")
    source = edition()
    for name in GOLD_FILES:
        (gold / name).write_bytes((source.reference_data / name).read_bytes())
    header, *lines = (gold / "task2_gold.csv").read_text().splitlines()
    ids = [line.split(",")[0] for line in lines]
    (gold / "task2_gold.csv").write_text("\n".join([header, *(f"{id_},5_3" for id_ in ids), ""]))
    return replace(source, reference_data=gold)


@pytest.fixture(scope="module")
def bundles(data: Edition) -> dict[str, bytes]:
    return {name: bundle.bundle(variant, data) for name, variant in BLIND.items()}


def opened(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def all_bytes(content: bytes, at: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield every file of a zip, and of the zips in it, and the zip as it is."""
    yield at, content
    for name, inner in opened(content).items():
        if inner.startswith(b"PK"):
            yield from all_bytes(inner, f"{at}/{name}")
        else:
            yield f"{at}/{name}", inner


# --- nothing of the gold --------------------------------------------------------------------------


def test_the_bytes_of_a_blind_bundle_do_not_depend_on_the_gold(
    bundles: dict[str, bytes], data: Edition, tmp_path: Path
) -> None:
    """Without any gold, or with another one, all is the same. So nothing of it is in there."""
    without = replace(data, reference_data=tmp_path / "none")
    assert bundle.bundle(BLIND[""], without) == bundles[""]
    other = tmp_path / "other"
    other.mkdir()
    (other / "task1_gold.csv").write_text("claim_id,abstract_id,label\n1,2,Supports\n")
    (other / "task2_gold.csv").write_text("claim_id,narrative\n1,1_1\n")
    with_other = replace(data, reference_data=other)
    for variant in BLIND.values():
        for files in build.PIECES.values():
            assert files(with_other, variant) == files(data, variant)
    assert piece("reference_data", with_other) != piece("reference_data", data)


def gold_rows(data: Edition) -> set[bytes]:
    contents = [(data.reference_data / name).read_bytes() for name in GOLD_FILES]
    return {row for content in contents for row in content.splitlines()[1:]}


def gold_hashes(data: Edition) -> set[bytes]:
    """Return the hash of the receipt, and the beginnings of hashes of the files."""
    contents = [(data.reference_data / name).read_bytes() for name in GOLD_FILES]
    claims = read_claims(data.input_data / "claims.csv")
    found = {read_gold(data.reference_data, claims).digest.encode()}
    for content in (*contents, b"".join(contents)):
        for method in ("sha256", "sha1", "md5"):
            digest = hashlib.new(method, content)
            found |= {digest.hexdigest()[:8].encode(), digest.digest()[:8]}
    return found


def pieces_of(content: bytes) -> set[bytes]:
    """Return what stands between line ends, quotes and brackets."""
    return set(re.split(rb"""[\r\n"'|\[\](){}<>]+""", content))


def test_no_row_and_no_hash_of_the_gold_is_in_any_blind_bundle(
    bundles: dict[str, bytes], data: Edition
) -> None:
    files = [file for content in bundles.values() for file in all_bytes(content)]
    assert {at for at, _ in files} >= {"/starting_kit.zip/claims.csv", "/reference_data.zip"}
    for content in {content for _, content in files}:
        assert not gold_rows(data) & pieces_of(content)
        assert not any(hash_ in content for hash_ in gold_hashes(data))
    names = [at for at, _ in files if at.endswith(GOLD_FILES)]
    assert all("/data/train/" in at for at in names)  # the training gold is public


def test_the_search_for_gold_finds_it_where_it_is(data: Edition) -> None:
    reference = dict(all_bytes(piece("reference_data", data)))
    found = set().union(*map(pieces_of, reference.values()))
    assert len(gold_rows(data)) > 300
    assert gold_rows(data) <= found


@pytest.mark.parametrize("name", list(VARIANTS))
def test_the_reference_data_hold_the_claims_alone(bundles: dict[str, bytes], name: str) -> None:
    reference = opened(opened(bundles[name])["reference_data.zip"])
    assert set(reference) == {"claims.csv", "edition.json"}


# --- the board ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(VARIANTS))
def test_the_board_has_one_column(bundles: dict[str, bytes], name: str) -> None:
    files = opened(bundles[name])
    made = yaml.safe_load(files["competition.yaml"])
    (column,) = made["leaderboards"][0]["columns"]
    assert (column["key"], column["index"], column["sorting"]) == ("accepted", 0, "desc")
    for program in ("ingestion_program.zip", "scoring_program.zip"):
        board = json.loads(opened(files[program])["board.json"])
        assert board == {
            "tasks": list(VARIANTS[name].tasks),
            "columns": ["accepted"],
            "blind": True,
        }
    open_board = competition(VARIANTS[name])
    assert {key: value for key, value in made.items() if key != "leaderboards"} == {
        key: value for key, value in open_board.items() if key != "leaderboards"
    }


def test_the_site_says_that_scores_are_hidden(bundles: dict[str, bytes], data: Edition) -> None:
    overview = opened(bundles[""])["pages/overview.md"].decode()
    assert BLIND_NOTICE in overview and data.notice in overview
    assert BLIND_NOTICE not in page("pages/overview.md", data).decode()


def text_of(bundles: dict[str, bytes], name: str, file: str) -> str:
    return " ".join(opened(bundles[name])[f"pages/{file}.md"].decode().split())


@pytest.mark.parametrize("name", list(VARIANTS))
def test_the_pages_are_true_of_a_blind_board(bundles: dict[str, bytes], name: str) -> None:
    evaluation = text_of(bundles, name, "evaluation")
    assert BLIND_NOTICE in evaluation and BLIND_NOTICE in text_of(bundles, name, "faq")
    _, _, columns = evaluation.partition("## The columns of the board")
    assert columns.index("`accepted`") < columns.index("No score is on the board")
    assert "The first column ranks the board" not in evaluation
    submit, faq = text_of(bundles, name, "submit"), text_of(bundles, name, "faq")
    assert (
        "A refused file is *Finished* too**, with 0 on the board, and counts as an attempt"
        in submit
    )
    assert "No score is shown before the organisers publish the scores" in submit
    assert "Yes. A refused file is *Finished*, with 0 on the board" in faq
    assert ("even if it was refused" in faq) == bool(name)
    site = [text_of(bundles, name, file) for file in ("overview", "submit", "evaluation", "faq")]
    for false in (
        "*Failed* means that the file has an error",
        "leaves submissions with the status *Failed* out of its limits",
        "your scores are there",
        "zeros in the other columns",
    ):
        assert not any(false in each for each in site), false
    kit = opened(opened(bundles[name])["starting_kit.zip"])["README.md"].decode()
    assert "a refused file is *Finished* too" in kit and "*Failed*" not in kit


@pytest.mark.parametrize("name", list(VARIANTS))
def test_the_pages_of_an_open_board_say_nothing_of_a_hidden_score(data: Edition, name: str) -> None:
    made = {f: page(f"pages/{f}.md", data, VARIANTS[name]).decode() for f in ("submit", "faq")}
    assert "*Failed* means that the file has an error" in made["submit"]
    assert "leaves submissions with the status *Failed* out" in made["faq"]
    for text in made.values():
        assert "accepted file, 0 for" not in text and "hidden" not in text


# --- the variable ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "blind"),
    [(None, False), ("", False), ("0", False), ("no", False), ("1", True), ("Yes", True)],
)
def test_what_the_variable_says(
    monkeypatch: pytest.MonkeyPatch, value: str | None, blind: bool
) -> None:
    monkeypatch.delenv("BLIND", raising=False)
    if value is not None:
        monkeypatch.setenv("BLIND", value)
    assert chosen("task1") == (BLIND if blind else VARIANTS)["task1"]


def test_a_slip_in_the_variable_builds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLIND", "ture")
    with pytest.raises(OrganiserError, match="BLIND=ture"):
        chosen("")


@pytest.mark.parametrize("name", list(VARIANTS))
def test_the_commands_obey_the_variable_under_names_of_their_own(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    written: dict[str, bytes] = {}
    for module in (build, bundle):
        monkeypatch.setattr(module, "write", lambda path, data: written.update({path.name: data}))
    monkeypatch.setattr(bundle, "bundle", lambda variant: repr(variant).encode())
    monkeypatch.setenv("BLIND", "1")
    monkeypatch.setattr(sys, "argv", ["bundle", *filter(None, [name])])
    assert bundle.main() == 0
    monkeypatch.setattr(sys, "argv", ["build", "reference_data"])
    assert build.main() == 0
    expected = "bundle-blind.zip" if not name else f"bundle-{name}-blind.zip"
    assert set(written) == {expected, "reference_data.zip"}
    assert written[expected] == repr(BLIND[name]).encode()
    assert set(opened(written["reference_data.zip"])) == {"claims.csv", "edition.json"}


# --- runs -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def blind_task(tiny: Tiny) -> worker.Task:
    programs = [piece(f"{n}_program", variant=BLIND[""]) for n in ("ingestion", "scoring")]
    public = zipped(files_of(tiny.inputs))
    return worker.Task(*programs, public, public)


def run(content: bytes, task: worker.Task, root: Path) -> tuple[worker.Run, Reading]:
    made = worker.run(upload({"predictions.csv": content}), task, root)
    return made, reading(made)


def test_an_accepted_file_gets_1(blind_task: worker.Task, tmp_path: Path) -> None:
    run_, made = run(full_submission(), blind_task, tmp_path)
    assert run_.scoring.exit_code == run_.ingestion.exit_code == 0
    scores = json.loads(made.files[SCORES])
    assert scores == {"accepted": 1.0}
    assert worker.stored(scores, list(columns_of(competition(BLIND[""])))) == []
    text = Page(made.page).text
    assert BLIND_NOTICE in text and "Accepted, without a remark." in text
    assert "Synthetic: made for a test." in text
    assert "Task 1: 60 rows with labels, for 12 of 12 claims." in text
    assert "Score1.1" not in text and "Recall" not in text
    assert made.logs["scoring.stderr"] == ""
    assert made.logs["scoring.stdout"] == "Accepted, without a remark.\n"
    assert not CLAIM.search(text)


def test_a_refused_file_is_finished_with_0_and_hears_why(
    blind_task: worker.Task, tmp_path: Path
) -> None:
    content = full_submission().replace(b"c03,3001", b"c03,3002").replace(b"Refutes", b"Wrong", 3)
    run_, made = run(content, blind_task, tmp_path)
    assert (run_.ingestion.exit_code, run_.scoring.exit_code) == (1, 0)
    assert json.loads(made.files[SCORES]) == {"accepted": 0.0}
    for code in ("E-DUPLICATE-PAIR", "E-LABEL"):
        assert code in made.logs["scoring.stderr"]
        assert code in Page(made.page).text
    assert "Refused: 2 errors" in made.logs["scoring.stdout"]


def test_a_fault_of_the_organisers_is_not_a_refusal(
    blind_task: worker.Task, tmp_path: Path
) -> None:
    broken = replace(blind_task, reference_data=zipped({"edition.json": b"{}"}))
    run_, made = run(full_submission(), broken, tmp_path)
    assert run_.scoring.exit_code == 1
    assert "fault of the competition, not of your submission" in made.logs["scoring.stderr"]
    assert SCORES not in made.files and PAGE not in made.files


def test_gold_that_lies_there_all_the_same_is_not_looked_at(
    blind_task: worker.Task, tiny: Tiny, tmp_path: Path
) -> None:
    inputs, gold = files_of(tiny.inputs), files_of(tiny.reference)
    with_gold = replace(blind_task, reference_data=zipped({**inputs, **gold}))
    made = run(full_submission(), with_gold, tmp_path / "with")[1]
    assert made == run(full_submission(), blind_task, tmp_path / "without")[1]


def test_a_file_for_the_other_task_is_not_accepted_on_a_board_of_one(
    tiny: Tiny, tmp_path: Path
) -> None:
    programs = [piece(f"{n}_program", variant=BLIND["task2"]) for n in ("ingestion", "scoring")]
    public = zipped(files_of(tiny.inputs))
    content = b"claim_id,abstract_id,rank\nc00,1,1\n"
    made = run(content, worker.Task(*programs, public, public), tmp_path)[1]
    assert json.loads(made.files[SCORES]) == {"accepted": 0.0}
    assert "E-OTHER-TASK" in made.logs["scoring.stderr"]


def test_the_organiser_scores_the_download_with_the_gold(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``make score`` uses the gold whatever the variable says."""
    download = tmp_path / "7_team_PhaseId1_2026-02-01_10-00_predictions.zip"
    download.write_bytes(sample("upload/both.zip", edition()))
    monkeypatch.setenv("BLIND", "1")
    arguments = ["dry_run", "score", "--submission", str(download), "--out", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", arguments)
    assert dry_run.main() == 0
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert len(scores) == 13 and scores["recall_at_5"] > 0
    assert "Score1.1" in capsys.readouterr().out
