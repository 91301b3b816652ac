"""A report as plain text, for a terminal or a mail."""

from collections.abc import Iterator
from textwrap import wrap

from organiser.reporting.cell_text import is_empty, is_numeric, shown_columns, text_of
from organiser.reporting.parts import Picture, Section, Table
from organiser.reporting.render import Report

_WIDTH = 100


def text(report: Report) -> str:
    """Return everything in a report but the pictures, of which the words are given."""
    lines = [report.title, "=" * len(report.title), ""]
    for sentence in filter(None, (*report.lead, report.notice)):
        lines += [*wrap(sentence, _WIDTH), ""]
    for chapter in report.chapters:
        for section in chapter.sections:
            lines += _section(f"{chapter.title}: {section.title}", section)
    return "\n".join(lines)


def _section(title: str, section: Section) -> Iterator[str]:
    yield from (title, "-" * len(title), "")
    for sentence in section.prose:
        yield from (*wrap(sentence, _WIDTH), "")
    for part in section.parts:
        yield from (_picture(part) if isinstance(part, Picture) else table(part))
        for note in part.notes:
            yield from wrap(note, _WIDTH)
        yield ""


def _picture(picture: Picture) -> Iterator[str]:
    yield from wrap(f"[{picture.name}] {picture.title}. {picture.described}", _WIDTH)


def table(part: Table) -> Iterator[str]:
    """Yield the lines of a table, its columns aligned; intervals stand beside their values."""
    shown = shown_columns(part)
    lines = [[part.columns[place].title for place, _ in shown]]
    for row in part.rows:
        cells = []
        for place, below in shown:
            cell = text_of(row[place], part.columns[place].precision)
            if below is not None and not is_empty(row[below]):
                cell += f" {text_of(row[below], part.columns[below].precision)}"
            cells.append(cell)
        lines.append(cells)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    right = [is_numeric(part, place) for place, _ in shown]
    yield f"{part.title}:"
    for cells in lines:
        yield "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(cells, widths, right, strict=True)
        ).rstrip()
