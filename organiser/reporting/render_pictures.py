"""A figure as SVG and PDF, the same bytes each time, and as SVG to stand in a page."""

import io
import re
from dataclasses import dataclass
from xml.etree import ElementTree

from organiser.reporting import drawing
from organiser.reporting.parts import Picture

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


@dataclass(frozen=True)
class Drawn:
    """A figure in its forms: the content of an SVG file, of a PDF file, and of an element."""

    svg: bytes
    pdf: bytes
    inline: str


def drawn(picture: Picture) -> Drawn:
    """Return a picture, drawn in the style of all figures."""
    import matplotlib.style
    from matplotlib.figure import Figure

    svg, pdf = io.BytesIO(), io.BytesIO()
    with matplotlib.style.context(drawing.STYLE):
        figure = Figure(figsize=picture.inches)
        picture.draw(figure)
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        without_date = {"CreationDate": None, "Creator": None, "Producer": None}
        figure.savefig(pdf, format="pdf", metadata=without_date)
    return Drawn(svg.getvalue(), pdf.getvalue(), inline(svg.getvalue(), picture))


def inline(svg: bytes, picture: Picture) -> str:
    """Return an SVG file as an element of a page: named for readers, its ids its own."""
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    root = ElementTree.fromstring(svg)
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    for element in root.iter():
        _prefix_ids(element, f"{picture.name}-")
    root.attrib.pop("height", None)
    root.attrib.pop("width", None)
    root.set("role", "img")
    root.set("aria-label", picture.described)
    root.set("style", f"min-width: {picture.inches[0] * 0.85:.2f}in")
    return ElementTree.tostring(root, encoding="unicode")


def _prefix_ids(element: ElementTree.Element, prefix: str) -> None:
    """Prefix the ids and what refers to them, which are alike in all figures of a page."""
    for name, value in element.attrib.items():
        if name == "id":
            element.set(name, prefix + value)
        elif name.endswith("href") and value.startswith("#"):
            element.set(name, f"#{prefix}{value[1:]}")
        elif "url(#" in value:
            element.set(name, _REFERENCE.sub(rf"url(#{prefix}\1)", value))
