"""Near-duplicates: what the blocks find is what comparing all with all finds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from organiser.dataset.near import near_pairs, similarity, words_of

TEXTS = st.lists(st.frozensets(st.sampled_from("abcdefghijkl"), max_size=10), max_size=12)


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS, st.sampled_from([0.55, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9, 1.0]))
def test_all_pairs_are_found_and_no_other(
    left: list[frozenset[str]], right: list[frozenset[str]], threshold: float
) -> None:
    expected = [
        (i, j, similarity(a, b))
        for i, a in enumerate(left)
        for j, b in enumerate(right)
        if similarity(a, b) >= threshold - 1e-9
    ]
    assert near_pairs(left, right, threshold) == (expected, [])


def test_the_threshold_counts_words() -> None:
    """Of six words one changed: 5 shared of 7, .714; of five one changed: 4 of 6, .667."""
    six = words_of("we are all doomed very soon"), words_of("we are all doomed very slowly")
    five = words_of("we are all doomed soon"), words_of("we are all doomed slowly")
    assert near_pairs([six[0]], [six[1]]) == ([(0, 0, pytest.approx(5 / 7))], [])
    assert near_pairs([five[0]], [five[1]]) == ([], [])


def test_words_that_everybody_has_are_named_and_not_compared() -> None:
    """1,100 texts of a template on each side are 1.2 million pairs, all above the threshold."""
    left = [words_of(f"the claim number a{i} says nothing new at all") for i in range(1_100)]
    right = [words_of(f"the claim number b{i} says nothing new at all") for i in range(1_099)]
    right.append(words_of("the claim number a7 says nothing new at all"))
    pairs, skipped = near_pairs(left, right)
    assert (7, 1_099, 1.0) in pairs
    assert len(pairs) < 1_000
    assert "all at" in skipped
