"""What a check is, how it answers, and the list of them all.

A check is a function over a bundle that yields what it finds. Its docstring is the harm: what goes
wrong if nobody looks. It raises ``Missing`` where a fact that it needs is not there; then it is
reported as skipped, never as passed.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from organiser.check.bundle import Bundle

Severity: TypeAlias = Literal["error", "warning", "advice"]
Status: TypeAlias = Literal["passed", "failed", "skipped"]

SEVERITIES: dict[Severity, str] = {
    "error": "CodaBench would refuse the bundle, or take it and break on it",
    "warning": "CodaBench would take it, but it is probably not what you want",
    "advice": "what organisers usually regret later",
}

UNPACKING = "CodaBench: unpacking a bundle"
RUNNING = "CodaBench: running a submission"
BOARD = "CodaBench: leaderboards"
SITE = "CodaBench: what the site shows"
DOWNLOADS = "CodaBench: what participants can download"
FIELD = "Reports of organisers and participants"
RULES = "This competition's own rules"


class Missing(Exception):
    """A fact that a check needs is not there; the message says which and why."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: where it stands, what it is, and how to mend it."""

    where: str
    what: str
    mend: str


Find: TypeAlias = "Callable[[Bundle], Iterable[Finding]]"


@dataclass(frozen=True)
class Check:
    """A registered check.

    Attributes:
        id: stable; scripts may rely on it.
        title: what is true of a bundle that passes.
        severity: what a finding means for the organiser.
        source: how we know.
        harm: one sentence: what happens otherwise.
        topic: the module that it stands in.
        find: yields the findings; none at all means passed.
    """

    id: str
    title: str
    severity: Severity
    source: str
    harm: str
    topic: str
    find: Find


@dataclass(frozen=True)
class Result:
    """What a check said about a bundle; ``reason`` says why it was skipped."""

    check: Check
    status: Status
    findings: tuple[Finding, ...] = ()
    reason: str = ""


CHECKS: dict[str, Check] = {}
"""Every check by its id, in the order of the modules."""


def check(id_: str, title: str, severity: Severity, source: str) -> Callable[[Find], Find]:
    """Register a function as a check; its docstring is the harm."""

    def register(find: Find) -> Find:
        if id_ in CHECKS:
            raise ValueError(f"there are two checks called {id_}")
        harm = " ".join((find.__doc__ or "").split("\n\n")[0].split())
        topic = find.__module__.rpartition(".")[2].replace("_", " ")
        CHECKS[id_] = Check(id_, title, severity, source, harm, topic, find)
        return find

    return register


def run(bundle: "Bundle") -> list[Result]:
    """Return what every check says about a bundle, in the order of the registry."""
    return [_result(each, bundle) for each in CHECKS.values()]


def _result(each: Check, bundle: "Bundle") -> Result:
    findings: list[Finding] = []
    reason = ""
    try:
        findings.extend(_unique(each.find(bundle)))
    except Missing as missing:
        reason = str(missing)
    except Exception as error:  # what no check foresaw must not pass for a good bundle
        what = f"the check could not cope with this bundle ({type(error).__name__})"
        findings.append(Finding("the bundle", what, "Look at this by hand."))
    if findings:
        return Result(each, "failed", tuple(findings))
    return Result(each, "skipped" if reason else "passed", (), reason)


def _unique(findings: Iterable[Finding]) -> Iterator[Finding]:
    seen: set[Finding] = set()
    for finding in findings:
        if finding not in seen:
            seen.add(finding)
            yield finding
