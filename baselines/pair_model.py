"""What a model of claim-abstract pairs is, whatever stands behind it, and what it learns from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np

from baselines.texts import TextError, read_abstract_texts
from climatecheck import read_gold
from climatecheck.tables import Floats, Integers, Json

Pair: TypeAlias = tuple[str, str]
"""The text of a claim, and that of an abstract."""


class PairModel(Protocol):
    """A three-way classifier of claim-abstract pairs."""

    @property
    def name(self) -> str:
        """What the model is called in tables and receipts."""

    @property
    def parameters(self) -> Json:
        """All that decides its output, fit for JSON: for keys of stored values and receipts."""

    def probabilities(self, pairs: Sequence[Pair]) -> Floats:
        """Return the (pairs, labels) probabilities over ``edition.LABELS``; each row sums to 1.

        A row depends on its own pair alone.
        """


@dataclass(frozen=True)
class LabelledPairs:
    """Judged claim-abstract pairs with their texts.

    Attributes:
        pairs: the texts.
        label: (pairs,) position in ``edition.LABELS``.
        claim: (pairs,) a number for each claim, so that a claim's pairs can be kept together.
    """

    pairs: tuple[Pair, ...]
    label: Integers
    claim: Integers

    def __len__(self) -> int:
        return len(self.pairs)

    def part(self, rows: Integers) -> "LabelledPairs":
        """Return these rows alone."""
        chosen = tuple(self.pairs[row] for row in rows.tolist())
        return LabelledPairs(chosen, self.label[rows], self.claim[rows])


def read_labelled_pairs(folder: Path, abstracts: Path) -> LabelledPairs:
    """Read the judged pairs of an edition, such as its training pairs.

    Args:
        folder: holds ``claims.csv`` and ``task1_gold.csv``.
        abstracts: the file of abstracts, in any form that ``texts.read_abstract_texts`` reads.

    Raises:
        GoldError: if the folder's files cannot be used.
        TextError: if the abstracts cannot be read, or lack one that is judged.
    """
    gold = read_gold(folder, tasks=("1",))
    ids = gold.abstract.tolist()
    texts = read_abstract_texts(abstracts, set(ids))
    missing = sorted(set(ids) - texts.keys())
    if missing:
        raise TextError(
            f"{abstracts} lacks {len(missing)} of the {len(set(ids))} abstracts that {folder} "
            f"judges (first: {missing[0]})"
        )
    claims = gold.claims.texts
    pairs = tuple((claims[c], texts[a]) for c, a in zip(gold.claim.tolist(), ids, strict=True))
    return LabelledPairs(pairs, np.asarray(gold.label), np.asarray(gold.claim))
