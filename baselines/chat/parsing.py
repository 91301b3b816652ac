"""Strict readers of what a language model wrote: what is not as asked is refused in words."""

import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from climatecheck.tables import Json

_REASONING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)\n?\s*```", re.DOTALL | re.IGNORECASE)


class ParseError(ValueError):
    """An answer is not what was asked for; the message says what is wrong with it."""


def without_reasoning(text: str) -> str:
    """Return an answer without the reasoning that some models put before it.

    >>> without_reasoning("<think>Hm {x}.</think>  Supports ")
    'Supports'

    Raises:
        ParseError: if the reasoning does not end.
    """
    rest = _REASONING.sub("", text, count=1) if _REASONING.match(text) else text
    if rest.lstrip().startswith("<think>"):
        raise ParseError("the reasoning does not end")
    return rest.strip()


def json_object(text: str) -> Json:
    r"""Return the JSON object that an answer consists of.

    Reasoning before it and one code fence around it are taken off; nothing else may stand beside
    it. A name given twice, NaN and Infinity are refused.

    >>> json_object('```json\n{"facts": 3}\n```')
    {'facts': 3}

    Raises:
        ParseError: if the answer is anything else.
    """
    bare = without_reasoning(text)
    fence = _FENCE.fullmatch(bare)
    if not bare:
        raise ParseError("the answer is empty")
    try:
        made = json.loads(
            fence[1] if fence else bare, object_pairs_hook=_distinct, parse_constant=_refuse
        )
    except ParseError:
        raise
    except (ValueError, RecursionError) as error:
        raise ParseError(f"the answer is not JSON: {error}") from error
    if not isinstance(made, dict):
        raise ParseError(f"the answer is not a JSON object but a {type(made).__name__}")
    return made


def count_of(answer: Json, name: str) -> int:
    """Return a whole number from 0 up.

    >>> count_of({"facts": 3}, "facts")
    3

    Raises:
        ParseError: if it is missing or anything else (``true``, ``2.5``, ``"3"``, ``-1``).
    """
    value = _value(answer, name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ParseError(f"{name} should be a whole number from 0 up, found {value!r:.40}")
    return value


def text_of(answer: Json, name: str) -> str:
    """Return a text, blanks around it removed.

    Raises:
        ParseError: if it is missing or no text.
    """
    value = _value(answer, name)
    if not isinstance(value, str):
        raise ParseError(f"{name} should be a text, found {value!r:.40}")
    return value.strip()


def _value(answer: Json, name: str) -> Any:
    if name not in answer:
        raise ParseError(f"{name} is missing")
    return answer[name]


def _distinct(pairs: Iterable[tuple[str, Any]]) -> Json:
    made: Json = {}
    for name, value in pairs:
        if name in made:
            raise ParseError(f"{name} is given twice")
        made[name] = value
    return made


def _refuse(constant: str) -> NoReturn:
    raise ParseError(f"{constant} is no number")
