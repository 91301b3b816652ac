"""Ev2R as a section of the organiser's report: tables of submissions, of failures, of worth."""

from collections.abc import Sequence

import numpy as np

from organiser.analysis.published import figures, has_real_size
from organiser.analysis.section8.gaps import defined, reasons
from organiser.ev2r.pool import DEPTH
from organiser.ev2r.proxy import EMBEDDED
from organiser.ev2r.results import COMMON, EV2R, HIGH, LOW, MEAN_EV2R, S_VER, Result
from organiser.ev2r.run import Run
from organiser.reporting.parts import Cell, Column, Section, Table

TITLE = "Ev2R: retrieved abstracts that nobody judged"

_PROSE = (
    "Ev2R (overview paper, section 5.2) asks how close an abstract without a gold label comes to"
    " the claim's gold abstracts: the best F1 of atomic facts against one of them (reference part),"
    " and the probability that a classifier gives that abstract's label (proxy part); their mean;"
    " the maximum over a claim's unannotated abstracts; the mean over claims. S_ver does the same"
    " for predicted labels.",
    f"Unannotated abstracts are those without a gold label among a claim's first {DEPTH} rows."
    " Claims with NEI gold alone, and claims in which a submission has no unannotated abstract, are"
    " left out, so submissions are not judged on the same claims.",
)
_NO_RANKING = (
    "The back ends of these tables are approximations, so the tables are no ranking: they show that"
    " the software runs, and where abstracts without a judgement stand. Teams are listed by name."
)
_EMBEDDED = (
    "The embedded classifier must not have learnt from these claims, or its part looks too good.",
)
_JUDGES = ("Part", "Back end", "Prompt", "Parameters", "Recipe", "Pairs", "Failed", "Open")
_FEWEST_CLAIMS = 2
_SINGLE = "No interval is given for a value that rests on a single claim."
_NO_LABELS = "the submission predicts no labels, or nothing is known of any claim."


def section(run: Run) -> Section:
    """Return the section of a run."""
    prose = (*_PROSE, *((_NO_RANKING,) if run.approximation else ()), *_state(run))
    tables = [_official(run), _beside(run)] if run.results else []
    if any(not result.complete for result in run.results):
        tables.append(_incomplete(run))
    if run.results and has_real_size(run.gold):
        tables.append(_published(run.results))
    if run.worth:
        tables.append(_worth(run))
    return Section(TITLE, prose, (*tables, _judges(run)))


def _state(run: Run) -> tuple[str, ...]:
    if not run.results:
        return ("No submission entered task 1.1.",)
    return (*_without_text(run), *_ended(run))


def _without_text(run: Run) -> tuple[str, ...]:
    if not run.without_text:
        return ()
    return (
        f"TEXTS ARE MISSING: {run.without_text:,} of {run.comparisons:,} comparisons of the"
        " unannotated abstracts cannot be made or classified, as the text of an abstract or claim"
        " is not there. They count as failed.",
    )


def _ended(run: Run) -> tuple[str, ...]:
    if run.stopped:
        return (f"The run ended early: {run.stopped}. What is open can be judged by another run.",)
    return () if any(not r.complete for r in run.results) else ("No comparison failed.",)


def _official(run: Run) -> Table:
    columns = (
        Column("Team"),
        Column("Ev2R"),
        Column("", name="ev2r", interval=True),
        Column("S_ver"),
        Column("", name="s_ver", interval=True),
        Column("Claims evaluated", name="claims"),
        Column("Unannotated abstracts a claim", precision=2, name="unannotated_per_claim"),
        Column("Complete"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            result.team,
            *_estimate(result, EV2R),
            *_estimate(result, S_VER),
            result.claims,
            defined(_unannotated(result)),
            "yes" if result.complete else "INCOMPLETE",
        )
        for result in run.results
    ]
    notes = (
        *_label(run),
        "In brackets: 95 % bootstrap intervals over claims.",
        *_single(run, EV2R, S_VER),
        *reasons(rows, _NO_LABELS),
    )
    return Table("ev2r", "Ev2R of each submission", columns, tuple(rows), notes)


def _beside(run: Run) -> Table:
    columns = (
        Column("Team"),
        Column("Ev2R, official (maximum)", name="ev2r"),
        Column("Mean over a claim's abstracts", name="ev2r_mean"),
        Column("", name="ev2r_mean", interval=True),
        Column("Official, on common claims", name="ev2r_common"),
        Column("", name="ev2r_common", interval=True),
        Column("S_ver, on common claims", name="s_ver_common"),
        Column("", name="s_ver_common", interval=True),
        Column("Common claims", name="common_claims"),
    )
    together = np.all([result.evaluated for result in run.results], axis=0)
    common = int(np.count_nonzero(together))
    rows: list[tuple[Cell, ...]] = [
        (
            result.team,
            defined(result.values[EV2R]),
            *_estimate(result, MEAN_EV2R),
            *_estimate(result, EV2R + COMMON),
            *_estimate(result, S_VER + COMMON),
            common,
        )
        for result in run.results
    ]
    notes = (
        *_label(run),
        "A maximum grows with the number of abstracts, so a submission with many unannotated ones"
        " has more chances; the mean does not grow so.",
        "Common claims: those in which every submission has an unannotated abstract.",
        *_single(run, MEAN_EV2R, EV2R + COMMON, S_VER + COMMON),
        *reasons(rows, _NO_LABELS),
    )
    return Table("ev2r_beside", "Beside the official value", columns, tuple(rows), notes)


