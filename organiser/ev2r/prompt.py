"""The prompt of the reference part, from its file: what it says, and the hash of all of it."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import Template

from baselines.chat.messages import Message
from climatecheck.tables import Json
from organiser.editions import OrganiserError
from organiser.ev2r.facts import SCHEMA
from organiser.ev2r.recipe import digest

PROMPT_FILE = Path(__file__).with_name("prompt.txt")

_PARTS = ("system", "user", "correction")
_HEADING = re.compile(r"^=== (\w+) ===\n", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """What is said to a model.

    Attributes:
        system: the system message.
        user: the question; ``$a`` and ``$b`` stand for the two texts.
        correction: what is added after an answer that could not be used.
    """

    system: str
    user: str
    correction: str
    schema: Json

    @property
    def hash(self) -> str:
        """A hash of all of it, the schema included."""
        return digest(json.dumps([self.system, self.user, self.correction, self.schema]), 16)

    def messages(self, a: str, b: str, *, again: bool = False) -> Sequence[Message]:
        """Return the messages that ask about a retrieved abstract and a gold abstract.

        Args:
            a: text of the retrieved abstract.
            b: text of the gold abstract.
            again: whether an earlier answer could not be used.
        """
        question = Template(self.user).substitute(a=a, b=b)
        if again:
            question = f"{question}\n\n{self.correction}"
        system: list[Message] = [{"role": "system", "content": self.system}] if self.system else []
        return (*system, {"role": "user", "content": question})


@lru_cache
def read_prompt(path: Path = PROMPT_FILE) -> Prompt:
    """Read a prompt: parts headed ``=== system ===``, ``=== user ===`` and ``=== correction ===``.

    Raises:
        OrganiserError: the file cannot be read, a part is missing, or ``$a`` or ``$b`` is.
    """
    try:
        _, *pieces = _HEADING.split(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise OrganiserError(f"The prompt {path} cannot be read: {error}") from error
    parts = {name: text.strip() for name, text in zip(pieces[::2], pieces[1::2], strict=True)}
    if set(parts) != set(_PARTS):
        raise OrganiserError(f"The prompt {path} should have the parts {', '.join(_PARTS)}.")
    try:
        Template(parts["user"]).substitute(a="", b="")
    except (KeyError, ValueError) as error:
        raise OrganiserError(f"{path}: a $ beside $a and $b is written $$ ({error})") from error
    if not all(re.search(rf"\${letter}\b", parts["user"]) for letter in "ab"):
        raise OrganiserError(f"The prompt {path} should show both texts, as $a and $b.")
    return Prompt(**parts, schema=SCHEMA)
