"""Uploads whose results pages are looked at: an ordinary one, and those with much to be said of."""

import csv
import io
import zipfile
from collections.abc import Callable
from functools import partial

from climatecheck import edition as settings
from organiser.editions import edition
from organiser.samples import sample
from organiser.zips import zipped

HOSTILE = "<script>console.error(1)</script><img src=https://example.org/x.png>" + "x" * 300


def upload(name: str) -> bytes:
    """Return a sample of the kit."""
    return sample(f"upload/{name}.zip", edition())


def warned() -> bytes:
    """Accepted with much to say: tabs, another column, and cells in other forms."""
    head, *rows = _rows()
    for row in rows:
        row[1:4] = f"{row[1]}.0", str(int(row[2]) - 1), row[3].lower()
        row.append("0.5")
    return _zipped([[*map(str.upper, head), "score"], *rows[: len(rows) // 2]], "\t")


def refused() -> bytes:
    """Refused for much at once, some of it hostile to the page."""
    head, *rows = _rows()
    rows[1] = list(rows[0])
    rows[5][0] = rows[6][1] = rows[8][3] = HOSTILE
    rows[7][2], rows[9][3], rows[10][4] = "first", "Supported", "7_9"
    return _zipped([[*head, HOSTILE], *([*row, ""] for row in rows)], ",")


def _rows() -> list[list[str]]:
    with zipfile.ZipFile(io.BytesIO(upload("both"))) as archive:
        return list(csv.reader(archive.read(settings.PREDICTIONS_FILE).decode().splitlines()))


def _zipped(rows: list[list[str]], delimiter: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return zipped({settings.PREDICTIONS_FILE: text.getvalue().encode()})


UPLOADS: dict[str, Callable[[], bytes]] = {
    "good": partial(upload, "both"),
    "retrieval-only": partial(upload, "retrieval_only"),
    "task2-only": partial(upload, "task2"),
    "warned": warned,
    "refused": refused,
    "blind": partial(upload, "both"),
}
"""The uploads by name; the last goes to a blind board."""
