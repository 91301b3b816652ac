"""How much of the gold a file tells, against what a prediction could tell.

A copy of the gold is easy to see. The harder part is the gold under another name and in another
form, beside files that may lawfully look much like it: the kit's sample submissions for the test
claims also pair claims with abstracts and labels, or claims with codes, and some of these are
right.

So a file is judged by how much of the gold it tells. For a table that pairs test claims with
abstracts these are counted, each beside a chance that is above what the best systems of 2026
reached (their figures in brackets):

- claims *told*: all judged abstracts of the claim are listed, with a column that follows the
  gold labels. A prediction that finds half of them (Recall@5 .45) and labels four in five
  as the gold does (F1 .74) tells a claim of n judged abstracts with a chance of 0.4 to the n.
- claims *told exactly*: their judged abstracts are listed and no other; chance 0.5 to the n.
- judged pairs that are labelled as in the gold; chance 0.8.
- listed pairs that are judged (three in four for a system of 2026); chance 0.9.
- listed pairs that are evidentiary (about one in two); chance 0.8.

Where abstracts have other names than their ids and texts, claims are counted that have as many
rows, with as many of each label, as in the gold (chance 0.5, where most predictions have the same
number of rows for all claims). Where rows name no claim, row i is taken for claim i, in every order
in which a file is likely to go through the claims, and a column of labels for the column of gold.

The label column may hold anything, since its values are matched to the labels that they go with
most. For claims with codes, right claims are counted. A file that answers at least half of the
claims may be a prediction: its ``0_0`` (the commonest answer) proves nothing, any other claim is
right with a chance of 0.65 (macro-F1 .63). A file that answers fewer is none, and may be right by
guessing alone: the share of the commonest answer for that one, 0.05 for any other.

A file *tells the gold* if a prediction would tell as much less than once in a million times. Ten
claims' gold is enough: ten claims of five judged abstracts are told by luck less than once in
10^16 times. Ten rows of it are not: of ten rows, cut out of a good prediction, all are judged and
rightly labelled once in 170 times (0.6 to the 10; .75 times .74 is .56). But nobody needs such a
list for fewer than half of the claims, so it *may be part of the gold* if a prediction would tell
as much less than once in a hundred times.

What cannot be seen so: nine rows and fewer; some more of claims that all carry the commonest code;
pairs without labels that a good retrieval would list too; the codes of a few claims inside a full
prediction; answers in an order of their own, without ids; fewer than twenty claims whose texts or
abstracts were renamed; whatever is encoded, encrypted or drawn.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import chain

from climatecheck import edition as settings
from climatecheck import taxonomy
from climatecheck.values import codes_of
from organiser.check.answers import Codes, Known
from organiser.check.listings import Listing, Row, led, listings
from organiser.check.luck import luck
from organiser.check.rows import Cells, loose_tables, tables, text_of

SURPRISE, SUSPICION = 1e-6, 1e-2
_FINDS, _AGREES = 0.5, 0.8
_JUDGED, _EVIDENTIARY = 0.9, 0.8
_BOTH = 0.6
_SAME_SHARES = 0.5
_CODES_RIGHT, _CODES_GUESSED = 0.65, 0.05
_LABEL_VALUES = 6
_FEWEST_SIGNS = 5
_CHARACTERS = 100_000_000
_NUMBERS = re.compile(r"(?<![\w.])\d+(?:_\d+)?(?!\w)")


@dataclass(frozen=True)
class Told:
    """What a list tells.

    Attributes:
        what: in words.
        size: how many claims or pairs are told.
        chance: that a prediction tells as much.
        short: of a list of fewer than half of the claims, the chance that a part of a prediction
            tells as much.
    """

    what: str
    size: int
    chance: float
    short: float = 1.0

    @property
    def is_gold(self) -> bool:
        """Whether it tells the gold."""
        return self.chance < SURPRISE

    @property
    def is_suspect(self) -> bool:
        """Whether it may be part of the gold."""
        return not self.is_gold and self.short < SUSPICION


def told_by(content: bytes, answers: Known) -> Iterator[Told]:
    """Yield what each listing of a file tells, where it tells more than luck would."""
    loose = _may_tell(text_of(content), answers)
    for table in chain(tables(content), loose_tables(content, answers.claims) if loose else ()):
        for listing in listings(table, answers):
            yield from _told_by_listing(listing, answers)
        yield from _told_sequence(table, answers)
    if loose:
        yield from _told_by_listing(led(content, answers.claims), answers)


def _may_tell(text: str, answers: Known) -> bool:
    """Return whether it is worth to look for rows in what is no table, as most files are."""
    signs = sum(
        "_" in number or number in answers.judged for number in _NUMBERS.findall(text[:_CHARACTERS])
    )
    lines = text.count("\n")
    as_long = any(-1 <= lines - len(sequence) <= 2 for sequence in answers.sequences)
    return signs >= _FEWEST_SIGNS or as_long


def _told_by_listing(listing: Listing, answers: Known) -> Iterator[Told]:
    yield from _told_pairs(listing, answers)
    yield from _told_shares(listing, answers)
    yield from _told_codes(listing, answers)


def _told_pairs(listing: Listing, answers: Known) -> Iterator[Told]:
    rows = listing.pairs(answers.labels)
    pairs: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        pairs[row.claim].setdefault(row.answer, row)
    gold = {claim: answers.labels.get(claim, {}) for claim in pairs}
    judged = [
        (row, gold[claim][abstract])
        for claim, found in pairs.items()
        for abstract, row in found.items()
        if abstract in gold[claim]
    ]
    right = _rightly_labelled(judged)
    whole = [c for c in pairs if gold[c] and gold[c].keys() <= pairs[c].keys()]
    labelled = [c for c in whole if all((c, a) in right for a in gold[c])]
    exact = [c for c in whole if len(gold[c]) == len(pairs[c])]
    sizes = [len(labels) for labels in gold.values() if labels]
    listed = sum(map(len, pairs.values()))
    evidentiary = sum(_is_evidentiary(label) for _, label in judged)
    tests = (
        luck(((_FINDS * _AGREES) ** n for n in sizes), len(labelled)),
        luck((_FINDS**n for n in sizes), len(exact)),
        luck([_AGREES] * len(judged), len(right)),
        luck([_JUDGED] * listed, len(judged)),
        luck([_EVIDENTIARY] * listed, evidentiary),
    )
    chance = min(tests)
    short = luck([_BOTH] * listed, len(right)) if _is_short(listing, pairs, answers.labels) else 1.0
    named = f", {len(right):,} with a value that follows the gold label" if right else ""
    yield Told(f"lists {len(judged):,} of the judged pairs{named}", len(judged), chance, short)


def _is_short(listing: Listing, found: Sized, all_: Sized) -> bool:
    return listing.named and 2 * len(found) < len(all_)


def _rightly_labelled(judged: list[tuple[Row, int]]) -> set[tuple[str, str]]:
    """Return the pairs whose value in the best label column goes with their gold label."""
    best: set[tuple[str, str]] = set()
    for column in {name for row, _ in judged for name in row.others}:
        by_value: dict[str, Counter[int]] = defaultdict(Counter)
        for row, label in judged:
            by_value[row.others.get(column, "")][label] += 1
        if 1 < len(by_value) <= _LABEL_VALUES:
            meaning = {value: counts.most_common(1)[0][0] for value, counts in by_value.items()}
            right = {
                (row.claim, row.answer)
                for row, label in judged
                if meaning[row.others.get(column, "")] == label
            }
            best = max(best, right, key=len)
    return best


def _told_shares(listing: Listing, answers: Known) -> Iterator[Told]:
    """Count the claims with as many rows, and as many of each label, as in the gold."""
    by_claim: dict[str, list[Cells]] = defaultdict(list)
    for claim, cells in listing.rows:
        by_claim[claim].append(cells)
    gold = {
        c: _shares(g.values()) for c, g in answers.labels.items() if c in by_claim and len(g) > 1
    }
    for column in _label_columns((cells for _, cells in listing.rows), len(settings.LABELS)):
        alike = [
            claim
            for claim, shares in gold.items()
            if len(by_claim[claim]) == sum(shares)
            and _shares(cells.get(column, "") for cells in by_claim[claim]) == shares
        ]
        what = f"gives the labels of {len(alike):,} claims as often as the gold does"
        yield Told(what, len(alike), luck([_SAME_SHARES] * len(gold), len(alike)))


def _shares(values: Iterable[object]) -> list[int]:
    return sorted(Counter(values).values())


def _label_columns(rows: Iterable[Cells], most: int = _LABEL_VALUES) -> list[str]:
    """Return the columns that hold few values, but more than one."""
    values: dict[str, set[str]] = defaultdict(set)
    for cells in rows:
        for column, cell in cells.items():
            if len(values[column]) <= most:
                values[column].add(cell)
    return [column for column, seen in values.items() if 1 < len(seen) <= most]


def _told_sequence(table: Sequence[Cells], answers: Known) -> Iterator[Told]:
    """Compare a column with the gold's labels, in the order of the judged pairs."""
    for gold in answers.sequences:
        if not 0 <= len(table) - len(gold) <= 1:
            continue
        rows = table[-len(gold) :]
        for column in _label_columns(rows):
            by_value: dict[str, Counter[int]] = defaultdict(Counter)
            for cells, label in zip(rows, gold, strict=True):
                by_value[cells.get(column, "")][label] += 1
            right = sum(max(counts.values()) for counts in by_value.values())
            what = f"gives the labels of {right:,} judged pairs in the order of the gold"
            yield Told(what, right, luck([_AGREES] * len(gold), right))


