"""Reference part (c): sentences as facts, supported where a sentence of the other is similar.

An offline approximation: it sees shared words, not what is said with them, so that a contradiction
counts as support. It is no ranking of systems.
"""

import re
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from baselines.libraries import load
from baselines.texts import sentences
from organiser.ev2r.facts import Counts
from organiser.ev2r.recipe import REFERENCE, Recipe, digest
from organiser.ev2r.work import Queue

VERSION = 1
THRESHOLD = 0.15
"""The least cosine of two sentences at which the one supports the other."""

_AT_ONCE = 512
_DIGITS = 9
"""Cosines are rounded to so many decimals: the last bits depend on what shares a matrix."""
_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?")


class LexicalJudge:
    """Counts similar sentences.

    Args:
        background: the texts from which rarity of words is learnt: all gold abstracts, which are
            the same for all systems.
        threshold: see ``THRESHOLD``.
    """

    def __init__(self, background: Sequence[str], *, threshold: float = THRESHOLD) -> None:
        self._background = sorted(set(background))
        self._threshold = threshold
        parameters = {
            "threshold": threshold,
            "background": digest("\0".join(self._background), 16),
            "stemmer": f"english, PyStemmer {_version('PyStemmer')}",
            "stop_words": f"scikit-learn {_version('scikit-learn')}",
        }
        self.recipe = Recipe(
            REFERENCE, "lexical", VERSION, "", parameters=parameters, approximation=True
        )

    def work(self, queue: Queue) -> None:
        """Count for every job."""
        for jobs in queue.batches(_AT_ONCE):
            queue.settle(jobs, self.counts([(job.a, job.b) for job in jobs]))

    def counts(self, pairs: Sequence[tuple[str, str]]) -> list[Counts]:
        """Return the counts of pairs of a retrieved and a gold abstract; each on its own."""
        matrices = self._matrices(list(dict.fromkeys(text for pair in pairs for text in pair)))
        return [self._count(matrices[a], matrices[b]) for a, b in pairs]

    def tokens(self, a: str, b: str) -> None:
        """Return None: nothing is asked."""

    def _count(self, a: Any, b: Any) -> Counts:
        if not a.shape[0] or not b.shape[0]:
            return Counts(a.shape[0], 0, b.shape[0], 0)
        similar = np.round((a @ b.T).toarray(), _DIGITS) >= self._threshold
        supported = similar.any(axis=1).sum(), similar.any(axis=0).sum()
        return Counts(a.shape[0], int(supported[0]), b.shape[0], int(supported[1]))

    def _matrices(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return for each text its (sentences, words) matrix, rows of length 1."""
        sparse = load("scipy.sparse", extra="baselines")
        parts = [[_words(sentence) for sentence in sentences(text)] for text in texts]
        flat = [words for part in parts for words in part]
        column = {word: i for i, word in enumerate(dict.fromkeys(w for ws in flat for w in ws))}
        counts = sparse.csr_matrix(
            (
                np.ones(sum(map(len, flat))),
                [column[word] for words in flat for word in words],
                np.concatenate([[0], np.cumsum([len(words) for words in flat])]).astype(int),
            ),
            shape=(len(flat), len(column)),
        )
        counts.sum_duplicates()
        counts.data = 1 + np.log(counts.data)
        weighted = counts.multiply(np.array([[self._rarity(word) for word in column]])).tocsr()
        length = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
        unit = sparse.diags(1 / np.where(length == 0, 1, length)) @ weighted
        ends = np.cumsum([len(part) for part in parts])
        return {
            text: unit[end - len(part) : end]
            for text, part, end in zip(texts, parts, ends.tolist(), strict=True)
        }

    def _rarity(self, word: str) -> float:
        known, total = self._known
        return float(np.log((1 + total) / (1 + known.get(word, 0))) + 1)

    @cached_property
    def _known(self) -> tuple[dict[str, int], int]:
        """In how many sentences of the background each word stands, and how many there are."""
        seen: dict[str, int] = {}
        total = 0
        for text in self._background:
            for sentence in sentences(text):
                total += 1
                for word in set(_words(sentence)):
                    seen[word] = seen.get(word, 0) + 1
        return seen, total


def _version(package: str) -> str:
    """Return the version of an installed package; it decides stems and stop words."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"  # what needs it says so


def _words(sentence: str) -> list[str]:
    """Return the stems of a sentence's content words, and its numbers."""
    stop, stem = _language()
    made: list[str] = stem([word for word in _WORD.findall(sentence.lower()) if word not in stop])
    return made


@lru_cache
def _language() -> tuple[frozenset[str], Callable[[list[str]], list[str]]]:
    """Return English stop words, and what turns words into stems."""
    text = load("sklearn.feature_extraction.text", extra="baselines")
    return text.ENGLISH_STOP_WORDS, load("Stemmer", extra="baselines").Stemmer("english").stemWords
