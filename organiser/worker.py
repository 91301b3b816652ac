"""CodaBench's compute worker, imitated: what happens to a submission between upload and board.

The layout, the working directory, the modes, what is copied where, and which exit codes count are
the worker's; only the container is left out, so the folders are given as arguments.
"""

import math
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import yaml

from climatecheck.running import remove
from climatecheck.tables import Json

STEP_SECONDS = 600
MAX_UNPACKED_BYTES = 4 * 1024**3
METADATA_NAMES = ("metadata", "metadata.yaml")


class PlatformError(Exception):
    """What the platform would stop at, before or between the programs; said in words."""


@dataclass(frozen=True)
class Step:
    """What a program left: its exit code and what participants can read of it."""

    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Run:
    """A submission's way through both steps."""

    ingestion: Step
    scoring: Step
    output: Path
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """The zips that one CodaBench task is made of."""

    ingestion_program: bytes
    scoring_program: bytes
    input_data: bytes
    reference_data: bytes


def run(submission: bytes, task: Task, root: Path, python: str = sys.executable) -> Run:
    """Take a submission's zip through both steps.

    Args:
        submission: the uploaded zip.
        task: the zips of the task.
        root: an empty folder to work in.
        python: what ``python3`` is in the image.

    Raises:
        PlatformError: the platform would stop before a program has run.
    """
    result, notes = _predict(submission, task, root / "prediction", python)
    app = root / "scoring"
    _unpack(task.scoring_program, app / "program")
    _unpack(task.reference_data, app / "input" / "ref")
    shutil.copytree(root / "prediction" / "output", app / "input" / "res")
    (app / "output").mkdir()
    scoring = _execute(app / "program", [app / "input", app / "output"], python)
    if (app / "output" / "metadata").exists():
        raise PlatformError("A file called metadata in the output folder is an error.")
    return Run(result, scoring, app / "output", notes)


def _predict(submission: bytes, task: Task, app: Path, python: str) -> tuple[Step, tuple[str, ...]]:
    """Run ingestion; the submission's files are in the output before it starts."""
    ingested, output = app / "ingested_program", app / "output"
    _unpack(submission, ingested)
    found = [name for name in METADATA_NAMES if (ingested / name).exists()]
    if found:
        output.mkdir()
    else:
        shutil.copytree(ingested, output)
    _unpack(task.ingestion_program, app / "program")
    _unpack(task.input_data, app / "input_data")
    step = _execute(app / "program", [ingested, app / "input_data", output], python)
    if (output / "metadata").exists():
        raise PlatformError("A file called metadata in the output folder is an error.")
    codes = {"exitCode": None, "ingestionExitCode": step.exit_code}
    (output / "metadata").write_text(yaml.safe_dump(codes), "utf-8")
    return step, tuple(_metadata_note(ingested / name) for name in found)


def _metadata_note(path: Path) -> str:
    command = _command(path)
    note = f"The submission has a file {path.name} at its root, so the platform passes none of its"
    note += " files on to scoring."
    if path.name == "metadata.yaml" and command:
        note += " It names a command, which the platform would run as code; it is not run here."
    return note


def _unpack(content: bytes, folder: Path) -> None:
    """Unpack a zip as the worker does: plain files, mode 0644, no links."""
    folder.mkdir(parents=True)
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            if sum(info.file_size for info in archive.infolist()) > MAX_UNPACKED_BYTES:
                raise PlatformError("Unpacked, the zip would fill the disk.")
            archive.extractall(folder)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, ValueError) as error:
        raise PlatformError(
            f"The platform cannot unpack the zip ({type(error).__name__})."
        ) from error
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _command(metadata: Path) -> str:
    try:
        content = yaml.safe_load(metadata.read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return ""
    return str(content.get("command") or "") if isinstance(content, dict) else ""


def _execute(program: Path, folders: list[Path], python: str) -> Step:
    """Run a program's command: split into words, no shell, in the program's folder."""
    command = _command(program / "metadata.yaml")
    if not command:
        raise PlatformError(f"{program.parent.name}: metadata.yaml at the root names no command.")
    words = [python if word in ("python", "python3") else word for word in shlex.split(command)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    try:
        done = subprocess.run(
            [*words, *map(str, folders)],
            cwd=program,
            env={**environment, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=STEP_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Step(-9, "", f"Stopped by the platform after {STEP_SECONDS} seconds.\n")
    return Step(done.returncode, _text(done.stdout), _text(done.stderr))


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace").replace("\r\n", "\n")


def submission_zip(source: Path) -> bytes:
    """Return what would be uploaded: a zip as it is; a folder or any other file, zipped.

    Links in a folder become text files, as on the platform.

    Raises:
        PlatformError: there is nothing at that path.
    """
    if source.is_dir():
        return _zipped({path.relative_to(source).as_posix(): path for path in source.rglob("*")})
    if not source.is_file():
        raise PlatformError(f"There is no file or folder {source}.")
    if source.suffix.lower() in (".csv", ".tsv", ".txt"):
        return _zipped({source.name: source})
    return source.read_bytes()


def _zipped(paths: dict[str, Path]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted(paths.items()):
            if path.is_symlink():
                archive.writestr(name, os.readlink(path))
            elif path.is_file():
                archive.write(path, name)
    return buffer.getvalue()


def stored(scores: Json, columns: list[str]) -> list[str]:
    """Return what is wrong with a scores file, as the platform would store it; empty if nothing."""
    faults = [f"{key} is missing; it would rank first" for key in columns if key not in scores]
    faults += [f"{key} is no column of the board" for key in scores if key not in columns]
    for key, value in scores.items():
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or abs(value) >= 1e10:
            faults.append(f"{key} is no finite number of at most ten digits")
    return faults


def clear(folder: Path, names: tuple[str, ...]) -> None:
    """Make a folder, and take away what an earlier run has left under these names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        remove(folder / name)
