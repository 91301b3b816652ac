"""A corpus of abstracts by row, and what tells it apart from another."""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np

from baselines.texts import TextError, read_abstract_texts
from climatecheck.tables import Integers


class Corpus:
    """Abstracts in a fixed order.

    Args:
        texts: text of each abstract by id.

    Raises:
        TextError: if there are none.
    """

    def __init__(self, texts: Mapping[int, str]) -> None:
        if not texts:
            raise TextError("there are no abstracts")
        self.ids: Integers = np.fromiter(texts, dtype=np.int64, count=len(texts))
        self.texts = tuple(texts.values())
        self._row = {id_: row for row, id_ in enumerate(texts)}

    @classmethod
    def read(cls, path: Path) -> "Corpus":
        """Read a corpus from any file that ``texts.read_abstract_texts`` reads."""
        return cls(read_abstract_texts(path))

    def __len__(self) -> int:
        return len(self.texts)

    def rows(self, ids: Iterable[int]) -> Integers:
        """Return the row of each id.

        Raises:
            TextError: if the corpus lacks one.
        """
        try:
            return np.array([self._row[int(id_)] for id_ in ids], dtype=np.int64)
        except KeyError as error:
            raise TextError(f"the corpus lacks abstract {error.args[0]}") from error

    def text(self, id_: int) -> str:
        """Return the text of an abstract; raises as ``rows``."""
        return self.texts[int(self.rows([id_])[0])]

    @cached_property
    def digest(self) -> str:
        """A short hash of all ids and texts, in their order."""
        whole = hashlib.sha256()
        for id_, text in zip(self.ids.tolist(), self.texts, strict=True):
            content = text.encode()
            whole.update(b"%d %d " % (id_, len(content)) + content)
        return whole.hexdigest()[:16]
