"""Runs and gold of one claim, a letter an abstract, for examples that a pencil can check."""

import numpy as np

from climatecheck import edition, taxonomy
from climatecheck.tables import NO_LABEL, Claims, Gold, Task1, Task2


def run(letters: str, labels: str = "") -> Task1:
    """Return the run of one claim that ranks the letters in this order.

    Args:
        letters: the abstracts, best first; blanks are ignored.
        labels: the initial of each one's predicted label (``S``, ``R`` or ``N``), or none.
    """
    abstract = _abstracts(letters)
    label = _labels(labels) if labels else np.full(len(abstract), NO_LABEL)
    place = np.arange(len(abstract))
    return Task1(place * 0, abstract, place + 1, label, place + 2, has_labels=bool(labels))


def gold(supporting: str = "", refuting: str = "", nonrelevant: str = "") -> Gold:
    """Return the gold of one claim; each argument holds the letters with that label."""
    letters = supporting + refuting + nonrelevant
    labels = "S" * len(supporting) + "R" * len(refuting) + "N" * len(nonrelevant)
    abstract = _abstracts(letters)
    order = np.argsort(abstract)
    return Gold(
        claims=Claims(("1",), ("a claim",)),
        claim=np.zeros(len(letters), dtype=np.int64),
        abstract=abstract[order],
        label=_labels(labels)[order],
        narratives=narratives(),
    )


def narratives(*codes: str) -> Task2:
    """Return the narratives of as many claims as there are arguments, codes joined by ``;``."""
    rows = [[code in cell.split(";") for code in taxonomy.CODES] for cell in codes]
    matrix = np.array(rows, dtype=np.bool_).reshape(len(codes), len(taxonomy.CODES))
    return Task2(np.arange(len(codes)), matrix)


def narrative_gold(*codes: str) -> Gold:
    """Return the gold of as many claims as there are arguments, with narratives alone."""
    none = np.zeros(0, dtype=np.int64)
    ids = tuple(str(place + 1) for place in range(len(codes)))
    return Gold(Claims(ids, ids), none, none, none, narratives(*codes))


def _abstracts(letters: str) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array([ord(letter) for letter in letters if letter != " "], dtype=np.int64)


def _labels(initials: str) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    of_initial = {label[0]: place for place, label in enumerate(edition.LABELS)}
    return np.array([of_initial[initial] for initial in initials], dtype=np.int64)
