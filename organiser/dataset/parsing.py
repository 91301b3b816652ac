"""From the text of a dataset to values, each distinct cell once."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from climatecheck import taxonomy
from climatecheck.problems import shown
from climatecheck.tables import Booleans, Integers
from climatecheck.values import BLANKS, Parsed, abstract_of, codes_of, label_of, plain_abstract
from organiser.dataset import kinds
from organiser.dataset.findings import Findings
from organiser.dataset.kinds import Kind
from organiser.dataset.records import NONE, SPLITS, Column, Records, Rows

_MISSING = frozenset({"", "nan", "none", "null", "na", "n/a", "<na>", "nat"})
_LONGER_THAN_MISSING = 5
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_DECIMAL = re.compile(r"([0-9]{1,15})\.0+")
_SEPARATORS = re.compile(rf"[|/+&\\{BLANKS}]+")


def parse(rows: Rows, findings: Findings) -> Records:
    """Return the rows that have a claim, parsed.

    What is missing or cannot be read is ``NONE`` in the records; the findings tell of it.
    """
    cells = _Cells(rows, findings)
    claim, ids = cells.claims()
    text, texts = cells.texts("claim", by_form=True)
    abstract_text, abstract_texts = cells.texts("abstract")
    version, versions = cells.texts("data_version")
    narrative, narratives = cells.narratives()
    has_abstract = (abstract_text != NONE) | given(rows, "annotation")
    abstract = cells.abstracts(has_abstract)
    label = cells.labels(given(rows, "abstract_id"))
    records = Records(
        np.arange(len(rows)),
        rows.split,
        claim,
        text,
        abstract,
        label,
        narrative,
        abstract_text,
        version,
        rows,
        ids,
        texts,
        narratives,
        abstract_texts,
        versions,
    )
    return records.take(claim != NONE)


def codes_in(text: str) -> Parsed[tuple[int, ...]]:
    """Return the codes in a narrative cell, as ``values.codes_of``, other separators read too.

    >>> codes_in("1_1|2_1").value == codes_in("1_1 2_1").value == codes_in("1_1;2_1").value
    True
    >>> codes_in("1_1 or 2_1").value is None
    True
    """
    read = codes_of(text)
    if read.value is None:
        again = codes_of(_SEPARATORS.sub(";", text))
        if again.value is not None:
            return Parsed(again.value, remark="form")
    return read


def given(rows: Rows, name: str) -> Booleans:
    """Return which rows say anything in a column, readable or not."""
    column = rows.columns[name]
    said: Booleans = column.spread(not _is_missing(text) for text in column.texts) == 1
    return said


def _is_missing(text: str) -> bool:
    word = text.strip(BLANKS)
    return len(word) < _LONGER_THAN_MISSING and word.casefold() in _MISSING


def _cleaned(text: str) -> str:
    if text.isprintable():
        return text.strip(BLANKS)
    return _CONTROL.sub("", text).replace("\r\n", "\n").replace("\r", "\n").strip(BLANKS)


def _form(text: str) -> str:
    """Return what texts that differ in blanks or Unicode form alone have in common."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclass(frozen=True)
