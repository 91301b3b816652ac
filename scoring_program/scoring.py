"""Validates and scores a submission, and writes the results page and the scores.

``python3 scoring.py [INPUT_DIR OUTPUT_DIR]``; INPUT_DIR holds ``ref`` (the reference data) and
``res`` (the submission, with files of the platform and of ingestion, which are not read). Exit
code 1, and no ``scores.json``, if the submission is refused or anything fails.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
if not (HERE / "climatecheck").is_dir():
    sys.path.insert(0, str(HERE.parent))

from climatecheck import edition, read_claims, read_gold, read_submission, score  # noqa: E402
from climatecheck.board import Board, read_board, read_facts  # noqa: E402
from climatecheck.leaderboard import scores_json  # noqa: E402
from climatecheck.results import receipt, results_page  # noqa: E402
from climatecheck.running import remove, run, say, write_atomically  # noqa: E402
from climatecheck.scoring import Scores  # noqa: E402

DEFAULTS = ("/app/input", "/app/output")
SCORES, PAGE = "scores.json", "detailed_results.html"


def main(arguments: Sequence[str], *, with_page: bool = True) -> int:
    """Score a submission; return 0, or 1 if it is refused."""
    if len(arguments) not in (0, len(DEFAULTS)):
        say("Usage: python3 scoring.py [INPUT_DIR OUTPUT_DIR]")
        return 1
    inputs, output = map(Path, arguments or DEFAULTS)
    for name in (SCORES, PAGE):
        remove(output / name)
    reference, board = inputs / "ref", read_board(HERE / "board.json")
    claims = read_claims(reference / edition.CLAIMS_FILE)
    gold = read_gold(reference, claims)
    facts = read_facts(reference)
    submission = read_submission(inputs / "res", claims, tasks=board.tasks, from_platform=True)
    scores = score(submission, gold) if submission.valid else None
    if with_page:
        proof = receipt(edition=facts.name, gold=gold.digest, submission=submission.digest)
        page = results_page(submission, scores, board=board, facts=facts, receipt=proof)
        write_atomically(output / PAGE, page)
    if scores is None:
        for problem in submission.problems:
            say(problem.message)
        return 1
    print(table(scores, board))
    values = {key: scores.board[key] for key in board.columns if key in scores.board}
    write_atomically(output / SCORES, scores_json(values, board.columns))
    return 0


def table(scores: Scores, board: Board) -> str:
    """Return the board's values, one a line."""
    width = max(map(len, board.columns))
    lines = [f"  {key:<{width}}  {scores.board[key]:.4f}" for key in board.columns]
    entered = ", ".join(f"task {task}" for task in scores.tasks)
    return "\n".join([f"Scored: {entered}.", *lines])


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
