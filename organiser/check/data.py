"""Checks of the claims and the gold."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from climatecheck import edition as settings
from climatecheck import read_claims, read_gold
from climatecheck.gold import GOLD_FILES, GoldError, has_gold
from organiser.check import settings_of
from organiser.check.bundle import DATA, Bundle
from organiser.check.registry import FIELD, RUNNING, Finding, Missing, check
from organiser.editions import without_gold


@check("data-claims", "Both programs find the claims", "error", RUNNING)
def claims(bundle: Bundle) -> Iterator[Finding]:
    """Without a readable claims.csv in input and reference data, every submission fails."""
    for part in bundle.of_role(*DATA):
        where = f"{part.path}: {settings.CLAIMS_FILE}"
        content = part.tree.read(settings.CLAIMS_FILE)
        if content is None:
            yield Finding(where, "is not in the zip", "Build the bundle again with make bundle.")
            continue
        with tempfile.TemporaryDirectory(prefix="check-") as folder:
            path = Path(folder) / settings.CLAIMS_FILE
            path.write_bytes(content)
            try:
                read_claims(path)
            except GoldError as error:
                yield Finding(where, _in_one_line(error), "Mend the file.")


@check("data-same-claims", "Input and reference data hold the same claims", "error", RUNNING)
def same_claims(bundle: Bundle) -> Iterator[Finding]:
    """What ingestion accepts, scoring would refuse for an unknown claim."""
    contents = [bundle.file_of(role, settings.CLAIMS_FILE) for role in DATA]
    if contents[0] != contents[1]:
        where = " and ".join(part.path for part in bundle.of_role(*DATA))
        what = f"their {settings.CLAIMS_FILE} differ"
        yield Finding(where, what, "Build the bundle again with make bundle.")


@check("data-gold", "The gold can be read", "error", RUNNING)
def gold(bundle: Bundle) -> Iterator[Finding]:
    """Scoring stops at a fault of the gold; every submission fails."""
    if settings_of.board(bundle).blind:
        raise Missing("the bundle is blind: its gold is not uploaded")
    part, known = bundle.of_role("reference_data")[0], bundle.claims
    tasks = settings_of.board(bundle).tasks
    with tempfile.TemporaryDirectory(prefix="check-") as name:
        folder = Path(name)
        for file in GOLD_FILES.values():
            (folder / file).write_bytes(part.tree.read(file) or b"")
        there = [task for task, file in GOLD_FILES.items() if has_gold(folder / file)]
        lacking = [task for task in tasks if task not in there]
        for task in lacking:
            what = f"there is no gold of task {task}, which the board scores"
            yield Finding(f"{part.path}: {GOLD_FILES[task]}", what, without_gold(task, there))
        if not lacking:
            try:
                read_gold(folder, known, tasks=tasks)
            except GoldError as error:
                yield Finding(part.path, _in_one_line(error), "Mend the file.")


@check("data-real", "The data are those of a real edition", "warning", FIELD)
def real(bundle: Bundle) -> Iterator[Finding]:
    """The sample edition is synthetic; a competition on it measures nothing."""
    content = bundle.file_of("input_data", settings.EDITION_FILE)
    try:
        notice = json.loads(content).get("notice")
    except (ValueError, AttributeError, RecursionError) as error:
        raise Missing(f"{settings.EDITION_FILE} cannot be understood") from error
    if notice:
        what = f"the data say: {str(notice)[:120].partition(':')[0]}"
        mend = "Fine for a rehearsal; build the real one with EDITION=name."
        yield Finding(f"input data: {settings.EDITION_FILE}", what, mend)


def _in_one_line(error: GoldError) -> str:
    return "; ".join(line.lstrip("- ") for line in str(error).splitlines()[1:]) or str(error)
