"""How good the probabilities of a pair model are, on labelled pairs."""

from dataclasses import dataclass

import numpy as np

from climatecheck.tables import Floats, Integers

BINS = 10
_SMALLEST = 1e-15


@dataclass(frozen=True)
class Quality:
    """Four measures of (pairs, labels) probabilities against gold labels.

    Attributes:
        pairs: how many pairs.
        accuracy: share of pairs whose most probable label is the gold one (the first, in a tie).
        macro_f1: mean F1 of the labels that occur in the gold; an undefined F1 is 0.
        log_loss: mean of -ln(probability of the gold label), probabilities clipped to 1e-15.
        calibration_error: expected calibration error (Guo et al. 2017, "On Calibration of Modern
            Neural Networks"): pairs in ten bins of equal width by the probability of their most
            probable label; mean over pairs of |accuracy - mean probability| of their bin.
    """

    pairs: int
    accuracy: float
    macro_f1: float
    log_loss: float
    calibration_error: float


def quality(label: Integers, probabilities: Floats) -> Quality:
    """Return the measures of some predictions.

    Args:
        label: (pairs,) gold label, a column of ``probabilities``.
        probabilities: (pairs, labels); rows sum to 1.

    Raises:
        ValueError: if there are no pairs, or the shapes do not fit.

    Two pairs with gold 0 and 1, predicted 0 both times with 0.8 and 0.6: F1 of label 0 is 2/3, of
    label 1 it is 0; the bins' gaps are 0.2 and 0.6.

    >>> made = quality(np.array([0, 1]), np.array([[0.8, 0.2], [0.6, 0.4]]))
    >>> [round(v, 4) for v in (made.accuracy, made.macro_f1, made.log_loss)]
    [0.5, 0.3333, 0.5697]
    >>> round(made.calibration_error, 4)
    0.4
    """
    if len(label) == 0 or probabilities.shape[:1] != label.shape:
        raise ValueError(f"{len(label)} labels do not fit probabilities {probabilities.shape}")
    predicted = probabilities.argmax(axis=1)
    right = predicted == label
    of_gold = probabilities[np.arange(len(label)), label]
    return Quality(
        len(label),
        float(right.mean()),
        float(np.mean([_f1(label == k, predicted == k) for k in np.unique(label)])),
        float(-np.log(np.clip(of_gold, _SMALLEST, 1)).mean()),
        _calibration_error(probabilities.max(axis=1), right.astype(np.float64)),
    )


def _f1(gold: np.ndarray, predicted: np.ndarray) -> float:
    return float(2 * (gold & predicted).sum() / (gold.sum() + predicted.sum()))


def _calibration_error(confidence: Floats, right: Floats) -> float:
    bins = np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
    gaps = np.bincount(bins, weights=right - confidence, minlength=BINS)
    return float(np.abs(gaps).sum() / len(confidence))
