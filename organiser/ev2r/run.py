"""One run: from an evaluation and two sources of answers to the results of all submissions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from climatecheck import edition
from climatecheck.tables import Floats, Gold, Integers
from organiser.analysis.section8 import counts_of
from organiser.analysis.systems import Evaluation
from organiser.ev2r import scores
from organiser.ev2r.facts import Counts, precision_recall_f1
from organiser.ev2r.judge import Source
from organiser.ev2r.pool import Pool, Rows, left_out, unannotated
from organiser.ev2r.recipe import DONE, FAILED, Key, Outcome, Recipe
from organiser.ev2r.results import Result, results
from organiser.ev2r.texts import Texts
from organiser.ev2r.worth import Worth, worth


@dataclass(frozen=True)
class Plan:
    """What is to be judged.

    Attributes:
        teams, rows: the submissions that entered task 1.1, by team.
        pool: their unannotated abstracts.
        gold_pool: gold abstracts to be left out one by one; None unless asked for.
        gold_labels: their labels.
    """

    teams: tuple[str, ...]
    rows: tuple[Rows, ...]
    pool: Pool
    gold_pool: Pool | None
    gold_labels: Integers

    @property
    def pools(self) -> list[Pool]:
        """All that is to be judged."""
        return [self.pool, *([self.gold_pool] if self.gold_pool is not None else [])]


@dataclass(frozen=True)
class Part:
    """What came of one part: its recipe, and how many distinct pairs it had."""

    recipe: Recipe
    pairs: int
    failed: int
    open: int


@dataclass(frozen=True)
class Looked:
    """A pool beside what is known of it.

    Attributes:
        keys: (comparisons,) of the reference part; None where a text is missing.
        classified: (abstracts,) the same of the proxy part.
        outcomes: by key.
        counts: (comparisons, 4) in the order of ``facts.Counts``; NaN where unknown.
        scored: the scores of its abstracts.
    """

    keys: Sequence[Key | None]
    classified: Sequence[Key | None]
    outcomes: Mapping[Key, Outcome]
    counts: Floats
    scored: scores.Abstracts


@dataclass(frozen=True)
class Run:
    """All that a run came to.

    Attributes:
        gold: the reference data.
        plan: what was judged.
        looked: the unannotated abstracts and what is known of them.
        results: one a submission.
        worth: what the back ends are worth; empty unless asked for.
        parts: the reference and the proxy part.
        stopped: why it ended early; empty if it did not.
    """

    gold: Gold
    plan: Plan
    looked: Looked
    results: tuple[Result, ...]
    worth: tuple[Worth, ...]
    parts: tuple[Part, ...]
    stopped: str

    @property
    def approximation(self) -> bool:
        """Whether a back end only stands in for what the paper uses."""
        return any(part.recipe.approximation for part in self.parts)

    @property
    def open(self) -> int:
        """How many pairs are open."""
        return sum(part.open for part in self.parts)

    @property
    def comparisons(self) -> int:
        """How many comparisons the unannotated abstracts have."""
        return len(self.looked.keys)

    @property
    def without_text(self) -> int:
        """How many of them lack a text, be it that of the claim, which the proxy part reads."""
        looked, item = self.looked, self.plan.pool.item.tolist()
        return sum(
            key is None or looked.classified[of] is None
            for key, of in zip(looked.keys, item, strict=True)
        )

    @property
    def failed(self) -> int:
        """How many pairs failed."""
        return sum(part.failed for part in self.parts)


def plan(evaluation: Evaluation, *, with_worth: bool) -> Plan:
    """Return what is to be judged.

    Args:
        evaluation: the submissions under their gold.
        with_worth: whether gold abstracts are left out and judged, too.
    """
    systems = sorted(evaluation.entered("1.1"), key=lambda system: system.team)
    pool, rows = unannotated([counts_of.judged(s) for s in systems], evaluation.gold)
    gold_pool, labels = left_out(evaluation.gold) if with_worth else (None, np.zeros(0, np.int64))
    return Plan(tuple(s.team for s in systems), tuple(rows), pool, gold_pool, labels)


def judged(
    plan: Plan,
    gold: Gold,
    texts: Texts,
    reference: Source,
    proxy: Source,
    *,
    say: Callable[[str], None] = lambda _: None,
) -> Run:
    """Judge all that a plan holds.

    Args:
        plan: what is to be judged.
        gold: the reference data.
        texts: of its claims and abstracts.
        reference: counts of facts.
        proxy: probabilities of labels.
        say: takes a sentence on each step.
    """
    compared = [texts.comparisons(pool, gold) for pool in plan.pools]
    classified = [texts.classified(pool) for pool in plan.pools]
    parts, outcomes, reasons = [], [], []
    for source, keys in ((reference, compared), (proxy, classified)):
        wanted = texts.of([key for of_pool in keys for key in of_pool])
        made = source.judged(wanted)
        states = [made.outcomes[key].state if key in made.outcomes else "" for key in wanted]
        failed, done = states.count(FAILED), states.count(DONE)
        parts.append(Part(source.recipe, len(wanted), failed, len(wanted) - done - failed))
        outcomes.append(made.outcomes)
        reasons += [made.stopped] if made.stopped else []
    say("Summing up")
    looked = [
        _looked(pool, gold, keys, pairs, outcomes[0], outcomes[1])
        for pool, keys, pairs in zip(plan.pools, compared, classified, strict=True)
    ]
    scored = looked[0].scored
    found = results(plan.teams, plan.rows, plan.pool, scored, len(gold.claims))
    worths = (
        worth(plan.gold_pool, looked[1].scored, plan.gold_labels)
        if plan.gold_pool is not None
        else []
    )
    return Run(gold, plan, looked[0], tuple(found), tuple(worths), tuple(parts), "; ".join(reasons))


def _looked(
    pool: Pool,
    gold: Gold,
    keys: Sequence[Key | None],
    classified: Sequence[Key | None],
    compared: Mapping[Key, Outcome],
    probabilities: Mapping[Key, Outcome],
) -> Looked:
    counts = _values(keys, compared, len(Counts._fields))
    f1 = precision_recall_f1(counts)[2]
    known = _values(classified, probabilities, len(edition.LABELS))
    scored = scores.abstracts(pool, f1, gold.label, known)
    return Looked(keys, classified, compared, counts, scored)


def _values(keys: Sequence[Key | None], known: Mapping[Key, Outcome], width: int) -> Floats:
    """Return the values of each key, NaN where there are none."""
    none = (np.nan,) * width
    unknown = Outcome("")
    rows = [(known.get(key, unknown).values if key else None) or none for key in keys]
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)
