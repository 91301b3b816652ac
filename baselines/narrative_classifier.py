"""The embedded narrative classifier: one-vs-rest linear models on words and character n-grams.

Linear support vector machines see every code as often as any other, however rare; thresholds are
chosen by cross-validation over the training texts, near-duplicates together. A document a code
(``narrative_descriptions``) stands in for codes without examples. It needs scikit-learn, and is
trained in seconds.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.libraries import load
from baselines.narrative_descriptions import described
from baselines.splits import PARTS, parts
from baselines.thresholds import macro_f1, only_best, several, thresholds
from climatecheck import taxonomy
from climatecheck.tables import Booleans, Floats, Integers

STRENGTH = 0.5
"""Inverse strength of the L2 penalty."""

_GROUP_NAMES = tuple(taxonomy.GROUPS)
_UNSEEN = -1.0
_DIGITS = 9
_HANDLE = re.compile(r"https?://\S+|@\w+")


class NarrativeClassifier:
    """Gives one or more codes to a text; never none.

    The same training texts give the same codes, in any order of the texts asked for.

    Args:
        texts: training texts.
        gold: (texts, codes) over ``taxonomy.CODES``; each text has at least one.
        count: parts of the cross-validation.

    Raises:
        ValueError: if there are fewer than two texts, or no two codes.
        MissingLibraryError: if scikit-learn is not installed.
    """

    name = "embedded narrative classifier"

    def __init__(self, texts: Sequence[str], gold: Booleans, *, count: int = PARTS) -> None:
        if len(texts) < 2 or (gold.sum(axis=0) > 0).sum() < 2:
            raise ValueError("the narrative classifier needs texts of at least two codes")
        documents = described()
        self._features = _Features([*texts, *documents.values()])
        rows = self._features.matrix(texts)
        extra = self._features.matrix(list(documents.values()))
        held_out = self._held_out(rows, extra, gold, parts(texts, gold, min(count, len(texts))))
        self._thresholds = thresholds(held_out, gold)
        margins = held_out - self._thresholds
        alone = macro_f1(gold, only_best(margins)) >= macro_f1(gold, several(margins))
        self._decide = only_best if alone else several
        self._models = _fit(*_joined(rows, extra, gold))

    def margins(self, texts: Sequence[str]) -> Floats:
        """Return by how much each code's score is above its threshold, (texts, codes)."""
        made = _scores(self._models, self._features.matrix(texts)) - self._thresholds
        return np.asarray(np.round(made, _DIGITS), dtype=np.float64)

    def predict(self, texts: Sequence[str]) -> Booleans:
        """Return the codes of each text, (texts, codes)."""
        if not texts:
            return np.zeros((0, len(taxonomy.CODES)), dtype=np.bool_)
        return self._decide(self.margins(texts))

    @staticmethod
    def _held_out(rows: Any, extra: Any, gold: Booleans, part: Integers) -> Floats:
        scores = np.full(gold.shape, _UNSEEN)
        for one in np.unique(part).tolist():
            known, held = np.flatnonzero(part != one), np.flatnonzero(part == one)
            models = _fit(*_joined(rows[known], extra, gold[known]))
            scores[held] = _scores(models, rows[held])
        return scores


def cross_validated(texts: Sequence[str], gold: Booleans, count: int = PARTS) -> Booleans:
    """Return the codes that a classifier gives to each text that was trained on the other parts."""
    predicted = np.zeros(gold.shape, dtype=np.bool_)
    part = parts(texts, gold, min(count, len(texts)))
    for one in np.unique(part).tolist():
        known, held = np.flatnonzero(part != one).tolist(), np.flatnonzero(part == one).tolist()
        model = NarrativeClassifier([texts[i] for i in known], gold[known])
        predicted[held] = model.predict([texts[i] for i in held])
    return predicted


def groups(codes: Booleans) -> Floats:
    """Return which groups of ``taxonomy.GROUPS`` some codes belong to, (texts, groups) of 0 and 1.

    >>> groups(np.array([[code in ("2_1", "2_3", "5_0") for code in taxonomy.CODES]])).tolist()
    [[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]]
    """
    group = [_GROUP_NAMES.index(taxonomy.group_of(code)) for code in taxonomy.CODES]
    made = np.zeros((len(codes), len(_GROUP_NAMES)))
    for code, column in enumerate(group):
        made[codes[:, code], column] = 1
    return made


class _Features:
    """TF-IDF of words, of pairs of words and of character n-grams, side by side."""

    def __init__(self, texts: Sequence[str]) -> None:
        vectorizer = load("sklearn.feature_extraction.text", extra="baselines").TfidfVectorizer
        usual = {"sublinear_tf": True, "strip_accents": "unicode", "preprocessor": None}
        self._vectorizers = [
            vectorizer(stop_words="english", **usual),
            vectorizer(ngram_range=(1, 2), **usual),
            vectorizer(analyzer="char_wb", ngram_range=(3, 5), min_df=2, **usual),
        ]
        for one in self._vectorizers:
            one.fit([_plain(text) for text in texts])

    def matrix(self, texts: Sequence[str]) -> Any:
        plain = [_plain(text) for text in texts]
        sparse = load("scipy.sparse", extra="baselines")
        return sparse.hstack([one.transform(plain) for one in self._vectorizers]).tocsr()


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).replace("\u2019", "'").replace("#", " ")
    return _HANDLE.sub(" ", text)


def _joined(rows: Any, extra: Any, gold: Booleans) -> tuple[Any, Booleans]:
    """Return the training rows with a document for each code below them."""
    sparse = load("scipy.sparse", extra="baselines")
    whole = np.vstack([gold, np.eye(len(taxonomy.CODES), dtype=np.bool_)])
    return sparse.vstack([rows, extra]).tocsr(), whole


def _fit(rows: Any, gold: Booleans) -> tuple[Floats, Floats]:
    """Return weights (features, codes) and intercepts (codes,)."""
    machine = load("sklearn.svm", extra="baselines").LinearSVC
    support = gold.sum(axis=0)
    rarest = np.where(gold, support, len(gold)).min(axis=1)
    weight = len(gold) / (gold.shape[1] * rarest)
    weights = np.zeros((rows.shape[1], gold.shape[1]))
    intercepts = np.zeros(gold.shape[1])
    for code in range(gold.shape[1]):
        made = machine(C=STRENGTH, dual=True, random_state=0, max_iter=5_000)
        made.fit(rows, gold[:, code], sample_weight=weight)
        weights[:, code], intercepts[code] = made.coef_[0], made.intercept_[0]
    return weights, intercepts


def _scores(models: tuple[Floats, Floats], rows: Any) -> Floats:
    weights, intercepts = models
    return np.asarray(rows @ weights + intercepts, dtype=np.float64)
