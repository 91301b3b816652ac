"""Zips that are the same bytes whenever their content is."""

import io
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

Entries: TypeAlias = Mapping[str, bytes]
"""What a zip holds: the content of each file by its name, folders separated by ``/``."""

_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = stat.S_IFREG | 0o644
_LEVEL = 9
_JUNK = {"__pycache__", ".DS_Store", "__MACOSX", "Thumbs.db"}
_JUNK |= {".mypy_cache", ".ruff_cache", ".pytest_cache", ".ipynb_checkpoints"}


def zipped(entries: Entries) -> bytes:
    """Return a zip of the entries: sorted, with fixed times, modes and compression."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(entries):
            info = zipfile.ZipInfo(name, _TIME)
            info.create_system = 3
            info.external_attr = _MODE << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, entries[name], compresslevel=_LEVEL)
    return buffer.getvalue()


def files_of(folder: Path, under: str = "") -> dict[str, bytes]:
    """Return the files below a folder as entries, without caches and other junk.

    Args:
        folder: where the files are.
        under: a folder inside the zip that they go to, such as ``climatecheck/``.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder {folder}.")
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    names = {path.relative_to(folder): path for path in paths}
    return {
        under + name.as_posix(): path.read_bytes()
        for name, path in sorted(names.items())
        if not _JUNK.intersection(name.parts) and not name.name.startswith("._")
    }
