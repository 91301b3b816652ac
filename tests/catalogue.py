"""The catalogue of cases: for each fault a small upload, and what is to be said about it.

A folder of ``cases`` holds the upload (``predictions.csv``, ``input.zip`` or the folder
``upload``; a few are built by ``make_cases``), perhaps ``options.json``, and ``expected.txt``:
the verdict, the exact messages and, if it is accepted, what was read.

``python -m tests.catalogue NAME`` prints what is said now of a case, to be read as a participant
would: what it should say is thought out first, and the reader is mended where it does not.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from climatecheck import edition, read_claims, read_submission, taxonomy
from climatecheck.problems import verdict
from climatecheck.tables import NO_LABEL, Submission
from tests.make_cases import BUILT, CASES

CLAIMS = read_claims(CASES / "claims.csv")
NAMES = sorted(path.name for path in CASES.iterdir() if path.is_dir())
_UPLOADS = ("predictions.csv", "input.zip", "upload")


def upload(name: str, base: Path) -> Path:
    """The upload of a case; built in ``base`` if it is not in the catalogue itself."""
    if name in BUILT:
        return BUILT[name](base)
    return next(path for path in (CASES / name / file for file in _UPLOADS) if path.exists())


def options(name: str) -> dict[str, Any]:
    """How the upload of a case is read: ``tasks``, ``from_platform``."""
    path = CASES / name / "options.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def read(name: str, base: Path) -> Submission:
    return read_submission(upload(name, base), CLAIMS, **options(name))


def expected(name: str) -> str:
    return (CASES / name / "expected.txt").read_bytes().decode()


def told(submission: Submission) -> str:
    """Verdict, messages and what was read, in lines."""
    messages = [problem.message for problem in submission.problems]
    return "\n".join([verdict(submission.problems), *messages, *_understood(submission), ""])


def _understood(submission: Submission) -> list[str]:
    ids, lines = submission.claims.ids, []
    if submission.task1 is not None:
        run = submission.task1
        lines.append("task 1: claim, position, abstract" + (", label" if run.has_labels else ""))
        labels = [*edition.LABELS, "-"] if run.has_labels else ["", "", "", ""]
        assert NO_LABEL == -1  # finds the last
        for row in range(len(run)):
            numbers = f"{ids[run.claim[row]]} {run.position[row]} {run.abstract[row]}"
            lines.append(f"{numbers} {labels[run.label[row]]}".rstrip())
    if submission.task2 is not None:
        lines.append("task 2: claim: codes")
        for claim, row in zip(submission.task2.claim, submission.task2.codes, strict=True):
            codes = ";".join(taxonomy.CODES[i] for i in np.flatnonzero(row))
            lines.append(f"{ids[claim]}: {codes}".rstrip())
    return lines


if __name__ == "__main__":
    for named in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            print(told(read(named, Path(folder))), end="")
