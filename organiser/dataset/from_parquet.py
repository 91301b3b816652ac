"""Reads Parquet, by pyarrow."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from climatecheck.problems import shown
from organiser.dataset.sheet import CHUNK, Choose, Sheet, Unreadable, arrow_column, text_of

NEEDS_PYARROW = (
    "Parquet is read by pyarrow, which is not installed; it is in the extra “organiser”:"
    ' python -m pip install ".[organiser]"'
)


def _open(path: Path, **options: object) -> Any:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise Unreadable(NEEDS_PYARROW) from error
    return parquet.ParquetFile(path, **options)


def read(path: Path, choose: Choose) -> Sheet:
    """Read a Parquet file whole; see ``readers.read_sheet``."""
    with _faults(), _open(path) as file:
        schema = file.schema_arrow
        used = choose(schema.names)
        text = [name for name in used.values() if str(schema.field(name).type).endswith("string")]
    with _faults(), _open(path, read_dictionary=text) as file:
        table = file.read(columns=list(used.values()))
        columns = {usual: arrow_column(table.column(name)) for usual, name in used.items()}
    return Sheet(table.num_rows, tuple(schema.names), tuple(used.values()), columns)


def chunks(path: Path, choose: Choose) -> Iterator[dict[str, list[str]]]:
    """Yield a Parquet file in parts; see ``readers.read_chunks``."""
    with _faults(), _open(path) as file:
        used = choose(file.schema_arrow.names)
        for batch in file.iter_batches(batch_size=CHUNK, columns=list(used.values())):
            yield {
                usual: list(map(text_of, batch.column(name).to_pylist()))
                for usual, name in used.items()
            }


@contextmanager
def _faults() -> Iterator[None]:
    """Say what pyarrow cannot read in words."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise Unreadable(f"it cannot be read as Parquet: {shown(error)}") from error
