"""The public data set, as parquet files of its own form."""

from pathlib import Path
from typing import Any

import pytest

from baselines import dataset
from baselines.dataset import load_public
from baselines.texts import TextError
from climatecheck import read_gold

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROWS = [
    (7, "Ice\n melts", 10, "Supports", "1", "1_1;2_1"),
    (7, "Ice\n melts", 11, "Not Enough Information", "1", "1_1;2_1"),
    (8, "Sun shines", 10, "Refutes", "2", "0_0"),
    (7, "Ice\n melts", 11, "Refutes", "2", "1_1;2_1"),  # judged again, in a later version
    (8, "Sun shines", 10, "Refutes", "2", "0_0"),  # the same twice
]
NAMES = ("claim_id", "claim", "abstract_id", "annotation", "data_version", "narrative")


def write(path: Path, columns: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.table(columns), path)


@pytest.fixture
def public(tmp_path: Path) -> Path:
    columns = dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))
    folder = tmp_path / "public"
    write(folder / "data" / "train-00000-of-00001.parquet", columns)
    write(
        folder / "corpus" / "part.parquet",
        {"abstract_id": [10, 11], "title": ["T", ""], "abstract": ["A.", "B."]},
    )
    return folder


def test_load_public(public: Path) -> None:
    data = load_public(public / "data", public / "corpus")
    assert data.claims == {"7": "Ice melts", "8": "Sun shines"}
    assert data.labels == {("7", 10): "Supports", ("7", 11): "Refutes", ("8", 10): "Refutes"}
    assert data.narratives == {"7": "1_1;2_1", "8": "0_0"}
    assert data.abstracts == {10: "T. A.", 11: "B."}
    assert data.overruled == 1
    assert load_public(public / "data").abstracts == {}


def table(**changed: list[Any]) -> dict[str, Any]:
    columns = dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))
    return {**columns, **changed}


def test_paths_as_texts_and_ids_as_floats(public: Path, tmp_path: Path) -> None:
    write(tmp_path / "f" / "train.parquet", table(claim_id=[7.0, 7.0, 8.0, 7.0, 8.0]))
    data = load_public(str(tmp_path / "f"), str(public / "corpus"))
    assert list(data.claims) == ["7", "8"] and ("7", 10) in data.labels


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet"
    write(
        path,
        table(
            claim_id=[None, 7, 8, 7, 8],
            claim=["Ice", None, "Sun", "Ice", "Sun"],
            abstract_id=[1.0, 2.0, None, 3.5, 4.0],
            annotation=["Supports", "Perhaps", "Refutes", None, "Refutes"],
            narrative=["9_9", None, "0_0", "0_0", "0_0"],
        ),
    )
    with pytest.raises(TextError) as raised:
        load_public(path)
    first, *said = str(raised.value).splitlines()
    labels = "one of Supports, Refutes, Not Enough Information"
    assert (first, said) == (
        "7 faults:",
        [
            "train.parquet, row 1: claim_id should be an id, found None",
            "train.parquet, row 1: narrative should be codes joined by ;, found '9_9'",
            "train.parquet, row 2: claim should be a text, found None",
            f"train.parquet, row 2: annotation should be {labels}, found 'Perhaps'",
            "train.parquet, row 3: abstract_id should be a whole number, found None",
            "train.parquet, row 4: abstract_id should be a whole number, found 3.5",
            f"train.parquet, row 4: annotation should be {labels}, found None",
        ],
    )
    write(
        path, table(claim=[None] * 5, annotation=["?"] * 5, narrative=["?"] * 5, claim_id=[""] * 5)
    )
    with pytest.raises(TextError, match="20 faults:") as raised:
        load_public(path)
    assert len(str(raised.value).splitlines()) == 21


def test_narratives_that_disagree(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet"
    # Claim 7: 1_1;2_1 twice in version 1 (in two orders), then 1_1 in version 2, which counts.
    write(path, table(narrative=["1_1;2_1", "2_1;1_1", "0_0", "1_1", "0_0"]))
    assert load_public(path).narratives == {"7": "1_1", "8": "0_0"}
    write(path, table(narrative=["1_1;2_1", "3_1", "0_0", "1_1", "0_0"]))
    with pytest.raises(
        TextError, match=r"row 2: .* claim 7 should be 1_1;2_1 as before, found 3_1"
    ):
        load_public(path)


def test_the_training_data_in_the_form_of_the_kit(
    public: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "train"
    assert dataset.main([str(public / "data"), "--out", str(out)]) == 0
    gold = read_gold(out)
    assert gold.claims.texts == ("Ice melts", "Sun shines")
    assert gold.abstract.tolist() == [10, 11, 10]
    assert gold.label.tolist() == [0, 1, 1]
    assert gold.narratives.codes.sum(axis=1).tolist() == [2, 1]
    assert "2 claims, 3 judged pairs" in capsys.readouterr().out


def test_what_is_not_there_is_said(
    public: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TextError, match=r"no file or folder .*nowhere\. Download"):
        load_public(tmp_path / "nowhere")
    with pytest.raises(TextError, match=r"no file test\*\.parquet below .*holds train-00000"):
        load_public(public / "data", split="test")
    with pytest.raises(TextError, match=r"no file \*\.parquet"):
        (tmp_path / "empty").mkdir()
        load_public(public / "data", tmp_path / "empty")
    write(tmp_path / "old" / "train.parquet", {"claim": ["a"], "claim_id": [1]})
    with pytest.raises(TextError, match="lacks the columns abstract_id, annotation, narrative"):
        load_public(tmp_path / "old")
    (tmp_path / "train.parquet").write_text("no parquet")
    assert dataset.main([str(tmp_path / "train.parquet")]) == 2
    assert "is not a parquet file" in capsys.readouterr().err
