"""``python -m organiser.agreement``: from annotators' sheets to agreement and gold.

Without arguments it takes synthetic sheets over the sample edition's training claims.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from climatecheck import edition as settings
from climatecheck import read_claims
from climatecheck.gold import GoldError
from climatecheck.problems import Problem
from climatecheck.tables import Booleans, Claims
from organiser.agreement import adjudication, sample_sheets
from organiser.agreement.annotations import ANSWER, Annotations, Item
from organiser.agreement.majority import decide, parsed_share, votes_of
from organiser.agreement.reading import SheetErrors, read_annotations
from organiser.agreement.report import Annotated, report
from organiser.agreement.sheets import columns_of
from organiser.editions import ROOT, OrganiserError, edition
from organiser.reporting.output import write_folder
from organiser.reporting.render import PAGE, rendered

OUT = "build/agreement"
FAULT = 2
"""The exit code where an organiser has something to mend."""

Say = Callable[[str], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the report and the gold; return 0, or 2 where an organiser has something to mend."""
    given = _parser().parse_args(arguments)
    say = _progress()
    out = ROOT / (given.out or OUT)
    try:
        with _sheets(given, say) as (path, claims, notice):
            say("Reading the sheets")
            annotations, remarks = read_annotations(path, claims)
        tasks = {task: _annotated(table, given, claims) for task, table in annotations.items()}
        for task, annotated in tasks.items():
            adjudication.refuse_to_lose(out / adjudication.sheet_file(task), annotated.decisions)
        made = report(tasks, remarks, notice, say=say)
        files = {**_kept(given, out), **rendered(made, say=say)}
        write_folder(out, files)
    except SheetErrors as errors:
        _tell(errors.problems)
        print("No report: the sheets must be mended first.", file=sys.stderr)
        return FAULT
    except (OrganiserError, GoldError, OSError) as error:
        print(f"No report: {error}", file=sys.stderr)
        return FAULT
    _tell(remarks)
    print("\n".join(made.lead))
    say(f"Written: {len(files)} files in {given.out or OUT}; open {PAGE}")
    return 0


@contextmanager
def _sheets(given: argparse.Namespace, say: Say) -> Iterator[tuple[Path, Claims | None, str]]:
    """Give the sheets, the claims they are about, and what must be said of them."""
    if given.annotations:
        claims = read_claims(Path(given.claims)) if given.claims else None
        yield Path(given.annotations), claims, ""
        return
    say("Making synthetic sheets over the training claims")
    data = edition("")  # the sample edition, whatever EDITION says
    claims = read_claims(data.kit_data / "train" / settings.CLAIMS_FILE)
    with TemporaryDirectory(prefix="sheets-") as name:
        for file, content in sample_sheets.sheets(data).items():
            (Path(name) / file).write_bytes(content)
        yield Path(name), claims, sample_sheets.NOTICE


def _annotated(table: Annotations, given: argparse.Namespace, claims: Claims | None) -> Annotated:
    annotators, curated = _curator_apart(table, given.curator)
    if len(annotators.annotators) < 2:
        raise OrganiserError(
            f"Task {table.task} has one annotator alone ({', '.join(annotators.annotators)});"
            " agreement needs two: one file each, or a column annotator."
        )
    votes = votes_of(annotators, parsed_share(given.share or "3/4"))
    answers: dict[Item, Booleans] = {}
    comments: dict[Item, str] = {}
    for path in _adjudicated(given):
        if ANSWER[table.task] in columns_of(path):
            decided = adjudication.read_back(path, annotators, votes, claims)
            answers |= decided.answers
            comments |= decided.comments
    return Annotated(annotators, decide(annotators, votes, curated, answers, comments))


def _adjudicated(given: argparse.Namespace) -> list[Path]:
    return [Path(path) for path in given.adjudicated if path]


def _kept(given: argparse.Namespace, out: Path) -> dict[str, bytes]:
    """Return the adjudication sheets that lie in the folder that is about to be replaced.

    Raises:
        OrganiserError: the annotations themselves lie in it.
    """
    inside = out.resolve()
    if given.annotations and Path(given.annotations).resolve().is_relative_to(inside):
        raise OrganiserError(f"The sheets lie in {out}; name another folder with OUT=.")
    paths = [path for path in _adjudicated(given) if path.resolve().is_relative_to(inside)]
    return {path.resolve().relative_to(inside).as_posix(): path.read_bytes() for path in paths}


def _curator_apart(table: Annotations, curator: str) -> tuple[Annotations, dict[Item, Booleans]]:
    """Return the annotations without the curator's, and the curator's answers by item.

    Raises:
        OrganiserError: nobody has the name that was given.
    """
    wanted = (curator or "curator").casefold()
    place = [i for i, name in enumerate(table.annotators) if name.casefold() == wanted]
    if not place:
        return table, {}
    who = place[0]
    curated = {
        table.items[item]: table.marks[who, item] for item in np.flatnonzero(table.made[who])
    }
    return table.of([i for i in range(len(table.annotators)) if i != who]), curated


def _tell(problems: Sequence[Problem]) -> None:
    for problem in problems:
        print(problem.message, file=sys.stderr)


def _progress() -> Say:
    """Return a function that says on stderr what is being done, and since when."""
    start = time.perf_counter()

    def say(step: str) -> None:
        print(f"{time.perf_counter() - start:6.1f} s  {step}", file=sys.stderr, flush=True)

    return say


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m organiser.agreement", description=__doc__)
    parser.add_argument("--annotations", default="", help="a sheet, or a folder of sheets")
    parser.add_argument("--claims", default="", help="claims.csv, to check the ids against")
    parser.add_argument("--out", default="", help=f"folder for the report ({OUT})")
    parser.add_argument(
        "--adjudicated", default=[], nargs="*", help="the adjudication sheets, filled in"
    )
    parser.add_argument("--share", default="", help="of the annotators, for a majority (3/4)")
    parser.add_argument("--curator", default="", help="who decides between annotators (curator)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
