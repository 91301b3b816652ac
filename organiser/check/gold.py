"""Checks that nothing which participants can download tells the gold.

A copy is easy to see. The harder part is the gold under another name and in another form, beside
files that may lawfully look much like it: the kit's sample submissions for the test claims also
pair claims with abstracts and labels, or claims with codes, and some of these are right.

So a file is judged by how much of the gold it tells, against what a prediction could tell. For a
table that pairs test claims with abstracts five things are counted, each beside a chance that is
above what the best systems of 2026 reached (their figures in brackets):

- claims *told*: all judged abstracts of the claim are listed, with a column that follows the
  gold labels. A prediction that finds half of them (Recall@5 .45) and labels four in five
  as the gold does (F1 .74) tells a claim of n judged abstracts with a chance of 0.4 to the n.
- claims *told exactly*: their judged abstracts are listed and no other; chance 0.5 to the n.
- judged pairs that are labelled as in the gold; chance 0.8.
- listed pairs that are judged (three in four for a system of 2026); chance 0.9.
- listed pairs that are evidentiary (about one in two); chance 0.8.

The label column may hold anything, since its values are matched to the labels that they go with
most. For claims with codes, right claims are counted. A file that answers at least half of the
claims may be a prediction: its ``0_0`` (the commonest answer) proves nothing, any other claim is
right with a chance of 0.65 (macro-F1 .63). A file that answers fewer is none, and may be right by
guessing alone: the share of the commonest answer for that one, 0.05 for any other.

A file *tells the gold* if a prediction would tell as much less than once in a million times. Ten
claims' gold is enough: ten claims of five judged abstracts are told by luck less than once in
10^16 times. What cannot be seen by such a measure: the gold of a few claims, or the codes of a few
claims inside a full prediction.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from climatecheck import edition as settings
from climatecheck import taxonomy
from climatecheck.tables import Gold
from climatecheck.values import codes_of
from organiser.check import settings_of
from organiser.check.bundle import GOLD_FILES, Bundle
from organiser.check.downloads import Download, downloads
from organiser.check.listings import Listing, Row, listings, plain
from organiser.check.luck import luck
from organiser.check.registry import DOWNLOADS, Finding, Missing, check

SURPRISE = 1e-6
_FINDS, _AGREES = 0.5, 0.8
_JUDGED, _EVIDENTIARY = 0.9, 0.8
_CODES_RIGHT, _CODES_GUESSED = 0.65, 0.05
_LABEL_VALUES = 6
_PUBLIC = {settings.CLAIMS_FILE, settings.EDITION_FILE}
_MEND = "Take it out; if it was public already, the gold is spent."

Codes = frozenset[int]


@dataclass(frozen=True)
class Known:
    """The gold by the ids and texts that a file can hold.

    Attributes:
        claims: the id of each claim by its id and by its text.
        labels: the label of each judged abstract, by claim and abstract.
        codes: the codes of each claim.
    """

    claims: Mapping[str, str]
    labels: Mapping[str, Mapping[str, int]]
    codes: Mapping[str, Codes]


def known(gold: Gold) -> Known:
    """Return the gold, keyed by text."""
    ids = gold.claims.ids
    claims = dict(zip(map(plain, gold.claims.texts), ids, strict=True)) | {i: i for i in ids}
    labels: dict[str, dict[str, int]] = defaultdict(dict)
    for claim, abstract, label in zip(gold.claim, gold.abstract, gold.label, strict=True):
        labels[ids[claim]][str(abstract)] = int(label)
    codes = {
        ids[claim]: frozenset(row.nonzero()[0].tolist())
        for claim, row in zip(gold.narratives.claim, gold.narratives.codes, strict=True)
    }
    return Known(claims, labels, codes)


@check("gold-copied", "No reference file can be downloaded", "error", DOWNLOADS)
def copied(bundle: Bundle) -> Iterator[Finding]:
    """Participants read the answers; the competition is over before it has begun."""
    for download in _copies(bundle):
        what = "is byte for byte a file of the reference data"
        yield Finding(download.where, what, _MEND)


@check("gold-told", "No file that can be downloaded tells the gold", "error", DOWNLOADS)
def told(bundle: Bundle) -> Iterator[Finding]:
    """The gold under another name or in another form is as much of a gift as a copy of it."""
    answers, copies = known(bundle.gold), {each.where for each in _copies(bundle)}
    seen: dict[bytes, list[str]] = {}  # the rules alone stand in three of the zips
    for download in _searched(bundle):
        digest = hashlib.sha256(download.content).digest()
        if download.where not in copies:
            if digest not in seen:
                seen[digest] = sorted(set(tells(download, answers)))
            for what in seen[digest]:
                yield Finding(download.where, what, _MEND)


@check("gold-blind", "A blind bundle carries no gold", "error", DOWNLOADS)
def blind(bundle: Bundle) -> Iterator[Finding]:
    """The gold was to stay on the organiser's machine; reference data are not safe on a server."""
    if not settings_of.board(bundle).blind:
        raise Missing("the bundle is not blind")
    part = bundle.of_role("reference_data")[0]
    for name in part.tree.names:
        if name in GOLD_FILES or name not in _PUBLIC:
            what = "is in the reference data of a blind bundle"
            yield Finding(f"{part.path}: {name}", what, "Build it with make bundle BLIND=1.")


