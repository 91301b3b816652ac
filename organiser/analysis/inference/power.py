"""The difference that a test set of this size can detect, and the size that a given one needs.

The standard error of a difference between two systems on the same claims, s, comes from the
bootstrap over claims (of a mean it is the standard deviation of the claims' differences over the
root of their number). With z the normal quantiles::

    half-width of the 95 % interval   z(.975) s
    detectable difference             (z(.975) + z(.8)) s
    claims needed for a difference g  claims * ((z(.975) + z(.8)) s / g)**2

The second is the true difference that a two-sided test at 5 % finds with 80 % power; the third
rests on s falling with the root of the number of claims.

Source: Sakai (2016), "Topic set size design", Information Retrieval Journal 19, for test sets
designed by the power of a paired test.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import NormalDist

import numpy as np

from climatecheck.gold import GoldError
from climatecheck.tables import Floats
from organiser.analysis.inference.measures import Field, fields
from organiser.analysis.inference.significance import ALPHA
from organiser.analysis.systems import Evaluation
from organiser.analysis.uploads.given import UNFORESEEN, inputs_folder, submissions_folder
from organiser.analysis.uploads.loading import load
from organiser.editions import OrganiserError, edition
from organiser.reporting.parts import Cell, Column, Section, Table
from organiser.reporting.plain_text import plain_text

POWER = 0.8
GAPS = (0.01, 0.02, 0.05)
_SAME = 1e-12


def section(evaluation: Evaluation) -> Section:
    """Return the section: a summary over each score's pairs, and a table of all pairs."""
    entered = fields(evaluation)
    if not entered:
        return Section(_TITLE, _NONE, ())
    summary = [row for field in entered for row in _summary(field)]
    pairs = [row for field in entered for row in _pairs(field)]
    columns = (
        Column("Standard error", 4),
        Column("Half-width"),
        Column("Detectable"),
        Column("Detectable, all pairs corrected", name="detectable_corrected"),
        *(Column(f"Claims for {gap:g}", name=f"claims_for_{gap:g}") for gap in GAPS),
    )
    tables = (
        Table(
            "power",
            "Differences that this test set can detect",
            (Column("Score"), Column("Pairs"), Column("Which pair"), *columns),
            tuple(summary),
            _NOTES,
        ),
        Table(
            "power_pairs",
            "Differences that this test set can detect, pair by pair",
            (Column("Score"), Column("Ahead"), Column("Behind"), Column("Difference"), *columns),
            tuple(pairs),
        ),
    )
    return Section(_TITLE, _PROSE, tables)


def standard_errors(resampled: Floats) -> Floats:
    """Return (systems, systems) standard errors of paired differences.

    Args:
        resampled: (resamples, systems) bootstrap scores, all systems on the same claims; a
            resample in which one is undefined (NaN) is left out.

    Returns:
        NaN throughout where fewer than two resamples are left.
    """
    defined = resampled[~np.isnan(resampled).any(axis=1)]
    if len(defined) < 2:
        return np.full((resampled.shape[1], resampled.shape[1]), np.nan)
    variance = np.atleast_2d(np.cov(defined, rowvar=False))
    own = np.diagonal(variance)
    squared: Floats = own[:, None] + own[None, :] - 2 * variance
    squared[squared < _SAME] = 0
    return np.sqrt(squared)


def half_width(error: float, *, alpha: float = ALPHA) -> float:
    """Return the half-width of the two-sided interval.

    >>> round(half_width(0.01), 4)
    0.0196
    """
    return NormalDist().inv_cdf(1 - alpha / 2) * error


