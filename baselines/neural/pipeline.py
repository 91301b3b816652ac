"""From claims to ranked and labelled abstracts, stage by stage."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from baselines.neural.corpus import Corpus
from baselines.neural.embeddings import Embeddings
from baselines.neural.encoder import Encoder
from baselines.neural.fusion import fused
from baselines.neural.reranker import Reranker
from baselines.pair_model import PairModel
from climatecheck import edition
from climatecheck.tables import Floats, Integers

Ranking: TypeAlias = list[int]
"""Abstract ids of a claim, best first."""


class Searcher(Protocol):
    """The first stage, such as ``bm25.Index``."""

    def search(self, queries: Sequence[str], k: int) -> tuple[Integers, Floats]:
        """Return (queries, k) ids and scores, best first."""


@dataclass(frozen=True)
class Depths:
    """How many abstracts of a claim each stage leaves, as in the paper (section 6).

    Attributes:
        first: BM25.
        dense: the bi-encoder.
        final: the cross-encoder; these are labelled and handed in.
    """

    first: int = 1_500
    dense: int = 150
    final: int = edition.ABSTRACTS_ASKED

    def __post_init__(self) -> None:
        if not self.first >= self.dense >= self.final >= 1:
            raise ValueError(
                f"each stage leaves fewer abstracts than the one before, and at least one; found "
                f"{self.first}, {self.dense} and {self.final}"
            )


def search(claims: Sequence[str], searcher: Searcher, depth: int) -> list[Ranking]:
    """Return the first stage's ranking of each claim."""
    ids, _ = searcher.search(claims, depth)
    return [row.tolist() for row in ids]


def by_likeness(
    claims: Sequence[str],
    rankings: Sequence[Ranking],
    depth: int,
    encoder: Encoder,
    corpus: Corpus,
    embeddings: Embeddings,
) -> list[Ranking]:
    """Return the candidates of each claim that are most like it, by the dot product of vectors.

    Only candidates are embedded, each once. Equal likeness keeps the order of the candidates.
    """
    rows = [corpus.rows(ranking) for ranking in rankings]
    if rows:
        embeddings.compute(np.concatenate(rows), progress="embedding abstracts")
    queries = encoder.queries(claims)
    made = []
    for query, of_claim, ranking in zip(queries, rows, rankings, strict=True):
        best = np.argsort(-(embeddings.of(of_claim) @ query), kind="stable")[:depth]
        made.append([ranking[i] for i in best.tolist()])
    return made


def reranked(
    claims: Sequence[str],
    rankings: Sequence[Ranking],
    depth: int,
    rerankers: Sequence[Reranker],
    corpus: Corpus,
) -> list[Ranking]:
    """Return the candidates of each claim that fit it best; several rerankers are fused by rank.

    Equal scores keep the order of the candidates.
    """
    pairs = [
        (claim, corpus.text(id_))
        for claim, ranking in zip(claims, rankings, strict=True)
        for id_ in ranking
    ]
    ends = np.cumsum([len(ranking) for ranking in rankings])[:-1]
    ordered: list[list[Ranking]] = [[] for _ in rankings]
    for reranker in rerankers:
        scores = reranker.scores(pairs, progress=f"reranking with {reranker.name}")
        for of_claim, ranking, made in zip(np.split(scores, ends), rankings, ordered, strict=True):
            made.append([ranking[i] for i in np.argsort(-of_claim, kind="stable").tolist()])
    return [fused(of_claim)[:depth] for of_claim in ordered]


def labelled(
    claims: Sequence[str], rankings: Sequence[Ranking], classifier: PairModel, corpus: Corpus
) -> list[list[str]]:
    """Return the most probable label of each retrieved abstract (the first, in a tie)."""
    pairs = [
        (claim, corpus.text(id_))
        for claim, ranking in zip(claims, rankings, strict=True)
        for id_ in ranking
    ]
    labels = [edition.LABELS[k] for k in classifier.probabilities(pairs).argmax(axis=1).tolist()]
    rest = iter(labels)
    return [[next(rest) for _ in ranking] for ranking in rankings]
