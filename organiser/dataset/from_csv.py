"""Reads CSV: UTF-8 or UTF-16; comma, tab or semicolon between cells."""

import codecs
import csv
import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from climatecheck.decoding import separator_of
from climatecheck.problems import shown
from organiser.dataset.records import Column
from organiser.dataset.sheet import CHUNK, Choose, Sheet, Unreadable, arrow_column, text_of

_USUAL = ("claim_id", "claim", "abstract_id", "abstract", "annotation", "label", "narrative")
_HEAD = 1_000_000
_WORTHWHILE_BYTES = 1_000_000
_BLOCK_BYTES = 1 << 24
_BOMS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def _options(path: Path, choose: Choose) -> tuple[dict[str, Any], list[str], dict[str, str]]:
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


def read(path: Path, choose: Choose) -> Sheet:
    """Read a CSV file whole; see ``readers.read_sheet``."""
    options, header, used = _options(path, choose)
    columns = _quickly(path, options, header, used)
    if columns:
        rows = len(next(iter(columns.values())).codes)
        return Sheet(rows, tuple(header), tuple(used.values()), columns)
    import pandas

    with _faults():
        frame = pandas.read_csv(path, **options)
    _refuse_longer_rows(frame.index)
    columns = {}
    for usual, name in used.items():
        cells = frame.iloc[:, header.index(name)].to_numpy(dtype=object)
        codes, texts = pandas.factorize(cells)
        columns[usual] = Column(codes.astype(np.int64), texts.tolist())
    return Sheet(len(frame), tuple(header), tuple(used.values()), columns)


def _quickly(
    path: Path, options: Mapping[str, Any], header: Sequence[str], used: Mapping[str, str]
) -> dict[str, Column]:
    """Return the columns of a large plain file by pyarrow, which gives what pandas gives, sooner.

    Returns:
        Nothing where pyarrow is missing or finds anything odd: then pandas reads the file.
    """
    if path.stat().st_size < _WORTHWHILE_BYTES or options["encoding"] != "utf-8":
        return {}
    if _quotes(path) % 2:  # one is not closed, which pyarrow would take for a cell to the end
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
    return {usual: arrow_column(table.column(header.index(n))) for usual, n in used.items()}


def _quotes(path: Path) -> int:
    with path.open("rb") as file:
        return sum(block.count(b'"') for block in iter(lambda: file.read(_BLOCK_BYTES), b""))


def chunks(path: Path, choose: Choose) -> Iterator[dict[str, list[str]]]:
    """Yield a CSV file in parts; see ``readers.read_chunks``."""
    import pandas

    options, header, used = _options(path, choose)
    with _faults(), pandas.read_csv(path, chunksize=CHUNK, **options) as reader:
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
def _faults() -> Iterator[None]:
    """Say what pandas cannot read in words."""
    try:
        yield
    except UnicodeError as error:
        raise Unreadable("it is neither UTF-8 nor UTF-16 text") from error
    except ValueError as error:
        raise Unreadable(f"it cannot be read as CSV: {shown(error)}") from error
