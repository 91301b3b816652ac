"""The judgement of each retrieved abstract.

An abstract is judged relevant (*evidentiary*) for a claim if its gold label is Supports or Refutes,
judged non-relevant if the gold has another label (Not Enough Information), else unjudged.

Source: the shared task's overview paper, section on evaluation; the terms are those of Buckley and
Voorhees (2004), "Retrieval evaluation with incomplete information", SIGIR.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from climatecheck import edition
from climatecheck.tables import NO_LABEL, Booleans, Gold, Integers, Task1


@dataclass(frozen=True)
class Judged:
    """A run beside its judgements.

    Attributes:
        run: the run, sorted by claim and rank.
        gold_label: (rows,) position in ``edition.LABELS``; ``NO_LABEL`` where unjudged.
        evidentiary: (rows,) whether the abstract is judged relevant.
        nonrelevant: (rows,) whether it is judged non-relevant.
        relevant_of: (claims,) R, a claim's evidentiary abstracts in the gold.
        nonrelevant_of: (claims,) N, its judged non-relevant ones.
    """

    run: Task1
    gold_label: npt.NDArray[np.int8]
    evidentiary: Booleans
    nonrelevant: Booleans
    relevant_of: Integers
    nonrelevant_of: Integers

    def __len__(self) -> int:
        return len(self.relevant_of)

    def per_claim(self, rows: Booleans) -> Integers:
        """Return (claims,) how many of the chosen rows each claim has."""
        return np.bincount(self.run.claim[rows], minlength=len(self))


def judge(run: Task1, gold: Gold) -> Judged:
    """Return the run beside the gold label of each of its rows.

    >>> from climatecheck.metrics.example import gold, run
    >>> judged = judge(run("x a u b y"), gold(supporting="abc", nonrelevant="wxyz"))
    >>> judged.gold_label.tolist()
    [2, 0, -1, 0, 2]
    >>> judged.relevant_of.tolist(), judged.nonrelevant_of.tolist()
    ([3], [4])
    """
    label = _gold_labels(run, gold)
    evidentiary = is_evidentiary(label)
    of_pair = is_evidentiary(gold.label)
    claims = len(gold.claims)
    return Judged(
        run=run,
        gold_label=label,
        evidentiary=evidentiary,
        nonrelevant=(label != NO_LABEL) & ~evidentiary,
        relevant_of=np.bincount(gold.claim[of_pair], minlength=claims),
        nonrelevant_of=np.bincount(gold.claim[~of_pair], minlength=claims),
    )


def is_evidentiary(label: npt.NDArray[np.integer]) -> Booleans:
    """Return for each position in ``edition.LABELS`` whether that label is an evidentiary one."""
    of_label = [label in edition.EVIDENTIARY_LABELS for label in edition.LABELS]
    # NO_LABEL is -1, so it finds the last entry.
    evidentiary: Booleans = np.array([*of_label, False])[label]
    return evidentiary


def _gold_labels(run: Task1, gold: Gold) -> npt.NDArray[np.int8]:
    if len(gold.label) == 0:
        return np.full(len(run), NO_LABEL, dtype=np.int8)
    pairs = gold.claim * edition.CORPUS_SIZE + gold.abstract
    rows = run.claim * edition.CORPUS_SIZE + run.abstract
    place = np.searchsorted(pairs, rows)
    place[place == len(pairs)] = 0
    return np.where(pairs[place] == rows, gold.label.astype(np.int8)[place], np.int8(NO_LABEL))
