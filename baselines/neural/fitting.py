"""The training loop of every model here: AdamW, linear warm-up and decline, clipped gradients."""

import json
import math
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from baselines.libraries import load
from baselines.progress import Progress
from climatecheck.tables import Json

T = TypeVar("T")

_FACTS = "training.json"
_MODELS = ("config.json", "adapter_config.json")


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to learn.

    Attributes:
        epochs: times that each example is seen.
        batch_size: examples a step.
        learning_rate: at its highest.
        warmup_steps: steps until it is reached; then it falls to 0 in a straight line. None takes a
            tenth of all steps.
        weight_decay: of AdamW; biases and normalisation weights are spared.
        clip: longest gradient.
        most_steps: ends earlier; None does not.
        seed: of the order of the examples, and of dropout.
    """

    epochs: int = 3
    batch_size: int = 32
    learning_rate: float = 2e-5
    warmup_steps: int | None = None
    weight_decay: float = 0.01
    clip: float = 1.0
    most_steps: int | None = None
    seed: int = 0

    def steps(self, examples: int) -> int:
        """Return how many steps there are with so many examples.

        >>> Schedule(epochs=3, batch_size=32).steps(100), Schedule(most_steps=2).steps(100)
        (12, 2)
        """
        all_ = self.epochs * math.ceil(examples / self.batch_size)
        return all_ if self.most_steps is None else min(all_, self.most_steps)

    def share(self, step: int, steps: int) -> float:
        """Return the learning rate of a step (from 0), as a share of the highest.

        >>> [Schedule(warmup_steps=2).share(step, 6) for step in range(6)]
        [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]
        """
        warmup = self.warmup_steps if self.warmup_steps is not None else steps // 10
        warmup = min(warmup, steps)
        if step < warmup:
            return (step + 1) / warmup
        return (steps - step) / max(1, steps - warmup)


def fit(
    network: Any,
    examples: Sequence[T],
    loss_of: Callable[[list[T]], Any],
    schedule: Schedule,
    *,
    device: str,
    after_step: Callable[[int, int, float], None] | None = None,
    progress: str | None = None,
) -> list[float]:
    """Train a network in place and return the loss of each step.

    A GPU that can computes in bfloat16, with weights in single precision. The same seed, library
    versions and device give the same weights, but for what a GPU adds in another order.

    Args:
        network: a ``torch.nn.Module`` with weights in single precision.
        examples: what it learns from; shuffled for each epoch.
        loss_of: gives the loss of a batch, with its gradients.
        schedule: how long and how fast.
        device: where the network is.
        after_step: called with the number of steps done, that of all steps, and the loss.
        progress: title of a progress bar; None shows none.

    Raises:
        ValueError: if there are no examples, or a loss is not finite.
    """
    torch = load("torch", extra="models")
    if not examples:
        raise ValueError("there is nothing to learn from")
    steps = schedule.steps(len(examples))
    torch.manual_seed(schedule.seed)
    optimiser = torch.optim.AdamW(_groups(network, schedule), lr=schedule.learning_rate)
    losses: list[float] = []
    with Progress(progress, steps) as bar:
        for step, batch in zip(range(steps), _batches(examples, schedule), strict=False):
            for group in optimiser.param_groups:
                group["lr"] = schedule.learning_rate * schedule.share(step, steps)
            network.train()
            optimiser.zero_grad(set_to_none=True)
            with _precision(torch, device):
                loss = loss_of(batch)
            losses.append(float(loss.detach()))
            if not math.isfinite(losses[-1]):
                raise ValueError(f"the loss of step {step + 1} is {losses[-1]}")
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), schedule.clip)
            optimiser.step()
            bar.advance()
            if after_step is not None:
                after_step(step + 1, steps, losses[-1])
    network.eval()
    return losses


def check_folder(folder: Path) -> None:
    """See before a training that its model can be saved in a folder, and nothing else is lost.

    The folder may be absent, empty, or hold a model that was trained here.

    Raises:
        ValueError: anything else stands there, or it is no place for a model.
        OSError: it cannot be made.
    """
    if os.path.lexists(folder):
        if folder.is_symlink() or not folder.is_dir():
            raise ValueError(f"{folder} is there and no folder; it will not be replaced")
        whole = folder.resolve()
        here = Path.cwd().resolve()
        kept = (Path.home().resolve(), here, *here.parents)
        if os.path.ismount(whole) or whole in kept or whole.parent == Path(whole.anchor):
            raise ValueError(f"{folder} is no place for a model; name a folder within it")
        if any(whole.iterdir()) and not _was_trained_here(whole):
            raise ValueError(f"{folder} holds something else than a model that was trained here")
    parent = folder.resolve().parent
    parent.mkdir(parents=True, exist_ok=True)
    if not os.access(parent, os.W_OK):
        raise PermissionError(f"the folder {parent} cannot be written")


def save_whole(folder: Path, save: Callable[[Path], None], facts: Json) -> None:
    """Write a model's folder and, in ``training.json``, how it came about; whole or not at all.

    Raises:
        ValueError, OSError: as ``check_folder``.
    """
    check_folder(folder)
    folder = folder.resolve()
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as beside:
        new, old = Path(beside, "new"), Path(beside, "old")
        new.mkdir()
        save(new)
        (new / _FACTS).write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
        if folder.exists():
            os.replace(folder, old)
        try:
            os.replace(new, folder)
        except OSError:
            if old.exists():
                os.replace(old, folder)
            raise


def _was_trained_here(folder: Path) -> bool:
    return (folder / _FACTS).is_file() and any((folder / name).is_file() for name in _MODELS)


def _batches(examples: Sequence[T], schedule: Schedule) -> Iterator[list[T]]:
    chance = np.random.default_rng(schedule.seed)
    size = schedule.batch_size
    for _ in range(schedule.epochs):
        order = chance.permutation(len(examples)).tolist()
        for start in range(0, len(order), size):
            yield [examples[i] for i in order[start : start + size]]


def _groups(network: Any, schedule: Schedule) -> list[dict[str, Any]]:
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    return [
        {"params": [w for w in weights if w.ndim > 1], "weight_decay": schedule.weight_decay},
        {"params": [w for w in weights if w.ndim <= 1], "weight_decay": 0.0},
    ]


def _precision(torch: Any, device: str) -> Any:
    if device.startswith("cuda") and torch.cuda.is_bf16_supported():
        return torch.autocast("cuda", dtype=torch.bfloat16)
    return nullcontext()
