"""Asks a language model, at any OpenAI-compatible endpoint, for narratives or labels.

Settings stand in a file and in the environment (see ``baselines/chat/settings.py``); the key in the
environment alone. From the project's folder, or from the kit's::

    export CLIMATECHECK_CHAT_BASE_URL=http://localhost:8000/v1 CLIMATECHECK_CHAT_MODEL=qwen3
    python -m baselines.prompting narratives --strategy hierarchical --out task2.zip
    python -m baselines.prompting verification --retrieved task1.zip --abstracts corpus.parquet
    python -m baselines.prompting compare --dev
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from baselines import paths
from baselines.chat import ChatSettings, SettingsError, approximate_tokens
from baselines.emissions import measured
from baselines.libraries import MissingLibraryError
from baselines.narrative_aware import comparison, table
from baselines.prediction_file import Retrieved, write_predictions
from baselines.prompting import tasks
from baselines.prompting.questions import RunEnded, put
from baselines.prompting.strategies import NARRATIVES, VERIFICATION, Strategy
from climatecheck import GoldError, read_claims

ENDED_EARLY = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask; return 0, 2 if something is missing, or 3 if the run ended without predictions."""
    options = _parser().parse_args(arguments)
    try:
        with measured(options.emissions, options.country):
            said: str = options.work(options)
    except RunEnded as error:
        keeps = options.answers and error.answered
        kept = f"; {options.answers} keeps them: run again to go on" if keeps else ""
        print(f"Not done: {error}{kept}.", file=sys.stderr)
        return ENDED_EARLY
    except (GoldError, MissingLibraryError, SettingsError, OSError, ValueError) as error:
        print(f"Not done: {error}", file=sys.stderr)
        return 2
    print(said)
    return 0


def _narratives(options: argparse.Namespace) -> str:
    strategy, claims = NARRATIVES[options.strategy], read_claims(options.claims)
    asked = tasks.narrative_questions(claims, strategy)
    if options.dry_run:
        return _costs(asked)
    paths.check_output(options.out)
    answers = _asked(asked, strategy, options)
    made = {id_: answers[name] for id_, name in zip(claims.ids, asked, strict=True)}
    write_predictions(options.out, narratives=made)
    return f"{options.out}: narratives of {len(made)} claims."


def _verification(options: argparse.Namespace) -> str:
    strategy, claims = VERIFICATION[options.strategy], read_claims(options.claims)
    retrieved = tasks.read_predictions(options.retrieved, claims)
    rows, codes, aware_of = tasks.rows_of(retrieved), tasks.codes_of_claims(retrieved), {}
    if options.narratives:
        codes = aware_of = tasks.codes_of_claims(tasks.read_predictions(options.narratives, claims))
    abstracts = tasks.texts_of(rows, options.abstracts)
    asked = tasks.label_questions(rows, claims, abstracts, strategy, aware_of)
    if options.dry_run:
        return _costs(asked)
    paths.check_output(options.out)
    answers = _asked(asked, strategy, options)
    labelled = [Retrieved(row.claim, row.abstract, answers[tasks.question(row)]) for row in rows]
    narratives = {claim: ";".join(of_claim) for claim, of_claim in codes.items()}
    write_predictions(options.out, labelled, narratives or None)
    return f"{options.out}: labels of {len(rows)} pairs."


def _compare(options: argparse.Namespace) -> str:
    strategy = VERIFICATION[options.strategy]
    judged = tasks.judged(
        options.train_data, options.abstracts, options.narratives, dev=options.dev
    )
    both = [
        tasks.label_questions(judged.rows, judged.claims, judged.abstracts, strategy, codes)
        for codes in ({}, judged.codes)
    ]
    if options.dry_run:
        return "\n".join(map(_costs, both))
    without, with_ = (judged.labels(_asked(asked, strategy, options)) for asked in both)
    return (
        "Weighted F1 of the verifier on judged pairs, without and with the predicted narrative\n"
        "groups, by the groups of the gold:\n\n"
        + table(comparison(judged.data, judged.gold, without, with_))
    )


def _asked(
    questions: tasks.Questions, strategy: Strategy[str], options: argparse.Namespace
) -> Mapping[str, str]:
    settings = ChatSettings.read(options.settings)
    outcome = put(questions, strategy, settings, answers=options.answers, progress="questions")
    print(outcome.log(strategy.default), file=sys.stderr)
    return outcome.values


def _costs(questions: tasks.Questions) -> str:
    tokens = sum(map(approximate_tokens, questions.values()))
    return f"{len(questions)} questions of about {tokens:,} tokens in all, answers not counted."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m baselines.prompting", description=(__doc__ or "").split("\n")[0]
    )
    commands = parser.add_subparsers(required=True)
    narratives = commands.add_parser("narratives", help="task 2")
    narratives.set_defaults(work=_narratives)
    narratives.add_argument("--strategy", choices=list(NARRATIVES), default="direct")
    verification = commands.add_parser("verification", help="task 1.2, of retrieved abstracts")
    verification.set_defaults(work=_verification)
    verification.add_argument(
        "--retrieved", type=Path, required=True, help="predictions whose abstracts are labelled"
    )
    compare = commands.add_parser("compare", help="verification without and with the narrative")
    compare.set_defaults(work=_compare)
    compare.add_argument("--train-data", type=Path, default=paths.training_data())
    compare.add_argument("--dev", action="store_true", help="the development split alone")
    for command in (verification, compare):
        command.add_argument("--abstracts", type=Path, default=paths.abstracts())
        command.add_argument(
            "--narratives", type=Path, help="predictions whose narrative groups the verifier knows"
        )
        command.add_argument("--strategy", choices=list(VERIFICATION), default="explanation-first")
    for command in (narratives, verification):
        command.add_argument("--claims", type=Path, default=paths.test_claims())
        command.add_argument("--out", type=Path, default=Path("predictions.zip"))
    for command in (narratives, verification, compare):
        command.add_argument("--settings", type=Path, help="YAML, TOML or JSON file")
        command.add_argument("--answers", type=Path, help="JSONL file that keeps every answer")
        command.add_argument("--dry-run", action="store_true", help="count, and ask nothing")
        command.add_argument("--emissions", type=Path, metavar="FILE.json")
        command.add_argument("--country", default="DEU", metavar="ABC")
    return parser


if __name__ == "__main__":
    sys.exit(main())
