"""The gold as a file may state it: by ids, by texts, and in its orders."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

from climatecheck.tables import Gold
from organiser.check.rows import Cells, plain, tables

Codes: TypeAlias = frozenset[int]
Order: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Known:
    """The gold by the ids and texts that a file can hold.

    Attributes:
        claims: the id of each claim by its id and by its text.
        labels: the label of each judged abstract, by claim and abstract.
        codes: the codes of each claim.
        abstracts: the id of each judged abstract by its texts, as far as these are known.
        orders: the claims in the orders in which a file may go through them.
        sequences: the gold labels in the orders in which a file may go through the judged pairs.
    """

    claims: Mapping[str, str]
    labels: Mapping[str, Mapping[str, int]]
    codes: Mapping[str, Codes]
    abstracts: Mapping[str, str] = field(default_factory=dict)
    orders: Sequence[Order] = ()
    sequences: Sequence[tuple[int, ...]] = ()

    @cached_property
    def judged(self) -> frozenset[str]:
        """The ids of all judged abstracts."""
        return frozenset(abstract for labels in self.labels.values() for abstract in labels)


def known(gold: Gold, files: Iterable[bytes] = (), texts: Iterable[bytes] = ()) -> Known:
    """Return the gold, keyed by text.

    Args:
        gold: as the scorer reads it.
        files: the files of the gold, for the order of their rows.
        texts: files that may hold texts of abstracts.
    """
    ids = gold.claims.ids
    claims = dict(zip(map(plain, gold.claims.texts), ids, strict=True)) | {i: i for i in ids}
    labels: dict[str, dict[str, int]] = defaultdict(dict)
    for claim, abstract, label in zip(gold.claim, gold.abstract, gold.label, strict=True):
        labels[ids[claim]][str(abstract)] = int(label)
    codes = {
        ids[claim]: frozenset(row.nonzero()[0].tolist())
        for claim, row in zip(gold.narratives.claim, gold.narratives.codes, strict=True)
    }
    found = Known(claims, labels, codes)
    listed = [_listed(content, found) for content in files]
    return replace(
        found,
        abstracts=_texts(texts, found.judged),
        orders=_orders(found, ids, listed),
        sequences=_sequences(found, listed),
    )


def _listed(content: bytes, found: Known) -> list[tuple[str, str]]:
    """Return the claim, and the judged abstract if any, of each row of a file of gold."""
    return [
        (claim, next((c for c in cells.values() if c in found.labels.get(claim, {})), ""))
        for cells in _table_with("claim_id", content)
        if (claim := found.claims.get(cells.get("claim_id", "")))
    ]


def _table_with(column: str, content: bytes) -> list[Cells]:
    return next((table for table in tables(content) if table and column in table[0]), [])


def _orders(
    found: Known, ids: Sequence[str], listed: Sequence[Sequence[tuple[str, str]]]
) -> tuple[Order, ...]:
    by_number = sorted(ids, key=lambda id_: (len(id_), id_))
    orders = [ids, by_number, sorted(ids), *([claim for claim, _ in rows] for rows in listed)]
    whole = [tuple(dict.fromkeys(order)) for order in orders]
    with_codes = [tuple(claim for claim in order if claim in found.codes) for order in whole]
    of_pairs = [tuple(claim for claim, _ in rows) for rows in listed]
    return tuple(order for order in dict.fromkeys([*whole, *with_codes, *of_pairs]) if order)


def _sequences(
    found: Known, listed: Sequence[Sequence[tuple[str, str]]]
) -> tuple[tuple[int, ...], ...]:
    sorted_ = tuple(label for labels in found.labels.values() for label in labels.values())
    as_listed = [
        tuple(found.labels[claim][abstract] for claim, abstract in rows if abstract)
        for rows in listed
    ]
    return tuple(sequence for sequence in dict.fromkeys([sorted_, *as_listed]) if sequence)


def _texts(files: Iterable[bytes], judged: frozenset[str]) -> dict[str, str]:
    """Return the id of each judged abstract by its text, its title, and both."""
    found: dict[str, str] = {}
    for content in files:
        for cells in _table_with("abstract_id", content):
            id_, title, text = (cells.get(c, "") for c in ("abstract_id", "title", "abstract"))
            if id_ in judged:
                ways = (title, text, f"{title} {text}", f"{title}. {text}")
                found |= {plain(way): id_ for way in ways if way.strip(" .")}
    return found
