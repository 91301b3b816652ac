"""What the programs are told by files: ``board.json`` beside them, ``edition.json`` in the data."""

import json
from dataclasses import dataclass, fields
from pathlib import Path

from climatecheck import edition
from climatecheck.gold import GoldError
from climatecheck.leaderboard import TASKS, board_columns
from climatecheck.tables import Json

BLIND_NOTICE = (
    "The scores are hidden in this phase: the board shows 1 for a file that was accepted and 0 for"
    " one that was refused. The organisers score the accepted files afterwards."
)


@dataclass(frozen=True)
class Board:
    """The leaderboard that a program scores for.

    Attributes:
        tasks: the tasks on it, among ``1`` and ``2``.
        columns: the keys of its columns, in its order.
        blind: whether there is no gold, and only acceptance is shown.
    """

    tasks: tuple[str, ...] = TASKS
    columns: tuple[str, ...] = board_columns()
    blind: bool = False


@dataclass(frozen=True)
class Facts:
    """What ``edition.json`` says of the data.

    Attributes:
        name: a short name.
        title: a name for people.
        notice: what every page must show.
        published: of which edition the published figures were computed on this very gold.
    """

    name: str = ""
    title: str = ""
    notice: str = ""
    published: str = ""


def read_board(path: Path) -> Board:
    """Read ``board.json``; where there is none, the board of all tasks.

    Raises:
        GoldError: the file cannot be understood.
    """
    content = _read(path)
    if content is None:
        return Board()
    try:
        return Board(tuple(content["tasks"]), tuple(content["columns"]), bool(content["blind"]))
    except (KeyError, TypeError) as error:
        raise GoldError(f"{path.name}: tasks, columns or blind is missing") from error


def read_facts(folder: Path) -> Facts:
    """Read ``edition.json`` in a folder; where there is none, nothing is said.

    Raises:
        GoldError: the file cannot be understood.
    """
    content = _read(folder / edition.EDITION_FILE) or {}
    return Facts(**{fact.name: str(content.get(fact.name, "")) for fact in fields(Facts)})


def _read(path: Path) -> Json | None:
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise GoldError(f"{path.name}: this is not JSON") from error
    if not isinstance(content, dict):
        raise GoldError(f"{path.name}: this is not a JSON object")
    return content
