"""Which claims an edition lists, with which texts, and in which split each belongs."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from climatecheck.problems import shown
from climatecheck.tables import Integers
from organiser.dataset import kinds
from organiser.dataset.findings import Findings, Place
from organiser.dataset.kinds import Kind
from organiser.dataset.near import THRESHOLD, near_pairs, similarity, wording
from organiser.dataset.records import NONE, SPLITS, TEST, TRAIN, Records, first_of_each

_TEXTS_OF_AN_ID = 2


@dataclass(frozen=True)
class Listed:
    """The claims of both splits.

    Attributes:
        texts: of each claim of a split (a ``Records.unit``), in the order of the file.
    """

    texts: dict[int, list[str]]


def listed_claims(records: Records, findings: Findings) -> tuple[Records, Listed]:
    """Return the records whose claims have a text and belong to one split, and these claims."""
    records = _with_text(records, findings)
    texts, seen = _texts(records)
    _report_texts(records, texts, seen, findings)
    texts = {unit: _two(of_unit, seen[unit]) for unit, of_unit in texts.items()}
    dropped = _cross_splits(records, texts, findings)
    if dropped:
        texts = {unit: of_unit for unit, of_unit in texts.items() if unit not in dropped}
        records = records.take(~np.isin(records.unit, list(dropped)))
    return records, Listed({u: [records.texts[t] for t in of_u] for u, of_u in texts.items()})


def _with_text(records: Records, findings: Findings) -> Records:
    """Return the records of claims that have any text."""
    unit, without = records.unit, records.text == NONE
    if not without.any():
        return records
    known = np.isin(unit, np.unique(unit[~without]))
    for kind, rows in (
        (kinds.TEXT_SOMEWHERE, without & known & records.in_files_with(~without)),
        (kinds.TEXT_MISSING, without & ~known),
    ):
        _add(kind, records, np.unique(unit[rows]), unit, findings)
    return records.take(known)


def _add(kind: Kind, records: Records, units: Integers, unit: Integers, findings: Findings) -> None:
    """Add claims where they first stand."""
    for split, name in enumerate(SPLITS):
        of_split = units[units // max(len(records.ids), 1) == split]
        findings.add(kind, name, records.places(first_of_each(unit, of_split)))


def _texts(records: Records) -> tuple[dict[int, list[int]], dict[int, dict[int, int]]]:
    """Return the texts of each claim in the order of the file, and how many rows have each."""
    size = max(len(records.texts), 1)
    has = np.flatnonzero(records.text != NONE)
    keys = records.unit[has] * size + records.text[has]
    distinct, first, counts = np.unique(keys, return_index=True, return_counts=True)
    texts: dict[int, list[int]] = {}
    rows: dict[int, dict[int, int]] = {}
    for place in np.argsort(first, kind="stable").tolist():
        unit, text = divmod(int(distinct[place]), size)
        texts.setdefault(unit, []).append(text)
        rows.setdefault(unit, {})[text] = int(counts[place])
    return texts, rows


def _two(texts: list[int], rows: dict[int, int]) -> list[int]:
    """Return the two texts of most rows, in the order of the file."""
    kept = sorted(texts, key=lambda text: -rows[text])[:_TEXTS_OF_AN_ID]
    return [text for text in texts if text in kept]


def _report_texts(
    records: Records,
    texts: dict[int, list[int]],
    rows: dict[int, dict[int, int]],
    findings: Findings,
) -> None:
    owners: dict[tuple[int, int], list[int]] = defaultdict(list)
    for unit, of_unit in texts.items():
        if len(of_unit) > 1:
            kind = kinds.TWO_TEXTS if len(of_unit) == _TEXTS_OF_AN_ID else kinds.MORE_TEXTS
            quoted = " / ".join(
                f"“{shown(records.texts[text])}” on {rows[unit][text]:,} rows" for text in of_unit
            )
            name = SPLITS[records.split_of(unit)]
            findings.add(kind, name, [Place(claim=records.id_of(unit), found=quoted)])
        for text in of_unit:
            owners[records.split_of(unit), text].append(unit)
    for (split, _), units in owners.items():
        if len(units) > 1:
            others = f"has the text of claim {records.id_of(units[0])}"
            places = [Place(claim=records.id_of(unit), found=others) for unit in units[1:]]
            findings.add(kinds.SAME_TEXT, SPLITS[split], places)


def _cross_splits(records: Records, texts: dict[int, list[int]], findings: Findings) -> set[int]:
    """Return the training claims that stand in test too; tell of these and of near ones."""
    worded = {text: wording(records.texts[text]) for of in texts.values() for text in of}
    words = {text: frozenset(in_order) for text, in_order in worded.items()}
    # A text without words is only itself.
    said = {text: " ".join(of) or records.texts[text] for text, of in worded.items()}
    sides = [[u for u in texts if records.split_of(u) == split] for split in (TRAIN, TEST)]
    flat = [[(unit, text) for unit in side for text in texts[unit]] for side in sides]
    dropped = _same_claims(records, texts, words, said, flat, findings)
    left = [(unit, text) for unit, text in flat[TRAIN] if unit not in dropped]
    pairs, skipped = near_pairs(
        [words[text] for _, text in left], [words[text] for _, text in flat[TEST]]
    )
    findings.add(kinds.NEAR_UNSEARCHED, "", [Place(found=f"“{shown(word)}”") for word in skipped])
    near: dict[tuple[int, int], tuple[float, str]] = {}
    for i, j, value in pairs:
        (a, a_text), (b, b_text) = left[i], flat[TEST][j]
        quoted = f"“{shown(records.texts[a_text])}” / “{shown(records.texts[b_text])}”"
        near[a, b] = max(near.get((a, b), (0.0, "")), (value, quoted))
    findings.add(
        kinds.NEAR,
        "",
        [
            Place(
                claim=records.id_of(a),
                found=f"test claim {records.id_of(b)}, similarity {value:.2f}: {quoted}",
            )
            for (a, b), (value, quoted) in near.items()
        ],
    )
    return dropped


def _same_claims(
    records: Records,
    texts: dict[int, list[int]],
    words: dict[int, frozenset[str]],
    said: dict[int, str],
    flat: list[list[tuple[int, int]]],
    findings: Findings,
) -> set[int]:
    """Return the training claims that share a text, or id and nearly a text, with a test claim."""
    of_text = {said[text]: unit for unit, text in reversed(flat[TEST])}
    same: dict[int, int] = {}
    for unit, text in flat[TRAIN]:
        test = of_text.get(said[text])
        if test is not None:
            same.setdefault(unit, test)
    unlike = []
    for unit in dict.fromkeys(unit for unit, _ in flat[TRAIN]):
        twin = unit + TEST * len(records.ids)
        if twin in texts and unit not in same:
            pairs = ((words[a], words[b]) for a in texts[unit] for b in texts[twin])
            if max(similarity(a, b) for a, b in pairs) >= THRESHOLD:
                same[unit] = twin
            else:
                unlike.append(unit)
    findings.add(kinds.IN_BOTH, "", _in_both(records, same.items()))
    findings.add(kinds.ID_IN_BOTH, "", [Place(claim=records.id_of(unit)) for unit in unlike])
    return set(same)


def _in_both(records: Records, same: Iterable[tuple[int, int]]) -> list[Place]:
    return [
        Place(claim=records.id_of(unit), found=f"test claim {records.id_of(test)}")
        for unit, test in same
    ]
