"""Gathers what an import finds, so that it can be told all at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from organiser.dataset.kinds import KINDS, REFUSED_IN_NEW, Kind
from organiser.editions import OrganiserError

SHOWN = 5


@dataclass(frozen=True)
class Place:
    """Where something was found, and what."""

    file: str = ""
    row: int = 0
    claim: str = ""
    abstract: str = ""
    found: str = ""

    def __str__(self) -> str:
        parts = [f"{self.file} row {self.row}" if self.row else self.file]
        parts += [f"claim {self.claim}"] if self.claim else []
        parts += [f"abstract {self.abstract}"] if self.abstract else []
        return ", ".join(part for part in (*parts, self.found) if part)


@dataclass(frozen=True)
class Finding:
    """All occurrences of a kind in a split (empty: of the dataset as a whole)."""

    kind: Kind
    split: str
    count: int
    places: tuple[Place, ...]

    @property
    def where(self) -> str:
        """The split, in words."""
        return self.split or "dataset"

    @property
    def sentence(self) -> str:
        """What was found, how often, where first, and what was done."""
        shown = "; ".join(map(str, self.places[:SHOWN]))
        more = "; …" if len(self.places) > SHOWN else ""
        first = f" (first: {shown}{more})" if shown else ""
        return f"{self.where}: {self.count:,} {self.kind.found}{first}. {self.kind.done}"

    def __str__(self) -> str:
        return f"{self.kind.level} {self.kind.code}  {self.sentence}"


class Findings:
    """What was found, and what cannot be used at all."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Finding] = {}
        self._faults: list[str] = []

    def add(
        self, kind: Kind, split: str, places: Sequence[Place], *, count: int | None = None
    ) -> None:
        """Add occurrences, if there are any.

        Args:
            kind: of them all.
            split: that they are in.
            places: where they are, or some of them.
            count: how many there are, if not as many as places.
        """
        number = len(places) if count is None else count
        if not number:
            return
        before = self._found.get((kind.code, split), Finding(kind, split, 0, ()))
        self._found[kind.code, split] = Finding(
            kind, split, before.count + number, (*before.places, *places)
        )

    def fault(self, sentence: str) -> None:
        """Add something that no import can decide."""
        self._faults.append(sentence)

    def all(self) -> list[Finding]:
        """Return the findings: warnings first, else in the order of the table of kinds."""
        order = {code: place for place, code in enumerate(KINDS)}

        def key(finding: Finding) -> tuple[bool, int, str]:
            return finding.kind.level == "note", order[finding.kind.code], finding.split

        return sorted(self._found.values(), key=key)

    def stop_at_faults(self) -> None:
        """Raise an ``OrganiserError`` that lists every fault, if there is one."""
        self._stop(self._faults)

    def refuse(self, *, new: bool, strict: bool) -> None:
        """Raise an ``OrganiserError`` with all that is refused.

        Args:
            new: an edition that can still be mended.
            strict: every decision is refused.
        """
        refused = [
            str(finding)
            for finding in self.all()
            if (strict and finding.kind.level == "warning")
            or (new and finding.kind in REFUSED_IN_NEW)
        ]
        self._stop([*self._faults, *refused])

    @staticmethod
    def _stop(reasons: Iterable[str]) -> None:
        listed = list(reasons)
        if listed:
            raise OrganiserError("Nothing was imported:\n- " + "\n- ".join(listed))
