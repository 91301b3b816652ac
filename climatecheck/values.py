"""From the text of a cell to a value: ids, ranks, labels and sets of narrative codes.

A cell is read as it stands or not at all. ``Parsed.remark`` says what was mended on the way,
``Parsed.hint`` what was probably meant where nothing could be read.
"""

import difflib
import operator
import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from climatecheck import edition, taxonomy
from climatecheck.tables import Booleans, Column, Integers

T = TypeVar("T")

BLANKS = " \t\r\n\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
BLANKS += "\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"

MAX_RANK = 999_999_999

_DECIMAL = re.compile(r"[0-9]{1,15}\.0*")
_WHOLE = re.compile(r"[0-9]{1,15}")
_CODE_IN_TEXT = re.compile(r"(?<![0-9_])([0-9])[_.\- ]([0-9])(?![0-9])")
_DECIMAL_COMMA = re.compile(r"([0-9]),([0-9])")
_GROUPED = re.compile(r"([1-9][0-9]{0,2}(?:([,.'\u2019])[0-9]{3})(?:\2[0-9]{3})*)(?:[,.]0*)?")
_MISSING = frozenset({"nan", "na", "n/a", "null", "none", "nil", "-", "?"})
_HINT_CHARACTERS = 200


@dataclass(slots=True)
class Parsed(Generic[T]):
    """The value of a cell (None: unreadable), what was mended, and what was probably meant.

    The guess takes time, and a file can hold thousands of odd cells: it is made when asked for.
    """

    value: T | None
    remark: str = ""
    found: str = ""
    guess: Callable[[], str] | None = None
    read_as: str = ""

    @property
    def hint(self) -> str:
        """What was probably meant, or an empty string."""
        return self.guess() if self.guess is not None else ""


@dataclass(frozen=True)
class Factor:
    """A column of text by its distinct values, blanks around them removed.

    Attributes:
        codes: (rows,) position in ``texts``.
        texts: the distinct values, in order of first appearance.
        padded: (rows,) whether blanks were removed from the cell.
    """

    codes: Integers
    texts: list[str]
    padded: Booleans


def factorise(column: Column) -> Factor:
    """Return a column by its distinct values, so that each is parsed once.

    >>> factor = factorise(["7", " 7", "8"])
    >>> factor.codes.tolist(), factor.texts, factor.padded.tolist()
    ([0, 0, 1], ['7', '8'], [False, True, False])
    """
    if isinstance(column, np.ndarray):  # of a large table: pandas is there already
        import pandas

        found, distinct = pandas.factorize(column)
        codes, raw = found.astype(np.int64), distinct.tolist()
    else:
        index = {text: i for i, text in enumerate(dict.fromkeys(column))}
        codes = np.fromiter(map(index.__getitem__, column), dtype=np.int64, count=len(column))
        raw = list(index)
    stripped = [text.strip(BLANKS) for text in raw]
    padded = np.fromiter(map(operator.ne, stripped, raw), dtype=np.bool_, count=len(raw))
    if not padded.any():
        return Factor(codes, stripped, np.zeros(len(column), dtype=np.bool_))
    merged: dict[str, int] = {}
    remap = np.array([merged.setdefault(text, len(merged)) for text in stripped], dtype=np.int64)
    return Factor(remap[codes], list(merged), padded[codes])


def best_guess(text: str, possible: Collection[str], *, cutoff: float = 0.6) -> str:
    """Return the most similar of the possible texts, or an empty string; case does not matter.

    >>> best_guess("claim_id", ["Claim_IDs", "text"])
    'Claim_IDs'
    """
    by_form = {one[:_HINT_CHARACTERS].casefold(): one for one in possible}
    wanted = text[:_HINT_CHARACTERS].casefold()
    close = difflib.get_close_matches(wanted, by_form, n=1, cutoff=cutoff)
    return by_form[close[0]] if close else ""


def claim_of(text: str, index: dict[str, int]) -> Parsed[int]:
    """Return the position of a claim id; ``123.0`` is read as ``123``.

    >>> claim_of("12.0", {"12": 4}).value, claim_of("012", {"12": 4}).hint
    (4, '12')
    """
    position = index.get(text)
    if position is not None:
        return Parsed(position)
    whole = text.split(".")[0] if _DECIMAL.fullmatch(text) else ""
    if whole in index:
        return Parsed(index[whole], remark="decimal")
    return Parsed(None, found=text, guess=lambda: _whole_number(text, lambda n: str(n) in index))


