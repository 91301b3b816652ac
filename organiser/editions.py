"""Where the data of an edition lie: the sample edition in the project, others in ``editions/``."""

import os
from dataclasses import dataclass
from pathlib import Path

from climatecheck.board import read_facts

ROOT = Path(__file__).resolve().parent.parent
"""The project's folder."""


class OrganiserError(Exception):
    """Something that an organiser can mend; its message says what and how."""


@dataclass(frozen=True)
class Edition:
    """The three folders of an edition."""

    input_data: Path
    reference_data: Path
    kit_data: Path

    @property
    def notice(self) -> str:
        """What every page that uses the data must say; empty for a real edition."""
        return read_facts(self.input_data).notice


def edition(name: str | None = None) -> Edition:
    """Return the edition of a name; by default that of ``EDITION`` in the environment.

    Without a name it is the sample edition.

    Raises:
        OrganiserError: there is no such edition.
    """
    name = os.environ.get("EDITION", "") if name is None else name
    base = ROOT / "editions" / name if name else ROOT
    if not base.is_dir():
        raise OrganiserError(f"There is no edition “{name}”: the folder {base} is missing.")
    return Edition(base / "input_data", base / "reference_data", base / "starting_kit" / "data")
