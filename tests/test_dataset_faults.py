"""Every fault that a dataset can hold: what is reported, and what becomes of it."""

import csv
import json
from pathlib import Path
from typing import NamedTuple

import pytest

from climatecheck import edition as settings
from organiser.dataset.importing import Outcome, Request, import_edition
from organiser.dataset.kinds import KINDS
from organiser.editions import OrganiserError
from tests.dataset_example import (
    Example,
    N,
    R,
    S,
    clean,
    row,
    sentence,
    without_bundle,
    write_csv,
)

SUN = "The sun warms the planet, not CO2", "CO2 warms the planet, not the sun"
SEA = "the sea level is not rising anywhere on this coast"


def faulty() -> Example:
    made = clean()
    test, train = made.test, made.train
    # claims
    test += [row(21, 2100, S, narrative="1_1"), row(21, 2101, N, narrative="1_1")]
    test += [row(21, 2102, R, narrative="3_3", claim="Another text of it")]
    test += [row(22, 2200 + k, claim=f"Text {t} of three") for k, t in enumerate("AABCC")]
    test += [row("", 1)]
    test += [row("33.0", 3300, claim=sentence(33)), row("33", 3301, claim=sentence(33))]
    test += [row(34, 3400, claim=""), row(34, 3401)]
    test += [row(35, 3500, claim="nan"), row(35, 3501, claim="")]
    test += [row(36, 3600, "", narrative="")]
    test += [row(37, 3700), row(38, 3800, claim=sentence(37))]
    test += [row(50, 5000, claim="A bell \x07 rings at noon")]
    test += [row(51, 5100, claim="Two blanks here"), row(51, 5101, claim="Two  blanks here ")]
    # pairs
    test += [row(23, 2300), row(23, 2300)]
    test += [row(23, 2301, S), row(23, 2301, S), row(23, 2301, R)]
    test += [row(23, 2302, S), row(23, 2302, R)]
    test += [row(31, 3100, "Disputes"), row(31, 3101, "supports"), row(31, 3102, "NEI")]
    test += [row(31, 3103, "nan")]
    test += [row(32, ""), row(32, "abc"), row(32, 394_269), row(32, -1), row(32, 3200)]
    # narratives
    test += [row(24, 2400 + k, narrative=c) for k, c in enumerate(("1_1", "1_1", "2_1"))]
    test += [row(25, 2500 + k, narrative=c) for k, c in enumerate(("1_1", "2_1"))]
    test += [row(26, 2600, narrative="1_1|2_1"), row(26, 2601, narrative="['2_1', '1_1']")]
    test += [row(27, 2700, narrative="0")]
    test += [row(28, 2800, narrative="4_1;9_9"), row(28, 2801, narrative="4_2")]
    test += [row(29, 2900, narrative="None")]
    test += [row(30, 3000, narrative="0_0;1_1"), row(39, 3900, narrative="2_0;2_1")]
    # both splits
    train += [row(41, 4100), row(42, 4200, claim="Frost in May, again!")]
    test += [row(41, 4110), row(43, 4300, claim="frost in may again")]
    train += [row(44, 4400)]
    test += [row(44, 4410, claim="Nothing like the other claim")]
    train += [row(45, 4500, claim=f"{SEA} today")]
    test += [row(46, 4600, claim=f"{SEA.capitalize()} now.")]
    train += [row(52, 5200, claim=SUN[0])]
    test += [row(53, 5300, claim=SUN[1])]
    test += [row(11, 100, N, abstract="Synthetic abstract 100.", narrative="0_0")]
    train += [row(47, 4700, abstract="Short."), row(48, 4700, abstract="The longer text.")]
    train += [row(49, 4900, abstract="")]
    return made


