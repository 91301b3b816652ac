"""A library that is not installed: each of the organiser's commands says so, and how to mend it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from organiser import build
from organiser.editions import ROOT
from tests.test_make import make

HIDE = "import sys\nsys.modules[{!r}] = None\n"
COMMANDS = [
    ("organiser.build starting_kit", "yaml", "PyYAML"),
    ("organiser.bundle", "bm25s", "bm25s"),
    ("organiser.dry_run score", "numpy", "numpy"),
    ("organiser.check", "yaml", "PyYAML"),
    ("organiser.dataset", "numpy", "numpy"),
    ("organiser.agreement", "jinja2", "jinja2"),
    ("organiser.analysis", "numpy", "numpy"),
    ("organiser.ev2r.status", "numpy", "numpy"),
    ("organiser.draw_logo", "PIL", "Pillow"),
]


def hidden(module: str, folder: Path) -> dict[str, str]:
    """Return an environment in which a module is not installed."""
    (folder / "sitecustomize.py").write_text(HIDE.format(module))
    return {**os.environ, "PYTHONPATH": str(folder)}


@pytest.mark.parametrize(("command", "module", "package"), COMMANDS, ids=lambda value: value)
def test_a_missing_library_is_said_with_its_package(
    tmp_path: Path, command: str, module: str, package: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=ROOT,
        env=hidden(module, tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"{package} is not installed. Install it with: python -m pip install")


def test_another_fault_keeps_its_traceback() -> None:
    code = "import sys; sys.argv = ['-m']; import organiser; 1 / 0"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


def test_a_module_of_our_own_that_is_missing_is_a_fault(capsys) -> None:
    def main() -> int:
        raise ModuleNotFoundError("No module named 'organiser.zip'", name="organiser.zip")

    with pytest.raises(ModuleNotFoundError):
        build.reported(main)
    assert capsys.readouterr().err == ""


def test_to_import_the_package_changes_nothing_elsewhere() -> None:
    code = "import sys; import organiser; sys.exit(sys.excepthook is not sys.__excepthook__)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_make_ends_with_the_code_of_the_command(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONPATH", hidden("bm25s", tmp_path)["PYTHONPATH"])
    done = make("bundle")
    assert done.returncode == 2
    assert "bm25s is not installed" in done.stderr
    assert "Traceback" not in done.stderr
