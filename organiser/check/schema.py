"""What may stand in a ``competition.yaml``, as CodaBench reads it (version 2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from organiser.check.bundle import Bundle
from organiser.check.source import Path

TEXT = (str,)
LABEL = (str, int, float)
"""A text to be shown; a bare number is shown as it is written."""
FLAG = (bool,)
NUMBER = (int,)
LIST = (list,)
MOMENT = (str, date, datetime)
ANY = (str, int, float, bool, list, dict)

_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
_MORE_WORDS = {list: "a list", dict: "a mapping", date: "a date", datetime: "a date"}


@dataclass(frozen=True)
class Field:
    """A key: the types of its value, whether it must be there, its limit, its choices."""

    types: tuple[type, ...]
    required: bool = False
    longest: int = 0
    choices: tuple[str, ...] = ()


RULES = (
    "Add",
    "Add_And_Delete",
    "Add_And_Delete_Multiple",
    "Force_Last",
    "Force_Latest_Multiple",
    "Force_Best",
)

SCHEMA: dict[str, dict[str, Field]] = {
    "": {
        "version": Field(LABEL),
        "title": Field(LABEL, True, 256),
        "image": Field(TEXT, True),
        "terms": Field(TEXT, True),
        "pages": Field(LIST, True),
        "tasks": Field(LIST, True),
        "phases": Field(LIST, True),
        "leaderboards": Field(LIST, True),
        "solutions": Field(LIST),
        "description": Field(LABEL),
        "docker_image": Field(TEXT, longest=128),
        "registration_auto_approve": Field(FLAG),
        "make_programs_available": Field(FLAG),
        "make_input_data_available": Field(FLAG),
        "queue": Field(TEXT),
        "enable_detailed_results": Field(FLAG),
        "show_detailed_results_in_submission_panel": Field(FLAG),
        "show_detailed_results_in_leaderboard": Field(FLAG),
        "auto_run_submissions": Field(FLAG),
        "can_participants_make_submissions_public": Field(FLAG),
        "forum_enabled": Field(FLAG),
        "contact_email": Field(TEXT, longest=256),
        "reward": Field(LABEL, longest=256),
        "competition_type": Field(TEXT, choices=("competition", "benchmark")),
        "fact_sheet": Field(ANY),
    },
    "pages": {"title": Field(LABEL, True, 255), "file": Field(TEXT, True)},
    "tasks": {
        "index": Field(NUMBER, True),
        "key": Field(TEXT),
        "name": Field(LABEL, True, 256),
        "description": Field(LABEL),
        "scoring_program": Field(TEXT, True),
        "ingestion_program": Field(TEXT),
        "input_data": Field(TEXT),
        "reference_data": Field(TEXT),
        "ingestion_only_during_scoring": Field(FLAG),
    },
    "phases": {
        "index": Field(NUMBER),
        "name": Field(LABEL, True, 256),
        "description": Field(LABEL),
        "start": Field(MOMENT, True),
        "end": Field(MOMENT),
        "tasks": Field(LIST, True),
        "max_submissions": Field(NUMBER),
        "max_submissions_per_day": Field(NUMBER),
        "execution_time_limit": Field(NUMBER),
        "auto_migrate_to_this_phase": Field(FLAG),
        "hide_output": Field(FLAG),
        "hide_prediction_output": Field(FLAG),
        "hide_score_output": Field(FLAG),
        "starting_kit": Field(TEXT),
        "public_data": Field(TEXT),
    },
    "solutions": {
        "index": Field(NUMBER, True),
        "key": Field(TEXT),
        "path": Field(TEXT),
        "tasks": Field(LIST, True),
        "name": Field(LABEL),
        "description": Field(LABEL),
    },
    "leaderboards": {
        "title": Field(LABEL, True, 64),
        "key": Field(TEXT, True, 36),
        "columns": Field(LIST, True),
        "submission_rule": Field(TEXT, choices=RULES),
        "hidden": Field(FLAG),
    },
    "columns": {
        "title": Field(LABEL, True, 36),
        "key": Field(TEXT, True, 36),
        "index": Field(NUMBER, True),
        "sorting": Field(TEXT, choices=("asc", "desc")),
        "precision": Field(NUMBER),
        "hidden": Field(FLAG),
        "computation": Field(TEXT, choices=("sum", "avg", "min", "max")),
        "computation_indexes": Field(LIST),
    },
}
"""The keys of each level; the first is the file itself."""

LEVELS: dict[Path, tuple[str, ...]] = {
    (): ("pages", "tasks", "phases", "solutions", "leaderboards"),
    ("leaderboards",): ("columns",),
}
"""Which keys hold lists of mappings, by the level at which they stand."""

READ_BY_NOTHING = {"accepts_only_result_submissions"}
"""Documented, and without effect."""


@dataclass(frozen=True)
class Node:
    """A mapping of the file, with the keys that it may have."""

    path: Path
    data: dict[str, Any]
    fields: dict[str, Field]

    def values(self) -> Iterator[tuple[str, Field, Any]]:
        """Yield each known key that has a value."""
        for key, field in self.fields.items():
            if self.data.get(key) is not None:
                yield key, field, self.data[key]


def nodes(bundle: Bundle) -> Iterator[Node]:
    """Yield every mapping whose keys CodaBench reads."""
    yield Node((), bundle.competition, SCHEMA[""])
    for level in LEVELS[()]:
        for i, data in bundle.listed(level):
            yield Node((level, i), data, SCHEMA[level])
    for i, column, data in columns(bundle):
        yield Node(("leaderboards", i, "columns", column), data, SCHEMA["columns"])


def columns(bundle: Bundle) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield each column with the positions of its leaderboard and of itself."""
    for i, board in bundle.listed("leaderboards"):
        listed = board.get("columns")
        for j, column in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(column, dict):
                yield i, j, column


def fits(value: object, types: tuple[type, ...]) -> bool:
    """Return whether a value has one of the types; true and false are no numbers."""
    return type(value) in types


def in_words(types: tuple[type, ...]) -> str:
    """Return the types for people.

    >>> in_words(LABEL)
    'text, a whole number or a number'
    """
    words = list(dict.fromkeys({**_WORDS, **_MORE_WORDS}[each] for each in types))
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
