"""How the statistics behave where the truth is known.

``python -m organiser.analysis.inference.simulation``

On synthetic evaluations of the real one's size: how often a test says something false, how often it
finds a difference, and how often the bootstrap intervals hold the true value. Prints the tables of
``docs/statistics.md``; takes some minutes. An argument gives the number of repetitions.
"""

import sys
from collections.abc import Iterator, Sequence

import numpy as np

from climatecheck.bootstrap import RESAMPLES
from climatecheck.tables import Floats
from organiser.analysis.inference.measures import MEASURES, Field
from organiser.analysis.inference.randomisation import all_pairs, pairwise, plain, studentised
from organiser.analysis.inference.significance import ALPHA
from organiser.analysis.inference.synthetic import CLAIMS, Skill, evaluation

REPETITIONS = 500
DRAWS = 399
"""With m draws a test at level alpha is exact where alpha (m + 1) is whole."""

POPULATION = 50_000
"""Claims of the evaluation whose scores stand for the true ones."""

FAR_OFF = Skill(0.1, 0.2, 0.4)
STEPS = [Skill(1.3 + 0.1 * step, 0.6 + 0.03 * step, 0.65 + 0.04 * step) for step in range(7)]

EQUAL = {
    "8 systems alike": ([Skill()] * 8, 8),
    "5 near copies and 3 others": ([*[Skill(family=1)] * 5, *[Skill()] * 3], 8),
    "7 alike and one far off": ([*[Skill()] * 7, FAR_OFF], 7),
}
"""Systems, and how many of the first ones are equally good."""

DIFFERENT = {
    "7 systems in even steps": (STEPS, 7),
    "the same and one far off": ([*STEPS, FAR_OFF], 7),
}
"""Systems, and among how many of the first ones all pairs differ in truth."""

TESTS = ("uncorrected", "greatest plain difference", "greatest studentised one")


def samples(
    task: str, skills: Sequence[Skill], repetitions: int, *, claims: int = CLAIMS
) -> Iterator[Field]:
    """Yield a task's systems, in the order of the skills, of so many evaluations."""
    return (_sample(task, skills, seed, claims) for seed in range(repetitions))


def told_apart(
    sample: Sequence[Field] | Iterator[Field], first: int, *, draws: int = DRAWS
) -> dict[str, Floats]:
    """Return, for each test, (evaluations, pairs) whether it tells the first systems apart."""
    pair = np.triu_indices(first, k=1)
    decided: dict[str, list[Floats]] = {test: [] for test in TESTS}
    for field in sample:
        features, value = field.features, field.measure.value
        p = (
            pairwise(features, value, draws=draws),
            all_pairs(features, value, draws=draws, statistic=plain),
            all_pairs(features, value, draws=draws, statistic=studentised),
        )
        for test, of_test in zip(TESTS, p, strict=True):
            decided[test].append((of_test[pair] <= ALPHA).astype(np.float64))
    return {test: np.array(found) for test, found in decided.items()}


def held(
    sample: Iterator[Field], truth: Floats, *, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Return how often the 95 % bootstrap intervals hold the truth.

    Args:
        sample: evaluations with the same systems.
        truth: (systems,) the true scores.
        resamples: of each interval.

    Returns:
        the share of the systems' intervals that hold their score, and of the intervals of
        differences between each system and the next that hold theirs.
    """
    scores, differences = [], []
    for field in sample:
        drawn = field.resampled(resamples)
        scores.append(_holds(drawn, truth))
        differences.append(_holds(-np.diff(drawn, axis=1), -np.diff(truth)))
    return float(np.mean(scores)), float(np.mean(differences))


def main(repetitions: int = REPETITIONS) -> None:
    """Print the tables."""
    cases = [*((name, *case, True) for name, case in EQUAL.items())]
    cases += [*((name, *case, False) for name, case in DIFFERENT.items())]
    print(f"Repetitions: {repetitions}; draws: {DRAWS}; claims: {CLAIMS}.\n")
    for equal, what in ((True, "Any false statement"), (False, "Differences found")):
        _print_row("Systems", "Score", *(f"{what}: {test}" for test in TESTS))
        _print_row(*["---"] * (2 + len(TESTS)))
        for name, skills, first, is_equal in cases:
            if is_equal == equal:
                for task, measure in MEASURES.items():
                    found = told_apart(samples(task, skills, repetitions), first)
                    by_case = (f.max(axis=1) if equal else f.mean(axis=1) for f in found.values())
                    _print_row(name, measure.title, *map(_share, by_case))
        print()
    _print_row("Score", "Truth", "Score held", "Difference held")
    _print_row(*["---"] * 4)
    for task, measure in MEASURES.items():
        for name, truth in _truths(task, repetitions).items():
            shares = held(samples(task, STEPS, repetitions), truth)
            _print_row(measure.title, name, *(f"{share:.3f}" for share in shares))


def _truths(task: str, repetitions: int) -> dict[str, Floats]:
    measured = [field.scores for field in samples(task, STEPS, repetitions)]
    return {
        f"of {POPULATION:,} claims": _sample(task, STEPS, repetitions, POPULATION).scores,
        f"mean over test sets of {CLAIMS} claims": np.mean(measured, axis=0),
    }


def _sample(task: str, skills: Sequence[Skill], seed: int, claims: int) -> Field:
    measure = MEASURES[task]
    systems = evaluation(seed, skills, claims=claims).systems
    features = [measure.features(system.scores.counts) for system in systems]
    return Field(measure, tuple(system.team for system in systems), np.array(features))


def _holds(drawn: Floats, truth: Floats) -> Floats:
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    held: Floats = ((low <= truth) & (truth <= high)).astype(np.float64)
    return held


def _share(by_evaluation: Floats) -> str:
    error = by_evaluation.std(ddof=1) / np.sqrt(len(by_evaluation))
    return f"{by_evaluation.mean():.3f} ± {error:.3f}"


def _print_row(*cells: str) -> None:
    print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
