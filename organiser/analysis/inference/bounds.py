"""What unjudged retrieval can do to a score, and to a rank, over all ways to judge it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from climatecheck import edition
from climatecheck.metrics import bpref, recall
from climatecheck.tables import Booleans, Floats
from organiser.analysis.inference.judging_bounds import ClaimRanges, Range, claim_ranges, mean_range
from organiser.analysis.inference.ranks import rank_intervals, ranks
from organiser.analysis.inference.shared_judging import greatest_lead
from organiser.analysis.inference.unjudged import UNJUDGED, Rankings, rankings
from organiser.analysis.section8 import counts_of
from organiser.analysis.systems import Evaluation, System
from organiser.reporting.drawing import shown
from organiser.reporting.parts import Cell, Column, Interval, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_K = edition.score_cutoff()
_SURELY = 1e-9


@dataclass(frozen=True)
class Leads:
    """What each system's Score1.1 less another's can be, over shared judgements.

    Attributes:
        greatest: (systems, systems) row less column, at most; 0 on the diagonal. At least it is
            the negative of the transposed.
        exact: (systems, systems) whether it can be reached; else the truth is at most that.
    """

    greatest: Floats
    exact: Booleans

    @property
    def surely_ahead(self) -> Booleans:
        """(systems, systems) whether the row is ahead of the column whatever the judgements."""
        ahead: Booleans = self.greatest.T < -_SURELY
        return ahead


def section(evaluation: Evaluation) -> Section:
    """Return the section: a table of systems, one of pairs, and a figure."""
    systems = evaluation.entered("1.1")
    title = "What unjudged retrieval can do to a rank"
    if not systems:
        return Section(title, ("No system entered task 1.1.",), ())
    ranked = rankings([counts_of.judged(system) for system in systems])
    ranges = claim_ranges(ranked)
    means = mean_ranges(ranges, ranked.relevant > 0)
    leads = all_leads(ranked)
    pairs = (_pair_table(systems, leads),) if len(systems) > 1 else ()
    table = _system_table(systems, ranked, means, leads)
    return Section(title, _PROSE, (table, _picture(systems, means.score), *pairs))


def claim_tables(evaluation: Evaluation) -> tuple[Table, ...]:
    """Return, for each measure, a table of the range of each claim and system.

    As many rows as there are claims that judging can change; for files beside the report rather
    than for its page. A claim without evidentiary abstract has a range once it has one.
    """
    systems = evaluation.entered("1.1")
    if not systems:
        return ()
    ranked = rankings([counts_of.judged(system) for system in systems])
    ranges = claim_ranges(ranked)
    named = (("recall", f"Recall@{_K}", ranges.recall), ("bpref", "Bpref", ranges.bpref))
    return tuple(
        _claim_table(f"bounds_claims_{name}", title, range_, evaluation.claims.ids, systems, ranked)
        for name, title, range_ in named
    )


@dataclass(frozen=True)
class MeanRanges:
    """By system, the least and greatest means over claims."""

    recall: list[Interval]
    bpref: list[Interval]
    score: list[Interval]


def mean_ranges(ranges: ClaimRanges, always: Booleans) -> MeanRanges:
    """Return the exact range of each system's mean of each measure; each system by itself."""
    found = (
        [mean_range(least, greatest, always) for least, greatest in zip(*range_, strict=True)]
        for range_ in (ranges.recall, ranges.bpref, ranges.score)
    )
    return MeanRanges(*found)


def all_leads(ranked: Rankings) -> Leads:
    """Return what each system can be ahead of each other, at most, over shared judgements."""
    systems = len(ranked.state)
    greatest, exact = np.zeros((systems, systems)), np.ones((systems, systems), dtype=np.bool_)
    for i in range(systems):
        for j in range(systems):
            if i != j:
                lead, reached = greatest_lead(ranked, i, j)
                greatest[i, j] = mean_range(lead, lead, ranked.relevant > 0)[1]
                exact[i, j] = reached.all()
    return Leads(greatest, exact)


_PROSE = (
    "Systems retrieve abstracts that nobody judged. Each claim's unjudged abstracts that some "
    f"system ranks among its first {edition.depth()} could be judged evidentiary or not, or stay "
    "unjudged; the tables give the least and the greatest scores over all these ways, with the "
    "same judgements for all systems. Abstracts that no system ranks stay unjudged.",
    "A further evidentiary abstract that a system does not rank lowers its Recall, as R grows; "
    "so other systems' retrieval widens its range too. A claim without evidentiary abstract joins "
    "the average as soon as judging finds one.",
    "These are bounds, not likelihoods: the extremes need judgements that favour one system on "
    "every claim. A rank that the bounds leave no choice cannot be changed by judging these "
    "abstracts; the contrary does not make a rank doubtful.",
    "The range of each system and claim stands in files beside this page: "
    "tables/bounds_claims_recall and tables/bounds_claims_bpref, as CSV and LaTeX.",
)


