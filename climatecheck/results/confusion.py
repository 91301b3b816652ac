"""Task 1.2 beyond the board: the confusion matrix.

It is shown if each label is rightly given on enough claims. Then each label has its share in the
official precision, recall and F1, so that a pair that moves from one cell to another moves these
too. A matrix with a label that is never right could change while they stand still.
"""

import numpy as np

from climatecheck import edition
from climatecheck.privacy import about, enough
from climatecheck.results.markup import Cell, paragraph, rounded, section, share, table
from climatecheck.scoring import Scores
from climatecheck.tables import Integers

_SMALL = f"under\u00a0{edition.PRIVACY_FLOOR}"
_READ = (
    "Looked at are the judged pairs among a claim's first"
    f" {edition.VERIFICATION_DEPTH} rows. A share is one of its row: of the pairs with this gold"
    " label, how many you labelled so. Right labels are on the diagonal. Numbers of pairs are"
    f" rounded to a multiple of {edition.PRIVACY_FLOOR}, and shares are made of the rounded"
    " numbers."
)
_LEFT_OUT = (
    f"The table is left out: a label is rightly given on fewer than {edition.PRIVACY_FLOOR} claims."
)


def confusion(scores: Scores, opened: tuple[str, ...]) -> str:
    """Return the section of the confusion matrix; nothing where task 1.2 is not to be shown."""
    counts = scores.counts.verification
    if counts is None or "1.2" not in opened:
        return ""
    title = "Task 1.2: which labels are taken for which"
    if not publishable(counts):
        return section(title, paragraph(_LEFT_OUT, "soft"))
    total = counts.sum(axis=0)
    rows = [
        (label, *(_cell(int(n), int(row.sum())) for n in row), rounded(about(int(row.sum()))))
        for label, row in zip(edition.LABELS, total, strict=True)
    ]
    return section(
        title,
        table(
            "Confusion matrix: gold label by row, your label by column",
            ["Gold label", *map(_short, edition.LABELS), "Pairs"],
            rows,
        ),
        paragraph(_READ, "soft"),
    )


def publishable(counts: Integers) -> bool:
    """Return whether the matrix may be shown.

    Args:
        counts: (claims, gold label, predicted label) judged pairs.
    """
    right = np.diagonal(counts, axis1=1, axis2=2) > 0
    return all(enough(of_label) for of_label in right.T)


def _cell(pairs: int, of: int) -> Cell:
    if pairs < edition.PRIVACY_FLOOR:
        return Cell(_SMALL)
    return share(about(pairs) / about(of), rounded(about(pairs)).html)


def _short(label: str) -> str:
    """Return the short form of a label, if it has one, so that the table fits a small screen."""
    return next((short for short, long in edition.LABEL_ALIASES.items() if long == label), label)
