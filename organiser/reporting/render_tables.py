"""A table as CSV, with all digits, and as LaTeX for ``booktabs``."""

import csv
import io
from collections.abc import Iterator, Sequence

from organiser.reporting.cell_text import (
    best_rows,
    column_name,
    is_empty,
    is_numeric,
    shown_columns,
    text_of,
)
from organiser.reporting.parts import Cell, Table

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LATEX = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",  # the straight one is no character of LaTeX's default encoding
    "\N{MINUS SIGN}": "$-$",
    "–": "--",  # noqa: RUF001
}

_REQUIREMENTS = (
    r"% Needs \usepackage{booktabs}. Text beyond Latin letters (other scripts, emoji) also needs",
    "% LuaLaTeX or XeLaTeX and a font that has it.",
)


def csv_text(table: Table) -> str:
    """Return a table as CSV: full digits, an empty cell for a dash, two columns an interval.

    A text that a spreadsheet would run as a formula gets an apostrophe in front.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    as_interval = [_holds_intervals(table, place) for place in range(len(table.columns))]
    writer.writerow(_header(table, as_interval))
    for row in table.rows:
        writer.writerow(
            value
            for cell, interval in zip(row, as_interval, strict=True)
            for value in _csv_cells(cell, interval)
        )
    return text.getvalue()


def latex_text(table: Table) -> str:
    r"""Return a table as LaTeX: ``booktabs`` rules, the best values bold, notes below."""
    shown = shown_columns(table)
    alignment = "".join("r" if is_numeric(table, place) else "l" for place, _ in shown)
    header = " & ".join(escaped(table.columns[place].title) for place, _ in shown)
    notes = " ".join(escaped(note) for note in table.notes)
    lines = [
        *_REQUIREMENTS,
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(table.title)}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        rf"{header} \\",
        r"\midrule",
        *(rf"{row} \\" for row in _latex_rows(table)),
        r"\bottomrule",
        r"\end{tabular}",
        *([rf"\par\smallskip\footnotesize {notes}"] if notes else []),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    r"""Return a text as LaTeX shows it literally.

    >>> print(escaped("50 % of $x_1\\"))
    50 \% of \$x\_1\textbackslash{}
    """
    return " ".join("".join(_LATEX.get(character, character) for character in text).split())


def _header(table: Table, as_interval: Sequence[bool]) -> list[str]:
    """Return the names of the columns, no two the same."""
    made: list[str] = []
    for column, interval in zip(table.columns, as_interval, strict=True):
        bounds, base, copy = ("_low", "_high") if interval else ("",), column_name(column), 1
        name = base
        while any(f"{name}{bound}" in made for bound in bounds):
            copy += 1
            name = f"{base}_{copy}"
        made += [f"{name}{bound}" for bound in bounds]
    return made


def _latex_rows(table: Table) -> Iterator[str]:
    shown = shown_columns(table)
    best = {place: best_rows(table, place) for place, _ in shown}
    for number, row in enumerate(table.rows):
        cells = []
        for place, below in shown:
            cell = escaped(text_of(row[place], table.columns[place].precision))
            if number in best[place]:
                cell = rf"\textbf{{{cell}}}"
            if below is not None and not is_empty(row[below]):
                beside = escaped(text_of(row[below], table.columns[below].precision))
                cell = rf"{cell} {{\scriptsize {beside}}}"
            # A row that begins with a bracket would be read as an option of the line before.
            cells.append(rf"{{}}{cell}" if cell.startswith(("[", "*")) else cell)
        yield " & ".join(cells)


def _holds_intervals(table: Table, place: int) -> bool:
    column = table.columns[place]
    return column.interval or any(isinstance(row[place], tuple) for row in table.rows)


def _csv_cells(cell: Cell, interval: bool) -> tuple[object, ...]:
    if is_empty(cell):
        return ("", "") if interval else ("",)
    if isinstance(cell, tuple):
        return tuple(repr(float(bound)) for bound in cell)
    if isinstance(cell, str):
        return (f"'{cell}" if cell.startswith(_FORMULA) else cell,)
    return (repr(float(cell)) if isinstance(cell, float) else str(cell),)
