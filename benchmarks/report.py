"""The organiser's report at the size of the paper, with eight systems, against one scoring."""

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.data import Data, make
from benchmarks.measure import Result, medians
from climatecheck import edition, taxonomy
from organiser.editions import ROOT

_SYSTEMS = 8
_REPEATS = 3
_MODULE = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1));"
    " runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


def paper_size(_: str = "") -> list[Result]:
    """Measure the whole report of 172 claims by 10 rows and 8 systems against one ``make score``.

    Both run on the organiser's machine, so under this very Python.
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        data = make(folder, 172, rows=10, judged=11, narratives=True)
        submissions = _systems(data, folder / "systems")
        gold = ["--reference", str(data.reference_data), "--input", str(data.input_data)]
        report = _command("organiser.analysis", "--submissions", str(submissions), *gold)
        scoring = _command(
            "organiser.dry_run", "score", "--submission", str(data.submission), *gold
        )
        whole, one = medians(
            [[*report, "--out", str(folder / "out")], [*scoring, "--out", str(folder / "score")]],
            folder,
            _REPEATS,
        )
    return [
        Result(
            f"report of {_SYSTEMS} systems, 172 claims / one make score",
            whole.seconds / one.seconds,
            40.0,
        )
    ]


def _command(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", _MODULE, str(ROOT), module, *arguments]


def _systems(data: Data, folder: Path) -> Path:
    """Write submissions that differ: each has a share of its labels, codes and ranks changed."""
    folder.mkdir()
    with data.predictions.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for system in range(_SYSTEMS):
        random = np.random.default_rng(system)
        changed = [_changed(row, random, share=(system + 1) / 12) for row in rows]
        with (folder / f"System {system}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(_one_narrative_a_claim(changed))
    return folder


def _changed(row: dict[str, str], random: np.random.Generator, share: float) -> dict[str, str]:
    made = dict(row)
    if random.random() < share:
        made["abstract_id"] = str(random.integers(edition.CORPUS_SIZE))
    if random.random() < share:
        made["label"] = edition.LABELS[random.integers(len(edition.LABELS))]
    if random.random() < share:
        made["narrative"] = taxonomy.CODES[random.integers(len(taxonomy.CODES))]
    return made


def _one_narrative_a_claim(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    first: dict[str, str] = {}
    return [
        {**row, "narrative": first.setdefault(row["claim_id"], row["narrative"])} for row in rows
    ]
