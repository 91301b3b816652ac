"""The vectors of a corpus on disk: each computed once, whoever asks, however often it is killed.

A folder for each combination of model, settings, corpus and number format holds ``vectors.npy``
(abstracts, width), memory-mapped and sparse, and ``done.npy``, which says what stands in it.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from baselines.batching import by_length
from baselines.neural.corpus import Corpus
from baselines.neural.encoder import Encoder, Vectors
from baselines.progress import Progress
from climatecheck.running import write_atomically
from climatecheck.tables import Integers

ROWS_AT_ONCE = 2_048
"""Rows that a kill can cost."""

NUMBERS = ("float16", "float32")


class Embeddings:
    """The vectors of a corpus.

    Args:
        folder: where all such vectors are kept.
        encoder: makes them.
        corpus: the abstracts.
        numbers: ``float16`` takes half the room and moves a likeness by less than 0.001.

    Raises:
        ValueError: if ``numbers`` is neither ``float16`` nor ``float32``.
    """

    def __init__(
        self, folder: Path, encoder: Encoder, corpus: Corpus, *, numbers: str = "float16"
    ) -> None:
        if numbers not in NUMBERS:
            raise ValueError(f"numbers should be {' or '.join(NUMBERS)}, found {numbers}")
        self._encoder = encoder
        self._corpus = corpus
        facts = {**encoder.parameters, "corpus": corpus.digest, "numbers": numbers}
        text = json.dumps(facts, indent=1, sort_keys=True)
        self.folder = folder / hashlib.sha256(text.encode()).hexdigest()[:16]
        if not (self.folder / "facts.json").is_file():
            self._begin(text, numbers)
        self._vectors = np.lib.format.open_memmap(self.folder / "vectors.npy", mode="r+")
        self._done = np.lib.format.open_memmap(self.folder / "done.npy", mode="r+")

    def _begin(self, facts: str, numbers: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        shape = (len(self._corpus), self._encoder.width)
        for name, kind, of_shape in (
            ("vectors.npy", np.dtype(numbers), shape),
            ("done.npy", np.dtype(np.bool_), shape[:1]),
        ):
            np.lib.format.open_memmap(self.folder / name, mode="w+", dtype=kind, shape=of_shape)
        write_atomically(self.folder / "facts.json", facts.encode())  # last: the folder is whole

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """(abstracts,) whether the vector of a row is there."""
        return np.array(self._done)

    def compute(self, rows: Integers, *, progress: str | None = None) -> int:
        """Compute the vectors of some rows that are not there yet; return how many."""
        missing = np.unique(rows)
        missing = missing[~self._done[missing]]
        lengths = [len(self._corpus.texts[row]) for row in missing]
        with Progress(progress, len(missing)) as bar:
            for part in by_length(lengths, ROWS_AT_ONCE):
                of_part = missing[part]
                texts = [self._corpus.texts[row] for row in of_part]
                self._vectors[of_part] = self._encoder.passages(texts)
                self._vectors.flush()
                self._done[of_part] = True  # only now that the vectors are on disk
                self._done.flush()
                bar.advance(len(part))
        return len(missing)

    def of(self, rows: Integers) -> Vectors:
        """Return the (rows, width) vectors of some rows, computing those that are not there."""
        self.compute(rows)
        return np.asarray(self._vectors[rows], dtype=np.float32)
