"""One call to a chat endpoint: an answer, or a failure that says what can be done about it."""

import asyncio
import email.utils
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from baselines.chat.messages import Request
from baselines.chat.settings import ChatSettings
from baselines.libraries import load
from climatecheck.tables import Json

_TEMPORARY = frozenset({408, 409, 425})
_OF_THE_SERVER = frozenset({401, 402, 403, 404})
_PERHAPS_THE_SCHEMA = frozenset({400, 422})
_OUT_OF_CREDIT = "insufficient_quota"
_SHOWN_CHARACTERS = 300
_MOST_TOKENS = 10**12
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_NO_KEY = "none"


class Remedy(Enum):
    """What can be done about a failed call."""

    RETRY = "call again after a pause"
    WAIT = "the server asks to wait"
    NO_SCHEMA = "call again without the schema, if it had one"
    NONE = "this request cannot be answered"
    STOP = "no request can be answered"


class CallError(Exception):
    """A call gave no answer.

    Attributes:
        reason: why, in words that never hold the key.
        remedy: what can be done.
        status: HTTP status; None if no response came.
        retry_after: seconds that the server asks to wait, if it says so.
    """

    def __init__(
        self,
        reason: str,
        remedy: Remedy,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy
        self.status = status
        self.retry_after = retry_after


@dataclass(frozen=True)
class Reply:
    """What the server answered; see ``messages.Answer``."""

    text: str
    refusal: str
    finish_reason: str
    model: str
    prompt_tokens: int
    completion_tokens: int


class Endpoint:
    """A chat endpoint, used in an ``async with`` statement.

    Raises:
        MissingLibraryError: if the openai client is not installed.
    """

    def __init__(self, settings: ChatSettings) -> None:
        self._openai = load("openai", extra="baselines")
        self._settings = settings
        self._client = self._openai.AsyncOpenAI(
            api_key=settings.key or _NO_KEY,
            base_url=settings.base_url,
            timeout=self._openai.Timeout(
                settings.timeout_seconds, connect=settings.connect_seconds
            ),
            max_retries=0,  # retries are counted and recorded by the asker
        )

    async def __aenter__(self) -> "Endpoint":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def call(self, request: Request, *, structured: bool) -> Reply:
        """Ask once.

        Args:
            request: what to ask.
            structured: whether to send the request's schema.

        Raises:
            CallError: if no answer came.
        """
        openai = self._openai
        limit = self._settings.timeout_seconds
        try:
            made = await asyncio.wait_for(self._create(request, structured), limit)
        except (asyncio.TimeoutError, openai.APITimeoutError) as error:
            raise CallError(f"no answer within {limit:g} s", Remedy.RETRY) from error
        except openai.APIStatusError as error:
            raise self._refused(error) from error
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            reason = f"no connection: {type(cause).__name__} {cause}".strip()
            raise CallError(self._safe(reason), Remedy.RETRY) from error
        except (openai.OpenAIError, ValueError, RecursionError) as error:
            raise _malformed() from error
        return _reply(made)

    async def _create(self, request: Request, structured: bool) -> Any:
        chosen = {
            name: value
            for name in ("temperature", "seed", "max_tokens")
            if (value := getattr(self._settings, name)) is not None
        }
        if structured and request.schema is not None:
            chosen["response_format"] = _response_format(request.schema)
        return await self._client.chat.completions.create(
            model=self._settings.model,
            messages=[dict(message) for message in request.messages],
            extra_body=dict(self._settings.extra) or None,
            **chosen,
        )

    def _refused(self, error: Any) -> CallError:
        status = int(error.status_code)
        reason = self._safe(f"HTTP {status}: {error.message}")
        if status == 429 and error.code == _OUT_OF_CREDIT:
            return CallError(reason, Remedy.STOP, status)
        wait = retry_after(error.response.headers)
        if status == 429 or (status == 503 and wait is not None):
            return CallError(reason, Remedy.WAIT, status, wait)
        if status >= 500 or status in _TEMPORARY:
            return CallError(reason, Remedy.RETRY, status)
        if status in _OF_THE_SERVER:
            return CallError(reason, Remedy.STOP, status)
        schema = status in _PERHAPS_THE_SCHEMA
        return CallError(reason, Remedy.NO_SCHEMA if schema else Remedy.NONE, status)

    def _safe(self, text: str) -> str:
        """Return a text in one line, cut short, without the key."""
        key = self._settings.key
        hidden = text.replace(key, "…") if key else text
        return _clean(" ".join(hidden.split())[:_SHOWN_CHARACTERS])


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Return the seconds that a response asks to wait; None if it does not say, or not readably.

    ``Retry-After`` is a number of seconds or a date (RFC 9110, section 10.2.3); some servers give
    ``retry-after-ms`` beside it, which is finer.

    >>> retry_after({"retry-after": "2.5"}), retry_after({"retry-after-ms": "40"})
    (2.5, 0.04)
    >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, now=90.0)
    10.0
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        moment = email.utils.parsedate_to_datetime(headers["retry-after"]).timestamp()
    except (KeyError, ValueError, TypeError, IndexError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))


def _response_format(schema: Json) -> Json:
    described = {"name": "answer", "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": described}


def _malformed() -> CallError:
    return CallError("the response is no chat completion", Remedy.RETRY, 200)


def _reply(made: Any) -> Reply:
    """Return what a response says; it may be anything that a server calls a success."""
    try:
        choice = made.choices[0]
        message, usage = choice.message, made.usage
        text, refusal = message.content or "", getattr(message, "refusal", None) or ""
        finish_reason, model = choice.finish_reason, made.model
    except (AttributeError, IndexError, TypeError, KeyError) as error:
        raise _malformed() from error
    if not isinstance(text, str) or not isinstance(refusal, str):
        raise _malformed()
    return Reply(
        _clean(text),
        _clean(refusal),
        _named(finish_reason),
        _named(model),
        _count(getattr(usage, "prompt_tokens", None)),
        _count(getattr(usage, "completion_tokens", None)),
    )


def _clean(text: str) -> str:
    """Return a text that can be encoded: halves of characters, left alone in JSON, are marked."""
    return _HALF_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text)


def _named(value: object) -> str:
    """Return a name as the server gives it, whatever it is."""
    return _clean(value if isinstance(value, str) else "" if value is None else f"{value!r:.200}")


def _count(value: object) -> int:
    """Return a number of tokens; 0 for what can be none."""
    if isinstance(value, int | float) and 0 <= value <= _MOST_TOKENS:
        return int(value)
    return 0
