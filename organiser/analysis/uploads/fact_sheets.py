"""The fact sheets in a leaderboard export: a CSV for each phase in a zip, one CSV, or JSON.

Rows are keyed ``<owner>-<submission id>``, or ``<owner>`` by older versions of the platform. The
answers are a participant's: JSON or the text of a Python dict, and never run as code.
"""

import ast
import csv
import io
import json
import re
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from climatecheck.problems import shown
from organiser.editions import OrganiserError

Answers: TypeAlias = dict[str, str]

_ANSWERS = "fact_sheet_answers"
_KEY = "Username"
_MAX_CHARACTERS = 20_000
_MAX_BYTES = 100_000_000
_KEYED = re.compile(r"(.+)-(\d+)", re.DOTALL)


class FactSheets:
    """The answers of each row of the leaderboard, by its key; empty where a row has none."""

    def __init__(self, answers: Mapping[str, Answers] | None = None) -> None:
        self._answers = dict(answers or {})

    def of(self, owner: str, number: int, owners: Collection[str] = ()) -> Answers:
        """Return the answers for an upload: those of its own row, and of no other upload's.

        Args:
            owner: whose upload it is.
            number: its id on the platform; 0 if it is not known, so that the owner's last row
                stands for it.
            owners: all owners, so that none is taken for another one's upload.
        """
        for key in (f"{owner}-{number}", owner):
            if key in self._answers:
                return self._answers[key]
        mine = self._keys(owner, owners)
        return self._answers[mine[max(mine)]] if mine and not number else {}

    def notes(self, uploads: Sequence[tuple[str, int]], owners: Collection[str] = ()) -> list[str]:
        """Return what must be said of these uploads' rows.

        Args:
            uploads: owner and number of each upload that stands for its team.
            owners: see ``of``.
        """
        other = sorted(
            {
                shown(owner)
                for owner, number in uploads
                if number and not self._has(owner, number) and self._keys(owner, owners)
            }
        )
        notes = []
        if other:
            notes.append(
                "The leaderboard export has a row of another upload than the one that stands for"
                f" the team here, so its fact sheet is not shown: {', '.join(other)}."
            )
        matched = [
            upload for upload in uploads if self._has(*upload) or self._last_row(*upload, owners)
        ]
        if not matched:
            notes.append(
                "A leaderboard export was given, but none of its rows is of an upload that stands"
                " for a team here, so nothing is known of emissions and energy."
            )
        elif not any(self.of(owner, number, owners) for owner, number in matched):
            notes.append("In the leaderboard export, no fact sheet of these uploads has an answer.")
        return notes

    def _has(self, owner: str, number: int) -> bool:
        return owner in self._answers or f"{owner}-{number}" in self._answers

    def _last_row(self, owner: str, number: int, owners: Collection[str]) -> bool:
        return not number and bool(self._keys(owner, owners))

    def _keys(self, owner: str, owners: Collection[str]) -> dict[int, str]:
        """Return the keys of an owner's rows by the number of the upload."""
        return {
            int(keyed[2]): key
            for key in self._answers
            if (keyed := _KEYED.fullmatch(key)) and keyed[1] == owner and key not in owners
        }


def read_fact_sheets(path: Path) -> FactSheets:
    """Read a leaderboard export; answers that cannot be understood are left out.

    Raises:
        OrganiserError: there is no such file, it is no leaderboard export, or it has no row.
    """
    if not path.is_file():
        raise OrganiserError(f"There is no leaderboard export {path}.")
    found: dict[str, Answers] = {}
    for text in _texts(path):
        rows = _json_rows(text) if text.lstrip()[:1] in ("{", "[") else _csv_rows(text, path)
        for key, given in rows:
            found[key] = parse_answers(given) or found.get(key, {})
    if not found:
        raise OrganiserError(
            f"{path} is no leaderboard export with fact sheets: it holds no row of an upload, as a"
            f" row of CSV or an object of JSON with {_ANSWERS}."
        )
    return FactSheets(found)


def parse_answers(given: object) -> Answers:
    """Return answers by question, each fit to print; none if they cannot be understood.

    >>> parse_answers('{"co2e_kg": 0.5, "language_model": null}')
    {'co2e_kg': '0.5'}
    >>> parse_answers("{'co2e_kg': '0.5'}"), parse_answers("__import__('os')")
    ({'co2e_kg': '0.5'}, {})
    """
    content = _parsed(given) if isinstance(given, str) else given
    if not isinstance(content, Mapping):
        return {}
    return {
        shown(question): shown(answer)
        for question, answer in content.items()
        if answer is not None and str(answer).strip()
    }


def _parsed(text: str) -> object:
    if len(text) > _MAX_CHARACTERS:
        return None
    for parse in (json.loads, ast.literal_eval):  # literals alone: no name, no call
        try:
            return parse(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return None


def _texts(path: Path) -> Iterator[str]:
    if not zipfile.is_zipfile(path):
        yield path.read_text("utf-8-sig", errors="replace")
        return
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.filename.lower().endswith((".csv", ".json")):
                with archive.open(info) as file:
                    yield file.read(_MAX_BYTES).decode("utf-8-sig", errors="replace")


def _csv_rows(text: str, path: Path) -> Iterator[tuple[str, object]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if _KEY not in (reader.fieldnames or ()):
        raise OrganiserError(f"{path} is no leaderboard export: it has no column {_KEY}.")
    for row in reader:
        yield str(row[_KEY]), row.get(_ANSWERS) or ""


def _json_rows(text: str) -> Iterator[tuple[str, object]]:
    """Yield the rows of each phase: objects by key, at whatever depth."""
    try:
        pending: list[Any] = [json.loads(text)]
    except (ValueError, RecursionError) as error:
        raise OrganiserError("The leaderboard export cannot be read as JSON.") from error
    while pending:
        content = pending.pop()
        if isinstance(content, list):
            pending += content
        elif isinstance(content, dict):
            for key, value in content.items():
                if isinstance(value, dict) and _ANSWERS in value:
                    yield key, value[_ANSWERS]
                else:
                    pending.append(value)
