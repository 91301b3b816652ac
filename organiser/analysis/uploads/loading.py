"""From the organiser's files to an ``Evaluation``: uploads, gold, claims and fact sheets."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from unicodedata import normalize

from climatecheck import edition as settings
from climatecheck import read_claims, read_gold, read_submission
from climatecheck.board import read_facts
from climatecheck.problems import Problem, shown
from climatecheck.tables import Claims, Gold, Submission
from organiser.analysis.systems import Evaluation, Refused, System
from organiser.analysis.uploads.bulk_download import (
    UNREADABLE_ENTRY,
    EntryError,
    Unreadable,
    Upload,
    find_uploads,
    problem,
)
from organiser.analysis.uploads.fact_sheets import Answers, FactSheets, read_fact_sheets
from organiser.analysis.uploads.picking import Read, pick_of, restricted, scored
from organiser.editions import OrganiserError


@dataclass(frozen=True)
class Loaded:
    """An evaluation, and what was uploaded for it.

    Attributes:
        evaluation: its ``systems`` have one entry for each upload that stands for its team in
            some task, so a team can have several, but not two in the same task.
        uploads: every valid upload by the name of its team as it is shown, in order of time.
    """

    evaluation: Evaluation
    uploads: tuple[tuple[str, Read], ...]


def load(
    submissions: Path,
    reference: Path,
    inputs: Path,
    *,
    pick: str = "last",
    leaderboard: Path | None = None,
    team: str = "",
    say: Callable[[str], None] = lambda _: None,
) -> Loaded:
    """Read, check and score the submissions of an evaluation.

    Args:
        submissions: see ``bulk_download.find_uploads``.
        reference: the folder of the gold. A task without gold counts as not entered; a file for
            it alone is refused.
        inputs: the folder of the claims.
        pick: which of a team's uploads stands for it: ``last``, the last valid one, or ``best``,
            the best of each task.
        leaderboard: the platform's export, which brings the fact sheets.
        team: read the uploads of this team alone.
        say: takes a sentence on each step.

    Raises:
        OrganiserError: something is missing; the message says what.
        GoldError: the claims or the gold are faulty.
    """
    claims = read_claims(_folder(inputs) / settings.CLAIMS_FILE)
    gold = read_some_gold(_folder(reference), claims)
    if len(gold.tasks) == 1:
        say(f"The gold is of task {gold.tasks[0]} alone; the other task counts as not entered")
    choose = pick_of(pick)
    sheets = read_fact_sheets(leaderboard) if leaderboard else None
    uploads, unreadable = find_uploads(submissions, len(claims), say=say)
    owners = {upload.owner for upload in uploads}
    if team:
        uploads, unreadable = _of_team(team, uploads), []
    names = _shown_apart(upload.owner for upload in uploads)
    say(f"Reading {len(uploads)} uploads of {len(names)} teams")
    refused = [_unread(item) for item in unreadable]
    read: list[Read] = []
    for upload in uploads:
        made = _read(upload, gold)
        if isinstance(made, Submission) and made.valid:
            read.append(Read(upload, made))
        else:
            problems = made.problems if isinstance(made, Submission) else made
            refused.append(Refused(names[upload.owner], upload.file, problems))
    by_owner = [list(group) for _, group in groupby(read, key=lambda r: r.upload.owner)]
    chosen = [(names[r.upload.owner], r) for group in by_owner for r in choose(group, gold)]
    standing = [(name, r) for name, r in chosen if r.stands_for]
    systems = [_system(name, r, gold, _answers(sheets, r.upload, owners)) for name, r in standing]
    of = [(r.upload.owner, r.upload.number) for _, r in standing]
    notes = sheets.notes(of, owners) if sheets and of else ()
    evaluation = Evaluation(
        claims, gold, read_facts(inputs), tuple(systems), tuple(refused), tuple(notes)
    )
    return Loaded(evaluation, tuple(chosen))


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise OrganiserError(f"There is no folder {path}.")
    return path


def read_some_gold(folder: Path, claims: Claims) -> Gold:
    """Read the gold of both tasks, or of the one that has any.

    Raises:
        GoldError: it is faulty, or there is none.
    """
    gold = read_gold(folder, claims, tasks=())
    return gold if gold.tasks else read_gold(folder, claims)


def _read(upload: Upload, gold: Gold) -> Submission | tuple[Problem, ...]:
    try:
        with upload.open() as path:
            return read_submission(path, gold.claims, tasks=gold.tasks)
    except EntryError as error:
        return (problem(UNREADABLE_ENTRY, str(error), file=upload.name),)


def _unread(item: Unreadable) -> Refused:
    return Refused("", shown(item.name), (item.problem,))


def _answers(sheets: FactSheets | None, upload: Upload, owners: Collection[str]) -> Answers:
    return sheets.of(upload.owner, upload.number, owners) if sheets else {}


def _system(team: str, read: Read, gold: Gold, fact_sheet: dict[str, str]) -> System:
    submission = restricted(read.submission, read.stands_for)
    scores = scored(submission, gold, read.stands_for)
    return System(team, read.upload.file, submission, scores, fact_sheet)


def _of_team(team: str, uploads: Sequence[Upload]) -> list[Upload]:
    wanted = normalize("NFC", team)
    found = [u for u in uploads if wanted in (u.owner, shown(u.owner))]
    if not found:
        raise OrganiserError(f"There is no upload of a team “{shown(team)}”.")
    return found


def _shown_apart(owners: Iterable[str]) -> dict[str, str]:
    """Return each owner's name fit to print, no two the same.

    >>> list(_shown_apart(["a" * 70 + "b", "a" * 70 + "c"]).values())[1][-6:]
    'a… (2)'
    """
    names: dict[str, str] = {}
    for owner in dict.fromkeys(owners):
        name, copy = shown(owner), 1
        while name in names.values():
            copy += 1
            name = f"{shown(owner)} ({copy})"
        names[owner] = name
    return names
