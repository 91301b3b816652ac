"""From a report to its files: one page of HTML, and each table and figure in files of its own."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from organiser.reporting.parts import Picture, Section, Table
from organiser.reporting.render_html import page
from organiser.reporting.render_pictures import drawn
from organiser.reporting.render_tables import csv_text, latex_text

PAGE = "report.html"
TABLES, FIGURES = "tables", "figures"


@dataclass(frozen=True)
class Chapter:
    """Sections under one heading."""

    title: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Report:
    """What is rendered.

    Attributes:
        title: of the page.
        lead: sentences below it.
        notice: what the edition says must be shown; empty for none.
        chapters: in their order; those without a section are left out.
        files: more files by their path beside the page.
        beside: tables too long for the page, which have files alone.
    """

    title: str
    lead: tuple[str, ...]
    notice: str
    chapters: tuple[Chapter, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    beside: tuple[Table, ...] = ()


def rendered(report: Report, *, say: Callable[[str], None] = lambda _: None) -> dict[str, bytes]:
    """Return every file of a report by its path; the same report gives the same bytes.

    Args:
        report: what to render.
        say: takes a sentence on each step.

    Raises:
        ValueError: two parts have the same name.
    """
    chapters = [(c.title, c.sections) for c in report.chapters if c.sections]
    parts = [part for _, sections in chapters for section in sections for part in section.parts]
    _refuse_same_names([*parts, *report.beside])
    files = dict(report.files)
    for table in (part for part in (*parts, *report.beside) if isinstance(part, Table)):
        files[f"{TABLES}/{table.name}.csv"] = csv_text(table).encode()
        files[f"{TABLES}/{table.name}.tex"] = latex_text(table).encode()
    pictures = [part for part in parts if isinstance(part, Picture)]
    inline = {}
    for place, picture in enumerate(pictures, start=1):
        say(f"Drawing figure {place} of {len(pictures)}: {picture.name}")
        figure = drawn(picture)
        files[f"{FIGURES}/{picture.name}.svg"] = figure.svg
        files[f"{FIGURES}/{picture.name}.pdf"] = figure.pdf
        inline[picture.name] = figure.inline
    say("Writing the page")
    html = page(report.title, report.lead, report.notice, chapters, inline)
    return {PAGE: html.encode(), **dict(sorted(files.items()))}


def _refuse_same_names(parts: list[Table | Picture]) -> None:
    """Raise if two tables or two figures would be one file; a table and a figure never are."""
    counts = Counter((type(part).__name__, part.name) for part in parts)
    for (kind, name), count in counts.items():
        if count > 1:
            raise ValueError(f"{count} parts of the report are a {kind} named {name}")
