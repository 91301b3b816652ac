"""Synthetic sheets over the training claims of an edition, to try everything out.

The annotators are made up by ``simulation``; their sheets show that forms may differ.
"""

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from climatecheck import edition as settings
from climatecheck import read_gold
from climatecheck.gold import read_claims
from climatecheck.tables import Booleans, Gold
from organiser.agreement import spreadsheet
from organiser.agreement.annotations import LABELS, said
from organiser.agreement.simulation import Annotator, annotate
from organiser.editions import Edition, edition

SEED = 2026
NOTICE = (
    "The annotators are synthetic: their answers are made up from the sample edition's labels, and"
    " no figure here says anything about people or claims."
)
NARRATIVE_ANNOTATORS = {
    "annotator A": Annotator(slips=0.18, alarms=0.05, adds=0.03),
    "annotator B": Annotator(slips=0.22, alarms=0.04, adds=0.02, misses=0.03),
    "annotator C": Annotator(slips=0.25, alarms=0.08, adds=0.06),
    "annotator D": Annotator(slips=0.30, alarms=0.16, adds=0.14, misses=0.02),
}
_LABEL_SLIPS = {"annotator A": 0.10, "annotator B": 0.15, "curator": 0.03}
_UNDECIDED = 0.1
_WIDTHS = (10, 60, 20)


def sheets(data: Edition) -> dict[str, bytes]:
    """Return the sheets by name: four annotators of narratives, two and a curator of labels.

    The sheets of narratives are CSV and XLSX, one an annotator; the labels are one long table.
    """
    folder = data.kit_data / "train"
    claims = read_claims(folder / settings.CLAIMS_FILE)
    gold = read_gold(folder, claims)
    random = np.random.default_rng(SEED)
    return {**_narratives(gold, random), "labels.csv": _labels(gold, random)}


def _narratives(gold: Gold, random: np.random.Generator) -> dict[str, bytes]:
    there = gold.narratives.codes
    often = there.sum(axis=0) + 1.0
    made, marks = annotate(there, list(NARRATIVE_ANNOTATORS.values()), often, random)
    files = {}
    for who, name in enumerate(NARRATIVE_ANNOTATORS):
        rows = [("claim_id", "claim", "narrative"), *_rows(gold, made[who], marks[who])]
        as_book = who % 2
        page = spreadsheet.Page("narratives", rows, _WIDTHS, {}, to_fill=(2,))
        content = spreadsheet.written([page]) if as_book else _csv(rows)
        files[f"{name}.{'xlsx' if as_book else 'csv'}"] = content
    return files


def _rows(gold: Gold, made: Booleans, marks: Booleans) -> list[tuple[str, str, str]]:
    return [
        (
            gold.claims.ids[claim],
            gold.claims.texts[claim],
            said(LABELS["2"], marks[row]) if made[row] else "",
        )
        for row, claim in enumerate(gold.narratives.claim)
    ]


def _labels(gold: Gold, random: np.random.Generator) -> bytes:
    rows: list[Sequence[str]] = [("annotator", "claim_id", "abstract_id", "label")]
    neutral = len(settings.LABELS) - 1
    unclear = random.random(len(gold.label)) < _UNDECIDED
    for name, slips in _LABEL_SLIPS.items():
        for claim, abstract, label, hard in zip(
            gold.claim, gold.abstract, gold.label, unclear, strict=True
        ):
            errs = random.random() < (0.5 if hard and name != "curator" else slips)
            given = int(random.integers(2)) if label == neutral else neutral
            chosen = settings.LABELS[given if errs else label]
            rows.append((name, gold.claims.ids[claim], str(abstract), chosen))
    return _csv(rows)


def _csv(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the sheets over the sample edition's training claims into a folder."""
    parser = argparse.ArgumentParser(
        prog="python -m organiser.agreement.sample_sheets", description=__doc__
    )
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in sheets(edition("")).items():
        (folder / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
