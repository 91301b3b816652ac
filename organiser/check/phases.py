"""Checks of the phases: dates, order, tasks and limits."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Any

from organiser.check.bundle import Bundle
from organiser.check.registry import DOWNLOADS, RUNNING, UNPACKING, Finding, check
from organiser.check.settings_of import setting

_FORM = "YYYY-MM-DD HH:MM:SS"
_GAP = timedelta(days=1)
_QUEUE_SECONDS = 600


@dataclass(frozen=True)
class Phase:
    """A phase with its dates as CodaBench understands them; None where it has or gives none."""

    position: int
    name: str
    data: dict[str, Any]
    start: datetime | None
    end: datetime | None


def moment(value: object) -> datetime | None:
    """Return a date as CodaBench stores it: without its offset, and midnight if unquoted.

    >>> moment("2026-01-15 08:00:00+02:00"), moment(datetime(2026, 1, 15, 8))
    (datetime.datetime(2026, 1, 15, 8, 0), datetime.datetime(2026, 1, 15, 0, 0))
    """
    if isinstance(value, date):  # a datetime is a date too
        return datetime.combine(value, time())
    try:
        parsed = datetime.fromisoformat(str(value).strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    return parsed.replace(tzinfo=None)


def phases(bundle: Bundle) -> list[Phase]:
    """Return the phases in the order in which CodaBench runs them: by index, if they have one."""
    found = [
        Phase(i, f"“{data.get('name')}”", data, moment(data.get("start")), moment(data.get("end")))
        for i, data in bundle.listed("phases")
    ]

    def order(phase: Phase) -> int:
        index = phase.data.get("index", 0)
        return index if isinstance(index, int) else 0

    return sorted(found, key=order)


def _dates(bundle: Bundle) -> Iterator[tuple[Phase, str, Any]]:
    for phase in phases(bundle):
        for key in ("start", "end"):
            if phase.data.get(key) not in (None, ""):
                yield phase, key, phase.data[key]


@check("phase-dates-quoted", "Dates are quoted", "error", UNPACKING)
def quoted(bundle: Bundle) -> Iterator[Finding]:
    """An unquoted date loses its time of day: the phase starts or ends at midnight."""
    for phase, key, value in _dates(bundle):
        place = ("phases", phase.position, key)
        if place in bundle.source.unquoted and isinstance(value, datetime):
            mend = f'Write {key}: "{value:%Y-%m-%d %H:%M:%S}".'
            yield Finding(bundle.place(*place), f"{key} of {phase.name} is not quoted", mend)


@check("phase-dates-form", f"Dates are written {_FORM}", "error", UNPACKING)
def form(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench guesses at any other form (day and month change places) or refuses the bundle."""
    for phase, key, value in _dates(bundle):
        if isinstance(value, str) and moment(value) is None:
            what = f"{key} of {phase.name} is “{value[:40]}”"
            place = bundle.place("phases", phase.position, key)
            yield Finding(place, what, f"Write {_FORM} in UTC, within quotes.")


