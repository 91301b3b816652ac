"""Labelled claim-abstract pairs from any source, in a file of their own."""

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from baselines.pair_model import LabelledPairs
from baselines.texts import TextError
from climatecheck.values import label_of

COLUMNS = ("claim", "abstract", "label")


def read_pairs(path: Path) -> LabelledPairs:
    """Read pairs with the columns ``claim``, ``abstract`` and ``label`` from CSV or JSONL.

    Labels are read as in a submission. Equal claims get one number.

    Raises:
        TextError: if the file, a column or a row cannot be read.
    """
    number: dict[str, int] = {}
    pairs, labels, claims = [], [], []
    for place, row in _rows(path):
        claim, abstract, label = (_text(path, place, row, name) for name in COLUMNS)
        parsed = label_of(label)
        if parsed.value is None:
            raise TextError(f"{path}, {place}: {label!r:.40} is not a label")
        pairs.append((claim, abstract))
        labels.append(parsed.value)
        claims.append(number.setdefault(claim, len(number)))
    return LabelledPairs(tuple(pairs), np.array(labels, np.int64), np.array(claims, np.int64))


def _text(path: Path, place: str, row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise TextError(f"{path}, {place}: expected a text in the column {name}, found {value!r}")
    return value.strip()


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            if path.suffix.lower() == ".jsonl":
                for number, line in enumerate(file, start=1):
                    row = json.loads(line)
                    yield f"line {number}", row if isinstance(row, dict) else {}
            else:
                csv.field_size_limit(2**31 - 1)
                reader = csv.DictReader(file)
                for row in reader:
                    yield f"line {reader.line_num}", row
    except (OSError, ValueError) as error:
        raise TextError(f"{path} cannot be read: {error}") from error
