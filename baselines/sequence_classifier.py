"""A Hugging Face sequence-classification model as a classifier of claim-abstract pairs.

The abstract is the premise and the claim the hypothesis, as natural language inference has it.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from baselines.batching import in_batches
from baselines.libraries import load
from baselines.pair_model import Pair
from climatecheck import edition
from climatecheck.tables import Floats, Json

MAX_LENGTH = 320
"""Tokens of claim and abstract together, as the paper's proxy classifier was trained."""

BATCH_SIZE = 32

NLI_NAMES = {
    "Supports": ("entailment", "entails", "support", "supported", "supports"),
    "Refutes": ("contradiction", "contradicts", "refute", "refuted", "refutes"),
    "Not Enough Information": ("neutral", "nei", "not enough info"),
}
"""What other models call a label."""

_WEIGHT_FILES = ("*.safetensors", "*.bin", "*.json", "*.model", "*.txt")


class ModelError(RuntimeError):
    """A model cannot be used; the message says why."""


class SequenceClassifier:
    """A three-way classifier of pairs from a model id or folder.

    Args:
        model: id at the Hugging Face hub, or a folder made by ``save_pretrained``.
        labels: the label of each of the model's outputs, in their order, by the edition's name or
            by one of ``NLI_NAMES``; None takes them from the model's ``id2label``.
        max_length: most tokens of a pair; the longer of both texts is cut.
        batch_size: pairs a batch.
        device: such as ``cpu`` or ``cuda``; None takes a GPU if there is one. A GPU computes in
            half precision.
        progress: title of a progress bar; None shows none.
        revision: of a model at the hub; None takes the newest.

    Raises:
        ModelError: if the model cannot be loaded, or it cannot be told which output is which label.
        MissingLibraryError: if torch or transformers is not installed.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        labels: Sequence[str] | None = None,
        max_length: int = MAX_LENGTH,
        batch_size: int = BATCH_SIZE,
        device: str | None = None,
        progress: str | None = None,
        revision: str | None = None,
    ) -> None:
        self._torch = load("torch", extra="models")
        where = str(model)
        self.name = Path(where).resolve().name if Path(where).is_dir() else where
        self._device = device_of(device)
        config, self._tokenizer, loaded = load_pretrained(
            where, "AutoModelForSequenceClassification", revision
        )
        self._columns = label_columns(config.id2label, labels, self.name)
        half = self._device.startswith("cuda")
        self._precision = "float16" if half else "float32"
        self._model = (loaded.half() if half else loaded.float()).to(self._device).eval()
        self._max_length = min(max_length, int(self._tokenizer.model_max_length))
        self._batch_size = batch_size
        self._progress = progress
        self._version = version_of(where, config)

    @property
    def parameters(self) -> Json:
        """All that decides the output."""
        return {
            "model": self.name,
            "version": self._version,
            "outputs": self._columns,
            "max_length": self._max_length,
            "precision": self._precision,
            "torch": str(self._torch.__version__),
            "transformers": load("transformers", extra="models").__version__,
        }

    def probabilities(self, pairs: Sequence[Pair]) -> Floats:
        """Return the (pairs, labels) probabilities over ``edition.LABELS``.

        What a row shares a batch with moves it by no more than the rounding of the model.
        """
        rows = in_batches(
            pairs,
            self._batch,
            size=self._batch_size,
            length=lambda pair: len(pair[0]) + len(pair[1]),
            progress=self._progress,
        )
        return np.array(rows, dtype=np.float64).reshape(len(pairs), len(edition.LABELS))

    def _batch(self, pairs: list[Pair]) -> Floats:
        turned = [(abstract, claim) for claim, abstract in pairs]
        tokens = tokens_of(self._tokenizer, turned, self._max_length).to(self._device)
        with self._torch.inference_mode():
            scores = self._model(**tokens).logits[:, self._columns].double()
            made: Floats = self._torch.softmax(scores, dim=1).cpu().numpy()
        return made


def label_columns(
    id2label: Mapping[int, str], labels: Sequence[str] | None, model: str = "the model"
) -> list[int]:
    """Return the model's output for each of ``edition.LABELS``.

    Args:
        id2label: the names in the model's configuration.
        labels: names given by hand, in the order of the outputs; they win.
        model: what to call the model in the message.

    Raises:
        ModelError: if the outputs are not these labels, each once.

    >>> label_columns({0: "entailment", 1: "neutral", 2: "contradiction"}, None)
    [0, 2, 1]
    >>> label_columns({0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, ["NEI", "Supports", "Refutes"])
    [1, 2, 0]
    """
    names = list(labels) if labels is not None else [id2label[k] for k in sorted(id2label)]
    if len(names) != len(id2label):
        raise ModelError(f"{model} has {len(id2label)} outputs, but {len(names)} labels are given")
    known = _spellings()
    meant = [known.get(_plain(str(name))) for name in names]
    if sorted(meant, key=str) != sorted(edition.LABELS):
        raise ModelError(
            f"{model} names its outputs {', '.join(map(str, names))}; which of them mean "
            f"{', '.join(edition.LABELS)} cannot be told. Give the labels in the order of the "
            "outputs."
        )
    return [meant.index(label) for label in edition.LABELS]


def _spellings() -> dict[str, str]:
    spellings = {_plain(label): label for label in edition.LABELS}
    for alias, label in edition.LABEL_ALIASES.items():
        spellings[_plain(alias)] = label
    for label, names in NLI_NAMES.items():
        spellings.update({name: label for name in names if label in edition.LABELS})
    return spellings


def _plain(name: str) -> str:
    return " ".join(re.sub(r"[_\W]+", " ", name).casefold().split())


def load_pretrained(
    model: str | Path, kind: str, revision: str | None = None, **options: Any
) -> tuple[Any, Any, Any]:
    """Return configuration, tokenizer and model of a model id or folder.

    Args:
        model: id at the Hugging Face hub, or a folder made by ``save_pretrained``.
        kind: class that loads the model, such as ``AutoModel``.
        revision: of a model at the hub; None takes the newest.
        options: for the class that loads the model.

    Raises:
        ModelError: if the model cannot be loaded.
        MissingLibraryError: if transformers is not installed.
    """
    transformers = load("transformers", extra="models")
    chosen = {"revision": revision} if revision else {}
    try:
        config, tokenizer = (
            getattr(transformers, part).from_pretrained(str(model), **chosen)
            for part in ("AutoConfig", "AutoTokenizer")
        )
        loaded = getattr(transformers, kind).from_pretrained(str(model), **chosen, **options)
    except (ImportError, OSError, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())[:300]
        raise ModelError(
            f"{model} is neither a folder with a model nor one that the Hugging Face hub gave: "
            f"{reason}"
        ) from error
    return config, tokenizer, loaded


def device_of(device: str | None = None) -> str:
    """Return the device to compute on: the one named, or else a GPU if there is one.

    Raises:
        ModelError: if it cannot be used.
        MissingLibraryError: if torch is not installed.
    """
    torch = load("torch", extra="models")
    if device is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).split("\n")[0][:300]
        raise ModelError(f"the device {device} cannot be used: {reason}") from error
    return device


def tokens_of(tokenizer: Any, pairs: Sequence[tuple[str, str]], max_length: int) -> Any:
    """Return a padded batch of text pairs, each cut at its longer text to ``max_length`` tokens."""
    return tokenizer(
        [first for first, _ in pairs],
        [second for _, second in pairs],
        truncation="longest_first",
        max_length=max_length,
        padding=True,
        return_tensors="pt",
    )


def version_of(model: str | Path, config: Any) -> str:
    """Return the commit of a model from the hub, or a hash of a folder's files."""
    if not Path(model).is_dir():
        return str(getattr(config, "_commit_hash", None) or "unknown")
    whole = hashlib.sha256()
    files = sorted({file for kind in _WEIGHT_FILES for file in Path(model).glob(kind)})
    for file in files:
        whole.update(f"{file.name} {file.stat().st_size} ".encode())
        with file.open("rb") as opened:
            while block := opened.read(1 << 20):
                whole.update(block)
    return whole.hexdigest()[:16]
