"""Parts of a set of claims that can be held back: near-duplicates together, strata spread evenly.

Needs numpy alone. What a claim is held back with depends on the texts and strata alone, not on
the order of a file.
"""

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from baselines.words import words
from climatecheck import edition
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import Booleans, Claims, Gold, Integers, Task2

PARTS = 5
"""How many parts claims are cut into; the development split is the first of them."""

SIMILARITY = 0.5
"""From this Jaccard similarity of their sets of words on, two texts are near-duplicates."""


def development(gold: Gold) -> Booleans:
    """Return which claims are held back as the development split: about a fifth of them.

    Narrative codes, and whether a claim has evidence for each evidentiary label, are spread evenly.
    """
    claims = len(gold.claims)
    labels = np.zeros((claims, len(edition.LABELS)), dtype=np.bool_)
    labels[gold.claim, gold.label] = True
    evidence = labels[:, is_evidentiary(np.arange(len(edition.LABELS)))]
    strata = np.hstack([gold.narratives.dense(claims), evidence])
    return np.asarray(parts(gold.claims.texts, strata) == 0)


def parts(texts: Sequence[str], strata: Booleans, count: int = PARTS) -> Integers:
    """Return the part, from 0, that each text belongs to.

    Groups of near-duplicates go, those with the rarest stratum first, to the part that has fewest
    texts of that stratum, and of these to the smallest (after Sechidis et al. 2011, "On the
    Stratification of Multi-Label Data").

    Args:
        texts: what to part.
        strata: (texts, strata) what should be spread evenly; a text may have several or none.
        count: how many parts.

    >>> made = parts(["a b", "a b c", "d e", "f g"], np.ones((4, 1), bool), 2)
    >>> bool(made[0] == made[1]), np.bincount(made).tolist()
    (True, [2, 2])
    """
    group = near_duplicates(texts)
    sizes = np.bincount(group)
    support = strata.sum(axis=0)
    of_group = np.zeros((len(sizes), strata.shape[1]), dtype=np.int64)
    np.add.at(of_group, group, strata)
    rarest = np.where(of_group > 0, support, len(texts) + 1)
    names = _names(texts, group)

    def turn(one: int) -> tuple[int, int, str]:
        return int(rarest[one].min(initial=len(texts) + 1)), -int(sizes[one]), names[one]

    filled, have = np.zeros(count, np.int64), np.zeros((count, strata.shape[1]), np.int64)
    part_of_group = np.zeros(len(sizes), dtype=np.int64)
    for one in sorted(range(len(sizes)), key=turn):
        stratum = have[:, rarest[one].argmin()] if of_group[one].any() else filled
        part = int(np.lexsort((filled, stratum))[0])
        part_of_group[one] = part
        filled[part] += sizes[one]
        have[part] += of_group[one]
    return np.asarray(part_of_group[group])


def near_duplicates(texts: Sequence[str], similarity: float = SIMILARITY) -> Integers:
    """Return a group number for each text; near-duplicates, and theirs in turn, share a group.

    Pairs are found through their rarest words, which two similar sets must share (Chaudhuri et al.
    2006, "A Primitive Operator for Similarity Joins in Data Cleaning").

    >>> near_duplicates(["Ice melts fast", "The ice is thick", "ice melts FAST!", ""]).tolist()
    [0, 1, 0, 2]
    """
    sets = [frozenset(words(text)) for text in texts]
    rarity = Counter(word for of_text in sets for word in of_text)
    leader = list(range(len(sets)))
    holders: dict[str, list[int]] = defaultdict(list)
    for i, of_text in enumerate(sets):
        ordered = sorted(of_text, key=lambda word: (rarity[word], word))
        rare = ordered[: len(ordered) - math.ceil(similarity * len(ordered)) + 1]
        for j in sorted({j for word in rare for j in holders[word]}):
            if len(of_text & sets[j]) >= similarity * len(of_text | sets[j]):
                first, second = sorted((_leader(leader, i), _leader(leader, j)))
                leader[second] = first
        for word in rare:
            holders[word].append(i)
    leaders = [_leader(leader, i) for i in range(len(sets))]
    return np.unique(np.array(leaders, dtype=np.int64), return_inverse=True)[1].reshape(-1)


def _leader(leader: list[int], of: int) -> int:
    while leader[of] != of:
        leader[of] = leader[leader[of]]
        of = leader[of]
    return of


def _names(texts: Sequence[str], group: Integers) -> list[str]:
    """Return a name for each group, made from its texts in any order."""
    of_group: dict[int, list[str]] = defaultdict(list)
    for number, text in zip(group.tolist(), texts, strict=True):
        of_group[number].append(hashlib.sha256(text.encode()).hexdigest())
    return ["".join(sorted(of_group[number])) for number in range(len(of_group))]


def part_of(gold: Gold, chosen: Booleans) -> Gold:
    """Return the gold of some claims alone, and these claims alone.

    Args:
        gold: the gold of all.
        chosen: (claims,).
    """
    place = np.cumsum(chosen) - 1
    kept = np.flatnonzero(chosen).tolist()
    ids = tuple(gold.claims.ids[i] for i in kept)
    texts = tuple(gold.claims.texts[i] for i in kept)
    pairs, rows = chosen[gold.claim], chosen[gold.narratives.claim]
    return Gold(
        Claims(ids, texts, gold.claims.twice & set(ids)),
        place[gold.claim[pairs]],
        gold.abstract[pairs],
        gold.label[pairs],
        Task2(place[gold.narratives.claim[rows]], gold.narratives.codes[rows]),
        gold.digest,
    )
