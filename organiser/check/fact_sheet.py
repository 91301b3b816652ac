"""Checks of the fact sheet: what participants are asked with each submission."""

from collections.abc import Iterator
from typing import Any

from organiser.check.bundle import Bundle
from organiser.check.registry import SITE, UNPACKING, Finding, Missing, check

KEYS = ("key", "type", "title", "selection", "is_required", "is_on_leaderboard")
_TYPES = ("text", "checkbox", "select")
_FLAGS = ("is_required", "is_on_leaderboard")

Question = tuple[str | int, dict[str, Any]]


def _questions(bundle: Bundle) -> list[Question]:
    """Return the questions with what stands before each: its name, or its position in a list.

    Raises:
        Missing: there is no fact sheet.
    """
    sheet = bundle.competition.get("fact_sheet")
    if not sheet:
        raise Missing("there is no fact sheet")
    pairs = sheet.items() if isinstance(sheet, dict) else enumerate(_list(sheet))
    return [(name, question) for name, question in pairs if isinstance(question, dict)]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


@check("fact-sheet-mapping", "The fact sheet maps each key to its question", "error", UNPACKING)
def mapping(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses a list (“Not valid JSON”), and a question whose key is another word."""
    sheet = bundle.competition.get("fact_sheet")
    if not sheet:
        raise Missing("there is no fact sheet")
    if not isinstance(sheet, dict):
        mend = "Write each question under its key: `system_name: {key: system_name, …}`."
        yield Finding(bundle.place("fact_sheet"), "is no mapping of keys to questions", mend)
        return
    for name, question in sheet.items():
        place = bundle.place("fact_sheet", name)
        if not isinstance(question, dict):
            yield Finding(place, f"{name} is no question", f"Give it the keys {', '.join(KEYS)}.")
        elif question.get("key") not in (None, name):
            what = f"the question {name} has the key {question['key']}"
            yield Finding(place, what, "Write the same word in both places.")


@check("fact-sheet-keys", "Each question has exactly the six keys", "error", UNPACKING)
def keys(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses a question with a key too few or too many."""
    for name, question in _questions(bundle):
        missing = [key for key in KEYS if key not in question]
        more = [str(key) for key in question if key not in KEYS]
        place = bundle.place("fact_sheet", name)
        if missing:
            what = f"{', '.join(missing)} is missing"
            yield Finding(place, what, f"Add {', '.join(missing)}.")
        if more:
            yield Finding(place, f"{', '.join(more)} is too many", f"Drop {', '.join(more)}.")


@check("fact-sheet-types", "Types and selections of questions fit", "error", SITE)
def types(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses an unknown type; with a wrong selection the form cannot be sent."""
    for name, question in _questions(bundle):
        place = bundle.place("fact_sheet", name)
        kind, selection = question.get("type"), question.get("selection")
        if "type" in question and kind not in _TYPES:
            yield Finding(place, f"type is {kind}", "Write type: text.")
        elif kind == "text" and "selection" in question and selection != "":
            yield Finding(place, "a text question has a selection", 'Write selection: "".')
        elif kind == "select" and "selection" in question and not _list(selection):
            yield Finding(place, "there is nothing to select from", "List what can be chosen.")


@check("fact-sheet-flags", 'Flags are the words "true" and "false", quoted', "error", SITE)
def flags(bundle: Bundle) -> Iterator[Finding]:
    """Anything else is taken for no, or for yes, whatever it says."""
    for name, question in _questions(bundle):
        for key in _FLAGS:
            if key in question and question[key] not in ("true", "false"):
                what, place = f"{key} is {question[key]}", bundle.place("fact_sheet", name, key)
                yield Finding(place, what, f'Write {key}: "true" or "false", with the quotes.')
