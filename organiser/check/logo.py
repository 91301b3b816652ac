"""Checks of the logo, from its header alone."""

import posixpath
import struct
from collections.abc import Iterator

from organiser.check.bundle import Bundle
from organiser.check.registry import SITE, UNPACKING, Finding, Missing, check

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">8sI4sIIBB")
_COLOURS = {0: "grey", 2: "RGB", 3: "palette", 4: "grey with alpha", 6: "RGBA"}
_WIDEST = 100
_SMALLEST = 100
_HEAVIEST = 2_000_000


def _logo(bundle: Bundle) -> tuple[str, bytes]:
    path = bundle.competition.get("image")
    content = bundle.tree.read(posixpath.normpath(path)) if isinstance(path, str) else None
    if content is None:
        raise Missing("there is no logo to look at")
    return str(path), content


def _header(content: bytes) -> tuple[int, int, int]:
    """Return width, height and colour type of a PNG.

    Raises:
        Missing: it is none.
    """
    if not content.startswith(_SIGNATURE) or len(content) < _HEADER.size:
        raise Missing("the logo is no PNG, see logo-png")
    _, _, kind, width, height, _, colour = _HEADER.unpack(content[: _HEADER.size])
    if kind != b"IHDR" or not width or not height:
        raise Missing("the logo is no PNG, see logo-png")
    return width, height, colour


@check("logo-png", "The logo is a PNG", "error", UNPACKING)
def png(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench makes a small picture of the logo and fails on other kinds, such as SVG."""
    path, content = _logo(bundle)
    try:
        _header(content)
    except Missing:
        yield Finding(path, "is no PNG", "Save it as PNG.")


@check("logo-colours", "The logo is in RGB or RGBA", "error", UNPACKING)
def colours(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench fails on other colour types when it makes the small picture."""
    path, content = _logo(bundle)
    colour = _header(content)[2]
    if _COLOURS.get(colour) not in ("RGB", "RGBA"):
        what = f"has the colour type {_COLOURS.get(colour, colour)}"
        yield Finding(path, what, "Save it in RGB or RGBA.")


@check("logo-shape", "The logo is no ribbon", "error", UNPACKING)
def shape(bundle: Bundle) -> Iterator[Finding]:
    """A picture wider than 100 to 1 has no height left when it is made small; CodaBench fails."""
    path, content = _logo(bundle)
    width, height, _ = _header(content)
    if width > _WIDEST * height:
        yield Finding(path, f"is {width} by {height}", "Make it about square.")


@check("logo-size", "The logo is neither tiny nor huge", "advice", SITE)
def size(bundle: Bundle) -> Iterator[Finding]:
    """It is blurred, or the first page of the competition loads slowly."""
    path, content = _logo(bundle)
    width, height, _ = _header(content)
    if min(width, height) < _SMALLEST or len(content) > _HEAVIEST:
        what = f"is {width} by {height} and {len(content):,} bytes"
        yield Finding(path, what, "Make it about 600 by 600.")
