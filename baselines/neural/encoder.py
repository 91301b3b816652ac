"""A bi-encoder: a text becomes a vector of length 1, and the dot product of two is their likeness.

E5 (Wang et al. 2022, "Text Embeddings by Weakly-Supervised Contrastive Pre-training") has a prefix
for each kind of text, and takes the mean of all tokens.
"""

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from baselines.batching import in_batches
from baselines.libraries import load
from baselines.sequence_classifier import ModelError, device_of, load_pretrained, version_of
from climatecheck.tables import Json

ENCODER = "intfloat/e5-large-v2"
POOLINGS = ("mean", "cls")
SETTINGS_FILE = "encoder.json"
"""Stands beside the weights of a model trained here, so that nobody must remember its settings."""

_POOLING_FILE = "1_Pooling/config.json"
"""Where models made with sentence-transformers keep their pooling."""

_E5 = re.compile(r"(^|[/_-])e5-(?!.*instruct)", re.IGNORECASE)

Vectors: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True)
class EncoderSettings:
    """How texts are put to a bi-encoder; by default as to E5.

    Attributes:
        query_prefix: goes before each claim.
        passage_prefix: goes before each abstract.
        pooling: ``mean`` of all tokens, or the first one (``cls``).
        max_length: most tokens of a text, prefix included; the rest is cut.
    """

    query_prefix: str = "query: "
    passage_prefix: str = "passage: "
    pooling: str = "mean"
    max_length: int = 512

    def __post_init__(self) -> None:
        if self.pooling not in POOLINGS:
            raise ValueError(f"pooling should be {' or '.join(POOLINGS)}, found {self.pooling}")


class Encoder:
    """A bi-encoder from a model id or folder.

    Args:
        model: id at the Hugging Face hub, or a folder.
        settings: None takes those of ``settings_of``.
        batch_size: texts a batch.
        device: such as ``cpu`` or ``cuda``; None takes a GPU if there is one.
        trainable: whether gradients will be asked for. If not, a GPU computes in half precision.
        revision: of a model at the hub; None takes the newest.

    Raises:
        ModelError: if the device cannot be used, or the model cannot be loaded.
        MissingLibraryError: if torch or transformers is not installed.
    """

    def __init__(
        self,
        model: str | Path = ENCODER,
        settings: EncoderSettings | None = None,
        *,
        batch_size: int = 64,
        device: str | None = None,
        trainable: bool = False,
        revision: str | None = None,
    ) -> None:
        self._torch = load("torch", extra="models")
        self.name = Path(model).resolve().name if Path(model).is_dir() else str(model)
        self.settings = settings or settings_of(model, revision=revision)
        self.device = device_of(device)
        config, self._tokenizer, loaded = load_pretrained(model, "AutoModel", revision)
        half = self.device.startswith("cuda") and not trainable
        self._precision = "float16" if half else "float32"
        self.network: Any = (loaded.half() if half else loaded.float()).to(self.device).eval()
        self.width = int(config.hidden_size)
        self._max_length = min(self.settings.max_length, int(self._tokenizer.model_max_length))
        self._batch_size = batch_size
        self._version = version_of(model, config)

    @property
    def parameters(self) -> Json:
        """All that decides a vector, beside its rounding."""
        return {
            "model": self.name,
            "version": self._version,
            "precision": self._precision,
            **asdict(self.settings),
        }

    def queries(self, texts: Sequence[str], *, progress: str | None = None) -> Vectors:
        """Return the (claims, width) vectors of claims."""
        return self._vectors([self.settings.query_prefix + text for text in texts], progress)

    def passages(self, texts: Sequence[str], *, progress: str | None = None) -> Vectors:
        """Return the (abstracts, width) vectors of abstracts."""
        return self._vectors([self.settings.passage_prefix + text for text in texts], progress)

    def tensor(self, texts: Sequence[str]) -> Any:
        """Return the (texts, width) vectors of one batch, prefixes given, with their gradients."""
        tokens = self._tokenizer(
            list(texts),
            truncation=True,
            max_length=self._max_length,
            padding=True,
            return_tensors="pt",
        ).to(self.device)
        hidden = self.network(**tokens).last_hidden_state
        if self.settings.pooling == "cls":
            pooled = hidden[:, 0].float()
        else:
            mask = tokens["attention_mask"].unsqueeze(-1).to(hidden.dtype)
            # Summed in single precision: half overflows on long texts.
            pooled = (hidden * mask).float().sum(dim=1) / mask.float().sum(dim=1).clamp(min=1)
        return self._torch.nn.functional.normalize(pooled, dim=1)

    def save(self, folder: Path) -> None:
        """Write model, tokenizer and settings; ``Encoder(folder)`` reads them."""
        self.network.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)
        text = json.dumps(asdict(self.settings), indent=1)
        (folder / SETTINGS_FILE).write_text(text + "\n", "utf-8")

    def _vectors(self, texts: list[str], progress: str | None) -> Vectors:
        rows = in_batches(texts, self._batch, size=self._batch_size, length=len, progress=progress)
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.width)

    def _batch(self, texts: list[str]) -> Vectors:
        with self._torch.inference_mode():
            made: Vectors = self.tensor(texts).cpu().numpy()
        return made


