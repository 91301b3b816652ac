"""From Parquet, CSV or JSONL to columns of text, each distinct cell once.

Nothing infers types: whatever a file stores becomes text, and ``parsing`` reads it.
"""

import codecs
import csv
import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
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

_USUAL = ("claim_id", "claim", "abstract_id", "abstract", "annotation", "label", "narrative")
_HEAD = 1_000_000
_CHUNK = 50_000
_WORTHWHILE_BYTES = 1_000_000
_BLOCK_BYTES = 1 << 24
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
    texts = chunks[0].dictionary.to_pylist()
    if not str(column.type.value_type).endswith("string"):
        texts = list(map(text_of, texts))
    return Column(np.concatenate(codes).astype(np.int64), texts)


def _parquet_chunks(path: Path, choose: Choose) -> Iterator[dict[str, list[str]]]:
    with _parquet_faults(), _open_parquet(path) as file:
        used = choose(file.schema_arrow.names)
        for batch in file.iter_batches(batch_size=_CHUNK, columns=list(used.values())):
            yield {
                usual: list(map(text_of, batch.column(name).to_pylist()))
                for usual, name in used.items()
            }


@contextmanager
def _parquet_faults() -> Iterator[None]:
    """Say what pyarrow cannot read in words."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise Unreadable(f"it cannot be read as Parquet: {shown(error)}") from error


# --- CSV ------------------------------------------------------------------------------------------


def _csv_options(path: Path, choose: Choose) -> tuple[dict[str, Any], list[str], dict[str, str]]:
    """Return how pandas reads a CSV file, its header, and the columns that are read."""
    with path.open("rb") as file:
        head = file.read(4)
    encoding = next((name for bom, name in _BOMS.items() if head.startswith(bom)), "utf-8-sig")
    try:
        with path.open(encoding=encoding, newline="") as file:
            first = file.readline(_HEAD).rstrip("\r\n")
    except UnicodeError as error:
        raise Unreadable("it is neither UTF-8 nor UTF-16 text") from error
    if not first.strip():
        raise Unreadable("its first line is empty")
    separator = separator_of(first, _USUAL)
    header = next(csv.reader([first], delimiter=separator))
    options = {
        "sep": separator,
        "encoding": "utf-8" if encoding == "utf-8-sig" else encoding,
        "dtype": object,
        "na_filter": False,
    }
    return options, header, dict(choose(header))


def _csv(path: Path, choose: Choose) -> Sheet:
    import pandas

    options, header, used = _csv_options(path, choose)
    columns = _quick_csv(path, options, header, used)
    if columns:
        rows = len(next(iter(columns.values())).codes)
        return Sheet(rows, tuple(header), tuple(used.values()), columns)
    with _csv_faults():
        frame = pandas.read_csv(path, **options)
    _refuse_longer_rows(frame.index)
    columns = {}
    for usual, name in used.items():
        cells = frame.iloc[:, header.index(name)].to_numpy(dtype=object)
        codes, texts = pandas.factorize(cells)
        columns[usual] = Column(codes.astype(np.int64), texts.tolist())
    return Sheet(len(frame), tuple(header), tuple(used.values()), columns)


def _quick_csv(
    path: Path, options: Mapping[str, Any], header: Sequence[str], used: Mapping[str, str]
) -> dict[str, Column]:
    """Return the columns of a large plain file by pyarrow, which gives what pandas gives, sooner.

    Returns:
        Nothing where pyarrow is missing or finds anything odd: then pandas reads the file.
    """
    if path.stat().st_size < _WORTHWHILE_BYTES or options["encoding"] != "utf-8":
        return {}
    try:
        arrow, reader = map(importlib.import_module, ("pyarrow", "pyarrow.csv"))
        text = arrow.dictionary(arrow.int32(), arrow.string())
        names = [str(i) for i in range(len(header))]
        table = reader.read_csv(
            path,
            reader.ReadOptions(column_names=names, skip_rows=1, block_size=_BLOCK_BYTES),
            reader.ParseOptions(delimiter=options["sep"], newlines_in_values=True),
            reader.ConvertOptions(column_types=dict.fromkeys(names, text), null_values=[]),
        )
    except (ImportError, ValueError):
        return {}
    return {usual: _arrow_column(table.column(header.index(n))) for usual, n in used.items()}


def _csv_chunks(path: Path, choose: Choose) -> Iterator[dict[str, list[str]]]:
    import pandas

    options, header, used = _csv_options(path, choose)
    with _csv_faults(), pandas.read_csv(path, chunksize=_CHUNK, **options) as reader:
        for frame in reader:
            _refuse_longer_rows(frame.index)
            yield {
                usual: list(map(text_of, frame.iloc[:, header.index(name)]))
                for usual, name in used.items()
            }


def _refuse_longer_rows(index: Any) -> None:
    """Refuse rows of more cells than the header: pandas takes the first cells for an index."""
    if not str(index.dtype).startswith("int") or index.nlevels > 1:
        raise Unreadable("its rows have more cells than its header")


@contextmanager
def _csv_faults() -> Iterator[None]:
    """Say what pandas cannot read in words."""
    try:
        yield
    except UnicodeError as error:
        raise Unreadable("it is neither UTF-8 nor UTF-16 text") from error
    except ValueError as error:
        raise Unreadable(f"it cannot be read as CSV: {shown(error)}") from error


# --- JSON -----------------------------------------------------------------------------------------


def _objects(path: Path) -> Iterator[dict[str, object]]:
    """Yield the objects of a file: one a line, or one list of them."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            start = file.read(1)
            file.seek(0)
            listed = json.load(file) if start == "[" else _lines(file)
            for number, each in enumerate(listed, start=1):
                if not isinstance(each, dict):
                    raise Unreadable(f"number {number} of its rows is no JSON object")
                yield each
    except UnicodeError as error:
        raise Unreadable("it is not UTF-8 text") from error
    except json.JSONDecodeError as error:
        raise Unreadable(f"it is not JSON: {error.msg}") from error


def _lines(file: Iterable[str]) -> Iterator[object]:
    for number, line in enumerate(file, start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                raise Unreadable(f"line {number} is not JSON: {error.msg}") from error


def _json(path: Path, choose: Choose) -> Sheet:
    objects = list(_objects(path))
    header = tuple(dict.fromkeys(key for each in objects for key in each))
    used = choose(header)
    columns = {
        usual: factorised(each.get(name) for each in objects) for usual, name in used.items()
    }
    return Sheet(len(objects), header, tuple(used.values()), columns)


def _json_chunks(path: Path, choose: Choose) -> Iterator[dict[str, list[str]]]:
    objects = _objects(path)
    while part := list(islice(objects, _CHUNK)):
        used = choose(tuple(dict.fromkeys(key for each in part for key in each)))
        yield {usual: [text_of(each.get(name)) for each in part] for usual, name in used.items()}


_READERS: dict[str, Callable[[Path, Choose], Sheet]] = {
    ".parquet": _parquet,
    ".csv": _csv,
    ".tsv": _csv,
    ".jsonl": _json,
    ".ndjson": _json,
    ".json": _json,
}
_CHUNKS: dict[str, Callable[[Path, Choose], Iterator[dict[str, list[str]]]]] = {
    ".parquet": _parquet_chunks,
    ".csv": _csv_chunks,
    ".tsv": _csv_chunks,
    ".jsonl": _json_chunks,
    ".ndjson": _json_chunks,
    ".json": _json_chunks,
}
SUFFIXES = tuple(_READERS)
"""The endings of the files that can be read."""
