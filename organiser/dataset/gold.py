"""The gold of both tasks: each pair and each claim once, by the majority of its rows.

A tie decides nothing: the pair is left unjudged, the claim without narratives.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from climatecheck import edition, taxonomy
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import Booleans, Integers
from climatecheck.values import unusual_combination
from organiser.dataset import kinds
from organiser.dataset.claims import Listed
from organiser.dataset.findings import Findings, Place
from organiser.dataset.kinds import Kind
from organiser.dataset.parsing import given
from organiser.dataset.records import NONE, SPLITS, Records, first_of_each, votes


@dataclass(frozen=True)
class Pairs:
    """The judged claim-abstract pairs of both splits, each once.

    Attributes:
        unit: (pairs,) the claim of a split (``Records.unit``).
        abstract: (pairs,) abstract id.
        label: (pairs,) position in the edition's labels.
    """

    unit: Integers
    abstract: Integers
    label: Integers

    def of(self, split: int, records: Records) -> "Pairs":
        """Return those of a split."""
        chosen = self.unit // max(len(records.ids), 1) == split
        return Pairs(self.unit[chosen], self.abstract[chosen], self.label[chosen])

    @property
    def abstracts(self) -> Integers:
        """The distinct abstracts, sorted."""
        return np.flatnonzero(np.bincount(self.abstract, minlength=1))


def judged_pairs(records: Records, findings: Findings) -> Pairs:
    """Return each pair once, sorted by claim and abstract, with the label of most of its rows."""
    rows = np.flatnonzero((records.abstract != NONE) & (records.label != NONE))
    key = records.unit[rows] * edition.CORPUS_SIZE + records.abstract[rows]
    made = votes(key, records.label[rows], len(edition.LABELS))
    tied = made.winner == NONE

    def report(kind: Kind, chosen: Booleans) -> None:
        split = made.group // edition.CORPUS_SIZE // max(len(records.ids), 1)
        for number, name in enumerate(SPLITS):
            wanted = made.group[chosen & (split == number)]
            if len(wanted):
                places = rows[first_of_each(key, wanted)]
                said = _said(records, key, rows, wanted)
                told = {record: said[_key(records, record)] for record in places.tolist()}
                findings.add(kind, name, records.places(places, told.__getitem__))

    report(kinds.PAIR_REPEATED, (made.members > 1) & (made.values == 1))
    report(kinds.PAIR_MAJORITY, (made.values > 1) & ~tied)
    report(kinds.PAIR_TIED, tied)
    unit, abstract = np.divmod(made.group[~tied], edition.CORPUS_SIZE)
    return Pairs(unit, abstract, made.winner[~tied])


def _key(records: Records, record: int) -> int:
    """Return the key of a record's pair."""
    unit = int(records.split[record]) * len(records.ids) + int(records.claim[record])
    return unit * edition.CORPUS_SIZE + int(records.abstract[record])


def _said(records: Records, key: Integers, rows: Integers, wanted: Integers) -> dict[int, str]:
    """Return, for each wanted pair, how many of its rows have which label."""
    of = np.flatnonzero(np.isin(key, wanted))
    combined = key[of] * len(edition.LABELS) + records.label[rows[of]]
    distinct, counts = np.unique(combined, return_counts=True)
    said: dict[int, list[str]] = {}
    for code, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        pair, label = divmod(code, len(edition.LABELS))
        said.setdefault(pair, []).append(f"{count} x {edition.LABELS[label]}")
    return {pair: ", ".join(parts) for pair, parts in said.items()}


