"""Who is really ahead of whom: all pairs tested, ranks with intervals, groups of equals."""

from typing import TYPE_CHECKING

import numpy as np

from climatecheck.tables import Floats
from organiser.analysis.inference.measures import Field, fields
from organiser.analysis.inference.randomisation import DRAWS, all_pairs, pairwise
from organiser.analysis.inference.ranks import groups, letters, rank_intervals, ranks
from organiser.analysis.systems import Evaluation
from organiser.reporting.drawing import shown as fitting
from organiser.reporting.parts import Column, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALPHA = 0.05
"""The chance of any false statement on one score where all systems' answers are exchangeable."""

_TAILS = [2.5, 97.5]


def section(evaluation: Evaluation, *, draws: int = DRAWS) -> Section:
    """Return the section: for each official score a table of ranks, one of pairs, and a figure.

    A score that fewer than two systems entered is left out.
    """
    parts: list[Table | Picture] = []
    for field in fields(evaluation):
        p, corrected = p_values(field, draws=draws)
        parts += [
            _rank_table(field, corrected),
            _rank_picture(field, corrected),
            _pair_table(field, p, corrected),
        ]
    return Section("Who is ahead of whom", _PROSE if parts else _NONE, tuple(parts))


def p_values(field: Field, *, draws: int = DRAWS) -> tuple[Floats, Floats]:
    """Return (systems, systems) p-values, uncorrected and corrected over all pairs.

    The two come from different draws and statistics; a corrected one is never shown below the
    uncorrected one.
    """
    value = field.measure.value
    p = pairwise(field.features, value, draws=draws)
    return p, np.maximum(p, all_pairs(field.features, value, draws=draws))


_PROSE = (
    "Each pair of systems is compared by a randomisation test: whole claims are swapped between "
    "the two and the score is computed anew (Yeh 2000), two-sided, p = (b + 1) / (m + 1).",
    "The corrected p-value guards all pairs of a score at once, by the greatest statistic over all "
    "pairs when each claim's answers are dealt anew to all systems (Carterette 2012). If each "
    "claim's answers could as well have come from any other system, the chance of any false "
    f"statement is at most {100 * ALPHA:g} % for a score; the three scores are not corrected for "
    "each other.",
    "Systems are told apart where the corrected p-value is at most "
    f"{ALPHA:g}. The rank interval follows from these decisions: at best one more than the systems "
    "that are told apart above it, at worst the number of systems less those told apart below it. "
    "Systems that share a letter are not told apart, which does not mean that they are equal. A "
    "gap can be told where a wider one cannot, as systems that answer alike are compared more "
    "sharply.",
)
_NONE = ("Fewer than two systems entered any one task, so there is no pair to compare.",)
_HOLD = (
    f"All rank intervals of a score are meant to hold at once with {100 * (1 - ALPHA):g} % "
    "confidence. That is proved only where the systems' answers are exchangeable; where some "
    "systems differ, simulations came close to it, but cases can be made in which intervals fail "
    "far more often."
)
_INTERVAL = (
    "Below each difference its 95 % interval: a percentile bootstrap over claims, both systems on "
    "the same claims, of that difference alone."
)


def _rank_table(field: Field, corrected: Floats) -> Table:
    intervals = rank_intervals(_ahead(field, corrected))
    shown = letters(len(field), groups(corrected <= ALPHA))
    rows = zip(field.teams, field.scores, ranks(field.scores), intervals, shown, strict=True)
    return Table(
        f"ranks_{field.measure.column}",
        f"{field.measure.title}: ranks and what they are worth",
        (
            Column("System"),
            Column("Score"),
            Column("Rank"),
            Column("Rank interval", 0, interval=True),
            Column("Not told apart"),
        ),
        tuple(
            (team, float(score), int(rank), (int(interval[0]), int(interval[1])), letter)
            for team, score, rank, interval, letter in rows
        ),
        (_HOLD,),
    )


def _pair_table(field: Field, p: Floats, corrected: Floats) -> Table:
    drawn = field.resampled()
    rows = []
    for i, j in field.pairs:
        rows.append(
            (
                field.teams[i],
                field.teams[j],
                float(field.scores[i] - field.scores[j]),
                difference_interval(drawn[:, i] - drawn[:, j]),
                float(p[i, j]),
                float(corrected[i, j]),
                "yes" if corrected[i, j] <= ALPHA else "no",
            )
        )
    return Table(
        f"pairs_{field.measure.column}",
        f"{field.measure.title}: all pairs of systems",
        (
            Column("Ahead"),
            Column("Behind"),
            Column("Difference"),
            Column("", name="interval", interval=True),
            Column("p", 4),
            Column("Corrected p", 4),
            Column("Told apart"),
        ),
        tuple(rows),
        (_INTERVAL, *_left_out(drawn)),
    )


def difference_interval(drawn: Floats) -> tuple[float, float] | None:
    """Return the percentile interval of bootstrap differences, those that are NaN left out.

    Returns:
        None where none is defined.

    >>> difference_interval(np.array([0.25, np.nan, 0.25]))
    (0.25, 0.25)
    """
    defined = drawn[~np.isnan(drawn)]
    if not len(defined):
        return None
    low, high = np.percentile(defined, _TAILS)
    return float(low), float(high)


def _left_out(drawn: Floats) -> tuple[str, ...]:
    """Return a note on the resamples that leave no claim to score; none if there is none."""
    undefined = int(np.isnan(drawn).any(axis=1).sum())
    if not undefined:
        return ()
    return (
        f"{undefined:,} of {len(drawn):,} resamples draw no claim with an evidentiary abstract, so "
        "few such claims are there. They are left out; a dash, where no resample is left.",
    )


def _rank_picture(field: Field, corrected: Floats) -> Picture:
    intervals = rank_intervals(_ahead(field, corrected))
    listed = "; ".join(
        f"{team}: {best} to {worst}"
        for team, (best, worst) in zip(field.teams, intervals, strict=True)
    )

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        place = np.arange(len(field))
        axes.hlines(place, intervals[:, 0], intervals[:, 1], linewidth=5, alpha=0.35)
        axes.plot(ranks(field.scores), place, "o", markersize=7)
        axes.set_yticks(place, fitting(field.teams))
        axes.invert_yaxis()
        axes.set_xticks(1 + place)
        axes.set_xlabel("Rank")

    return Picture(
        f"ranks_{field.measure.column}_figure",
        f"{field.measure.title}: rank (dot) and rank interval (line)",
        f"Rank interval of each system: {listed}.",
        draw,
        (6.4, 1.2 + 0.28 * len(field)),
    )


def _ahead(field: Field, corrected: Floats) -> "np.typing.NDArray[np.bool_]":
    return (corrected <= ALPHA) & (field.scores[:, None] > field.scores[None, :])
