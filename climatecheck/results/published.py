"""The published baseline, beside a score whose published definition is the one used here.

Recall@K, micro-F1 and weighted F1 over the codes have one definition. For the others the paper
leaves a choice open, so that its figure may be of another measure: the depth of Bpref (hence
Score1.1); the depth to which labels are looked at (hence all of task 1.2); the codes over which a
macro value is averaged.
"""

import json
from pathlib import Path

import climatecheck
from climatecheck import edition
from climatecheck.board import Facts
from climatecheck.leaderboard import recall_column

_BASELINE = "Baseline"
_SAME_DEFINITION = {
    "1": {
        recall_column(cutoff): ("table2_task1", f"recall_{cutoff}")
        for cutoff in edition.RECALL_CUTOFFS
    },
    "2": {
        "narrative_f1_micro": ("table3_task2", "f1_micro"),
        "narrative_f1_weighted": ("table3_task2", "f1_weighted"),
    },
}
OTHERS = {
    "1": (
        "The published baseline stands only beside Recall@K. The overview paper does not say how"
        " many rows of a claim Bpref and the verification look at, so the baseline's other figures"
        " may be of other measures than these."
    ),
    "2": (
        "The published baseline stands only beside micro-F1 and weighted F1. The overview paper"
        " does not say over which codes its macro values are averaged, so they may be of another"
        " measure than this one."
    ),
}
"""Why the other columns of a task have no such figure."""


def baseline(facts: Facts, task: str) -> dict[str, float]:
    """Return the published baseline's figures for a task's columns that mean the same.

    Empty unless ``edition.json`` says by ``"published"`` whose figures were computed on this gold.
    """
    name = getattr(facts, "published", "")
    path = Path(climatecheck.__file__).parent / f"published_{name}.json"
    if not name.isalnum() or not path.is_file():
        return {}
    tables = json.loads(path.read_text("utf-8"))
    return {
        column: float(row[key])
        for column, (table, key) in _SAME_DEFINITION[task].items()
        for row in tables[table]
        if row["team"] == _BASELINE
    }
