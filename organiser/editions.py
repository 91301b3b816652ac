"""Where the data of an edition lie: the sample edition in the project, others in ``editions/``."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from climatecheck.board import read_facts
from climatecheck.gold import GOLD_FILES, has_gold

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


def gold_files(folder: Path, tasks: Collection[str]) -> dict[str, bytes]:
    """Return the files of gold that a folder has, by name.

    Args:
        folder: of the reference data.
        tasks: those of the board.

    Raises:
        OrganiserError: a task of the board has no gold.
    """
    there = [task for task, name in GOLD_FILES.items() if has_gold(folder / name)]
    for task in sorted(set(tasks).difference(there)):
        raise OrganiserError(
            f"There is no gold of task {task}: {folder / GOLD_FILES[task]} is missing or empty."
            f" {without_gold(task, there)}"
        )
    return {GOLD_FILES[task]: (folder / GOLD_FILES[task]).read_bytes() for task in there}


def without_gold(task: str, there: Collection[str]) -> str:
    """Return what to do where a task of the board has no gold.

    Args:
        task: it.
        there: the tasks that have gold.

    >>> without_gold("2", ["1"])
    'Add it, or leave task 2 out: make bundle-task1, make score BOARD=task1.'
    """
    if not there:
        return "Add it."
    other = f"task{min(there)}"
    return f"Add it, or leave task {task} out: make bundle-{other}, make score BOARD={other}."
