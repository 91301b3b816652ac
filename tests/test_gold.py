"""The reader of claims and gold: what it reads, and each fault told without the gold."""

from pathlib import Path

import pytest

from climatecheck import edition
from climatecheck.gold import GoldError, read_claims, read_gold
from climatecheck.taxonomy import CODES

GOLDEN = Path(__file__).parent / "golden"

CLAIMS = "claim_id,claim\n7,One claim.\n12,Another claim.\na-3,A third.\n"
TASK1 = (
    "claim_id,abstract_id,label\n"
    "12,4711,Supports\n"
    "7,31,Not Enough Information\n"
    "12,17,Refutes\n"
    "7,5,NEI\n"
)
TASK2 = "claim_id,narrative\na-3,0_0\n7,5_1;2_1\n"
SECRETS = ("4711", "31,", "Supports", "Refutes", "Enough", "5_1", "2_1", "a-3", "Secret", "99_9")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / edition.CLAIMS_FILE).write_text(CLAIMS)
    (tmp_path / edition.TASK1_GOLD_FILE).write_text(TASK1)
    (tmp_path / edition.TASK2_GOLD_FILE).write_text(TASK2)
    return tmp_path


def faults(folder: Path) -> list[str]:
    with pytest.raises(GoldError) as raised:
        read_gold(folder)
    message = str(raised.value)
    assert "organisers' data are faulty (no submission can be the cause)" in message
    for secret in SECRETS:
        assert secret not in message
    return message.split("\n- ")[1:]


def test_sorted_by_claim_and_abstract(folder):
    gold = read_gold(folder)
    assert gold.claims.ids == ("7", "12", "a-3")
    assert gold.claims.texts[1] == "Another claim."
    assert gold.claim.tolist() == [0, 0, 1, 1]
    assert gold.abstract.tolist() == [5, 31, 17, 4711]
    assert gold.label.tolist() == [2, 2, 1, 0]
    assert gold.narratives.claim.tolist() == [0, 2]
    codes = [[CODES[place] for place in row.nonzero()[0]] for row in gold.narratives.codes]
    assert codes == [["2_1", "5_1"], ["0_0"]]


def test_the_column_of_2025(folder):
    file = folder / edition.TASK1_GOLD_FILE
    file.write_text(TASK1.replace("abstract_id", "abstract_original_index"))
    assert read_gold(folder).abstract.tolist() == [5, 31, 17, 4711]


def test_other_spellings_are_read(folder):
    file = folder / edition.TASK1_GOLD_FILE
    file.write_text("\ufeffLabel;abstract_id;claim_id\nsupports;4711.0; 12\nNEI;017.0;7.0\n")
    assert faults(folder) == [
        f"{edition.TASK1_GOLD_FILE}: an abstract id outside the corpus (line 3)"
    ]
    file.write_text("\ufeffLabel;abstract_id;claim_id\nsupports;4711.0; 12\nNEI;17;7.0\n")
    gold = read_gold(folder)
    assert (gold.claim.tolist(), gold.abstract.tolist()) == ([0, 1], [17, 4711])


def test_digest_knows_both_files(folder):
    first = read_gold(folder)
    assert len(first.digest) == 12
    assert read_gold(folder).digest == first.digest
    (folder / edition.TASK2_GOLD_FILE).write_text(TASK2.replace("2_1", "2_3"))
    second = read_gold(folder)
    (folder / edition.TASK1_GOLD_FILE).write_text(TASK1.replace("4711", "4712"))
    assert len({first.digest, second.digest, read_gold(folder).digest}) == 3


def test_claims_from_elsewhere(folder):
    claims = read_claims(folder / edition.CLAIMS_FILE)
    (folder / edition.CLAIMS_FILE).unlink()
    assert read_gold(folder, claims).claims is claims
    assert faults(folder) == [f"{edition.CLAIMS_FILE}: the file cannot be read"]


