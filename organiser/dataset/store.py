"""Puts an edition in its place: built beside, then swapped whole, so never half there."""

import ctypes
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from climatecheck.problems import shown
from climatecheck.running import remove
from organiser.editions import OrganiserError

REPORT = "import_report.json"
"""By this file an edition is known to have been made by an import."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_CURRENT_FOLDER = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


def checked_name(name: str) -> str:
    """Return the name of an edition, if it can be one.

    Raises:
        OrganiserError: it could lead elsewhere than to a folder of ``editions/``.

    >>> checked_name("2027-pilot")
    '2027-pilot'
    """
    if not _NAME.fullmatch(name):
        raise OrganiserError(
            f"NAME is “{shown(name)}”; a name has letters a to z, digits, - and _ alone, begins"
            " with a letter or digit, and has at most 64 characters."
        )
    return name


@contextmanager
def building(editions: Path, name: str) -> Iterator[Path]:
    """Give an empty folder to build an edition in; it is there only meanwhile.

    What an import that was killed left behind is cleared first.

    Raises:
        OrganiserError: there is such an edition that no import made, or another import is running.
    """
    editions.mkdir(parents=True, exist_ok=True)
    place, old = editions / name, _old(editions, name)
    with _alone(editions):
        if not place.exists() and old.exists():
            old.rename(place)
        for left in (old, *editions.glob(f".{name}.new-*")):
            remove(left)
        _refuse_foreign(place)
        made = Path(tempfile.mkdtemp(prefix=f".{name}.new-", dir=editions))
        made.chmod(0o755)
        try:
            yield made
        finally:
            remove(made)


def _refuse_foreign(place: Path) -> None:
    if (place.exists() or place.is_symlink()) and not (place / REPORT).is_file():
        raise OrganiserError(
            f"{place} was not made by an import and will not be replaced: choose another NAME, or"
            " move it away."
        )


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def put_in_place(made: Path, editions: Path, name: str) -> None:
    """Make what was built the edition of its name, in one step where the system can."""
    place, old = editions / name, _old(editions, name)
    if not place.exists():
        made.rename(place)
    elif not _exchanged(made, place):
        place.rename(old)
        made.rename(place)
        remove(old)


def _old(editions: Path, name: str) -> Path:
    """Return where the old edition stands for a moment where the system cannot exchange."""
    return editions / f".{name}.old"


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system cannot."""
    a, b = os.fsencode(one), os.fsencode(other)
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return bool(library.renamex_np(a, b, _EXCHANGE) == 0)
        if sys.platform == "linux":
            at = _CURRENT_FOLDER
            return bool(library.renameat2(at, a, at, b, ctypes.c_uint(_EXCHANGE)) == 0)
    return False


@contextmanager
def _alone(editions: Path) -> Iterator[None]:
    """Keep other imports out; the system lifts the lock even if the process is killed."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(editions, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise OrganiserError("Another import is running; wait until it has ended.") from error
    finally:
        os.close(handle)
