"""A classifier of claim-abstract pairs in training, and how well it does on each label."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from baselines.libraries import load
from baselines.pair_model import Pair
from baselines.sequence_classifier import (
    MAX_LENGTH,
    ModelError,
    device_of,
    label_columns,
    load_pretrained,
    tokens_of,
)
from climatecheck import edition
from climatecheck.tables import Floats, Integers

LabelledPair: TypeAlias = tuple[Pair, int]


class Trainee:
    """A model in training.

    Args:
        model: id at the Hugging Face hub, or a folder. A head whose outputs can be told to be the
            three labels is kept; any other is made anew.
        max_length: most tokens of a pair; the longer of both texts is cut.
        device: such as ``cpu`` or ``cuda``; None takes a GPU if there is one.
        seed: of a new head.

    Raises:
        ModelError: if the model cannot be loaded.
        MissingLibraryError: if torch or transformers is not installed.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        max_length: int = MAX_LENGTH,
        device: str | None = None,
        seed: int = 0,
    ) -> None:
        self._torch = load("torch", extra="models")
        self._torch.manual_seed(seed)
        self.device = device_of(device)
        self._tokenizer, loaded, self._columns = _with_three_outputs(model)
        self.network: Any = loaded.float().to(self.device)
        self._max_length = min(max_length, int(self._tokenizer.model_max_length))

    def loss(self, batch: Sequence[LabelledPair]) -> Any:
        """Return the mean cross-entropy of a batch."""
        target = self._torch.tensor([label for _, label in batch], device=self.device)
        return self._torch.nn.functional.cross_entropy(
            self._logits([pair for pair, _ in batch]).float(), target
        )

    def predicted(self, pairs: Sequence[Pair], size: int) -> Integers:
        """Return the (pairs,) most probable labels."""
        self.network.eval()
        order = np.argsort([-len(claim) - len(abstract) for claim, abstract in pairs])
        made = np.zeros(len(pairs), dtype=np.int64)
        with self._torch.inference_mode():
            for start in range(0, len(order), size):
                part = order[start : start + size]
                made[part] = self._logits([pairs[i] for i in part]).argmax(1).cpu().numpy()
        return made

    def save(self, folder: Path) -> None:
        """Write model and tokenizer; ``SequenceClassifier(folder)`` reads them."""
        self.network.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)

    def _logits(self, pairs: Sequence[Pair]) -> Any:
        turned = [(abstract, claim) for claim, abstract in pairs]
        tokens = tokens_of(self._tokenizer, turned, self._max_length).to(self.device)
        return self.network(**tokens).logits[:, self._columns]


def accuracy_by_label(gold: Integers, predicted: Integers) -> Floats:
    """Return for each label the share of its gold pairs that are predicted so; NaN without any.

    >>> accuracy_by_label(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])).tolist()
    [0.5, 1.0, nan]
    """
    labels = range(len(edition.LABELS))
    right = [predicted[gold == k] == k for k in labels]
    return np.array([of_label.mean() if len(of_label) else np.nan for of_label in right])


def worst_label(gold: Integers, predicted: Integers) -> float:
    """Return the lowest accuracy of a label that occurs."""
    return float(np.nanmin(accuracy_by_label(gold, predicted)))


def accuracy(gold: Integers, predicted: Integers) -> float:
    """Return the share of pairs that are predicted right."""
    return float((gold == predicted).mean())


def _with_three_outputs(model: str | Path) -> tuple[Any, Any, list[int]]:
    kind = "AutoModelForSequenceClassification"
    names = dict(enumerate(edition.LABELS))
    config = load("transformers", extra="models").AutoConfig
    try:
        known = config.from_pretrained(str(model)).id2label
        columns = label_columns(known, None)
    except ModelError:
        _, tokenizer, loaded = load_pretrained(
            model,
            kind,
            num_labels=len(names),
            id2label=names,
            label2id={label: k for k, label in names.items()},
            ignore_mismatched_sizes=True,
        )
        return tokenizer, loaded, list(names)
    except (OSError, ValueError):
        columns = []  # the loader says what is wrong
    _, tokenizer, loaded = load_pretrained(model, kind)
    return tokenizer, loaded, columns