@check("gold-looked-into", "Every file that can be downloaded was looked into", "advice", DOWNLOADS)
def looked_into(bundle: Bundle) -> Iterator[Finding]:
    """What cannot be read here may still hold the gold for those who can read it."""
    for download in downloads(bundle):
        if download.closed:
            yield Finding(download.where, download.closed, "Look at it by hand.")


def _searched(bundle: Bundle) -> Iterator[Download]:
    """Yield what participants can download; of a blind bundle, its reference data too."""
    yield from downloads(bundle)
    if settings_of.board(bundle).blind:
        yield from downloads(bundle, ("reference_data",))


def _copies(bundle: Bundle) -> Iterator[Download]:
    """Yield each download with the bytes of a file of gold."""
    secret = {hashlib.sha256(content).digest() for content in _secrets(bundle)}
    if not secret:
        raise Missing("there is no gold in the bundle to compare with")
    for download in _searched(bundle):
        if hashlib.sha256(download.content).digest() in secret:
            yield download


def _secrets(bundle: Bundle) -> Iterator[bytes]:
    """Yield each file of gold."""
    given = bundle.given_gold
    for path in [given / name for name in GOLD_FILES] if given else []:
        if path.is_file():
            yield path.read_bytes()
    for part in bundle.of_role("reference_data"):
        for name in part.tree.names:
            content = part.tree.read(name)
            if name.rpartition("/")[2] not in _PUBLIC and content and content.strip():
                yield content


def tells(download: Download, answers: Known) -> Iterator[str]:
    """Yield, in words, what a file tells of the gold; nothing for what a prediction may hold."""
    for listing in listings(download.content, answers.claims):
        yield from _tells_pairs(listing, answers)
        yield from _tells_codes(listing, answers)


def _tells_pairs(listing: Listing, answers: Known) -> Iterator[str]:
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
    if min(tests) < SURPRISE:
        named = f", {len(right):,} with a value that follows the gold label" if right else ""
        yield f"lists {len(judged):,} of the judged pairs{named}, far beyond any prediction"


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


def _is_evidentiary(label: int) -> bool:
    return settings.LABELS[label] in settings.EVIDENTIARY_LABELS


def _tells_codes(listing: Listing, answers: Known) -> Iterator[str]:
    found = {claim: codes for claim, codes in _codes(listing).items() if claim in answers.codes}
    if not found:
        return
    counts = Counter(answers.codes.values())
    commonest, times = counts.most_common(1)[0]
    full = 2 * len(found) >= len(answers.codes)
    right = {claim for claim, codes in found.items() if codes == answers.codes[claim]}
    asked = {c for c in found if not full or answers.codes[c] != commonest}
    guess = times / len(answers.codes)
    chances = [
        guess if answers.codes[c] == commonest else _CODES_RIGHT if full else _CODES_GUESSED
        for c in asked
    ]
    if luck(chances, len(right & asked)) < SURPRISE:
        yield f"gives the gold narratives of {len(right):,} claims, far beyond any prediction"


def _codes(listing: Listing) -> dict[str, Codes]:
    """Return the codes of each claim in the column that holds codes most often."""
    best: dict[str, Codes] = {}
    for rows in listing.columns(_read_codes):
        codes: dict[str, Codes] = {}
        for claim, found in rows:
            codes[claim] = codes.get(claim, frozenset()) | found
        best = max(best, codes, key=len)
    return best


_NAMES = {name.casefold(): frozenset([i]) for i, name in enumerate(taxonomy.NARRATIVES.values())}


def _read_codes(text: str) -> Codes | None:
    """Return the codes of a cell, or None; a bare number is no code here."""
    if text.casefold() in _NAMES:
        return _NAMES[text.casefold()]
    value = codes_of(text).value if "_" in text and len(text) < 1_000 else None
    return frozenset(value) if value else None
