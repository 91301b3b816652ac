"""Checks of the two programs, read and never run."""

import ast
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import yaml

from climatecheck.board import Board
from organiser.check import settings_of
from organiser.check.bundle import PROGRAMS, Bundle, Part
from organiser.check.competition import IMAGE
from organiser.check.imports import Import, imports_of, is_local, lacking
from organiser.check.registry import FIELD, RULES, RUNNING, Finding, Missing, check
from organiser.check.trees import is_junk
from organiser.editions import ROOT
from organiser.zips import files_of

_PYTHON = (3, 12)
_IMAGE_PACKAGES = {
    "numpy",
    "scipy",
    "sklearn",
    "joblib",
    "threadpoolctl",
    "pandas",
    "dateutil",
    "pytz",
    "tzdata",
    "six",
    "yaml",
    "matplotlib",
    "mpl_toolkits",
    "PIL",
    "psutil",
}
"""What the image can import, with what its packages bring along."""

_GONE = {"asynchat", "asyncore", "distutils", "imp", "smtpd"}
"""Modules that Python 3.12 has dropped from its standard library."""

_OURS = {"climatecheck", "baselines", "organiser"}
_SHELL = re.compile(r"[|&;<>$`]")
_METADATA = "metadata.yaml"


def _command(part: Part) -> str:
    """Return a program's command.

    Raises:
        ValueError: there is none; the message says why.
    """
    content = part.tree.read(_METADATA)
    if content is None:
        raise ValueError(f"there is no {_METADATA} at the root")
    try:
        data = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{_METADATA} is no YAML") from error
    command = data.get("command") if isinstance(data, dict) else None
    if not isinstance(command, str) or not command.strip():
        raise ValueError(f"{_METADATA} names no command")
    return command


@dataclass(frozen=True)
class _Source:
    """A Python file: what it imports, or where and why it does not compile."""

    imports: tuple[Import, ...] = ()
    line: int | None = None
    fault: str = ""


@lru_cache(maxsize=1_000)
def _source(name: str, content: bytes) -> _Source:
    version = ".".join(map(str, min(_PYTHON, sys.version_info[:2])))
    try:
        return _Source(tuple(imports_of(ast.parse(content, feature_version=_PYTHON), name)))
    except SyntaxError as error:
        return _Source((), error.lineno, f"does not compile on Python {version}: {error.msg}")
    except (ValueError, RecursionError, MemoryError):
        return _Source((), None, f"cannot be compiled on Python {version}")


def _imports(part: Part) -> Iterator[tuple[str, Import]]:
    """Yield each import of each Python file, with the name of the file."""
    for name, content in _python_files(part):
        for each in _source(name, content).imports:
            yield name, each


def _python_files(part: Part) -> Iterator[tuple[str, bytes]]:
    for name in part.tree.names:
        if name.endswith(".py") and (content := part.tree.read(name)) is not None:
            yield name, content


@check("tasks-whole", "Every task has both programs and both kinds of data", "error", RULES)
def whole(bundle: Bundle) -> Iterator[Finding]:
    """Without ingestion nothing explains a file; without its data a program has nothing to read."""
    for i, task in bundle.listed("tasks"):
        for role in (*PROGRAMS, "input_data", "reference_data"):
            named = task.get(role) or task.get("key") or role == "scoring_program"
            if not named:
                yield Finding(bundle.place("tasks", i), f"{role} is missing", f"Name the {role}.")


@check("program-metadata", "Each program says how it is started", "error", RUNNING)
def metadata(bundle: Bundle) -> Iterator[Finding]:
    """The upload succeeds, and then every submission fails, because the worker has no command."""
    for part in bundle.of_role(*PROGRAMS):
        try:
            _command(part)
        except ValueError as error:
            mend = "Put metadata.yaml with a command: at the root of the zip."
            yield Finding(part.path, str(error), mend)


