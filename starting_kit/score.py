"""Score a file on gold that you have, by default the training gold.

    python score.py FILE [--gold FOLDER] [--split dev] [--per-claim OUT.csv]

FILE is a zip, a folder or a CSV file. FOLDER holds claims.csv, task1_gold.csv and task2_gold.csv;
a task of which it has no gold is not scored.
The development split is about a fifth of the claims, near-duplicates together; only these count.
Exit code: 0 scored, 1 the file is refused, 2 nothing could be scored.
"""

from __future__ import annotations  # so that an older Python can say that it is too old

import argparse
import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from validate import (
    ACCEPTED,
    TRAIN,
    NotCheckedError,
    board,
    existing,
    path_of_test_claims,
    report,
    run,
)

if TYPE_CHECKING:
    from climatecheck.scoring import Scores
    from climatecheck.tables import Booleans, Gold, Submission

CAN_AND_CANNOT = """
What a score on the training gold can tell: whether your file says what you mean, and which of two
systems is better on these claims. What it cannot tell: your score on the test claims.
- Training claims have fewer evidentiary abstracts (here {mean:.1f} for a claim that has any), so
  recall comes more easily. Compare it with the attainable maximum.
- Fewer of the retrieved abstracts are judged at all, so verification rests on fewer pairs.
- A system that was trained on these claims has seen the answers. Hold some claims back: those of
  the development split, which --split dev scores alone."""


def _score(options: argparse.Namespace) -> int:
    from climatecheck import GoldError, read_gold, read_submission, score

    path, folder = existing(options.file), existing(options.gold)
    if options.per_claim:
        _check_writable(options.per_claim)
    try:
        gold = read_gold(folder, tasks=())
    except GoldError as error:
        raise NotCheckedError(f"the gold in “{folder}” cannot be used. {error}") from error
    tasks = _tasks(gold, folder)
    chosen = _chosen(gold, options.split)
    submission = read_submission(path, gold.claims, tasks=tasks)
    if options.split:
        submission = _without_left_out(submission)
    exit_code = report(submission)
    if exit_code == ACCEPTED:
        if options.split:
            _print_split(submission, chosen)
        scores = score(submission, gold)
        if options.per_claim:
            scores.per_claim()[chosen].to_csv(options.per_claim, index=False)
        _print_scores(scores, tasks, chosen, _name(folder, options.split))
        if folder.resolve() == TRAIN and "1" in gold.tasks:
            print(CAN_AND_CANNOT.format(mean=_mean_evidentiary(gold, chosen)))
        if folder.resolve() == TRAIN:
            _print_notice()
        if options.per_claim:
            print(f"\nA row a claim is in {options.per_claim}.")
    return exit_code


def _check_writable(path: Path) -> None:
    """Look at the path of an output before the work for it is done.

    Raises:
        NotCheckedError: no file can be written there.
    """
    if not path.parent.is_dir():
        raise NotCheckedError(f"there is no folder “{path.parent}” to write “{path.name}” to")
    if path.is_dir():
        raise NotCheckedError(f"“{path}” is a folder; name a file, such as per_claim.csv")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise NotCheckedError(f"“{path}” may not be written")


def _tasks(gold: Gold, folder: Path) -> tuple[str, ...]:
    """Return the tasks of the site's board that have gold; say which have none.

    Raises:
        NotCheckedError: none has any.
    """
    scored = tuple(task for task in board().tasks if task in gold.tasks)
    if not scored:
        raise NotCheckedError(f"“{folder}” has no gold of what the site scores")
    for task in board().tasks:
        if task not in scored:
            print(f"There is no gold of task {task} in “{folder}”: it is not scored here.")
    return scored


def _chosen(gold: Gold, split: str | None) -> Booleans:
    """Return which claims count, (claims,).

    Raises:
        NotCheckedError: none of them has an evidentiary abstract.
    """
    import numpy as np

    from baselines.splits import development

    chosen = development(gold) if split else np.ones(len(gold.claims), dtype=np.bool_)
    if "1" in gold.tasks and not _evidentiary_claims(gold, chosen):
        raise NotCheckedError("there are too few claims: none of the split has evidence to find")
    return chosen


def _without_left_out(submission: Submission) -> Submission:
    """Return the submission without the remark on claims left out: those of no split may be."""
    from climatecheck.problem_table import CLAIMS_LEFT_OUT

    kept = tuple(problem for problem in submission.problems if problem.kind != CLAIMS_LEFT_OUT)
    return dataclasses.replace(submission, problems=kept)


def _print_split(submission: Submission, chosen: Booleans) -> None:
    for table, what in (
        (submission.task1, "retrieved abstracts"),
        (submission.task2, "narratives"),
    ):
        missing = set(chosen.nonzero()[0].tolist()).difference(
            table.claim.tolist() if table else ()
        )
        if table is not None and missing:
            print(f"{len(missing)} claims of the split have no {what}; each counts 0.")


def _name(folder: Path, split: str | None) -> str:
    name = "the training gold" if folder.resolve() == TRAIN else f"“{folder}”"
    return f"the development split of {name}" if split else name


def _print_scores(scores: Scores, tasks: tuple[str, ...], chosen: Booleans, name: str) -> None:
    from climatecheck.leaderboard import board_columns
    from climatecheck.scoring import board_values

    weights = None if chosen.all() else chosen
    attainable = _attainable(scores, weights)
    print(f"\nScores on the {chosen.sum()} claims of {name} (0: task not entered):\n")
    values = board_values(scores.counts, weights)
    for column in board_columns(tasks):
        value = values[column]
        beside = f"   attainable: {attainable[column]:.3f}" if column in attainable else ""
        print(f"  {column:<26} {value:.3f}{beside}")


def _attainable(scores: Scores, weights: Booleans | None) -> dict[str, float]:
    """Return the greatest Recall@K that any file can reach on this gold, by column."""
    from climatecheck.leaderboard import recall_column
    from climatecheck.metrics import recall

    if scores.counts.retrieval is None:
        return {}
    counts = scores.counts.retrieval.recall
    return {recall_column(k): float(recall.attainable(of_k, weights)) for k, of_k in counts.items()}


def _evidentiary_claims(gold: Gold, chosen: Booleans) -> list[int]:
    """Return the claim of each evidentiary pair of a chosen claim."""
    from climatecheck.metrics.judgements import is_evidentiary

    claims: list[int] = gold.claim[is_evidentiary(gold.label) & chosen[gold.claim]].tolist()
    return claims


def _mean_evidentiary(gold: Gold, chosen: Booleans) -> float:
    """Return how many evidentiary abstracts a chosen claim has that has any."""
    claims = _evidentiary_claims(gold, chosen)
    return len(claims) / len(set(claims))


def _print_notice() -> None:
    """Print what must be said of the kit's data, if they are synthetic."""
    path = path_of_test_claims().with_name("edition.json")
    facts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if facts.get("notice"):
        print(f"\n{facts['notice']}")


def main() -> int:
    """Read the command line and score."""
    parser = argparse.ArgumentParser(description="Score a file on gold that you have.")
    parser.add_argument("file", type=Path, help="a zip, a folder or a CSV file")
    parser.add_argument("--gold", type=Path, default=TRAIN, help="folder (default: data/train)")
    parser.add_argument("--split", choices=["dev"], help="score the development split alone")
    parser.add_argument(
        "--per-claim", type=Path, metavar="OUT.csv", help="write a row for each claim here"
    )
    options = parser.parse_args()
    return run(lambda: _score(options))


if __name__ == "__main__":
    sys.exit(main())
