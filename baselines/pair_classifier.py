"""The embedded pair classifier: a calibrated linear model on what ``pair_features`` measures.

It needs scikit-learn alone and is trained in seconds, so nothing of it is kept on disk. It stands
in for the fine-tuned NLI model of the paper where there is none, and is named an approximation.
From the project's folder, this measures it with whole claims held out::

    python -m baselines.pair_classifier --train starting_kit/data/train \
        --abstracts starting_kit/data/abstracts.csv
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from baselines.libraries import MissingLibraryError, load
from baselines.pair_features import PairFeatures
from baselines.pair_model import LabelledPairs, Pair, read_labelled_pairs
from baselines.pair_quality import Quality, quality
from climatecheck import GoldError, edition
from climatecheck.tables import Floats, Integers, Json

STRENGTH = 0.3
"""Inverse strength of the L2 penalty."""

FOLDS = 5
_DIGITS = 9
"""Probabilities are rounded to so many decimals: the last bits depend on the size of a batch."""


class PairClassifier:
    """A logistic regression with Platt scaling, over ``edition.LABELS``.

    Equal training pairs give equal probabilities, in any order of the pairs asked for.

    Args:
        data: the training pairs.
        context: what else is known of each claim that will be asked for, by its text: arrays of
            one length. None adds nothing.

    Raises:
        ValueError: if a label has pairs of fewer than two claims to learn from.
        MissingLibraryError: if scikit-learn is not installed.
    """

    name = "embedded pair classifier (approximation)"

    def __init__(self, data: LabelledPairs, context: Mapping[str, Floats] | None = None) -> None:
        linear = load("sklearn.linear_model", extra="baselines")
        calibration = load("sklearn.calibration", extra="baselines")
        folds = min(FOLDS, _fewest_claims(data))
        if folds < 2:
            raise ValueError(
                "the pair classifier needs pairs of at least two claims for each of "
                + ", ".join(edition.LABELS)
            )
        self._features = PairFeatures(data.pairs, context)
        model = calibration.CalibratedClassifierCV(
            linear.LogisticRegression(C=STRENGTH, max_iter=5_000),
            cv=list(_splits(data, folds)),
            ensemble=False,
        )
        # The arrays are small: more threads only wait for each other, and round differently.
        with load("threadpoolctl", extra="baselines").threadpool_limits(1):
            self._model = model.fit(self._features.training, data.label)
        self._parameters = parameters_of(data)
        if context is not None:
            self._parameters["context"] = _context_digest(context)

    @property
    def parameters(self) -> Json:
        """All that decides the output."""
        return self._parameters

    def probabilities(self, pairs: Sequence[Pair]) -> Floats:
        """Return the (pairs, labels) probabilities over ``edition.LABELS``."""
        if not pairs:
            return np.zeros((0, len(edition.LABELS)))
        made = self._model.predict_proba(self._features.matrix(pairs))
        return np.asarray(np.round(made, _DIGITS), dtype=np.float64)


def parameters_of(data: LabelledPairs) -> Json:
    """Return all that decides the output of a classifier trained on these pairs, untrained yet.

    Raises:
        MissingLibraryError: if scikit-learn is not installed.
    """
    return {
        "model": "TF-IDF, overlap and cue features; logistic regression; Platt scaling",
        "strength": STRENGTH,
        "training_pairs": _digest(data),
        "scikit-learn": load("sklearn", extra="baselines").__version__,
    }


def train(folder: Path, abstracts: Path) -> PairClassifier:
    """Return a classifier trained on the judged pairs of a folder.

    Raises:
        GoldError: as ``read_labelled_pairs``.
        ValueError: as ``read_labelled_pairs`` and ``PairClassifier``.
        MissingLibraryError: as ``PairClassifier``.
    """
    return PairClassifier(read_labelled_pairs(folder, abstracts))


def cross_validate(data: LabelledPairs, *, folds: int = FOLDS, seed: int = 0) -> dict[str, Quality]:
    """Measure the classifier on claims that it was not trained on.

    Args:
        data: judged pairs; all pairs of a claim are held out together.
        folds: how many parts the claims are cut into.
        seed: of the random guesses.

    Returns:
        The quality of the ``classifier``; of ``majority``, which gives each label its share of the
        training pairs; and of ``random``, which guesses evenly and claims a third for each.
    """
    makers: dict[str, Callable[[LabelledPairs], Callable[[Sequence[Pair]], Floats]]] = {
        "classifier": lambda known: PairClassifier(known).probabilities,
        "majority": _shares,
    }
    made = {name: np.zeros((len(data), len(edition.LABELS))) for name in makers}
    for known, held_out in _splits(data, folds):
        training, test = data.part(known), data.part(held_out)
        for name, make in makers.items():
            made[name][held_out] = make(training)(test.pairs)
    measured = {name: quality(data.label, probabilities) for name, probabilities in made.items()}
    return {**measured, "random": quality(data.label, _guesses(len(data), seed))}


def _shares(data: LabelledPairs) -> Callable[[Sequence[Pair]], Floats]:
    shares = np.bincount(data.label, minlength=len(edition.LABELS)) / len(data)
    return lambda pairs: np.tile(shares, (len(pairs), 1))


def _guesses(pairs: int, seed: int) -> Floats:
    """Return even probabilities, a hair more for a label drawn at random."""
    labels = len(edition.LABELS)
    even = np.full((pairs, labels), 1 / labels)
    drawn = np.random.default_rng(seed).integers(labels, size=pairs)
    even[np.arange(pairs), drawn] += 1e-9
    return np.asarray(even / even.sum(axis=1, keepdims=True), dtype=np.float64)


def _splits(data: LabelledPairs, folds: int) -> Iterator[tuple[Integers, Integers]]:
    """Yield training and held-out rows; no claim is in both, labels are spread evenly."""
    selection = load("sklearn.model_selection", extra="baselines")
    made: Any = selection.StratifiedGroupKFold(folds).split(data.label, data.label, data.claim)
    yield from made


def _fewest_claims(data: LabelledPairs) -> int:
    return min(len(np.unique(data.claim[data.label == k])) for k in range(len(edition.LABELS)))


def _digest(data: LabelledPairs) -> str:
    whole = json.dumps([data.pairs, data.label.tolist(), data.claim.tolist()])
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def _context_digest(context: Mapping[str, Floats]) -> str:
    whole = json.dumps(sorted((text, row.tolist()) for text, row in context.items()))
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the cross-validated quality; return 0, or 2 if something is missing."""
    parser = argparse.ArgumentParser(prog="python -m baselines.pair_classifier")
    parser.add_argument("--train", type=Path, required=True, help="folder of the training pairs")
    parser.add_argument("--abstracts", type=Path, required=True)
    options = parser.parse_args(arguments)
    try:
        data = read_labelled_pairs(options.train, options.abstracts)
        measured = cross_validate(data)
    except (GoldError, MissingLibraryError, OSError, ValueError) as error:
        print(f"Not done: {error}", file=sys.stderr)
        return 2
    print(f"{len(data)} pairs of {len(np.unique(data.claim))} claims, whole claims held out")
    print(f"{'':12}{'accuracy':>10}{'macro-F1':>10}{'log-loss':>10}{'ECE':>10}")
    for name, made in measured.items():
        values = (made.accuracy, made.macro_f1, made.log_loss, made.calibration_error)
        print(f"{name:12}" + "".join(f"{value:10.3f}" for value in values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
