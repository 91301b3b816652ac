"""What the systems of task 2 would reach together: majority vote and plurality of label sets.

Source: the shared task's overview paper, section 8 (majority-vote ensemble).
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from climatecheck import scoring
from climatecheck.metrics import narratives
from climatecheck.metrics.narratives import NarrativeCounts
from climatecheck.tables import Booleans, Integers, Task2
from organiser.analysis import published
from organiser.analysis.section8 import counts_of, gaps
from organiser.analysis.systems import Evaluation
from organiser.reporting.parts import Cell, Column, Section, Table

TITLE = "The systems together"
_COLUMNS = {
    "narrative_f1_macro": "Macro-F1",
    "narrative_precision_macro": "Macro precision",
    "narrative_recall_macro": "Macro recall",
    "narrative_f1_micro": "Micro-F1",
    "narrative_f1_weighted": "Weighted F1",
}
_RULES = (
    "Majority vote: a code is predicted if more than half of the systems predict it; a claim can "
    "so be left without any code.",
    "Plurality: the set of codes that most systems give as a whole. Among equally frequent sets, "
    "the one whose codes have the most votes on average, then the smaller one, then the first in "
    "the taxonomy's order.",
)


def majority(answers: Booleans) -> Booleans:
    """Return (claims, codes) what more than half of the systems predict.

    Args:
        answers: (systems, claims, codes).

    >>> majority(np.array([[[True, False]], [[True, True]], [[False, False]]])).tolist()
    [[True, False]]
    """
    votes: Integers = np.count_nonzero(answers, axis=0)
    return 2 * votes > len(answers)


def plurality(answers: Booleans) -> Booleans:
    """Return (claims, codes) the most frequent set of codes of each claim.

    Args:
        answers: (systems, claims, codes).

    >>> one, other = [True, False], [True, True]
    >>> plurality(np.array([[one, one], [other, other], [other, one]])).tolist()
    [[True, True], [True, False]]
    """
    chosen = np.zeros(answers.shape[1:], dtype=np.bool_)
    for claim in range(answers.shape[1]):
        sets = [tuple(np.flatnonzero(codes).tolist()) for codes in answers[:, claim]]
        chosen[claim, list(most_frequent(sets))] = True
    return chosen


def most_frequent(sets: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the set that occurs most often, ties broken as the report says.

    >>> most_frequent([(1,), (2,), (2, 3), (3, 4)])  # 2 and 3 have two votes each
    (2,)
    >>> most_frequent([(7,), ()]), most_frequent([(7,), (4,)])
    ((7,), (4,))
    """
    times = Counter(sets)
    votes = Counter(code for codes in sets for code in codes)

    def order(codes: tuple[int, ...]) -> tuple[int, float, int, tuple[int, ...]]:
        mean = sum(votes[code] for code in codes) / len(codes) if codes else 0.0
        return (-times[codes], -mean, len(codes), codes)

    return min(times, key=order)


def answers_of(every: Sequence[NarrativeCounts]) -> Booleans:
    """Return (systems, claims, codes) what each system predicts."""
    return np.array([counts.tp | counts.fp for counts in every])


def exact_share(counts: NarrativeCounts) -> float:
    """Return the share of evaluated claims whose codes are all right; NaN without any."""
    claims = np.count_nonzero(counts.evaluated)
    return np.count_nonzero(counts.exact) / claims if claims else np.nan


def section(evaluation: Evaluation) -> Section:
    """Return the scores of two ensembles of all systems beside those of the best system."""
    systems = evaluation.entered("2")
    if not systems:
        return gaps.not_entered(TITLE, "2")
    if len(systems) == 1:
        return Section(TITLE, ("An ensemble needs at least two systems of task 2.",), ())
    every = [counts_of.narratives(system) for system in systems]
    answers = answers_of(every)
    rows = [
        ("Majority vote", *_scores(_counted(majority(answers), evaluation))),
        ("Plurality of label sets", *_scores(_counted(plurality(answers), evaluation))),
        *(
            (f"{title}: {systems[place].team}", *_scores(every[place]))
            for title, place in _best(every).items()
        ),
    ]
    some = np.logical_or.reduce([counts.exact for counts in every])
    table = Table(
        name="ensembles",
        title="Ensembles of all systems of task 2 beside the best system",
        columns=(
            Column("Prediction"),
            *(Column(title) for title in _COLUMNS.values()),
            Column("Exact", name="exact"),
        ),
        rows=tuple(rows),
        notes=(
            *_RULES,
            *gaps.reasons(rows, "no claim is evaluated."),
            *published.notes(evaluation.gold, _published()),
        ),
    )
    prose = (
        f"{len(systems)} systems entered task 2. At least one of them is exact on {some.sum()} of "
        f"{every[0].evaluated.sum()} claims; no way of choosing among their answers can be exact "
        "on more.",
    )
    return Section(TITLE, prose, (table,))


def _counted(codes: Booleans, evaluation: Evaluation) -> NarrativeCounts:
    return narratives.count(Task2(np.arange(len(codes)), codes), evaluation.gold)


def _scores(counts: NarrativeCounts) -> tuple[Cell, ...]:
    board = scoring.board_values(scoring.Counts(narratives=counts))
    return (*(float(board[key]) for key in _COLUMNS), gaps.defined(exact_share(counts)))


def _best(every: Sequence[NarrativeCounts]) -> dict[str, int]:
    """Return the places of the best system by macro-F1, and by exact answers if another."""
    by_exact = int(np.argmax([np.count_nonzero(counts.exact) for counts in every]))
    best = {"Best macro-F1": 0}  # the systems come in this order
    if np.count_nonzero(every[by_exact].exact) > np.count_nonzero(every[0].exact):
        best["Most exact"] = by_exact
    return best


def _published() -> list[str]:
    told = published.section8()
    return [
        f"Published in 2026, exact: majority vote {told['majority_vote_ensemble_exact']:.3f}, "
        f"best system {told['best_system_exact']:.3f}."
    ]
