"""``python -m organiser.check [PATH] [--board task1] [--brief | --json]``.

Looks at a bundle, a folder or a zip (by default the one that was built last), before it is
uploaded. Exit code 1 if there is an error; warnings and advice do not count.
"""

import argparse
import json
import os
import sys
from datetime import datetime
from pathlib import Path

from climatecheck.running import write_atomically
from organiser.build import DIST, reported
from organiser.check import Bundle, open_bundle, report, run
from organiser.check.registry import Missing
from organiser.check.settings_of import board
from organiser.competition import VARIANTS, chosen
from organiser.editions import ROOT, OrganiserError, edition

PAGE = ROOT / "docs" / "checks.md"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m organiser.check", description=__doc__)
    parser.add_argument("path", nargs="?", default="", help="the bundle, a folder or a zip")
    parser.add_argument("--board", default="", choices=list(VARIANTS), help="task1 or task2")
    parser.add_argument("--brief", action="store_true", help="what is wrong, and no more")
    parser.add_argument("--json", action="store_true", help="everything, for scripts")
    parser.add_argument("--now", type=datetime.fromisoformat, help="another moment, in UTC")
    parser.add_argument("--gold", type=Path, help="folder of the gold of a blind bundle")
    parser.add_argument("--write-docs", action="store_true", help="write docs/checks.md")
    return parser.parse_args()


def main() -> int:
    """Run the command line."""
    given = _arguments()
    if given.write_docs:
        write_atomically(PAGE, report.as_page())
        return 0
    path = Path(given.path) if given.path else DIST / chosen(given.board).file
    if not path.exists():
        raise OrganiserError(f"There is no bundle {path}; make bundle builds it.")
    now = given.now.replace(tzinfo=None) if given.now else None
    bundle = open_bundle(path, now=now, gold=given.gold)
    if given.gold is None and _is_blind(bundle):
        bundle = open_bundle(path, now=now, gold=edition().reference_data)
    results = run(bundle)
    if given.json:
        print(json.dumps(report.as_json(bundle, results), indent=2))
    else:
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
        colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        as_text = report.as_brief if given.brief else report.as_text
        print(as_text(bundle, results, colour=colour), end="")
    return int(report.has_errors(results))


def _is_blind(bundle: Bundle) -> bool:
    try:
        return board(bundle).blind
    except Missing:
        return False


if __name__ == "__main__":
    sys.exit(reported(main))
