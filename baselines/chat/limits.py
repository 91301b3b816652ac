"""How fast and how much may be asked."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias

from baselines.chat.endpoint import Reply
from baselines.chat.messages import Message, approximate_tokens
from baselines.chat.settings import ChatSettings

Sleep: TypeAlias = Callable[[float], Awaitable[None]]
Clock: TypeAlias = Callable[[], float]


class Stop:
    """Whether a run has ended early, and why; wakes those who pause."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self._event = asyncio.Event()

    def now(self, reason: str) -> None:
        """End the run; the first reason stays."""
        self.reason = self.reason or reason
        self._event.set()

    async def or_after(self, pause: Awaitable[None]) -> None:
        """Wait for a pause to pass, or for the end of the run."""
        waiting = [asyncio.ensure_future(pause), asyncio.ensure_future(self._event.wait())]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for future in waiting:
                future.cancel()


class Pace:
    """Lets calls begin: so many a minute, evenly spaced, and none while the server asks to wait."""

    def __init__(self, per_minute: float | None, stop: Stop, sleep: Sleep, clock: Clock) -> None:
        self._space = 60.0 / per_minute if per_minute else 0.0
        self._stop = stop
        self._sleep = sleep
        self._clock = clock
        self._next = clock()
        self._closed_until = clock()

    def close(self, seconds: float) -> None:
        """Let no call begin for some seconds."""
        self._closed_until = max(self._closed_until, self._clock() + seconds)

    async def turn(self) -> None:
        """Return when the next call may begin, or when the run has ended."""
        while self._stop.reason is None:
            now = self._clock()
            opens = max(self._next, self._closed_until)
            if opens <= now:
                self._next = now + self._space
                return
            await self._stop.or_after(self._sleep(opens - now))


class Budget:
    """Counts calls and tokens, and ends the run when either is spent.

    Where a server counts no tokens they are estimated from the length of the texts.
    """

    def __init__(self, settings: ChatSettings, stop: Stop) -> None:
        self._settings = settings
        self._stop = stop
        self.calls = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._estimated = 0

    def take_call(self) -> bool:
        """Count a call and return True, or end the run and return False if none is left."""
        calls, tokens = self._settings.budget_calls, self._settings.budget_tokens
        used = self.prompt_tokens + self.completion_tokens + self._estimated
        if calls is not None and self.calls >= calls:
            self._stop.now(f"the budget of {calls:,} calls is spent")
        elif tokens is not None and used >= tokens:
            about = "about " if self._estimated else ""
            self._stop.now(f"the budget of {tokens:,} tokens is spent ({about}{used:,} used)")
        else:
            self.calls += 1
            return True
        return False

    def add_tokens(self, messages: Iterable[Message], reply: Reply) -> None:
        """Count the tokens of a question and its answer."""
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        if not reply.prompt_tokens:
            self._estimated += approximate_tokens(messages)
        if not reply.completion_tokens:
            self._estimated += approximate_tokens([{"content": reply.text}])


def backoff(settings: ChatSettings, failures: int, chance: random.Random) -> float:
    """Return the seconds to pause after so many failed attempts (1 and up).

    >>> halved = random.Random(0)
    >>> halved.random = lambda: 1.0
    >>> settings = ChatSettings("m", "http://localhost", backoff_seconds=1, backoff_most_seconds=6)
    >>> [backoff(settings, failures, halved) for failures in (1, 2, 3, 4)]
    [0.5, 1.0, 2.0, 3.0]
    """
    doubled = settings.backoff_seconds * 2.0 ** min(failures - 1, 60)
    return min(doubled, settings.backoff_most_seconds) * (1 - chance.random() / 2)
