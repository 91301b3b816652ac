"""Fine-tunes a classifier of claim-abstract pairs and keeps its best checkpoint.

From the project's folder, or from the kit's::

    python -m baselines.neural.train_classifier --out models/classifier

Two presets: ``verification`` starts from a model of natural language inference and keeps the
checkpoint with the highest minimum per-label accuracy (the paper's baseline, section 6); ``proxy``
has the settings of the classifier that Ev2R asks (Appendix C) and keeps the most accurate one.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from baselines import paths
from baselines.libraries import MissingLibraryError
from baselines.neural.fitting import Schedule, check_folder, fit, save_whole
from baselines.neural.pairs_file import read_pairs
from baselines.neural.trainee import Trainee, accuracy, accuracy_by_label, worst_label
from baselines.pair_model import LabelledPairs, read_labelled_pairs
from baselines.sequence_classifier import MAX_LENGTH, ModelError, SequenceClassifier
from baselines.splits import development
from climatecheck import GoldError, edition, read_gold
from climatecheck.tables import Integers, Json

CLASSIFIER = "MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli"
PROXY_BASE = "microsoft/deberta-v3-large"

CRITERIA = {"lowest accuracy of a label": worst_label, "accuracy": accuracy}
LOWEST, WHOLE = CRITERIA


@dataclass(frozen=True)
class Preset:
    """Settings of a training.

    Attributes:
        model: where it starts.
        schedule: how long and how fast.
        evaluate_every: steps between two looks at the held-out pairs; None looks after each epoch.
        criterion: one of ``CRITERIA``; a checkpoint with a higher value is kept; the first, in a
            tie.
        max_length: most tokens of a pair.
    """

    model: str
    schedule: Schedule
    evaluate_every: int | None
    criterion: str
    max_length: int = MAX_LENGTH


PRESETS = {
    "verification": Preset(CLASSIFIER, Schedule(3, 16, 5e-6), None, LOWEST),
    "proxy": Preset(
        PROXY_BASE, Schedule(3, 32, 2e-6, warmup_steps=200), 2_000, WHOLE, max_length=320
    ),
}


def train(
    trainee: Trainee, data: LabelledPairs, held_out: LabelledPairs, preset: Preset, out: Path
) -> Json:
    """Fine-tune in place, keep the best checkpoint in a folder, and return facts about it.

    Raises:
        ValueError: if there is nothing to learn from or nothing held out.
    """
    if not len(held_out):
        raise ValueError("no pair is held out, so no checkpoint can be chosen")
    pairs = list(zip(data.pairs, data.label.tolist(), strict=True))
    schedule = preset.schedule
    every = preset.evaluate_every or schedule.steps(len(pairs)) // schedule.epochs
    facts: Json = {
        "preset": asdict(preset),
        "pairs": len(data),
        "held_out_pairs": len(held_out),
        "checkpoints": [],
    }

    def look(step: int, steps: int, loss: float) -> None:
        if step % max(1, every) and step != steps:
            return
        predicted = trainee.predicted(held_out.pairs, schedule.batch_size * 2)
        value = CRITERIA[preset.criterion](held_out.label, predicted)
        facts["checkpoints"].append(
            {
                "step": step,
                "loss": loss,
                "value": value,
                "accuracy": accuracy(held_out.label, predicted),
                "by_label": _by_label(held_out.label, predicted),
            }
        )
        if value > facts.get("value", -1.0):
            facts.update(value=value, step=step)
            save_whole(out, trainee.save, facts)

    fit(
        trainee.network,
        pairs,
        trainee.loss,
        schedule,
        device=trainee.device,
        after_step=look,
        progress="training the classifier",
    )
    return facts


def _by_label(gold: Integers, predicted: Integers) -> dict[str, float | None]:
    values = accuracy_by_label(gold, predicted).tolist()
    return {
        label: None if np.isnan(value) else value
        for label, value in zip(edition.LABELS, values, strict=True)
    }


def split(folder: Path, abstracts: Path) -> tuple[LabelledPairs, LabelledPairs]:
    """Return the judged pairs of a folder: those to learn from, and those of the claims held out.

    Raises:
        GoldError, TextError: as ``read_labelled_pairs``.
    """
    data = read_labelled_pairs(folder, abstracts)
    held_out = development(read_gold(folder, tasks=("1",)))[data.claim]
    return data.part(np.flatnonzero(~held_out)), data.part(np.flatnonzero(held_out))


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and save a classifier; return 0, or 2 if something is missing."""
    options = _parser().parse_args(arguments)
    preset = _chosen(options)
    try:
        check_folder(options.out)
        data, held_out = split(options.train, options.abstracts)
        for path in options.more:
            data = _joined(data, read_pairs(path))
        trainee = Trainee(
            preset.model,
            max_length=preset.max_length,
            device=options.device,
            seed=preset.schedule.seed,
        )
        if options.save_memory:
            trainee.network.gradient_checkpointing_enable()
        facts = train(trainee, data, held_out, preset, options.out)
        SequenceClassifier(options.out, device="cpu")  # what was written can be read
    except (GoldError, MissingLibraryError, ModelError, OSError, ValueError) as error:
        print(f"Not done: {error}", file=sys.stderr)
        return 2
    print(
        f"{options.out}: the checkpoint after step {facts['step']}, {preset.criterion} "
        f"{facts['value']:.3f} on {len(held_out)} pairs of claims held out."
    )
    return 0


def _joined(data: LabelledPairs, more: LabelledPairs) -> LabelledPairs:
    first = int(data.claim.max(initial=-1)) + 1
    return LabelledPairs(
        data.pairs + more.pairs,
        np.concatenate([data.label, more.label]),
        np.concatenate([data.claim, more.claim + first]),
    )


def _chosen(options: argparse.Namespace) -> Preset:
    preset = PRESETS[options.preset]
    given = {
        name: value
        for name in ("epochs", "batch_size", "learning_rate", "most_steps", "seed")
        if (value := getattr(options, name)) is not None
    }
    return replace(
        preset,
        model=options.model or preset.model,
        schedule=replace(preset.schedule, **given),
        evaluate_every=options.evaluate_every or preset.evaluate_every,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m baselines.neural.train_classifier",
        description=(__doc__ or "").split("\n")[0],
    )
    parser.add_argument(
        "--train", type=Path, default=paths.training_data(), help="folder of the training pairs"
    )
    parser.add_argument(
        "--abstracts", type=Path, default=paths.abstracts(), help="texts of the abstracts"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the new model")
    parser.add_argument(
        "--more",
        type=Path,
        action="append",
        default=[],
        help="CSV or JSONL of further pairs (columns claim, abstract, label); may be repeated",
    )
    parser.add_argument("--preset", choices=list(PRESETS), default="verification")
    parser.add_argument("--model", help="id or folder in place of the preset's")
    for name, kind in (("epochs", int), ("batch-size", int), ("learning-rate", float)):
        parser.add_argument(f"--{name}", type=kind, help="in place of the preset's")
    parser.add_argument("--evaluate-every", type=int, metavar="STEPS")
    parser.add_argument("--most-steps", type=int, help="end earlier, to try it out")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--device", help="such as cuda or cpu")
    parser.add_argument(
        "--save-memory", action="store_true", help="compute activations twice, to keep fewer"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
