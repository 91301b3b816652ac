"""How often each stem stands in each abstract: all that any BM25 needs, whatever its settings.

Texts are counted in chunks, so that a corpus need not be in memory. BM25 is Lucene's variant
(Kamphuis et al. 2020, "Which BM25 do you mean?"), over the stems of ``words``::

    idf(t) = ln(1 + (N - df(t) + 1/2) / (df(t) + 1/2))
    weight(t, d) = idf(t) * tf / (tf + k1 * (1 - b + b * length(d) / mean length))
"""

from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from baselines.libraries import load
from baselines.progress import Progress
from baselines.words import NONE, Stems
from climatecheck.tables import Floats, Integers

_CHUNK = 8_192


@dataclass(frozen=True)
class Postings:
    """Counts of stems.

    Attributes:
        ids: (abstracts,) abstract id.
        stems: the column of each stem.
        counts: sparse (abstracts, stems) matrix by columns: how often a stem stands in a text.
        lengths: (abstracts,) how many stems a text has, repeated ones included.
    """

    ids: Integers
    stems: dict[str, int]
    counts: Any
    lengths: Floats

    @classmethod
    def of(cls, texts: Iterable[tuple[int, str]], *, progress: str | None = None) -> "Postings":
        """Count the stems of some texts, given as id and text.

        Raises:
            ValueError: if there are no texts.
            MissingLibraryError: if scipy or PyStemmer is not installed.
        """
        stems = Stems()
        ids, parts = array("q"), []
        with Progress(progress, len(texts) if isinstance(texts, Collection) else None) as bar:
            for chunk in _chunks(texts):
                ids.extend(id_ for id_, _ in chunk)
                parts.append(_counts([text for _, text in chunk], stems))
                bar.advance(len(chunk))
        if not parts:
            raise ValueError("at least one abstract is needed")
        counts = _stacked(parts, len(stems.numbers))
        lengths = np.concatenate([part.sum(axis=1) for part in parts]).astype(np.float64)
        return cls(np.array(ids, dtype=np.int64), stems.numbers, counts.tocsc(), lengths)

    def only(self, queries: Iterable[str]) -> "Postings":
        """Return the postings of the stems of some queries; these score them just as all do."""
        asked = Stems()
        for query in queries:
            asked.of(query)
        columns = sorted(self.stems[stem] for stem in asked.numbers if stem in self.stems)
        place = {column: i for i, column in enumerate(columns)}
        stems = {stem: place[c] for stem, c in self.stems.items() if c in place}
        return Postings(self.ids, stems, self.counts[:, columns], self.lengths)

    def weights(self, k1: float, b: float) -> npt.NDArray[np.float32]:
        """Return the BM25 weight of each stored count."""
        documents, tf = len(self.ids), self.counts.data.astype(np.float32)
        found = np.diff(self.counts.indptr)
        idf = np.log1p((documents - found + 0.5) / (found + 0.5)).astype(np.float32)
        mean = self.lengths.mean() or 1.0
        slowing = (k1 * (1 - b + b * self.lengths / mean)).astype(np.float32)
        weights: npt.NDArray[np.float32] = tf / (tf + slowing[self.counts.indices])
        weights *= np.repeat(idf, found)
        return weights


def _chunks(texts: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    source = iter(texts)
    while chunk := list(islice(source, _CHUNK)):
        yield chunk


def _counts(texts: list[str], stems: Stems) -> Any:
    """Return a sparse (texts, stems so far) matrix of counts by rows, its columns sorted."""
    numbers, ends = array("i"), [0]
    for text in texts:
        numbers.extend(stems.all_of(text))
        ends.append(len(numbers))
    columns = np.frombuffer(numbers, dtype=np.int32) if numbers else np.zeros(0, np.int32)
    kept = columns != NONE
    starts = np.concatenate([[0], np.cumsum(kept)])[ends].astype(np.int32)
    columns = columns[kept]
    sparse = load("scipy.sparse", extra="baselines")
    shape = (len(texts), len(stems.numbers))
    matrix = sparse.csr_array((np.ones(len(columns), np.int32), columns, starts), shape=shape)
    matrix.sum_duplicates()
    return matrix


def _stacked(parts: list[Any], columns: int) -> Any:
    for part in parts:
        part.resize(part.shape[0], columns)
    return load("scipy.sparse", extra="baselines").vstack(parts, format="csr")
