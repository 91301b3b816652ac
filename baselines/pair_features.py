"""What a linear model can see of a claim-abstract pair without knowing the language.

How much of the claim the abstract and its sentences say (TF-IDF of words and of character
n-grams, overlap of words and numbers), cues of negation, contrast, direction and doubt on both
sides, and the words of the claim and of the sentence that is nearest to it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from baselines.libraries import load
from baselines.pair_model import Pair
from baselines.texts import sentences
from climatecheck.tables import Floats, Integers

CUES = {
    "negation": (
        r"no|not|never|none|neither|nor|cannot|without|\w+n['\u2019]t|hardly|fail(?:s|ed)?|absent|"
        r"absence|lack\w*"
    ),
    "contrast": (
        r"however|but|contrary|contradict\w*|although|despite|instead|unlike|whereas|"
        r"nevertheless|inconsistent|refut\w*|reject\w*|false|wrong|incorrect|misconception|"
        r"myth|misleading|unsupported|overstate\w*"
    ),
    "agreement": (
        r"confirm\w*|consistent|agree\w*|support\w*|evidence|demonstrat\w*|show\w*|robust|"
        r"attribut\w*|caus\w*|because"
    ),
    "up": (
        r"increas\w*|ris(?:e|es|en|ing)|rose|grow\w*|grew|more|higher|larger|warm\w*|"
        r"accelerat\w*|worsen\w*|gain\w*|exceed\w*"
    ),
    "down": (
        r"decreas\w*|declin\w*|fall\w*|fell|drop\w*|fewer|less|lower|smaller|cool\w*|shrink\w*|"
        r"shrank|reduc\w*|loss\w*|los(?:e|es|t|ing)|slow\w*"
    ),
    "doubt": (
        r"may|might|could|uncertain\w*|unclear|unknown|unresolved|possibl\w*|disagree\w*|"
        r"depend\w*|beyond the scope|not (?:assess|examin|consider|analy[sz])\w*"
    ),
    "scepticism": (
        r"hoax|scam|fraud|alarmis\w*|myth|lie[sd]?|lying|fake\w*|natural\w*|nonsense|hysteria|"
        r"so-called|agenda|cult|religion|propaganda|cycles?|always|sun|solar"
    ),
}
"""Word lists by what they hint at; each is a regular expression between word boundaries."""

_PATTERNS = [re.compile(rf"\b(?:{cue})\b", re.IGNORECASE) for cue in CUES.values()]
_NAMES = list(CUES)
_WORD = re.compile(r"[a-z0-9]+(?:['\u2019][a-z]+)?")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MOST = 3
_RAREST = 2
_DENSE_WEIGHT = 0.3


class PairFeatures:
    """Turns pairs into a sparse matrix; learns vocabularies and scales from training pairs.

    Args:
        pairs: training pairs.
        context: what else is known of each claim, by its text: further columns, and all measures
            once more where the first number is 0. None adds nothing.

    Attributes:
        training: the matrix of the training pairs.

    Raises:
        ValueError: if the pairs hold too few words.
    """

    def __init__(self, pairs: Sequence[Pair], context: Mapping[str, Floats] | None = None) -> None:
        self._context = context
        vectorizer = load("sklearn.feature_extraction.text", extra="baselines").TfidfVectorizer
        scaler = load("sklearn.preprocessing", extra="baselines").StandardScaler
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        self._similarities = [
            _fitted(vectorizer(sublinear_tf=True, stop_words="english"), texts),
            _fitted(vectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5)), texts),
        ]
        dense, nearest = self._measured(pairs)
        self._scale = scaler().fit(dense)
        self._claim_words, self._nearest_words = (
            _fitted(vectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=_RAREST), of)
            for of in ([claim for claim, _ in pairs], nearest)
        )
        self.training = self._joined(pairs, dense, nearest)

    def matrix(self, pairs: Sequence[Pair]) -> Any:
        """Return the sparse (pairs, features) matrix; a row depends on its own pair alone."""
        return self._joined(pairs, *self._measured(pairs))

    def _joined(self, pairs: Sequence[Pair], dense: Floats, nearest: Sequence[str]) -> Any:
        sparse = load("scipy.sparse", extra="baselines")
        measures = self._scale.transform(dense) * _DENSE_WEIGHT
        parts = [
            sparse.csr_matrix(measures),
            self._claim_words.transform([claim for claim, _ in pairs]),
            self._nearest_words.transform(nearest),
        ]
        if self._context is not None:
            known = np.array([self._context[claim] for claim, _ in pairs])
            parts += map(sparse.csr_matrix, (known, measures * (known[:, :1] == 0)))
        return sparse.hstack(parts).tocsr()

    def _measured(self, pairs: Sequence[Pair]) -> tuple[Floats, list[str]]:
        """Return the (pairs, measures) array, and each pair's sentence nearest to its claim."""
        parts = [sentences(abstract) or [""] for _, abstract in pairs]
        counts = np.array([len(part) for part in parts], dtype=np.int64)
        whole, single = self._cosines(pairs, parts, counts)
        ends = np.cumsum(counts)
        rows, nearest = [], []
        for i, (claim, abstract) in enumerate(pairs):
            of_pair = single[ends[i] - counts[i] : ends[i]]
            best = parts[i][int(np.argmax(of_pair.sum(axis=1)))]
            nearest.append(best)
            shown = [claim, best, abstract, parts[i][-1]]
            rows.append([*whole[i], *_spread(of_pair), *_overlaps(*shown[:3]), *_cues(shown)])
        return np.array(rows, dtype=np.float64), nearest

    def _cosines(
        self, pairs: Sequence[Pair], parts: Sequence[Sequence[str]], counts: Integers
    ) -> tuple[Floats, Floats]:
        """Return the claims' similarity to abstracts, (pairs, 2), and sentences, (sentences, 2)."""
        owner = np.repeat(np.arange(len(pairs)), counts)
        flat = [sentence for part in parts for sentence in part]
        whole, single = [], []
        for vectorizer in self._similarities:
            claims = vectorizer.transform([claim for claim, _ in pairs])
            abstracts = vectorizer.transform([abstract for _, abstract in pairs])
            whole.append(_row_products(claims, abstracts))
            single.append(_row_products(claims[owner], vectorizer.transform(flat)))
        return np.stack(whole, axis=1), np.stack(single, axis=1)


