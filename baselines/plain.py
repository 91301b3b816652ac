"""The plain baseline: BM25, the majority label, no narrative.

It needs ``bm25s`` and makes a file that the site accepts. From the folder of the starting kit::

    python -m baselines.plain --out predictions.zip
"""

import argparse
import csv
import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from baselines.paths import check_output
from baselines.prediction_file import check_depth, zipped
from climatecheck import GoldError, edition, read_claims, taxonomy
from climatecheck.running import write_atomically

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = ("claim_id", "abstract_id", "rank", "label", "narrative")
MAJORITY_LABEL = edition.LABELS[0]

Row: TypeAlias = tuple[str, int, int, str, str]
"""``claim_id, abstract_id, rank, label, narrative``: a row of ``predictions.csv``."""


class MissingLibraryError(RuntimeError):
    """A library that a baseline needs is not installed; the message says how to install it."""


def predict(
    claims: Sequence[tuple[str, str]],
    abstracts: Sequence[tuple[int, str]],
    *,
    per_claim: int = edition.ABSTRACTS_ASKED,
) -> list[Row]:
    """Return ``per_claim`` rows for each claim, best abstract first.

    Args:
        claims: id and text of each claim.
        abstracts: id and text of each abstract.
        per_claim: how many abstracts a claim gets (fewer if there are fewer).

    Returns:
        The rows of ``predictions.csv``, in the order of the claims. Equal BM25 scores are ordered
        by abstract id, so the same input gives the same rows.

    Raises:
        MissingLibraryError: if bm25s is not installed.
        ValueError: if there are no abstracts, or ``per_claim`` is not positive.
    """
    if not abstracts or per_claim < 1:
        raise ValueError("at least one abstract is needed, and at least one for each claim")
    ids = np.array([id_ for id_, _ in abstracts], dtype=np.int64)
    index = _Index([text for _, text in abstracts])
    rows: list[Row] = []
    for claim_id, text in claims:
        best = np.lexsort((ids, -index.scores(text)))[:per_claim]
        rows += [
            (claim_id, int(ids[i]), rank, MAJORITY_LABEL, taxonomy.NO_NARRATIVE)
            for rank, i in enumerate(best, start=1)
        ]
    return rows


class _Index:
    """BM25 (Lucene's variant, k1 1.5, b 0.75; English stop words left out) over some texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        try:
            import bm25s
        except ImportError as error:
            raise MissingLibraryError(
                "bm25s is not installed. Install it with: python -m pip install bm25s"
            ) from error
        self._tokenize: Any = bm25s.tokenize
        self._bm25: Any = bm25s.BM25()
        self._size = len(texts)
        self._bm25.index(self._tokens(texts), show_progress=False)

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        made: list[list[str]] = self._tokenize(
            list(texts), stopwords="en", return_ids=False, show_progress=False
        )
        return made

    def scores(self, text: str) -> Any:
        """Return the (texts,) scores of a query; zeros where it shares no word with any."""
        (words,) = self._tokens([text])
        known = [word for word in words if word in self._bm25.vocab_dict]
        return self._bm25.get_scores(known) if known else np.zeros(self._size)


def read_abstracts(path: Path) -> list[tuple[int, str]]:
    """Return id and text (title and abstract) of each row of a CSV file.

    Raises:
        ValueError: if a column is missing or an id is not a whole number.
    """
    csv.field_size_limit(2**31 - 1)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if not {"abstract_id", "abstract"} <= set(reader.fieldnames or ()):
            raise ValueError(f"{path} needs the columns abstract_id and abstract")
        return [
            (int(row["abstract_id"]), f"{row.get('title') or ''} {row['abstract']}".strip())
            for row in reader
        ]


def write_zip(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as ``predictions.csv`` in a zip, whole or not at all.

    The same rows give the same bytes.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    write_atomically(path, zipped(text.getvalue()))


def _first_that_exists(*candidates: Path) -> Path:
    return next((path for path in candidates if path.exists()), candidates[0])


def _parser() -> argparse.ArgumentParser:
    data = _first_that_exists(ROOT / "data", ROOT / "starting_kit" / "data")
    claims = _first_that_exists(
        ROOT / edition.CLAIMS_FILE, ROOT / "input_data" / edition.CLAIMS_FILE
    )
    parser = argparse.ArgumentParser(
        prog="python -m baselines.plain", description="BM25, the majority label, no narrative."
    )
    parser.add_argument(
        "--train", action="store_true", help="predict for the training claims, not the test claims"
    )
    parser.add_argument("--claims", type=Path, help="claims.csv (default: the kit's)")
    parser.add_argument("--abstracts", type=Path, default=data / "abstracts.csv")
    parser.add_argument("--per-claim", type=int, default=edition.ABSTRACTS_ASKED, metavar="N")
    parser.add_argument("--out", type=Path, default=Path("predictions.zip"))
    parser.set_defaults(test_claims=claims, train_claims=data / "train" / edition.CLAIMS_FILE)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a zip of predictions; return 0, or 2 if something is missing."""
    options = _parser().parse_args(arguments)
    path = options.claims or (options.train_claims if options.train else options.test_claims)
    try:
        check_output(options.out)
        check_depth(options.per_claim)
        claims = read_claims(path)
        rows = predict(
            list(zip(claims.ids, claims.texts, strict=True)),
            read_abstracts(options.abstracts),
            per_claim=options.per_claim,
        )
        write_zip(options.out, rows)
    except (MissingLibraryError, GoldError, OSError, ValueError) as error:
        print(f"Not done: {error}", file=sys.stderr)
        return 2
    print(f"{options.out}: {len(rows)} rows for {len(claims)} claims.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
