"""What the report rests on: versions and hashes, data, settings, uploads, and what was refused."""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from climatecheck import edition
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.problems import verdict
from climatecheck.results import receipt
from climatecheck.tables import Gold
from organiser.analysis.systems import Refused
from organiser.analysis.uploads.loading import Loaded
from organiser.analysis.uploads.picking import Read
from organiser.reporting.parts import Cell, Column, Section, Table

_LIBRARIES = ("numpy", "scipy", "matplotlib", "Jinja2")


def section(loaded: Loaded) -> Section:
    """Return the section of all that the figures depend on."""
    parts = [uploads(loaded.uploads), data(loaded.evaluation.gold), settings(), versions(loaded)]
    prose = (
        "The same uploads, claims, gold and versions give the same report, byte for byte.",
        *_phases(loaded.uploads),
    )
    return Section("What this report rests on", prose, tuple(parts))


def refused_section(refused: Sequence[Refused]) -> Section:
    """Return the section of what was uploaded and not scored, with every problem."""
    title = "Refused submissions"
    if not refused:
        return Section(title, ("Every upload was valid.",), ())
    rows = [
        (item.team or None, item.file, _severity(problem.is_error), problem.message)
        for item in refused
        for problem in item.problems
    ]
    table = Table(
        "refused",
        "Uploads that were not scored, and why",
        _columns("Team", "Upload", "Severity", "Problem"),
        tuple(rows),
    )
    prose = (
        "A file in which one thing is wrong is not scored in part. All that was found is listed."
    )
    return Section(title, (prose,), (table,))


def uploads(read: Sequence[tuple[str, Read]]) -> Table:
    """Return the valid uploads, and the tasks in which each stands for its team."""
    rows: list[tuple[Cell, ...]] = [
        (
            team,
            item.upload.file,
            ", ".join(item.submission.tasks),
            ", ".join(item.stands_for) or None,
            verdict(item.submission.problems),
            item.submission.digest,
        )
        for team, item in read
    ]
    columns = ("Team", "Upload", "Tasks entered", "Stands for the team in", "Verdict", "Hash")
    return Table(
        "uploads",
        "Valid uploads",
        _columns(*columns),
        tuple(rows),
        ("A dash: another upload of the team stands for it, and this one appears nowhere else.",),
    )


def data(gold: Gold) -> Table:
    """Return the numbers of claims and judgements."""
    evidentiary = is_evidentiary(gold.label)
    rows: list[tuple[Cell, ...]] = [
        ("Claims", len(gold.claims)),
        ("Claims with two texts under one id", len(gold.claims.twice)),
        ("Claims with a judged abstract", len(np.unique(gold.claim))),
        ("Claims with an evidentiary abstract", len(np.unique(gold.claim[evidentiary]))),
        ("Claims with narratives in the gold", len(gold.narratives)),
        ("Judged claim-abstract pairs", len(gold.label)),
    ]
    rows += [
        (f"Pairs labelled {label}", int((gold.label == place).sum()))
        for place, label in enumerate(edition.LABELS)
    ]
    return Table("data", "Claims and judgements", _columns("What", "Number"), tuple(rows))


def settings() -> Table:
    """Return how deep each measure looks."""
    cutoffs = " and ".join(map(str, edition.RECALL_CUTOFFS))
    rows: tuple[tuple[Cell, ...], ...] = (
        ("Recall", f"each claim's first {cutoffs} rows"),
        ("Bpref", f"each claim's first {edition.BPREF_DEPTH} rows"),
        ("Verification", f"each claim's first {edition.VERIFICATION_DEPTH} rows"),
        ("Claims of task 1.1", "those with an evidentiary abstract; one left out counts 0"),
        ("Claims of task 2", "those with gold; one left out counts as none predicted"),
    )
    return Table("settings", "How deep each measure looks", _columns("Measure", "Over"), rows)


def versions(loaded: Loaded) -> Table:
    """Return versions and hashes."""
    evaluation = loaded.evaluation
    of = receipt(edition=evaluation.facts.name, gold=evaluation.gold.digest, submission="")
    rows: list[tuple[Cell, ...]] = [
        ("Edition", of.edition or "unnamed"),
        ("Hash of the gold", of.gold),
        ("Hash of the scorer", of.scorer),
        ("climatecheck", of.climatecheck),
        ("Python", of.python),
        *((name, _version(name)) for name in _LIBRARIES),
    ]
    return Table("receipt", "Receipt", _columns("What", "Which"), tuple(rows))


def _phases(read: Sequence[tuple[str, Read]]) -> tuple[str, ...]:
    phases = sorted({item.upload.phase for _, item in read if item.upload.phase})
    if len(phases) < 2:
        return ()
    return (
        f"The uploads are of {len(phases)} phases (ids {', '.join(phases)}), which are not told"
        " apart; keep the files of one phase if that is not meant.",
    )


def _severity(is_error: bool) -> str:
    return "error" if is_error else "warning"


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"


def _columns(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name) for name in names)
