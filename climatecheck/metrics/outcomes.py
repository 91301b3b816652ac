"""What became of each claim of task 2: exact, right groups, or wrong groups. Never ranked.

Of each evaluated claim, with the set of predicted and the set of gold codes:

- *exact*: the two sets are equal;
- *right group, wrong code*: they differ, but name the same groups;
- *wrong group*: they name different groups (an empty answer names none);

and, beside that, *too few* and *too many*: fewer or more codes than the gold. The first three are
shares of the claims that add up to 1; *errors crossing groups* is the share of the third among
those that are not exact.

Example: gold ``1_1``, ``1_1;2_1``, ``0_0``; predicted ``1_1``, ``1_4;2_1``, nothing: exact 1/3,
right group 1/3, wrong group 1/3, too few 1/3, too many 0, errors crossing groups 1/2.

Source: the shared task's overview paper, section 8 (analysis of task 2).
"""

from dataclasses import dataclass

import numpy as np

from climatecheck import taxonomy
from climatecheck.metrics.counts import Weights, ratio, weighted_sum
from climatecheck.metrics.narratives import NarrativeCounts
from climatecheck.tables import Booleans, Floats


@dataclass(frozen=True)
class OutcomeCounts:
    """(claims,) whether each holds; False throughout for a claim that is not evaluated."""

    evaluated: Booleans
    exact: Booleans
    right_group: Booleans
    wrong_group: Booleans
    too_few: Booleans
    too_many: Booleans


def count(counts: NarrativeCounts) -> OutcomeCounts:
    """Return the outcome of each claim.

    >>> from climatecheck.metrics.example import narrative_gold, narratives
    >>> from climatecheck.metrics import narratives as flat
    >>> truth = narrative_gold("1_1", "1_1;2_1", "0_0")
    >>> found = shares(count(flat.count(narratives("1_1", "1_4;2_1", ""), truth)))
    >>> [f"{name} {value:.2f}" for name, value in found.items()]  # doctest: +NORMALIZE_WHITESPACE
    ['exact 0.33', 'right_group 0.33', 'wrong_group 0.33', 'too_few 0.33', 'too_many 0.00',
     'errors_crossing_groups 0.50']
    """
    predicted, gold = counts.tp | counts.fp, counts.tp | counts.fn
    same_groups = (groups_of(predicted) == groups_of(gold)).all(axis=1)
    exact = counts.exact
    difference = predicted.sum(axis=1) - gold.sum(axis=1)
    return OutcomeCounts(
        evaluated=counts.evaluated,
        exact=exact,
        right_group=counts.evaluated & same_groups & ~exact,
        wrong_group=counts.evaluated & ~same_groups,
        too_few=counts.evaluated & (difference < 0),
        too_many=counts.evaluated & (difference > 0),
    )


def shares(counts: OutcomeCounts, weights: Weights = None) -> dict[str, Floats]:
    """Return each outcome as a share of the evaluated claims; NaN without any.

    ``errors_crossing_groups`` is a share of the claims that are not exact; NaN if all are.
    """
    names = ("exact", "right_group", "wrong_group", "too_few", "too_many")
    sums = {name: weighted_sum(getattr(counts, name), weights) for name in names}
    claims = weighted_sum(counts.evaluated, weights)
    found = {name: ratio(value, claims, undefined=np.nan) for name, value in sums.items()}
    errors = sums["right_group"] + sums["wrong_group"]
    found["errors_crossing_groups"] = ratio(sums["wrong_group"], errors, undefined=np.nan)
    return found


def groups_of(codes: Booleans) -> Booleans:
    """Return (claims, groups) which of ``taxonomy.GROUPS`` the codes of each claim belong to.

    Args:
        codes: (claims, codes) an indicator matrix over ``taxonomy.CODES``.
    """
    member = [
        [taxonomy.group_of(code) == group for group in taxonomy.GROUPS] for code in taxonomy.CODES
    ]
    return codes.astype(np.float32) @ np.array(member, dtype=np.float32) > 0
