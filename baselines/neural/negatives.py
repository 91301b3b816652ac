"""Examples for a bi-encoder: a claim, an abstract that is evidence for it, and some that are not.

Hard negatives are first the abstracts judged *Not Enough Information* for the claim, then those
that the first stage ranks high. Of the latter the very best are passed over: nobody judged them,
and some are evidence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from baselines.neural.pipeline import Ranking
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import Booleans, Gold

PER_EXAMPLE = 3
PASSED_OVER = 10
LOWEST_RANK = 200


@dataclass(frozen=True)
class Example:
    """What one step learns from one pair.

    Attributes:
        claim: its text.
        evidence: an evidentiary abstract of it, by id.
        negatives: abstracts that are none, by id.
        all_evidence: every evidentiary abstract of the claim: none of them is a negative, whichever
            claim of the batch it belongs to.
    """

    claim: str
    evidence: int
    negatives: tuple[int, ...]
    all_evidence: frozenset[int]


def examples(
    gold: Gold,
    rankings: Mapping[int, Ranking],
    *,
    keep: Booleans | None = None,
    per_example: int = PER_EXAMPLE,
    passed_over: int = PASSED_OVER,
    seed: int = 0,
) -> list[Example]:
    """Return an example for each judged evidentiary pair.

    Args:
        gold: the judged pairs.
        rankings: the first stage's ranking of each claim, by position.
        keep: (claims,) which claims to learn from; None keeps all.
        per_example: hard negatives of an example; fewer if there are fewer.
        passed_over: ranks that give no negatives.
        seed: of their choice.
    """
    chance = np.random.default_rng(seed)
    evidentiary = is_evidentiary(gold.label)
    made = []
    for claim, text in enumerate(gold.claims.texts):
        if keep is not None and not keep[claim]:
            continue
        of_claim = gold.claim == claim
        evidence = gold.abstract[of_claim & evidentiary].tolist()
        judged = gold.abstract[of_claim & ~evidentiary].tolist()
        mined = _mined(rankings.get(claim, []), {*evidence, *judged}, passed_over)
        for one in evidence:
            first = chance.permutation(judged).tolist()
            rest = chance.permutation(mined).tolist()
            chosen = tuple(int(id_) for id_ in (*first, *rest)[:per_example])
            made.append(Example(text, one, chosen, frozenset(evidence)))
    return made


def _mined(ranking: Sequence[int], judged: set[int], passed_over: int) -> list[int]:
    return [id_ for id_ in ranking[passed_over:LOWEST_RANK] if id_ not in judged]
