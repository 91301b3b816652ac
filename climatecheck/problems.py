"""A problem is data: what was found where, what is expected, and how to mend it.

``problem_table`` defines every kind once; readers add to a ``Collector``; nothing is raised one by
one. Problems of one kind in one file are grouped, with a count and the first few places.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

SHOWN_CHARACTERS = 60
FIRST_PLACES = 3
"""How many places are shown of a warning, or of an error that looks the same everywhere."""
DISTINCT_PLACES = 6
"""How many places are shown of an error in which different texts were found."""
_LOOKED_AT = 3 * DISTINCT_PLACES


def shown(value: object) -> str:
    r"""Return a participant's text fit to print: short, one line, nothing invisible or reordering.

    >>> shown("a\x00b\u202ec"), len(shown("x" * 100_000))
    ('a\\x00b\\u202ec', 61)
    """
    text = str(value)
    cut = text[:SHOWN_CHARACTERS]
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return safe + ("…" if len(text) > SHOWN_CHARACTERS else "")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class Kind:
    """One entry of the table of problems.

    Attributes:
        code: stable id; ``E-`` begins an error (the file is refused), ``W-`` a warning.
        title: what it is, for the table.
        one: the sentence for a single occurrence; braces name values of the place.
        many: the sentence for several; ``{count}`` is their number.
        mend: what to do about it.
    """

    code: str
    title: str
    one: str
    many: str
    mend: str

    @property
    def is_error(self) -> bool:
        """Whether a file with this problem is refused."""
        return self.code.startswith("E-")


@dataclass(frozen=True)
class Place:
    """One occurrence of a problem: where, and what was found there."""

    line: int | None = None
    claim: str = ""
    column: str = ""
    found: str = ""
    hint: str = ""
    values: tuple[tuple[str, str], ...] = ()

    def text(self) -> str:
        """Return the place in words, for the list behind a grouped problem."""
        parts = [f"line {self.line}"] if self.line is not None else []
        parts += [f"claim {self.claim}"] if self.claim else []
        values = dict(self.values)
        read_as = f" as “{values['read_as']}”" if values.get("read_as") else ""
        parts += [f"“{self.found}”{read_as}"] if self.found else []
        parts += [values["note"]] if "note" in values else []
        return ", ".join(parts) + (f" ({self.hint_text})" if self.hint else "")

    @property
    def hint_text(self) -> str:
        """What was probably meant, as a question."""
        written = dict(self.values).get("written", "")
        return f"Did you mean “{self.hint}”{f' by “{written}”' if written else ''}?"


@dataclass(frozen=True)
class Problem:
    """All occurrences of one kind of problem in one file.

    Attributes:
        kind: the entry of the table.
        file: the file's name, fit to print; empty where the upload as a whole is meant.
        count: how many occurrences there are.
        places: the first few of them.
    """

    kind: Kind
    file: str
    count: int
    places: tuple[Place, ...]

    @property
    def code(self) -> str:
        """The stable id of the kind."""
        return self.kind.code

    @property
    def is_error(self) -> bool:
        """Whether the file is refused for it."""
        return self.kind.is_error

    @property
    def where(self) -> str:
        """The file, and the line if there is just one occurrence."""
        line = self.places[0].line if self.count == 1 else None
        name = self.file or "upload"
        return f"{name} line {line}" if line is not None else name

    @property
    def sentence(self) -> str:
        """What was found and what is expected, without the place and the mend."""
        place = self.places[0]
        if self.count == 1:
            hint = f" {place.hint_text}" if place.hint else ""
            return f"{self.gist}.{hint}"
        listed = [text for text in (p.text() for p in self.places) if text]
        more = "; …" if self.count > len(listed) else ""
        first = f" (first: {'; '.join(listed)}{more})" if listed else ""
        return f"{self.gist}{first}."

    @property
    def gist(self) -> str:
        """What was found and what is expected, in one clause, without any place."""
        form = self.kind.one if self.count == 1 else self.kind.many
        return form.format(**self._values())

    @property
    def mend(self) -> str:
        """How to mend it."""
        return self.kind.mend.format(**self._values())

    @property
    def message(self) -> str:
        """The whole in one line: code, place, what was found, how to mend it."""
        return f"{self.code}  {self.where}: {self.sentence} {self.mend}"

    def _values(self) -> dict[str, str]:
        place = self.places[0]
        own = {"claim": place.claim, "column": place.column, "found": place.found}
        return {**dict(place.values), **own, "count": f"{self.count:,}"}

    def as_json(self) -> dict[str, object]:
        """Return the problem for ``validation.json``."""
        return {
            "code": self.code,
            "severity": "error" if self.is_error else "warning",
            "file": self.file,
            "count": self.count,
            "message": self.message,
            "places": [
                {"line": p.line, "claim": p.claim, "column": p.column, "found": p.found}
                for p in self.places
            ],
        }


@dataclass
class _Group:
    kind: Kind
    file: str
    count: int = 0
    places: list[Place] = field(default_factory=list)

    def wants(self, claim: str, found: str) -> bool:
        """Return whether an occurrence is worth showing beside those that are kept."""
        distinct = self.kind.is_error and found
        if len(self.places) >= (DISTINCT_PLACES if distinct else FIRST_PLACES):
            return False
        return not found or all((p.claim, p.found) != (claim, found) for p in self.places)


class Collector:
    """Gathers problems while files are read."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str, str], _Group] = {}

    def add(
        self,
        kind: Kind,
        file: str = "",
        *,
        line: int | None = None,
        claim: str = "",
        column: str = "",
        found: object = "",
        hint: str | Callable[[], str] = "",
        group_by: str = "",
        times: int = 1,
        **values: object,
    ) -> None:
        """Add an occurrence, or several; every text of a participant is made fit to print here.

        Occurrences of one kind in one file are grouped, unless ``group_by`` tells them apart. A
        hint that takes time is a function, called only where it will be shown.
        """
        file = shown(file)
        group = self._groups.setdefault((kind.code, file, group_by), _Group(kind, file))
        group.count += times
        claim, text = shown(claim), shown(found)
        if group.wants(claim, text):
            guess = hint if isinstance(hint, str) else hint()
            made = tuple((name, shown(value)) for name, value in values.items())
            group.places.append(Place(line, claim, shown(column), text, shown(guess), made))

    def add_rows(
        self,
        kind: Kind,
        file: str,
        rows: Sequence[T],
        place: Callable[[T], Mapping[str, Any]],
        *,
        count: int | None = None,
    ) -> None:
        """Add an occurrence for each row, of which only the first few are looked at.

        Args:
            kind: the problem.
            file: the file's name.
            rows: the rows that have it, or those that are worth showing.
            place: gives, for a row, the other arguments of ``add``.
            count: how many rows have it, if more than ``rows``.
        """
        told = rows[:_LOOKED_AT]
        rest = (len(rows) if count is None else count) - len(told)
        for i, row in enumerate(told):
            self.add(kind, file, times=1 if i else 1 + rest, **place(row))

    @property
    def has_errors(self) -> bool:
        """Whether an error was added."""
        return any(group.kind.is_error for group in self._groups.values())

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems: errors first, else in the order in which they were found."""
        made = [Problem(g.kind, g.file, g.count, tuple(g.places)) for g in self._groups.values()]
        return tuple(sorted(made, key=lambda problem: not problem.is_error))


def verdict(problems: Iterable[Problem]) -> str:
    """Return the verdict in one line.

    >>> verdict([])
    'Accepted, without a remark.'
    """
    found = list(problems)
    errors = sum(problem.is_error for problem in found)
    warnings = len(found) - errors
    if errors:
        return f"Refused: {counted(errors, 'error')}, {counted(warnings, 'warning')}."
    if warnings:
        return f"Accepted, with {counted(warnings, 'warning')}."
    return "Accepted, without a remark."
