"""The public data set and its corpus, as parquet files that were downloaded.

``load_public`` reads them; from the kit's folder, this writes the training claims and their gold in
the kit's own form, so that every script takes them::

    python -m baselines.dataset DATASET_FOLDER --out data/public
    python -m baselines.cpu --train-data data/public --abstracts CORPUS_FOLDER

Reading parquet needs pyarrow.
"""

import argparse
import csv
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from baselines.libraries import MissingLibraryError, load
from baselines.texts import TextError, number_id, plain_text, read_abstract_texts, text_id
from climatecheck import edition, taxonomy
from climatecheck.values import codes_of, label_of

COLUMNS = ("claim_id", "claim", "abstract_id", "annotation", "narrative")
VERSION = "data_version"
_SHOWN_FAULTS = 20
_HOW = (
    "Download the data set and the corpus from their public pages (see the page Data on the site), "
    "and name the folders that their parquet files are in."
)


@dataclass(frozen=True)
class PublicData:
    """A split of the public data set.

    Attributes:
        claims: the text of each claim by id (the first, where an id has two).
        labels: the label of each judged pair by claim id and abstract id.
        narratives: the codes of each claim by id, joined by ``;``, those of the later version where
            versions differ; claims without codes are left out.
        abstracts: the texts of the corpus by id, title first; empty if no corpus was asked for.
        overruled: how many pairs stood there with two labels; that of the later version is kept.
    """

    claims: dict[str, str]
    labels: dict[tuple[str, int], str]
    narratives: dict[str, str]
    abstracts: dict[int, str]
    overruled: int


def load_public(
    dataset: str | Path, corpus: str | Path | None = None, *, split: str = "train"
) -> PublicData:
    """Read the public data set, and the corpus if it is named.

    Args:
        dataset: a parquet file, or a folder with parquet files whose names begin with the split's.
        corpus: a parquet file, or a folder of them, with ``abstract_id``, ``title``, ``abstract``.
        split: ``train`` or ``test``.

    Raises:
        TextError: files or columns are not there, and then says what was looked for, and where; or
            rows cannot be read, and then names them all at once.
        MissingLibraryError: pyarrow is not installed.
    """
    files = _files(Path(dataset), f"{split}*.parquet")
    abstracts = {}
    if corpus is not None:
        _files(Path(corpus), "*.parquet")
        abstracts = read_abstract_texts(Path(corpus))
    found = _Rows()
    for place, row in _rows(files):
        found.take(place, row)
    if found.faults:
        shown = "\n".join(found.faults[:_SHOWN_FAULTS])
        more = len(found.faults) - _SHOWN_FAULTS
        raise TextError(
            f"{len(found.faults)} faults:\n{shown}" + (f"\nand {more} more" if more > 0 else "")
        )
    labels = {pair: label for pair, (_, label) in found.labels.items()}
    narratives = {claim: codes for claim, (_, codes) in found.narratives.items()}
    return PublicData(found.claims, labels, narratives, abstracts, found.overruled)


