"""``predictions.zip`` as the site takes it, from rankings, labels and narratives."""

import csv
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from climatecheck import edition
from climatecheck.running import write_atomically

ZIP_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Retrieved:
    """A row of task 1.

    Attributes:
        claim: claim id.
        abstract: abstract id.
        label: one of ``edition.LABELS``; None enters task 1.1 alone.
    """

    claim: str
    abstract: int
    label: str | None = None


def write_predictions(
    path: Path, retrieved: Sequence[Retrieved] = (), narratives: Mapping[str, str] | None = None
) -> None:
    """Write a zip that holds ``predictions.csv``; the same input gives the same bytes.

    Args:
        path: of the zip.
        retrieved: the rows of task 1, a claim's best abstract first; none leaves task 1 out.
        narratives: codes joined by ``;`` of each claim; None leaves task 2 out.

    Raises:
        ValueError: if only some rows have a label, or there is nothing to write.
    """
    unlabelled = sum(row.label is None for row in retrieved)
    if 0 < unlabelled < len(retrieved):
        raise ValueError(f"{unlabelled} of {len(retrieved)} rows lack a label")
    if not retrieved and not narratives:
        raise ValueError("there is nothing to hand in")
    with_labels = bool(retrieved) and not unlabelled
    columns = ["claim_id"]
    columns += ["abstract_id", "rank"] if retrieved else []
    columns += ["label"] if with_labels else []
    columns += ["narrative"] if narratives else []
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(_rows(retrieved, narratives or {}))
    write_atomically(path, zipped(text.getvalue()))


def check_depth(per_claim: int) -> None:
    """See that a file with so many abstracts a claim is accepted.

    Raises:
        ValueError: it is not.
    """
    if not 1 <= per_claim <= edition.ROWS_PER_CLAIM:
        raise ValueError(
            f"a claim gets from 1 to {edition.ROWS_PER_CLAIM} abstracts, not {per_claim}"
        )


def _rows(
    retrieved: Sequence[Retrieved], narratives: Mapping[str, str]
) -> list[dict[str, str | int]]:
    rows: list[dict[str, str | int]] = []
    ranks: dict[str, int] = {}
    for row in retrieved:
        ranks[row.claim] = ranks.get(row.claim, 0) + 1
        rows.append(
            {
                "claim_id": row.claim,
                "abstract_id": row.abstract,
                "rank": ranks[row.claim],
                "label": row.label or "",
                "narrative": narratives.get(row.claim, ""),
            }
        )
    alone = [claim for claim in narratives if claim not in ranks]
    return rows + [{"claim_id": claim, "narrative": narratives[claim]} for claim in alone]


def zipped(text: str) -> bytes:
    """Return a zip that holds ``predictions.csv`` with this text; the same text, the same bytes."""
    entry = zipfile.ZipInfo(edition.PREDICTIONS_FILE, ZIP_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # whatever the system, so that the bytes are the same
    entry.external_attr = 0o644 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(entry, text)
    return buffer.getvalue()
