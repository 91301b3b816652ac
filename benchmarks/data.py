"""Random editions and submissions of any size, for measuring only."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from climatecheck import edition, taxonomy


@dataclass(frozen=True)
class Data:
    """The folders of a made edition and of a submission to it."""

    input_data: Path
    reference_data: Path
    submission: Path

    @property
    def predictions(self) -> Path:
        """The one file of the submission."""
        return self.submission / edition.PREDICTIONS_FILE

    @property
    def task1_gold(self) -> Path:
        """The judged pairs."""
        return self.reference_data / edition.TASK1_GOLD_FILE


def make(folder: Path, claims: int, *, rows: int, judged: int, narratives: bool) -> Data:
    """Write an edition and a submission with labels.

    Args:
        folder: where to write.
        claims: how many claims.
        rows: how many rows a claim the submission has; half of them are judged pairs.
        judged: how many judged pairs a claim the gold has.
        narratives: whether the submission enters task 2 as well.
    """
    made = Data(folder / "input_data", folder / "reference_data", folder / "submission")
    for path in (made.input_data, made.reference_data, made.submission):
        path.mkdir(parents=True)
    random = np.random.default_rng(claims)
    claim_lines = [f"{c},Claim number {c}" for c in range(claims)]
    _write(made.input_data / edition.CLAIMS_FILE, "claim_id,claim", claim_lines)
    facts = {"name": "bench", "notice": "Synthetic: random numbers, made to measure speed."}
    (made.input_data / edition.EDITION_FILE).write_text(json.dumps(facts), "utf-8")
    (made.reference_data / edition.CLAIMS_FILE).write_bytes(
        (made.input_data / edition.CLAIMS_FILE).read_bytes()
    )
    first = random.integers(0, edition.CORPUS_SIZE, claims)
    codes = [taxonomy.CODES[k] for k in random.integers(0, len(taxonomy.CODES), claims)]
    _write_gold(made, random, first, judged, codes)
    _write_predictions(made, random, first + judged // 2, rows, codes if narratives else None)
    return made


def _write_gold(
    made: Data, random: np.random.Generator, first: np.ndarray, judged: int, codes: list[str]
) -> None:
    labels = random.integers(0, len(edition.LABELS), (len(first), judged))
    pairs = [
        f"{c},{(start + k) % edition.CORPUS_SIZE},{edition.LABELS[labels[c, k]]}"
        for c, start in enumerate(first.tolist())
        for k in range(judged)
    ]
    _write(made.task1_gold, "claim_id,abstract_id,label", pairs)
    narratives = [f"{c},{code}" for c, code in enumerate(codes)]
    _write(made.reference_data / edition.TASK2_GOLD_FILE, "claim_id,narrative", narratives)


def _write_predictions(
    made: Data, random: np.random.Generator, first: np.ndarray, rows: int, codes: list[str] | None
) -> None:
    labels = random.integers(0, len(edition.LABELS), (len(first), rows))
    lines = [
        f"{c},{(start + k) % edition.CORPUS_SIZE},{k + 1},{edition.LABELS[labels[c, k]]}"
        + (f",{codes[c]}" if codes else "")
        for c, start in enumerate(first.tolist())
        for k in range(rows)
    ]
    header = "claim_id,abstract_id,rank,label" + (",narrative" if codes else "")
    _write(made.predictions, header, lines)


def _write(path: Path, header: str, lines: list[str]) -> None:
    path.write_text("\n".join([header, *lines, ""]), "utf-8")
