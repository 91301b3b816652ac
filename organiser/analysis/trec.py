"""Files for people who use trec_eval: ``qrels`` of the gold and a run of each system.

Evidentiary is relevance 1, judged non-relevant 0. Scores fall with the rank, so trec_eval sees the
system's order. Its Bpref divides by min(R, N) and is not the shared task's.
"""

from urllib.parse import quote

import numpy as np

from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import Claims, Gold
from organiser.analysis.systems import Evaluation, System
from organiser.reporting.files import distinct_stems
from organiser.reporting.parts import Column, Table
from organiser.reporting.render_tables import csv_text

WHOSE = "runs.csv"
_SAFE = "/:@!$&'()*+,;=?#[]{}|^"


def files(evaluation: Evaluation) -> dict[str, bytes]:
    """Return ``qrels.txt``, a ``.run`` for each system of task 1.1, and whose each run is."""
    systems = evaluation.entered("1.1")
    made = {"qrels.txt": qrels(evaluation.gold), WHOSE: _whose(systems)}
    return made | runs(systems)


def runs(systems: tuple[System, ...]) -> dict[str, bytes]:
    """Return a ``.run`` file for each system, named by its team."""
    stems = _stems(systems)
    return {
        f"{stem}.run": run(system, tag=stem) for stem, system in zip(stems, systems, strict=True)
    }


def _whose(systems: tuple[System, ...]) -> bytes:
    rows = tuple(
        (f"{stem}.run", system.team, system.file)
        for stem, system in zip(_stems(systems), systems, strict=True)
    )
    columns = (Column("Run"), Column("Team"), Column("Upload"))
    return csv_text(Table("runs", "Whose each run is", columns, rows)).encode()


def _stems(systems: tuple[System, ...]) -> list[str]:
    return distinct_stems([system.team for system in systems])


def qrels(gold: Gold) -> bytes:
    """Return the judgements: ``claim 0 abstract relevance``, a line a judged pair."""
    topics = _topics(gold.claims)
    relevant = is_evidentiary(gold.label).astype(int)
    rows = zip(gold.claim.tolist(), gold.abstract.tolist(), relevant.tolist(), strict=True)
    return "".join(
        f"{topics[claim]} 0 {abstract} {rel}\n" for claim, abstract, rel in rows
    ).encode()


def run(system: System, *, tag: str) -> bytes:
    """Return a system's run: ``claim Q0 abstract rank score tag``, in order of claim and rank.

    Args:
        system: one that entered task 1.1.
        tag: the run's name; without blanks.

    Raises:
        ValueError: the system has no run.
    """
    task1 = system.submission.task1
    if task1 is None:
        raise ValueError(f"{system.team} has no run")
    topics = _topics(system.submission.claims)
    # The score of a claim's last row is 1, so that all scores are positive and distinct.
    score = np.bincount(task1.claim)[task1.claim] - task1.position + 1
    rows = zip(
        task1.claim.tolist(),
        task1.abstract.tolist(),
        task1.position.tolist(),
        score.tolist(),
        strict=True,
    )
    lines = [f"{topics[c]} Q0 {abstract} {rank} {s} {tag}\n" for c, abstract, rank, s in rows]
    return "".join(lines).encode()


def _topics(claims: Claims) -> list[str]:
    """Return each claim's id as trec_eval can read it: blanks and what is not ASCII as %XX."""
    return [quote(id_, safe=_SAFE) for id_ in claims.ids]