class _Cells:
    rows: Rows
    findings: Findings

    def claims(self) -> tuple[Integers, list[str]]:
        """Return the claim of each row, and the ids."""
        column = self.rows.columns["claim_id"]
        index: dict[str, int] = {}
        places, decimals = [], []
        for code, text in enumerate(column.texts):
            written = text if text.isdigit() else " ".join(_cleaned(text).split())
            decimal = _DECIMAL.fullmatch(written)
            if decimal:
                written = decimal[1]
                decimals.append(code)
            missing = _is_missing(written)
            places.append(NONE if missing else index.setdefault(written, len(index)))
        claim = column.spread(places)
        self._of_distinct(kinds.ID_DECIMAL, column, decimals)
        self._of_rows(kinds.CLAIM_ID_MISSING, claim == NONE)
        return claim, list(index)

    def texts(self, name: str, *, by_form: bool = False) -> tuple[Integers, list[str]]:
        """Return the text of each row, and the distinct texts.

        Args:
            name: of the column.
            by_form: whether texts that differ in blanks or Unicode form alone are one.
        """
        column = self.rows.columns[name]
        index: dict[str, int] = {}
        texts: list[str] = []
        places, changed, merged = [], [], []
        for code, raw in enumerate(column.texts):
            text = _cleaned(raw)
            if _is_missing(text):
                places.append(NONE)
                continue
            if not raw.isprintable() and _CONTROL.search(raw):
                changed.append(code)
            place = index.setdefault(_form(text) if by_form else text, len(texts))
            if place == len(texts):
                texts.append(text)
            elif texts[place] != text:
                merged.append(code)
            places.append(place)
        self._of_distinct(kinds.TEXT_CLEANED, column, changed)
        self._of_distinct(kinds.TEXT_BLANKS, column, merged)
        return column.spread(places), texts

    def abstracts(self, expected: Booleans) -> Integers:
        """Return the abstract of each row.

        Args:
            expected: which rows should have one.
        """
        column = self.rows.columns["abstract_id"]
        missing, unreadable, outside = -1, -2, -3
        places, decimals = [], []
        for code, raw in enumerate(column.texts):
            plain = plain_abstract(raw)  # most are in their usual form
            if plain is not None:
                places.append(plain)
                continue
            text = raw.strip(BLANKS)
            parsed = abstract_of(text)
            whole = re.fullmatch(r"-?[0-9]+(\.0*)?", text)
            why = missing if _is_missing(text) else outside if whole else unreadable
            places.append(why if parsed.value is None else parsed.value)
            if parsed.remark and parsed.value is not None:
                decimals.append(code)
        abstract = column.spread(places)
        self._of_distinct(kinds.ID_DECIMAL, column, decimals)
        self._of_rows(kinds.ABSTRACT_ID_MISSING, (abstract == missing) & expected)
        for kind, why in (
            (kinds.ABSTRACT_ID_UNREADABLE, unreadable),
            (kinds.ABSTRACT_OUTSIDE, outside),
        ):
            self._of_rows(kind, abstract == why)
        return np.maximum(abstract, NONE)

    def labels(self, expected: Booleans) -> Integers:
        """Return the label of each row.

        Args:
            expected: which rows should have one.
        """
        column = self.rows.columns["annotation"]
        read = [label_of(text.strip(BLANKS)) for text in column.texts]
        missing = np.array([*map(_is_missing, column.texts), True])[column.codes]
        label = column.spread(NONE if p.value is None else p.value for p in read)
        form = [code for code, parsed in enumerate(read) if parsed.remark]
        self._of_cells(kinds.LABEL_FORM, column, form, lambda c: f"as “{read[c].read_as}”")
        self._of_rows(kinds.LABEL_MISSING, missing & expected)
        unknown = (label == NONE) & ~missing
        self._of_rows(kinds.LABEL_UNKNOWN, unknown, "annotation")
        return label

    def narratives(self) -> tuple[Integers, list[tuple[int, ...]]]:
        """Return the narratives of each row, and the distinct sets of codes."""
        column = self.rows.columns["narrative"]
        read = [Parsed(()) if _is_missing(t) else codes_in(t.strip(BLANKS)) for t in column.texts]
        index: dict[tuple[int, ...], int] = {}
        places = [index.setdefault(p.value, len(index)) if p.value else NONE for p in read]
        form = [code for code, parsed in enumerate(read) if parsed.remark and parsed.value]

        def read_as(code: int) -> str:
            return "as " + ";".join(taxonomy.CODES[i] for i in read[code].value or ())

        self._of_cells(kinds.NARRATIVE_FORM, column, form, read_as)
        unknown = column.spread(1 if parsed.value is None else 0 for parsed in read) == 1
        self._of_rows(kinds.NARRATIVE_UNKNOWN, unknown, "narrative")
        return column.spread(places), list(index)

    def _of_rows(self, kind: Kind, rows: Booleans, column: str = "") -> None:
        """Add each of some rows, with what stands in a column."""
        for split, name in enumerate(SPLITS):
            places = [
                self.rows.place(row, f"“{self.rows.cell(column, row)}”" if column else "")
                for row in np.flatnonzero(rows & (self.rows.split == split)).tolist()
            ]
            self.findings.add(kind, name, places)

    def _of_distinct(self, kind: Kind, column: Column, distinct: list[int]) -> None:
        """Add each of some distinct cells once, where it first stands."""
        places = [
            self.rows.place(row, f"“{shown(column.texts[code])}”")
            for code, row in self._first_rows(column, distinct)
        ]
        self.findings.add(kind, "", places)

    def _of_cells(
        self, kind: Kind, column: Column, distinct: list[int], read_as: Callable[[int], str]
    ) -> None:
        """Add the rows with some distinct cells, one place for each cell."""
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts))
        places = [
            self.rows.place(row, f"“{shown(column.texts[c])}” {read_as(c)}, {counts[c]:,} rows")
            for c, row in self._first_rows(column, distinct)
        ]
        self.findings.add(kind, "", places, count=int(counts[distinct].sum()) if distinct else 0)

    @staticmethod
    def _first_rows(column: Column, distinct: Iterable[int]) -> list[tuple[int, int]]:
        wanted = np.array(sorted(distinct), dtype=np.int64)
        if not len(wanted):
            return []
        rows = np.flatnonzero(np.isin(column.codes, wanted))
        codes, first = np.unique(column.codes[rows], return_index=True)
        pairs: list[Any] = list(zip(codes.tolist(), rows[first].tolist(), strict=True))
        return pairs
