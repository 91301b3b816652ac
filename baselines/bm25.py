"""BM25 over a corpus of any size, kept on disk and memory-mapped.

``bm25s`` keeps the weights and sums them; they are counted by ``postings``, in chunks and without
a loop over abstracts, so that one counting serves any k1 and b.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from baselines.libraries import load
from baselines.postings import Postings
from baselines.progress import Progress
from baselines.words import Stems
from climatecheck.tables import Floats, Integers, Json

K1, B = 1.2, 0.75
"""The usual settings (Robertson and Zaragoza 2009), where nothing better is known."""

_IDS, _FACTS = "abstract_ids.npy", "facts.json"


class Index:
    """A BM25 index.

    Args:
        engine: a ``bm25s.BM25`` that holds the weights.
        ids: (abstracts,) abstract id.
        facts: what the index was made from, to know it again.
    """

    def __init__(self, engine: Any, ids: Integers, facts: Json | None = None) -> None:
        self._engine = engine
        self.ids = ids
        self.facts = facts or {}
        self._size = len(engine.vocab_dict)
        self._stems = Stems(dict(engine.vocab_dict))

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(
        cls, postings: Postings, *, k1: float = K1, b: float = B, facts: Json | None = None
    ) -> "Index":
        """Make an index from counts.

        Raises:
            ValueError: as ``check_settings``.
            MissingLibraryError: if bm25s or PyStemmer is not installed.
        """
        check_settings(k1, b)
        engine = load("bm25s", extra="baselines").BM25(k1=k1, b=b, method="lucene")
        engine.scores = {
            "data": postings.weights(k1, b),
            "indices": postings.counts.indices.astype(np.int32, copy=False),
            "indptr": postings.counts.indptr.astype(np.int64),
            "num_docs": len(postings.ids),
        }
        engine.vocab_dict = postings.stems
        engine.nonoccurrence_array = None
        return cls(engine, postings.ids, facts)

    def save(self, folder: Path) -> None:
        """Write the index into a folder; it is whole once its facts are there."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FACTS).unlink(missing_ok=True)
        self._engine.save(folder, show_progress=False)
        np.save(folder / _IDS, self.ids)
        (folder / _FACTS).write_text(json.dumps(self.facts), "utf-8")

    @classmethod
    def load(cls, folder: Path) -> "Index":
        """Open an index that was saved; its arrays are memory-mapped, not read.

        Raises:
            FileNotFoundError: there is no whole index in the folder.
            ValueError: it is damaged.
            MissingLibraryError: if bm25s or PyStemmer is not installed.
        """
        facts = json.loads((folder / _FACTS).read_text("utf-8"))
        bm25s = load("bm25s", extra="baselines")
        try:
            engine = bm25s.BM25.load(folder, mmap=True, show_progress=False)
            ids = np.load(folder / _IDS)
            data, indices, ends = (engine.scores[name] for name in ("data", "indices", "indptr"))
            sizes = (len(data), len(ids), len(ends))
            whole = sizes == (len(indices), engine.scores["num_docs"], len(engine.vocab_dict) + 1)
        except (EOFError, KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"the index in {folder} is damaged: {error}") from error
        if not whole or ends[-1] != len(data) or not isinstance(facts, dict):
            raise ValueError(f"the index in {folder} is damaged: its parts do not fit")
        return cls(engine, ids, facts)

    def search(
        self, queries: Sequence[str], k: int, *, progress: str | None = None
    ) -> tuple[Integers, Floats]:
        """Return the ids and scores of the best abstracts of each query, best first.

        Equal scores are ordered by id. An abstract that shares no stem with the query scores 0.

        Args:
            queries: texts.
            k: how many; fewer if there are fewer abstracts.
            progress: title of a progress bar; None shows none.

        Returns:
            two arrays of shape (queries, k).

        Raises:
            ValueError: if ``k`` is not positive.
        """
        if k < 1:
            raise ValueError(f"at least one abstract a query is needed, not {k}")
        k = min(k, len(self))
        ids, scores = np.zeros((len(queries), k), np.int64), np.zeros((len(queries), k))
        with Progress(progress, len(queries)) as bar:
            for row, query in enumerate(queries):
                of_query = self._scores(query)
                best = _best(of_query, self.ids, k)
                ids[row], scores[row] = self.ids[best], of_query[best]
                bar.advance()
        return ids, scores

    def _scores(self, query: str) -> npt.NDArray[np.float32]:
        known = [number for number in self._stems.of(query) if number < self._size]
        if not known:
            return np.zeros(len(self), dtype=np.float32)
        scores: npt.NDArray[np.float32] = self._engine.get_scores_from_ids(known)
        return scores


def check_settings(k1: float, b: float) -> None:
    """See that k1 is a finite number from 0, and b one from 0 to 1.

    Raises:
        ValueError: they are not.
    """
    if not (0 <= k1 < math.inf and 0 <= b <= 1):
        raise ValueError(f"k1 should be 0 or more and b from 0 to 1, found {k1} and {b}")


def _best(scores: npt.NDArray[np.float32], ids: Integers, k: int) -> Integers:
    least = np.partition(scores, -k)[-k]
    candidates = np.flatnonzero(scores >= least)
    order = np.lexsort((ids[candidates], -scores[candidates]))[:k]
    best: Integers = candidates[order]
    return best
