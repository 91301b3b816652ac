"""``competition.yaml``, the source of every bundle, and the boards that are derived from it."""

import copy
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import yaml

from climatecheck.leaderboard import BLIND_COLUMN, board_columns
from organiser.editions import ROOT, OrganiserError

Competition: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Variant:
    """A bundle that can be made from ``competition.yaml``.

    Attributes:
        name: as in ``make bundle-NAME``; empty for the bundle of both tasks.
        tasks: the tasks that it scores.
        suffix: what follows the competition's title.
        description: of the task; empty keeps that of ``competition.yaml``.
        rule: the leaderboard's submission rule; empty keeps that of ``competition.yaml``.
        primary: the column that ranks; empty keeps the first.
        blind: whether it holds no gold, and its board shows acceptance alone.
    """

    name: str
    tasks: tuple[str, ...]
    suffix: str = ""
    description: str = ""
    rule: str = ""
    primary: str = ""
    blind: bool = False

    @property
    def file(self) -> str:
        """The file name of the bundle."""
        parts = ["bundle", self.name, "blind" if self.blind else ""]
        return "-".join(filter(None, parts)) + ".zip"


VARIANTS = {
    "": Variant("", ("1", "2")),
    "task1": Variant(
        "task1",
        ("1",),
        "Task 1: retrieval and verification",
        "Scores task 1: abstract retrieval (1.1) and claim verification (1.2).",
        "Force_Last",
        "score_1_1",
    ),
    "task2": Variant(
        "task2",
        ("2",),
        "Task 2: narratives",
        "Scores task 2: narrative classification.",
        "Force_Last",
        "narrative_f1_macro",
    ),
}


BLIND_VARIABLE = "BLIND"
_YES, _NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")

_ACCEPTED: Competition = {
    "index": 0,
    "title": "Accepted",
    "key": BLIND_COLUMN,
    "sorting": "desc",
    "precision": 0,
}


def chosen(name: str) -> Variant:
    """Return a variant by its name, blind if ``BLIND`` in the environment says so.

    Raises:
        OrganiserError: ``BLIND`` says neither yes nor no; a guess could publish the gold.
    """
    blind = os.environ.get(BLIND_VARIABLE, "").strip().lower()
    if blind not in _YES + _NO:
        raise OrganiserError(f"{BLIND_VARIABLE}={blind} is neither 1 (no gold) nor 0.")
    return replace(VARIANTS[name], blind=blind in _YES)


def competition(variant: Variant = VARIANTS[""]) -> Competition:
    """Return the content of ``competition.yaml``, derived for a variant."""
    source: Competition = yaml.safe_load((ROOT / "competition.yaml").read_text("utf-8"))
    return derived(source, variant)


def derived(source: Competition, variant: Variant) -> Competition:
    """Return a competition with the title, columns, primary column and rule of a variant.

    Raises:
        OrganiserError: a column of the board is one that the scorer does not write, or the
            variant's primary column is not on the board.
    """
    made = copy.deepcopy(source)
    if variant.suffix:
        made["title"] = f"{source['title']}, {variant.suffix}"
        made["tasks"][0]["name"] = f"{source['tasks'][0]['name']}, {variant.suffix}"
        made["tasks"][0]["description"] = variant.description
    board = made["leaderboards"][0]
    if variant.name:
        board["title"] = variant.suffix
        board["key"] = f"{board['key']}_{variant.name}"
    board["submission_rule"] = variant.rule or board["submission_rule"]
    board["columns"] = _columns(board["columns"], variant)
    return made


def _columns(columns: Sequence[Competition], variant: Variant) -> list[Competition]:
    if variant.blind:
        return [dict(_ACCEPTED)]
    unknown = [column["key"] for column in columns if column["key"] not in board_columns()]
    if unknown:
        raise OrganiserError(f"competition.yaml: the scorer writes no column {unknown[0]}.")
    ours = board_columns(variant.tasks)
    kept = sorted(
        (column for column in columns if column["key"] in ours),
        key=lambda column: (column["key"] != variant.primary, column["index"]),
    )
    if not kept or (variant.primary and kept[0]["key"] != variant.primary):
        raise OrganiserError(f"competition.yaml: column {variant.primary} is missing.")
    return [{**column, "index": index} for index, column in enumerate(kept)]


def columns_of(made: Competition) -> dict[str, Competition]:
    """Return the board's columns by key, in the order of the board."""
    columns = made["leaderboards"][0]["columns"]
    return {column["key"]: column for column in sorted(columns, key=lambda c: c["index"])}


def board_json(variant: Variant) -> bytes:
    """Return ``board.json``, by which both programs know what they score."""
    columns = list(columns_of(competition(variant)))
    board = {"tasks": list(variant.tasks), "columns": columns, "blind": variant.blind}
    return (json.dumps(board, indent=2) + "\n").encode()


def as_yaml(made: Competition) -> bytes:
    """Return a competition as the text of a ``competition.yaml``; dates stay quoted."""
    text: str = yaml.safe_dump(made, sort_keys=False, allow_unicode=True, width=100)
    return text.encode()
