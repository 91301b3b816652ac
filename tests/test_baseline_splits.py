"""Parts of a claim set: near-duplicates together, strata even, whatever the order of a file."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from baselines.splits import SIMILARITY, development, near_duplicates, part_of, parts
from baselines.words import words
from climatecheck import edition, read_gold
from climatecheck.tables import Gold

TRAIN = Path(__file__).resolve().parents[1] / "starting_kit" / "data" / "train"


def similarity(one: str, other: str) -> float:
    a, b = set(words(one)), set(words(other))
    return len(a & b) / len(a | b) if a | b else 0.0


def random_texts(count: int, seed: int) -> list[str]:
    """Texts of few words, so that many are alike."""
    chance = np.random.default_rng(seed)
    return [
        " ".join(f"w{word}" for word in chance.integers(12, size=chance.integers(1, 7)))
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("least", [0.3, SIMILARITY, 0.8, 1.0])
def test_near_duplicates_are_those_of_all_pairs(seed: int, least: float) -> None:
    texts = random_texts(60, seed)
    group = near_duplicates(texts, least)
    leader = list(range(len(texts)))  # closure over all pairs, the slow way
    for i, j in combinations(range(len(texts)), 2):
        if similarity(texts[i], texts[j]) >= least:
            old, new = leader[j], leader[i]
            leader = [new if one == old else one for one in leader]
    for i, j in combinations(range(len(texts)), 2):
        assert (group[i] == group[j]) == (leader[i] == leader[j])


def test_texts_without_words_are_no_duplicates() -> None:
    assert len(set(near_duplicates(["", "🌍", "…"]).tolist())) == 3


def test_no_group_is_torn_and_strata_are_spread() -> None:
    texts = random_texts(200, 7)
    strata = np.random.default_rng(1).random((200, 4)) < [0.5, 0.2, 0.05, 0.02]
    part = parts(texts, strata)
    group = near_duplicates(texts)
    assert all(len(set(part[group == one].tolist())) == 1 for one in range(group.max() + 1))


def test_strata_are_even_where_groups_allow() -> None:
    texts = [f"a{i} b{i} c{i}" for i in range(100)]
    strata = np.zeros((100, 3), dtype=np.bool_)
    strata[:50, 0] = strata[50:60, 1] = strata[60:63, 2] = True
    part = parts(texts, strata)
    assert np.bincount(part).tolist() == [20] * 5
    of_part = np.array([strata[part == one].sum(axis=0) for one in range(5)])
    assert of_part[:, 0].tolist() == [10] * 5
    assert of_part[:, 1].tolist() == [2] * 5
    assert sorted(of_part[:, 2].tolist()) == [0, 0, 1, 1, 1]


def test_the_order_of_the_texts_has_no_effect() -> None:
    texts = list(dict.fromkeys(random_texts(80, 3)))
    strata = np.random.default_rng(2).random((len(texts), 3)) < 0.3
    order = np.random.default_rng(4).permutation(len(texts))
    moved = parts([texts[i] for i in order], strata[order])
    assert moved.tolist() == parts(texts, strata)[order].tolist()


@pytest.fixture(scope="module")
def gold() -> Gold:
    return read_gold(TRAIN)


def test_the_development_split_of_the_sample(gold: Gold) -> None:
    held = development(gold)
    assert 0.15 < held.mean() < 0.25
    dev, rest = part_of(gold, held), part_of(gold, ~held)
    assert not set(dev.claims.ids) & set(rest.claims.ids)
    assert set(dev.claims.ids) | set(rest.claims.ids) == set(gold.claims.ids)
    for one in dev.claims.texts:
        assert max(similarity(one, other) for other in rest.claims.texts) < SIMILARITY
    for label in range(len(edition.LABELS)):
        share = (dev.label == label).sum() / (gold.label == label).sum()
        assert 0.1 < share < 0.35
    support = gold.narratives.codes.sum(axis=0)
    assert np.all(np.abs(dev.narratives.codes.sum(axis=0) - support / 5) <= 1)


def test_part_of_a_gold_keeps_each_claims_own(gold: Gold) -> None:
    chosen = np.zeros(len(gold.claims), dtype=np.bool_)
    chosen[[3, 8]] = True
    part = part_of(gold, chosen)
    assert part.claims.ids == (gold.claims.ids[3], gold.claims.ids[8])
    for new, old in enumerate((3, 8)):
        assert (
            part.abstract[part.claim == new].tolist() == gold.abstract[gold.claim == old].tolist()
        )
        assert part.label[part.claim == new].tolist() == gold.label[gold.claim == old].tolist()
    expected = gold.narratives.dense(len(gold.claims))[chosen]
    assert np.array_equal(part.narratives.dense(2), expected)
