"""What is asked and what comes back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from climatecheck.tables import Json

Message: TypeAlias = Mapping[str, str]
"""``{"role": "system" | "user" | "assistant", "content": text}``."""

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Request:
    """One question.

    Attributes:
        key: the asker's name for it; comes back with the answer.
        messages: the conversation so far.
        schema: JSON schema of the answer; sent where the server offers structured output.
    """

    key: str
    messages: Sequence[Message]
    schema: Json | None = None


class Verdict(Enum):
    """What an asker may say of an answer that arrived well."""

    UNUSABLE = "no use, and nothing more to ask: the progress bar counts it as a failure"


@dataclass(frozen=True)
class Attempt:
    """One call.

    Attributes:
        error: why it gave no answer; None if it did.
        status: HTTP status; None if no response came.
        seconds: from the call to its end.
        waited: seconds waited after it, before the next attempt.
    """

    error: str | None
    status: int | None
    seconds: float
    waited: float = 0.0


@dataclass(frozen=True)
class Answer:
    """What came of a request. A refusal or an empty text is an answer: the asker judges it.

    Attributes:
        key: of the request.
        text: what the model wrote; empty where it wrote nothing, or where there is an error.
        error: why there is no answer; None if the model answered.
        attempts: how many calls it took.
        seconds: from the first call to the end of the last, pauses between them included.
        prompt_tokens, completion_tokens: of the call that answered, as the server counts; 0 where
            it does not.
        finish_reason: why the model stopped, in the server's words (``stop``, ``length``, …).
        refusal: the model's refusal, where the server tells it apart from a text.
        model: the model's name as the server gives it.
        structured: whether the server was held to the schema.
        calls: every attempt, in order.
    """

    key: str
    text: str
    error: str | None
    attempts: int
    seconds: float
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = ""
    refusal: str = ""
    model: str = ""
    structured: bool = False
    calls: tuple[Attempt, ...] = ()

    @property
    def truncated(self) -> bool:
        """Whether the text ends because the limit of tokens was reached."""
        return self.finish_reason == "length"


@dataclass(frozen=True)
class Summary:
    """What a run of questions came to.

    Attributes:
        answered: requests that the model answered.
        failed: requests that ended in an error.
        left: requests that were not asked to the end, so that they stay open; None if their number
            is not known.
        calls: all calls, attempts that failed included.
        prompt_tokens, completion_tokens: as the server counted them.
        seconds: of the whole run.
        stopped: why it ended before the last request; None if it did not.
        structured: False if the server refused structured output, so that answers were free text.
    """

    answered: int
    failed: int
    left: int | None
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    stopped: str | None
    structured: bool


def approximate_tokens(messages: Iterable[Message]) -> int:
    """Return roughly how many tokens messages have: one for four characters of English, rounded up.

    >>> approximate_tokens([{"role": "user", "content": "Is it so?"}])
    3
    """
    characters = sum(len(message["content"]) for message in messages)
    return -(-characters // CHARACTERS_PER_TOKEN)
