"""Where the data stand: in the unzipped kit beside this package, or in the project."""

import os
from pathlib import Path

from climatecheck import edition

ROOT = Path(__file__).resolve().parents[1]


def _first_that_exists(*candidates: Path) -> Path:
    return next((path for path in candidates if path.exists()), candidates[0])


def _data() -> Path:
    return _first_that_exists(ROOT / "data", ROOT / "starting_kit" / "data")


def training_data() -> Path:
    """Return the folder of the training claims and their gold."""
    return _data() / "train"


def abstracts() -> Path:
    """Return the file of abstracts."""
    return _data() / "abstracts.csv"


def test_claims() -> Path:
    """Return the file of the test claims."""
    return _first_that_exists(ROOT / edition.CLAIMS_FILE, ROOT / "input_data" / edition.CLAIMS_FILE)


def check_output(path: Path) -> None:
    """See before the work, not after it, that a file can be written.

    Raises:
        OSError: it cannot; says why.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} for {path.name}")
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(f"the folder {path.parent} cannot be written")
