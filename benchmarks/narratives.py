"""The narrative classifier on real text, beside plain linear models on the same folds.

``python -m benchmarks.narratives FILE`` takes a CSV file with the columns ``text`` and ``claim``,
the latter one or more codes joined by ``;``. Folds keep near-duplicates together and spread codes
evenly; each model is trained on four of five and gives codes to the fifth.
"""

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from baselines.libraries import MissingLibraryError, load
from baselines.narrative_classifier import NarrativeClassifier
from baselines.splits import PARTS, parts
from baselines.thresholds import macro_f1
from climatecheck import taxonomy
from climatecheck.tables import Booleans
from climatecheck.values import codes_of

Predictor: TypeAlias = Callable[[Sequence[str]], Booleans]
Trainer: TypeAlias = Callable[[Sequence[str], Booleans], Predictor]

_TEXT, _CODES = "text", "claim"


def read(path: Path) -> tuple[list[str], Booleans]:
    """Return texts and their codes, (texts, codes).

    Raises:
        ValueError: a column is missing, or a code is unknown; names the line.
    """
    csv.field_size_limit(2**31 - 1)
    texts, rows = [], []
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if not {_TEXT, _CODES} <= set(reader.fieldnames or ()):
            raise ValueError(f"{path} needs the columns {_TEXT} and {_CODES}")
        for row in reader:
            codes = codes_of(row[_CODES] or "").value
            if not codes:
                raise ValueError(f"{path} line {reader.line_num}: no code that is known")
            texts.append(row[_TEXT] or "")
            rows.append(np.isin(np.arange(len(taxonomy.CODES)), list(codes)))
    return texts, np.array(rows, dtype=np.bool_).reshape(len(texts), len(taxonomy.CODES))


def embedded(texts: Sequence[str], gold: Booleans) -> Predictor:
    """Train the embedded classifier."""
    return NarrativeClassifier(texts, gold).predict


def majority(_: Sequence[str], gold: Booleans) -> Predictor:
    """Give everything the most frequent code."""
    code = np.arange(len(taxonomy.CODES)) == gold.sum(axis=0).argmax()
    return lambda texts: np.tile(code, (len(texts), 1))


def plain(texts: Sequence[str], gold: Booleans, *, balanced: bool = False) -> Predictor:
    """Train TF-IDF and logistic regression as they come, on the first code of each text.

    Args:
        texts: training texts.
        gold: their codes.
        balanced: whether to weigh codes by their inverse frequency.
    """
    vectorizer = load("sklearn.feature_extraction.text", extra="baselines").TfidfVectorizer()
    regression = load("sklearn.linear_model", extra="baselines").LogisticRegression
    rows = vectorizer.fit_transform(texts)
    weight = "balanced" if balanced else None
    with load("threadpoolctl", extra="baselines").threadpool_limits(1):
        model = regression(max_iter=1_000, class_weight=weight).fit(rows, gold.argmax(axis=1))
    codes = np.eye(len(taxonomy.CODES), dtype=np.bool_)
    return lambda held: np.asarray(codes[model.predict(vectorizer.transform(held))])


def _balanced(texts: Sequence[str], gold: Booleans) -> Predictor:
    return plain(texts, gold, balanced=True)


MODELS: dict[str, Trainer] = {
    "embedded narrative classifier": embedded,
    "TF-IDF + logistic regression, balanced": _balanced,
    "TF-IDF + logistic regression": plain,
    "most frequent code": majority,
}


def cross_validate(
    texts: Sequence[str], gold: Booleans, train: Trainer
) -> tuple[float, list[float]]:
    """Return macro-F1 over all texts, and by fold; no model sees the texts it is tried on.

    Args:
        texts: what to classify.
        gold: (texts, codes).
        train: makes a predictor from texts and codes.
    """
    part = parts(texts, gold)
    predicted = np.zeros(gold.shape, dtype=np.bool_)
    for fold in range(PARTS):
        known, held = np.flatnonzero(part != fold), np.flatnonzero(part == fold)
        predictor = train([texts[i] for i in known.tolist()], gold[known])
        predicted[held] = predictor([texts[i] for i in held.tolist()])
    by_fold = [macro_f1(gold[part == fold], predicted[part == fold]) for fold in range(PARTS)]
    return macro_f1(gold, predicted), by_fold


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row a model; return 0 if the embedded one is the best, 1 if not, 2 if undone."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.narratives")
    parser.add_argument("file", type=Path, help="CSV with the columns text and claim")
    try:
        texts, gold = read(parser.parse_args(arguments).file)
        values = _table(texts, gold)
    except (MissingLibraryError, OSError, ValueError) as error:
        print(f"Not done: {error}", file=sys.stderr)
        return 2
    return int(max(values, key=lambda name: values[name]) != "embedded narrative classifier")


def _table(texts: Sequence[str], gold: Booleans) -> dict[str, float]:
    print(f"{len(texts):,} texts, {(gold.sum(axis=0) > 0).sum()} codes, {PARTS} folds\n")
    print(f"{'macro-F1':<40} pooled    mean  (sd)     lowest highest  seconds")
    values = {}
    for name, train in MODELS.items():
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values[name], by_fold = cross_validate(texts, gold, train)
        seconds = time.perf_counter() - start
        print(
            f"{name:<40}  {values[name]:.3f}   {np.mean(by_fold):.3f} ({np.std(by_fold):.3f})"
            f"   {min(by_fold):.3f}   {max(by_fold):.3f}  {seconds:7.1f}",
            flush=True,
        )
    return values


if __name__ == "__main__":
    sys.exit(main())
