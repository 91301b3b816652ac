"""``python -m organiser.analysis``: the report of an evaluation; without arguments, of samples."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from climatecheck import edition as settings
from climatecheck import read_claims
from climatecheck.gold import GoldError
from climatecheck.tables import Gold
from organiser.analysis import stored_section
from organiser.analysis.uploads.given import (
    UNFORESEEN,
    Say,
    inputs_folder,
    progress,
    submissions_folder,
)
from organiser.analysis.uploads.loading import Loaded, load, read_some_gold
from organiser.analysis.uploads.picking import PICKS
from organiser.editions import Edition, OrganiserError, edition
from organiser.reporting.output import place_of, write_folder
from organiser.reporting.parts import Section
from organiser.reporting.render import PAGE, Report, rendered

FAULT = 2
"""The exit code where an organiser has something to mend."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the report and return 0, or 2 where an organiser has something to mend.

    Without a valid upload the report is written, since it says what was wrong with them.
    """
    given = _parser().parse_args(arguments)
    say = progress()
    try:
        out = place_of(given.out, "build/report")
        loaded, made = _report(given, say)
        files = rendered(made, say=say)
        write_folder(out, files)
    except (OrganiserError, GoldError, OSError) as error:
        print(f"No report: {error}", file=sys.stderr)
        return FAULT
    except ValueError as error:
        print(f"No report: {UNFORESEEN} ({error}).", file=sys.stderr)
        return FAULT
    say(f"Written: {len(files)} files in {out}; open {PAGE}")
    if not loaded.evaluation.systems:
        print(f"No upload was valid, so nothing is scored; {PAGE} says why.", file=sys.stderr)
        return FAULT
    return 0


def _report(given: argparse.Namespace, say: Say) -> tuple[Loaded, Report]:
    data = edition()
    reference = Path(given.reference) if given.reference else data.reference_data
    inputs = inputs_folder(given.input, given.reference, data)
    with submissions_folder(given.submissions, data, say) as submissions:
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

        return loaded, team_report(loaded, given.team)
    from organiser.analysis.report import report

    old_gold, ev2r = _old_gold(given.reference_old, loaded), _ev2r(given, loaded, data, say)
    return loaded, report(loaded, old_gold, ev2r, say=say)


def _old_gold(folder: str, loaded: Loaded) -> Gold | None:
    if not folder:
        return None
    path = Path(folder)
    if not path.is_dir():
        raise OrganiserError(f"There is no folder {path}.")
    beside = path / settings.CLAIMS_FILE
    if beside.is_file() and read_claims(beside).ids != loaded.evaluation.claims.ids:
        raise OrganiserError(f"{beside} lists other claims; both golds must be of the same claims.")
    try:
        return read_some_gold(path, loaded.evaluation.claims)
    except GoldError as error:
        raise OrganiserError(f"the gold in {path}: {error}") from error


def _ev2r(given: argparse.Namespace, loaded: Loaded, data: Edition, say: Say) -> Section | None:
    """Return what ``make ev2r`` found; for the sample systems, what its defaults find."""
    if given.ev2r:
        from organiser.ev2r.output import SECTION

        rests_on = stored_section.basis(loaded.evaluation)
        return stored_section.read(Path(given.ev2r) / SECTION, rests_on)
    if given.submissions:
        return None
    from organiser.ev2r.defaults import embedded_section

    return embedded_section(loaded.evaluation, data, say)


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
    parser.add_argument("--ev2r", default="", help="folder that make ev2r wrote")
    parser.add_argument("--team", default="", help="the report of this team alone")
    return parser


if __name__ == "__main__":
    sys.exit(main())
