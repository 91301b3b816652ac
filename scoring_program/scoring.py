"""Validates and scores a submission, and writes the results page and the scores.

``python3 scoring.py [INPUT_DIR OUTPUT_DIR]``; INPUT_DIR holds ``ref`` (the reference data) and
``res`` (the submission, with files of the platform and of ingestion, which are not read). Exit
code 1, and no ``scores.json``, if the submission is refused or anything fails. In a blind bundle
there is no gold: the one value is 1 for an accepted submission and 0 for a refused one.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
if not (HERE / "climatecheck").is_dir():
    sys.path.insert(0, str(HERE.parent))

from climatecheck import edition, read_claims, read_gold, read_submission, score  # noqa: E402
from climatecheck.board import (  # noqa: E402
    BLIND_NOTICE,
    Board,
    Facts,
    read_board,
    read_facts,
)
from climatecheck.leaderboard import BLIND_COLUMN, scores_json  # noqa: E402
from climatecheck.problems import verdict  # noqa: E402
from climatecheck.results import receipt, results_page  # noqa: E402
from climatecheck.running import remove, run, say, write_atomically, write_last  # noqa: E402
from climatecheck.scoring import Scores  # noqa: E402
from climatecheck.tables import Submission  # noqa: E402

DEFAULTS = ("/app/input", "/app/output")
SCORES, PAGE = "scores.json", "detailed_results.html"


def main(arguments: Sequence[str], *, with_page: bool = True) -> int:
    """Score a submission; return 0, or 1 if it is refused (on a blind board 0 too)."""
    if len(arguments) not in (0, len(DEFAULTS)):
        say("Usage: python3 scoring.py [INPUT_DIR OUTPUT_DIR]")
        return 1
    inputs, output = map(Path, arguments or DEFAULTS)
    for name in (SCORES, PAGE):
        remove(output / name)
    reference, board = inputs / "ref", read_board(HERE / "board.json")
    claims = read_claims(reference / edition.CLAIMS_FILE)
    gold = None if board.blind else read_gold(reference, claims, tasks=board.tasks)
    facts = _facts(reference, board)
    submission = read_submission(inputs / "res", claims, tasks=board.tasks, from_platform=True)
    scores = score(submission, gold) if gold is not None and submission.valid else None
    if with_page:
        digest = gold.digest if gold is not None else ""
        proof = receipt(edition=facts.name, gold=digest, submission=submission.digest)
        page = results_page(submission, scores, board=board, facts=facts, receipt=proof)
        write_atomically(output / PAGE, page)
    if not submission.valid:
        for problem in submission.problems:
            say(problem.message)
    values = _values(submission, scores, board)
    if values is None:
        return 1
    # Whatever can fail comes before the scores, so that they are never there after a failure.
    print(table(scores, board) if scores else verdict(submission.problems), flush=True)
    write_last(output / SCORES, scores_json(values, board.columns))
    return 0


def _facts(reference: Path, board: Board) -> Facts:
    facts = read_facts(reference)
    if not board.blind:
        return facts
    return replace(facts, notice=f"{facts.notice} {BLIND_NOTICE}".strip())


def _values(submission: Submission, scores: Scores | None, board: Board) -> dict[str, float] | None:
    """Return what goes on the board; None if nothing does."""
    if board.blind:
        return {BLIND_COLUMN: float(submission.valid)}
    if scores is None:
        return None
    return {key: scores.board[key] for key in board.columns if key in scores.board}


def table(scores: Scores, board: Board) -> str:
    """Return the board's values, one a line."""
    width = max(map(len, board.columns))
    lines = [f"  {key:<{width}}  {scores.board[key]:.4f}" for key in board.columns]
    entered = ", ".join(f"task {task}" for task in scores.tasks)
    return "\n".join([f"Scored: {entered}.", *lines])


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
