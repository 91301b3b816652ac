"""Task 1.1 beyond the board: Bpref at both depths."""

from climatecheck import edition
from climatecheck.metrics import bpref
from climatecheck.privacy import enough
from climatecheck.results.evidence import depths, right
from climatecheck.results.markup import paragraph, section, table
from climatecheck.scoring import Scores

_DEPTHS = (
    f"The task asks for {edition.ABSTRACTS_ASKED} abstracts a claim; files may hold more."
    f" Bpref@{edition.BPREF_DEPTH}, over a claim's first {edition.BPREF_DEPTH} rows, is the"
    " official one. Within one list the deeper value is never the lower one, so compare systems at"
    " the same depth."
)


def retrieval(scores: Scores, opened: tuple[str, ...]) -> str:
    """Return the section of Bpref at both depths; nothing where it may not be shown."""
    if scores.judged is None or "1.1" not in opened or not enough(right(scores, "1.1")):
        return ""
    at = depths(scores.judged)
    if len(at) == 1:
        return ""
    values = {
        f"Bpref@{depth}": bpref.bpref(bpref.count(scores.judged, depth=depth)) for depth in at
    }
    rows = [(name, float(value)) for name, value in values.items()]
    return section(
        "Task 1.1: depth of the ranking",
        table("Bpref by how many rows of a claim it looks at", ["Measure", "Value"], rows),
        paragraph(_DEPTHS, "soft"),
    )
