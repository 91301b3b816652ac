"""All that a participant can read of a run, and the page taken apart."""

import importlib.util
import io
import os
import re
import shutil
import unicodedata
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from unittest import mock

from climatecheck import running
from climatecheck.problem_table import KINDS
from organiser import worker
from tests.conftest import ROOT

SCORES, PAGE = "scoring/scores.json", "scoring/detailed_results.html"
WITHOUT_CONTENT = {"meta", "br", "hr", "img", "input", "link", "col", "wbr"}
CLAIM = re.compile(r"\bc(?:0\d|1[01])\b")
"""An id of the tiny edition as a word of its own, not as a part of a colour or a hash."""
NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")


@dataclass(frozen=True)
class Reading:
    """Texts of the logs, and files of both output zips, by name."""

    logs: dict[str, str]
    files: dict[str, bytes]

    @property
    def page(self) -> str:
        return self.files[PAGE].decode("utf-8")

    def all_texts(self) -> dict[str, str]:
        return self.logs | {name: data.decode("utf-8") for name, data in self.files.items()}


def reading(run: worker.Run) -> Reading:
    logs = {
        f"{name}.{stream}": getattr(step, stream)
        for name, step in (("ingestion", run.ingestion), ("scoring", run.scoring))
        for stream in ("stdout", "stderr")
    }
    prediction = run.output.parent.parent / "prediction" / "output"
    return Reading(logs, {**_files(prediction, "prediction"), **_files(run.output, "scoring")})


def _files(folder: Path, under: str) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {f"{under}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in paths}


# --- the page -------------------------------------------------------------------------------------


@dataclass
class Section:
    """A section of the page: its title, the texts in it, and its elements."""

    title: str = ""
    texts: list[str] = field(default_factory=list)
    elements: list[tuple[str, tuple[tuple[str, str], ...]]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    @property
    def lists_problems(self) -> bool:
        return any(text in KINDS for text in self.texts) or any(
            text.startswith(f"{code} ") for text in self.texts for code in KINDS
        )

    def without_numbers(self) -> "Section":
        return Section(
            self.title,
            [NUMBER.sub("#", text) for text in self.texts],
            [
                (tag, tuple((name, NUMBER.sub("#", value)) for name, value in attributes))
                for tag, attributes in self.elements
            ],
        )


class Page(HTMLParser):
    """A page by its sections; what stands before the first one is a section without a title."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.sections = [Section()]
        self.open: list[str] = []
        self.odd: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == [], "an element is not closed"
        assert self.odd == [], "there are comments or processing instructions"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "section":
            self.sections.append(Section())
        attributes = tuple((name, value or "") for name, value in attrs)
        self.sections[-1].elements.append((tag, attributes))
        if tag not in WITHOUT_CONTENT:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in WITHOUT_CONTENT:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"
        if tag == "section":
            self.sections.append(Section())

    def handle_data(self, data: str) -> None:
        if not data.strip() or "style" in self.open:
            return
        if self.open[-1] == "h2" and not self.sections[-1].title:
            self.sections[-1].title = data.strip()
        self.sections[-1].texts.append(data.strip())

    def handle_comment(self, data: str) -> None:
        self.odd.append(data)

    def handle_pi(self, data: str) -> None:
        self.odd.append(data)

    def unknown_decl(self, data: str) -> None:
        self.odd.append(data)

    @property
    def elements(self) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
        return [element for section in self.sections for element in section.elements]

    @property
    def text(self) -> str:
        return "\n".join(section.text for section in self.sections)

    def shapes(self) -> set[tuple[str, ...]]:
        """The kinds of elements: tag and names of attributes."""
        return {(tag, *(name for name, _ in attributes)) for tag, attributes in self.elements}


def unprintable(text: str) -> set[str]:
    """Return the characters that control, reorder or hide text, line ends left out."""
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    found = {char for char in set(text) if unicodedata.category(char) in hidden}
    return {f"U+{ord(char):04X}" for char in found if char != "\n"}


# --- both programs in this process, for tests of many runs ----------------------------------------


def program(name: str) -> ModuleType:
    """Return the module of a program, ``ingestion`` or ``scoring``."""
    path = ROOT / f"{name}_program" / f"{name}.py"
    if name not in _PROGRAMS:
        spec = importlib.util.spec_from_file_location(f"program_{name}", path)
        assert spec is not None and spec.loader is not None
        _PROGRAMS[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(_PROGRAMS[name])
    return _PROGRAMS[name]


_PROGRAMS: dict[str, ModuleType] = {}


def read_in_process(files: Mapping[str, bytes], reference: Path, root: Path) -> Reading:
    """Take files through both steps, without zips and without new processes.

    Args:
        files: the submission's files by path.
        reference: a folder with claims and gold.
        root: an empty folder to work in.
    """
    prediction, res, output = root / "prediction", root / "input" / "res", root / "scoring"
    submission = root / "submission"
    for folder in (submission, res.parent, output):
        folder.mkdir(parents=True)
    for name, data in files.items():
        path = submission / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    shutil.copytree(submission, prediction)
    logs = _logged("ingestion", [submission, reference, prediction])
    shutil.copytree(prediction, res)
    (root / "input" / "ref").symlink_to(reference)
    logs |= _logged("scoring", [root / "input", output])
    return Reading(logs, {**_files(prediction, "prediction"), **_files(output, "scoring")})


def _logged(name: str, folders: list[Path]) -> dict[str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), mock.patch.object(os, "fsync"):
        running.run(program(name).main, list(map(str, folders)))
    return {f"{name}.stdout": out.getvalue(), f"{name}.stderr": err.getvalue()}
