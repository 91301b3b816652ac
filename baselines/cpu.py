"""The CPU baseline: BM25, a linear pair classifier, linear narrative models.

It needs bm25s, PyStemmer and scikit-learn, trains on the training claims, and makes a file that
the site accepts. From the folder of the starting kit::

    python -m baselines.cpu --out predictions.zip

The same input gives the same file.
"""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from baselines import paths
from baselines.bm25 import Index
from baselines.bm25_tuning import tuned
from baselines.emissions import measured
from baselines.libraries import MissingLibraryError
from baselines.narrative_aware import contexts
from baselines.narrative_classifier import NarrativeClassifier
from baselines.pair_classifier import PairClassifier
from baselines.pair_model import LabelledPairs, read_labelled_pairs
from baselines.plain import Row, write_zip
from baselines.postings import Postings
from baselines.prediction_file import check_depth
from baselines.splits import development, part_of
from baselines.texts import read_abstract_texts
from climatecheck import GoldError, edition, read_claims, read_gold, taxonomy
from climatecheck.tables import Booleans, Claims, Gold, Json

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Models:
    """What was trained.

    Attributes:
        index: for task 1.1.
        pairs: for task 1.2.
        narratives: for task 2; None where there is no gold to learn from.
    """

    index: Index
    pairs: PairClassifier
    narratives: NarrativeClassifier | None


def train_narratives(gold: Gold) -> NarrativeClassifier:
    """Return the narrative classifier of the claims that have gold for task 2.

    Raises:
        ValueError: as ``NarrativeClassifier``.
    """
    texts = [gold.claims.texts[i] for i in gold.narratives.claim.tolist()]
    return NarrativeClassifier(texts, gold.narratives.codes)


def train_pairs(
    data: LabelledPairs,
    gold: Gold,
    *,
    aware_of: Sequence[str] | None = None,
    narratives: NarrativeClassifier | None,
) -> PairClassifier:
    """Return the pair classifier.

    Args:
        data: judged pairs of the training claims.
        gold: their gold.
        aware_of: the claims to be labelled, if the classifier shall look at predicted narratives.
        narratives: predicts them.

    Raises:
        ValueError: narratives are to be looked at, and nothing predicts them.
    """
    if aware_of is None:
        return PairClassifier(data)
    if narratives is None:
        raise ValueError("there is no training gold of task 2, which --narrative-aware needs")
    texts = [gold.claims.texts[i] for i in gold.narratives.claim.tolist()]
    rest = set(gold.claims.texts).difference(texts).union(aware_of)
    return PairClassifier(data, contexts(texts, gold.narratives.codes, sorted(rest), narratives))


def open_index(abstracts: Path, gold: Gold, folder: Path | None = None) -> Index:
    """Return the tuned index: the one in the folder if it was made from the same data.

    Args:
        abstracts: file or folder of abstracts, in any form that ``texts`` reads.
        gold: training claims, for k1 and b.
        folder: where the index is kept; None keeps it in memory alone.
    """
    training = json.dumps([gold.digest, gold.claims.ids, gold.claims.texts]).encode()
    made_from = {
        "abstracts": _digest(abstracts),
        "training": hashlib.sha256(training).hexdigest()[:16],
    }
    if folder is not None:
        try:
            kept = Index.load(folder)
        except (OSError, ValueError):
            kept = None
        if kept is not None and kept.facts.get("made_from") == made_from:
            _say(f"index in {folder}: {_settings(kept.facts)}")
            return kept
    texts = read_abstract_texts(abstracts)
    postings = Postings.of(texts.items(), progress="abstracts counted")
    del texts
    chosen = tuned(postings, gold, progress="settings of BM25 tried")
    facts = {"made_from": made_from, "k1": chosen.k1, "b": chosen.b}
    facts |= {"score": chosen.score, "usual": chosen.usual}
    index = Index.of(postings, k1=chosen.k1, b=chosen.b, facts=facts)
    _say(f"index of {len(index):,} abstracts: {_settings(facts)}")
    if folder is not None:
        index.save(folder)
    return index