def _incomplete(run: Run) -> Table:
    names = ("Ev2R", "least", "greatest", "S_ver", "S_ver, least", "S_ver, greatest")
    columns = (
        Column("Team"),
        *(Column(name, name=f"{name} bound" if "st" in name else name) for name in names),
        Column("Incomplete claims"),
        Column("Claims of which nothing is known"),
        Column("Comparisons without an answer"),
    )
    keys = (EV2R, EV2R + LOW, EV2R + HIGH, S_VER, S_VER + LOW, S_VER + HIGH)
    rows: list[tuple[Cell, ...]] = [
        (
            result.team,
            *(defined(result.values[key]) for key in keys),
            int(np.count_nonzero(result.missing)),
            result.unknown_claims,
            int(result.missing.sum()),
        )
        for result in run.results
    ]
    notes = (
        *_label(run),
        "Ev2R and S_ver leave out comparisons that failed or are open; an abstract or claim of"
        " which nothing is known is left out with them.",
        "Least and greatest: each missing F1 taken as 0, as 1, or as anything between, whichever"
        " gives the least and the greatest score. A missing comparison could have been the best"
        " one, so it can change the label that the proxy part asks for as well.",
        "Bounds count the abstracts and claims of which nothing is known, values leave them out: a"
        " value can therefore lie outside its own bounds.",
    )
    return Table("ev2r_incomplete", "Failures and bounds", columns, tuple(rows), notes)


def _published(results: Sequence[Result]) -> Table:
    published = {row["team"].casefold(): row for row in figures()["table4_ev2r"]}
    keys = ("ev2r", "s_ver", "claims", "unannotated_per_claim")
    rows: list[tuple[Cell, ...]] = []
    for result in results:
        there = published.get(result.team.strip().casefold())
        if there is not None:
            here = (
                result.values[EV2R],
                result.values[S_VER],
                result.claims,
                _unannotated(result),
            )
            rows.append(
                (result.team, *(c for k, v in zip(keys, here, strict=True) for c in (there[k], v)))
            )
    titles = ("Ev2R", "S_ver", "Claims", "Unannotated a claim")
    columns = [Column(f"{t}, {where}") for t in titles for where in ("published", "here")]
    notes = (
        "The paper says in section 5.2 that a team's top submission was judged, and in Table 4 its"
        " final one.",
    )
    title = "Beside Table 4 of the paper"
    return Table("ev2r_published", title, (Column("Team"), *columns), tuple(rows), notes)


def _worth(run: Run) -> Table:
    columns = (
        Column("Score"),
        Column("AUC or share", name="value"),
        Column("", name="value", interval=True),
        Column("Abstracts"),
        Column("Claims"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            item.score,
            defined(item.value),
            item.interval if item.claims >= _FEWEST_CLAIMS else None,
            item.abstracts,
            item.claims,
        )
        for item in run.worth
    ]
    notes = (
        *_label(run),
        "Each gold abstract is left out and judged by the others of its claim. AUC: how often an"
        " evidentiary abstract scores higher than an NEI one; .5 is chance. Claims that would keep"
        " NEI gold alone are left out.",
        *((_SINGLE,) if any(item.claims == 1 for item in run.worth) else ()),
        *(_EMBEDDED if run.parts[1].recipe.backend == EMBEDDED else ()),
    )
    return Table("ev2r_worth", "What these back ends are worth", columns, tuple(rows), notes)


def _judges(run: Run) -> Table:
    columns = [Column(name) for name in _JUDGES]
    rows: list[tuple[Cell, ...]] = [
        (
            part.recipe.part,
            part.recipe.title,
            part.recipe.prompt or None,
            ", ".join(f"{name}: {value}" for name, value in sorted(part.recipe.parameters.items())),
            part.recipe.id,
            part.pairs,
            part.failed,
            part.open,
        )
        for part in run.parts
    ]
    notes = (
        "The recipe is a hash of all that decides an answer beside the texts; the prompt's hash is"
        " given where there is one. Pairs that several submissions share are counted once.",
    )
    return Table("ev2r_backends", "What judged", tuple(columns), tuple(rows), notes)


def _label(run: Run) -> tuple[str, ...]:
    parts = "; ".join(f"{part.recipe.part} part: {part.recipe.title}" for part in run.parts)
    return (f"Judged by: {parts}.",)


def _unannotated(result: Result) -> float:
    evaluated = int(result.evaluated.sum())
    return float(result.unannotated.sum() / evaluated) if evaluated else np.nan


def _estimate(result: Result, name: str) -> tuple[Cell, Cell]:
    value = defined(result.values[name])
    return value, None if result.resting_on(name) < _FEWEST_CLAIMS else result.intervals[name]


def _single(run: Run, *names: str) -> tuple[str, ...]:
    single = any(result.resting_on(name) == 1 for result in run.results for name in names)
    return (_SINGLE,) if single else ()
