"""The sample submissions of the kit, made by the plain baseline so that they are always valid."""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from baselines.plain import Row, predict, read_abstracts
from climatecheck import edition as settings
from climatecheck import read_claims
from organiser.editions import Edition, OrganiserError
from organiser.zips import zipped

Lines: TypeAlias = Iterable[Sequence[object]]


def all_samples(data: Edition, tasks: Collection[str]) -> dict[str, bytes]:
    """Return each sample by its name in the kit, such as ``samples/upload/both.zip``.

    Args:
        data: whose claims they answer.
        tasks: those of the board; samples for another task alone, which it refuses, are left out.

    Without training data there are none for the training claims.
    """
    return {
        f"samples/{split}/{name}.zip": sample(f"{split}/{name}.zip", data)
        for split in _CLAIMS
        if split == "upload" or (data.kit_data / "train").is_dir()
        for name in entered(tasks)
    }


def entered(tasks: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the tasks that each kind of sample enters on a board of some tasks.

    >>> entered(["2"])
    {'task2': ('2',), 'both': ('2',)}
    """
    found = {
        name: tuple(task for task in answered if task[0] in tasks)
        for name, (_, answered) in _SHAPES.items()
    }
    return {name: answered for name, answered in found.items() if answered}


def sample(name: str, data: Edition) -> bytes:
    """Return one sample by its name, such as ``upload/both.zip``.

    Those in ``upload`` answer the test claims, those in ``train`` the training claims.
    """
    split, _, file = name.partition("/")
    text = io.StringIO()
    rows = _rows(_CLAIMS[split](data), data.kit_data / "abstracts.csv")
    shape, _ = _SHAPES[file.removesuffix(".zip")]
    lines = shape(rows)
    csv.writer(text, lineterminator="\n").writerows(lines)
    return zipped({settings.PREDICTIONS_FILE: text.getvalue().encode()})


@lru_cache
def _rows(claims_file: Path, abstracts_file: Path) -> tuple[Row, ...]:
    for path in (claims_file, abstracts_file):
        if not path.is_file():
            raise OrganiserError(f"The samples need {path}, which is missing.")
    claims = read_claims(claims_file)
    texts = list(zip(claims.ids, claims.texts, strict=True))
    return tuple(predict(texts, read_abstracts(abstracts_file) or _ANY_ABSTRACTS))


def _retrieval_only(rows: tuple[Row, ...]) -> Lines:
    return [("claim_id", "abstract_id", "rank"), *(row[:3] for row in rows)]


def _task1(rows: tuple[Row, ...]) -> Lines:
    return [("claim_id", "abstract_id", "rank", "label"), *(row[:4] for row in rows)]


def _task2(rows: tuple[Row, ...]) -> Lines:
    return [("claim_id", "narrative"), *dict.fromkeys((row[0], row[4]) for row in rows)]


def _both(rows: tuple[Row, ...]) -> Lines:
    return [("claim_id", "abstract_id", "rank", "label", "narrative"), *rows]


_SHAPES: dict[str, tuple[Callable[[tuple[Row, ...]], Lines], tuple[str, ...]]] = {
    "retrieval_only": (_retrieval_only, ("1.1",)),
    "task1": (_task1, ("1.1", "1.2")),
    "task2": (_task2, ("2",)),
    "both": (_both, ("1.1", "1.2", "2")),
}
"""How each kind of sample is made, and the tasks that it answers."""

_ANY_ABSTRACTS = [(id_, f"abstract {id_}") for id_ in range(settings.ABSTRACTS_ASKED)]
"""What the samples list where the kit has none: the first ids of the corpus."""

_CLAIMS: dict[str, Callable[[Edition], Path]] = {
    "upload": lambda data: data.input_data / settings.CLAIMS_FILE,
    "train": lambda data: data.kit_data / "train" / settings.CLAIMS_FILE,
}
