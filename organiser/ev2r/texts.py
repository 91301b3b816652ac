"""The texts that are compared, looked up by id, each hashed once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from baselines.texts import read_abstract_texts, read_claim_texts
from climatecheck.tables import Claims, Gold
from organiser.editions import OrganiserError
from organiser.ev2r.pool import Pool
from organiser.ev2r.recipe import Key, digest


@dataclass(frozen=True)
class Text:
    """A text and its hash."""

    text: str
    hash: str


@dataclass(frozen=True)
class Texts:
    """Texts by id; those without content are left out, as there is nothing to judge in them.

    Attributes:
        claims: by position of the claim.
        abstracts: by abstract id.
    """

    claims: Mapping[int, Text]
    abstracts: Mapping[int, Text]

    def comparisons(self, pool: Pool, gold: Gold) -> list[Key | None]:
        """Return the key of each comparison of a pool; None where a text is missing."""
        hashes = {id_: text.hash for id_, text in self.abstracts.items()}
        retrieved = [hashes.get(id_) for id_ in pool.abstract.tolist()]
        references = [hashes.get(id_) for id_ in gold.abstract.tolist()]
        pairs = zip(pool.item.tolist(), pool.reference.tolist(), strict=True)
        return [_key(retrieved[item], references[of]) for item, of in pairs]

    def classified(self, pool: Pool) -> list[Key | None]:
        """Return the key of each claim and abstract of a pool; None where a text is missing."""
        claims = {place: text.hash for place, text in self.claims.items()}
        abstracts = {id_: text.hash for id_, text in self.abstracts.items()}
        pairs = zip(pool.claim.tolist(), pool.abstract.tolist(), strict=True)
        return [_key(claims.get(claim), abstracts.get(id_)) for claim, id_ in pairs]

    def of(self, keys: list[Key | None]) -> dict[Key, tuple[str, str]]:
        """Return the two texts of each pair, each pair once, in the order of the keys."""
        by_hash = {text.hash: text.text for text in self.abstracts.values()}
        by_hash |= {text.hash: text.text for text in self.claims.values()}
        return {key: (by_hash[key[0]], by_hash[key[1]]) for key in keys if key is not None}


def read_texts(
    pools: list[Pool],
    gold: Gold,
    abstracts: Path,
    claims_file: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Texts:
    """Look up the texts of some pools and of all gold abstracts.

    Args:
        pools: what is to be judged.
        gold: the reference data, and the claims.
        abstracts: CSV, JSONL or parquet file, or folder of parquet files.
        claims_file: the same for claims; None takes the edition's own.
        say: takes a sentence on what is missing.

    Raises:
        TextError: a file cannot be read.
        OrganiserError: not one of the texts is there.
    """
    wanted = set(gold.abstract.tolist()).union(*(pool.abstract.tolist() for pool in pools))
    found = {i: _text(text) for i, text in read_abstract_texts(abstracts, wanted).items() if text}
    if wanted and not found:
        raise OrganiserError(f"{abstracts} has none of the {len(wanted):,} abstracts needed.")
    if len(found) < len(wanted):
        first = min(wanted - found.keys())
        say(
            f"{abstracts.name} lacks the text of {len(wanted) - len(found):,} of {len(wanted):,}"
            f" abstracts (first: {first}); what needs them counts as failed"
        )
    return Texts(_claims(gold.claims, claims_file, say), found)


def _claims(claims: Claims, path: Path | None, say: Callable[[str], None]) -> dict[int, Text]:
    texts = dict(zip(claims.ids, claims.texts, strict=True))
    if path is not None:
        texts = read_claim_texts(path, claims.ids)
        if len(texts) < len(claims):
            say(f"{path.name} lacks the text of {len(claims) - len(texts):,} claims")
    return {claims.index[id_]: _text(text) for id_, text in texts.items() if text}


def _text(text: str) -> Text:
    return Text(text, digest(text))


def _key(a: str | None, b: str | None) -> Key | None:
    return None if a is None or b is None else (a, b)
