"""The paper's baseline for task 1, from claims to ``predictions.zip``.

From the project's folder, or from the kit's::

    python -m baselines.neural --abstracts corpus.parquet --out predictions.zip
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from baselines import paths
from baselines.bm25 import Index, check_settings
from baselines.emissions import measured
from baselines.libraries import MissingLibraryError
from baselines.neural.corpus import Corpus
from baselines.neural.embeddings import NUMBERS, Embeddings
from baselines.neural.encoder import ENCODER, Encoder, add_options, settings_from
from baselines.neural.pipeline import Depths, Ranking, by_likeness, labelled, reranked, search
from baselines.neural.reranker import RERANKER, CrossEncoder
from baselines.neural.train_classifier import CLASSIFIER
from baselines.postings import Postings
from baselines.prediction_file import Retrieved, check_depth, write_predictions
from baselines.sequence_classifier import ModelError, SequenceClassifier
from climatecheck import GoldError, read_claims

NO_STAGE = "none"


def predict(options: argparse.Namespace) -> list[Retrieved]:
    """Run all stages and return the rows of task 1.

    Raises:
        GoldError, TextError: if the claims or abstracts cannot be read.
        ModelError: if a model cannot be loaded.
        MissingLibraryError: if a library is not installed.
        ValueError: if the depths do not fit.
    """
    depths = Depths(options.first, options.dense, options.per_claim)
    claims, corpus = read_claims(options.claims), Corpus.read(options.abstracts)
    made = search(claims.texts, _index(corpus, options), depths.first)
    made = _ranked(claims.texts, made, corpus, depths, options)
    if options.classifier == NO_STAGE:
        labels: Sequence[Sequence[str | None]] = [[None] * len(ranking) for ranking in made]
    else:
        classifier = SequenceClassifier(
            options.classifier,
            labels=options.labels,
            device=options.device,
            progress="labelling pairs",
        )
        labels = labelled(claims.texts, made, classifier, corpus)
    return [
        Retrieved(claim, id_, label)
        for claim, ranking, of_claim in zip(claims.ids, made, labels, strict=True)
        for id_, label in zip(ranking, of_claim, strict=True)
    ]


def _ranked(
    claims: Sequence[str],
    rankings: list[Ranking],
    corpus: Corpus,
    depths: Depths,
    options: argparse.Namespace,
) -> list[Ranking]:
    if options.encoder != NO_STAGE:
        settings = settings_from(options, options.encoder)
        size = options.batch_size
        encoder = Encoder(options.encoder, settings, device=options.device, batch_size=size)
        vectors = Embeddings(options.cache / "embeddings", encoder, corpus, numbers=options.numbers)
        rankings = by_likeness(claims, rankings, depths.dense, encoder, corpus, vectors)
        del encoder, vectors  # so that the next model finds the memory free
    models = [model for model in options.reranker or [RERANKER] if model != NO_STAGE]
    if models:
        rankings = [ranking[: depths.dense] for ranking in rankings]
        size = options.batch_size
        stages = [CrossEncoder(model, device=options.device, batch_size=size) for model in models]
        rankings = reranked(claims, rankings, depths.final, stages, corpus)
    return [ranking[: depths.final] for ranking in rankings]


def _index(corpus: Corpus, options: argparse.Namespace) -> Index:
    """Return the BM25 index of a corpus, from the cache if it is there."""
    facts = {"corpus": corpus.digest, "k1": options.k1, "b": options.b}
    name = hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]
    folder = options.cache / "bm25" / name
    try:
        return Index.load(folder)
    except (OSError, ValueError):  # absent or damaged
        pairs = list(zip(corpus.ids.tolist(), corpus.texts, strict=True))
        made = Index.of(
            Postings.of(pairs, progress="indexing"), k1=options.k1, b=options.b, facts=facts
        )
        made.save(folder)
        return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a zip of predictions; return 0, or 2 if something is missing."""
    options = _parser().parse_args(arguments)
    try:
        for path in filter(None, (options.out, options.emissions)):
            paths.check_output(path)
        check_depth(options.per_claim)
        check_settings(options.k1, options.b)
        with measured(options.emissions, options.country):
            rows = predict(options)
        write_predictions(options.out, rows)
    except (GoldError, MissingLibraryError, ModelError, OSError, ValueError) as error:
        print(f"Not done: {error}", file=sys.stderr)
        return 2
    claims = len({row.claim for row in rows})
    print(f"{options.out}: {len(rows)} rows for {claims} claims.")
    return 0


def _parser() -> argparse.ArgumentParser:
    depths = Depths()
    parser = argparse.ArgumentParser(
        prog="python -m baselines.neural", description=(__doc__ or "").split("\n")[0]
    )
    add = parser.add_argument
    add(
        "--claims",
        type=Path,
        default=paths.test_claims(),
        help="default: the test claims",
    )
    add("--abstracts", type=Path, default=paths.abstracts(), help="CSV, JSONL or parquet")
    add("--out", type=Path, default=Path("predictions.zip"))
    add("--encoder", default=ENCODER, help=f"bi-encoder: id, folder or none (default {ENCODER})")
    add_options(parser)
    add(
        "--reranker",
        action="append",
        help=f"cross-encoder: id, folder or none; several are fused (default {RERANKER})",
    )
    add("--classifier", default=CLASSIFIER, help=f"id, folder or none (default {CLASSIFIER})")
    add(
        "--labels",
        nargs="+",
        metavar="LABEL",
        help="of the classifier's outputs, in their order, where its own names do not tell",
    )
    add("--first", type=int, default=depths.first, metavar="N", help="left by BM25")
    add("--dense", type=int, default=depths.dense, metavar="N", help="left by the bi-encoder")
    add("--per-claim", type=int, default=depths.final, metavar="N", help="handed in")
    add("--k1", type=float, default=1.2, help="of BM25")
    add("--b", type=float, default=0.75, help="of BM25")
    add("--cache", type=Path, default=Path("cache"), help="folder of index and embeddings")
    add("--numbers", choices=NUMBERS, default=NUMBERS[0], help="of the embeddings on disk")
    add("--batch-size", type=int, default=64)
    add("--device", help="such as cuda or cpu (default: a GPU if there is one)")
    add("--emissions", type=Path, metavar="FILE.json", help="measure with CodeCarbon")
    add("--country", default="DEU", metavar="ABC", help="whose grid the power is from (ISO 3166-1)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
