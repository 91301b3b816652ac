"""Checks of the starting kit: its sample submissions must pass the competition they are for."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from climatecheck import edition as settings
from climatecheck import problem_table, read_claims, read_gold, read_submission, score
from climatecheck.gold import GOLD_FILES, GoldError
from climatecheck.leaderboard import TASKS, board_columns, scores_json
from climatecheck.tables import Claims, Gold, Submission
from organiser.check import settings_of
from organiser.check.bundle import Bundle
from organiser.check.registry import FIELD, Finding, Missing, check
from organiser.check.trees import Tree, open_zip

_FILES = {settings.PREDICTIONS_FILE, settings.TASK1_FILE, settings.TASK2_FILE}
_FOLDER = "samples/"
_SHOWN = 3


@dataclass(frozen=True)
class Split:
    """Claims that samples answer, and their gold where it can be read."""

    claims: Claims
    gold: Gold | None


@dataclass(frozen=True)
class Sample:
    """A sample submission, and how it was read."""

    where: str
    submission: Submission
    split: Split


@check("kit-there", "Every phase has a starting kit", "warning", FIELD)
def kit_there(bundle: Bundle) -> Iterator[Finding]:
    """Participants have no validator, and find out what a file should look like by failing."""
    for i, phase in bundle.listed("phases"):
        if not phase.get("starting_kit"):
            place = bundle.place("phases", i)
            yield Finding(place, "starting_kit is missing", "Write starting_kit: starting_kit.zip.")


@check("sample-valid", "Every sample submission is accepted", "error", FIELD)
def valid(bundle: Bundle) -> Iterator[Finding]:
    """The first thing that a participant uploads is a sample, and it is refused."""
    for sample in _samples(bundle):
        errors = [problem for problem in sample.submission.problems if problem.is_error]
        for problem in errors[:_SHOWN]:
            yield Finding(sample.where, problem.message, "Build the kit again with make bundle.")


@check("sample-scores", "Every accepted sample gets a finite score in each column", "error", FIELD)
def scores(bundle: Bundle) -> Iterator[Finding]:
    """The sample passes the validator and then fails on the site."""
    accepted = [s for s in _samples(bundle) if s.submission.valid]
    scored = [s for s in accepted if s.split.gold]
    if not scored:
        raise Missing("there is no gold to score an accepted sample with")
    for sample in scored:
        try:
            values = score(sample.submission, sample.split.gold) if sample.split.gold else None
            scores_json(values.board if values else {}, board_columns())
        except (ValueError, GoldError) as error:
            yield Finding(sample.where, str(error), "Mend the gold, or build the kit again.")


@lru_cache(maxsize=1)
def _read(bundle: Bundle) -> tuple[Sample, ...]:
    found = []
    tasks = _tasks(bundle)
    for part in bundle.of_role("starting_kit"):
        splits = list(_splits(bundle, part.tree))
        for name in part.tree.names:
            content = part.tree.read(name) if name.endswith(".zip") else None
            if content is not None and _is_sample(name, content):
                found.append(_sample(f"{part.path}: {name}", content, splits, tasks))
    return tuple(found)


def _samples(bundle: Bundle) -> tuple[Sample, ...]:
    """Return the samples of the kit, read as submissions.

    Raises:
        Missing: there is no kit, or no sample in it.
    """
    samples = _read(bundle)
    if not samples:
        raise Missing("the kit holds no sample submission")
    return samples


def _is_sample(name: str, content: bytes) -> bool:
    inside = {inner.rpartition("/")[2] for inner in open_zip(content).names}
    return bool(inside & _FILES) or name.startswith(_FOLDER)


def _splits(bundle: Bundle, kit: Tree) -> Iterator[Split]:
    """Yield the test claims, then each folder of the kit that has claims."""
    try:
        gold: Gold | None = bundle.gold
    except Missing:
        gold = None
    yield Split(bundle.claims, gold)
    for name in kit.names:
        folder, _, file = name.rpartition("/")
        if file == settings.CLAIMS_FILE and folder and (split := _split(kit.under(f"{folder}/"))):
            yield split


def _split(tree: Tree) -> Split | None:
    with tempfile.TemporaryDirectory(prefix="check-") as name:
        folder = Path(name)
        for file in (settings.CLAIMS_FILE, *GOLD_FILES.values()):
            content = tree.read(file)
            if content is not None:
                (folder / file).write_bytes(content)
        try:
            claims = read_claims(folder / settings.CLAIMS_FILE)
        except GoldError:
            return None
        try:
            gold = read_gold(folder, claims, tasks=())
        except GoldError:
            return Split(claims, None)
        return Split(claims, gold if gold.tasks else None)


def _tasks(bundle: Bundle) -> tuple[str, ...]:
    """Return the tasks of the board; all where it cannot be known."""
    try:
        return settings_of.board(bundle).tasks
    except Missing:
        return TASKS


def _sample(where: str, content: bytes, splits: list[Split], tasks: tuple[str, ...]) -> Sample:
    """Return a sample, read for the claims of which it knows most."""
    with tempfile.TemporaryDirectory(prefix="check-") as folder:
        path = Path(folder) / "sample.zip"
        path.write_bytes(content)
        readings = [
            Sample(where, read_submission(path, split.claims, tasks=tasks), split)
            for split in splits
        ]
    return min(readings, key=lambda reading: _strangers(reading.submission))


def _strangers(submission: Submission) -> int:
    """Return how many rows name a claim that is not of the split."""
    unknown = problem_table.UNKNOWN_CLAIM
    return sum(p.count for p in submission.problems if p.kind == unknown)
