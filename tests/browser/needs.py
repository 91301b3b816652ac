"""What the checks need beside Python: a browser, and two libraries of JavaScript; it gets both."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from organiser.editions import ROOT

HERE = Path(__file__).parent
FOLDER = ROOT / "build" / "browser"
LISTS = ("package.json", "package-lock.json")


class NeedError(Exception):
    """Something is missing and cannot be installed from here; told in words."""


@lru_cache
def chromium() -> str:
    """Return the browser's path: ``CHROMIUM``, or one that is installed, or Debian's, installed.

    Raises:
        NeedError: there is none, and none can be installed.
    """
    named = os.environ.get("CHROMIUM")
    if named:
        if shutil.which(named) is None:
            raise NeedError(f"CHROMIUM names {named}, which is no program.")
        return named
    return _program(("chromium", "chromium-browser", "google-chrome"), "chromium", "CHROMIUM=path")


@lru_cache
def library(path: str) -> Path:
    """Return a file of an installed library, such as ``axe-core/axe.min.js``.

    Raises:
        NeedError: the libraries cannot be installed.
    """
    if any(_text(FOLDER / name) != _text(HERE / name) for name in LISTS):
        _install()
    return FOLDER / "node_modules" / path


def _install() -> None:
    npm = _program(("npm",), "npm", "Node.js with npm on the path")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in LISTS:
        shutil.copy(HERE / name, FOLDER)
    try:
        _run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], FOLDER)
    except NeedError:
        for name in LISTS:  # or else the next run would believe them installed
            (FOLDER / name).unlink()
        raise


def _text(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


def _program(names: Sequence[str], package: str, instead: str) -> str:
    if found := _installed(names):
        return found
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise NeedError(
            f"{' or '.join(names)} is not installed, and only root can install it here."
            f" Ask for the Debian package {package}, or give {instead}."
        )
    _run(["apt-get", "update", "-qq"], ROOT)
    _run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package], ROOT)
    if found := _installed(names):
        return found
    raise NeedError(f"The Debian package {package} brought no {names[0]}. Give {instead}.")


def _installed(names: Sequence[str]) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


def _run(command: Sequence[str], folder: Path) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        raise NeedError(f"{' '.join(command[:2])} ended with code {done.returncode}:\n{last}")
