"""Texts by id from every kind of file, and what is said where one cannot be read."""

import csv
import json
import re
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baselines.libraries import MissingLibraryError, load
from baselines.texts import (
    TextError,
    read_abstract_texts,
    read_claim_texts,
    sentences,
)

Rows = list[dict[str, Any]]

CORPUS: Rows = [
    {"doi": "x", "abstract_id": 4, "title": "Ice", "abstract": "It melts, as “seen”."},
    {"doi": "y", "abstract_id": 0, "title": None, "abstract": "Seas\nrise."},
    {"doi": "z", "abstract_id": 7, "title": "Why?", "abstract": None},
]
READ = {4: "Ice. It melts, as “seen”.", 0: "Seas\nrise.", 7: "Why?"}


def write_csv(path: Path, rows: Rows) -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if "tsv" in path.name else ",")
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_jsonl(path: Path, rows: Rows) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    return path


def write_parquet(path: Path, rows: Rows) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    load("pyarrow.parquet", extra="baselines").write_table(pyarrow.Table.from_pylist(rows), path)
    return path


WRITERS: dict[str, Callable[[Path, Rows], Path]] = {
    "texts.csv": write_csv,
    "texts.tsv": write_csv,
    "texts.jsonl": write_jsonl,
    "texts.parquet": write_parquet,
}
every_format = pytest.mark.parametrize("name", WRITERS)


@every_format
def test_abstracts(tmp_path: Path, name: str) -> None:
    path = WRITERS[name](tmp_path / name, CORPUS)
    assert read_abstract_texts(path) == READ
    assert list(read_abstract_texts(path)) == [4, 0, 7]
    assert read_abstract_texts(path, {7, 0, 99}) == {0: READ[0], 7: READ[7]}
    assert read_abstract_texts(path, [4], titles=False) == {4: "It melts, as “seen”."}
    assert read_abstract_texts(path, []) == {}


@every_format
def test_the_public_data_set_repeats_claims_and_abstracts(tmp_path: Path, name: str) -> None:
    rows: Rows = [
        {"claim": "A", "claim_id": 3, "abstract": "one", "abstract_original_index": 8},
        {"claim": "A", "claim_id": 3, "abstract": "two", "abstract_original_index": 9},
        {
            "claim": "A, again",
            "claim_id": 3,
            "abstract": "one, again",
            "abstract_original_index": 8,
        },
        {"claim": "B", "claim_id": 12, "abstract": "one", "abstract_original_index": 8},
    ]
    path = WRITERS[name](tmp_path / name, rows)
    assert read_claim_texts(path) == {"3": "A", "12": "B"}
    assert read_claim_texts(path, {"12"}) == {"12": "B"}
    assert read_abstract_texts(path) == {8: "one", 9: "two"}


@every_format
def test_ids_that_a_table_saved_as_floats(tmp_path: Path, name: str) -> None:
    rows: Rows = [{"claim_id": 3.0, "claim": "A", "abstract_id": 8.0, "abstract": "one"}]
    path = WRITERS[name](tmp_path / name, rows)
    assert read_claim_texts(path) == {"3": "A"}
    assert read_abstract_texts(path) == {8: "one"}


def test_claim_ids_need_not_be_numbers(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "c.csv", [{"claim_id": " a-7 ", "claim": " x "}])
    assert read_claim_texts(path) == {"a-7": "x"}


@every_format
def test_a_missing_column(tmp_path: Path, name: str) -> None:
    path = WRITERS[name](tmp_path / name, [{"id": 1, "title": "t", "abstract": "a"}])
    place = ", line 1" if name == "texts.jsonl" else ""
    message = (
        f"{path}{place}: expected the column abstract_id or abstract_original_index, "
        "found the columns id, title, abstract"
    )
    with pytest.raises(TextError, match=f"^{re.escape(message)}$"):
        read_abstract_texts(path)
    with pytest.raises(TextError, match="expected the column claim_id, found the columns id, "):
        read_claim_texts(path)


@every_format
def test_an_id_that_is_none(tmp_path: Path, name: str) -> None:
    rows: Rows = [{"abstract_id": "1", "abstract": "a"}, {"abstract_id": "x1", "abstract": "b"}]
    path = WRITERS[name](tmp_path / name, rows)
    place = {"texts.parquet": "row 2", "texts.jsonl": "line 2"}.get(name, "line 3")
    with pytest.raises(TextError, match=f"{place}: abstract_id should be an id, found 'x1'"):
        read_abstract_texts(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.csv", None, "absent.csv does not exist"),
        ("a.xlsx", b"", "expected .csv, .tsv, .jsonl, .parquet, found .xlsx"),
        ("a.csv", b"", "expected the column abstract_id .* found the columns none"),
        ("a.csv", b"abstract_id,abstract\n1,a,b\n", "line 2: expected 2 cells .* found 3"),
        ("a.csv", b"abstract_id,abstract\n1,caf\xe9\n", "is not UTF-8"),
        ("a.jsonl", b'{"abstract_id": 1, "abstract": "a"}\n{"abstract_id"\n', "line 2: expected a"),
        ("a.jsonl", b"[1]\n", "line 1: expected a JSON object, found a list"),
        ("a.parquet", b"PAR1", "is not a parquet file"),
    ],
)
def test_files_that_cannot_be_read(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(TextError, match=message):
        read_abstract_texts(path)


def test_a_folder_of_parquet_files(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"a folder without a \.parquet file"):
        read_abstract_texts(tmp_path)
    write_parquet(tmp_path / "train-00001.parquet", CORPUS[1:])
    write_parquet(tmp_path / "train-00000.parquet", CORPUS[:1])
    assert list(read_abstract_texts(tmp_path).items()) == list(READ.items())


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_parquet(tmp_path / "a.parquet", CORPUS)
    for module in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [_Without("pyarrow"), *sys.meta_path])
    message = (
        r"pyarrow is not installed\. Install it with: python -m pip install pyarrow \(.*\[base"
    )
    with pytest.raises(MissingLibraryError, match=message):
        read_abstract_texts(path)


class _Without:
    """Makes a library look as if it were not installed."""

    def __init__(self, library: str) -> None:
        self.library = library

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.split(".")[0] == self.library:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_a_library_that_is_broken_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_library.py").write_text("import not_there_at_all\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="not_there_at_all"):
        load("broken_library", extra="models")


@pytest.mark.parametrize("name", ["texts.csv", "texts.jsonl", "texts.parquet"])
def test_a_big_file_takes_no_more_memory_than_what_is_wanted(tmp_path: Path, name: str) -> None:
    rows: Rows = [{"abstract_id": i, "abstract": f"{i} " + "word " * 200} for i in range(10_000)]
    path = WRITERS[name](tmp_path / name, rows)  # 10 MB of text
    del rows
    tracemalloc.start()
    found = read_abstract_texts(path, {5, 9_999})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sorted(found) == [5, 9_999]
    assert peak < 6e6


def test_sentences_of_real_punctuation() -> None:
    text = (
        "Warming (cf. Fig. 3) is 1.1 K vs. 0.9 K. As J. Doe says, it matters! "
        "“Is it so?” they ask. (No.) “Yes.” Good."
    )
    assert sentences(text) == [
        "Warming (cf. Fig. 3) is 1.1 K vs. 0.9 K.",
        "As J. Doe says, it matters!",
        "“Is it so?” they ask.",
        "(No.)",
        "“Yes.”",
        "Good.",
    ]
    assert sentences("  ") == []
