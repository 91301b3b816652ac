"""Fills the ``{{…}}`` places of the pages, so that each fact is written once."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from climatecheck import taxonomy
from climatecheck.problem_table import KINDS
from organiser.editions import ROOT, Edition, OrganiserError

_PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def page(path: str, data: Edition) -> bytes:
    """Return a page of the site with its places filled.

    Raises:
        OrganiserError: the page is missing, or has a place that nothing fills.
    """
    source = ROOT / path
    if not source.is_file():
        raise OrganiserError(f"The page {path} is missing.")

    def fill(match: re.Match[str]) -> str:
        if match[1] not in PLACES:
            raise OrganiserError(f"{path}: nothing fills the place {match[0]}.")
        return PLACES[match[1]](data)

    return _PLACE.sub(fill, source.read_text("utf-8")).encode()


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(value: object) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def _edition_notice(data: Edition) -> str:
    return f"> **{data.notice}**" if data.notice else ""


def _table_of_problems(_: Edition) -> str:
    rows = [
        [f"`{kind.code}`", kind.title, "refused" if kind.is_error else "accepted", kind.mend]
        for kind in KINDS.values()
    ]
    return table(["Code", "What it is", "The file is", "What to do"], _without_values(rows))


def _without_values(rows: list[list[str]]) -> list[list[str]]:
    """Put an ellipsis where a message names a value of the file."""
    return [[re.sub(r"\{\w+\}", "…", cell) for cell in row] for row in rows]


def _narratives(_: Edition) -> str:
    rows = [[f"`{code}`", name] for code, name in taxonomy.NARRATIVES.items()]
    return table(["Code", "Narrative"], rows)


def _published_results(_: Edition) -> str:
    path = ROOT / "climatecheck" / "published_2026.json"
    if not path.is_file():
        return ""
    published = json.loads(path.read_text("utf-8"))
    return "\n\n".join(
        f"### {title}\n\n{_published_table(published[key], columns)}"
        for title, key, columns in _PUBLISHED
    )


def _published_table(rows: list[dict[str, Any]], columns: dict[str, str]) -> str:
    return table(list(columns.values()), ([row[key] for key in columns] for row in rows))


_PUBLISHED: list[tuple[str, str, dict[str, str]]] = [
    (
        "Task 1: abstract retrieval and claim verification",
        "table2_task1",
        {
            "team": "Team",
            "recall_2": "Recall@2",
            "recall_5": "Recall@5",
            "bpref": "Bpref",
            "score_1_1": "Score1.1",
            "precision": "Precision",
            "recall": "Recall",
            "f1": "F1",
            "score_1_2": "Score1.2",
        },
    ),
    (
        "Task 2: narrative classification",
        "table3_task2",
        {
            "team": "Team",
            "precision_macro": "Macro-precision",
            "recall_macro": "Macro-recall",
            "f1_macro": "Macro-F1",
            "f1_micro": "Micro-F1",
            "f1_weighted": "Weighted F1",
        },
    ),
    (
        "Ev2R: retrieved abstracts that nobody judged",
        "table4_ev2r",
        {
            "team": "Team",
            "ev2r": "Ev2R",
            "s_ver": "Verification (S_ver)",
            "claims": "Claims evaluated",
            "unannotated_per_claim": "Unannotated abstracts a claim",
        },
    ),
]

PLACES: dict[str, Callable[[Edition], str]] = {
    "edition_notice": _edition_notice,
    "narratives": _narratives,
    "published_results": _published_results,
    "table_of_problems": _table_of_problems,
}
"""What fills each place of a page."""
