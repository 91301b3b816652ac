"""Errors and warnings: what was found, where, and how to mend it, each kind once."""

from collections.abc import Iterable
from html import escape

from climatecheck.problems import Problem
from climatecheck.results.markup import paragraph, section

_MEND = (
    "Nothing was scored, and nothing is scored in part. Everything that was found is listed here;"
    " mend it all and upload the file again. The validator of the starting kit says the same on"
    " your own machine, as often as you like."
)
_WARN = "The file was read nonetheless. Look whether it was read as you meant it."


def errors(problems: Iterable[Problem]) -> str:
    """Return the section of what must be mended."""
    found = [problem for problem in problems if problem.is_error]
    cards = map(_card, _grouped(found))
    return section("What must be mended", paragraph(_MEND if found else ""), *cards)


def warnings(problems: Iterable[Problem], *, read: bool) -> str:
    """Return the section of warnings.

    Args:
        problems: all problems.
        read: whether the file was accepted.
    """
    found = [problem for problem in problems if not problem.is_error]
    cards = map(_card, _grouped(found))
    return section("Warnings", paragraph(_WARN if found and read else ""), *cards)


def _grouped(problems: Iterable[Problem]) -> list[list[Problem]]:
    """Return the problems by kind, in the order in which the kinds first come."""
    kinds: dict[str, list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(problem.code, []).append(problem)
    return list(kinds.values())


def _card(group: list[Problem]) -> str:
    kind = group[0].kind
    mends = dict.fromkeys(problem.mend for problem in group)
    rows = [
        *(row for problem in group for row in _found(problem)),
        *(("Mend", "mend", escape(mend)) for mend in mends),
    ]
    body = "\n".join(f'<dt>{term}</dt><dd class="{name}">{html}</dd>' for term, name, html in rows)
    return (
        f'<article class="{"error" if kind.is_error else "warning"}">\n'
        f'<h3>{escape(kind.title)} <span class="code">{escape(kind.code)}</span></h3>\n'
        f"<dl>\n{body}\n</dl>\n</article>"
    )


def _found(problem: Problem) -> list[tuple[str, str, str]]:
    found = problem.sentence if problem.count == 1 else f"{problem.gist}."
    return [("Found", "found", escape(_upper(found))), ("Where", "where", _where(problem))]


def _where(problem: Problem) -> str:
    """Return the line, or the first few of several places and how many more there are."""
    places = [text for text in (place.text() for place in problem.places) if text]
    if problem.count == 1 or not places:
        return escape(problem.where)
    if problem.count > len(places):
        places.append(f"and {problem.count - len(places):,} more")
    listed = "".join(f"<li>{escape(text)}</li>" for text in places)
    return f"{escape(problem.file or 'upload')}<ul>{listed}</ul>"


def _upper(sentence: str) -> str:
    """Return a sentence with a capital, unless it begins with a name such as claim_id."""
    first = sentence.partition(" ")[0]
    return sentence[:1].upper() + sentence[1:] if first.isalpha() else sentence
