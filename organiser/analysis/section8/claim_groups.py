"""Which claims belong to which narrative group."""

import numpy as np

from climatecheck import taxonomy
from climatecheck.tables import Booleans, Gold
from organiser.reporting.parts import Column

GROUPS = tuple(taxonomy.GROUPS)

NAMES_NOTE = "Groups: " + "; ".join(f"{key} {name}" for key, name in taxonomy.GROUPS.items()) + "."
MEMBER_NOTE = (
    "A claim counts in each group that one of its gold codes belongs to, so the groups' claims "
    "can add up to more than all claims."
)


def members(gold: Gold) -> Booleans:
    """Return (groups, claims) whether one of the claim's gold codes belongs to the group.

    >>> from climatecheck.metrics.example import narrative_gold
    >>> members(narrative_gold("1_1;2_0", "0_0"))[:3].astype(int).tolist()
    [[0, 1], [1, 0], [1, 0]]
    """
    codes = gold.narratives.dense(len(gold.claims))
    group = np.array([taxonomy.group_of(code) for code in taxonomy.CODES])
    return np.array([codes[:, group == key].any(axis=1) for key in GROUPS])


def columns(precision: int = 3) -> tuple[Column, ...]:
    """Return a column for each group."""
    return tuple(Column(f"Group {key}", precision) for key in GROUPS)


def titled(key: str) -> str:
    """Return a group's number and name.

    >>> titled("1")
    '1 Global warming is not happening'
    """
    return f"{key} {taxonomy.GROUPS[key]}"