def _is_evidentiary(label: int) -> bool:
    return settings.LABELS[label] in settings.EVIDENTIARY_LABELS


def _told_codes(listing: Listing, answers: Known) -> Iterator[Told]:
    """Count the claims with the right codes, in each column that holds codes."""
    for rows in listing.columns(_read_codes):
        found: dict[str, Codes] = defaultdict(frozenset)
        for claim, codes in rows:
            if claim in answers.codes:
                found[claim] |= codes
        right = {claim for claim, codes in found.items() if codes == answers.codes[claim]}
        chances = _chances(found, answers.codes)
        chance = luck(chances.values(), len(right & chances.keys()))
        short = chance if _is_short(listing, found, answers.codes) else 1.0
        what = f"gives the gold narratives of {len(right):,} claims"
        yield Told(what, len(right), chance, short)


def _chances(found: Collection[str], gold: Mapping[str, Codes]) -> dict[str, float]:
    """Return the chance that a claim gets its codes, of each claim that counts."""
    if not found:
        return {}
    commonest, times = Counter(gold.values()).most_common(1)[0]
    if 2 * len(found) >= len(gold):
        return {claim: _CODES_RIGHT for claim in found if gold[claim] != commonest}
    share = times / len(gold)
    return {claim: share if gold[claim] == commonest else _CODES_GUESSED for claim in found}


_NAMES = {name.casefold(): frozenset([i]) for i, name in enumerate(taxonomy.NARRATIVES.values())}


def _read_codes(text: str) -> Codes | None:
    """Return the codes of a cell, or None; a bare number is no code here."""
    if text.casefold() in _NAMES:
        return _NAMES[text.casefold()]
    value = codes_of(text).value if "_" in text and len(text) < 1_000 else None
    return frozenset(value) if value else None
