"""From the files of prompts to messages."""

import importlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from baselines.chat import Message
from climatecheck import taxonomy

PROMPTS = Path(__file__).with_name("prompts")
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_DIVIDER = "\n=====\n"


@cache
def template(name: str) -> str:
    """Return the text of a file of prompts, by its name without ``.txt``."""
    return (PROMPTS / f"{name}.txt").read_text("utf-8")


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with its places filled in; places within the values stay as they are.

    Raises:
        KeyError: if a place has no value.

    >>> filled("Is {{claim}} so?", {"claim": "{{abstract}}"})
    'Is {{abstract}} so?'
    """
    return _PLACE.sub(lambda place: values[place[1]], text)


def messages(name: str, values: Mapping[str, str]) -> tuple[Message, ...]:
    """Return the messages of a prompt."""
    told, asked = template(name).split(_DIVIDER)
    return (
        {"role": "system", "content": filled(told, values).strip()},
        {"role": "user", "content": filled(asked, values).strip()},
    )


def narrative_note(codes: Sequence[str]) -> str:
    """Return what the verifier is told about the predicted narratives of a claim: the groups."""
    groups = dict.fromkeys(map(taxonomy.group_of, codes))
    named = "; ".join(f"{group} ({taxonomy.GROUPS[group]})" for group in groups)
    return filled(template("verification_narrative"), {"groups": named})


@cache
def codebook() -> str:
    """Return all groups and codes with what they mean and what does not count."""
    text = (PROMPTS / "codebook.yaml").read_text("utf-8")
    book = importlib.import_module("yaml").safe_load(text)
    lines = []
    for group, name in taxonomy.GROUPS.items():
        lines += ["", f"Group {group}: {name}{_explained(book['groups'].get(group))}"]
        for code in taxonomy.CODES:
            if taxonomy.group_of(code) == group:
                named = f"{code} {taxonomy.NARRATIVES[code]}"
                lines.append(f"- {named}{_explained(book['codes'].get(code))}")
    return "\n".join(lines[1:])


def _explained(entry: Mapping[str, str] | None) -> str:
    return f". {entry['means']} Not: {entry['not']}" if entry else ""
