"""The report of an evaluation as a whole: which analyses it has, in which order."""

from collections.abc import Callable, Sequence

from climatecheck import edition
from climatecheck.tables import Gold
from organiser.analysis import (
    basis,
    emissions,
    official_tables,
    section8,
    side_by_side,
    trec,
    two_golds,
)
from organiser.analysis.inference import bounds, choices, fragility, power, significance
from organiser.analysis.systems import TASKS, Evaluation
from organiser.analysis.uploads.loading import Loaded
from organiser.reporting.parts import Section
from organiser.reporting.render import Chapter, Report

Analysis = tuple[str, Callable[[], Sequence[Section]]]


def report(
    loaded: Loaded,
    old_gold: Gold | None = None,
    ev2r: Section | None = None,
    *,
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """Return the report of all systems.

    Args:
        loaded: the evaluation and its uploads.
        old_gold: another gold to compare with.
        ev2r: what was found on abstracts that nobody judged.
        say: takes a sentence on each step.
    """
    evaluation = loaded.evaluation
    chapters: dict[str, list[Section]] = {}
    for title, analyses in _chapters(loaded, old_gold, ev2r).items():
        chapters[title] = []
        for what, make in analyses:
            say(what)
            chapters[title] += make()
    return Report(
        title=f"{edition.TITLE}: report on the evaluation",
        lead=(evaluation.facts.title, _counted(evaluation)),
        notice=evaluation.facts.notice,
        chapters=tuple(Chapter(title, tuple(made)) for title, made in chapters.items()),
        files={f"trec/{name}": content for name, content in trec.files(evaluation).items()},
        beside=bounds.claim_tables(evaluation),
    )


def _chapters(
    loaded: Loaded, old_gold: Gold | None, ev2r: Section | None
) -> dict[str, tuple[Analysis, ...]]:
    evaluation = loaded.evaluation
    of_one = {
        "Results": (
            ("Official scores and their intervals", official_tables.section),
            ("Fact sheets", emissions.section),
        ),
        "How sure the ranks are": (
            ("Randomisation tests of all pairs", significance.section),
            ("Claims that decide a rank", fragility.section),
            ("What these claims can tell apart", power.section),
            ("Bounds over unjudged abstracts", bounds.section),
            ("Ranks under other choices", choices.section),
        ),
    }
    return {
        **{
            chapter: tuple((what, _alone(section, evaluation)) for what, section in analyses)
            for chapter, analyses in of_one.items()
        },
        "What the systems do": (
            ("The analyses of the paper's section 8", lambda: section8.sections(evaluation)),
        ),
        "Abstracts that nobody judged": (("Ev2R", lambda: (ev2r or _no_ev2r(),)),),
        "Beside other figures": (
            ("Two golds", lambda: (two_golds.section(evaluation, old_gold),)),
            ("Published figures", lambda: (side_by_side.section(evaluation),)),
        ),
        "Uploads and basis": (
            ("Refused uploads", lambda: (basis.refused_section(evaluation.refused),)),
            ("What it rests on", lambda: (basis.section(loaded),)),
        ),
    }


def _no_ev2r() -> Section:
    how = "Not judged for this report: make ev2r judges them, and EV2R= brings what it found here."
    return Section("Ev2R", (how,), ())


def _alone(
    section: Callable[[Evaluation], Section], evaluation: Evaluation
) -> Callable[[], Sequence[Section]]:
    return lambda: (section(evaluation),)


def _counted(evaluation: Evaluation) -> str:
    teams = len({system.team for system in evaluation.systems})
    entered = ", ".join(f"{len(evaluation.entered(task))} entered task {task}" for task in TASKS)
    refused = len(evaluation.refused)
    return (
        f"{teams} {'team' if teams == 1 else 'teams'} with a valid upload, of which {entered};"
        f" {refused or 'no'} {'upload was' if refused == 1 else 'uploads were'} refused."
    )