def detectable(error: float, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return the true difference that a two-sided test finds with this power.

    >>> round(detectable(0.01), 4)  # 1.9600 + 0.8416
    0.028
    """
    return half_width(error, alpha=alpha) + NormalDist().inv_cdf(power) * error


def claims_needed(
    error: float, claims: int, gap: float, *, alpha: float = ALPHA, power: float = POWER
) -> int:
    """Return how many claims a test needs to find a difference with this power.

    Args:
        error: the standard error of the difference with ``claims`` claims.
        claims: how many claims there are.
        gap: the true difference to be found.
        alpha: the level of the two-sided test.
        power: the chance to find it.

    >>> claims_needed(0.2 / 10, 100, 0.05)  # ((1.9600 + 0.8416) * 0.2 / 0.05)**2 = 125.6
    126
    """
    return int(np.ceil(claims * (detectable(error, alpha=alpha, power=power) / gap) ** 2))


_TITLE = "What this test set can detect"
_PROSE = (
    "Half-width: of the 95 % interval of a difference between two systems on the same claims. "
    f"Detectable: the true difference that a two-sided test at {100 * ALPHA:g} % finds with "
    f"{100 * POWER:g} % power; smaller ones are missed more often than that. Claims: how many "
    f"claims would be needed to find a true difference of {', '.join(f'{g:g}' for g in GAPS)} so.",
    "The more alike two systems answer, the smaller a difference can be seen between them, so each "
    "score is summed up by its pair with the smallest, the median and the greatest error.",
)
_NONE = ("Fewer than two systems entered any one task, so there is no difference to detect.",)
_NOTES = (
    "All pairs corrected: with the level divided by the number of pairs (Bonferroni), about as "
    "cautious as the test of this report.",
    "A larger test set is thought of as more claims of the same kind. It would bring further, rare "
    "codes into macro-F1, each as heavy as a frequent one; numbers of claims for that score are a "
    "rough guide.",
)


def _summary(field: Field) -> list[tuple[Cell, ...]]:
    errors = _errors(field)
    order = sorted(range(len(errors)), key=lambda place: errors[place])
    chosen = {
        "smallest error": order[0],
        "median": order[(len(order) - 1) // 2],
        "greatest error": order[-1],
    }
    rows: list[tuple[Cell, ...]] = []
    for which, place in chosen.items():
        i, j = field.pairs[place]
        pair = f"{field.teams[i]} – {field.teams[j]} ({which})"  # noqa: RUF001
        cells = _cells(errors[place], field)
        rows.append((field.measure.title, len(errors), pair, *cells))
    return rows if len(errors) > 1 else rows[:1]


def _pairs(field: Field) -> list[tuple[Cell, ...]]:
    return [
        (
            field.measure.title,
            field.teams[i],
            field.teams[j],
            float(field.scores[i] - field.scores[j]),
            *_cells(error, field),
        )
        for (i, j), error in zip(field.pairs, _errors(field), strict=True)
    ]


def _errors(field: Field) -> list[float]:
    errors = standard_errors(field.resampled())
    return [float(errors[pair]) for pair in field.pairs]


def _cells(error: float, field: Field) -> tuple[Cell, ...]:
    """Return what follows from a standard error; dashes where it is undefined or 0."""
    if np.isnan(error):
        return (None,) * (4 + len(GAPS))
    if error == 0:
        return (error, *(None,) * (3 + len(GAPS)))
    return (
        error,
        half_width(error),
        detectable(error),
        detectable(error, alpha=ALPHA / len(field.pairs)),
        *(claims_needed(error, field.claims, gap) for gap in GAPS),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables for some submissions, by default the sample systems."""
    parser = argparse.ArgumentParser(prog="python -m organiser.analysis.inference.power")
    for name in ("submissions", "reference", "input"):
        parser.add_argument(f"--{name}", default="")
    given = parser.parse_args(arguments)
    data = edition()
    reference = Path(given.reference) if given.reference else data.reference_data
    inputs = inputs_folder(given.input, given.reference, data)
    try:
        with submissions_folder(given.submissions, data) as folder:
            found = section(load(folder, reference, inputs).evaluation)
    except (OrganiserError, GoldError, OSError) as error:
        print(f"No tables: {error}", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"No tables: {UNFORESEEN} ({error}).", file=sys.stderr)
        return 2
    print("\n\n".join([*found.prose, *(plain_text(part) for part in found.parts)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
