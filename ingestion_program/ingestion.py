"""Reads a submission, says what was understood, and writes that to ``validated/``.

``python3 ingestion.py [SUBMISSION_DIR INPUT_DATA_DIR OUTPUT_DIR]``; the platform's own folders are
the defaults. Exit code 1 if the submission is refused. Scoring reads the submission itself: what
is written here is for people to look at.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
if not (HERE / "climatecheck").is_dir():
    sys.path.insert(0, str(HERE.parent))

from climatecheck import edition, read_claims, read_submission  # noqa: E402
from climatecheck.board import read_board  # noqa: E402
from climatecheck.running import remove, run, say, write_atomically  # noqa: E402
from climatecheck.summary import (  # noqa: E402
    summary,
    task1_csv,
    task2_csv,
    validation_json,
)

DEFAULTS = ("/app/ingested_program", "/app/input_data", "/app/output")
VALIDATED = "validated"


def main(arguments: Sequence[str]) -> int:
    """Validate a submission; return 0 if it is accepted, else 1."""
    if len(arguments) not in (0, len(DEFAULTS)):
        say("Usage: python3 ingestion.py [SUBMISSION_DIR INPUT_DATA_DIR OUTPUT_DIR]")
        return 1
    source, inputs, output = map(Path, arguments or DEFAULTS)
    folder = output / VALIDATED
    remove(folder)
    claims = read_claims(inputs / edition.CLAIMS_FILE)
    submission = read_submission(source, claims, tasks=read_board(HERE / "board.json").tasks)

    folder.mkdir()
    if submission.task1 is not None:
        write_atomically(folder / edition.TASK1_FILE, task1_csv(submission.task1, claims))
    if submission.task2 is not None:
        write_atomically(folder / edition.TASK2_FILE, task2_csv(submission.task2, claims))
    validation = json.dumps(validation_json(submission), indent=2, ensure_ascii=False) + "\n"
    write_atomically(folder / "validation.json", validation)

    print(summary(submission))
    for problem in submission.problems:
        if problem.is_error:
            say(problem.message)
    return 0 if submission.valid else 1


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
