"""Claims of two sets that are nearly the same: the words that they share.

Two texts are near-duplicates if the Jaccard similarity of their sets of words (shared words over
all words) reaches a threshold. All such pairs are found without comparing all with all: if the
similarity is at least t, the ``|A| - ceil(t |A|) + 1`` rarest words of A and those of B have one in
common (prefix filtering; Bayardo, Ma and Srikant 2007).
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

THRESHOLD = 0.7
"""One word of six changed, or two of twelve."""

_LINK_OR_NAME = re.compile(r"https?://\S+|www\.\S+|(?<!\w)@\w+")
_WORD = re.compile(r"\w+")
_MOST_COMPARED = 10_000_000
_ROUNDING = 1e-9


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text; case, punctuation, links and @names do not count.

    >>> sorted(words_of("@you CO2 is GOOD, see https://a.example/b"))
    ['co2', 'good', 'is', 'see']
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return frozenset(_WORD.findall(_LINK_OR_NAME.sub(" ", folded)))


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
        threshold: above 0.

    Returns:
        Place in ``left``, place in ``right`` and similarity of each pair, in order; and the words
        shared by so many texts of both sides that texts which share no rarer word were not
        compared.

    >>> near_pairs([words_of("the sea is not rising")], [words_of("The sea is NOT rising now")])
    ([(0, 0, 0.8333333333333334)], [])
    """
    counts = Counter(word for side in (left, right) for words in side for word in words)
    blocks = _blocks(left, counts, threshold)
    others = _blocks(right, counts, threshold)
    shared = sorted(blocks.keys() & others.keys(), key=lambda w: (counts[w], w))
    found: dict[tuple[int, int], float] = {}
    compared, skipped = 0, []
    for word in shared:
        work = len(blocks[word]) * len(others[word])
        if compared + work > _MOST_COMPARED:
            skipped.append(word)
            continue
        compared += work
        for i in blocks[word]:
            for j in _similar(left[i], right, others[word], threshold):
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
    texts: Sequence[frozenset[str]], counts: Counter[str], threshold: float
) -> dict[str, list[int]]:
    """Return, for each word, the texts among whose rarest words it is."""
    blocks: dict[str, list[int]] = defaultdict(list)
    for place, words in enumerate(texts):
        rarest = sorted(words, key=lambda word: (counts[word], word))
        for word in rarest[: len(words) - _least(threshold, len(words)) + 1]:
            blocks[word].append(place)
    return blocks


def _least(threshold: float, size: int) -> int:
    """Return how many words a similar text must share; rounding errors never make it more."""
    return max(1, math.ceil(threshold * size - _ROUNDING))
