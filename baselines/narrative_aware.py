"""Verification that looks at the narrative: with and without it, compared.

The verifier is given the groups of the codes that a claim is predicted to carry. For a training
claim they are predicted by a classifier that has not seen it, as those of a new claim will be.
From the kit's folder, this compares both on claims that were held out::

    python -m baselines.narrative_aware
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from baselines import paths
from baselines.libraries import MissingLibraryError
from baselines.narrative_classifier import NarrativeClassifier, cross_validated, groups
from baselines.pair_classifier import PairClassifier
from baselines.pair_model import LabelledPairs, read_labelled_pairs
from baselines.splits import PARTS, parts
from climatecheck import GoldError, edition, read_gold, taxonomy
from climatecheck.metrics import verification
from climatecheck.tables import Booleans, Floats, Integers

_RESAMPLES = 2_000
_FEWEST_CLAIMS = 2


def contexts(
    training: Sequence[str], gold: Booleans, others: Sequence[str], model: NarrativeClassifier
) -> dict[str, Floats]:
    """Return the predicted groups of each claim, by its text.

    Args:
        training: training claims; predicted by cross-validation.
        gold: (training, codes) their codes.
        others: other claims; predicted by ``model``.
        model: trained on the training claims.
    """
    made = dict(zip(others, groups(model.predict(others)), strict=True))
    made.update(zip(training, groups(cross_validated(training, gold)), strict=True))
    return made


@dataclass(frozen=True)
class Line:
    """A row of the table: the pairs of some claims.

    Attributes:
        name: which claims.
        claims, pairs: how many.
        without, with_: weighted F1 of the verifier without and with the narrative.
        low, high: 95 % bootstrap interval of the difference; whole claims are drawn.
    """

    name: str
    claims: int
    pairs: int
    without: float
    with_: float
    low: float
    high: float


def held_out_labels(
    data: LabelledPairs, texts: Sequence[str], gold: Booleans, folds: int = PARTS
) -> tuple[Integers, Integers]:
    """Return the label of each pair without and with the narrative, whole claims held out.

    Args:
        data: judged pairs; ``data.claim`` is a position in ``texts``.
        texts: the claims.
        gold: (claims, codes) their codes.
        folds: how many parts the claims are cut into.
    """
    part = parts(texts, gold, folds)
    without, with_ = np.zeros(len(data), np.int64), np.zeros(len(data), np.int64)
    for one in range(folds):
        known = np.flatnonzero((part != one) & gold.any(axis=1))
        held = [texts[i] for i in np.flatnonzero(part == one).tolist()]
        training = [texts[i] for i in known.tolist()]
        model = NarrativeClassifier(training, gold[known])
        context = contexts(training, gold[known], held, model)
        rows = np.flatnonzero(part[data.claim] == one)
        rest = data.part(np.flatnonzero(part[data.claim] != one))
        pairs = data.part(rows).pairs
        without[rows] = PairClassifier(rest).probabilities(pairs).argmax(axis=1)
        with_[rows] = PairClassifier(rest, context).probabilities(pairs).argmax(axis=1)
    return without, with_


def comparison(
    data: LabelledPairs, gold: Booleans, without: Integers, with_: Integers
) -> list[Line]:
    """Return a line for each group that a gold code of the claims belongs to, and for all claims.

    A claim with codes of two groups counts in both. Groups of fewer than two judged claims are
    left out.
    """
    of_claim = groups(gold) > 0
    counts = [_counts(data, labels, len(gold)) for labels in (without, with_)]
    judged = counts[0].sum(axis=(1, 2)) > 0
    chosen = {f"{key} {name}": of_claim[:, i] for i, (key, name) in enumerate(_GROUPS)}
    chosen["any narrative"] = np.asarray(of_claim[:, 1:].any(axis=1))
    chosen["all claims"] = np.ones(len(gold), dtype=np.bool_)
    picked = {name: np.flatnonzero(claims & judged) for name, claims in chosen.items()}
    return [
        _line(name, [of[claims] for of in counts])
        for name, claims in picked.items()
        if len(claims) >= _FEWEST_CLAIMS
    ]


_GROUPS = list(taxonomy.GROUPS.items())


def _counts(data: LabelledPairs, labels: Integers, claims: int) -> Integers:
    """Return confusion counts (claims, gold label, predicted label)."""
    counts = np.zeros((claims, len(edition.LABELS), len(edition.LABELS)), dtype=np.int64)
    np.add.at(counts, (data.claim, data.label, labels), 1)
    return counts


def _line(name: str, counts: Sequence[Integers]) -> Line:
    claims = len(counts[0])
    draws = np.random.default_rng(0).multinomial(claims, [1 / claims] * claims, size=_RESAMPLES)
    without, with_ = (verification.weighted(of).f1 for of in counts)
    drawn = [verification.weighted(of, draws).f1 for of in counts]
    low, high = np.quantile(drawn[1] - drawn[0], [0.025, 0.975])
    pairs = int(counts[0].sum())
    return Line(name, claims, pairs, float(without), float(with_), float(low), float(high))


def table(lines: Sequence[Line]) -> str:
    """Return the comparison as text."""
    width = max(len(line.name) for line in lines)
    head = f"{'group':<{width}}  claims  pairs  without   with  difference [95 % interval]"
    return "\n".join(
        [
            head,
            *(
                f"{line.name:<{width}}  {line.claims:>6}  {line.pairs:>5}  {line.without:>7.3f}"
                f"  {line.with_:>5.3f}  {line.with_ - line.without:+.3f}"
                f" [{line.low:+.3f}, {line.high:+.3f}]"
                for line in lines
            ),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 0, or 2 if something is missing."""
    parser = argparse.ArgumentParser(prog="python -m baselines.narrative_aware")
    parser.add_argument("--train-data", type=Path, default=paths.training_data())
    parser.add_argument("--abstracts", type=Path, default=paths.abstracts())
    parser.add_argument("--folds", type=int, default=PARTS, help="parts of the cross-validation")
    options = parser.parse_args(arguments)
    try:
        gold = read_gold(options.train_data)
        data = read_labelled_pairs(options.train_data, options.abstracts)
        codes = gold.narratives.dense(len(gold.claims))
        labels = held_out_labels(data, gold.claims.texts, codes, options.folds)
    except (GoldError, MissingLibraryError, OSError, ValueError) as error:
        print(f"Not done: {error}", file=sys.stderr)
        return 2
    print("Weighted F1 of the verifier on judged pairs of claims that were held out,")
    print("without and with the predicted narrative groups, by the groups of the gold:\n")
    print(table(comparison(data, codes, *labels)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