EXPECTED = {
    ("id-decimal", ""): 1,
    ("claim-id-missing", "test"): 1,
    ("text-cleaned", ""): 1,
    ("claim-text-form", ""): 1,
    ("claim-text-on-some-rows", "test"): 1,  # 34
    ("claim-text-missing", "test"): 1,  # 35
    ("claim-two-texts", "test"): 1,  # 21
    ("claim-more-texts", "test"): 1,  # 22
    ("claim-same-text", "test"): 1,  # 38 has the text of 37
    ("claim-in-both-splits", ""): 2,  # 41, and 42 with the text of 43
    ("claim-id-in-both-splits", ""): 1,  # 44
    # 45 and 46: 10 words of 12, see below; 52 and 53: the same words, and the opposite claim
    ("claim-near-duplicate", ""): 2,
    ("claim-without-gold", "test"): 1,  # 36
    ("abstract-id-missing", "test"): 1,
    ("abstract-id-unreadable", "test"): 1,  # abc
    ("abstract-outside-corpus", "test"): 2,  # 394269 and -1
    ("label-missing", "test"): 2,  # 36 and 31
    ("label-unknown", "test"): 1,
    ("label-form", ""): 2,  # supports, NEI
    ("pair-repeated", "test"): 1,
    ("pair-majority", "test"): 1,
    ("pair-tied", "test"): 1,
    ("narrative-unknown", "test"): 1,  # 28
    ("narrative-form", ""): 3,  # two rows of 26, one of 27
    ("narrative-on-some-rows", "test"): 1,  # 28
    ("narrative-missing", "test"): 2,  # 29, 36
    ("narrative-majority", "test"): 1,  # 24
    ("narrative-tied", "test"): 1,  # 25
    ("narrative-united", "test"): 1,  # 21
    ("narrative-combination", "test"): 2,  # 30, 39
    ("abstract-text-missing", "train"): 1,  # 4900
    ("abstract-texts-differ", ""): 1,  # 4700
    ("abstract-shared", ""): 1,  # 100
    ("split-ignored", ""): 2,  # the rows of dev.csv
    ("file-ignored", ""): 1,  # notes.txt
    ("column-ignored", ""): 1,  # comment, in dev.csv
}


class Imported(NamedTuple):
    outcome: Outcome
    dataset: Path
    editions: Path


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    base = tmp_path_factory.mktemp("faulty")
    dataset = faulty().write(base / "dataset")
    write_csv(dataset / "dev.csv", [{**row(90 + k, 1), "comment": ""} for k in range(2)])
    (dataset / "notes.txt").write_text("Synthetic.")
    asked = Request("faulty", dataset)
    outcome = import_edition(asked, base / "editions", look=without_bundle)
    return Imported(outcome, dataset, base / "editions")


def test_every_fault_is_found_and_counted(imported: Imported) -> None:
    found = {(f.kind.code, f.split): f.count for f in imported.outcome.findings}
    assert found == EXPECTED


def test_the_report_has_a_line_for_every_fault(imported: Imported) -> None:
    report = (imported.outcome.folder / "import_report.md").read_text("utf-8")
    lines = [line for line in report.splitlines() if line.startswith("| `")]
    for code, split in EXPECTED:
        (line,) = [each for each in lines if each.startswith(f"| `{code}` | {split or 'dataset'}")]
        assert KINDS[code].found in line
        assert KINDS[code].done in line
    content = json.loads((imported.outcome.folder / "import_report.json").read_text("utf-8"))
    assert {(f["code"], f["split"]): f["count"] for f in content["findings"]} == EXPECTED


