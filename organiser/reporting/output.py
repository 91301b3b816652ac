"""Writing a folder of files so that it is there whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from organiser.editions import ROOT, OrganiserError
from organiser.reporting.render import PAGE


def write_folder(out: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder of their own, in place of an older report.

    Args:
        out: the folder; made if there is none.
        files: the content of each by its path.

    Raises:
        OrganiserError: there is something else than a report in its place, or it cannot be made.
    """
    refuse_foreign(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    except OSError as error:
        raise OrganiserError(f"{out} cannot be written: {error.strerror}.") from error
    try:
        _fill(made / "new", files)
        _put_in_place(made / "new", out, old=made / "old")
    finally:
        shutil.rmtree(made, ignore_errors=True)


def place_of(given: str, default: str) -> Path:
    """Return where a report goes: as the caller wrote it, by default in the project.

    Raises:
        OrganiserError: there is something else than a report or an empty folder.
    """
    out = Path(given) if given else ROOT / default
    refuse_foreign(out)
    return out


def refuse_foreign(out: Path) -> None:
    """Raise unless a report may be written in this place.

    Raises:
        OrganiserError: there is something else than a report or an empty folder.
    """
    if out.is_symlink() or (out.exists() and not _may_go(out)):
        raise OrganiserError(f"{out} exists and is no report; name another folder with OUT=.")


def _put_in_place(new: Path, out: Path, *, old: Path) -> None:
    """Put a folder in the place of another, which comes back if that fails."""
    replaced = out.exists()
    if replaced:
        os.replace(out, old)
    try:
        os.replace(new, out)
    except OSError:
        if replaced:
            os.replace(old, out)
        raise


def _may_go(out: Path) -> bool:
    """Return whether a folder is empty or holds a report."""
    return out.is_dir() and (not any(out.iterdir()) or (out / PAGE).is_file())


def _fill(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
