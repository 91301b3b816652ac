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
