"""What a result rests on, so that two results can be told apart or known as the same."""

import hashlib
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import climatecheck
from climatecheck.results.markup import section, table

_DIGEST_CHARACTERS = 12

_NAMES = {
    "climatecheck": "climatecheck",
    "numpy": "numpy",
    "python": "Python",
    "edition": "Edition",
    "gold": "Hash of the gold",
    "submission": "Hash of the submission",
    "scorer": "Hash of the scorer",
}


@dataclass(frozen=True)
class Receipt:
    """Versions, the edition's name, and short hashes."""

    climatecheck: str
    numpy: str
    python: str
    edition: str
    gold: str
    submission: str
    scorer: str


def receipt(*, edition: str, gold: str, submission: str) -> Receipt:
    """Return the receipt of a run of this very code."""
    return Receipt(
        climatecheck=climatecheck.__version__,
        numpy=np.__version__,
        python=platform.python_version(),
        edition=edition,
        gold=gold,
        submission=submission,
        scorer=_scorer(),
    )


def receipt_table(of: Receipt) -> str:
    """Return the section of the receipt."""
    rows = [(_NAMES[name], value or "none") for name, value in asdict(of).items()]
    return section("Receipt", table("What this result rests on", ["What", "Which"], rows))


def _scorer() -> str:
    """Return a short hash of this package's code, the same wherever it stands."""
    folder = Path(climatecheck.__file__).parent
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).as_posix()):
        whole.update(path.relative_to(folder).as_posix().encode() + b"\0")
        whole.update(path.read_bytes() + b"\0")
    return whole.hexdigest()[:_DIGEST_CHARACTERS]
