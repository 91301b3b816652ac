"""Say whether the site would accept a file, and everything that is wrong with it.

    python validate.py FILE            against the test claims
    python validate.py FILE --train    against the training claims

FILE is a zip, a folder or a CSV file. Exit code: 0 accepted, 1 refused, 2 nothing could be checked.
"""

from __future__ import annotations  # so that an older Python can say that it is too old

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))  # where climatecheck stands in the project; in the kit: HERE

if TYPE_CHECKING:
    from climatecheck.board import Board
    from climatecheck.tables import Submission

ACCEPTED, REFUSED, NOT_CHECKED = 0, 1, 2
TRAIN = HERE / "data" / "train"


class NotCheckedError(Exception):
    """Something other than the content of the file is wrong; the message says what."""


def path_of_test_claims() -> Path:
    """Return the file of the test claims: beside this script, or in the project's input data."""
    beside = HERE / "claims.csv"
    return beside if beside.exists() else HERE.parent / "input_data" / "claims.csv"


def board() -> Board:
    """Return the board that the site has; what a file holds for another task is not for it.

    Raises:
        NotCheckedError: ``board.json`` beside this script cannot be understood.
    """
    from climatecheck import GoldError
    from climatecheck.board import read_board

    try:
        return read_board(HERE / "board.json")
    except GoldError as error:
        raise NotCheckedError(str(error)) from error


def existing(path: Path) -> Path:
    """Return the path if something is there.

    Raises:
        NotCheckedError: if not.
    """
    if not path.exists():
        raise NotCheckedError(f"there is no file or folder “{path}” (looked in {Path.cwd()})")
    return path


def report(submission: Submission) -> int:
    """Print the verdict and every problem; return the exit code."""
    from climatecheck.problems import verdict

    print(verdict(submission.problems))
    for problem in submission.problems:
        print(f"  {problem.message}")
    if not submission.valid:
        return REFUSED
    print(f"It enters: {', '.join(f'task {task}' for task in submission.tasks)}.")
    return ACCEPTED


def run(work: Callable[[], int]) -> int:
    """Do the work; say in one sentence what kept it from being done."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # consoles that know few characters
    if sys.version_info < (3, 10):  # noqa: UP036
        print("This needs Python 3.10 or newer.", file=sys.stderr)
        return NOT_CHECKED
    try:
        return work()
    except ModuleNotFoundError as error:
        reason = f"{error.name} is missing. Try: python -m pip install numpy pandas PyYAML"
    except (NotCheckedError, OSError) as error:
        reason = str(error)
    print(f"Not checked: {reason}", file=sys.stderr)
    return NOT_CHECKED


def _validate(options: argparse.Namespace) -> int:
    from climatecheck import GoldError, read_claims, read_submission

    path = existing(options.file)
    source = TRAIN / "claims.csv" if options.train else path_of_test_claims()
    try:
        claims = read_claims(existing(source))
    except GoldError as error:
        raise NotCheckedError(str(error)) from error
    return report(read_submission(path, claims, tasks=board().tasks))


def main() -> int:
    """Read the command line and validate."""
    parser = argparse.ArgumentParser(description="Say whether the site would accept a file.")
    parser.add_argument("file", type=Path, help="a zip, a folder or a CSV file")
    parser.add_argument("--train", action="store_true", help="check against the training claims")
    options = parser.parse_args()
    return run(lambda: _validate(options))


if __name__ == "__main__":
    sys.exit(main())