def _fitted(vectorizer: Any, texts: Sequence[str]) -> Any:
    try:
        return vectorizer.fit(texts)
    except ValueError as error:
        raise ValueError("the training pairs hold too few words to learn from") from error


def _row_products(left: Any, right: Any) -> Floats:
    products: Floats = np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()
    return products


def _spread(similarity: Floats) -> list[float]:
    """Return maximum, mean of the highest three, first and last of the (sentences, 2) array."""
    highest = np.sort(similarity, axis=0)[-3:].mean(axis=0)
    return [*similarity.max(axis=0), *highest, *similarity[0], *similarity[-1]]


def _overlaps(claim: str, nearest: str, abstract: str) -> list[float]:
    words, numbers = set(_WORD.findall(claim.lower())), set(_NUMBER.findall(claim))
    return [
        _share(words, set(_WORD.findall(abstract.lower()))),
        _share(words, set(_WORD.findall(nearest.lower()))),
        _share(numbers, set(_NUMBER.findall(abstract))),
        float(bool(numbers)),
        float(np.log1p(len(claim))),
        float(np.log1p(len(abstract))),
        float("?" in claim),
        float("!" in claim),
    ]


def _share(asked: set[str], given: set[str]) -> float:
    return len(asked & given) / len(asked) if asked else 0.0


def _cues(texts: Sequence[str]) -> list[float]:
    """Return counts of each cue, and where claim and abstract point apart.

    Args:
        texts: the claim, the sentence nearest to it, the abstract, the abstract's last sentence.
    """
    counts = [[len(pattern.findall(text)) for text in texts] for pattern in _PATTERNS]
    made: list[float] = []
    for claim, nearest, abstract, last in counts:
        made += [min(claim, _MOST), min(nearest, _MOST), float(np.log1p(abstract))]
        made.append(min(last, _MOST))
    of = dict(zip(_NAMES, counts, strict=True))
    sceptical = of["scepticism"][0] > 0
    for text in (1, 3):
        turn = [up - down for up, down in zip(of["up"], of["down"], strict=True)]
        made += [
            float((of["negation"][0] > 0) != (of["negation"][text] > 0)),
            float(np.sign(turn[0] * turn[text])),
            *(float(sceptical and of[cue][text] > 0) for cue in ("contrast", "negation")),
            float(sceptical and of["agreement"][text] > 0),
        ]
    return made
