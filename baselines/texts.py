"""Claims and abstracts by id, from CSV, JSONL or parquet, as the public data set keeps them.

Files are read row by row and only the wanted ids are kept, so that a corpus of 394,269 abstracts
needs no more memory than the abstracts that are looked up in it.
"""

import csv
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from baselines.libraries import load

CLAIM_IDS = ("claim_id",)
CLAIM_TEXTS = ("claim",)
ABSTRACT_IDS = ("abstract_id", "abstract_original_index")
ABSTRACT_TEXTS = ("abstract",)
TITLE = "title"

Names: TypeAlias = tuple[str, ...]
"""The names that a column may have; the first is the usual one."""

Row: TypeAlias = Mapping[str, Any]
K = TypeVar("K", bound=str | int)

_ROWS_AT_ONCE = 1_024
_WHOLE_FLOAT = re.compile(r"(\d+)\.0*")
_SHOWN_COLUMNS = 20
_ABBREVIATIONS = (r"\bet al", r"\be\.g", r"\bi\.e", r"\bcf", r"\bvs", r"\bca", r"\b[Ff]ig")
_INITIAL = r"\D\s[A-Z]"  # but not a unit, as in 0.9 K.
_SENTENCE_END = re.compile(
    r"(?:(?<=[.!?])|(?<=[.!?][)\]\"\u201d]))"
    + "".join(rf"(?<!{start}\.)" for start in (*_ABBREVIATIONS, _INITIAL))
    + r"\s+(?=[\"\u201c\u2018(\[]?[A-Z0-9])"
)


class TextError(ValueError):
    """Texts cannot be read; the message names the file, what was expected and what was found."""


def read_claim_texts(path: Path, wanted: Collection[str] | None = None) -> dict[str, str]:
    """Return claim texts by id, in the order of the file (columns ``claim_id`` and ``claim``).

    An id that stands on several rows keeps the first text.

    Args:
        path: a ``.csv``, ``.tsv``, ``.jsonl`` or ``.parquet`` file, or a folder of parquet files.
        wanted: the ids to keep; None keeps all. Ids that the file lacks are left out.

    Raises:
        TextError: if the file or a column is missing, or a row cannot be read.
        MissingLibraryError: if parquet is asked for and pyarrow is not installed.
    """
    return _lookup(path, CLAIM_IDS, CLAIM_TEXTS, (), text_id, wanted)