def predict(
    models: Models, claims: Claims, abstracts: Path, *, per_claim: int = edition.depth()
) -> list[Row]:
    """Return the rows of ``predictions.csv``, best abstract of each claim first."""
    found, _ = models.index.search(claims.texts, per_claim, progress="claims searched")
    texts = read_abstract_texts(abstracts, set(found.reshape(-1).tolist()))
    pairs = [
        (claim, texts[id_])
        for claim, of_claim in zip(claims.texts, found.tolist(), strict=True)
        for id_ in of_claim
    ]
    labels = models.pairs.probabilities(pairs).argmax(axis=1).reshape(found.shape)
    _say(f"{len(pairs):,} pairs labelled")
    codes = [taxonomy.NO_NARRATIVE] * len(claims)
    if models.narratives is not None:
        codes = joined(models.narratives.predict(claims.texts))
    return [
        (claim, id_, rank, edition.LABELS[label], narrative)
        for claim, ids, of_claim, narrative in zip(
            claims.ids, found.tolist(), labels.tolist(), codes, strict=True
        )
        for rank, (id_, label) in enumerate(zip(ids, of_claim, strict=True), start=1)
    ]


def joined(codes: Booleans) -> list[str]:
    """Return each row's codes as a file holds them.

    >>> joined(np.array([[code in ("2_1", "5_1") for code in taxonomy.CODES]]))
    ['2_1;5_1']
    """
    return [";".join(taxonomy.CODES[i] for i in np.flatnonzero(row).tolist()) for row in codes]


def _digest(path: Path) -> str:
    """Return a hash of a file, or of all parquet files of a folder."""
    whole = hashlib.sha256()
    for file in sorted(path.rglob("*.parquet")) if path.is_dir() else [path]:
        with file.open("rb") as opened:
            while block := opened.read(_BLOCK):
                whole.update(block)
    return whole.hexdigest()[:16]


def _settings(facts: Json) -> str:
    return (
        f"k1 {facts['k1']}, b {facts['b']}, Score1.1 {facts['score']:.3f} on the training claims "
        f"({facts['usual']:.3f} with the usual settings)"
    )


_START = time.monotonic()


def _say(what: str) -> None:
    print(f"[{time.monotonic() - _START:5.1f} s] {what}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m baselines.cpu", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--out", type=Path, default=Path("predictions.zip"))
    parser.add_argument("--claims", type=Path, help="claims.csv (default: the test claims)")
    parser.add_argument(
        "--dev",
        action="store_true",
        help="hold the development split of the training claims back, and predict for it",
    )
    parser.add_argument("--train-data", type=Path, default=paths.training_data(), metavar="FOLDER")
    parser.add_argument("--abstracts", type=Path, default=paths.abstracts(), metavar="FILE")
    parser.add_argument("--per-claim", type=int, default=edition.depth(), metavar="N")
    parser.add_argument("--index", type=Path, metavar="FOLDER", help="keep the index here")
    parser.add_argument(
        "--narrative-aware", action="store_true", help="verify with the predicted narrative"
    )
    parser.add_argument(
        "--emissions", type=Path, metavar="FILE.json", help="measure inference with CodeCarbon"
    )
    parser.add_argument(
        "--country", default="DEU", metavar="ABC", help="whose grid the power is from (ISO 3166-1)"
    )
    return parser


def _run(options: argparse.Namespace) -> None:
    check_depth(options.per_claim)
    for path in filter(None, (options.out, options.emissions)):
        paths.check_output(path)
    gold = read_gold(options.train_data, tasks=("1",))
    data = read_labelled_pairs(options.train_data, options.abstracts)
    if options.dev:
        held = development(gold)
        claims = part_of(gold, held).claims
        data = data.part(np.flatnonzero(~held[data.claim]))
        gold = part_of(gold, ~held)
    else:
        claims = read_claims(options.claims or paths.test_claims())
    _say(f"{len(gold.claims):,} training claims, {len(data):,} judged pairs")
    index = open_index(options.abstracts, gold, options.index)
    narratives = train_narratives(gold) if "2" in gold.tasks else None
    if narratives is None:
        _say(f"no training gold of task 2: every claim gets {taxonomy.NO_NARRATIVE}")
    aware_of = claims.texts if options.narrative_aware else None
    pairs = train_pairs(data, gold, aware_of=aware_of, narratives=narratives)
    _say("classifiers trained")
    with measured(options.emissions, options.country):
        models = Models(index, pairs, narratives)
        rows = predict(models, claims, options.abstracts, per_claim=options.per_claim)
    write_zip(options.out, rows)
    _say(f"{options.out}: {len(rows):,} rows for {len(claims):,} claims")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a zip of predictions; return 0, or 2 if something is missing."""
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except (MissingLibraryError, GoldError, OSError, ValueError) as error:
        print(f"Not done: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
