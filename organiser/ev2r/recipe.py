"""What decides an answer, and so where it is kept: texts, prompt, model, parameters, back end."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

from climatecheck.tables import Json

REFERENCE, PROXY = "reference", "proxy"
DONE, FAILED, OPEN, TAKEN = "done", "failed", "open", "taken"

_HASH_CHARACTERS = 32
_ID_CHARACTERS = 16

Key: TypeAlias = tuple[str, str]
"""The hashes of two texts. Reference part: the retrieved abstract and a gold abstract of the same
claim; proxy part: the claim and the retrieved abstract."""

Wanted: TypeAlias = Mapping[Key, tuple[str, str]]
"""The two texts of each pair that is needed, each pair once."""


class Outcome(NamedTuple):
    """What is known of a pair.

    Attributes:
        state: ``done``, ``failed`` (no usable answer), ``open`` or ``taken`` (being worked on).
        values: four counts, or three probabilities; None unless done.
        error: why it failed, or why it is open after a try.
        row: of the store; 0 where there is none.
    """

    state: str
    values: tuple[float, ...] | None = None
    error: str = ""
    row: int = 0


@dataclass(frozen=True)
class Recipe:
    """All that decides an answer beside the two texts.

    Attributes:
        part: ``reference`` or ``proxy``.
        backend: what answers.
        version: of its code; raised when the same input may give another answer.
        model: the model's name.
        prompt: hash of all that is said to the model; empty where nothing is.
        parameters: fit for JSON.
        approximation: whether it only stands in for what the paper uses.
    """

    part: str
    backend: str
    version: int
    model: str
    prompt: str = ""
    parameters: Json = field(default_factory=dict)
    approximation: bool = False

    @cached_property
    def id(self) -> str:
        """A short hash of all of it."""
        fields = [self.part, self.backend, self.version, self.model, self.prompt, self.parameters]
        return digest(json.dumps(fields, sort_keys=True), _ID_CHARACTERS)

    @property
    def title(self) -> str:
        """What outputs call it."""
        named = f"{self.backend}: {self.model}" if self.model else self.backend
        return f"{named} (approximation)" if self.approximation else named


def digest(text: str, characters: int = _HASH_CHARACTERS) -> str:
    """Return a hash of a text.

    >>> digest("It warms.", 8)
    '2afcc457'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:characters]
