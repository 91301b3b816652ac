"""Synthetic evaluations of the real one's size and shape, to see how the statistics behave.

Nothing in them is a real claim, abstract or system. Systems rank the same candidates of a claim by
a score with a part that all share and a part of their own; skill lifts the evidentiary ones.
Systems of equal skill are interchangeable, those of one family are near copies. An abstract's id is
its place among the candidates of its claim, so claims share ids, which no measure minds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from climatecheck import edition, taxonomy
from climatecheck.board import Facts
from climatecheck.scoring import score
from climatecheck.tables import Booleans, Claims, Floats, Gold, Integers, Submission, Task1, Task2
from organiser.analysis.systems import Evaluation, System

CLAIMS = 172
CANDIDATES = 40
DEPTH = 10
_NEI = edition.LABELS.index("Not Enough Information")
_UNJUDGED = -1
_PLAIN = 0.72
_SECOND_CODE = 0.05


@dataclass(frozen=True)
class Skill:
    """How good a system is.

    Attributes:
        retrieval: how far evidentiary abstracts are lifted, in standard deviations.
        labels: the share of labels that are right, on a claim of middling difficulty.
        narratives: the same for sets of narratives.
        family: systems of one family share ``likeness`` of their claims' answers.
        likeness: between 0 and 1.
    """

    retrieval: float = 1.6
    labels: float = 0.68
    narratives: float = 0.8
    family: int | None = None
    likeness: float = 0.9


def evaluation(seed: int, skills: Sequence[Skill], *, claims: int = CLAIMS) -> Evaluation:
    """Return an evaluation with a system for each skill, all of whom entered all tasks."""
    rng = np.random.default_rng(seed)
    ids = tuple(f"c{place:04}" for place in range(claims))
    listed = Claims(ids, tuple(f"Synthetic claim {id_}" for id_ in ids))
    kinds = _kinds(rng, claims)
    narratives = _gold_narratives(rng, claims)
    gold = _gold(listed, kinds, narratives)
    shared = _Shared(rng.normal(size=kinds.shape), rng.normal(size=claims))
    answers: dict[int, _Answers] = {}
    systems = []
    for place, skill in enumerate(skills):
        own = _answers(rng, skill, kinds, narratives, shared)
        if skill.family is not None:
            own = _alike(rng, own, answers.setdefault(skill.family, own), skill.likeness)
        submission = Submission(listed, _run(own), Task2(np.arange(claims), own.codes), ())
        systems.append(System(f"system {place + 1}", "", submission, score(submission, gold)))
    return Evaluation(listed, gold, Facts(notice="Synthetic."), tuple(systems))


@dataclass(frozen=True)
class _Shared:
    candidates: Floats
    difficulty: Floats


@dataclass(frozen=True)
class _Answers:
    """(claims, DEPTH) candidates and labels, (claims, codes) narratives."""

    ranked: Integers
    labels: Integers
    codes: Booleans


def _kinds(rng: np.random.Generator, claims: int) -> Integers:
    """Return (claims, CANDIDATES) gold labels: evidentiary ones, NEI ones, then unjudged ones."""
    evidentiary = np.minimum(1 + rng.poisson(5.2, claims), 15) * (rng.random(claims) > 0.05)
    judged = evidentiary + rng.poisson(5, claims)
    place = np.arange(CANDIDATES)
    label = (rng.random((claims, 1)) + 0.3 * rng.normal(size=(claims, CANDIDATES)) > 0.74).astype(
        np.int64
    )
    kinds = np.where(place < evidentiary[:, None], label, _NEI)
    return np.where(place < judged[:, None], kinds, _UNJUDGED)


def _gold(claims: Claims, kinds: Integers, narratives: Booleans) -> Gold:
    claim, candidate = np.nonzero(kinds != _UNJUDGED)
    task2 = Task2(np.arange(len(claims)), narratives)
    return Gold(claims, claim, candidate, kinds[claim, candidate], task2)


def _gold_narratives(rng: np.random.Generator, claims: int) -> Booleans:
    codes = _draw_codes(rng, claims)
    second = np.flatnonzero((rng.random(claims) < _SECOND_CODE) & ~codes[:, 0])
    codes[second] |= _disinformation(rng, len(second))
    return codes


def _draw_codes(rng: np.random.Generator, number: int) -> Booleans:
    codes = _disinformation(rng, number)
    plain = rng.random(number) < _PLAIN
    codes[plain] = False
    codes[plain, 0] = True
    return codes


def _disinformation(rng: np.random.Generator, number: int) -> Booleans:
    """Return (number, codes) one code each, but not the first, few of them frequent."""
    weight = 1 / np.arange(1, len(taxonomy.CODES))
    chosen = rng.choice(len(weight), size=number, p=weight / weight.sum())
    codes: Booleans = np.eye(len(taxonomy.CODES), dtype=np.bool_)[1 + chosen]
    return codes


def _answers(
    rng: np.random.Generator,
    skill: Skill,
    kinds: Integers,
    narratives: Booleans,
    shared: _Shared,
) -> _Answers:
    claims = len(kinds)
    lift = np.select([kinds == _UNJUDGED, kinds == _NEI], [0.0, 0.6], 1.0) * skill.retrieval
    hard = shared.difficulty[:, None]
    own = rng.normal(size=kinds.shape)
    ranked = np.argsort(-(lift * (1 - 0.3 * hard) + 0.7 * shared.candidates + 0.7 * own))[:, :DEPTH]
    truth = np.take_along_axis(kinds, ranked, axis=1)
    right = rng.random(ranked.shape) < skill.labels - 0.1 * hard
    other = rng.integers(0, len(edition.LABELS), ranked.shape)
    labels = np.where(right & (truth != _UNJUDGED), truth, other)
    kept = rng.random(claims) < skill.narratives - 0.1 * shared.difficulty
    codes = np.where(kept[:, None], narratives, _draw_codes(rng, claims))
    return _Answers(ranked, labels, codes)


def _alike(rng: np.random.Generator, own: _Answers, first: _Answers, likeness: float) -> _Answers:
    copied = (rng.random(len(own.ranked)) < likeness)[:, None]
    return _Answers(
        np.where(copied, first.ranked, own.ranked),
        np.where(copied, first.labels, own.labels),
        np.where(copied, first.codes, own.codes),
    )


def _run(answers: _Answers) -> Task1:
    claims, depth = answers.ranked.shape
    claim = np.repeat(np.arange(claims), depth)
    return Task1(
        claim=claim,
        abstract=answers.ranked.ravel(),
        position=np.tile(np.arange(1, depth + 1), claims),
        label=answers.labels.ravel(),
        line=np.arange(2, claims * depth + 2),
        has_labels=True,
    )
