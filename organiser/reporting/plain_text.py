"""A part of a report as lines of text, for the terminal."""

from organiser.reporting.cell_text import is_empty, shown_columns, text_of
from organiser.reporting.parts import Picture, Table


def plain_text(part: Table | Picture) -> str:
    """Return a table as lines of text, its columns aligned; of a picture, its description."""
    if isinstance(part, Picture):
        return part.described
    shown = shown_columns(part)
    cells = [[part.columns[place].title for place, _ in shown]]
    for row in part.rows:
        cells.append(
            [
                " ".join(
                    text_of(row[at], part.columns[at].precision)
                    for at in (place, below)
                    if at == place or (at is not None and not is_empty(row[at]))
                )
                for place, below in shown
            ]
        )
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
    return "\n".join([f"{part.title}\n", *lines, *(f"\n{note}" for note in part.notes)])