def plain_number(text: str) -> int | None:
    """Return a whole number written without sign, blanks or leading zeros, else None."""
    if text.isdigit() and text.isascii() and len(text) < 10 and (text[0] != "0" or text == "0"):
        return int(text)
    return None


def plain_abstract(text: str) -> int | None:
    """Return an abstract id in its usual form and in the corpus, else None."""
    number = plain_number(text)
    return number if number is not None and number < edition.CORPUS_SIZE else None


def plain_label(text: str) -> int | None:
    """Return the position of a label in its usual form, else None."""
    return edition.LABELS.index(text) if text in edition.LABELS else None


def abstract_of(text: str) -> Parsed[int]:
    """Return an abstract id, from 0 to the size of the corpus less one.

    >>> abstract_of("4711").value, abstract_of("4711.0").remark, abstract_of("1e5").value
    (4711, 'decimal', None)
    """
    if plain_number(text) is not None:
        return Parsed(plain_abstract(text), found=text)
    if _DECIMAL.fullmatch(text):
        whole = abstract_of(text.split(".")[0])
        return Parsed(whole.value, remark="decimal", found=text, guess=whole.guess)
    return Parsed(None, found=text, guess=lambda: _whole_number(text, edition.CORPUS_SIZE.__gt__))


def rank_of(text: str) -> Parsed[int]:
    """Return a rank, a whole number from 0 to ``MAX_RANK``; ``1.0`` and ``01`` are read as 1.

    >>> rank_of("3").value, rank_of("1.0").value, rank_of("1.5").value, rank_of("-1").value
    (3, 1, None, None)
    """
    if _WHOLE.fullmatch(text) or _DECIMAL.fullmatch(text):
        whole = int(text.split(".")[0])
        if whole <= MAX_RANK:
            return Parsed(whole, remark="" if str(whole) == text else "decimal")
    return Parsed(None, found=text, guess=lambda: _whole_number(text, MAX_RANK.__ge__, scores=True))


def label_of(text: str) -> Parsed[int]:
    """Return the position of a label; case, underscores and the known aliases do not matter.

    >>> label_of("supports"), label_of("NEI").value, label_of("support").hint
    (Parsed(value=0, remark='form', found='', guess=None, read_as='Supports'), 2, 'Supports')
    """
    if text in edition.LABELS:
        return Parsed(plain_label(text))
    plain = _plain(text)
    spellings = _label_spellings()
    if plain in spellings:
        position = spellings[plain]
        return Parsed(position, remark="form", read_as=edition.LABELS[position])
    return Parsed(None, found=text, guess=lambda: _probable_label(plain))


def codes_of(text: str) -> Parsed[tuple[int, ...]]:
    """Return the positions of the codes in a narrative cell, sorted, each once.

    Codes are joined by ``;``. A comma, list notation, an empty place and the bare group of
    ``NO_NARRATIVE`` in its place (``0`` for ``0_0``) are read too; the remark says so. One unknown
    code makes the cell unreadable; ``found`` is that code.

    >>> codes_of("2_1;1_1").value == codes_of("['1_1', '2_1']").value
    True
    >>> codes_of("2_1_4").hint, codes_of("").value
    ('2_1', ())
    """
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    tokens = [token.strip(BLANKS + "'\"") for token in inner.replace(",", ";").split(";")]
    tokens = [_in_full(token) for token in tokens if token]
    unknown = next((token for token in tokens if token not in taxonomy.NARRATIVES), None)
    if unknown is not None:
        known = any(token in taxonomy.NARRATIVES for token in tokens)
        around = unknown if known else text
        found = text if _DECIMAL_COMMA.fullmatch(text) else unknown
        return Parsed(None, found=found, guess=lambda: _probable_code(unknown, around))
    positions = tuple(sorted({taxonomy.CODES.index(token) for token in tokens}))
    twice = "twice" if len(positions) < len(tokens) else ""
    remark = "form" if ";".join(tokens) != text else twice
    if not remark:
        return Parsed(positions)
    read_as = ";".join(taxonomy.CODES[position] for position in positions)
    return Parsed(positions, remark=remark, read_as=read_as or "(empty)")


def _in_full(token: str) -> str:
    """Return the code of no narrative for its bare group, and any other text as it is."""
    bare = token == taxonomy.group_of(taxonomy.NO_NARRATIVE) and token not in taxonomy.NARRATIVES
    return taxonomy.NO_NARRATIVE if bare else token


