"""What participants can download: every file of the public parts, archives opened."""

import bz2
import gzip
import importlib
import lzma
import posixpath
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import TypeAlias

from organiser.check.bundle import PROGRAMS, Bundle
from organiser.check.trees import READ_LIMIT, Tree, open_zip

PUBLIC = ("input_data", "starting_kit", "public_data", "solutions", *PROGRAMS)
"""Programs are public where ``make_programs_available`` is set, and a setting is soon changed."""

_Packed: TypeAlias = gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile

_DEPTH = 4
_BUDGET = 4 * 1024**3
_PACKED: dict[bytes, Callable[[BytesIO], _Packed]] = {
    b"\x1f\x8b": lambda data: gzip.GzipFile(fileobj=data),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ": lzma.LZMAFile,
}
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF")
_PARQUET = b"PAR1"


@dataclass(frozen=True)
class Download:
    """A file that participants can have; ``closed`` says why it was not looked into."""

    where: str
    content: bytes
    closed: str = ""


def downloads(bundle: Bundle, roles: tuple[str, ...] = ()) -> Iterator[Download]:
    """Yield each file of the public parts (or of some roles), and the pages.

    Raises:
        Missing: of the given roles, none is in the bundle.
    """
    budget = [_BUDGET]
    for part in bundle.of_role(*(roles or PUBLIC)):
        yield from _files(part.tree, f"{part.path}: ", 0, budget)
    if not roles:
        paths = [page.get("file") for _, page in bundle.listed("pages")]
        for path in dict.fromkeys([*paths, bundle.competition.get("terms")]):
            content = bundle.tree.read(posixpath.normpath(path)) if isinstance(path, str) else None
            if content is not None:
                yield Download(str(path), content)


def _files(tree: Tree, where: str, depth: int, budget: list[int]) -> Iterator[Download]:
    for name in tree.names:
        content = tree.read(name)
        if content is None:
            yield Download(where + name, b"", "could not be read")
            continue
        budget[0] -= len(content)
        if budget[0] < 0:
            yield Download(where + name, b"", "was left out: there is too much to look into")
            return
        yield from _opened(Download(where + name, content), depth, budget)


def _opened(file: Download, depth: int, budget: list[int]) -> Iterator[Download]:
    """Yield a file, and what is packed inside it."""
    opener = next((o for mark, o in _PACKED.items() if file.content.startswith(mark)), None)
    is_zip = file.content.startswith(b"PK\x03\x04")
    if depth == _DEPTH and (is_zip or opener):
        yield Download(file.where, file.content, f"is packed more than {_DEPTH} times over")
    elif is_zip:
        yield Download(file.where, b"" if len(file.content) > READ_LIMIT else file.content)
        tree = open_zip(file.content)
        if tree.fault or any(name.endswith(".xml") for name in tree.names):
            yield Download(file.where, b"", tree.fault or "is a document of an office program")
        yield from _files(tree, f"{file.where}: ", depth + 1, budget)
    elif opener:
        yield from _unpacked(file, opener, depth, budget)
    else:
        yield Download(file.where, file.content, _why_closed(file.content))


def _unpacked(
    file: Download, opener: Callable[[BytesIO], _Packed], depth: int, budget: list[int]
) -> Iterator[Download]:
    yield file
    try:
        content = opener(BytesIO(file.content)).read(min(READ_LIMIT, max(budget[0], 0)) + 1)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError):
        yield Download(file.where, b"", "could not be unpacked")
        return
    budget[0] -= len(content)
    if budget[0] < 0 or len(content) > READ_LIMIT:
        yield Download(file.where, b"", "is too large to be unpacked")
        return
    yield from _opened(Download(f"{file.where} (unpacked)", content), depth + 1, budget)


def _why_closed(content: bytes) -> str:
    """Return why a file cannot be looked into; empty for text, pictures and readable tables."""
    if content.startswith(_PICTURES):
        return ""
    if content.startswith(_PARQUET):
        return "" if parquet_reader() else "is Parquet, which needs pyarrow to be read"
    is_utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    return "is a binary file" if b"\0" in content and not is_utf16 else ""


def parquet_reader() -> Callable[[bytes], list[dict[str, object]]] | None:
    """Return a reader of Parquet; None where pyarrow is not installed."""
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        return None

    def read(content: bytes) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = parquet.read_table(BytesIO(content)).to_pylist()
        return rows

    return read
