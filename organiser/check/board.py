"""Checks of the leaderboard: its columns against what the scorer writes, both ways."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from climatecheck.leaderboard import BLIND_COLUMN, TASKS, board_columns, recall_column, task_columns
from climatecheck.values import best_guess
from organiser.check import settings_of
from organiser.check.bundle import Bundle
from organiser.check.registry import BOARD, RULES, UNPACKING, Finding, Missing, check

Columns = list[tuple[tuple[str | int, ...], dict[str, Any]]]

_RECALL = recall_column(0).rstrip("0")


def _columns(bundle: Bundle) -> Columns:
    """Return the columns of the first leaderboard, the only one that counts, with their paths.

    Raises:
        Missing: there is none.
    """
    for i, board in bundle.listed("leaderboards")[:1]:
        listed = board.get("columns")
        found: Columns = [
            (("leaderboards", i, "columns", j), column)
            for j, column in enumerate(listed if isinstance(listed, list) else [])
            if isinstance(column, dict)
        ]
        if found:
            return found
    raise Missing("there is no leaderboard with columns")


def _keys(bundle: Bundle) -> set[str]:
    keys = [column.get("key") for _, column in _columns(bundle)]
    return {key for key in keys if isinstance(key, str)}


def _title(column: dict[str, Any]) -> str:
    return f"column “{column.get('title') or column.get('key')}”"


def written(bundle: Bundle) -> tuple[str, ...]:
    """Return the keys that the scorer in the bundle writes.

    Those of its ``board.json``, as far as its rules can compute them: the columns of Recall follow
    the cut-offs of the edition that is zipped with the program.
    """
    board = settings_of.board(bundle)
    if board.blind:
        return (BLIND_COLUMN,)
    cutoffs = settings_of.setting(bundle, "scoring_program", "RECALL_CUTOFFS")
    possible = set(board_columns([task for task in board.tasks if task in TASKS]))
    if isinstance(cutoffs, tuple):
        possible = {key for key in possible if not key.startswith(_RECALL)}
        possible |= {recall_column(k) for k in cutoffs} if "1" in board.tasks else set()
    return tuple(key for key in board.columns if key in possible)


@check("board-one", "There is one leaderboard", "warning", BOARD)
def one(bundle: Bundle) -> Iterator[Finding]:
    """Only the first one counts; the others stay empty."""
    for i, _ in bundle.listed("leaderboards")[1:]:
        place = bundle.place("leaderboards", i)
        yield Finding(place, "is not the first leaderboard", "Put all columns on the first one.")


@check("board-rule", "The submission rule is chosen", "warning", BOARD)
def rule(bundle: Bundle) -> Iterator[Finding]:
    """By default nothing appears until a participant adds a submission by hand; most never do."""
    for i, board in bundle.listed("leaderboards")[:1]:
        if not board.get("submission_rule"):
            place = bundle.place("leaderboards", i)
            mend = "Write submission_rule: Force_Last, or Force_Latest_Multiple."
            yield Finding(place, "submission_rule is left to default", mend)


@check("column-primary", "A column with index 0 ranks", "error", BOARD)
def primary(bundle: Bundle) -> Iterator[Finding]:
    """Column 0 is the primary one; without it CodaBench fails when it makes the leaderboard."""
    indexes = [column.get("index") for _, column in _columns(bundle)]
    if 0 not in indexes:
        place = bundle.place(*_columns(bundle)[0][0][:-1])
        yield Finding(place, "no column has index 0", "Number the columns from 0.")


@check("column-once", "Keys and indexes of columns are there once each", "error", UNPACKING)
def once(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses two columns of one key or index."""
    for name in ("key", "index"):
        counts = Counter(repr(column.get(name)) for _, column in _columns(bundle))
        for path, column in _columns(bundle):
            if column.get(name) is not None and counts[repr(column[name])] > 1:
                what = f"{name} {column[name]} is used {counts[repr(column[name])]} times"
                yield Finding(bundle.place(*path, name), what, f"Give each column its own {name}.")


@check("column-titles", "No two columns have the same title", "advice", BOARD)
def titles(bundle: Bundle) -> Iterator[Finding]:
    """Nobody can tell them apart, neither on the board nor in its download."""
    counts = Counter(str(column.get("title")) for _, column in _columns(bundle))
    for path, column in _columns(bundle):
        if counts[str(column.get("title"))] > 1:
            what = f"{_title(column)} is there {counts[str(column.get('title'))]} times"
            yield Finding(bundle.place(*path, "title"), what, "Give each its own title.")


@check("column-unwritten", "The scorer writes every column", "error", BOARD)
def unwritten(bundle: Bundle) -> Iterator[Finding]:
    """A column without a score is empty for everyone, and an empty cell ranks first."""
    keys = written(bundle)
    on_board = _keys(bundle)
    for path, column in _columns(bundle):
        key = column.get("key")
        if isinstance(key, str) and key not in keys and not column.get("computation"):
            guess = best_guess(key, [each for each in keys if each not in on_board])
            mend = f"Did you mean {guess}?" if guess else "Drop it, or build the programs again."
            what = f"the scorer writes no key {key} for {_title(column)}"
            yield Finding(bundle.place(*path, "key"), what, mend)


@check("scores-unshown", "Every score has its column", "error", BOARD)
def unshown(bundle: Bundle) -> Iterator[Finding]:
    """A score that matches no column is dropped without a word."""
    on_board = _keys(bundle)
    if len(on_board & set(written(bundle))) < len(on_board):
        raise Missing("a column matches no score, see column-unwritten")
    for key in (*settings_of.board(bundle).columns, *written(bundle)):
        if key not in on_board:
            mend = "Add a column with this key, or build the programs again."
            yield Finding("scoring program: board.json", f"no column shows the score {key}", mend)


@check("column-official", "The official score ranks", "warning", RULES)
def official(bundle: Bundle) -> Iterator[Finding]:
    """The board ranks by another value than the pages say."""
    board = settings_of.board(bundle)
    tasks = [task for task in board.tasks if task in TASKS]
    expected = BLIND_COLUMN if board.blind else task_columns(tasks[0])[0] if tasks else ""
    for path, column in _columns(bundle):
        key = column.get("key")
        if column.get("index") == 0 and key in written(bundle) and key != expected:
            what = f"{_title(column)} ranks, not {expected}"
            yield Finding(bundle.place(*path, "index"), what, f"Give {expected} index 0.")


@check("column-sorting", "Sorting is set: the highest value first", "warning", BOARD)
def sorting(bundle: Bundle) -> Iterator[Finding]:
    """Left to default nobody has decided it; ascending puts the worst run of our scores first."""
    for path, column in _columns(bundle):
        found = column.get("sorting")
        if found in (None, "asc"):
            what = f"sorting of {_title(column)} is {'ascending' if found else 'left to default'}"
            yield Finding(bundle.place(*path), what, "Write sorting: desc.")


@check("column-precision", "Precision is set", "warning", BOARD)
def precision(bundle: Bundle) -> Iterator[Finding]:
    """The default of two decimals shows runs as equal that are not."""
    for path, column in _columns(bundle):
        if column.get("precision") is None and column.get("key") != BLIND_COLUMN:
            what = f"precision of {_title(column)} is left to default"
            yield Finding(bundle.place(*path), what, "Write precision: 3.")
