"""The sample submissions of the kit, made by the plain baseline so that they are always valid."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from baselines.plain import Row, predict, read_abstracts
from climatecheck import edition as settings
from climatecheck import read_claims
from organiser.editions import Edition, OrganiserError
from organiser.zips import zipped

Lines: TypeAlias = Iterable[Sequence[object]]


def all_samples(data: Edition) -> dict[str, bytes]:
    """Return each sample by its name in the kit, such as ``samples/upload/both.zip``."""
    return {
        f"samples/{split}/{name}.zip": sample(f"{split}/{name}.zip", data)
        for split in _CLAIMS
        for name in _SHAPES
    }


def sample(name: str, data: Edition) -> bytes:
    """Return one sample by its name, such as ``upload/both.zip``.

    Those in ``upload`` answer the test claims, those in ``train`` the training claims.
    """
    split, _, file = name.partition("/")
    text = io.StringIO()
    rows = _rows(_CLAIMS[split](data), data.kit_data / "abstracts.csv")
    lines = _SHAPES[file.removesuffix(".zip")](rows)
    csv.writer(text, lineterminator="\n").writerows(lines)
    return zipped({settings.PREDICTIONS_FILE: text.getvalue().encode()})


@lru_cache
def _rows(claims_file: Path, abstracts_file: Path) -> tuple[Row, ...]:
    for path in (claims_file, abstracts_file):
        if not path.is_file():
            raise OrganiserError(f"The samples need {path}, which is missing.")
    claims = read_claims(claims_file)
    texts = list(zip(claims.ids, claims.texts, strict=True))
    return tuple(predict(texts, read_abstracts(abstracts_file)))


def _retrieval_only(rows: tuple[Row, ...]) -> Lines:
    return [("claim_id", "abstract_id", "rank"), *(row[:3] for row in rows)]


def _task1(rows: tuple[Row, ...]) -> Lines:
    return [("claim_id", "abstract_id", "rank", "label"), *(row[:4] for row in rows)]


def _task2(rows: tuple[Row, ...]) -> Lines:
    return [("claim_id", "narrative"), *dict.fromkeys((row[0], row[4]) for row in rows)]


def _both(rows: tuple[Row, ...]) -> Lines:
    return [("claim_id", "abstract_id", "rank", "label", "narrative"), *rows]


_SHAPES: dict[str, Callable[[tuple[Row, ...]], Lines]] = {
    "retrieval_only": _retrieval_only,
    "task1": _task1,
    "task2": _task2,
    "both": _both,
}

_CLAIMS: dict[str, Callable[[Edition], Path]] = {
    "upload": lambda data: data.input_data / settings.CLAIMS_FILE,
    "train": lambda data: data.kit_data / "train" / settings.CLAIMS_FILE,
}
