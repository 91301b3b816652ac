"""Emissions and energy against the score: what teams said in the fact sheet."""

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from organiser.analysis.official_tables import titles
from organiser.analysis.systems import TASKS, Evaluation, System, official_column
from organiser.competition import competition
from organiser.reporting import drawing
from organiser.reporting.parts import Cell, Column, Picture, Section, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CO2E, ENERGY = "co2e_kg", "energy_kwh"
_FACTORS = {
    CO2E: {"": 1.0, "t": 1e3, "kg": 1.0, "g": 1e-3, "mg": 1e-6},
    ENERGY: {"": 1.0, "kwh": 1.0, "wh": 1e-3},
}
_NUMBER = re.compile(r"(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)\s*([a-z]*)(?:\s*co2e?q?)?")
_INCHES_HIGH = 3.0
_NO_EXPORT = "No leaderboard export was given, so nothing is known of emissions and energy."


class _Point(NamedTuple):
    team: str
    emitted: float
    score: float


def section(evaluation: Evaluation) -> Section:
    """Return the section of the fact sheets, with a figure where emissions are known."""
    told = [system for system in evaluation.systems if system.fact_sheet]
    if not told:
        return Section("Emissions and fact sheets", evaluation.sheet_notes or (_NO_EXPORT,), ())
    prose = (
        "What the teams said themselves; it is asked for and never ranked. A number is read only"
        " where it stands alone or with a unit (kg, g; kWh, Wh); all else is shown as written."
    )
    emitted = any(_emitted(system) is not None for system in told)
    pictures = [picture(told)] if emitted else []
    return Section(
        "Emissions and fact sheets", (prose, *evaluation.sheet_notes), (table(told), *pictures)
    )


def amount(text: str, question: str) -> float | None:
    """Return an amount in the question's unit (kg of CO2e, kWh); None if it is unclear.

    >>> amount("0.25", CO2E), amount("120 g", CO2E), amount("1.5e-3 kWh", ENERGY)
    (0.25, 0.12, 0.0015)
    >>> amount("about 3", CO2E), amount("1,200", CO2E), amount("3 kWh", CO2E)
    (None, None, None)
    """
    found = _NUMBER.fullmatch(text.strip().lower())
    factor = _FACTORS[question].get(found[2]) if found else None
    return float(found[1]) * factor if found and factor is not None else None


def table(told: Sequence[System]) -> Table:
    """Return the fact sheets beside the official scores."""
    questions = [(q["key"], q["title"]) for q in competition().get("fact_sheet", {}).values()]
    columns = [Column("Team"), *(Column(titles()[official_column(t)]) for t in TASKS)]
    columns += [Column(title, 4, name=key) for key, title in questions]
    rows = [
        (
            system.team,
            *(_score(system, task) for task in TASKS),
            *(_answer(system, key) for key, _ in questions),
        )
        for system in told
    ]
    return Table(
        "fact_sheets", "Fact sheets beside the official scores", tuple(columns), tuple(rows)
    )


def picture(told: Sequence[System]) -> Picture:
    """Return the scatter of emissions and scores, a panel for each task entered."""
    panels = {task: _points(told, task) for task in TASKS}
    panels = {task: points for task, points in panels.items() if points}
    described = "; ".join(
        f"task {task}: " + ", ".join(f"{p.team} {p.emitted:g} kg and {p.score:.3f}" for p in points)
        for task, points in panels.items()
    )
    return Picture(
        "emissions",
        "Emissions (kg of CO2e, as reported) against the official score",
        f"Scatter plots of reported emissions and official score. {described}.",
        partial(_draw, panels=panels),
        (drawing.WIDTH, _INCHES_HIGH),
    )


def _points(told: Sequence[System], task: str) -> list[_Point]:
    made = [(s.team, _emitted(s), _score(s, task)) for s in told]
    return [
        _Point(team, e, score) for team, e, score in made if e is not None and score is not None
    ]


def _draw(figure: "Figure", panels: dict[str, list[_Point]]) -> None:
    teams = list(dict.fromkeys(point.team for points in panels.values() for point in points))
    all_axes = drawing.panels(figure, len(panels), len(TASKS))
    for axes, (task, points) in zip(all_axes, panels.items(), strict=True):
        for team, emitted, score in points:
            place = teams.index(team)
            mark, colour = drawing.marker(place), drawing.colour(place)
            axes.plot(emitted, score, mark, color=colour, clip_on=False)
        if all(point.emitted > 0 for point in points):
            axes.set_xscale("log")
        axes.set_xlabel("CO2e (kg)")
        axes.set_title(f"Task {task}: {titles()[official_column(task)]}")
        axes.margins(0.12)
        axes.grid(visible=True)
    drawing.legend_below(figure, list(drawing.system_marks(teams)))


def _emitted(system: System) -> float | None:
    return amount(system.fact_sheet.get(CO2E, ""), CO2E)


def _score(system: System, task: str) -> float | None:
    return system.scores.board[official_column(task)] if task in system.scores.tasks else None


def _answer(system: System, key: str) -> Cell:
    text = system.fact_sheet.get(key)
    if text is None or key not in _FACTORS:
        return text
    number = amount(text, key)
    return text if number is None else number
