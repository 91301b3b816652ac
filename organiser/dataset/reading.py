"""Finds the files of a dataset, their splits and columns, and reads them all as text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import numpy as np

from climatecheck.problems import shown
from climatecheck.tables import Integers
from organiser.dataset import kinds
from organiser.dataset.findings import Findings, Place
from organiser.dataset.readers import SUFFIXES, read_sheet
from organiser.dataset.records import NONE, SPLITS, TEST, TRAIN, Column, Rows
from organiser.dataset.sheet import Sheet, Unreadable, known_names
from organiser.editions import OrganiserError

COLUMNS = {
    "claim_id": ("claim_id",),
    "claim": ("claim",),
    "abstract_id": ("abstract_id", "abstract_original_index"),
    "abstract": ("abstract",),
    "annotation": ("annotation", "label"),
    "narrative": ("narrative",),
    "data_version": ("data_version",),
    "split": ("split",),
}
"""The columns that are read, and their names, the preferred one first."""

EXPECTED = (
    "claim_id, with claim, or narrative, or annotation (or label) and abstract_id (or"
    " abstract_original_index)"
)

_OTHER_SPLITS = ("validation", "valid", "val", "dev", "test")
_ELSEWHERE = -2


@dataclass(frozen=True)
class Source:
    """A file of a dataset, and the split that its name tells (None: none, or several)."""

    path: Path
    name: str
    split: int | None


@dataclass(frozen=True)
class SplitNames:
    """How splits are called.

    Attributes:
        test: the name of the test split.
    """

    test: str = "test"

    def of(self, name: str) -> int | None:
        """Return the split that a name means; negative for one that is neither.

        >>> [SplitNames().of(name) for name in ("Training", "test", "dev", "x")]
        [0, 1, -2, None]
        """
        folded = name.strip().casefold()
        if folded == self.test.casefold():
            return TEST
        if folded in ("train", "training"):
            return TRAIN
        return _ELSEWHERE if folded in _OTHER_SPLITS else None

    def of_path(self, path: PurePath) -> int | None:
        """Return the split that a path tells, its last parts first; None if none, or several.

        >>> names = SplitNames()
        >>> names.of_path(PurePath("data/train-00000-of-00001.parquet"))
        0
        >>> names.of_path(PurePath("test/claims.csv")), names.of_path(PurePath("train_test.csv"))
        (1, None)
        """
        for part in (path.stem, *reversed(path.parent.parts)):
            words = [part, *re.split(r"[^0-9A-Za-z]+", part)]
            found = {split for split in map(self.of, words) if split is not None}
            if found:
                return found.pop() if len(found) == 1 else None
        return None


def read_dataset(path: Path, names: SplitNames, findings: Findings) -> Rows:
    """Return the rows of the training and the test split.

    Args:
        path: a file, or a folder of them.
        names: how the splits are called.
        findings: takes what was found.

    Raises:
        OrganiserError: files cannot be read, or lack columns or a split; all are told at once.
    """
    sheets: list[tuple[Source, Sheet, Integers]] = []
    for source in _sources(path, names, findings):
        try:
            sheet = read_sheet(source.path, _choose)
            split = _splits(sheet, source, names, findings)
        except Unreadable as error:
            findings.fault(f"{source.name}: {error}.")
            continue
        unused = [shown(name) for name in sheet.header if name not in sheet.used]
        findings.add(kinds.COLUMN_IGNORED, "", [Place(source.name, found=n) for n in unused])
        sheets.append((source, sheet, split))
    findings.stop_at_faults()
    rows = _joined(sheets)
    _report_missing_parts(rows, findings)
    findings.stop_at_faults()
    return rows


def _sources(path: Path, names: SplitNames, findings: Findings) -> Iterator[Source]:
    if not path.exists():
        raise OrganiserError(f"There is no dataset at {path}.")
    base = path if path.is_dir() else path.parent
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    listed = [(file, file.relative_to(base)) for file in files if file.is_file()]
    listed = [(file, name) for file, name in listed if not _hidden(name)]
    readable = [pair for pair in listed if pair[0].suffix.casefold() in SUFFIXES]
    others = [name.as_posix() for file, name in listed if (file, name) not in readable]
    if not readable:
        found = f": {', '.join(map(shown, others[:5]))}" if others else ""
        raise OrganiserError(
            f"There is no dataset at {path}: no file ends in {', '.join(SUFFIXES)}{found}."
        )
    findings.add(kinds.FILE_IGNORED, "", [Place(shown(name)) for name in others])
    for file, name in readable:
        yield Source(file, shown(name.as_posix()), names.of_path(name))


def _hidden(name: PurePath) -> bool:
    return any(part.startswith((".", "~", "__")) for part in name.parts)


def _choose(header: Sequence[str]) -> dict[str, str]:
    found = known_names(header, COLUMNS)
    has_pairs = "annotation" in found and "abstract_id" in found
    if "claim_id" in found and (has_pairs or "claim" in found or "narrative" in found):
        return found
    listed = ", ".join(map(shown, header)) or "none"
    corpus = "; a corpus is given by CORPUS=" if {"abstract_id", "abstract"} <= found.keys() else ""
    raise Unreadable(f"it has the columns {listed}; expected are {EXPECTED}{corpus}")


def _splits(sheet: Sheet, source: Source, names: SplitNames, findings: Findings) -> Integers:
    """Return the split of each row: as its own column says, or else the file's name."""
    if "split" not in sheet.columns:
        if source.split is None:
            raise Unreadable(
                "its split is not told: name the file or its folder train or test, or give it a"
                f" column split (the test split is called “{names.test}”; TEST_SPLIT= says"
                " otherwise)"
            )
        if source.split == _ELSEWHERE:
            findings.add(kinds.SPLIT_IGNORED, "", [Place(source.name)], count=sheet.rows)
        return np.full(sheet.rows, source.split, dtype=np.int64)
    column = sheet.columns["split"]
    means = [names.of(text) for text in column.texts]
    split = column.spread(_ELSEWHERE if mean is None else mean for mean in means)
    split[column.codes == NONE] = _ELSEWHERE
    told = source.split if source.split in (TRAIN, TEST) else None
    if told is not None and (split == 1 - told).any():
        raise Unreadable(
            f"its name tells the split {SPLITS[told]}, its column split also {SPLITS[1 - told]}"
        )
    elsewhere = np.flatnonzero(split == _ELSEWHERE)
    codes, first = np.unique(column.codes[elsewhere], return_index=True)
    places = [
        Place(source.name, int(elsewhere[i]) + 1, found="" if c == NONE else shown(column.texts[c]))
        for c, i in zip(codes, first, strict=True)
    ]
    findings.add(kinds.SPLIT_IGNORED, "", places, count=len(elsewhere))
    return split


