"""``python -m organiser.dataset --name NAME --dataset PATH [--corpus PATH] …``.

Makes ``editions/NAME/`` from a dataset: Parquet, CSV or JSONL, a file or a folder. An empty
argument means the default. Exit code 1 if nothing was imported.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from organiser import editions
from organiser.build import reported
from organiser.dataset.checking import variant_of
from organiser.dataset.files import REFERENCE
from organiser.dataset.importing import Outcome, Request, import_edition
from organiser.editions import OrganiserError

_YES = {"": False, "0": False, "1": True}


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m organiser.dataset", description=__doc__)
    parser.add_argument("--name", default="", help="of the edition")
    parser.add_argument("--dataset", default="", help="a file, or a folder of train… and test…")
    parser.add_argument("--corpus", default="", help="a file or folder with all abstracts")
    parser.add_argument("--test-split", default="", help="what the test split is called (test)")
    for flag, meaning in (
        ("--new", "refuse ids with two texts: the edition can still be mended"),
        ("--strict", "refuse whatever would have to be decided"),
    ):
        parser.add_argument(flag, nargs="?", const="1", default="", choices=_YES, help=meaning)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    given = _arguments(arguments)
    missing = [name for name in ("name", "dataset") if not getattr(given, name)]
    if missing:
        named = " and ".join(f"{name.upper()}=" for name in missing)
        raise OrganiserError(
            f"{named} is missing: make edition NAME=2026 DATASET=path/to/dataset [CORPUS=path]"
            " [TEST_SPLIT=test] [NEW=1] [STRICT=1]."
        )
    asked = Request(
        given.name,
        Path(given.dataset),
        Path(given.corpus) if given.corpus else None,
        given.test_split or "test",
        _YES[given.new],
        _YES[given.strict],
    )
    _say(import_edition(asked, editions.ROOT / "editions"), asked.name)
    return 0


def _say(outcome: Outcome, name: str) -> None:
    for finding in outcome.findings:
        print(finding)
    for split, counts in outcome.counts["splits"].items():
        print(f"{split}: {counts['claims']['ids']:,} claims, {counts['pairs']['total']:,} pairs")
    for remark in outcome.remarks:
        print(remark)
    print(f"{outcome.folder}: made; read import_report.md and data_statement.md in it.")
    board = variant_of(outcome.folder / REFERENCE).name
    score, bundle = (f"score BOARD={board}", f"bundle-{board}") if board else ("score", "bundle")
    print(f"Next: EDITION={name} make {score}, then EDITION={name} make {bundle}.")


if __name__ == "__main__":
    sys.exit(reported(main))