@dataclass
class _Rows:
    """What the rows say so far, and what is wrong with them."""

    claims: dict[str, str] = field(default_factory=dict)
    labels: dict[tuple[str, int], tuple[str, str]] = field(default_factory=dict)
    narratives: dict[str, tuple[str, str]] = field(default_factory=dict)
    overruled: int = 0
    faults: list[str] = field(default_factory=list)

    def take(self, place: str, row: dict[str, Any]) -> None:
        claim, abstract = text_id(row["claim_id"]), number_id(row["abstract_id"])
        text = " ".join(plain_text(row["claim"]).split())
        label = label_of(plain_text(row["annotation"])).value
        codes = codes_of(plain_text(row["narrative"])).value
        for name, unreadable, expected in (
            ("claim_id", claim is None, "an id"),
            ("abstract_id", abstract is None, "a whole number"),
            ("claim", not text, "a text"),
            ("annotation", label is None, f"one of {', '.join(edition.LABELS)}"),
            ("narrative", codes is None, "codes joined by ;"),
        ):
            if unreadable:
                self.faults.append(f"{place}: {name} should be {expected}, found {row[name]!r:.40}")
        if claim is None or abstract is None or not text or label is None or codes is None:
            return
        version = plain_text(row.get(VERSION))
        self.claims.setdefault(claim, text)
        self._label((claim, abstract), (version, edition.LABELS[label]))
        if codes:
            joined = ";".join(taxonomy.CODES[position] for position in codes)
            self._narrative(place, claim, (version, joined))

    def _label(self, pair: tuple[str, int], found: tuple[str, str]) -> None:
        known = self.labels.get(pair, found)
        self.overruled += known[1] != found[1]
        self.labels[pair] = max(known, found, key=lambda one: one[0])

    def _narrative(self, place: str, claim: str, found: tuple[str, str]) -> None:
        known = self.narratives.get(claim, found)
        if known[0] == found[0] and known[1] != found[1]:
            self.faults.append(
                f"{place}: narrative of claim {claim} should be {known[1]} as before, "
                f"found {found[1]}"
            )
        self.narratives[claim] = max(known, found, key=lambda one: one[0])


def write_training_data(data: PublicData, folder: Path) -> None:
    """Write claims and gold as the files of the kit's folder ``data/train``."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / edition.CLAIMS_FILE, ("claim_id", "claim"), data.claims.items())
    pairs = [(*pair, label) for pair, label in data.labels.items()]
    _write(folder / edition.TASK1_GOLD_FILE, ("claim_id", "abstract_id", "label"), pairs)
    codes = data.narratives.items()
    _write(folder / edition.TASK2_GOLD_FILE, ("claim_id", "narrative"), codes)


def _files(path: Path, pattern: str) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise TextError(f"There is no file or folder {path}. {_HOW}")
    found = sorted(path.rglob(pattern))
    if not found:
        held = ", ".join(sorted(file.name for file in path.iterdir())[:10]) or "nothing"
        raise TextError(f"There is no file {pattern} below {path}, which holds {held}. {_HOW}")
    return found


def _rows(files: Sequence[Path]) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield the place of each row in words, and its cells by column."""
    parquet = load("pyarrow.parquet", extra="baselines")
    arrow = load("pyarrow", extra="baselines")
    for path in files:
        try:
            present = set(parquet.read_schema(path).names)
        except arrow.ArrowInvalid as error:
            raise TextError(f"{path} is not a parquet file: {error}") from error
        missing = [name for name in COLUMNS if name not in present]
        if missing:
            held = ", ".join(sorted(present))
            raise TextError(f"{path} lacks the columns {', '.join(missing)}; it has {held}")
        wanted = [*COLUMNS, *(name for name in (VERSION,) if name in present)]
        for number, row in enumerate(parquet.read_table(path, columns=wanted).to_pylist(), 1):
            yield f"{path.name}, row {number}", row


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the training data in the kit's form; return 0, or 2 if something is missing."""
    parser = argparse.ArgumentParser(prog="python -m baselines.dataset")
    parser.add_argument("dataset", type=Path, help="folder of the public data set's parquet files")
    parser.add_argument("--split", default="train", choices=["train", "test"])
    parser.add_argument("--out", type=Path, default=Path("data") / "public", metavar="FOLDER")
    options = parser.parse_args(arguments)
    try:
        data = load_public(options.dataset, split=options.split)
        write_training_data(data, options.out)
    except (MissingLibraryError, OSError, ValueError) as error:
        print(f"Not done: {error}", file=sys.stderr)
        return 2
    print(
        f"{options.out}: {len(data.claims):,} claims, {len(data.labels):,} judged pairs, "
        f"narratives of {len(data.narratives):,} claims; {data.overruled} labels overruled by a "
        "later version."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