def test_an_id_with_two_texts(folder):
    file = folder / edition.CLAIMS_FILE
    file.write_text(CLAIMS + "7,Another text.\n")
    claims = read_claims(file)
    assert claims.ids == ("7", "12", "a-3")
    assert claims.texts[0] == "One claim."
    assert claims.twice == {"7"}


def test_a_claim_may_have_line_breaks_and_quotes(folder):
    file = folder / edition.CLAIMS_FILE
    file.write_text('claim_id,claim\n7,"Two\nlines, ""quoted"""\n12,x\na-3,y\n')
    assert read_claims(file).texts[0] == 'Two\nlines, "quoted"'


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ("7,One claim.\n", "a claim a second time (line 5)"),
        ("7,Secret B.\n7,Secret C.\n", "a third text for the same claim_id (line 6)"),
        (",Secret\n", "an empty claim_id (line 5)"),
        ('"1\n3",Secret\n', "a line break in a claim_id (line 5)"),
        ("13\n", "A row is too short or too long (line 5)"),
    ],
)
def test_faults_of_claims(folder, more, fault):
    (folder / edition.CLAIMS_FILE).write_text(CLAIMS + more)
    assert faults(folder) == [f"{edition.CLAIMS_FILE}: {fault}"]


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ("12,4711,Refutes\n", "a claim-abstract pair a second time (line 6)"),
        ("8,1,Supports\n9,1,Supports\n", "a claim that is not in claims.csv (lines 6, 7)"),
        ("7,394269,Supports\n", "an abstract id outside the corpus (line 6)"),
        ("7,-1,Supports\n", "an abstract id outside the corpus (line 6)"),
        ("7,,Supports\n", "an abstract id outside the corpus (line 6)"),
        ("7,08,Supports\n", "an abstract id outside the corpus (line 6)"),
        ("7,1234567890123456789012,Supports\n", "an abstract id outside the corpus (line 6)"),
        ("7,8,Secret\n", "an unknown label (line 6)"),
        ("7,8,\n", "an unknown label (line 6)"),
        ("7,8\n", "A row is too short or too long (line 6)"),
        ("8,1,NEI\n" * 9, "a claim that is not in claims.csv (lines 6, 7, 8, 9, 10 and 4 more)"),
        ("7,8\n" * 9, "A row is too short or too long (lines 6, 7, 8 and 6 more)"),
    ],
)
def test_faults_of_task_1(folder, more, fault):
    (folder / edition.TASK1_GOLD_FILE).write_text(TASK1 + more)
    assert faults(folder) == [f"{edition.TASK1_GOLD_FILE}: {fault}"]


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ("7,5_1\n", "a claim a second time (line 4)"),
        ("8,5_1\n", "a claim that is not in claims.csv (line 4)"),
        ("12,99_9\n", "an unknown narrative code (line 4)"),
        ("12,\n", "no narrative code (line 4)"),
    ],
)
def test_faults_of_task_2(folder, more, fault):
    (folder / edition.TASK2_GOLD_FILE).write_text(TASK2 + more)
    assert faults(folder) == [f"{edition.TASK2_GOLD_FILE}: {fault}"]


def test_no_evidentiary_abstract(folder):
    (folder / edition.TASK1_GOLD_FILE).write_text("claim_id,abstract_id,label\n7,1,NEI\n")
    assert faults(folder) == [
        f"{edition.TASK1_GOLD_FILE}: no abstract at all is evidentiary, so retrieval cannot be"
        " scored"
    ]


@pytest.mark.parametrize("name", [edition.TASK1_GOLD_FILE, edition.TASK2_GOLD_FILE])
@pytest.mark.parametrize(
    "content", [None, b"", b"claim_id,Secret\n7,4711\n", b"\xff\xfe\x00", b"claim_id", b"\x00" * 9]
)
def test_unreadable_files(folder, name, content):
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    found = faults(folder)
    assert found
    assert all(fault.startswith(f"{name}: ") for fault in found)


