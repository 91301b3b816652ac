"""Thresholds of one-vs-rest scores, and from scores to sets of codes.

Everything is over (texts, codes) arrays in the order of ``taxonomy.CODES``.
"""

import numpy as np

from climatecheck import taxonomy
from climatecheck.tables import Booleans, Floats

_NONE = taxonomy.CODES.index(taxonomy.NO_NARRATIVE)
_STEPS = 25
_FEWEST = 2
SHRINKAGE = 5.0
"""A code with so many examples has a threshold half its own and half everyone's."""


def thresholds(scores: Floats, gold: Booleans) -> Floats:
    """Return a threshold for each code, from scores of texts that were held out.

    A code's own threshold gives it the greatest F1; the fewer its examples, the more it is drawn to
    the one threshold for all codes that gives the greatest macro-F1. A code with fewer than two
    examples is predicted only above every score of a text that lacks it.

    Args:
        scores: held-out scores.
        gold: which codes the texts have.
    """
    support = gold.sum(axis=0)
    common = _common(scores, gold)
    made = np.full(len(support), common)
    for code in np.flatnonzero(support >= _FEWEST).tolist():
        own = best_threshold(scores[:, code], gold[:, code])
        share = support[code] / (support[code] + SHRINKAGE)
        made[code] = share * own + (1 - share) * common
    for code in np.flatnonzero(support < _FEWEST).tolist():
        made[code] = max(common, scores[~gold[:, code], code].max(initial=common))
    return made


def best_threshold(scores: Floats, gold: Booleans) -> float:
    """Return the threshold with the greatest F1, half-way between scores; of equals the highest.

    Args:
        scores: (texts,).
        gold: (texts,) with at least one True.

    >>> gold = np.array([True, False, True, False])
    >>> round(best_threshold(np.array([0.9, 0.1, 0.5, 0.7]), gold), 9)
    0.3
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    f1 = 2 * np.cumsum(gold[order]) / (np.arange(1, len(ranked) + 1) + gold.sum())
    last = np.append(ranked[:-1] > ranked[1:], True)  # equal scores cannot be parted
    place = int(np.where(last, f1, -1).argmax())
    below = ranked[place + 1] if place + 1 < len(ranked) else ranked[place] - 1
    return float((ranked[place] + below) / 2)


def several(margins: Floats) -> Booleans:
    """Return all codes above their thresholds; never none, and *no narrative* only alone.

    Where none is above, the nearest is taken. Where *no narrative* stands beside others, whichever
    has the greatest margin stays. A group's general code gives way to a more specific one.

    Args:
        margins: scores less thresholds.
    """
    chosen = (margins > 0) | only_best(margins)
    others = np.delete(chosen, _NONE, axis=1).any(axis=1)
    best_is_none = margins.argmax(axis=1) == _NONE
    chosen[others & best_is_none] = False
    chosen[:, _NONE] = best_is_none
    for general, members in _GROUPS:
        chosen[:, general] &= ~chosen[:, members].any(axis=1)
    return chosen


def only_best(margins: Floats) -> Booleans:
    """Return the one code with the greatest margin.

    >>> only_best(np.array([[0.5, 0.7], [0.1, 0.1]])).tolist()
    [[False, True], [True, False]]
    """
    chosen = np.zeros(margins.shape, dtype=np.bool_)
    chosen[np.arange(len(margins)), margins.argmax(axis=1)] = True
    return chosen


def macro_f1(gold: Booleans, predicted: Booleans) -> float:
    """Return the mean F1 of the codes that occur in the gold, as on the board."""
    support = gold.sum(axis=0)
    f1 = 2 * (gold & predicted).sum(axis=0) / np.maximum(support + predicted.sum(axis=0), 1)
    return float(f1[support > 0].mean())


def _common(scores: Floats, gold: Booleans) -> float:
    tried = np.linspace(scores.min(), scores.max(), _STEPS)
    values = [macro_f1(gold, several(scores - one)) for one in tried]
    return float(tried[int(np.argmax(values))])


def _groups() -> list[tuple[int, list[int]]]:
    codes = taxonomy.CODES
    return [
        (
            codes.index(general),
            [
                codes.index(code)
                for code in codes
                if code != general and taxonomy.group_of(code) == taxonomy.group_of(general)
            ],
        )
        for general in codes
        if taxonomy.is_general(general)
    ]


_GROUPS = _groups()