@check(
    "program-command", "Commands begin with python3 and name a file of the zip", "error", RUNNING
)
def command(bundle: Bundle) -> Iterator[Finding]:
    """The image may have no other name for Python, and no shell reads the line; every run fails."""
    for part in bundle.of_role(*PROGRAMS):
        try:
            line = _command(part)
        except ValueError:
            continue  # said by program-metadata
        where = f"{part.path}: {_METADATA}"
        try:
            words = shlex.split(line)
        except ValueError:
            yield Finding(where, f"a quote in “{line}” is not closed", "Close it.")
            continue
        if words[:1] != ["python3"]:
            yield Finding(where, f"the command is “{line}”", "Begin it with python3.")
        elif _SHELL.search(line):
            yield Finding(where, f"“{line}” needs a shell", "Start one program, without a shell.")
        elif not any(word.removeprefix("./") in part.tree.names for word in words):
            what = f"“{line}” names no file of the zip"
            yield Finding(where, what, "Name the program as it stands in the zip.")


@check("program-compiles", "All Python files compile on the image's Python", "error", RUNNING)
def compiles(bundle: Bundle) -> Iterator[Finding]:
    """The program ends before its first line; every submission fails."""
    for part in bundle.of_role(*PROGRAMS):
        for name, content in _python_files(part):
            source = _source(name, content)
            if source.fault:
                at = f" line {source.line}" if source.line else ""
                yield Finding(f"{part.path}: {name}{at}", source.fault, "Mend it.")


@check("program-imports", "The image has every package that is imported", "error", RUNNING)
def packages(bundle: Bundle) -> Iterator[Finding]:
    """The import fails on the platform, and with it every submission."""
    found = bundle.competition.get("docker_image")
    if found != IMAGE:
        raise Missing(f"only the packages of {IMAGE} are known, not those of {found}")
    known = (sys.stdlib_module_names | _IMAGE_PACKAGES | _OURS) - _GONE
    for part in bundle.of_role(*PROGRAMS):
        for name, each in _imports(part):
            if each.top not in known and not is_local(part.tree, each):
                where = f"{part.path}: {name} line {each.line}"
                yield Finding(where, f"the image has no {each.top}", "Do without it.")


@check("program-whole", "Each program holds all of its own modules", "error", RUNNING)
def self_contained(bundle: Bundle) -> Iterator[Finding]:
    """Only the zip arrives on the platform; a module left at home ends every run."""
    for part in bundle.of_role(*PROGRAMS):
        for name, each in _imports(part):
            ours = each.top in _OURS or is_local(part.tree, each)
            if ours and (module := lacking(part.tree, each)):
                where = f"{part.path}: {name} line {each.line}"
                what = f"the module {module} is not in the zip"
                yield Finding(where, what, "Build the program again with make bundle.")


@check("program-board", "Both programs and the kit are for the same board", "error", RULES)
def boards(bundle: Bundle) -> Iterator[Finding]:
    """What ingestion or the kit's validator accepts, scoring would refuse."""
    found = {}
    for part in bundle.of_role(*PROGRAMS, "starting_kit"):
        content = part.tree.read(settings_of.BOARD_FILE)
        if content is None and settings_of.EDITION not in part.tree.names:
            continue  # not of this project
        try:
            found[part.path] = Board() if content is None else settings_of.board_of(content)
        except ValueError as error:
            where = f"{part.path}: {settings_of.BOARD_FILE}"
            yield Finding(where, str(error), "Build it again with make bundle.")
    if not found:
        raise Missing(f"nothing has a {settings_of.BOARD_FILE}")
    if len(set(found.values())) > 1:
        where = " and ".join(found)
        yield Finding(where, "their boards differ", "Build them again with make bundle.")


@check("program-rules", "Both programs carry this project's rules", "warning", FIELD)
def rules(bundle: Bundle) -> Iterator[Finding]:
    """A zip from before the last change scores by the old rules, and nobody sees it."""
    here = files_of(ROOT / "climatecheck", "climatecheck/")
    here = {name: content for name, content in here.items() if not is_junk(name)}
    for part in bundle.of_role(*PROGRAMS):
        names = [n for n in part.tree.names if n.startswith("climatecheck/") and not is_junk(n)]
        if not names:
            raise Missing(f"{part.path} does not carry the rules")
        changed = {name for name in names if part.tree.read(name) != here.get(name)}
        differ = sorted(changed | (set(here) - set(names)))
        if differ:
            more = f" and {len(differ) - 1} more" if len(differ) > 1 else ""
            what = f"{differ[0]}{more} differ from this project's"
            yield Finding(part.path, what, "Build the bundle again with make bundle.")