def test_a_folder_in_the_place_of_a_file(folder):
    (folder / edition.TASK1_GOLD_FILE).unlink()
    (folder / edition.TASK1_GOLD_FILE).mkdir()
    assert faults(folder) == [f"{edition.TASK1_GOLD_FILE}: the file cannot be read"]


def test_a_missing_column_is_named(folder):
    (folder / edition.TASK1_GOLD_FILE).write_text("claim_id,id,verdict\n7,4711,Supports\n")
    assert faults(folder) == [
        f"{edition.TASK1_GOLD_FILE}: there is no column label",
        f"{edition.TASK1_GOLD_FILE}: there is no column abstract_id",
    ]


def test_all_faults_at_once(folder):
    (folder / edition.CLAIMS_FILE).write_text(CLAIMS + ",Secret\n")
    (folder / edition.TASK1_GOLD_FILE).write_text(TASK1 + "8,4711,Secret\n7,5,NEI\n")
    (folder / edition.TASK2_GOLD_FILE).write_text(TASK2 + "12,99_9\n")
    assert faults(folder) == [
        "claims.csv: an empty claim_id (line 5)",
        "task1_gold.csv: a claim that is not in claims.csv (line 6)",
        "task1_gold.csv: an unknown label (line 6)",
        "task1_gold.csv: a claim-abstract pair a second time (line 7)",
        "task2_gold.csv: an unknown narrative code (line 4)",
    ]


def test_the_golden_edition_is_read():
    gold = read_gold(GOLDEN)
    assert (len(gold.claims), len(gold.claim), len(gold.narratives)) == (10, 42, 9)


def test_a_large_file_is_read_alike(folder):
    # 600,000 pairs, 200,000 a claim, in descending order; one of them twice, one unknown label.
    file = folder / edition.TASK1_GOLD_FILE
    rows = [f"{claim},{a},NEI" for claim in ("a-3", "12", "7") for a in range(200_000)][::-1]
    rows[100] = rows[100].replace("NEI", "Supports")
    file.write_text("\n".join(["claim_id,abstract_id,label", *rows]) + "\n")
    gold = read_gold(folder)
    assert gold.claim.tolist() == [0] * 200_000 + [1] * 200_000 + [2] * 200_000
    assert gold.abstract.tolist() == list(range(200_000)) * 3
    # Row 100 from the end of claim 7's: abstract 199,999 - 100.
    assert (gold.label == 0).nonzero()[0].tolist() == [199_899]
    file.write_text(file.read_text() + "7,4711,NEI\n7,200000,Secret\n")
    assert faults(folder) == [
        f"{edition.TASK1_GOLD_FILE}: an unknown label (line 600003)",
        f"{edition.TASK1_GOLD_FILE}: a claim-abstract pair a second time (line 600002)",
    ]


def test_the_gold_of_a_task_that_is_not_scored_may_be_missing(tmp_path):
    (tmp_path / "claims.csv").write_text("claim_id,claim\n1,a\n")
    (tmp_path / "task1_gold.csv").write_text("claim_id,abstract_id,label\n1,5,Supports\n")
    gold = read_gold(tmp_path, tasks=("1",))
    assert len(gold.narratives) == 0 and gold.label.tolist() == [0]
    (tmp_path / "task2_gold.csv").write_text("claim_id,narrative\n")
    assert len(read_gold(tmp_path, tasks=("1",)).narratives) == 0
    with pytest.raises(GoldError, match=r"task2_gold\.csv: No rows"):
        read_gold(tmp_path)
    (tmp_path / "task1_gold.csv").unlink()
    (tmp_path / "task2_gold.csv").write_text("claim_id,narrative\n1,0_0\n")
    assert len(read_gold(tmp_path, tasks=("2",)).claim) == 0
    with pytest.raises(GoldError, match=r"task1_gold\.csv: the file cannot be read"):
        read_gold(tmp_path, tasks=("1",))