def settings_of(
    model: str | Path,
    *,
    pooling: str | None = None,
    query_prefix: str | None = None,
    passage_prefix: str | None = None,
    revision: str | None = None,
) -> EncoderSettings:
    """Return how texts are put to a model.

    What is given wins, then ``encoder.json`` in the model's folder. Otherwise a model named E5 has
    E5's prefixes and any other has none, and the pooling is what the model's
    ``1_Pooling/config.json`` says, or else the mean.

    Args:
        model: id at the Hugging Face hub, or a folder.
        pooling: as in ``EncoderSettings``; None finds it out, and likewise below.
        query_prefix: goes before each claim.
        passage_prefix: goes before each abstract.
        revision: of a model at the hub; None takes the newest.

    Raises:
        ModelError: if a file holds no settings, or a pooling that is not offered here.
        ValueError: if ``pooling`` is not offered here.
    """
    given = {"pooling": pooling, "query_prefix": query_prefix, "passage_prefix": passage_prefix}
    chosen: Json = {name: value for name, value in given.items() if value is not None}
    saved = _saved_settings(Path(model))
    if saved is not None:
        return replace(saved, **chosen)
    name = Path(model).resolve().name if Path(model).is_dir() else str(model)
    prefixes: Json = {} if _E5.search(name) else {"query_prefix": "", "passage_prefix": ""}
    if pooling is None:
        chosen["pooling"] = _declared_pooling(model, revision) or POOLINGS[0]
    return EncoderSettings(**{**prefixes, **chosen})


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that ``settings_from`` reads."""
    add = parser.add_argument
    add("--pooling", choices=POOLINGS, help="of the bi-encoder (default: as the model says)")
    add("--query-prefix", metavar="TEXT", help="before each claim (default: E5's for E5, or none)")
    add("--passage-prefix", metavar="TEXT", help="before each abstract, likewise")


def settings_from(options: argparse.Namespace, model: str | Path) -> EncoderSettings:
    """Return the settings of a model, as the command line says; raises as ``settings_of``."""
    return settings_of(
        model,
        pooling=options.pooling,
        query_prefix=options.query_prefix,
        passage_prefix=options.passage_prefix,
    )


def _saved_settings(folder: Path) -> EncoderSettings | None:
    path = folder / SETTINGS_FILE
    if not path.is_file():
        return None
    try:
        return EncoderSettings(**json.loads(path.read_text("utf-8")))
    except (TypeError, ValueError) as error:
        raise ModelError(f"{path} holds no settings of a bi-encoder: {error}") from error


def _declared_pooling(model: str | Path, revision: str | None) -> str | None:
    find = load("transformers.utils", extra="models").cached_file
    try:
        path = find(str(model), _POOLING_FILE, **({"revision": revision} if revision else {}))
    except (OSError, ValueError):
        return None
    if path is None:
        return None
    try:
        said = json.loads(Path(path).read_text("utf-8"))
        modes = [said["pooling_mode"]] if "pooling_mode" in said else _modes(said)
    except (TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{path} holds no pooling: {error}") from error
    if len(modes) != 1 or modes[0] not in POOLINGS:
        raise ModelError(
            f"{model} pools by {', '.join(map(str, modes)) or 'nothing'}; {' or '.join(POOLINGS)} "
            "is offered here (--pooling)"
        )
    return str(modes[0])


def _modes(said: Json) -> list[str]:
    names = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    chosen = [name for name, is_on in said.items() if name.startswith("pooling_mode_") and is_on]
    return [names.get(name, name.removeprefix("pooling_mode_")) for name in chosen]