@check("phase-dates-utc", "Dates carry no time zone", "warning", UNPACKING)
def utc(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench drops the offset and takes the time for UTC, so the phase ends hours off."""
    for phase, key, value in _dates(bundle):
        text = str(value).strip()
        if isinstance(value, str) and moment(value) and ("+" in text or text.count("-") > 2):
            place = bundle.place("phases", phase.position, key)
            yield Finding(place, f"{key} of {phase.name} has an offset", "Write the time in UTC.")


@check("phase-ends-after-start", "Every phase ends after it starts", "error", UNPACKING)
def ends_after_start(bundle: Bundle) -> Iterator[Finding]:
    """The phase is never open; nobody can submit."""
    for phase in phases(bundle):
        if phase.start and phase.end and phase.end <= phase.start:
            what = f"{phase.name} ends {phase.end}, but starts {phase.start}"
            place = bundle.place("phases", phase.position, "end")
            yield Finding(place, what, "Change the dates over, or mend one.")


@check("phase-order", "Each phase starts after the one before it has ended", "error", UNPACKING)
def order(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses phases that overlap, touch or stand in the wrong order."""
    for before, after in pairwise(phases(bundle)):
        # An end before its own start is another check's.
        ends = [when for when in (before.start, before.end) if when]
        if before.end and after.start and after.start <= max(ends):
            what = f"{after.name} starts {after.start}; {before.name} ends {max(ends)}"
            place = bundle.place("phases", after.position, "start")
            yield Finding(place, what, "Let it start at least a second later.")


@check("phase-open", "Only the last phase is open-ended", "error", UNPACKING)
def open_ended(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses a phase without an end that another phase follows."""
    for phase in phases(bundle)[:-1]:
        if phase.data.get("end") in (None, ""):
            place = bundle.place("phases", phase.position)
            yield Finding(place, f"{phase.name} has no end", "Give it an end.")


@check("phase-gaps", "There is no long gap between phases", "advice", RUNNING)
def gaps(bundle: Bundle) -> Iterator[Finding]:
    """Between two phases nobody can submit, and people write to ask why."""
    for before, after in pairwise(phases(bundle)):
        if before.end and after.start and after.start - before.end > _GAP:
            what = f"{(after.start - before.end).days} days between {before.name} and {after.name}"
            yield Finding(bundle.place("phases", after.position, "start"), what, "Is that meant?")


@check("phase-over", "No phase is over already", "warning", RUNNING)
def over(bundle: Bundle) -> Iterator[Finding]:
    """A phase that is over takes no submissions; often last year's dates were left in."""
    for phase in phases(bundle):
        if phase.end and phase.end < bundle.now and (not phase.start or phase.start < phase.end):
            what = f"{phase.name} ended {phase.end} UTC"
            place = bundle.place("phases", phase.position, "end")
            yield Finding(place, what, "Mend the date, unless that is meant.")


@check("phase-tasks", "Every phase has tasks that exist", "error", UNPACKING)
def tasks(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses a phase without a task, or with the index of a task that is not there."""
    known = [task.get("index") for _, task in bundle.listed("tasks")]
    for phase in phases(bundle):
        place, listed = ("phases", phase.position, "tasks"), phase.data.get("tasks")
        if listed in (None, []):
            yield Finding(bundle.place(*place), f"{phase.name} has no task", "Write tasks: [0].")
        for index in listed if isinstance(listed, list) else []:
            if index not in known and known:
                what = f"{phase.name} names task {index}; there is {', '.join(map(str, known))}"
                yield Finding(bundle.place(*place), what, "Name the index of a task.")


@check("phase-migration", "The first phase takes over nothing", "error", UNPACKING)
def migration(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses a first phase that takes over the submissions of the one before it."""
    for phase in phases(bundle)[:1]:
        if phase.data.get("auto_migrate_to_this_phase") is True:
            place = bundle.place("phases", phase.position, "auto_migrate_to_this_phase")
            yield Finding(place, f"{phase.name} is the first phase", "Write false, or drop it.")


@check("phase-limits", "Submissions are limited in every phase", "advice", DOWNLOADS)
def limits(bundle: Bundle) -> Iterator[Finding]:
    """Scores are an oracle: many submissions tell the gold; the defaults are 5 a day and 100."""
    for phase in phases(bundle):
        unset = [
            key for key in ("max_submissions_per_day", "max_submissions") if not phase.data.get(key)
        ]
        if unset:
            what = f"{phase.name} leaves {' and '.join(unset)} to default"
            place = bundle.place("phases", phase.position)
            yield Finding(place, what, "Set both, even in an open-ended phase.")


@check("phase-time", "The time limit leaves the programs the time they take", "warning", RUNNING)
def time_limit(bundle: Bundle) -> Iterator[Finding]:
    """Beyond the queue's 600 s, or before the program's own limit, a run is killed in silence."""
    own = setting(bundle, "scoring_program", "TIME_LIMIT_SECONDS")
    for phase in phases(bundle):
        limit = phase.data.get("execution_time_limit", _QUEUE_SECONDS)
        place = bundle.place("phases", phase.position, "execution_time_limit")
        if not isinstance(limit, int):
            continue
        if limit > _QUEUE_SECONDS and not bundle.competition.get("queue"):
            what = f"{phase.name} allows {limit} s; the default queue allows {_QUEUE_SECONDS} s"
            yield Finding(place, what, f"Write {_QUEUE_SECONDS}, or name a queue of your own.")
        if isinstance(own, (int, float)) and limit <= own:
            what = f"{phase.name} allows {limit} s; the program's own limit is {own:g} s"
            yield Finding(place, what, "Allow more than the program does.")
