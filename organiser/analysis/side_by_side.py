"""The published figures of 2026 beside those of this evaluation, where a team is in both.

Only where ``edition.json`` says that they were computed on this gold.
"""

import re
from collections.abc import Iterator

from climatecheck.leaderboard import recall_column
from climatecheck.tables import Json
from organiser.analysis.official_tables import score_columns, titles
from organiser.analysis.published import figures
from organiser.analysis.systems import TASKS, Evaluation, System
from organiser.reporting.parts import Cell, Column, Section, Table

_TABLES = {"1.1": "table2_task1", "1.2": "table2_task1", "2": "table3_task2"}
_PUBLISHED_KEY = {
    recall_column(2): "recall_2",
    recall_column(5): "recall_5",
    "verification_precision": "precision",
    "verification_recall": "recall",
    "verification_f1": "f1",
    "narrative_f1_macro": "f1_macro",
    "narrative_precision_macro": "precision_macro",
    "narrative_recall_macro": "recall_macro",
    "narrative_f1_micro": "f1_micro",
    "narrative_f1_weighted": "f1_weighted",
}
_SLIPS = {
    "gardlz": "gardlz: the paper prints a Score1.1 of .340; its own Recall@5 and Bpref,"
    " (.364 + .314) / 2, give .339.",
}
_DEPTH = (
    "The paper does not say over how many rows Bpref was computed. Of one claim, Bpref over five"
    " rows cannot exceed Recall@5, yet it does in six of the seven published rows; so a published"
    " Bpref, and Score1.1 with it, need not be reproduced here."
)
_CLAIMS = "The test data have 176 claim texts under 172 ids; here, scoring goes by id."
_ROUNDING = 0.0005
_EDITION = "2026"
_REMARK = re.compile(r"\s*\([^)]*\)$")


def section(evaluation: Evaluation) -> Section:
    """Return the section of published figures; without a table if no team's name is in them."""
    title = "Published figures of 2026, side by side"
    if evaluation.facts.published != _EDITION:
        prose = (
            "Not compared: edition.json does not say that the published figures were computed on"
            f' this gold ("published": "{_EDITION}").'
        )
        return Section(title, (prose,), ())
    rows = [row for task in TASKS for row in _rows(evaluation, task)]
    if not rows:
        prose = "No team of this evaluation has the name of one in the overview paper's tables."
        return Section(title, (prose,), ())
    teams = {_plain(str(row[0])) for row in rows}
    slips = tuple(note for team, note in _SLIPS.items() if team in teams)
    columns = ("Team", "Score", "Published", "Here", "Difference")
    table = Table(
        "published",
        "Scores in the overview paper and in this evaluation",
        tuple(Column(name) for name in columns),
        tuple(rows),
        (_DEPTH, _CLAIMS, *slips),
    )
    prose = (
        "Teams are matched by name, whatever the case, blanks and signs. Published figures have"
        f" three decimals, so a difference of up to {_ROUNDING} is none."
    )
    return Section(title, (prose,), (table,))


def _rows(evaluation: Evaluation, task: str) -> Iterator[tuple[Cell, ...]]:
    published: dict[str, Json] = {_plain(row["team"]): row for row in figures()[_TABLES[task]]}
    for system in evaluation.entered(task):
        row = published.get(_plain(system.team))
        if row is not None:
            yield from _compared(system, task, row)


def _compared(system: System, task: str, published: Json) -> Iterator[tuple[Cell, ...]]:
    for key in score_columns(task):
        there = published.get(_PUBLISHED_KEY.get(key, key))
        if there is not None:
            here = system.scores.board[key]
            yield system.team, titles()[key], float(there), here, here - there


def _plain(team: str) -> str:
    """Return a name without what does not tell teams apart.

    >>> _plain("Ant Bridge (2025 winner, reference only)"), _plain("ant-bridge")
    ('antbridge', 'antbridge')
    """
    return re.sub(r"[\W_]+", "", _REMARK.sub("", team.strip())).casefold()