def unusual_combination(positions: Collection[int]) -> bool:
    """Return whether ``0_0`` stands beside another code, or ``X_0`` beside an ``X_k``.

    >>> [unusual_combination(codes_of(c).value) for c in ("0_0;1_1", "1_0;1_1", "1_0;2_1")]
    [True, True, False]
    """
    codes = [taxonomy.CODES[position] for position in positions]
    if taxonomy.NO_NARRATIVE in codes and len(codes) > 1:
        return True
    groups = [taxonomy.group_of(code) for code in codes]
    return any(
        taxonomy.is_general(code) and groups.count(group) > 1
        for code, group in zip(codes, groups, strict=True)
    )


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[_\-\s]+", " ", text).casefold().split())


def _label_spellings() -> dict[str, int]:
    spellings = {_plain(label): i for i, label in enumerate(edition.LABELS)}
    for alias, label in edition.LABEL_ALIASES.items():
        if label in edition.LABELS:
            spellings[_plain(alias)] = edition.LABELS.index(label)
    return spellings


def _probable_label(plain: str) -> str:
    """Return the label that a text probably stands for, or an empty string."""
    spellings = _label_spellings()
    cutoff = 0.6 if len(plain) > 6 else 0.7
    unlike = plain in _MISSING or re.search("[;,/|]", plain)
    close = "" if unlike else best_guess(plain, spellings, cutoff=cutoff)
    return edition.LABELS[spellings[close]] if close else ""


def _whole_number(text: str, possible: Callable[[int], bool], *, scores: bool = False) -> str:
    """Return the possible whole number that a text probably stands for, or an empty string.

    Args:
        text: what is no whole number as it stands.
        possible: whether a number can be meant at all.
        scores: whether scores are written in the place of such a number, so that the point of
            ``1.375`` is not one between thousands.

    >>> [_whole_number(text, (4711).__ge__) for text in ("94,0", "4,711", "4.711", "1,5", "9'999")]
    ['94', '4711', '4711', '', '']
    """
    plain = re.sub(rf"[_{BLANKS}]", "", unicodedata.normalize("NFKC", text[:40])).strip("'\"“”#")
    grouped = _GROUPED.fullmatch(plain)
    if grouped and scores and grouped[2] == ".":
        grouped = None
    digits = re.sub("[^0-9]", "", grouped[1]) if grouped else ""
    for form in (plain, digits, plain.replace(",", ".", 1)):
        try:
            number = float(form)
        except ValueError:
            continue
        if 0 <= number < 1e12 and number.is_integer() and possible(int(number)):
            return str(int(number))
    return ""


def _probable_code(token: str, cell: str) -> str:
    """Return the code, or codes, that a text probably stands for, or an empty string.

    Args:
        token: what is not a code.
        cell: the text around it, where codes may stand too.
    """
    plain = unicodedata.normalize("NFKC", token[:_HINT_CHARACTERS]).strip(BLANKS + "'\"[]().")
    pair = _DECIMAL_COMMA.fullmatch(cell)
    if pair and f"{pair[1]}_{pair[2]}" in taxonomy.NARRATIVES:
        return f"{pair[1]}_{pair[2]}"
    if plain.isdigit() and plain.isascii():
        spaced = {1: f"{plain}_0", 2: "_".join(plain)}.get(len(plain), "")
        return spaced if spaced in taxonomy.NARRATIVES else ""
    deeper = re.match(r"([0-9]_[0-9])[_.]", plain)
    if deeper and deeper[1] in taxonomy.NARRATIVES:
        return deeper[1]
    if plain.casefold() in _MISSING | {"no narrative", "no narratives"}:
        return taxonomy.NO_NARRATIVE
    named = _code_by_name(plain)
    if named:
        return named
    text = unicodedata.normalize("NFKC", cell[: edition.MAX_CELL_CHARACTERS])
    inside = [f"{a}_{b}" for a, b in _CODE_IN_TEXT.findall(text)]
    known = dict.fromkeys(code for code in inside if code in taxonomy.NARRATIVES)
    return ";".join(known) if 0 < len(known) <= 5 else ""


def _code_by_name(text: str) -> str:
    names = {f"{group}_0": name for group, name in taxonomy.GROUPS.items()}
    names = {code: name for code, name in names.items() if code in taxonomy.NARRATIVES}
    by_name = {name: code for code, name in {**taxonomy.NARRATIVES, **names}.items()}
    return by_name.get(best_guess(text, by_name, cutoff=0.85), "")
