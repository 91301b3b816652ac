"""From Parquet, CSV or JSONL to columns of text, each distinct cell once.

Nothing infers types: whatever a file stores becomes text, and ``parsing`` reads it.
"""

import codecs
import csv
import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from climatecheck.decoding import plain_name, separator_of
from climatecheck.problems import shown
from organiser.dataset.records import NONE, Column

Choose: TypeAlias = Callable[[Sequence[str]], Mapping[str, str]]
"""From the names in a file to those that are read: the usual name, and the name in the file."""

NEEDS_PYARROW = (
    "Parquet is read by pyarrow, which is not installed; it is in the extra “organiser”:"
    ' python -m pip install ".[organiser]"'
)

_HEAD = 1_000_000
_CHUNK = 50_000
_BOMS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class Unreadable(Exception):
    """A file cannot be read; the message says why, without its name."""


@dataclass(frozen=True)
class Sheet:
    """The columns of a file that are read, by their usual names.

    Attributes:
        rows: how many there are.
        header: the names as they stand in the file.
        used: the names that are read.
        columns: by usual name.
    """

    rows: int
    header: tuple[str, ...]
    used: tuple[str, ...]
    columns: dict[str, Column]


def known_names(header: Sequence[str], names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the name in the file of each known column that it has.

    Args:
        header: the names in the file.
        names: by usual name, the names that a column may have, the preferred ones first.

    Raises:
        Unreadable: a column is there twice.

    >>> known_names(["Claim-ID", "x"], {"claim_id": ["claim_id"], "claim": ["claim"]})
    {'claim_id': 'Claim-ID'}
    """
    found: dict[str, str] = {}
    for usual, others in names.items():
        for name in others:
            written = [each for each in header if plain_name(each) == plain_name(name)]
            if len(written) > 1:
                raise Unreadable(f"the column {name} is there twice")
            if written:
                found.setdefault(usual, written[0])
    return found


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


def text_of(value: object) -> str:
    """Return a stored value as the text of a cell; lists are joined by ``;``.

    >>> text_of(12), text_of(12.0), text_of(None), text_of(["1_1", "2_1"])
    ('12', '12.0', '', '1_1;2_1')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ";".join(map(text_of, value))
    return str(value)


def factorised(values: Iterable[object]) -> Column:
    """Return a column by its distinct cells."""
    index: dict[str, int] = {}
    codes = [NONE if v is None else index.setdefault(text_of(v), len(index)) for v in values]
    return Column(np.array(codes, dtype=np.int64), list(index))


# --- Parquet --------------------------------------------------------------------------------------


def _open_parquet(path: Path, **options: object) -> Any:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise Unreadable(NEEDS_PYARROW) from error
    return parquet.ParquetFile(path, **options)


def _parquet(path: Path, choose: Choose) -> Sheet:
    with _parquet_faults(), _open_parquet(path) as file:
        schema = file.schema_arrow
        used = choose(schema.names)
        text = [name for name in used.values() if str(schema.field(name).type).endswith("string")]
    with _parquet_faults(), _open_parquet(path, read_dictionary=text) as file:
        table = file.read(columns=list(used.values()))
        columns = {usual: _arrow_column(table.column(name)) for usual, name in used.items()}
    return Sheet(table.num_rows, tuple(schema.names), tuple(used.values()), columns)


def _arrow_column(column: Any) -> Column:
    if str(column.type).startswith(("list", "large_list", "fixed_size_list", "struct")):
        return factorised(column.to_pylist())
    if not str(column.type).startswith("dictionary"):
        column = column.dictionary_encode()
    chunks = column.unify_dictionaries().chunks
    if not chunks:
        return factorised([])
    codes = [chunk.indices.fill_null(NONE).to_numpy(zero_copy_only=False) for chunk in chunks]
    texts = [text_of(value) for value in chunks[0].dictionary.to_pylist()]
    return Column(np.concatenate(codes).astype(np.int64), texts)


def _parquet_chunks(path: Path, choose: Choose) -> Iterator[dict[str, list[str]]]:
    with _parquet_faults(), _open_parquet(path) as file:
        used = choose(file.schema_arrow.names)
        for batch in file.iter_batches(batch_size=_CHUNK, columns=list(used.values())):
            yield {
                usual: list(map(text_of, batch.column(name).to_pylist()))
                for usual, name in used.items()
            }


class _parquet_faults:  # noqa: N801  (used as a statement)
    """Say what pyarrow cannot read in words."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, (ValueError, OSError)) and not isinstance(error, Unreadable):
            raise Unreadable(f"it cannot be read as Parquet: {shown(error)}") from error


# --- CSV ------------------------------------------------------------------------------------------


def _csv_options(path: Path, choose: Choose) -> tuple[dict[str, Any], list[str], dict[str, str]]:
    """Return how to read a CSV file, its header, and the columns that are read."""
    csv.field_size_limit(2**31 - 1)
    with path.open("rb") as file:
        head = file.read(4)
    encoding = next((name for bom, name in _BOMS.items() if head.startswith(bom)), "utf-8-sig")
    try:
        with path.open(encoding=encoding, newline="") as file:
            first = file.readline(_HEAD)
    except UnicodeError as error:
        raise Unreadable(f"it is neither UTF-8 nor UTF-16 text ({shown(error)})") from error
    if not first.strip():
        raise Unreadable("it is empty")
    separator = separator_of(first, [*choose.__annotations__, "claim_id", "abstract_id", "claim"])
    header = next(csv.reader([first.rstrip("\r\n")], delimiter=separator))
    options = {
        "sep": separator,
        "encoding": "utf-8" if encoding == "utf-8-sig" else encoding,
        "dtype": object,
        "na_filter": False,
        "header": None,
        "skiprows": 1,
        "names": list(range(len(header))),
        "index_col": False,
        "engine": "c",
    }
    return options, header, dict(choose(header))
