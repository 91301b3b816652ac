"""A bundle as the checks see it: its files, its ``competition.yaml``, and the parts that it names.

What cannot be found raises ``Missing``, so that a check which needs it is skipped with the reason.
"""

import posixpath
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Any

from climatecheck import edition as settings
from climatecheck import read_claims, read_gold
from climatecheck.gold import GOLD_FILES, GoldError
from climatecheck.tables import Claims, Gold
from organiser.check.registry import Missing
from organiser.check.source import Source, SourceError, read_source
from organiser.check.trees import EMPTY, Tree, open_folder, open_zip

YAML = "competition.yaml"
PROGRAMS = ("ingestion_program", "scoring_program")
DATA = ("input_data", "reference_data")


@dataclass(frozen=True)
class Part:
    """A program or data set that ``competition.yaml`` names.

    Attributes:
        role: the key that names it, such as ``scoring_program``; ``solutions`` for a solution.
        place: where ``competition.yaml`` names it.
        path: the zip or folder.
        tree: its files.
        top: the folder in which everything stands, if there is one folder too many; the files of
            ``tree`` are then those inside it.
        there: whether the bundle holds it.
        on_server: whether the path is the key of something that CodaBench holds already.
    """

    role: str
    place: str
    path: str
    tree: Tree
    top: str = ""
    there: bool = True
    on_server: bool = False

    @property
    def readable(self) -> bool:
        """Whether there are files to look at."""
        return self.there and not self.tree.fault


class Bundle:
    """A bundle, and the moment at which it is looked at.

    Args:
        tree: the files.
        name: of the bundle, for messages.
        now: the moment in UTC, without time zone; None is the present.
        gold: a folder of gold to look for where the bundle itself has none.
    """

    def __init__(
        self, tree: Tree, name: str, *, now: datetime | None = None, gold: Path | None = None
    ) -> None:
        self.name = name
        self.now = now or datetime.now(timezone.utc).replace(tzinfo=None)
        self.given_gold = gold
        top = tree.top_folder()
        self.top = top if f"{top}{YAML}" in tree.names and top else ""
        self.tree = tree.under(self.top) if self.top else tree

    @property
    def source(self) -> Source:
        """The content of ``competition.yaml``, with lines."""
        if isinstance(self._source, str):
            raise Missing(self._source)
        return self._source

    @cached_property
    def _source(self) -> Source | str:
        """The content, or why there is none; read once even where it cannot be read."""
        if YAML not in self.tree.names:
            return f"there is no {YAML} to read"
        try:
            return read_source((self.tree.read(YAML) or b"").decode("utf-8-sig"))
        except (SourceError, UnicodeDecodeError):
            return f"{YAML} cannot be read"

    @property
    def competition(self) -> dict[str, Any]:
        """The content of ``competition.yaml``."""
        return self.source.data

    def place(self, *path: str | int) -> str:
        """Return where a path of ``competition.yaml`` stands."""
        return self.source.place(*path)

    def listed(self, key: str) -> list[tuple[int, dict[str, Any]]]:
        """Return the mappings of a list such as ``phases``, each with its position."""
        values = self.competition.get(key)
        values = values if isinstance(values, list) else []
        return [(i, value) for i, value in enumerate(values) if isinstance(value, dict)]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Every program and data set that is named, in the order of the file."""
        return tuple(self._parts())

    def _parts(self) -> Iterator[Part]:
        keys = {
            "tasks": (*PROGRAMS, *DATA),
            "phases": ("starting_kit", "public_data"),
            "solutions": ("path",),
        }
        for group, names in keys.items():
            for i, node in self.listed(group):
                for name in names:
                    if isinstance(node.get(name), str) and node[name]:
                        role = "solutions" if name == "path" else name
                        yield self._part(role, self.place(group, i, name), node[name])

    def _part(self, role: str, place: str, path: str) -> Part:
        tree = self._tree(posixpath.normpath(path))
        if tree is None:
            return Part(role, place, path, EMPTY, there=False, on_server=_is_key(path))
        top = tree.top_folder() if role in (*PROGRAMS, *DATA) else ""
        return Part(role, place, path, tree.under(top) if top else tree, top)

    def _tree(self, path: str) -> Tree | None:
        if path in self.tree.names:
            content = self.tree.read(path)
            return open_zip(b"" if content is None else content)
        folder = self.tree.under(f"{path}/")
        return folder if folder.entries else None

    def of_role(self, *roles: str) -> list[Part]:
        """Return the readable parts of some roles, each path once.

        Raises:
            Missing: there is none.
        """
        found = {(p.role, p.path): p for p in self.parts if p.role in roles and p.readable}
        if not found:
            raise Missing(f"no {' or '.join(roles)} can be read")
        return list(found.values())

    def file_of(self, role: str, name: str) -> bytes:
        """Return a file of the first part of a role.

        Raises:
            Missing: there is no such file.
        """
        part = self.of_role(role)[0]
        content = part.tree.read(name)
        if content is None:
            raise Missing(f"{part.path} has no readable {name}")
        return content

    @cached_property
    def claims(self) -> Claims:
        """The test claims."""
        with tempfile.TemporaryDirectory(prefix="check-") as folder:
            path = Path(folder) / settings.CLAIMS_FILE
            path.write_bytes(self.file_of("input_data", settings.CLAIMS_FILE))
            try:
                return read_claims(path)
            except GoldError as error:
                raise Missing(f"{settings.CLAIMS_FILE} of the input data is faulty") from error

    @cached_property
    def gold(self) -> Gold:
        """The gold of the bundle, of whatever task; that which was given, if it has none."""
        with tempfile.TemporaryDirectory(prefix="check-") as folder:
            for name in GOLD_FILES.values():
                content = self._gold_file(name)
                if content is not None:
                    (Path(folder) / name).write_bytes(content)
            try:
                gold = read_gold(Path(folder), self.claims, tasks=())
            except GoldError as error:
                raise Missing("the gold is faulty, see data-gold") from error
        if not gold.tasks:
            raise Missing("there is no gold of any task")
        return gold

    def _gold_file(self, name: str) -> bytes | None:
        try:
            return self.file_of("reference_data", name)
        except Missing:
            given = self.given_gold / name if self.given_gold else None
            return given.read_bytes() if given and given.is_file() else None


def open_bundle(path: Path, *, now: datetime | None = None, gold: Path | None = None) -> Bundle:
    """Open a bundle, a folder or a zip; what cannot be opened becomes a finding."""
    tree = open_folder(path) if path.is_dir() else open_zip(path)
    return Bundle(tree, str(path), now=now, gold=gold)


def _is_key(path: str) -> bool:
    try:
        uuid.UUID(path)
    except ValueError:
        return False
    return True
