"""``python -m organiser.agreement``: from annotators' sheets to agreement and gold.

Without arguments it takes synthetic sheets over the sample edition's training claims.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from climatecheck import edition as settings
from climatecheck import read_claims
from climatecheck.gold import GoldError
from climatecheck.problems import Collector, Problem
from climatecheck.tables import Booleans, Claims
from organiser.agreement import adjudication, decided, sample_sheets
from organiser.agreement import sheet_problems as kinds
from organiser.agreement.annotations import Annotations, Item, plain
from organiser.agreement.majority import Decisions, decide, parsed_share, votes_of
from organiser.agreement.reading import SheetErrors, called, read_annotations
from organiser.agreement.report import Annotated, report
from organiser.editions import OrganiserError, edition
from organiser.reporting.output import place_of, write_folder
from organiser.reporting.render import PAGE, rendered

OUT = "build/agreement"
FAULT = 2
"""The exit code where an organiser has something to mend."""

Say = Callable[[str], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the report and the gold; return 0, or 2 where an organiser has something to mend."""
    given = _parser().parse_args(arguments)
    say = _progress()
    try:
        out = place_of(given.out, OUT)
        paths = decided.paths_of(given.adjudicated)
        with _sheets(given, say) as (path, claims, notice):
            say("Reading the sheets")
            annotations, remarks = read_annotations(path, claims)
        tasks, more = _annotated(annotations, given, paths, claims)
        remarks = (*remarks, *more)
        kept = _kept(given, paths, out)
        decided.refuse_to_lose(out, {task: each.decisions for task, each in tasks.items()}, paths)
        made = report(tasks, remarks, notice, say=say)
        files = {**kept, **rendered(made, say=say)}
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
    say(f"Written: {len(files)} files in {out}; open {PAGE}")
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


def _annotated(
    tables: Mapping[str, Annotations],
    given: argparse.Namespace,
    paths: Sequence[Path],
    claims: Claims | None,
) -> tuple[dict[str, Annotated], tuple[Problem, ...]]:
    """Return what was annotated and decided, by task, and what is remarked of it.

    Raises:
        SheetErrors: a decision in the adjudication sheets cannot be used.
        OrganiserError: there is nothing that could agree.
    """
    share, problems = parsed_share(given.share or "3/4"), Collector()
    parted = _curator_apart(tables, given.curator)
    rows = decided.filled_in(paths, list(tables), claims, problems)
    tasks = {}
    for task, (annotators, curated) in parted.items():
        votes = votes_of(annotators, share)
        found = decided.adjudication(rows[task], annotators, votes, curated, problems)
        decisions = decide(annotators, votes, curated, found.answers, found.comments)
        tasks[task] = Annotated(annotators, decisions)
        _remark_left_out(decisions, claims, problems)
    remarks = kinds.of_sheets(problems.problems())
    if problems.has_errors:
        raise SheetErrors(remarks)
    return tasks, remarks


def _remark_left_out(decisions: Decisions, claims: Claims | None, problems: Collector) -> None:
    """Say which items are in no gold, and which are not yet."""
    annotations, curated = decisions.annotations, decisions.curated
    file, of_task = adjudication.sheet_file(annotations.task), f"task {annotations.task}"
    seen = {*annotations.items}
    open_ = [annotations.items[place] for place in np.flatnonzero(decisions.is_open)]
    left_out = [(kinds.STILL_OPEN, file, item) for item in open_]
    left_out += [(kinds.CURATOR_ALONE, of_task, item) for item in curated if item not in seen]
    if claims is not None and annotations.task == "2":
        unseen = ((id_,) for id_ in claims.ids if (id_,) not in seen and (id_,) not in curated)
        left_out += [(kinds.NOBODY, of_task, item) for item in unseen]
    for kind, where, item in left_out:
        problems.add(kind, where, item=called(item), note=called(item))


def _kept(given: argparse.Namespace, paths: Sequence[Path], out: Path) -> dict[str, bytes]:
    """Return the adjudication sheets that lie in the folder that is about to be replaced.

    Raises:
        OrganiserError: the annotations themselves lie in it.
    """
    inside = out.resolve()
    if given.annotations and Path(given.annotations).resolve().is_relative_to(inside):
        raise OrganiserError(f"The sheets lie in {out}; name another folder with OUT=.")
    found = [path.resolve() for path in paths if path.resolve().is_relative_to(inside)]
    return {path.relative_to(inside).as_posix(): path.read_bytes() for path in found}


def _curator_apart(
    tables: Mapping[str, Annotations], curator: str
) -> dict[str, tuple[Annotations, dict[Item, Booleans]]]:
    """Return each task's annotations without the curator's, and the curator's answers by item.

    Raises:
        OrganiserError: nobody has the name that was given, two could be meant, or one annotator
            alone is left.
    """
    wanted = plain(curator or "curator")
    parted, names = (
        {},
        dict.fromkeys(name for table in tables.values() for name in table.annotators),
    )
    if curator and wanted not in map(plain, names):
        raise OrganiserError(
            f"The curator is to be “{curator}”, but nobody has that name; the sheets are of"
            f" {', '.join(names)}."
        )
    for task, table in tables.items():
        place = [i for i, name in enumerate(table.annotators) if plain(name) == wanted]
        if len(place) > 1:
            alike = " and ".join(f"“{table.annotators[i]}”" for i in place)
            raise OrganiserError(f"{alike} could each be the curator; write the name in one way.")
        parted[task] = _without(table, place[0]) if place else (table, {})
        annotators = parted[task][0].annotators
        if len(annotators) < 2:
            raise OrganiserError(
                f"Task {task} has one annotator alone ({', '.join(annotators)});"
                " agreement needs two: one file each, or a column annotator."
            )
    return parted


def _without(table: Annotations, who: int) -> tuple[Annotations, dict[Item, Booleans]]:
    """Return annotations without one annotator's, and that one's answers by item."""
    answers = {
        table.items[item]: table.marks[who, item] for item in np.flatnonzero(table.made[who])
    }
    return table.of([i for i in range(len(table.annotators)) if i != who]), answers


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
        "--adjudicated",
        default=[],
        nargs="*",
        help=f"the adjudication sheets, filled in; several may be joined by “{os.pathsep}”",
    )
    parser.add_argument("--share", default="", help="of the annotators, for a majority (3/4)")
    parser.add_argument("--curator", default="", help="who decides between annotators (curator)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
