"""Golds of a synthetic edition, and what a participant can read of a submission scored on each.

Twelve claims; of claim i, abstract 1000i+1 Supports, 1000i+2 Refutes and 1000i+3 is NEI; the
narrative is 1_1 for the first four and 0_0 for the others.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from climatecheck import read_claims, read_gold
from tests.conftest import CLAIMS, rows
from tests.reading import Reading, read_in_process

NEI = "Not Enough Information"
UNJUDGED = 100_000


@dataclass(frozen=True)
class World:
    """A gold: labels by claim and abstract, narratives by claim."""

    labels: dict[tuple[int, int], str]
    narratives: dict[int, str]

    def with_pair(self, claim: int, abstract: int, label: str | None) -> "World":
        labels = {pair: old for pair, old in self.labels.items() if pair != (claim, abstract)}
        return replace(
            self, labels=labels if label is None else {**labels, (claim, abstract): label}
        )

    def with_codes(self, changes: dict[int, str]) -> "World":
        return replace(self, narratives={**self.narratives, **changes})

    def write(self, folder: Path) -> Path:
        folder.mkdir()
        claims = [f"{claim},Text {i}." for i, claim in enumerate(CLAIMS)]
        pairs = [f"{CLAIMS[c]},{a},{label}" for (c, a), label in sorted(self.labels.items())]
        codes = [f"{CLAIMS[c]},{codes}" for c, codes in self.narratives.items()]
        (folder / "claims.csv").write_bytes(rows("claim_id,claim", claims))
        (folder / "task1_gold.csv").write_bytes(rows("claim_id,abstract_id,label", pairs))
        (folder / "task2_gold.csv").write_bytes(rows("claim_id,narrative", codes))
        return folder


BASE = World(
    {
        (i, 1000 * i + k): label
        for i in range(len(CLAIMS))
        for k, label in enumerate(("Supports", "Refutes", NEI), start=1)
    },
    {i: "1_1" if i < 4 else "0_0" for i in range(len(CLAIMS))},
)


def table(lines: list[str], header: str = "claim_id,abstract_id,rank,label,narrative") -> bytes:
    return rows(header, lines)


@dataclass(frozen=True)
class Runs:
    """Runs submissions on golds, each pair once."""

    base: Path
    made: dict[tuple[bytes, str], Reading]

    def __call__(self, content: bytes, world: World) -> Reading:
        key = (content, repr(world))
        if key not in self.made:
            root = self.base / str(len(self.made))
            root.mkdir()
            reference = world.write(root / "reference")
            made = read_in_process({"predictions.csv": content}, reference, root / "run")
            claims = read_claims(reference / "claims.csv")
            digest = read_gold(reference, claims).digest.encode()
            masked = {name: data.replace(digest, b"(hash)") for name, data in made.files.items()}
            self.made[key] = replace(made, files=masked)
        return self.made[key]
