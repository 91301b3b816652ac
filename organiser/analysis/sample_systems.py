"""Sample systems, made at run time from an edition's training data, so that the report has some.

They are small and classical, they retrieve from the kit's abstracts alone, and they show what a
report looks like; none of them is a participant's.
"""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from baselines.plain import MAJORITY_LABEL, predict, read_abstracts
from climatecheck import edition as settings
from climatecheck import read_claims, read_gold
from climatecheck.tables import Claims, Floats, Gold, Integers
from climatecheck.taxonomy import CODES, NO_NARRATIVE
from organiser.editions import Edition, OrganiserError
from organiser.zips import zipped

_LABELLED_DEPTH = 10
_FUSION_CONSTANT = 60
_LSA_DIMENSIONS = 50
_NEIGHBOURS = 3
_SEED = 2026

Lines: TypeAlias = list[tuple[object, ...]]


def sample_submissions(data: Edition) -> dict[str, bytes]:
    """Return the zip of each sample system by its name.

    Raises:
        OrganiserError: the edition has no training data or no abstracts.
    """
    source = _Source.of(data)
    return {name: _submission(make(source)) for name, make in SYSTEMS.items()}


@dataclass(frozen=True)
class _Source:
    """What the systems are made from; costly parts once for all of them."""

    test: Claims
    train: Gold
    abstracts: list[tuple[int, str]]

    @classmethod
    def of(cls, data: Edition) -> "_Source":
        train, abstracts = data.kit_data / "train", data.kit_data / "abstracts.csv"
        for path in (train / settings.CLAIMS_FILE, abstracts):
            if not path.is_file():
                raise OrganiserError(f"The sample systems need {path}, which is missing.")
        test = read_claims(data.input_data / settings.CLAIMS_FILE)
        gold = read_gold(train, tasks=())
        if "1" not in gold.tasks:
            raise OrganiserError(f"The sample systems learn from pairs, and {train} has none.")
        return cls(test, gold, read_abstracts(abstracts))

    @cached_property
    def ids(self) -> Integers:
        return np.array([id_ for id_, _ in self.abstracts], dtype=np.int64)

    @cached_property
    def texts(self) -> list[str]:
        return [text for _, text in self.abstracts]

    @cached_property
    def bm25(self) -> Integers:
        """(claims, depth) places of the best abstracts."""
        queries = list(zip(self.test.ids, self.test.texts, strict=True))
        rows = predict(queries, self.abstracts, per_claim=_LABELLED_DEPTH)
        place = {id_: i for i, (id_, _) in enumerate(self.abstracts)}
        found = np.array([place[row[1]] for row in rows])
        return found.reshape(len(self.test), -1)

    @cached_property
    def words(self) -> "_Space":
        return _Space(self, sublinear_tf=True, stop_words="english")

    @cached_property
    def characters(self) -> "_Space":
        return _Space(self, sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5))


class _Space:
    """TF-IDF vectors of the abstracts, the test claims and the training claims."""

    def __init__(self, source: _Source, **options: Any) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.vectorizer = TfidfVectorizer(**options)
        self.abstracts = self.vectorizer.fit_transform(source.texts)
        self.test = self.vectorizer.transform(source.test.texts)
        self.train = self.vectorizer.transform(source.train.claims.texts)

    def ranking(self) -> Integers:
        """Return (claims, depth) places of the abstracts with the greatest cosine."""
        return _best((self.test @ self.abstracts.T).toarray())

    def neighbours(self) -> Integers:
        """Return (claims, neighbours) places of the nearest training claims."""
        return _best((self.test @ self.train.T).toarray())[:, :_NEIGHBOURS]


def _best(similarity: Floats) -> Integers:
    order: Integers = np.argsort(-similarity, axis=1, kind="stable")
    return order[:, :_LABELLED_DEPTH]


def _bm25(source: _Source) -> Lines:
    """BM25, the majority label, no narrative: the plain baseline."""
    labels = [[MAJORITY_LABEL] * settings.ABSTRACTS_ASKED for _ in source.test.ids]
    return _rows(source, source.bm25[:, : settings.ABSTRACTS_ASKED], labels, _none(source))


def _tfidf(source: _Source) -> Lines:
    """Cosine over words; labels by a linear classifier; the nearest training claim's codes."""
    ranking = source.words.ranking()
    nearest = source.words.neighbours()[:, 0]
    narratives = _codes(_training_codes(source)[nearest])
    return _rows(source, ranking, _classified(source, ranking), narratives)


def _character_ngrams(source: _Source) -> Lines:
    """Cosine over character n-grams; labels of similar pairs; votes of three training claims."""
    ranking = source.characters.ranking()[:, : settings.ABSTRACTS_ASKED]
    neighbours = source.characters.neighbours()
    votes = _training_codes(source)[neighbours].sum(axis=1)
    labels = [[_nearest_label(source, near)] * ranking.shape[1] for near in neighbours]
    return _rows(source, ranking, labels, _codes(votes > _NEIGHBOURS / 2))


