"""Files in a zip or a folder, read without trusting them."""

import io
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

READ_LIMIT = 512 * 1024**2
"""A file of more bytes is not read; a check that needs it says so."""

ENTRY_LIMIT = 100_000

_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    RuntimeError,  # encrypted; also NotImplementedError: a compression that nobody has
    EOFError,
    OSError,
    ValueError,
    OverflowError,
)
_JUNK = {
    "__MACOSX",
    "__pycache__",
    ".DS_Store",
    ".git",
    ".mypy_cache",
    ".ruff_cache",
    ".ipynb_checkpoints",
    ".pytest_cache",
    "Thumbs.db",
    "desktop.ini",
}


@dataclass(frozen=True)
class Entry:
    """A file in a tree.

    Attributes:
        name: its path, folders separated by ``/``.
        size: bytes, unpacked.
        packed: bytes in the zip; in a folder the same as ``size``.
        kind: ``file``, ``link`` or ``special`` (a device or the like).
        encrypted: whether a password is needed.
    """

    name: str
    size: int
    packed: int
    kind: str = "file"
    encrypted: bool = False


class Tree:
    """The files of a zip or folder by name, and what keeps it from being read."""

    def __init__(
        self, entries: Iterable[Entry], read: Callable[[str], bytes], fault: str = ""
    ) -> None:
        self.entries = tuple(entries)
        self.fault = fault
        self._read = read
        self._by_name = {entry.name: entry for entry in self.entries}
        self.files = frozenset(name for name, e in self._by_name.items() if e.kind == "file")
        self.folders = frozenset(
            name[: i + 1] for name in self.files for i, c in enumerate(name) if c == "/"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the plain files, each once."""
        return tuple(name for name, entry in self._by_name.items() if entry.kind == "file")

    @property
    def repeated(self) -> tuple[str, ...]:
        """The names that stand in the zip more than once."""
        counts = Counter(entry.name for entry in self.entries)
        return tuple(name for name, count in counts.items() if count > 1)

    def read(self, name: str) -> bytes | None:
        """Return a file's content; None if it is not there or cannot be read."""
        try:
            return self.read_or_raise(name)
        except _ZIP_ERRORS:
            return None

    def read_or_raise(self, name: str) -> bytes:
        """Return a file's content.

        Raises:
            OSError: it is not there or too large.
            Exception: any other error of the zip.
        """
        entry = self._by_name.get(name)
        if entry is None or entry.kind != "file":
            raise FileNotFoundError(name)
        if entry.size > READ_LIMIT:
            raise OSError(f"larger than {size(READ_LIMIT)}")
        return self._read(name)

    def broken(self) -> list[tuple[str, str]]:
        """Return the files that cannot be read, each with the reason."""
        return [
            (entry.name, why)
            for entry in self.entries
            if entry.kind == "file" and entry.size <= READ_LIMIT and (why := self._why(entry))
        ]

    def _why(self, entry: Entry) -> str:
        if entry.encrypted:
            return "is encrypted"
        try:
            self.read_or_raise(entry.name)
        except _ZIP_ERRORS:
            return "is damaged"
        return ""

    def top_folder(self) -> str:
        """Return the one folder, with a slash, in which everything stands; empty if none."""
        names = [name for name in self.names if not is_junk(name)]
        tops = {name.partition("/")[0] for name in names}
        alone = len(tops) == 1 and all("/" in name for name in names)
        return f"{tops.pop()}/" if alone else ""

    def under(self, folder: str) -> "Tree":
        """Return the tree of a folder, named with its slash."""
        inside = [
            Entry(e.name[len(folder) :], e.size, e.packed, e.kind, e.encrypted)
            for e in self.entries
            if e.name.startswith(folder) and e.name != folder
        ]
        return Tree(inside, lambda name: self._read(folder + name), self.fault)


def _nothing(name: str) -> bytes:
    raise FileNotFoundError(name)


EMPTY = Tree((), _nothing)
"""What stands for files that are not there."""


def open_zip(source: bytes | Path) -> Tree:
    """Return the files of a zip; if it is none, an empty tree whose ``fault`` says so."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
        infos = [info for info in archive.infolist() if not info.is_dir()]
    except _ZIP_ERRORS:
        return Tree((), _nothing, "is not a readable zip")
    if len(infos) > ENTRY_LIMIT:
        return Tree((), _nothing, f"holds more than {ENTRY_LIMIT:,} files")

    def read(name: str) -> bytes:
        with archive.open(name) as file:
            return file.read(READ_LIMIT)

    return Tree((_zip_entry(info) for info in infos), read)


def open_folder(folder: Path) -> Tree:
    """Return the files below a folder; links are listed and never followed."""
    entries = []
    for base, folders, files in os.walk(folder):
        links = [name for name in folders if Path(base, name).is_symlink()]
        for name in sorted([*files, *links]):
            path = Path(base, name)
            entries.append(_file_entry(path.relative_to(folder).as_posix(), path.lstat()))
        folders[:] = sorted(set(folders) - set(links))
        if len(entries) > ENTRY_LIMIT:
            return Tree((), _nothing, f"holds more than {ENTRY_LIMIT:,} files")
    return Tree(entries, lambda name: (folder / name).read_bytes())


def _zip_entry(info: zipfile.ZipInfo) -> Entry:
    kind = stat.S_IFMT(info.external_attr >> 16) if info.create_system == 3 else 0
    return Entry(
        info.filename,
        info.file_size,
        info.compress_size,
        {0: "file", stat.S_IFREG: "file", stat.S_IFLNK: "link"}.get(kind, "special"),
        bool(info.flag_bits & 0x1),
    )


def _file_entry(name: str, status: os.stat_result) -> Entry:
    kinds = {stat.S_IFREG: "file", stat.S_IFLNK: "link"}
    kind = kinds.get(stat.S_IFMT(status.st_mode), "special")
    return Entry(name, status.st_size, status.st_size, kind)


def is_junk(name: str) -> bool:
    """Return whether a file is a leftover of an operating system or a tool.

    >>> is_junk("__MACOSX/._a.csv"), is_junk("pages/a.md")
    (True, False)
    """
    path = PurePosixPath(name.replace("\\", "/"))
    left_over = path.name.startswith("._") or path.suffix in (".pyc", ".swp", ".orig")
    return left_over or bool(_JUNK.intersection(path.parts))


def size(bytes_: int) -> str:
    """Return a number of bytes for people.

    >>> size(999), size(5_000_000)
    ('999 bytes', '5.0 MB')
    """
    if bytes_ < 1_000_000:
        return f"{bytes_:,} bytes"
    if bytes_ < 1_000_000_000:
        return f"{bytes_ / 1e6:.1f} MB"
    return f"{bytes_ / 1e9:.1f} GB"
