"""From the text of a cell to its value, or to the problem that it has.

What spreadsheet programs do to cells is told apart from what people write in them.
"""

import re
from collections.abc import Callable

from climatecheck import problem_table as table
from climatecheck.problems import Kind
from climatecheck.tables import Claims
from climatecheck.taxonomy import NARRATIVES
from climatecheck.values import Parsed, abstract_of, claim_of, codes_of, label_of
from organiser.agreement import sheet_problems as kinds
from organiser.agreement.spreadsheet import FORMULA

_WHOLE_DECIMAL = re.compile(r"[0-9]{1,15}\.0+")
_TURNED = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T.*)?"  # 2026-02-01
    r"|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}"  # 1/2/2026
    r"|[0-9]{1,2}[-. ][A-Za-z]{3,4}\.?([-. ][0-9]{2,4})?"  # 01-Feb
    r"|[A-Za-z]{3,4}[-. ][0-9]{2}"  # Feb-01
    r"|[0-9]+([.,][0-9]+)?E[+-]?[0-9]+"  # 1.2E+05
)

Found = tuple[Kind | None, Parsed[object]]
"""The problem of a cell, if it has one, and its value."""


def _changed(text: str, guess: Callable[[], str] | None = None) -> Found | None:
    """Return what a spreadsheet program has made of a cell, if it is that."""
    if text.startswith("="):
        return kinds.FORMULA, Parsed(None, found=text)
    if _TURNED.fullmatch(text):
        return kinds.TURNED, Parsed(None, found=text, guess=guess)
    return None


def _code_of_date(text: str) -> str:
    """Return the code that was typed as 2-1 and became a date, if there can be only one."""
    iso = re.match(r"[0-9]{4}-0?([0-9]{1,2})-0?([0-9]{1,2})", text)
    pairs = {f"{iso[1]}_{iso[2]}", f"{iso[2]}_{iso[1]}"} if iso else set()
    possible = pairs.intersection(NARRATIVES)
    return possible.pop() if len(possible) == 1 else ""


def claim(text: str, claims: Claims | None) -> Found:
    """Return a claim's id, checked against the claims if they are known."""
    if not text:
        return table.CLAIM_EMPTY, Parsed(None)
    listed = claims is not None and text in claims.index
    changed = None if listed else _changed(text)
    if changed:
        return changed
    if text.startswith(FORMULA):
        return kinds.ID_FORMULA, Parsed(None, found=text)
    if claims is None:
        whole = text.split(".")[0] if _WHOLE_DECIMAL.fullmatch(text) else text
        return table.ID_DECIMAL if whole != text else None, Parsed(whole, found=text)
    parsed = claim_of(text, claims.index)
    if parsed.value is None:
        return table.UNKNOWN_CLAIM, Parsed(None, found=parsed.found, guess=parsed.guess)
    return table.ID_DECIMAL if parsed.remark else None, Parsed(claims.ids[parsed.value])


def abstract(text: str) -> Found:
    """Return an abstract's id as text."""
    if not text:
        return table.ABSTRACT_EMPTY, Parsed(None)
    parsed = abstract_of(text)
    if parsed.value is not None:
        kind = table.ID_DECIMAL if parsed.remark else None
        return kind, Parsed(str(parsed.value), found=text)
    return _changed(text) or (
        table.ABSTRACT_ID,
        Parsed(None, found=parsed.found, guess=parsed.guess),
    )


def annotator(text: str) -> Found:
    """Return an annotator's name."""
    return (None, Parsed(text)) if text else (kinds.ANNOTATOR_EMPTY, Parsed(None))


def label(text: str) -> Found:
    """Return the position of a label; none for an empty cell."""
    if not text:
        return None, Parsed(())
    parsed = label_of(text)
    if parsed.value is None:
        return _changed(text) or (table.LABEL, Parsed(None, found=text, guess=parsed.guess))
    kind = table.LABEL_FORM if parsed.remark else None
    return kind, Parsed((parsed.value,), read_as=parsed.read_as)


def narrative(text: str) -> Found:
    """Return the positions of narrative codes; none for an empty cell."""
    parsed = codes_of(text)
    if parsed.value is None:
        changed = _changed(text, lambda: _code_of_date(text))
        return changed or (table.NARRATIVE, Parsed(None, found=parsed.found, guess=parsed.guess))
    kind = {"form": table.NARRATIVE_FORM, "twice": table.NARRATIVE_TWICE}.get(parsed.remark)
    return kind, Parsed(parsed.value, read_as=parsed.read_as)