def _joined(sheets: Sequence[tuple[Source, Sheet, Integers]]) -> Rows:
    """Return the rows of all files that belong to a split."""
    kept = [np.flatnonzero(split >= 0) for _, _, split in sheets]
    columns = {}
    for name in COLUMNS:
        texts: list[str] = []
        parts = []
        for (_, sheet, _), rows in zip(sheets, kept, strict=True):
            column = sheet.columns.get(name, Column(np.full(sheet.rows, NONE), []))
            codes = column.codes[rows]
            parts.append(np.where(codes == NONE, NONE, codes + len(texts)))
            texts += column.texts
        columns[name] = Column(np.concatenate(parts), texts)
    return Rows(
        tuple(source.name for source, _, _ in sheets),
        tuple(source.path for source, _, _ in sheets),
        np.concatenate([np.full(len(rows), i, dtype=np.int64) for i, rows in enumerate(kept)]),
        np.concatenate([rows + 1 for rows in kept]),
        np.concatenate([split[rows] for (_, _, split), rows in zip(sheets, kept, strict=True)]),
        columns,
    )


def _report_missing_parts(rows: Rows, findings: Findings) -> None:
    """Add a fault for each part of an edition that no row can give.

    The gold of one task may be missing, or the training split.
    """
    for split, name in enumerate(SPLITS):
        of_split = rows.split == split
        if not of_split.any():
            if split == TEST:
                findings.fault("The dataset has no test split: an edition needs test claims.")
            else:
                findings.add(kinds.SPLIT_MISSING, name, [Place()])
            continue
        parts = ("claim", "abstract_id", "annotation", "narrative")
        there = {part: bool((rows.columns[part].codes[of_split] != NONE).any()) for part in parts}
        one_task = there["abstract_id"] == there["annotation"] != there["narrative"]
        for part in [p for p in parts if not there[p] and not (one_task and p != "claim")]:
            findings.fault(
                f"The {name} split has no column {part}; a further file with claim_id and"
                f" {part} can bring it."
            )
