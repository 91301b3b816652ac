"""The Pythons of this machine, and environments made of them, kept in ``build/`` between runs."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from organiser.editions import ROOT, OrganiserError

IMAGE_VERSION = "3.12"
IMAGE_PINS = Path(__file__).parent / "image.txt"
KIT_NEEDS = ("numpy", "pandas", "PyYAML")
_KEPT = ROOT / "build" / "venvs"
_PROBE = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"


def find_python(version: str) -> str | None:
    """Return a Python of a version such as ``3.12``, or None.

    Looked for in the environment (``PYTHON312``), on PATH, among pyenv's versions, in this order.
    """
    candidates = (path for path in _candidates(version) if _is_version(path, version))
    return next(candidates, None)


def image_python() -> str:
    """Return the Python of an environment with the image's exact pins, made if need be.

    Raises:
        OrganiserError: this machine has no Python of the image's version, or the pins cannot be
            installed.
    """
    base = find_python(IMAGE_VERSION)
    if base is None:
        raise OrganiserError(
            f"The image has Python {IMAGE_VERSION}, and this machine has none: not in"
            f" {_variable(IMAGE_VERSION)}, not on PATH, not among pyenv's versions. Install one, or"
            f" name it: make image-test {_variable(IMAGE_VERSION)}=/path/to/python{IMAGE_VERSION}"
        )
    return environment("image", base, ["--requirement", str(IMAGE_PINS)])


def environment(name: str, base: str, packages: Sequence[str]) -> str:
    """Return the Python of a virtual environment with some packages, made anew if these changed.

    Args:
        name: of the environment's folder.
        base: the Python to make it with.
        packages: arguments of ``pip install``.

    Raises:
        OrganiserError: it cannot be made.
    """
    folder = _KEPT / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp, wanted = folder / "made-of", _made_of(base, packages)
    if not stamp.is_file() or stamp.read_text("utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        _run([base, "-m", "venv", str(folder)])
        _run([str(python), "-m", "pip", "install", "--quiet", *packages])
        stamp.write_text(wanted, "utf-8")
    return str(python)


def _candidates(version: str) -> Iterator[str]:
    named = os.environ.get(_variable(version))
    if named:
        yield named
    found = shutil.which(f"python{version}")
    if found:
        yield found
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from (str(path) for path in sorted(pyenv.glob(f"{version}*/bin/python")))


def _variable(version: str) -> str:
    return f"PYTHON{version.replace('.', '')}"


def _is_version(path: str, version: str) -> bool:
    try:
        done = subprocess.run([path, "-c", _PROBE], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.stdout.strip() == version


def _made_of(base: str, packages: Sequence[str]) -> str:
    pins = IMAGE_PINS.read_bytes() if str(IMAGE_PINS) in packages else b""
    return f"{base} {' '.join(packages)} {hashlib.sha256(pins).hexdigest()}\n"


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise OrganiserError(f"“{' '.join(command)}” failed: {last}")
