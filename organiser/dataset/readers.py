"""Reads a file of a dataset or corpus by the format that its name's ending tells."""

from collections.abc import Callable, Iterator
from pathlib import Path

from organiser.dataset import from_csv, from_json, from_parquet
from organiser.dataset.sheet import Choose, Sheet


def read_sheet(path: Path, choose: Choose) -> Sheet:
    """Read a file whole.

    Args:
        path: the name's ending tells the format.
        choose: which columns are read.

    Raises:
        Unreadable: it cannot be read, or ``choose`` refuses its columns.
    """
    return _READERS[path.suffix.casefold()](path, choose)


def read_chunks(path: Path, choose: Choose) -> Iterator[dict[str, list[str]]]:
    """Yield a large file in parts, each a list of cells by usual name; empty for a missing cell.

    Raises:
        Unreadable: as for ``read_sheet``.
    """
    yield from _CHUNKS[path.suffix.casefold()](path, choose)


_READERS: dict[str, Callable[[Path, Choose], Sheet]] = {
    ".parquet": from_parquet.read,
    ".csv": from_csv.read,
    ".tsv": from_csv.read,
    ".jsonl": from_json.read,
    ".ndjson": from_json.read,
    ".json": from_json.read,
}
_CHUNKS: dict[str, Callable[[Path, Choose], Iterator[dict[str, list[str]]]]] = {
    ".parquet": from_parquet.chunks,
    ".csv": from_csv.chunks,
    ".tsv": from_csv.chunks,
    ".jsonl": from_json.chunks,
    ".ndjson": from_json.chunks,
    ".json": from_json.chunks,
}
SUFFIXES = tuple(_READERS)
"""The endings of the files that can be read."""
