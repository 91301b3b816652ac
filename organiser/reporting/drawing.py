"""Shapes that several figures share: names, colours, panels, heat maps, a legend.

``STYLE`` must be in force while a figure is made, drawn and saved.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from climatecheck.tables import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE = Path(__file__).with_name("climatecheck.mplstyle")
"""The style file, for ``matplotlib.style.context``."""

WIDTH = 6.4
"""Inches of every figure: the text of a printed page."""

NAME_WIDTH = 24
MARKERS = "osD^vPX<>p"
DASH = "–"  # noqa: RUF001
UNDEFINED = "#eceff1"
_CHARACTERS_PER_INCH = 13  # of capitals, in the size of a legend
_LEGEND_MARK = 5
_COLOURS = 7
_DARK = 0.5


def colour(place: int) -> str:
    """Return the colour of the system at a place, from the cycle of the style."""
    return f"C{place % _COLOURS}"


def marker(place: int) -> str:
    """Return the marker of the system at a place, so that no one needs the colours.

    >>> marker(0), marker(10)
    ('o', 'o')
    """
    return MARKERS[place % len(MARKERS)]


def shown(names: Sequence[str], width: int = NAME_WIDTH) -> list[str]:
    r"""Return names fit for a figure: short, on one line, distinct, never read as a formula.

    >>> shown(["A  team\nof $2", "University in the East", "University in the West"], 12)
    ['A team of \\$2', 'Univers…East', 'Univers…West']
    >>> shown(["University in the East", "Universal in the East"], 12)
    ['Univers…East', 'Universal… 2']
    """
    made: list[str] = []
    for place, name in enumerate(names, start=1):
        line = " ".join(name.split())
        short = _cut(line, width)
        made.append(f"{line[: width - 2 - len(str(place))]}… {place}" if short in made else short)
    # matplotlib leaves labels that begin with an underscore out of a legend
    return [(" " if name.startswith("_") else "") + name.replace("$", r"\$") for name in made]


def balanced(number: int, most: int) -> int:
    """Return how many panels to set in a row, at most so many, so that the rows are alike.

    >>> [balanced(number, 3) for number in (1, 3, 4, 8)]
    [1, 3, 2, 3]
    """
    return -(-number // -(-number // most))


def panels(figure: "Figure", number: int, per_row: int, **options: Any) -> "list[Axes]":
    """Return as many axes as told, in rows; places that are left over stay empty.

    Args:
        figure: the figure.
        number: how many.
        per_row: at most this many beside each other.
        options: of ``Figure.subplots``.
    """
    rows = -(-number // per_row)
    axes = list(figure.subplots(rows, min(per_row, number), squeeze=False, **options).flat)
    for unused in axes[number:]:
        unused.remove()
    return axes[:number]


def heat_map(
    axes: "Axes",
    values: Floats,
    text: Callable[[int, int], str],
    *,
    colours: str = "Blues",
    limits: tuple[float, float] = (0.0, 1.0),
) -> None:
    """Draw cells coloured by value, with a text in each; an undefined one is grey, with a dash.

    Args:
        axes: where to draw; cell (row, column) has its middle at (column + 0.5, row + 0.5).
        values: (rows, columns), NaN where undefined.
        text: what stands in a cell, by row and column.
        colours: name of a colour map.
        limits: the values at the ends of the colour map.
    """
    axes.set_facecolor(UNDEFINED)
    mesh = axes.pcolormesh(
        np.ma.masked_invalid(values),
        cmap=colours,
        vmin=limits[0],
        vmax=limits[1],
        edgecolors="white",
        linewidth=1,
    )
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for row, column in np.ndindex(values.shape):
        value = values[row, column]
        said, ink = (DASH, "black") if np.isnan(value) else (text(row, column), _ink(mesh, value))
        middle = (column + 0.5, row + 0.5)
        axes.text(*middle, said, ha="center", va="center", color=ink, fontsize=7)


def middles(number: int) -> Floats:
    """Return where the ticks of so many cells or bars stand."""
    return np.arange(number, dtype=np.float64) + 0.5


def offsets(number: int, span: float) -> Floats:
    """Return places side by side within a span around 0, for marks that would cover each other.

    >>> offsets(3, 0.6).round(3).tolist(), offsets(1, 0.6).tolist()
    ([-0.2, 0.0, 0.2], [0.0])
    """
    return (middles(number) / number - 0.5) * span


def legend_below(figure: "Figure", handles: Sequence[Any]) -> None:
    """Set a legend under everything else, with as many columns as the longest name allows."""
    longest = max(len(str(handle.get_label())) for handle in handles) + _LEGEND_MARK
    columns = int(figure.get_figwidth() * _CHARACTERS_PER_INCH // longest)
    figure.legend(
        handles=list(handles),
        loc="outside lower center",
        ncols=max(1, min(columns, len(handles))),
    )


def system_marks(names: Sequence[str]) -> Iterator[Any]:
    """Yield for a legend the mark of each system."""
    from matplotlib.lines import Line2D

    for place, name in enumerate(shown(names)):
        yield Line2D(
            [], [], color=colour(place), marker=marker(place), linestyle="none", label=name
        )


def _cut(text: str, width: int) -> str:
    """Return a text without its middle: names that begin alike mostly end unlike."""
    tail = width // 3
    return text if len(text) <= width else f"{text[: width - 1 - tail].rstrip()}…{text[-tail:]}"


def _ink(mesh: Any, value: float) -> str:
    red, green, blue, _ = mesh.cmap(mesh.norm(value))
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < _DARK else "black"
