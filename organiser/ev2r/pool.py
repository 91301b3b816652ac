"""Which abstracts Ev2R judges, and with which gold abstracts each is compared."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from climatecheck import edition
from climatecheck.metrics.judgements import Judged, is_evidentiary
from climatecheck.tables import NO_LABEL, Booleans, Gold, Integers

DEPTH = edition.ABSTRACTS_ASKED
"""How many of a claim's best-ranked rows Ev2R looks at: the abstracts that the task asks for. (The
paper's Table 4 has at most 5 unannotated abstracts a claim, 1.7 to 4.1 in the mean.)"""


@dataclass(frozen=True)
class Pool:
    """Distinct claim-abstract pairs, each beside the gold abstracts of its claim.

    Attributes:
        claim, abstract: (abstracts,) position of the claim, id of the abstract; sorted.
        first: (abstracts,) where the comparisons of each begin.
        item: (comparisons,) position of the abstract in the pool.
        reference: (comparisons,) position of the gold abstract in the gold arrays. A claim's gold
            abstracts are in the order of their ids, whatever the order of the gold file; where
            several have the same F1, the first in this order counts.
    """

    claim: Integers
    abstract: Integers
    first: Integers
    item: Integers
    reference: Integers

    def __len__(self) -> int:
        return len(self.claim)


@dataclass(frozen=True)
class Rows:
    """The rows of a run that Ev2R looks at.

    Attributes:
        place: (rows,) position of the abstract in the pool.
        rank: (rows,) from 1.
        label: (rows,) the predicted label, or ``NO_LABEL``.
        has_labels: whether the run enters task 1.2.
    """

    place: Integers
    rank: Integers
    label: Integers
    has_labels: bool


def evaluable(gold: Gold) -> Booleans:
    """Return (claims,) whether a claim has an evidentiary gold abstract; NEI ones do not count."""
    found = np.zeros(len(gold.claims), dtype=np.bool_)
    found[gold.claim[is_evidentiary(gold.label)]] = True
    return found


def unannotated(runs: Sequence[Judged], gold: Gold) -> tuple[Pool, list[Rows]]:
    """Return the unannotated abstracts of all runs, and where each run has them.

    Those are the first ``DEPTH`` rows of a claim, as far as the gold says nothing on them, for the
    claims of ``evaluable``.
    """
    counted = evaluable(gold)
    chosen = [
        (run.gold_label == NO_LABEL) & (run.run.position <= DEPTH) & counted[run.run.claim]
        for run in runs
    ]
    keys = [
        run.run.claim[rows] * edition.CORPUS_SIZE + run.run.abstract[rows]
        for run, rows in zip(runs, chosen, strict=True)
    ]
    distinct = np.unique(np.concatenate([*keys, np.zeros(0, dtype=np.int64)]))
    made = [
        Rows(
            np.searchsorted(distinct, of_run),
            run.run.position[rows],
            run.run.label[rows],
            run.run.has_labels,
        )
        for run, rows, of_run in zip(runs, chosen, keys, strict=True)
    ]
    return compared(distinct // edition.CORPUS_SIZE, distinct % edition.CORPUS_SIZE, gold), made


def left_out(gold: Gold) -> tuple[Pool, Integers]:
    """Return the gold abstracts, each compared with the other ones of its claim, and their labels.

    Those whose claim has no evidentiary abstract beside them are left out: such a claim would not
    be evaluated.
    """
    evidentiary = is_evidentiary(gold.label)
    per_claim = np.bincount(gold.claim[evidentiary], minlength=len(gold.claims))
    kept = per_claim[gold.claim] - evidentiary > 0
    return compared(gold.claim[kept], gold.abstract[kept], gold), gold.label[kept]


def compared(claim: Integers, abstract: Integers, gold: Gold) -> Pool:
    """Return abstracts beside the gold abstracts of their claims, never beside themselves.

    Args:
        claim: (abstracts,) positions of claims that have gold.
        abstract: (abstracts,) ids; sorted by claim and abstract.
        gold: the reference data.
    """
    start = np.searchsorted(gold.claim, claim, side="left")
    size = np.searchsorted(gold.claim, claim, side="right") - start
    item = np.repeat(np.arange(len(claim)), size)
    ends = np.cumsum(size)
    reference = np.arange(len(item)) - np.repeat(ends - size, size) + np.repeat(start, size)
    other = gold.abstract[reference] != abstract[item]
    item, reference = item[other], reference[other]
    return Pool(claim, abstract, np.searchsorted(item, np.arange(len(claim))), item, reference)
