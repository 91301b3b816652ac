"""Every form of a dataset gives the same edition; what cannot be read is said in words."""

import importlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from organiser.dataset import __main__ as command
from organiser.dataset import from_csv, from_parquet, readers
from organiser.dataset.importing import Outcome, Request, import_edition
from organiser.editions import OrganiserError
from organiser.zips import files_of
from tests.dataset_example import COLUMNS, N, Row, S, clean, row, without_bundle, write_csv

DATA = ("input_data", "reference_data", "starting_kit")


def imported(dataset: Path, **asked: Any) -> Outcome:
    editions = dataset.parent / "editions"
    return import_edition(Request("e", dataset, **asked), editions, look=without_bundle)


def data_of(outcome: Outcome) -> dict[str, bytes]:
    return {
        name: content for name, content in files_of(outcome.folder).items() if name.startswith(DATA)
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    outcome = imported(clean().write(tmp_path_factory.mktemp("clean") / "d"))
    assert outcome.findings == []
    return data_of(outcome)


def test_the_clean_edition(expected: dict[str, bytes]) -> None:
    assert sorted(expected) == [
        "input_data/claims.csv",
        "input_data/edition.json",
        "reference_data/task1_gold.csv",
        "reference_data/task2_gold.csv",
        "starting_kit/data/README.md",
        "starting_kit/data/abstracts.csv",
        "starting_kit/data/train/claims.csv",
        "starting_kit/data/train/task1_gold.csv",
        "starting_kit/data/train/task2_gold.csv",
    ]
    gold = expected["reference_data/task1_gold.csv"].decode().splitlines()
    assert gold[:3] == ["claim_id,abstract_id,label", "11,1100,Supports", "11,1101,Refutes"]
    assert len(gold) == 1 + 4 * 3
    codes = expected["reference_data/task2_gold.csv"].decode().splitlines()
    assert codes == ["claim_id,narrative", "11,0_0", "12,1_1", "13,2_1;5_2", "14,0_0"]


def one_file(folder: Path) -> Path:
    """All rows in one file, with a column for the split."""
    made = clean()
    folder.mkdir()
    rows = [{**r, "split": s} for s, of in (("Train", made.train), ("test", made.test)) for r in of]
    write_csv(folder / "all.csv", rows)
    return folder / "all.csv"


def excel(folder: Path) -> Path:
    """As a spreadsheet program saves it: UTF-16, tabs, CRLF, other forms of the names."""
    clean().write(folder)
    for path in folder.glob("*.csv"):
        text = path.read_text("utf-8").replace(",", "\t").replace("\n", "\r\n")
        path.write_bytes(text.replace("claim_id", "Claim ID").encode("utf-16"))
    return folder


def semicolons(folder: Path) -> Path:
    """With a byte order mark and semicolons, and codes in quotes."""
    clean().write(folder)
    for path in folder.glob("*.csv"):
        text = path.read_text("utf-8").replace("2_1;5_2", '"2_1;5_2"').replace(",", ";")
        path.write_text("\ufeff" + text, "utf-8")
    return folder


def folders(folder: Path) -> Path:
    """A folder a split."""
    clean().write(folder)
    for split in ("train", "test"):
        (folder / split).mkdir()
        (folder / f"{split}.csv").rename(folder / split / "part-0.csv")
    return folder


def gold_of_2025(folder: Path) -> Path:
    """The abstract's id has another name; narratives and texts of claims stand in other files."""
    made = clean()
    for split, rows in (("train", made.train), ("test", made.test)):
        (folder / split).mkdir(parents=True)
        pairs = [
            {
                "claim_id": r["claim_id"],
                "abstract_original_index": r["abstract_id"],
                "abstract": r["abstract"],
                "annotation": r["annotation"],
            }
            for r in rows
        ]
        write_csv(folder / split / "gold.csv", pairs)
        one = {r["claim_id"]: r for r in rows}.values()
        claims = [{"claim_id": r["claim_id"], "claim": r["claim"]} for r in one]
        write_csv(folder / split / "claims.csv", claims)
        codes = [{"claim_id": r["claim_id"], "narrative": r["narrative"]} for r in one]
        write_csv(folder / split / "narratives.csv", codes)
    return folder


def json_lists(folder: Path) -> Path:
    """Narratives as lists, in one JSON list of objects."""
    import json

    made = clean()
    folder.mkdir()
    for split, rows in (("train", made.train), ("test", made.test)):
        listed = [{**r, "narrative": r["narrative"].split(";")} for r in rows]
        (folder / f"{split}.json").write_text(json.dumps(listed), "utf-8")
    return folder


def parquet(folder: Path) -> Path:
    pytest.importorskip("pyarrow")
    return clean().write(folder, "parquet")


def parquet_with_gaps(folder: Path) -> Path:
    """Floating ids, lists and categories, in two files a split and several row groups."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = importlib.import_module("pyarrow.parquet")
    made = clean()
    folder.mkdir()
    for split, rows in (("train", made.train), ("test", made.test)):
        for part in range(2):
            changed = [
                {**r, "claim_id": float(r["claim_id"]), "narrative": r["narrative"].split(";")}
                for r in rows[part::2]
            ]
            table = pyarrow.Table.from_pylist(changed)
            at = table.schema.get_field_index("annotation")
            table = table.set_column(at, "annotation", table.column(at).dictionary_encode())
            name = folder / f"{split}-0000{part}-of-00002.parquet"
            parquet.write_table(table, name, row_group_size=2)
    return folder


def jsonl(folder: Path) -> Path:
    return clean().write(folder, "jsonl")


@pytest.mark.parametrize(
    "form",
    [
        one_file,
        excel,
        semicolons,
        folders,
        gold_of_2025,
        jsonl,
        json_lists,
        parquet,
        parquet_with_gaps,
    ],
)
def test_every_form_gives_the_same_edition(
    form: Callable[[Path], Path], expected: dict[str, bytes], tmp_path: Path
) -> None:
    outcome = imported(form(tmp_path / "d"))
    decided = {f.kind.code for f in outcome.findings if f.kind.level == "warning"}
    assert decided == ({"id-decimal"} if form is parquet_with_gaps else set())
    assert data_of(outcome) == expected


def test_the_test_split_may_have_another_name(expected: dict[str, bytes], tmp_path: Path) -> None:
    folder = clean().write(tmp_path / "d")
    (folder / "test.csv").rename(folder / "dev_2026.csv")
    write_csv(folder / "test.csv", [row(99, 1)])
    outcome = imported(folder, test="dev")
    assert [(f.kind.code, f.count) for f in outcome.findings] == [("split-ignored", 1)]
    assert data_of(outcome) == expected


def refused(dataset: Path, **asked: Any) -> str:
    with pytest.raises(OrganiserError) as error:
        imported(dataset, **asked)
    return str(error.value)


def test_all_faults_of_files_are_told_at_once(tmp_path: Path) -> None:
    folder = clean().write(tmp_path / "d")
    (folder / "train_a.csv").write_text("claim,label\nx,y\n", "utf-8")
    (folder / "train_b.csv").write_bytes(b"claim_id,claim\n1,\xff\xfe\n")
    (folder / "train_c.jsonl").write_text('{"claim_id": 1, "claim": "x"}\nno\n', "utf-8")
    (folder / "train_d.csv").write_text('claim_id,claim\n1,"x\n2,y\n', "utf-8")
    (folder / "train_e.csv").write_text("claim_id,claim\n1,x,y\n", "utf-8")
    (folder / "train_f.csv").write_text("claim_id,claim\n1,x\n2,x,y,z\n", "utf-8")
    (folder / "train_g.csv").write_text("claim_id,claim,claim\n1,x,y\n", "utf-8")
    (folder / "train_h.csv").write_bytes(b"")
    (folder / "train_i.parquet").write_bytes(b"PAR1 no Parquet PAR1")
    write_csv(folder / "gold.csv", [row(1, 1)])
    write_csv(folder / "train_j.csv", [{**row(1, 1), "split": "test"}])
    message = refused(folder)
    for file, words in (
        ("train_a.csv", "it has the columns claim, label; expected are claim_id, with claim, or"),
        ("train_b.csv", "neither UTF-8 nor UTF-16"),
        ("train_c.jsonl", "line 2 is not JSON"),
        ("train_d.csv", "cannot be read as CSV"),
        ("train_e.csv", "more cells than its header"),
        ("train_f.csv", "cannot be read as CSV"),
        ("train_g.csv", "the column claim is there twice"),
        ("train_h.csv", "its first line is empty"),
        ("train_i.parquet", "Parquet"),
        ("gold.csv", "its split is not told"),
        ("train_j.csv", "its name tells the split train, its column split also test"),
    ):
        (line,) = [each for each in message.splitlines() if each.startswith(f"- {file}: ")]
        assert words in line
    assert not (tmp_path / "editions").exists()


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    folder = clean().write(tmp_path / "d")
    (folder / "train.parquet").write_bytes(b"PAR1")
    monkeypatch.setattr(from_parquet.importlib, "import_module", missing)
    assert "train.parquet: Parquet is read by pyarrow, which is not installed" in refused(folder)
    assert 'pip install ".[organiser]"' in refused(folder)


def test_a_missing_part_is_named_for_each_split(tmp_path: Path) -> None:
    made = clean()
    for each in made.test:  # half of task 1 is no task
        del each["annotation"]
    for each in made.train:
        del each["claim"]
    message = refused(made.write(tmp_path / "a"))
    assert message.splitlines()[1:] == [
        "- The train split has no column claim; a further file with claim_id and claim can bring"
        " it.",
        "- The test split has no column annotation; a further file with claim_id and annotation can"
        " bring it.",
    ]
    made = clean()
    folder = made.write(tmp_path / "b")
    (folder / "test.csv").unlink()
    assert refused(folder).splitlines()[1:] == [
        "- The dataset has no test split: an edition needs test claims."
    ]


def test_gold_of_neither_task_is_refused(tmp_path: Path) -> None:
    made = clean()
    made.test = [{**each, "annotation": "", "narrative": "nan"} for each in made.test]
    assert refused(made.write(tmp_path / "blank")).splitlines()[1:] == [
        "- The test split has gold of neither task."
    ]
    made.test = [{"claim_id": each["claim_id"], "claim": each["claim"]} for each in made.test]
    assert [line.split(";")[0] for line in refused(made.write(tmp_path / "none")).splitlines()] == [
        "Nothing was imported:",
        "- The test split has no column abstract_id",
        "- The test split has no column annotation",
        "- The test split has no column narrative",
    ]


def test_a_split_that_cannot_be_scored_is_refused(tmp_path: Path) -> None:
    made = clean()
    made.test = [{**each, "annotation": N, "narrative": "9_9"} for each in made.test]
    assert refused(made.write(tmp_path / "d")).splitlines()[1:] == [
        "- The test split has no evidentiary pair, so retrieval cannot be scored on it.",
        "- The test split has no narratives, so task 2 cannot be scored on it.",
    ]


def test_a_dataset_that_is_not_there(tmp_path: Path) -> None:
    assert "There is no dataset at" in refused(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "README.md").write_text("Nothing.")
    assert "no file ends in .parquet, .csv" in refused(tmp_path / "empty")


CELLS = st.text(st.sampled_from("ab ;,\"'\n\té\u2028#\\0"), max_size=6)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8))
def test_the_quick_way_through_a_csv_file_gives_what_pandas_gives(
    rows: list[tuple[str, str, str]],
) -> None:
    pytest.importorskip("pyarrow")
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        path = Path(name) / "x.csv"
        write_csv(path, [{"claim_id": a, "claim": b, "narrative": c} for a, b, c in rows])

        def cells() -> list[list[str]]:
            sheet = readers.read_sheet(path, lambda header: {each: each for each in header})
            return [[c.texts[i] for i in c.codes.tolist()] for c in sheet.columns.values()]

        carefully = cells()
        patch.setattr(from_csv, "_WORTHWHILE_BYTES", 0)
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr("pandas.read_csv", None)  # so that the quick way is taken
            assert cells() == carefully == [list(column) for column in zip(*rows, strict=True)]


def test_the_quick_way_leaves_what_is_odd_to_pandas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(from_csv, "_WORTHWHILE_BYTES", 0)
    test_all_faults_of_files_are_told_at_once(tmp_path)


# --- the corpus -----------------------------------------------------------------------------------


def corpus_rows() -> list[Row]:
    ids = [100 * claim + k for claim in (1, 2, 3, 4, 11, 12, 13, 14) for k in range(3)]
    return [
        {"abstract_id": i, "title": f"Title {i}", "abstract": f"Text {i}", "doi": ""} for i in ids
    ]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_texts_come_from_the_corpus(form: str, tmp_path: Path) -> None:
    from tests.dataset_example import WRITERS

    if form == "parquet":
        pytest.importorskip("pyarrow")
    rows = corpus_rows()
    rows = [r for r in rows if r["abstract_id"] not in (102, 1100)]  # one of each split
    rows += [{**rows[0], "title": "A second one"}, {**rows[0], "abstract_id": 400_000}]
    (tmp_path / "corpus").mkdir()
    WRITERS[form](tmp_path / "corpus", "corpus", rows)
    dataset = clean().write(tmp_path / "d")
    outcome = imported(dataset, corpus=tmp_path / "corpus")
    found = {f.kind.code: f.count for f in outcome.findings}
    # 22 of the corpus's 394,269 abstracts are there; 102 and 1100 are judged and not listed.
    assert found == {
        "corpus-id": 2,
        "corpus-size": 394_269 - 22,
        "abstract-not-in-corpus-file": 2,
    }
    lines = data_of(outcome)["starting_kit/data/abstracts.csv"].decode().splitlines()
    assert lines[:4] == [
        "abstract_id,title,abstract",
        "100,Title 100,Text 100",
        "101,Title 101,Text 101",
        "102,,Synthetic abstract 102.",  # CORPUS does not have it, the training rows do
    ]
    assert [int(line.split(",")[0]) for line in lines[1:]] == [
        100 * claim + k for claim in (1, 2, 3, 4) for k in range(3)
    ]


def test_a_corpus_that_cannot_be_read(tmp_path: Path) -> None:
    dataset = clean().write(tmp_path / "d")
    write_csv(tmp_path / "corpus.csv", [{"title": "x", "abstract": "y"}])
    message = refused(dataset, corpus=tmp_path / "corpus.csv")
    assert "it has the columns title, abstract; expected are abstract_id and abstract" in message
    assert "There is no corpus at" in refused(dataset, corpus=tmp_path / "nowhere")


# --- the command line -----------------------------------------------------------------------------


def test_empty_arguments_mean_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("organiser.editions.ROOT", tmp_path)
    dataset = clean().write(tmp_path / "d")
    arguments = ["--name", "e", "--dataset", str(dataset), "--corpus", "", "--test-split", ""]
    assert command.main([*arguments, "--new", "", "--strict", ""]) == 0
    said = capsys.readouterr().out
    assert "test: 4 claims, 12 pairs" in said
    assert "no gold in what participants download" in said
    assert (tmp_path / "editions" / "e" / "input_data" / "claims.csv").is_file()


def test_name_and_dataset_are_needed() -> None:
    with pytest.raises(OrganiserError, match="NAME= and DATASET= is missing"):
        command.main([])


def test_strict_is_a_flag_or_a_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("organiser.editions.ROOT", tmp_path)
    made = clean()
    made.test.append({**row(15, 1500), "narrative": "0"})
    dataset = made.write(tmp_path / "d")
    for flag in (["--strict"], ["--strict", "1"]):
        with pytest.raises(OrganiserError, match="narrative-form"):
            command.main(["--name", "e", "--dataset", str(dataset), *flag])


def test_the_columns_of_the_public_dataset_are_all_read() -> None:
    made = clean()
    assert tuple(made.train[0]) == COLUMNS
    assert made.train[0]["annotation"] == S
