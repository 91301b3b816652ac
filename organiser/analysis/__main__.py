"""``python -m organiser.analysis``: the report of an evaluation; without arguments, of samples."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from climatecheck import edition as settings
from climatecheck import read_claims, read_gold
from climatecheck.gold import GoldError
from climatecheck.tables import Gold
from organiser.analysis.loading import Loaded, load
from organiser.analysis.output import write_folder
from organiser.analysis.picking import PICKS
from organiser.analysis.render import PAGE, Report, rendered
from organiser.editions import ROOT, Edition, OrganiserError, edition

FAULT = 2
"""The exit code where an organiser has something to mend."""

Say = Callable[[str], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the report and return 0, or 2 where an organiser has something to mend."""
    given = _parser().parse_args(arguments)
    say = _progress()
    try:
        files = rendered(_report(given, say), say=say)
        out = ROOT / (given.out or "build/report")
        write_folder(out, files)
    except (OrganiserError, GoldError, OSError) as error:
        print(f"No report: {error}", file=sys.stderr)
        return FAULT
    say(f"Written: {len(files)} files in {given.out or 'build/report'}; open {PAGE}")
    return 0


def _report(given: argparse.Namespace, say: Say) -> Report:
    data = edition()
    reference = Path(given.reference) if given.reference else data.reference_data
    inputs = _inputs(given, reference, data)
    with _submissions(given.submissions, data, say) as submissions:
        loaded = load(
            submissions,
            reference,
            inputs,
            pick=given.pick or next(iter(PICKS)),
            leaderboard=Path(given.leaderboard) if given.leaderboard else None,
            team=given.team,
            say=say,
        )
    if given.team:
        from organiser.analysis.team_report import team_report

        return team_report(loaded, given.team)
    from organiser.analysis.report import report

    return report(loaded, _old_gold(given.reference_old, loaded), say=say)


def _old_gold(folder: str, loaded: Loaded) -> Gold | None:
    if not folder:
        return None
    path = Path(folder)
    if not path.is_dir():
        raise OrganiserError(f"There is no folder {path}.")
    beside = path / settings.CLAIMS_FILE
    if beside.is_file() and read_claims(beside).ids != loaded.evaluation.claims.ids:
        raise OrganiserError(f"{beside} lists other claims; both golds must be of the same claims.")
    return read_gold(path, loaded.evaluation.claims)


def _inputs(given: argparse.Namespace, reference: Path, data: Edition) -> Path:
    """Return the claims' folder: as told, or beside the gold that was told, or the edition's."""
    if given.input:
        return Path(given.input)
    beside = given.reference and (reference / settings.CLAIMS_FILE).is_file()
    return reference if beside else data.input_data


@contextmanager
def _submissions(given: str, data: Edition, say: Say) -> Iterator[Path]:
    """Give the submissions' folder; without one, a passing folder of sample systems."""
    if given:
        yield Path(given)
        return
    from organiser.analysis.sample_systems import sample_submissions

    say("Making sample systems from the training data")
    with TemporaryDirectory(prefix="samples-") as name:
        folder = Path(name)
        for system, content in sample_submissions(data).items():
            (folder / f"{system}.zip").write_bytes(content)
        yield folder


def _progress() -> Say:
    """Return a function that says on stderr what is being done, and since when."""
    start = time.perf_counter()

    def say(step: str) -> None:
        print(f"{time.perf_counter() - start:6.1f} s  {step}", file=sys.stderr, flush=True)

    return say


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m organiser.analysis", description=__doc__)
    parser.add_argument("--submissions", default="", help="folder, or bulk_submissions.zip")
    parser.add_argument("--reference", default="", help="folder of the gold")
    parser.add_argument("--input", default="", help="folder of claims.csv")
    parser.add_argument("--out", default="", help="folder for the report (build/report)")
    parser.add_argument("--pick", default="", help=f"of a team's uploads: {' or '.join(PICKS)}")
    parser.add_argument(
        "--leaderboard", default="", help="the leaderboard export, CSV, zip or JSON"
    )
    parser.add_argument("--reference-old", default="", help="folder of a gold to compare with")
    parser.add_argument("--team", default="", help="the report of this team alone")
    return parser


if __name__ == "__main__":
    sys.exit(main())
