"""Score a file on gold that you have, by default the training gold.

    python score.py FILE [--gold FOLDER] [--per-claim OUT.csv]

FILE is a zip, a folder or a CSV file. FOLDER holds claims.csv, task1_gold.csv and task2_gold.csv.
Exit code: 0 scored, 1 the file is refused, 2 nothing could be scored.
"""

from __future__ import annotations  # so that an older Python can say that it is too old

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from validate import (
    ACCEPTED,
    TRAIN,
    NotCheckedError,
    existing,
    path_of_test_claims,
    report,
    run,
)

if TYPE_CHECKING:
    from climatecheck.scoring import Scores
    from climatecheck.tables import Gold

CAN_AND_CANNOT = """
What a score on the training gold can tell: whether your file says what you mean, and which of two
systems is better on these claims. What it cannot tell: your score on the test claims.
- Training claims have fewer evidentiary abstracts (here {mean:.1f} for a claim that has any), so
  recall comes more easily. Compare it with the attainable maximum.
- Fewer of the retrieved abstracts are judged at all, so verification rests on fewer pairs.
- A system that was trained on these claims has seen the answers. Hold some claims back."""


def _score(options: argparse.Namespace) -> int:
    from climatecheck import GoldError, read_gold, read_submission, score

    path, folder = existing(options.file), existing(options.gold)
    try:
        gold = read_gold(folder)
    except GoldError as error:
        raise NotCheckedError(f"the gold in “{folder}” cannot be used. {error}") from error
    submission = read_submission(path, gold.claims)
    exit_code = report(submission)
    if exit_code == ACCEPTED:
        scores = score(submission, gold)
        _print_scores(scores, gold, folder)
        if options.per_claim:
            scores.per_claim().to_csv(options.per_claim, index=False)
            print(f"\nA row a claim is in {options.per_claim}.")
    return exit_code


def _print_scores(scores: Scores, gold: Gold, folder: Path) -> None:
    attainable = _attainable(scores)
    name = "the training gold" if folder.resolve() == TRAIN else f"“{folder}”"
    print(f"\nScores on the {len(gold.claims)} claims of {name} (0: task not entered):\n")
    for column, value in scores.board.items():
        beside = f"   attainable: {attainable[column]:.3f}" if column in attainable else ""
        print(f"  {column:<26} {value:.3f}{beside}")
    if folder.resolve() == TRAIN:
        print(CAN_AND_CANNOT.format(mean=_mean_evidentiary(gold)))
        _print_notice()


def _attainable(scores: Scores) -> dict[str, float]:
    """Return the greatest Recall@K that any file can reach on this gold, by column."""
    from climatecheck.leaderboard import recall_column
    from climatecheck.metrics import recall

    if scores.counts.retrieval is None:
        return {}
    counts = scores.counts.retrieval.recall
    return {recall_column(k): float(recall.attainable(of_k)) for k, of_k in counts.items()}


def _mean_evidentiary(gold: Gold) -> float:
    """Return how many evidentiary abstracts a claim has that has any."""
    from climatecheck.metrics.judgements import is_evidentiary

    claims = gold.claim[is_evidentiary(gold.label)].tolist()
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
    parser.add_argument(
        "--per-claim", type=Path, metavar="OUT.csv", help="write a row for each claim here"
    )
    options = parser.parse_args()
    return run(lambda: _score(options))


if __name__ == "__main__":
    sys.exit(main())
