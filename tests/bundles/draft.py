"""A bundle that is being spoiled, and what the checks say of it."""

import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime
from typing import Any

import yaml

from organiser.check import CHECKS, Bundle, run
from organiser.check.trees import open_zip
from organiser.zips import zipped

BEFORE = datetime(2026, 1, 1)
"""Before the first phase, so that none is over."""

Files = dict[str, bytes]


def unzipped(content: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


class Draft:
    """A bundle that is being spoiled."""

    def __init__(self, files: Files) -> None:
        self.files = dict(files)
        self.yaml: dict[str, Any] = yaml.safe_load(files["competition.yaml"])

    @property
    def board(self) -> dict[str, Any]:
        return self.yaml["leaderboards"][0]

    def part(self, name: str, change: Callable[[Files], Any]) -> None:
        """Change the files inside a zip of the bundle."""
        files = unzipped(self.files[f"{name}.zip"])
        change(files)
        self.files[f"{name}.zip"] = zipped(files)

    def put(self, part: str, **contents: bytes | str) -> None:
        """Put files into a zip; ``__`` stands for a slash and ``_dot_`` for a dot."""
        for name, content in contents.items():
            path = name.replace("__", "/").replace("_dot_", ".")
            data = content.encode() if isinstance(content, str) else content
            self.part(part, lambda files, path=path, data=data: files.update({path: data}))

    def text(self, old: str, new: str) -> None:
        """Change the text of competition.yaml, after all else."""
        text = yaml.safe_dump(self.yaml, sort_keys=False).replace(old, new)
        assert new in text
        self.files["competition.yaml"] = text.encode()
        self.yaml = {}

    def built(self) -> bytes:
        if self.yaml:
            self.files["competition.yaml"] = yaml.safe_dump(self.yaml, sort_keys=False).encode()
        return zipped(self.files)

    def bundle(self) -> Bundle:
        return Bundle(open_zip(self.built()), "bundle.zip", now=BEFORE)


def failed(bundle: Bundle) -> dict[str, str]:
    """The severity of each check that failed, by id."""
    return {r.check.id: r.check.severity for r in run(bundle) if r.status == "failed"}


def status(id_: str, bundle: Bundle) -> str:
    return next(r.status for r in run(bundle) if r.check.id == id_)


def findings(id_: str, bundle: Bundle) -> list[str]:
    return [f"{f.where}: {f.what} {f.mend}" for f in CHECKS[id_].find(bundle)]


def raw_zip(files: Files, link: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        if link:
            info = zipfile.ZipInfo(link)
            info.create_system, info.external_attr = 3, 0o120777 << 16
            archive.writestr(info, "/etc/passwd")
    return buffer.getvalue()


def gold_file(draft: Draft, name: str) -> bytes:
    return unzipped(draft.files["reference_data.zip"])[name]


def set_boards(draft: Draft, change: Callable[[dict[str, Any]], Any], *programs: str) -> None:
    for program in programs or ("ingestion_program", "scoring_program", "starting_kit"):
        board = json.loads(unzipped(draft.files[f"{program}.zip"])["board.json"])
        change(board)
        draft.put(program, board_dot_json=json.dumps(board))
