"""A cross-encoder: claim and abstract are read together, and one number says how well they fit."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from baselines.batching import in_batches
from baselines.libraries import load
from baselines.pair_model import Pair
from baselines.sequence_classifier import ModelError, device_of, load_pretrained, tokens_of
from climatecheck.tables import Floats

RERANKER = "cross-encoder/ms-marco-MiniLM-L12-v2"
MAX_LENGTH = 512


class Reranker(Protocol):
    """Scores claim-abstract pairs; a higher score is a better fit."""

    @property
    def name(self) -> str:
        """What the reranker is called."""

    def scores(self, pairs: Sequence[Pair], *, progress: str | None = None) -> Floats:
        """Return the (pairs,) scores."""


class CrossEncoder:
    """A cross-encoder with one output, from a model id or folder (MS MARCO MiniLM, BGE, …).

    Args:
        model: id at the Hugging Face hub, or a folder.
        max_length: most tokens of a pair; the longer of both texts is cut.
        batch_size: pairs a batch.
        device: such as ``cpu`` or ``cuda``; None takes a GPU if there is one. A GPU computes in
            half precision.
        revision: of a model at the hub; None takes the newest.

    Raises:
        ModelError: if the device cannot be used, or the model cannot be loaded or has more than one
            output.
        MissingLibraryError: if torch or transformers is not installed.
    """

    def __init__(
        self,
        model: str | Path = RERANKER,
        *,
        max_length: int = MAX_LENGTH,
        batch_size: int = 64,
        device: str | None = None,
        revision: str | None = None,
    ) -> None:
        self._torch = load("torch", extra="models")
        self.name = Path(model).resolve().name if Path(model).is_dir() else str(model)
        self._device = device_of(device)
        config, self._tokenizer, loaded = load_pretrained(
            model, "AutoModelForSequenceClassification", revision
        )
        if config.num_labels != 1:
            raise ModelError(f"{self.name} has {config.num_labels} outputs; a reranker has one")
        half = self._device.startswith("cuda")
        self._model = (loaded.half() if half else loaded.float()).to(self._device).eval()
        self._max_length = min(max_length, int(self._tokenizer.model_max_length))
        self._batch_size = batch_size

    def scores(self, pairs: Sequence[Pair], *, progress: str | None = None) -> Floats:
        """Return the (pairs,) scores of claim-abstract pairs."""
        rows = in_batches(
            pairs,
            self._batch,
            size=self._batch_size,
            length=lambda pair: len(pair[0]) + len(pair[1]),
            progress=progress,
        )
        return np.array(rows, dtype=np.float64)

    def _batch(self, pairs: list[Pair]) -> Floats:
        tokens = tokens_of(self._tokenizer, pairs, self._max_length).to(self._device)
        with self._torch.inference_mode():
            made: Floats = self._model(**tokens).logits[:, 0].double().cpu().numpy()
        return made
