"""An edition of the real data's size goes all the way; nothing of its test gold gets out."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from climatecheck import read_claims, read_gold
from climatecheck.board import read_facts
from climatecheck.metrics.judgements import is_evidentiary
from organiser.dataset.checking import last_look
from organiser.dataset.importing import Outcome, Request, import_edition
from organiser.dataset.near import near_pairs, words_of
from organiser.editions import OrganiserError
from organiser.zips import files_of
from tests.conftest import ROOT
from tests.dataset_example import Example, N, R, Row, S, clean, row, sentence, without_bundle

MARGINS = {"train": {S: 1399, R: 451, N: 1173}, "test": {S: 749, R: 266, N: 889}}
"""Table 1 of the overview paper."""

CODES = ("1_1", "2_1", "2_1;5_2", "4_1", "5_3", "3_3", "1_7")


def real_size() -> Example:
    """As large as the data of 2026, and as odd: 172 test ids with 176 texts, 163 with evidence.

    The first 163 test claims share out the evidentiary pairs, all 172 the others; 124 are 0_0.
    """
    made = Example()
    for split, rows, claims, with_evidence in (
        ("train", made.train, 782, 782),
        ("test", made.test, 172, 163),
    ):
        first = 0 if split == "train" else 2_000
        of_claim: Counter[int] = Counter()
        for label, count in MARGINS[split].items():
            among = claims if label == N else with_evidence
            for k in range(count):
                claim = k % among
                abstract = (37 * claim + of_claim[claim]) * 11 + (5 if split == "test" else 0)
                of_claim[claim] += 1
                rows.append(_real_row(first, claim, abstract, label, split))
    return made


def _real_row(first: int, claim: int, abstract: int, label: str, split: str) -> Row:
    # 37 is prime to 172, so of 172 test claims 124 are 0_0; in train the order is another.
    place = (37 if split == "test" else 5) * claim % 172
    code = "0_0" if place < 124 else CODES[place % len(CODES)]
    second = split == "test" and claim < 4 and label == N  # a second text for four ids
    text = sentence(first + claim + (5_000 if second else 0))
    return row(first + claim, abstract, label, claim=text, narrative=code)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    base = tmp_path_factory.mktemp("real")
    dataset = real_size().write(base / "d")
    return import_edition(Request("real", dataset), base / "editions", look=without_bundle)


def test_table_1_and_the_oddities_of_the_real_data(imported: Outcome) -> None:
    splits = imported.counts["splits"]
    assert splits["train"]["pairs"] == {**MARGINS["train"], "total": 3023}
    assert splits["test"]["pairs"] == {**MARGINS["test"], "total": 1904}
    assert splits["train"]["claims"]["ids"] == 782
    claims = splits["test"]["claims"]
    assert (claims["ids"], claims["texts"], claims["ids_with_two_texts"]) == (172, 176, 4)
    assert claims["with_evidentiary"] == 163
    # (749 + 266) / 172 evidentiary abstracts a claim.
    assert claims["evidentiary_per_claim"]["mean"] == round(1015 / 172, 3)
    assert splits["test"]["narratives"]["claims_with_none_alone"] == 124
    assert sum(claims["claims_by_evidentiary"].values()) == 172
    assert [(f.kind.code, f.split, f.count) for f in imported.findings] == [
        ("claim-two-texts", "test", 4)
    ]
    assert read_facts(imported.folder / "input_data").published == "2026"


def test_the_statement_stands_beside_the_published_table(imported: Outcome) -> None:
    page = (imported.folder / "data_statement.md").read_text("utf-8")
    assert "| test | Refutes | 266 | 266 | 266 | 0 |" in page
    assert "| train | total | 3,023 | 3,023 | 3,023 | 0 |" in page
    assert "marked as the one that the published figures were computed on" in page
    assert json.loads((imported.folder / "data_statement.json").read_text()) == imported.counts


def test_the_reader_of_the_scorer_finds_the_same(imported: Outcome) -> None:
    claims = read_claims(imported.folder / "input_data" / "claims.csv")
    gold = read_gold(imported.folder / "reference_data", claims)
    assert (len(claims), len(claims.twice), len(gold.label)) == (172, 4, 1904)
    assert len(set(gold.claim[is_evidentiary(gold.label)].tolist())) == 163
    train = imported.folder / "starting_kit" / "data" / "train"
    assert len(read_gold(train).label) == 3023


@pytest.mark.parametrize("change", ["label", "pair"])
def test_other_counts_are_not_taken_for_the_published_ones(change: str, tmp_path: Path) -> None:
    made = real_size()
    if change == "label":  # 748 Supports, 267 Refutes, as many in all
        place = next(i for i, each in enumerate(made.test) if each["annotation"] == S)
        made.test[place]["annotation"] = R
    else:
        made.test.append({**made.test[-1], "abstract_id": 394_268})
    asked = Request("almost", made.write(tmp_path / "d"))
    outcome = import_edition(asked, tmp_path / "editions", look=without_bundle)
    facts = json.loads((outcome.folder / "input_data" / "edition.json").read_text())
    assert facts == {"name": "almost", "title": "ClimateCheck 2026, edition almost"}
    assert "this is another edition" in (outcome.folder / "data_statement.md").read_text("utf-8")


# --- nothing of the test gold gets out ------------------------------------------------------------


def public(outcome: Outcome) -> dict[str, bytes]:
    """What participants can download of an edition's files."""
    files = files_of(outcome.folder)
    return {n: c for n, c in files.items() if n.startswith(("input_data/", "starting_kit/"))}


