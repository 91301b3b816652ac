"""Scores a submission with the zipped programs, the way the platform would.

``python -m organiser.dry_run score SUBMISSION`` runs both programs and shows the board;
``… validate SUBMISSION`` prints the verdict alone.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from climatecheck import edition as settings
from climatecheck import read_claims, read_submission
from climatecheck.problems import verdict
from climatecheck.running import write_atomically
from climatecheck.tables import Json
from organiser import worker
from organiser.build import piece, reported
from organiser.competition import VARIANTS, Variant, columns_of, competition
from organiser.editions import ROOT, OrganiserError, edition, gold_files
from organiser.samples import sample
from organiser.zips import zipped

OUTPUTS = ("scores.json", "detailed_results.html")


def score(
    submission: bytes,
    out: Path,
    *,
    task: worker.Task,
    variant: Variant = VARIANTS[""],
    python: str = sys.executable,
) -> int:
    """Run both programs, leave their outputs, and return 0 where the platform says Finished.

    Args:
        submission: the zip that would be uploaded.
        out: where ``scores.json`` and ``detailed_results.html`` go; older ones are removed.
        task: the zips of the task.
        variant: whose board the scores are for.
        python: what ``python3`` is in the image.
    """
    worker.clear(out, OUTPUTS)
    with tempfile.TemporaryDirectory(prefix="dry-run-") as folder:
        try:
            run = worker.run(submission, task, Path(folder), python)
        except worker.PlatformError as error:
            return _failed(str(error))
        _show(run)
        for name in OUTPUTS:
            if (run.output / name).is_file():
                write_atomically(out / name, (run.output / name).read_bytes())
    return _judged(run, out / "scores.json", variant)


def _judged(run: worker.Run, path: Path, variant: Variant) -> int:
    if run.scoring.exit_code != 0:
        return _failed(f"the scoring program ended with code {run.scoring.exit_code}.")
    if not path.is_file():
        return _failed("the scoring program left no scores.json.")
    try:
        scores = json.loads(path.read_text("utf-8"))
    except ValueError:
        return _failed("scores.json is not JSON.")
    columns = columns_of(competition(variant))
    faults = worker.stored(scores, list(columns))
    if faults:
        return _failed(f"{'; '.join(faults)}.")
    _print_board(scores, columns)
    return 0


def _print_board(scores: Json, columns: dict[str, Json]) -> None:
    width = max(len(column["title"]) for column in columns.values())
    print("\nFinished. The leaderboard would show:")
    for key, column in columns.items():
        print(f"  {column['title']:<{width}}  {scores[key]:.{column['precision']}f}")


def _show(run: worker.Run) -> None:
    for name, step in (("Ingestion", run.ingestion), ("Scoring", run.scoring)):
        print(f"--- {name}, as participants can read it (exit code {step.exit_code})")
        print(step.stdout + step.stderr, end="", flush=True)
    for note in run.notes:
        print(f"Note: {note}")


def _failed(sentence: str) -> int:
    print(f"\nFailed: {sentence}", file=sys.stderr)
    return 1


def task_zips(reference: str, inputs: str, variant: Variant) -> worker.Task:
    """Return the zips of a task.

    Args:
        reference: a folder with gold in place of the edition's; empty for the edition's.
        inputs: a folder with claims in place of those beside the gold, or else the edition's.
        variant: whose programs are run.
    """
    data = edition()
    gold_folder = _folder(reference) if reference else data.reference_data
    beside = reference and (gold_folder / settings.CLAIMS_FILE).is_file()
    claims_folder = _folder(inputs) if inputs else gold_folder if beside else data.input_data
    of_edition = claims_folder.resolve().is_relative_to(data.kit_data.resolve())
    claims = {
        **(_some(data.input_data, settings.EDITION_FILE) if of_edition else {}),
        **_some(claims_folder, settings.CLAIMS_FILE, settings.EDITION_FILE),
    }
    gold = gold_files(gold_folder, variant.tasks)
    return worker.Task(
        piece("ingestion_program", data, variant),
        piece("scoring_program", data, variant),
        zipped(claims),
        zipped({**claims, **gold}),
    )


def _some(folder: Path, *names: str) -> dict[str, bytes]:
    """Return those of the files that are in a folder."""
    return {name: (folder / name).read_bytes() for name in names if (folder / name).is_file()}


def validate(source: Path, claims_folder: Path, variant: Variant) -> int:
    """Print the verdict on a submission; return 0 if it is valid."""
    claims = read_claims(claims_folder / settings.CLAIMS_FILE)
    submission = read_submission(source, claims, tasks=variant.tasks)
    for problem in submission.problems:
        print(problem.message)
    print(verdict(submission.problems))
    return 0 if submission.valid else 1


def _folder(path: str) -> Path:
    if not Path(path).is_dir():
        raise OrganiserError(f"There is no folder {path}.")
    return Path(path)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m organiser.dry_run", description=__doc__)
    parser.add_argument("what", choices=["score", "validate"])
    parser.add_argument("--submission", default="", help="zip, folder or CSV")
    parser.add_argument("--reference", default="", help="folder of the gold")
    parser.add_argument("--input", default="", help="folder of claims.csv")
    parser.add_argument("--out", default="build/score", help="folder for the outputs")
    parser.add_argument("--board", default="", choices=list(VARIANTS), help="task1 or task2")
    return parser.parse_args()


def main() -> int:
    """Run the command line."""
    given = _arguments()
    variant = VARIANTS[given.board]
    if given.what == "validate":
        with tempfile.TemporaryDirectory() as folder:
            source = _source(given.submission, Path(folder))
            inputs = _folder(given.input) if given.input else edition().input_data
            return validate(source, inputs, variant)
    try:
        submission = (
            worker.submission_zip(Path(given.submission))
            if given.submission
            else sample("upload/both.zip", edition())
        )
    except worker.PlatformError as error:
        raise OrganiserError(str(error)) from error
    out = ROOT / given.out
    task = task_zips(given.reference, given.input, variant)
    code = score(submission, out, task=task, variant=variant)
    if code == 0:
        print(f"\nWritten: {given.out}/scores.json and {given.out}/detailed_results.html")
    return code


def _source(given: str, folder: Path) -> Path:
    """Return the submission's path; without one, the sample of both tasks in a folder."""
    if given:
        return Path(given)
    path = folder / "both.zip"
    path.write_bytes(sample("upload/both.zip", edition()))
    return path


if __name__ == "__main__":
    sys.exit(reported(main))
