"""The last look at what an import has made, before it takes its place."""

import tempfile
from pathlib import Path

from baselines.libraries import MissingLibraryError
from climatecheck import edition as settings
from climatecheck import read_claims, read_gold
from climatecheck.gold import GOLD_FILES, GoldError, has_gold
from organiser.bundle import bundle
from organiser.check import open_bundle, run
from organiser.check.registry import DOWNLOADS
from organiser.competition import VARIANTS, Variant
from organiser.dataset.files import INPUT, KIT, REFERENCE
from organiser.editions import Edition, OrganiserError

MOST_CLAIMS = 5_000
"""Above it nothing is tried: the samples of a kit are made by searching for every claim."""


def last_look(folder: Path, claims: int) -> list[str]:
    """Read the gold as scoring does, and look at a bundle with every check; return remarks.

    Args:
        folder: of the edition.
        claims: how many there are, of both splits.

    Raises:
        OrganiserError: scoring would refuse the gold, or the gold of the test claims would reach
            what participants download.
    """
    if claims > MOST_CLAIMS:
        return [f"No bundle was tried, for there are {claims:,} claims: run make bundle."]
    check_gold(folder)
    return check_bundle(folder)


def check_gold(folder: Path) -> None:
    """Read what was made with the reader that scoring has.

    Raises:
        OrganiserError: it refuses the gold of a split.
    """
    for claims, gold in ((INPUT, REFERENCE), (f"{KIT}/train", f"{KIT}/train")):
        if not (folder / gold).is_dir():
            continue
        try:
            read_gold(folder / gold, read_claims(folder / claims / settings.CLAIMS_FILE), tasks=())
        except GoldError as error:
            raise OrganiserError(
                f"Nothing was imported: scoring would refuse the data of {gold}.\n{error}"
            ) from error


def variant_of(reference: Path) -> Variant:
    """Return the bundle of exactly the tasks that have gold in a folder."""
    tasks = tuple(task for task, name in GOLD_FILES.items() if has_gold(reference / name))
    return next(variant for variant in VARIANTS.values() if variant.tasks == tasks)


def check_bundle(folder: Path) -> list[str]:
    """Make a bundle of what was made and look at it with every check; return remarks.

    Raises:
        OrganiserError: the gold of the test claims would reach what participants download.
    """
    data = Edition(folder / INPUT, folder / REFERENCE, folder / KIT)
    with tempfile.TemporaryDirectory(prefix="import-") as name:
        path = Path(name) / "bundle.zip"
        try:
            path.write_bytes(bundle(variant_of(folder / REFERENCE), data))
        except MissingLibraryError as error:
            return [f"No bundle was tried: {error}"]
        results = run(open_bundle(path))
    failed = [result for result in results if result.status == "failed"]
    leaks = [r for r in failed if r.check.severity == "error" and r.check.source == DOWNLOADS]
    if leaks:
        told = [f"{f.where} {f.what}" for result in leaks for f in result.findings]
        raise OrganiserError(
            "Nothing was imported: participants could download gold.\n- " + "\n- ".join(told)
        )
    errors = [
        f"The check of the bundle says: {r.check.id}: {f.where} {f.what}."
        for r in failed
        for f in r.findings
        if r.check.severity == "error"
    ]
    return [
        f"A bundle was made of it and looked at by {len(results)} checks: no gold in what"
        f" participants download, {'no other error' if not errors else 'but other errors'}.",
        *errors,
    ]
