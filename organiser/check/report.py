"""What the checks said: for a person at a terminal, for a script, and for the documentation."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from organiser.check.bundle import Bundle
from organiser.check.registry import CHECKS, SEVERITIES, Check, Finding, Result, Severity
from organiser.pages import table

_WIDTH = 98
_SHOWN = 6
_CHARACTERS = 300
_COLOURS: dict[str, str] = {"error": "31", "warning": "33", "advice": "36", "passed": "32"}
_HEADINGS: dict[Severity, str] = {"error": "ERRORS", "warning": "WARNINGS", "advice": "ADVICE"}
_NOUNS: dict[Severity, tuple[str, str]] = {
    "error": ("error", "errors"),
    "warning": ("warning", "warnings"),
    "advice": ("piece of advice", "pieces of advice"),
}


def has_errors(results: Iterable[Result]) -> bool:
    """Return whether a check of severity error failed."""
    return any(r.status == "failed" and r.check.severity == "error" for r in results)


def as_json(bundle: Bundle, results: Sequence[Result]) -> dict[str, Any]:
    """Return everything that was found, for scripts."""
    return {
        "bundle": bundle.name,
        "uploadable": not has_errors(results),
        "counts": _counts(results),
        "checks": [
            {
                "id": r.check.id,
                "title": r.check.title,
                "severity": r.check.severity,
                "harm": r.check.harm,
                "source": r.check.source,
                "status": r.status,
                "reason": r.reason,
                "findings": [
                    {"where": f.where, "what": f.what, "mend": f.mend} for f in r.findings
                ],
            }
            for r in results
        ],
    }


def _counts(results: Sequence[Result]) -> dict[str, int]:
    failed = Counter(r.check.severity for r in results if r.status == "failed")
    other = Counter(r.status for r in results if r.status != "failed")
    names: tuple[str, ...] = (*_HEADINGS, "passed", "skipped")
    return {name: failed.get(name, 0) + other.get(name, 0) for name in names}  # type: ignore[call-overload]


def as_text(bundle: Bundle, results: Sequence[Result], *, colour: bool = False) -> str:
    """Return the report: what failed, worst first, then what was skipped and what passed."""
    lines = [f"Checked {_plain(bundle.name)}"]
    for severity in _HEADINGS:
        failed = [r for r in results if r.status == "failed" and r.check.severity == severity]
        if failed:
            heading = f"{_HEADINGS[severity]}  {SEVERITIES[severity]}"
            lines += ["", _painted(heading, severity, colour)]
            for result in failed:
                lines += _failed(result, colour)
    skipped = [r for r in results if r.status == "skipped"]
    if skipped:
        lines += ["", "SKIPPED  not looked at, and why"]
        lines += [f"  - {r.check.id}: {_plain(r.reason)}" for r in skipped]
    lines += ["", _painted("PASSED", "passed", colour), *_passed(results)]
    return "\n".join([*lines, "", *_verdict(results, colour), ""])


def as_brief(bundle: Bundle, results: Sequence[Result], *, colour: bool = False) -> str:
    """Return the report for the end of a build: errors in full, the rest in a line each."""
    lines: list[str] = []
    for severity in _HEADINGS:
        for result in results:
            if result.status == "failed" and result.check.severity == severity:
                full = severity == "error"
                lines += _failed(result, colour) if full else [_in_a_line(result, colour)]
    return "\n".join([f"Checked {_plain(bundle.name)}", *lines, *_verdict(results, colour), ""])


def _in_a_line(result: Result, colour: bool) -> str:
    finding, more = result.findings[0], len(result.findings) - 1
    mark = _painted("!", result.check.severity, colour)
    said = _plain(f"{result.check.id}: {finding.where}: {finding.what}")
    return f"  {mark} {said}{f' (and {more} more)' if more else ''}"


def _failed(result: Result, colour: bool) -> Iterator[str]:
    check = result.check
    mark = _painted("✗" if check.severity == "error" else "!", check.severity, colour)
    yield ""
    yield f"  {mark} {check.id}"
    for finding in result.findings[:_SHOWN]:
        yield from _finding(finding)
    if len(result.findings) > _SHOWN:
        yield f"    … and {len(result.findings) - _SHOWN} more (--json lists all)"
    yield from _wrapped(f"Expected: {check.title}.", "    ", " " * 14)
    yield from _wrapped(f"Otherwise: {check.harm}", "    ", " " * 15)


def _finding(finding: Finding) -> Iterator[str]:
    yield from _wrapped(f"{finding.where}: {finding.what}", "    ", "      ")
    yield from _wrapped(f"→ {finding.mend}", "      ", "        ")


def _passed(results: Sequence[Result]) -> Iterator[str]:
    topics: dict[str, list[str]] = {}
    for result in results:
        if result.status == "passed":
            topics.setdefault(result.check.topic, []).append(result.check.id)
    width = max(map(len, topics), default=0)
    for topic, ids in topics.items():
        yield from _wrapped(f"✓ {topic:<{width}}  {', '.join(ids)}", "  ", " " * (width + 6))


def _verdict(results: Sequence[Result], colour: bool) -> Iterator[str]:
    counts = _counts(results)
    parts = [
        f"{counts[name]} {_NOUNS[name][counts[name] != 1]}"
        for name in _NOUNS
        if counts[name] or name == "error"
    ]
    yield f"{', '.join(parts)}; {counts['passed']} passed, {counts['skipped']} skipped."
    if counts["error"]:
        yield _painted("Do not upload it yet.", "error", colour)
    elif counts["warning"]:
        yield _painted("It can be uploaded; read the warnings first.", "warning", colour)
    else:
        yield _painted("It can be uploaded.", "passed", colour)


def _wrapped(text: str, first: str, rest: str = "") -> list[str]:
    return textwrap.wrap(
        _plain(text),
        _WIDTH,
        initial_indent=first,
        subsequent_indent=rest or first,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _plain(text: str) -> str:
    """Return a text without what could steer a terminal, and cut."""
    cut = text[:_CHARACTERS] + ("…" if len(text) > _CHARACTERS else "")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)


def _painted(text: str, name: str, colour: bool) -> str:
    return f"\033[{_COLOURS[name]}m{text}\033[0m" if colour else text


def as_page() -> str:
    """Return ``docs/checks.md``, made from the registry."""
    parts = [
        "# What `make check` looks at",
        "Made from the checks themselves by `python -m organiser.check --write-docs`.\n"
        "Errors alone make the command fail. A check that lacks a fact is skipped, and says why.",
    ]
    for severity, meaning in SEVERITIES.items():
        rows = [_row(each) for each in CHECKS.values() if each.severity == severity]
        heading = f"## {_HEADINGS[severity].capitalize()}: {meaning} ({len(rows)})"
        header = ["Check", "What should be true", "What happens otherwise", "How we know"]
        parts += [heading, table(header, rows)]
    return "\n\n".join(parts) + "\n"


def _row(each: Check) -> list[str]:
    return [f"`{each.id}`", each.title, each.harm, each.source]
