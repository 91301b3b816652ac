"""A synthetic dataset in the form of the public one, and its faults, one a row or claim."""

import csv
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from organiser.dataset.checking import check_gold

S, R, N = "Supports", "Refutes", "Not Enough Information"
COLUMNS = (
    "claim",
    "claim_id",
    "abstract",
    "abstract_id",
    "annotation",
    "data_version",
    "narrative",
)
Row = dict[str, Any]

WORDS = re.findall(
    r"\w+",
    "amber basin cedar delta ember fjord grove harbour island jungle kettle lagoon meadow"
    " nectar orchid prairie quartz ravine summit tundra umber valley willow yarrow zephyr",
)


def sentence(number: int) -> str:
    """A text of four words that shares at most two of them with that of another number."""
    size = len(WORDS)
    return " ".join(
        [WORDS[number % size], f"n{number}", f"m{number * 7}", WORDS[(number // size) % size]]
    )


def row(claim_id: object, abstract_id: object, label: object = S, **other: object) -> Row:
    return {
        "claim": sentence(int(str(claim_id))) if str(claim_id).isdigit() else "A text.",
        "claim_id": claim_id,
        "abstract": f"Synthetic abstract {abstract_id}.",
        "abstract_id": abstract_id,
        "annotation": label,
        "data_version": "2026",
        "narrative": "0_0",
        **other,
    }


@dataclass
class Example:
    """A small clean dataset: training claims 1 to 4, test claims 11 to 14, three pairs each."""

    train: list[Row] = field(default_factory=list)
    test: list[Row] = field(default_factory=list)

    def write(self, folder: Path, form: str = "csv") -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for split, rows in (("train", self.train), ("test", self.test)):
            WRITERS[form](folder, split, rows)
        return folder


def clean() -> Example:
    codes = ["0_0", "1_1", "2_1;5_2", "0_0"]
    made = Example()
    for rows, first in ((made.train, 1), (made.test, 11)):
        for place in range(4):
            claim = first + place
            rows += [
                row(claim, 100 * claim + k, label, narrative=codes[place])
                for k, label in enumerate((S, R, N))
            ]
    return made


def columns_of(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(name for each in rows for name in each)) or list(COLUMNS)


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns_of(rows), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _csv(folder: Path, split: str, rows: Sequence[Row]) -> None:
    write_csv(folder / f"{split}.csv", rows)


def _jsonl(folder: Path, split: str, rows: Sequence[Row]) -> None:
    text = "".join(json.dumps(each) + "\n" for each in rows)
    (folder / f"{split}.jsonl").write_text(text, "utf-8")


def _parquet(folder: Path, split: str, rows: Sequence[Row]) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.Table.from_pylist(list(rows))
    (folder / "data").mkdir(exist_ok=True)
    pyarrow.parquet.write_table(table, folder / "data" / f"{split}-00000-of-00001.parquet")


WRITERS = {"csv": _csv, "jsonl": _jsonl, "parquet": _parquet}


def without_bundle(folder: Path, claims: int) -> list[str]:
    """In place of the whole last look, where a test is not about bundles."""
    check_gold(folder)
    return []
