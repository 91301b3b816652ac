"""The few shapes of HTML that the page is made of. Text is escaped here and nowhere else."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from climatecheck.results.style import STYLE

NOTHING = "\N{EN DASH}"


@dataclass(frozen=True)
class Cell:
    """A cell whose content is HTML already.

    Attributes:
        html: the content.
        kind: classes of the style sheet.
        style: properties of this cell alone.
    """

    html: str
    kind: str = "number"
    style: str = ""


@dataclass(frozen=True)
class Below:
    """The head of a row that is a part of the row above it."""

    text: str

    def __str__(self) -> str:
        return self.text


def document(title: str, parts: Iterable[str]) -> str:
    """Return a whole page."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + _joined(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def section(title: str, *parts: str) -> str:
    """Return a section with a heading; nothing if it would be empty."""
    name = _id(title)
    body = _joined(parts)
    head = f'<section aria-labelledby="{name}">\n<h2 id="{name}">{escape(title)}</h2>'
    return f"{head}\n{body}\n</section>" if body else ""


def part(title: str, *parts: str) -> str:
    """Return a part of a section, with a heading of its own; nothing if it would be empty."""
    body = _joined(parts)
    return f"<h3>{escape(title)}</h3>\n{body}" if body else ""


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph; ``kind`` is a class of the style sheet."""
    attribute = f' class="{kind}"' if kind else ""
    return f"<p{attribute}>{escape(text)}</p>" if text else ""


def listed(items: Iterable[str]) -> str:
    """Return a list; each item is text."""
    rows = "\n".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<ul>\n{rows}\n</ul>" if rows else ""


def explained(terms: Iterable[tuple[str, str]]) -> str:
    """Return a list of terms, each with its explanation."""
    rows = "\n".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in terms)
    return f"<dl>\n{rows}\n</dl>" if rows else ""


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table whose first column heads its rows; numbers are set to the right.

    A cell is text, a number (an integer, or a value that gets three decimals), or a ``Cell``.
    """
    lines = [[_made(cell) for cell in row] for row in rows]
    sample = lines[0] if lines else [_made(cell) for cell in header]
    head = "".join(_heading(text, below) for text, below in zip(header, sample, strict=True))
    body = "\n".join(_row(*line) for line in lines)
    name = _id(caption)
    return (
        f'<div class="scroll" role="group" aria-labelledby="{name}" tabindex="0"><table>\n'
        f'<caption id="{name}">{escape(caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def share(value: float, remark: str = "") -> Cell:
    """Return a cell of a share in whole percent, with a bar, and a remark in small print."""
    percent = min(round(100 * value), 100)
    made = beside(Cell(f"{percent}\u00a0%"), remark)
    return Cell(made.html, "number bar", f"--share: {percent}%")


def rounded(number: int) -> Cell:
    """Return a cell of a number that ``privacy.about`` has rounded."""
    return Cell(f"about\u00a0{number:,}")


def beside(value: object, remark: str) -> Cell:
    """Return a cell of a value with a remark in small print."""
    made = _made(value)
    return Cell(f"{made.html}<small>{escape(remark)}</small>", made.kind) if remark else made


def span(low: float, high: float, value: float, most: float) -> Cell:
    """Return a cell of an interval, with a picture of it on the scale from 0 to ``most``.

    Two decimals: the third is within the error of the resamples.
    """
    x = [f"{100 * round(place, 2) / most:.1f}" for place in (low, high, value)]
    return Cell(
        f"{low:.2f}\N{EN DASH}{high:.2f}"
        '<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        '<path class="scale" d="M0 4H100M0 1V7M100 1V7"/>'
        f'<path class="span" d="M{x[0]} 4H{x[1]}"/>'
        f'<ellipse class="point" cx="{x[2]}" cy="4" rx="2.2" ry="3"/></svg>'
    )


def _made(value: object) -> Cell:
    if isinstance(value, Cell):
        return value
    if isinstance(value, float):
        return Cell(f"{value:.3f}")
    if isinstance(value, int):
        return Cell(f"{value:,}")
    kind = "number" if value == NOTHING else "below" if isinstance(value, Below) else ""
    return Cell(escape(str(value)).replace("/", "/<wbr>"), kind)


def _row(first: Cell, *others: Cell) -> str:
    kind = ' class="below"' if first.kind == "below" else ""
    cells = "".join(map(_cell, others))
    return f'<tr{kind}><th scope="row">{first.html}</th>{cells}</tr>'


def _cell(cell: Cell) -> str:
    kind = f' class="{cell.kind}"' if cell.kind else ""
    style = f' style="{cell.style}"' if cell.style else ""
    return f"<td{kind}{style}>{cell.html}</td>"


def _heading(text: str, below: Cell) -> str:
    kind = ' class="number"' if "number" in below.kind else ""
    return f'<th scope="col"{kind}>{escape(text)}</th>'


def _id(text: str) -> str:
    """Return a name for a heading or caption, which are all different on the page.

    >>> _id("Task 1.2: labels")
    'task-1-2-labels'
    """
    return "-".join(re.findall(r"[a-z0-9]+", text.casefold()))


def _joined(parts: Iterable[str]) -> str:
    return "\n".join(text for text in parts if text)
