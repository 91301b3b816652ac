"""Reads JSONL, an object a line, and JSON lists of objects."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from organiser.dataset.sheet import CHUNK, Choose, Sheet, Unreadable, factorised, text_of


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


def read(path: Path, choose: Choose) -> Sheet:
    """Read a JSON file whole; see ``readers.read_sheet``."""
    objects = list(_objects(path))
    header = tuple(dict.fromkeys(key for each in objects for key in each))
    used = choose(header)
    columns = {
        usual: factorised(each.get(name) for each in objects) for usual, name in used.items()
    }
    return Sheet(len(objects), header, tuple(used.values()), columns)


def chunks(path: Path, choose: Choose) -> Iterator[dict[str, list[str]]]:
    """Yield a JSON file in parts; see ``readers.read_chunks``."""
    objects = _objects(path)
    while part := list(islice(objects, CHUNK)):
        used = choose(tuple(dict.fromkeys(key for each in part for key in each)))
        yield {usual: [text_of(each.get(name)) for each in part] for usual, name in used.items()}
