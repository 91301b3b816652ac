"""Draw logo.png: a lens over warming stripes, and a check mark.

    python -m organiser.draw_logo [FILE]

The stripes go from cold to warm and show no measured data.
"""

import sys
from pathlib import Path

from PIL import Image, ImageDraw

SIZE = 600
SCALE = 4  # drawn larger and scaled down, so that edges are smooth
INK = (16, 42, 67, 255)
WHITE = (255, 255, 255, 255)
STRIPES = ("08519c", "3182bd", "6baed6", "9ecae1", "fcbba1", "fb6a4a", "de2d26", "a50f15")

CENTRE = (262, 262)
LENS = 216
RIM = 38
HANDLE = ((420, 420), (546, 546))
HANDLE_WIDTH = 88
CHECK = ((150, 268), (234, 352), (384, 182))
CHECK_WIDTH = 58

Point = tuple[float, float]


def draw() -> Image.Image:
    """Return the logo, 600 by 600 pixels, RGBA, with a transparent ground."""
    side = SIZE * SCALE
    image = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    _line(pen, HANDLE, HANDLE_WIDTH, INK)
    _disc(pen, CENTRE, LENS + RIM, INK)
    image.paste(_stripes(side), mask=_lens_mask(side))
    _line(pen, CHECK, CHECK_WIDTH + 26, INK)
    _line(pen, CHECK, CHECK_WIDTH, WHITE)
    return image.resize((SIZE, SIZE), Image.Resampling.LANCZOS)


def _stripes(side: int) -> Image.Image:
    image = Image.new("RGBA", (side, side))
    pen = ImageDraw.Draw(image)
    left, width = CENTRE[0] - LENS, 2 * LENS / len(STRIPES)
    for number, colour in enumerate(STRIPES):
        start = (left + number * width) * SCALE
        pen.rectangle((start, 0, start + width * SCALE, side), fill=f"#{colour}")
    return image


def _lens_mask(side: int) -> Image.Image:
    mask = Image.new("L", (side, side), 0)
    _disc(ImageDraw.Draw(mask), CENTRE, LENS, 255)
    return mask


def _disc(
    pen: ImageDraw.ImageDraw, centre: Point, radius: float, colour: int | tuple[int, ...]
) -> None:
    x, y, r = (value * SCALE for value in (*centre, radius))
    pen.ellipse((x - r, y - r, x + r, y + r), fill=colour)


def _line(
    pen: ImageDraw.ImageDraw, points: tuple[Point, ...], width: float, colour: tuple[int, ...]
) -> None:
    """Draw a line with round ends and joints."""
    scaled = [(x * SCALE, y * SCALE) for x, y in points]
    pen.line(scaled, fill=colour, width=round(width * SCALE))
    for point in points:
        _disc(pen, point, width / 2, colour)


def main() -> None:
    """Write the logo to the file named on the command line, or to the project's logo.png."""
    default = Path(__file__).resolve().parents[1] / "logo.png"
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    draw().save(path, optimize=True)


if __name__ == "__main__":
    main()