def other_labels(rows: list[Row], chance: random.Random) -> None:
    for each in rows:
        each["annotation"] = chance.choice((S, R, N))


def other_narratives(rows: list[Row], chance: random.Random) -> None:
    for each in rows:
        each["narrative"] = CODES[int(each["claim_id"]) % 5]


def other_abstracts(rows: list[Row], chance: random.Random) -> None:
    """Some of them judged for training claims as well, with other texts."""
    for each, id_ in zip(rows, chance.sample(range(100, 600), len(rows)), strict=True):
        each["abstract_id"], each["abstract"] = id_, f"Text of a test row {id_}"


def other_order(rows: list[Row], chance: random.Random) -> None:
    chance.shuffle(rows)


@pytest.mark.parametrize("change", [other_labels, other_narratives, other_abstracts, other_order])
def test_what_participants_get_does_not_hang_on_the_test_gold(
    change: Callable[[list[Row], random.Random], None], tmp_path: Path
) -> None:
    made = clean()
    made.test += [row(15 + k, 1500 + k, N) for k in range(20)]
    changed = Example(made.train, [dict(each) for each in made.test])
    change(changed.test, random.Random(3))
    asked = Request("e", made.write(tmp_path / "a"))
    before = import_edition(asked, tmp_path / "one", look=without_bundle)
    asked = replace(asked, dataset=changed.write(tmp_path / "b"))
    after = import_edition(asked, tmp_path / "two", look=without_bundle)
    assert public(after) == public(before)
    if change is not other_order:
        gold = ("reference_data/task1_gold.csv", "reference_data/task2_gold.csv")
        assert any(
            (before.folder / name).read_bytes() != (after.folder / name).read_bytes()
            for name in gold
        )


def test_training_data_that_tell_the_test_gold_stop_the_import(tmp_path: Path) -> None:
    """The test claims stand in train too, under texts that nobody would take for theirs."""
    made = real_size()
    copies = [{**each, "claim": sentence(9_000 + int(each["claim_id"]))} for each in made.test]
    made.train += copies
    with pytest.raises(OrganiserError, match="participants could download gold") as refused:
        import_edition(Request("e", made.write(tmp_path / "d")), tmp_path / "editions")
    assert "task1_gold.csv" in str(refused.value)
    assert list((tmp_path / "editions").iterdir()) == []


def test_the_synthetic_sentences_are_no_near_duplicates() -> None:
    words = [words_of(sentence(n)) for n in range(0, 3_000, 7)]
    pairs, _ = near_pairs(words, words)
    assert [(i, j) for i, j, _ in pairs] == [(i, i) for i in range(len(words))]


# --- all the way ----------------------------------------------------------------------------------

COPIED = (
    "baselines",
    "climatecheck",
    "ingestion_program",
    "organiser",
    "pages",
    "scoring_program",
    "starting_kit",
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project without its data, and a dataset of the real size beside it."""
    base = tmp_path_factory.mktemp("tree")
    junk = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        shutil.copytree(ROOT / name, base / "project" / name, ignore=junk)
    for name in ("competition.yaml", "logo.png"):
        shutil.copy(ROOT / name, base / "project" / name)
    real_size().write(base / "dataset")
    return base


def run(tree: Path, *arguments: str) -> str:
    project = tree / "project"
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=project,
        env={**os.environ, "EDITION": "real", "PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_an_imported_edition_is_scored_bundled_and_checked(tree: Path) -> None:
    said = run(tree, "organiser.dataset", "--name", "real", "--dataset", str(tree / "dataset"))
    assert "warning claim-two-texts  test: 4 claim ids with two texts" in said
    assert "test: 172 claims, 1,904 pairs" in said
    assert "no gold in what participants download" in said
    assert "Recall@5" in run(tree, "organiser.dry_run", "score")
    run(tree, "organiser.bundle")
    checked = run(tree, "organiser.check", "--json", "dist/bundle.zip")
    assert json.loads(checked)["uploadable"] is True


def test_a_bundle_is_tried_only_where_it_can_be_made_in_time(tmp_path: Path) -> None:
    (remark,) = last_look(tmp_path, 5_001)
    assert remark == "No bundle was tried, for there are 5,001 claims: run make bundle."


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
def test_git_tracks_nothing_of_an_edition(imported: Outcome) -> None:
    names = [f"editions/real/{name}" for name in files_of(imported.folder)]
    assert "editions/real/reference_data/task1_gold.csv" in names
    names += ["editions/.real.new-x/reference_data/task1_gold.csv", "editions/.real.old/x"]
    ignored = subprocess.run(
        ["git", "check-ignore", "--", *names], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ignored.stdout.split() == names
    tracked = subprocess.run(
        ["git", "ls-files", "editions"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert tracked.stdout == ""
