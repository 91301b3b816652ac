"""Fine-tunes a language model for task 2, and predicts with it.

From the project's folder, or from the kit's::

    python -m baselines.narrative_lm train --out models/narratives
    python -m baselines.narrative_lm predict --model models/narratives --out predictions.zip
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from baselines import paths
from baselines.emissions import measured
from baselines.libraries import MissingLibraryError
from baselines.narrative_lm.examples import examples
from baselines.narrative_lm.model import MODEL, Loaded
from baselines.narrative_lm.training import LoraSettings, train
from baselines.neural.fitting import check_folder, save_whole
from baselines.prediction_file import write_predictions
from baselines.sequence_classifier import ModelError
from climatecheck import GoldError, read_claims, read_gold


def main(arguments: Sequence[str] | None = None) -> int:
    """Train or predict; return 0, or 2 if something is missing."""
    options = _parser().parse_args(arguments)
    try:
        said: str = options.work(options)
    except (GoldError, MissingLibraryError, ModelError, OSError, ValueError) as error:
        print(f"Not done: {error}", file=sys.stderr)
        return 2
    print(said)
    return 0


def _train(options: argparse.Namespace) -> str:
    check_folder(options.out)
    settings = LoraSettings(
        epochs=options.epochs,
        learning_rate=options.learning_rate,
        batch_size=options.batch_size,
        accumulate=options.accumulate,
        most_steps=options.most_steps,
        seed=options.seed,
    )
    learned_from = examples(read_gold(options.train, tasks=("2",)))
    model = Loaded(options.model, device=options.device)
    facts = train(model, learned_from, settings)
    save_whole(options.out, model.save, facts)
    return (
        f"{options.out}: {facts['trainable_parameters']:,} parameters of adapters, trained on "
        f"{facts['examples']} claims in {facts['steps']} steps (mean loss {facts['loss']:.3f})."
    )


def _predict(options: argparse.Namespace) -> str:
    for path in filter(None, (options.out, options.emissions)):
        paths.check_output(path)
    claims = read_claims(options.claims)
    model = Loaded(options.model, device=options.device)
    with measured(options.emissions, options.country):
        made = model.answers(claims.texts, batch_size=options.batch_size, progress="claims")
    write_predictions(options.out, narratives=dict(zip(claims.ids, made, strict=True)))
    return f"{options.out}: narratives of {len(claims)} claims."


def _parser() -> argparse.ArgumentParser:
    settings = LoraSettings()
    parser = argparse.ArgumentParser(
        prog="python -m baselines.narrative_lm", description=(__doc__ or "").split("\n")[0]
    )
    commands = parser.add_subparsers(required=True)
    training = commands.add_parser("train", help="fine-tune with LoRA")
    training.set_defaults(work=_train)
    training.add_argument(
        "--train", type=Path, default=paths.training_data(), help="folder of the training gold"
    )
    training.add_argument("--out", type=Path, required=True, help="folder of the adapters")
    training.add_argument("--epochs", type=int, default=settings.epochs)
    training.add_argument("--learning-rate", type=float, default=settings.learning_rate)
    training.add_argument("--accumulate", type=int, default=settings.accumulate, metavar="PASSES")
    training.add_argument("--most-steps", type=int, help="end earlier, to try it out")
    training.add_argument("--seed", type=int, default=settings.seed)
    predicting = commands.add_parser("predict", help="write predictions.zip")
    predicting.set_defaults(work=_predict)
    predicting.add_argument("--claims", type=Path, default=paths.test_claims())
    predicting.add_argument("--out", type=Path, default=Path("predictions.zip"))
    predicting.add_argument(
        "--emissions", type=Path, metavar="FILE.json", help="measure with CodeCarbon"
    )
    predicting.add_argument(
        "--country", default="DEU", metavar="ABC", help="whose grid the power is from (ISO 3166-1)"
    )
    for command, size in ((training, settings.batch_size), (predicting, 16)):
        command.add_argument("--model", default=MODEL, help=f"id or folder (default {MODEL})")
        command.add_argument("--batch-size", type=int, default=size)
        command.add_argument("--device", help="such as cuda or cpu")
    return parser


if __name__ == "__main__":
    sys.exit(main())
