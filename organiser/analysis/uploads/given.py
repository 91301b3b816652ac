"""What the commands of analysis are given: where the claims and the submissions stand."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from climatecheck import edition as settings
from organiser.editions import Edition

Say: TypeAlias = Callable[[str], None]
"""Takes a sentence on each step."""


def inputs_folder(given: str, reference: str, data: Edition) -> Path:
    """Return the claims' folder: as told, or beside the gold that was told, or the edition's.

    Args:
        given: what the organiser named; may be empty.
        reference: the folder of the gold that the organiser named; may be empty.
        data: the edition.
    """
    if given:
        return Path(given)
    beside = reference and (Path(reference) / settings.CLAIMS_FILE).is_file()
    return Path(reference) if beside else data.input_data


UNFORESEEN = "a figure cannot be worked out on these data, which the analysis did not foresee"
"""Said of a fault that no check has put into words."""


@contextmanager
def submissions_folder(given: str, data: Edition, say: Say = lambda _: None) -> Iterator[Path]:
    """Give the submissions' folder; without one, a passing folder of sample systems."""
    if given:
        yield Path(given)
        return
    from organiser.analysis.sample_systems import sample_submissions

    say("Making sample systems from the training data")
    with TemporaryDirectory(prefix="samples-") as name:
        folder = Path(name)
        for system, content in sample_submissions(data).items():
            (folder / f"{system}.zip").write_bytes(content)
        yield folder


def progress() -> Say:
    """Return a function that says on stderr what is being done, and since when."""
    start = time.perf_counter()

    def say(step: str) -> None:
        print(f"{time.perf_counter() - start:6.1f} s  {step}", file=sys.stderr, flush=True)

    return say