def narratives_of(
    records: Records, listed: Listed, findings: Findings
) -> dict[int, tuple[int, ...]]:
    """Return the codes of each claim of a split (``Records.unit``) that has any.

    By text, those of most rows; of an id with several texts, united.
    """
    has = np.flatnonzero(records.narrative != NONE)
    unit = records.unit
    several = np.array([one for one, of in listed.texts.items() if len(of) > 1], dtype=np.int64)
    texts = len(records.texts) + 1  # the last stands for any text
    text = np.where(np.isin(unit[has], several), records.text[has], NONE)
    by_text = unit[has] * texts + text % texts
    made = votes(by_text, records.narrative[has], len(records.narratives))
    tied = {int(group) // texts for group in made.group[made.winner == NONE]}
    sets: dict[int, list[tuple[int, ...]]] = {}
    for group, winner in zip(made.group.tolist(), made.winner.tolist(), strict=True):
        if winner != NONE:
            sets.setdefault(group // texts, []).append(records.narratives[winner])
    codes = {
        one: tuple(sorted({code for each in of_one for code in each}))
        for one, of_one in sorted(sets.items())
        if one not in tied
    }
    majority = {int(g) // texts for g in made.group[(made.values > 1) & (made.winner != NONE)]}
    united = {one for one in codes if len(set(sets[one])) > 1}
    told = _splits_with(records, "narrative")
    missing = [
        one
        for one in listed.texts
        if one not in codes and one not in tied and records.split_of(one) in told
    ]
    _report(kinds.NARRATIVE_MAJORITY, majority - tied, records, findings, told=True)
    _report(kinds.NARRATIVE_TIED, tied, records, findings, told=True)
    _report(kinds.NARRATIVE_UNITED, united, records, findings, told=True)
    _report(kinds.NARRATIVE_MISSING, missing, records, findings)
    _report_some(records, codes, findings)
    unusual = [one for one, of_one in codes.items() if unusual_combination(of_one)]
    _report(kinds.NARRATIVE_COMBINATION, unusual, records, findings, told=True)
    return codes


def _report_some(records: Records, codes: dict[int, tuple[int, ...]], findings: Findings) -> None:
    """Tell of claims some of whose rows have no readable narratives, in files that have them."""
    has = records.narrative != NONE
    empty = ~has & records.in_files_with(has)
    some = [one for one in np.unique(records.unit[empty]).tolist() if one in codes]
    _report(kinds.NARRATIVE_SOME, some, records, findings)


def _report(
    kind: Kind,
    units: Collection[int],
    records: Records,
    findings: Findings,
    *,
    told: bool = False,
) -> None:
    """Add claims; ``told`` says which narratives their rows give, and how often."""
    said = _told(records, units) if told and units else {}
    for split, name in enumerate(SPLITS):
        of_split = sorted(one for one in units if records.split_of(one) == split)
        findings.add(
            kind,
            name,
            [Place(claim=records.id_of(one), found=said.get(one, "")) for one in of_split],
        )


def _told(records: Records, units: Collection[int]) -> dict[int, str]:
    rows = np.flatnonzero(np.isin(records.unit, list(units)) & (records.narrative != NONE))
    size = len(records.narratives)
    keys = records.unit[rows] * size + records.narrative[rows]
    distinct, counts = np.unique(keys, return_counts=True)
    said: dict[int, list[str]] = {}
    for key, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        unit, place = divmod(key, size)
        said.setdefault(unit, []).append(f"{count} x {codes_text(records.narratives[place])}")
    return {unit: ", ".join(parts) for unit, parts in said.items()}


def codes_text(codes: tuple[int, ...]) -> str:
    """Return positions of codes as a cell of the gold."""
    return ";".join(taxonomy.CODES[code] for code in codes)


def _splits_with(records: Records, column: str) -> set[int]:
    """Return the splits in which any row says anything in a column, readable or not."""
    return set(records.rows.split[given(records.rows, column)].tolist())


def report_gaps(
    listed: Listed,
    pairs: Pairs,
    narratives: dict[int, tuple[int, ...]],
    records: Records,
    findings: Findings,
) -> None:
    """Tell of claims without gold, and of tasks that cannot be scored.

    A task of which a split says nothing is left out; one of which it says nothing usable is a
    fault.
    """
    judged = set(np.unique(pairs.unit).tolist())
    without = [one for one in listed.texts if one not in judged and one not in narratives]
    _report(kinds.WITHOUT_GOLD, without, records, findings)
    evidentiary = pairs.unit[is_evidentiary(pairs.label)].tolist()
    labelled, told = (_splits_with(records, column) for column in ("annotation", "narrative"))
    for split in np.unique(records.rows.split).tolist():
        name = SPLITS[split]
        if split not in labelled | told:
            findings.fault(f"The {name} split has gold of neither task.")
            continue
        for task, given_in, scored, lack in (
            ("1", labelled, evidentiary, "evidentiary pair, so retrieval"),
            ("2", told, narratives, "narratives, so task 2"),
        ):
            if split not in given_in:
                findings.add(kinds.TASK_MISSING, name, [Place(found=f"task {task}")])
            elif not any(records.split_of(one) == split for one in scored):
                findings.fault(f"The {name} split has no {lack} cannot be scored on it.")
