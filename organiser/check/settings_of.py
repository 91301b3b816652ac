"""What the rules inside a zipped program say of themselves, read without running them."""

import ast
import json
from typing import Any

from climatecheck.board import Board
from organiser.check.bundle import Bundle
from organiser.check.registry import Missing

EDITION = "climatecheck/edition.py"
BOARD_FILE = "board.json"


def setting(bundle: Bundle, role: str, name: str) -> Any:
    """Return a setting of the edition that a zipped program carries; None if it has none.

    Args:
        bundle: the bundle.
        role: the program.
        name: of a constant in ``climatecheck/edition.py``.
    """
    try:
        module = ast.parse(bundle.file_of(role, EDITION))
    except (Missing, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for statement in module.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.Assign) and _names(targets) == [name]:
            return _literal(statement.value)
    return None


def _names(targets: list[ast.expr]) -> list[str]:
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def board_of(content: bytes) -> Board:
    """Return the content of a ``board.json``.

    Raises:
        ValueError: it cannot be understood.
    """
    try:
        data = json.loads(content)
        tasks, columns = data["tasks"], data["columns"]
        texts = all(isinstance(each, str) for each in [*tasks, *columns])
        if isinstance(tasks, list) and isinstance(columns, list) and texts:
            return Board(tuple(tasks), tuple(columns), bool(data["blind"]))
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError("tasks, columns or blind is missing") from error
    raise ValueError("tasks and columns are no lists of texts")


def board(bundle: Bundle) -> Board:
    """Return the board that the scoring program scores for; without a file, that of all tasks.

    Raises:
        Missing: there is no scoring program, or its ``board.json`` cannot be understood.
    """
    tree = bundle.of_role("scoring_program")[0].tree
    content = tree.read(BOARD_FILE)
    if content is None and EDITION not in tree.names:
        raise Missing("the scoring program is not this project's, so its scores are unknown")
    try:
        return Board() if content is None else board_of(content)
    except ValueError as error:
        raise Missing(f"{BOARD_FILE} of the scoring program cannot be understood") from error
