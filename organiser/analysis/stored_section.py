"""A section kept as a file, so that a report can hold what another command worked out."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from climatecheck.tables import Json
from organiser.analysis.systems import Evaluation
from organiser.editions import OrganiserError
from organiser.reporting.parts import Column, Section, Table


def basis(evaluation: Evaluation) -> dict[str, str]:
    """Return hashes of what figures on task 1 rest on: the gold, and each team's submission."""
    runs = {f"team {s.team}": s.submission.digest for s in evaluation.entered("1.1")}
    return {"gold": evaluation.gold.digest, **runs}


def to_json(section: Section, rests_on: Mapping[str, str]) -> bytes:
    """Return a section of tables as JSON.

    Args:
        section: may hold tables only.
        rests_on: what ``read`` compares with.
    """
    content = {"rests_on": dict(rests_on), "section": asdict(section)}
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def read(path: Path, rests_on: Mapping[str, str]) -> Section:
    """Read a section.

    Raises:
        OrganiserError: there is none, or it rests on another gold or on other submissions.
    """
    try:
        content: Json = json.loads(path.read_text("utf-8"))
        made = _section(content["section"])
        basis_of: dict[str, str] = content["rests_on"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OrganiserError(f"{path} cannot be read as a section of a report.") from error
    other = sorted(k for k in {*basis_of, *rests_on} if basis_of.get(k) != rests_on.get(k))
    if other:
        listed = ", ".join(other[:5])
        raise OrganiserError(f"{path} rests on other data than this report ({listed}).")
    return made


def _section(content: Json) -> Section:
    return Section(content["title"], tuple(content["prose"]), tuple(map(_table, content["parts"])))


def _table(content: Json) -> Table:
    return Table(
        content["name"],
        content["title"],
        tuple(Column(**column) for column in content["columns"]),
        tuple(
            tuple(tuple(cell) if isinstance(cell, list) else cell for cell in row)
            for row in content["rows"]
        ),
        tuple(content["notes"]),
    )
