"""The two programs: start-up at the size of the paper, and growth up to a million rows."""

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from benchmarks.data import Data, make
from benchmarks.measure import Cost, Result, medians
from organiser.build import piece

_GIB = 1024**3
_READ = "import sys, pandas\nfor path in sys.argv[1:]: pandas.read_csv(path, dtype=str)"
_WITHOUT_PAGE = (
    "import sys; sys.path.insert(0, sys.argv[1]); import scoring\n"
    "sys.exit(scoring.run(lambda given: scoring.main(given, with_page=False), sys.argv[2:]))"
)


def paper_size(python: str) -> list[Result]:
    """Measure 172 claims by 10 rows of both tasks: the scoring program against an import."""
    with _step(172, rows=10, judged=11, narratives=True) as (folder, _):
        program = [python, "scoring/scoring.py", "input", "output"]
        bare = [python, "-c", "import numpy, pandas"]
        scoring, imports = medians([program, bare], folder)
    return [
        Result(
            "scoring of 172 claims, page included / import numpy, pandas",
            scoring.seconds / imports.seconds,
            2.0,
        )
    ]


def large(python: str) -> list[Result]:
    """Measure 100,000 claims by 10 rows against reading the two files, and 10,000 claims."""
    small, _ = _both_programs(python, 10_000)
    big, reading = _both_programs(python, 100_000)
    return [
        Result(
            "both programs, 1,000,000 rows / pandas.read_csv of the two files",
            big.seconds / reading.seconds,
            10.0,
        ),
        Result("memory of the larger program, 1,000,000 rows", big.memory / _GIB, 2.0, " GiB"),
        Result("both programs, 100,000 claims / 10,000 claims", big.seconds / small.seconds, 12.0),
    ]


def _both_programs(python: str, claims: int) -> tuple[Cost, Cost]:
    """Return the cost of both programs together, and of reading their two files."""
    with _step(claims, rows=10, judged=10, narratives=False) as (folder, data):
        ingestion = [
            python,
            "ingestion/ingestion.py",
            str(data.submission),
            str(data.input_data),
            "ingested",
        ]
        scoring = [python, "-c", _WITHOUT_PAGE, "scoring", "input", "output"]
        reading = [python, "-c", _READ, str(data.predictions), str(data.task1_gold)]
        first, second, read = medians([ingestion, scoring, reading], folder)
    both = Cost(first.seconds + second.seconds, max(first.memory, second.memory))
    return both, read


@contextmanager
def _step(claims: int, *, rows: int, judged: int, narratives: bool) -> Iterator[tuple[Path, Data]]:
    """Make a folder with both unpacked programs and the scoring step's ``input``."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        data = make(folder, claims, rows=rows, judged=judged, narratives=narratives)
        for program in ("ingestion", "scoring"):
            with zipfile.ZipFile(BytesIO(piece(f"{program}_program"))) as archive:
                archive.extractall(folder / program)
        shutil.copytree(data.reference_data, folder / "input" / "ref")
        shutil.copytree(data.submission, folder / "input" / "res")
        for output in ("output", "ingested"):
            (folder / output).mkdir()
        yield folder, data