def _system_table(
    systems: tuple[System, ...], ranked: Rankings, means: MeanRanges, leads: Leads
) -> Table:
    scores = np.array([system.scores.board["score_1_1"] for system in systems])
    intervals = rank_intervals(leads.surely_ahead)
    unjudged = np.count_nonzero(ranked.state[..., :_K] == UNJUDGED, axis=-1).mean(axis=-1)
    rows = []
    for i, system in enumerate(systems):
        retrieval = counts_of.retrieval(system)
        rows.append(
            (
                system.team,
                float(unjudged[i]),
                float(recall.recall(retrieval.recall[_K])),
                means.recall[i],
                float(bpref.bpref(retrieval.bpref)),
                means.bpref[i],
                float(scores[i]),
                means.score[i],
                int(ranks(scores)[i]),
                (int(intervals[i, 0]), int(intervals[i, 1])),
            )
        )
    return Table(
        "bounds_systems",
        "Scores of task 1.1 over all ways to judge what is unjudged",
        (
            Column("System"),
            Column(f"Unjudged among {_K}, per claim", 2),
            Column(f"Recall@{_K}"),
            Column("", name="recall_range", interval=True),
            Column("Bpref"),
            Column("", name="bpref_range", interval=True),
            Column("Score1.1"),
            Column("", name="score_range", interval=True),
            Column("Rank"),
            Column("", 0, name="rank_range", interval=True),
        ),
        tuple(rows),
        (
            "Below each value, in brackets, its range. Ranges of scores are exact: each bound is "
            "reached by some way to judge.",
            "Range of a rank: one more than the systems that stay ahead whatever the judgements, "
            "to the number of systems less those that stay behind; pair by pair, so no single way "
            "to judge need reach its ends. Where the range of a pair is an outer bound, the range "
            "of a rank rests on it and may be too wide.",
        ),
    )


def _pair_table(systems: tuple[System, ...], leads: Leads) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for i in range(len(systems)):
        for j in range(i + 1, len(systems)):
            least, greatest = float(-leads.greatest[j, i]), float(leads.greatest[i, j])
            board = [systems[place].scores.board["score_1_1"] for place in (i, j)]
            rows.append(
                (
                    systems[i].team,
                    systems[j].team,
                    board[0] - board[1],
                    (least, greatest),
                    _can_change(least, exact=bool(leads.exact[j, i])),
                    "exact" if leads.exact[i, j] and leads.exact[j, i] else "outer bound",
                )
            )
    columns = (
        Column("Ahead"),
        Column("Behind"),
        Column("Difference"),
        Column("", name="range", interval=True),
        Column("Can change places"),
        Column("The range is"),
    )
    return Table(
        "bounds_pairs",
        "Differences of Score1.1 over all ways to judge, the same for both systems",
        columns,
        tuple(rows),
        (
            "Not excluded: the outer bound lets the lower system pass, and whether some way to "
            "judge does so is not known. Outer bound: on a claim for which both systems rank many "
            "of the same unjudged abstracts, some of these could be judged differently for each; "
            "the true range lies within.",
        ),
    )


def _can_change(least: float, *, exact: bool) -> str:
    """Say whether the lower system can pass, from the least lead that the upper one has."""
    if least >= -_SURELY:
        return "no"
    return "yes" if exact else "not excluded"


def _claim_table(
    name: str,
    title: str,
    range_: Range,
    ids: tuple[str, ...],
    systems: tuple[System, ...],
    ranked: Rankings,
) -> Table:
    least, greatest = range_
    rows: list[tuple[Cell, ...]] = []
    for claim in np.flatnonzero(ranked.pool > 0):
        cells = zip(least[:, claim].tolist(), greatest[:, claim].tolist(), strict=True)
        rows.append((ids[claim], int(ranked.relevant[claim]), int(ranked.pool[claim]), *cells))
    return Table(
        name,
        f"{title} by claim over all ways to judge what is unjudged",
        (
            Column("Claim"),
            Column("Evidentiary"),
            Column("Unjudged in the pool"),
            *(Column(system.team, interval=True) for system in systems),
        ),
        tuple(rows),
        ("Exact. Of a claim without evidentiary abstract, the range once judging finds one.",),
    )


def _picture(systems: tuple[System, ...], intervals: list[Interval]) -> Picture:
    names = [system.team for system in systems]
    scores = [system.scores.board["score_1_1"] for system in systems]
    listed = "; ".join(
        f"{name}: {score:.3f}, from {low:.3f} to {high:.3f}"
        for name, score, (low, high) in zip(names, scores, intervals, strict=True)
    )

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        place = np.arange(len(names))
        axes.hlines(place, *np.array(intervals).T, linewidth=5, alpha=0.35)
        axes.plot(scores, place, "o", markersize=7)
        axes.set_yticks(place, shown(names))
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.set_xlabel("Score1.1")

    return Picture(
        "bounds_systems_figure",
        "Score1.1 (dot) and its range over all ways to judge what is unjudged (line)",
        f"Score1.1 of each system and its range: {listed}.",
        draw,
        (6.4, 1.2 + 0.28 * len(names)),
    )
