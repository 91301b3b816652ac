"""Task 1.2 beyond the board: the confusion matrix.

Each row rests on the claims with a judged pair of this gold label, each column on those with a
judged pair that the participant labelled so. Both margins must reach the floor: a label that is
used for one pair alone would show that pair's gold. Small rows are not pooled here but the whole
left out, since with three labels the official precision, recall and F1 would take a pooled row
apart again.
"""

import numpy as np

from climatecheck import edition
from climatecheck.privacy import enough
from climatecheck.results.evidence import open_tasks
from climatecheck.results.markup import paragraph, section, share, table
from climatecheck.scoring import Scores
from climatecheck.tables import Booleans, Integers

_READ = (
    "Looked at are the judged pairs among a claim's first"
    f" {edition.VERIFICATION_DEPTH} rows. A share is one of its row: of the pairs with this gold"
    " label, how many you labelled so. Right labels are on the diagonal."
)
_LEFT_OUT = (
    "The table is left out: a gold label, or a label that you used, is borne by fewer than"
    f" {edition.PRIVACY_FLOOR} claims with judged pairs."
)


def confusion(scores: Scores) -> str:
    """Return the section of the confusion matrix; nothing where task 1.2 is not to be shown."""
    counts = scores.counts.verification
    if counts is None or scores.judged is None or "1.2" not in open_tasks(scores):
        return ""
    title = "Task 1.2: which labels are taken for which"
    run = scores.judged.run
    used = np.bincount(
        run.label[run.position <= edition.VERIFICATION_DEPTH] + 1, minlength=len(edition.LABELS) + 1
    )[1:]
    if not publishable(counts, used > 0):
        return section(title, paragraph(_LEFT_OUT, "soft"))
    total = counts.sum(axis=0)
    rows = [
        (label, *(share(int(n) / int(row.sum()), count=int(n)) for n in row), int(row.sum()))
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


def _short(label: str) -> str:
    """Return the short form of a label, if it has one, so that the table fits a small screen."""
    return next((short for short, long in edition.LABEL_ALIASES.items() if long == label), label)


def publishable(counts: Integers, used: Booleans) -> bool:
    """Return whether the matrix may be shown.

    Args:
        counts: (claims, gold label, predicted label) judged pairs.
        used: (labels,) whether the participant used the label at all, on judged pairs or others.
    """
    gold, predicted = (np.count_nonzero(counts, axis=axis) > 0 for axis in (2, 1))
    return all(enough(gold[:, k]) for k in range(gold.shape[1])) and all(
        enough(predicted[:, k]) for k in np.flatnonzero(used)
    )
