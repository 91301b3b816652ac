"""The import of a dataset of a million pairs, against reading its files and no more."""

import csv
import importlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np

from benchmarks.measure import Result, medians
from climatecheck import edition, taxonomy
from organiser.editions import ROOT

_CLAIMS, _TEST_CLAIMS, _PAIRS_PER_CLAIM, _ABSTRACTS = 100_000, 20_000, 10, 300_000
_WORDS, _CLAIM_WORDS, _ABSTRACT_WORDS = 20_000, 16, 20
_REPEATS = 3
_MOST = 15.0
_IMPORT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path\n"
    "from organiser.dataset.importing import Request, import_edition\n"
    "import_edition(Request('bench', Path(sys.argv[2])), Path(sys.argv[3]))"
)
_READ = {
    "parquet": "import sys, pyarrow.parquet as p\nfor path in sys.argv[1:]: p.read_table(path)",
    "csv": "import sys, pandas\nfor path in sys.argv[1:]: pandas.read_csv(path)",
}
_READER = {"parquet": "pyarrow.parquet.read_table", "csv": "pandas.read_csv"}

Row: TypeAlias = tuple[str, int, str, int, str, str, str]
_COLUMNS = (
    "claim",
    "claim_id",
    "abstract",
    "abstract_id",
    "annotation",
    "data_version",
    "narrative",
)


def million_pairs(_: str = "") -> list[Result]:
    """Measure the import of 1,000,000 pairs, of 100,000 claims, from Parquet and from CSV.

    It runs on the organiser's machine, so under this very Python; the edition is written too.
    """
    results = []
    for form, write in _WRITERS.items():
        with tempfile.TemporaryDirectory(prefix="bench-") as name:
            folder = Path(name)
            files = _write_dataset(folder / "dataset", form, write)
            editions = str(folder / "editions")
            whole = [sys.executable, "-c", _IMPORT, str(ROOT), str(folder / "dataset"), editions]
            reading = [sys.executable, "-c", _READ[form], *files]
            imported, read = medians([whole, reading], folder, _REPEATS)
            shutil.rmtree(editions)
        ratio = imported.seconds / read.seconds
        results.append(Result(f"import of 1,000,000 pairs / {_READER[form]}", ratio, _MOST))
    return results


def _write_dataset(folder: Path, form: str, write: Callable[[Path, list[Row]], None]) -> list[str]:
    folder.mkdir()
    rows = list(_rows())
    start = _TEST_CLAIMS * _PAIRS_PER_CLAIM
    parts = {"test": rows[:start], "train": rows[start:]}
    for split, of_split in parts.items():
        write(folder / f"{split}.{form}", of_split)
    return [str(folder / f"{split}.{form}") for split in parts]


def _rows() -> Iterator[Row]:
    """Yield pairs of random words, the common ones much more frequent than the rare ones."""
    random = np.random.default_rng(1)
    weights = 1 / np.arange(1, _WORDS + 1)
    chances = weights / weights.sum()

    def texts(number: int, size: int) -> list[str]:
        words = random.choice(_WORDS, (number, size), p=chances)
        return [" ".join(f"w{word}" for word in text) for text in words.tolist()]

    claims, abstracts = texts(_CLAIMS, _CLAIM_WORDS), texts(_ABSTRACTS, _ABSTRACT_WORDS)
    labels = random.integers(0, len(edition.LABELS), (_CLAIMS, _PAIRS_PER_CLAIM)).tolist()
    codes = random.integers(0, len(taxonomy.CODES), _CLAIMS).tolist()
    first = random.integers(0, _ABSTRACTS, _CLAIMS).tolist()
    for claim, text in enumerate(claims):
        for pair in range(_PAIRS_PER_CLAIM):
            abstract = (first[claim] + pair) % _ABSTRACTS
            label = edition.LABELS[labels[claim][pair]]
            code = taxonomy.CODES[codes[claim]]
            yield text, claim, abstracts[abstract], abstract, label, "bench", code


def _write_csv(path: Path, rows: list[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        writer.writerows(rows)


def _write_parquet(path: Path, rows: list[Row]) -> None:
    pyarrow, parquet = map(importlib.import_module, ("pyarrow", "pyarrow.parquet"))
    columns = dict(zip(_COLUMNS, zip(*rows, strict=True), strict=True))
    parquet.write_table(pyarrow.table(columns), path)


_WRITERS = {"parquet": _write_parquet, "csv": _write_csv}
