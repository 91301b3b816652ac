"""What the shared task's overview paper published, to set beside figures of the same data."""

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np

import climatecheck
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import Gold, Json

_FILE = Path(climatecheck.__file__).with_name("published_2026.json")


@lru_cache
def figures() -> Json:
    """Return all published figures, as the file holds them."""
    content: Json = json.loads(_FILE.read_text("utf-8"))
    return content


def section8() -> Json:
    """Return the figures of the paper's analysis."""
    content: Json = figures()["section8"]
    return content


def alpha_of() -> dict[str, float]:
    """Return Krippendorff's alpha of each code (Table 5); NaN where it is not given."""
    table = figures()["table5_agreement"]
    place = table["columns"].index("alpha")
    return {row[0]: np.nan if row[place] is None else float(row[place]) for row in table["rows"]}


def has_real_size(gold: Gold) -> bool:
    """Return whether the gold has as many claims with evidentiary abstracts as Figure 2 shows.

    A sign that it is the data of 2026, beside which published figures mean something.
    """
    shown: list[int] = list(section8()["figure2_claims_by_mean_recall5"].values())
    return len(np.unique(gold.claim[is_evidentiary(gold.label)])) == sum(shown)


def notes(gold: Gold, sentences: Iterable[str]) -> tuple[str, ...]:
    """Return sentences on published figures; none for data of another size."""
    return tuple(sentences) if has_real_size(gold) else ()