def read(folder: Path, name: str) -> list[tuple[str, ...]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return [tuple(cells) for cells in csv.reader(file)][1:]


def test_every_place_stands_in_the_list_of_decisions(imported: Imported) -> None:
    rows = read(imported.outcome.folder, "import_decisions.csv")
    told = {(code, split, claim) for code, _, split, _, _, claim, *_ in rows}
    assert {
        ("pair-tied", "test", "23"),
        ("narrative-tied", "test", "25"),
        ("claim-text-missing", "test", "35"),
        ("claim-in-both-splits", "", "41"),
        ("claim-in-both-splits", "", "42"),
    } <= told
    near, words = (each for each in rows if each[0] == "claim-near-duplicate")
    # SEA has ten words; with today or now eleven each: ten shared, twelve in all: 10 / 12 = .83.
    assert near[5] == "45"
    assert "test claim 46, similarity 0.83" in near[7]
    assert "test claim 53, similarity 1.00" in words[7]


def test_the_claims_are_listed_as_was_decided(imported: Imported) -> None:
    claims = read(imported.outcome.folder, "input_data/claims.csv")
    of_21 = [text for id_, text in claims if id_ == "21"]
    of_22 = [text for id_, text in claims if id_ == "22"]
    assert of_21 == [sentence(21), "Another text of it"]
    assert of_22 == ["Text A of three", "Text C of three"]  # two rows each, against one of B
    texts = dict(claims)
    assert "35" not in texts
    assert "" not in texts
    assert "33.0" not in texts
    assert texts["33"] == sentence(33)
    assert texts["34"] == sentence(34)
    assert texts["50"] == "A bell  rings at noon"
    assert texts["51"] == "Two blanks here"
    assert {"36", "37", "38", "41", "43", "44", "46", "53"} <= texts.keys()


def test_the_pairs_are_what_was_decided(imported: Imported) -> None:
    gold = read(imported.outcome.folder, "reference_data/task1_gold.csv")
    of = {claim: {(a, label) for c, a, label in gold if c == claim} for claim, _, _ in gold}
    assert of["21"] == {("2100", S), ("2101", N), ("2102", R)}
    assert of["23"] == {("2300", S), ("2301", S)}  # S, S, R: S; S, R: unjudged
    assert of["31"] == {("3101", S), ("3102", N)}
    assert of["32"] == {("3200", S)}
    assert of["33"] == {("3300", S), ("3301", S)}
    assert "35" not in of
    assert "36" not in of
    assert ("100", N) in of["11"]
    assert len(gold) == len({(claim, abstract) for claim, abstract, _ in gold})


def test_the_narratives_are_what_was_decided(imported: Imported) -> None:
    gold = dict(read(imported.outcome.folder, "reference_data/task2_gold.csv"))
    assert gold["21"] == "1_1;3_3"
    assert gold["24"] == "1_1"
    assert gold["26"] == "1_1;2_1"
    assert gold["27"] == "0_0"
    assert gold["28"] == "4_2"  # the cell with an unknown code does not count at all
    assert gold["30"] == "0_0;1_1"
    assert not {"25", "29", "36"} & gold.keys()


def test_training_claims_that_stand_in_test_are_gone_from_the_kit(imported: Imported) -> None:
    train = imported.outcome.folder / "starting_kit" / "data" / "train"
    ids = {cells[0] for cells in read(train, "claims.csv")}
    assert ids == {"1", "2", "3", "4", "44", "45", "47", "48", "49", "52"}
    for name in (settings.TASK1_GOLD_FILE, settings.TASK2_GOLD_FILE):
        assert {cells[0] for cells in read(train, name)} == ids


def test_the_kit_has_the_abstracts_judged_for_training_claims_alone(imported: Imported) -> None:
    kit = imported.outcome.folder / "starting_kit" / "data"
    texts = {int(id_): text for id_, _, text in read(kit, "abstracts.csv")}
    judged = {100 * claim + k for claim in (1, 2, 3, 4) for k in range(3)} | {
        4400,
        4500,
        4700,
        5200,
    }
    assert texts.keys() == judged  # not 4100 and 4200, whose claims went to test; 4900: no text
    assert texts[4700] == "The longer text."


def test_strict_refuses_every_decision_at_once(imported: Imported, tmp_path: Path) -> None:
    with pytest.raises(OrganiserError) as refused:
        import_edition(Request("strict", imported.dataset, strict=True), tmp_path)
    message = str(refused.value)
    warnings = {code for code, _ in EXPECTED if KINDS[code].level == "warning"}
    notes = {code for code, _ in EXPECTED} - warnings
    assert notes == {
        "claim-text-form",
        "narrative-combination",
        "abstract-shared",
        "file-ignored",
        "column-ignored",
    }
    assert {code for code in EXPECTED_CODES if f"warning {code} " in message} == warnings
    assert list(tmp_path.iterdir()) == []


EXPECTED_CODES = {code for code, _ in EXPECTED}


def test_a_new_edition_refuses_two_texts_alone(imported: Imported, tmp_path: Path) -> None:
    with pytest.raises(OrganiserError) as refused:
        import_edition(Request("new", imported.dataset, new=True), tmp_path)
    listed = str(refused.value).splitlines()[1:]
    assert [line.split()[2] for line in listed] == ["claim-two-texts", "claim-more-texts"]
    assert "claim 21" in listed[0]
    assert list(tmp_path.iterdir()) == []


def test_strict_and_new_accept_a_clean_dataset(tmp_path: Path) -> None:
    asked = Request("clean", clean().write(tmp_path / "d"), new=True, strict=True)
    assert import_edition(asked, tmp_path / "e", look=without_bundle).findings == []


def test_every_kind_of_finding_is_tested() -> None:
    """The others need a corpus, more claims than fit here, or fewer tasks; see the other tests."""
    elsewhere = {
        "abstract-not-in-corpus-file",
        "claim-near-duplicate-unsearched",
        "corpus-id",
        "corpus-size",
        "split-missing",
        "task-missing",
    }
    assert EXPECTED_CODES | elsewhere == set(KINDS)
