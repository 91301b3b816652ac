"""Synthetic systems for tests of the analyses: gold with a known share of noise, the same always.

No figure made from them says anything about real systems.
"""

from collections.abc import Sequence

import numpy as np

from climatecheck import edition, read_gold, scoring, taxonomy
from climatecheck.board import Facts
from climatecheck.gold import read_claims
from climatecheck.tables import NO_LABEL, Claims, Gold, Submission, Task1, Task2
from organiser.analysis.systems import Evaluation, System
from organiser.editions import edition as edition_of

NOTICE = "Synthetic: made for a test."
LONG_NAMES = (
    "ClimateSense",
    "The Very Long Named Team of a University of Applied Sciences",
    "The Very Long Named Team of another University",
    "$50 & _50%",
    "berkbubus",
    "_under",
    "DFKI-IML",
    "Baseline",
    "Ünïcode Team",
    "DEPARTMENT OF EXAMPLES AND NAMES",
)
ALL = ("1.1", "1.2", "2")


def sample_gold() -> Gold:
    """The gold of the sample edition."""
    data = edition_of("")
    return read_gold(data.reference_data, read_claims(data.input_data / edition.CLAIMS_FILE))


def paper_size_gold(claims: int = 172) -> Gold:
    """Random gold of about the real size, 163 claims of 172 with an evidentiary abstract."""
    rng = np.random.RandomState(1)
    ids = tuple(str(place) for place in range(claims))
    texts = tuple(f"Synthetic claim number {place} about the climate." for place in range(claims))
    pairs = []
    for claim in range(claims):
        labels = rng.choice(3, size=rng.randint(6, 17), p=(0.39, 0.14, 0.47))
        labels[0] = 0
        if claim * 172 // claims >= 163:
            labels[:] = 2
        abstracts = np.sort(rng.choice(2_000, size=len(labels), replace=False))
        pairs += [(claim, *pair) for pair in zip(abstracts, labels, strict=True)]
    table = np.array(pairs)
    shares = np.array([30.0 if code == "0_0" else 1.0 for code in taxonomy.CODES])
    shares[[taxonomy.CODES.index(code) for code in ("2_1", "5_1", "1_4", "1_1")]] = 4
    codes = np.zeros((claims, len(taxonomy.CODES)), dtype=np.bool_)
    chosen = rng.choice(codes.shape[1], size=claims, p=shares / shares.sum())
    codes[np.arange(claims), chosen] = True
    narratives = Task2(np.arange(claims), codes)
    return Gold(Claims(ids, texts), table[:, 0], table[:, 1], table[:, 2], narratives)


def system(gold: Gold, team: str, quality: float, seed: int, tasks: Sequence[str] = ALL) -> System:
    """A system that is right where a seeded draw falls below its quality."""
    rng = np.random.RandomState(seed)
    task1 = _run(gold, quality, rng, "1.2" in tasks) if "1.1" in tasks else None
    task2 = _narratives(gold, quality, rng) if "2" in tasks else None
    submission = Submission(gold.claims, task1, task2, ())
    return System(team, f"{team}.zip", submission, scoring.score(submission, gold))


def evaluation(gold: Gold, *systems: System) -> Evaluation:
    return Evaluation(gold.claims, gold, Facts("test", "Test", NOTICE), systems)


def with_systems(gold: Gold, number: int) -> Evaluation:
    """As many systems as told, the worse the later."""
    made = [
        system(gold, team, quality, seed)
        for seed, (team, quality) in enumerate(
            zip(LONG_NAMES[:number], np.linspace(0.85, 0.35, number), strict=True)
        )
    ]
    return evaluation(gold, *made)


def _run(gold: Gold, quality: float, rng: np.random.RandomState, labelled: bool) -> Task1:
    rows = []
    for claim in range(len(gold.claims)):
        place = np.flatnonzero(gold.claim == claim)
        noise = rng.rand(len(place)) + (gold.label[place] == 2) * quality
        ranked = [(gold.abstract[p], gold.label[p]) for p in place[np.argsort(noise)]]
        ranked += [(300_000 + claim, 0)]
        kept = [pair for pair in ranked if rng.rand() < quality][:10] or ranked[-1:]
        for position, (abstract, label) in enumerate(kept, start=1):
            guess = label if rng.rand() < quality else rng.randint(0, 3)
            rows.append((claim, abstract, position, guess if labelled else NO_LABEL))
    table = np.array(rows)
    line = np.arange(len(table)) + 2
    return Task1(table[:, 0], table[:, 1], table[:, 2], table[:, 3], line, labelled)


def _narratives(gold: Gold, quality: float, rng: np.random.RandomState) -> Task2:
    codes = gold.narratives.codes.copy()
    for row in codes:
        if rng.rand() > quality:
            row[:] = False
            row[rng.choice(len(row), size=rng.choice(3, p=(0.1, 0.7, 0.2)), replace=False)] = True
    return Task2(gold.narratives.claim, codes)