def read_abstract_texts(
    path: Path, wanted: Collection[int] | None = None, *, titles: bool = True
) -> dict[int, str]:
    """Return abstract texts by id, in the order of the file.

    Columns: ``abstract_id`` (or ``abstract_original_index``), ``abstract``, and ``title`` if there.
    An id that stands on several rows keeps the first text.

    Args:
        path: as for ``read_claim_texts``.
        wanted: the ids to keep; None keeps all. Ids that the file lacks are left out.
        titles: whether to put the title before the abstract, as a sentence of its own.

    Raises:
        TextError: as ``read_claim_texts``; also for an id that is no whole number.
        MissingLibraryError: as ``read_claim_texts``.
    """
    optional = (TITLE,) if titles else ()
    return _lookup(path, ABSTRACT_IDS, ABSTRACT_TEXTS, optional, number_id, wanted)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, by punctuation; common abbreviations end none.

    >>> sentences("Seas rise (Fig. 2). Is it ice? Smith et al. 2019 say so, i.e. 3.4 mm a year.")
    ['Seas rise (Fig. 2).', 'Is it ice?', 'Smith et al. 2019 say so, i.e. 3.4 mm a year.']
    """
    return [part for part in _SENTENCE_END.split(text.strip()) if part]


def titled(title: str, abstract: str) -> str:
    """Return an abstract behind its title.

    >>> titled("Sea level", "It rises."), titled("Does it rise?", "Yes."), titled("", "Yes.")
    ('Sea level. It rises.', 'Does it rise? Yes.', 'Yes.')
    """
    if not title or not abstract:
        return title or abstract
    return f"{title}{'' if title[-1] in '.!?' else '.'} {abstract}"


def _lookup(
    path: Path,
    ids: Names,
    texts: Names,
    optional: Names,
    id_of: Callable[[Any], K | None],
    wanted: Collection[K] | None,
) -> dict[K, str]:
    keep = None if wanted is None else frozenset(wanted)
    found: dict[K, str] = {}
    for place, row in _rows(path, (ids, texts), optional):
        if keep is not None and len(found) == len(keep):
            break
        value = next(row[name] for name in ids if name in row)
        id_ = id_of(value)
        if id_ is None:
            raise TextError(f"{path}, {place}: {ids[0]} should be an id, found {value!r:.40}")
        if id_ in found or (keep is not None and id_ not in keep):
            continue
        text = next(plain_text(row[name]) for name in texts if name in row)
        found[id_] = titled(plain_text(row.get(TITLE)), text) if optional else text
    return found


def plain_text(value: Any) -> str:
    """Return a cell as text; what stands for no text in a table is empty."""
    missing = value is None or value != value
    return "" if missing else str(value).strip()


def text_id(value: Any) -> str | None:
    r"""Return an id as text, or None if there is none.

    >>> text_id(" a7 "), text_id(123.0), text_id("123.0"), text_id(None)
    ('a7', '123', '123', None)
    """
    text = plain_text(value)
    whole = _WHOLE_FLOAT.fullmatch(text)
    return (whole[1] if whole else text) or None


def number_id(value: Any) -> int | None:
    """Return an id as a whole number, or None if it is none.

    >>> number_id(7.0), number_id("12"), number_id(None), number_id(1.5), number_id("a")
    (7, 12, None, None, None)
    """
    text = text_id(value)
    return int(text) if text and text.isascii() and text.isdigit() else None


def _rows(path: Path, required: Iterable[Names], optional: Names) -> Iterator[tuple[str, Row]]:
    """Yield the place of each row in words, and its cells by column."""
    path = Path(path)
    if path.is_dir():
        files = sorted(path.rglob("*.parquet"))
        if not files:
            raise TextError(f"{path} is a folder without a .parquet file")
        for file in files:
            yield from _parquet_rows(file, required, optional)
        return
    if not path.is_file():
        raise TextError(f"{path} does not exist")
    read = _READERS.get(path.suffix.lower())
    if read is None:
        raise TextError(
            f"{path}: expected {', '.join(_READERS)}, found {path.suffix or 'no suffix'}"
        )
    try:
        yield from read(path, required, optional)
    except UnicodeDecodeError as error:
        raise TextError(f"{path} is not UTF-8 (byte {error.start})") from error


def _check(path: Path, found: Collection[str], required: Iterable[Names], place: str = "") -> None:
    for names in required:
        if not any(name in found for name in names):
            listed = ", ".join(list(found)[:_SHOWN_COLUMNS]) or "none"
            more = ", …" if len(found) > _SHOWN_COLUMNS else ""
            raise TextError(
                f"{path}{place and f', {place}'}: expected the column {' or '.join(names)}, "
                f"found the columns {listed}{more}"
            )


def _csv_rows(path: Path, required: Iterable[Names], optional: Names) -> Iterator[tuple[str, Row]]:
    csv.field_size_limit(2**31 - 1)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        header = [name.strip() for name in next(reader, [])]
        _check(path, header, required)
        columns = {
            name: header.index(name)
            for names in (*required, optional)
            for name in names
            if name in header
        }
        for cells in reader:
            if not cells:
                continue
            place = f"line {reader.line_num}"
            if len(cells) != len(header):
                raise TextError(
                    f"{path}, {place}: expected {len(header)} cells as in the header, "
                    f"found {len(cells)}"
                )
            yield place, {name: cells[column] for name, column in columns.items()}


def _jsonl_rows(
    path: Path, required: Iterable[Names], optional: Names
) -> Iterator[tuple[str, Row]]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            place = f"line {number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                raise TextError(
                    f"{path}, {place}: expected a JSON object, found {error}"
                ) from error
            if not isinstance(row, dict):
                kind = type(row).__name__
                raise TextError(f"{path}, {place}: expected a JSON object, found a {kind}")
            _check(path, row, required, place)
            yield place, row


def _parquet_rows(
    path: Path, required: Iterable[Names], optional: Names
) -> Iterator[tuple[str, Row]]:
    parquet = load("pyarrow.parquet", extra="baselines")
    arrow = load("pyarrow", extra="baselines")
    try:
        file = parquet.ParquetFile(path)
    except arrow.ArrowInvalid as error:
        raise TextError(f"{path} is not a parquet file: {error}") from error
    with file:
        present = list(file.schema_arrow.names)
        _check(path, present, required)
        columns = [name for names in (*required, optional) for name in names if name in present]
        number = 0
        for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=columns):
            for row in batch.to_pylist():
                number += 1
                yield f"row {number}", row


_READERS = {
    ".csv": _csv_rows,
    ".tsv": _csv_rows,
    ".jsonl": _jsonl_rows,
    ".parquet": _parquet_rows,
}
