"""Annotators that are made up: they see what is there, and err as people do."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from climatecheck import taxonomy
from climatecheck.tables import Booleans, Floats


@dataclass(frozen=True)
class Annotator:
    """How often a made-up annotator errs.

    Attributes:
        slips: the share of narratives that are not given as they are.
        alarms: the share of items without a narrative that are given one.
        adds: the share of narratives beside which another of the group is given.
        misses: the share of items that are not annotated.
    """

    slips: float = 0.3
    alarms: float = 0.08
    adds: float = 0.05
    misses: float = 0.0


_WITHIN_GROUP, _OVERLOOKED = 0.6, 0.3
"""Of the slips: another code of the group, no narrative; the rest is any other code."""


def truth(prevalences: Floats, items: int, random: np.random.Generator) -> Booleans:
    """Return (items, codes) one narrative each, drawn with these relative frequencies."""
    drawn = random.choice(len(prevalences), size=items, p=prevalences / prevalences.sum())
    return np.eye(len(prevalences), dtype=np.bool_)[drawn]


def annotate(
    there: Booleans,
    annotators: Sequence[Annotator],
    prevalences: Floats,
    random: np.random.Generator,
) -> tuple[Booleans, Booleans]:
    """Return what annotators say of items.

    Args:
        there: (items, codes) the narratives that are there.
        annotators: how each of them errs.
        prevalences: (codes,) how often each code comes to mind.
        random: decides where they err.

    Returns:
        made, (annotators, items), and marks, (annotators, items, codes).
    """
    made = np.ones((len(annotators), len(there)), dtype=np.bool_)
    marks = np.zeros((len(annotators), *there.shape), dtype=np.bool_)
    for who, annotator in enumerate(annotators):
        for place, codes in enumerate(there):
            made[who, place] = random.random() >= annotator.misses
            if made[who, place]:
                for code in np.flatnonzero(codes):
                    given = _seen(int(code), annotator, prevalences, random)
                    marks[who, place, given] = True
                _mend(marks[who, place])
    return made, marks


def _seen(
    code: int, annotator: Annotator, prevalences: Floats, random: np.random.Generator
) -> list[int]:
    """Return the codes that an annotator gives for one that is there."""
    none = taxonomy.CODES.index(taxonomy.NO_NARRATIVE)
    if code == none:
        return [_any(prevalences, none, random)] if random.random() < annotator.alarms else [none]
    group = taxonomy.group_of(taxonomy.CODES[code])
    others = [
        place
        for place, name in enumerate(taxonomy.CODES)
        if taxonomy.group_of(name) == group and place != code
    ]
    if random.random() < annotator.slips:
        kind = random.random()
        if kind < _WITHIN_GROUP:
            return [int(random.choice(others))]
        return [none] if kind < _WITHIN_GROUP + _OVERLOOKED else [_any(prevalences, none, random)]
    return [code, int(random.choice(others))] if random.random() < annotator.adds else [code]


def _any(prevalences: Floats, none: int, random: np.random.Generator) -> int:
    weights = prevalences.copy()
    weights[none] = 0
    return int(random.choice(len(weights), p=weights / weights.sum()))


def _mend(codes: Booleans) -> None:
    """Take “no narrative” away beside a narrative, as the rule of annotation asks."""
    none = taxonomy.CODES.index(taxonomy.NO_NARRATIVE)
    codes[none] &= codes.sum() == 1
