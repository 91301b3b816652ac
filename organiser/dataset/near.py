"""Claims of two sets that are nearly the same: the words that they share.

Two texts are near-duplicates if the Jaccard similarity of their sets of words (shared words over
all words) reaches a threshold. All such pairs are found without comparing all with all. If the
similarity is at least t, A and B share at least ``ceil(t |A|)`` words. Then the two rarest of these
are among the ``|A| - ceil(t |A|) + 2`` rarest words of A, and likewise of B: one fewer come before
the second of them. So only texts are compared that have two of their rarest words in common (prefix
filtering: Bayardo, Ma and Srikant 2007; with two words: Wang, Li and Feng 2012).
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

THRESHOLD = 0.7
"""One word of six changed, or two of twelve."""

_Block: TypeAlias = tuple[str, ...]

_LINK_OR_NAME = re.compile(r"https?://\S+|www\.\S+|(?<!\w)@\w+")
_WORD = re.compile(r"\w+")
_BLANKED = {i: " " for i in range(128) if not _WORD.match(chr(i))}
_ALWAYS_COMPARED = 1_000_000
_MOST_IN_A_BLOCK = 100_000
_MOST_COMPARED = 3_000_000
_ROUNDING = 1e-9


def wording(text: str) -> list[str]:
    """Return the words of a text in order; case, punctuation, links and @names do not count.

    >>> wording("@you CO2 is GOOD, see https://a.example/b")
    ['co2', 'is', 'good', 'see']
    """
    plain = text.isascii()
    folded = text.lower() if plain else unicodedata.normalize("NFKC", text).casefold()
    if "@" in folded or "http" in folded or "www." in folded:
        folded = _LINK_OR_NAME.sub(" ", folded)
    return folded.translate(_BLANKED).split() if plain else _WORD.findall(folded)


def words_of(text: str) -> frozenset[str]:
    """Return the set of a text's words.

    >>> sorted(words_of("No, no ice!"))
    ['ice', 'no']
    """
    return frozenset(wording(text))


def similarity(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets of words; 0 if both are empty.

    >>> similarity(frozenset("abc"), frozenset("bcd"))
    0.5
    """
    together = len(a | b)
    return len(a & b) / together if together else 0.0


def near_pairs(
    left: Sequence[frozenset[str]], right: Sequence[frozenset[str]], threshold: float = THRESHOLD
) -> tuple[list[tuple[int, int, float]], list[str]]:
    """Return all pairs whose similarity reaches the threshold, and the words not looked at.

    Args:
        left: the words of each text of one set.
        right: those of the other.
        threshold: above 0.5.

    Returns:
        Place in ``left``, place in ``right`` and similarity of each pair, in order; and words
        (mostly two together) that so many texts of both sets have that texts which share no rarer
        ones were not compared. With up to a million possible pairs there are none of these.

    >>> near_pairs([words_of("the sea is not rising")], [words_of("The sea is NOT rising now")])
    ([(0, 0, 0.8333333333333334)], [])
    """
    counts = Counter(word for side in (left, right) for words in side for word in words)
    order = sorted(counts, key=lambda word: (counts[word], word))
    rank = {word: place for place, word in enumerate(order)}
    others = _blocks(right, rank, order, threshold)
    blocks = _blocks(left, rank, order, threshold, only=others)
    limited = len(left) * len(right) > _ALWAYS_COMPARED
    found: dict[tuple[int, int], float] = {}
    compared, skipped = 0, []
    for block, places in others.items():
        work = len(places) * len(blocks.get(block, ()))
        if limited and (work > _MOST_IN_A_BLOCK or compared + work > _MOST_COMPARED):
            skipped.append(" ".join(block))
            continue
        compared += work
        for j in places if work else ():
            for i in _similar(right[j], left, blocks[block], threshold):
                found[i, j] = similarity(left[i], right[j])
    return [(i, j, value) for (i, j), value in sorted(found.items())], sorted(skipped)


def _similar(
    one: frozenset[str], texts: Sequence[frozenset[str]], places: Sequence[int], threshold: float
) -> Iterator[int]:
    """Yield the places of texts that reach the threshold; the loop that takes the time."""
    size = len(one)
    least, most = threshold * size - _ROUNDING, size / threshold + _ROUNDING
    for place in places:
        other = texts[place]
        if least <= len(other) <= most:
            common = len(one & other)
            if common >= threshold * (size + len(other) - common) - _ROUNDING:
                yield place


def _blocks(
    texts: Sequence[frozenset[str]],
    rank: dict[str, int],
    order: Sequence[str],
    threshold: float,
    only: Container[_Block] | None = None,
) -> dict[_Block, list[int]]:
    """Return the texts by each two of their rarest words; a text of one word by that.

    Args:
        texts: the words of each.
        rank: of each word, the rarest first.
        order: the words by rank.
        threshold: of the similarity.
        only: the blocks that are wanted; None for all.
    """
    blocks: dict[_Block, list[int]] = defaultdict(list)
    for place, words in enumerate(texts):
        if not words:
            continue
        # Rounding errors never make the number of words to share too large.
        least = math.ceil(threshold * len(words) - _ROUNDING)
        rarest = [order[i] for i in sorted(map(rank.__getitem__, words))[: len(words) - least + 2]]
        for block in combinations(rarest, 2) if len(rarest) > 1 else [tuple(rarest)]:
            if only is None or block in only:
                blocks[block].append(place)
    return blocks
