"""One team's report, to be sent to it: aggregates alone, and no word of any other team.

What may be shown of a single system's answers is decided in one place, the page that the platform
shows a participant; it lies beside the report, and the report adds no figure that could be
subtracted from it.
"""

from climatecheck import edition
from climatecheck.board import Board
from climatecheck.bootstrap import board_intervals
from climatecheck.leaderboard import board_columns
from climatecheck.results import receipt, results_page
from climatecheck.results.evidence import WITHHELD, open_tasks
from organiser.analysis import basis, emissions, trec
from organiser.analysis.official_tables import score_columns, titles
from organiser.analysis.systems import TASKS, Evaluation, System
from organiser.analysis.uploads.loading import Loaded
from organiser.reporting.files import distinct_stems
from organiser.reporting.parts import Cell, Column, Section, Table
from organiser.reporting.render import Chapter, Report

_PAGES = (
    "What is known of the answers beyond these scores (coverage, confusion, narratives, other label"
    " sets) stands on the page that the platform shows, beside this report:"
)


def team_report(loaded: Loaded, team: str) -> Report:
    """Return the report of the one team that was loaded."""
    evaluation = loaded.evaluation
    sheets = [emissions.section(evaluation)] if any(s.fact_sheet for s in _systems(loaded)) else []
    return Report(
        title=f"{edition.TITLE}: report for {team}",
        lead=(evaluation.facts.title,),
        notice=evaluation.facts.notice,
        chapters=(
            Chapter("Results", (_scores(evaluation), *sheets)),
            Chapter(
                "Uploads and basis",
                (basis.refused_section(evaluation.refused), _basis(loaded)),
            ),
        ),
        files={**_runs(evaluation), **_pages(evaluation)},
    )


def _scores(evaluation: Evaluation) -> Section:
    tables = [_table(system, task) for task in TASKS for system in evaluation.entered(task)]
    if not tables:
        return Section("Official scores", ("No valid upload entered any task.",), ())
    names = ", ".join(sorted(_page_names(evaluation)))
    return Section("Official scores", (f"{_PAGES} {names}.",), tuple(tables))


def _table(system: System, task: str) -> Table:
    is_open = task in open_tasks(system.submission)
    intervals = board_intervals(system.scores.counts) if is_open else {}
    rows: list[tuple[Cell, ...]] = [
        (titles()[key], system.scores.board[key], intervals.get(key)) for key in score_columns(task)
    ]
    columns = (
        Column("Score"),
        Column("Value"),
        Column("95 % interval", name="interval", interval=True),
    )
    note = "Percentile bootstrap over the claims." if is_open else WITHHELD
    title = f"Task {task}: {system.file}"
    return Table(f"scores_{task.replace('.', '_')}", title, columns, tuple(rows), (note,))


def _basis(loaded: Loaded) -> Section:
    parts = (basis.uploads(loaded.uploads), basis.settings(), basis.versions(loaded))
    return Section("What this report rests on", (), parts)


def _runs(evaluation: Evaluation) -> dict[str, bytes]:
    """Return the team's own runs for trec_eval; never the qrels, which are the gold."""
    runs = trec.runs(evaluation.entered("1.1"))
    return {f"trec/{name}": content for name, content in runs.items()}


def _pages(evaluation: Evaluation) -> dict[str, bytes]:
    names = _page_names(evaluation)
    return {
        name: _page(system, evaluation).encode()
        for name, system in zip(names, evaluation.systems, strict=True)
    }


def _page_names(evaluation: Evaluation) -> list[str]:
    stems = distinct_stems([f"results of {system.file}" for system in evaluation.systems])
    return [f"{stem}.html" for stem in stems]


def _page(system: System, evaluation: Evaluation) -> str:
    tasks = tuple(dict.fromkeys(task[0] for task in system.scores.tasks))
    return results_page(
        system.submission,
        system.scores,
        board=Board(tasks, board_columns(tasks)),
        facts=evaluation.facts,
        receipt=receipt(
            edition=evaluation.facts.name,
            gold=evaluation.gold.digest,
            submission=system.submission.digest,
        ),
    )


def _systems(loaded: Loaded) -> tuple[System, ...]:
    return loaded.evaluation.systems