def _fusion(source: _Source) -> Lines:
    """BM25 and cosine fused by reciprocal ranks (Cormack et al. 2009); linear narratives."""
    score = np.zeros((len(source.test), len(source.ids)))
    for ranking in (source.bm25, source.words.ranking(), source.characters.ranking()):
        for rank in range(ranking.shape[1]):
            score[np.arange(len(score)), ranking[:, rank]] += 1 / (_FUSION_CONSTANT + rank + 1)
    ranking = _best(score)
    return _rows(source, ranking, _classified(source, ranking), _linear(source))


def _lsa(source: _Source) -> Lines:
    """Cosine after latent semantic analysis; retrieval alone."""
    from sklearn.decomposition import TruncatedSVD

    dimensions = min(_LSA_DIMENSIONS, len(source.ids) - 1)
    reduce = TruncatedSVD(dimensions, algorithm="arpack", random_state=_SEED).fit(
        source.words.abstracts
    )
    vectors = [_unit(reduce.transform(m)) for m in (source.words.test, source.words.abstracts)]
    return _rows(source, _best(vectors[0] @ vectors[1].T))


def _linear_narratives(source: _Source) -> Lines:
    """A linear classifier for each code; task 2 alone."""
    lines = zip(source.test.ids, _linear(source, weight="balanced"), strict=True)
    return [("claim_id", "narrative"), *lines]


SYSTEMS: dict[str, Callable[[_Source], Lines]] = {
    "Sample BM25": _bm25,
    "Sample TF-IDF": _tfidf,
    "Sample character n-grams": _character_ngrams,
    "Sample rank fusion": _fusion,
    "Sample LSA (retrieval only)": _lsa,
    "Sample linear (task 2 only)": _linear_narratives,
}
"""The systems by name."""


def _classified(source: _Source, ranking: Integers) -> list[list[str]]:
    """Return a label for each place of a ranking, by a linear classifier of claim and abstract."""
    from scipy import sparse
    from sklearn.svm import LinearSVC

    space, gold = source.words, source.train
    place = {int(id_): i for i, id_ in enumerate(source.ids)}
    known = np.array([int(abstract) in place for abstract in gold.abstract], dtype=np.bool_)
    abstract = np.array([place[int(a)] for a in gold.abstract[known]])

    def features(claims: Any, abstracts: Any) -> Any:
        return sparse.hstack([claims, abstracts, claims.multiply(abstracts)]).tocsr()

    model = LinearSVC(class_weight="balanced", random_state=_SEED)
    pairs = features(space.train[gold.claim[known]], space.abstracts[abstract])
    model.fit(pairs, gold.label[known])
    claim = np.repeat(np.arange(len(ranking)), ranking.shape[1])
    predicted = model.predict(features(space.test[claim], space.abstracts[ranking.ravel()]))
    return [[settings.LABELS[label] for label in row] for row in predicted.reshape(ranking.shape)]


def _linear(source: _Source, weight: str | None = None) -> list[str]:
    """Return each claim's codes by a linear classifier of each code; the nearest one if none."""
    from sklearn.svm import LinearSVC

    target = _training_codes(source)
    learnt = np.flatnonzero(target.any(axis=0) & ~target.all(axis=0))
    margin = np.full((len(source.test), len(CODES)), -np.inf)
    for code in learnt:
        model = LinearSVC(class_weight=weight, random_state=_SEED)
        model.fit(source.words.train, target[:, code])
        margin[:, code] = model.decision_function(source.words.test)
    chosen = margin > 0
    none = ~chosen.any(axis=1)
    chosen[none, margin[none].argmax(axis=1)] = True
    chosen[chosen.sum(axis=1) > 1, CODES.index(NO_NARRATIVE)] = False
    return _codes(chosen)


def _nearest_label(source: _Source, neighbours: Integers) -> str:
    """Return the commonest gold label among the pairs of some training claims."""
    labels = source.train.label[np.isin(source.train.claim, neighbours)]
    counts = np.bincount(labels, minlength=len(settings.LABELS))
    return settings.LABELS[int(counts.argmax())]


def _training_codes(source: _Source) -> Any:
    return source.train.narratives.dense(len(source.train.claims))


def _codes(chosen: Any) -> list[str]:
    names = np.array(CODES)
    return [";".join(names[row]) or NO_NARRATIVE for row in chosen]


def _none(source: _Source) -> list[str]:
    return [NO_NARRATIVE] * len(source.test)


def _unit(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: Floats = vectors / np.where(length == 0, 1, length)
    return made


def _rows(
    source: _Source,
    ranking: Integers,
    labels: Sequence[Sequence[str]] | None = None,
    narratives: Sequence[str] | None = None,
) -> Lines:
    header = ["claim_id", "abstract_id", "rank"]
    header += ["label"] * (labels is not None) + ["narrative"] * (narratives is not None)
    lines: Lines = [tuple(header)]
    for claim, places in enumerate(ranking):
        for rank, place in enumerate(places):
            row: list[object] = [source.test.ids[claim], int(source.ids[place]), rank + 1]
            row += [labels[claim][rank]] if labels is not None else []
            row += [narratives[claim]] if narratives is not None else []
            lines.append(tuple(row))
    return lines


def _submission(lines: Lines) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return zipped({settings.PREDICTIONS_FILE: text.getvalue().encode()})
