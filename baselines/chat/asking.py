"""Many requests at once: bounded, paced, retried, within a budget, each answer handed over at once.

A run can be ended at any moment. What was handed over stays, and calls in flight are all that is
lost.
"""

import asyncio
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import TypeAlias

from baselines.chat.endpoint import CallError, Endpoint, Remedy, Reply
from baselines.chat.limits import Budget, Clock, Pace, Sleep, Stop, backoff
from baselines.chat.messages import Answer, Attempt, Request, Summary, Verdict
from baselines.chat.settings import ChatSettings
from baselines.progress import Progress

OnAnswer: TypeAlias = Callable[[Answer], Request | Verdict | None]
"""Takes an answer, and may return a request that follows from it, such as a second try or turn, or
say that the answer is of no use."""


async def ask_all(
    requests: Iterable[Request],
    settings: ChatSettings,
    *,
    on_answer: OnAnswer,
    progress: str | None = None,
    sleep: Sleep = asyncio.sleep,
    clock: Clock = time.monotonic,
    chance: random.Random | None = None,
) -> Summary:
    """Ask all requests, at most ``settings.concurrency`` at once.

    A request is answered, or fails with a reason, or stays open because the run ended. The run ends
    early when its budget is spent, when the server refuses the key, the model or all further
    credit, or when ``settings.give_up_after`` requests in a row failed, for whatever reason.
    A request that the server refuses fails after one call; whether for its own sake or because of
    the settings is seen only when another one is answered.

    Args:
        requests: drawn one by one, as calls become free.
        settings: the endpoint, and how and how much to ask.
        on_answer: takes each answer as it arrives, in any order, failed ones included, in the
            thread that called; a request that it returns is asked next. What it raises ends the
            run.
        progress: title of a progress bar; None shows none.
        sleep: pauses for some seconds.
        clock: tells the seconds, from any beginning.
        chance: makes the random part of pauses.

    Raises:
        MissingLibraryError: if the openai client is not installed.
    """
    total = len(requests) if isinstance(requests, Sized) else None
    with Progress(progress, total) as bar:
        async with Endpoint(settings) as endpoint:
            run = _Run(settings, endpoint, on_answer, bar, sleep, clock, chance or random.Random())
            await run.all(iter(requests))
        return run.summary(total)


def ask(
    requests: Iterable[Request],
    settings: ChatSettings,
    *,
    on_answer: OnAnswer,
    progress: str | None = None,
) -> Summary:
    """Do as ``ask_all`` and return when all is done.

    In a notebook, where an event loop runs already, the answers are handed over in another thread.
    """

    def run() -> Summary:
        return asyncio.run(ask_all(requests, settings, on_answer=on_answer, progress=progress))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run()
    return _in_thread(run)


class _Run:
    def __init__(
        self,
        settings: ChatSettings,
        endpoint: Endpoint,
        on_answer: OnAnswer,
        bar: Progress,
        sleep: Sleep,
        clock: Clock,
        chance: random.Random,
    ) -> None:
        self._settings = settings
        self._endpoint = endpoint
        self._on_answer = on_answer
        self._bar = bar
        self._sleep = sleep
        self._clock = clock
        self._chance = chance
        self._stop = Stop()
        self._pace = Pace(settings.requests_per_minute, self._stop, sleep, clock)
        self._budget = Budget(settings, self._stop)
        self._start = clock()
        self._answered = self._failed = self._failed_in_a_row = 0
        self._takes_schema = settings.structured

    async def all(self, requests: Iterator[Request]) -> None:
        workers = [
            asyncio.ensure_future(self._work(requests)) for _ in range(self._settings.concurrency)
        ]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    def summary(self, total: int | None) -> Summary:
        return Summary(
            self._answered,
            self._failed,
            None if total is None else total - self._bar.done,
            self._budget.calls,
            self._budget.prompt_tokens,
            self._budget.completion_tokens,
            self._clock() - self._start,
            self._stop.reason,
            self._takes_schema,
        )

    async def _work(self, requests: Iterator[Request]) -> None:
        while self._stop.reason is None:
            request = next(requests, None)
            if request is None:
                return
            failed = False
            while request is not None:
                answer = await self._answer(request)
                if answer is None:
                    return
                follows = self._on_answer(answer)
                failed = answer.error is not None or follows is Verdict.UNUSABLE
                request = follows if isinstance(follows, Request) else None
            self._bar.advance(failures=int(failed))

    async def _answer(self, request: Request) -> Answer | None:
        """Return what came of a request; None if the run ended before."""
        question = _Question(request, self._clock())
        structured = self._takes_schema and request.schema is not None
        while True:
            await self._pace.turn()
            if self._stop.reason is not None or not self._budget.take_call():
                return None
            begun = self._clock()
            try:
                reply = await self._endpoint.call(request, structured=structured)
            except CallError as error:
                if error.remedy is Remedy.NO_SCHEMA and structured:
                    structured = False
                    question.note(error, self._clock() - begun)
                    continue
                if not await self._may_try_again(question, error, self._clock() - begun):
                    return self._failure(question, error)
            else:
                return self._success(question, reply, structured, self._clock() - begun)

    async def _may_try_again(self, question: "_Question", error: CallError, seconds: float) -> bool:
        """Pause after a failed call; return False if there is no point in another."""
        pause = self._pause(question, error)
        question.note(error, seconds, pause or 0.0)
        if pause is None:
            return False
        if error.retry_after is not None:
            self._pace.close(pause)
        await self._stop.or_after(self._sleep(pause))
        return True

    def _pause(self, question: "_Question", error: CallError) -> float | None:
        """Return the seconds to pause before another call; None if there should be none."""
        if error.remedy is Remedy.WAIT:
            question.waits += 1
            own = backoff(self._settings, question.waits, self._chance)
            pause = max(own, error.retry_after or 0.0)
            return pause if question.waits_within(self._settings, pause, self._clock()) else None
        if error.remedy is Remedy.RETRY:
            question.failures += 1
            if question.failures < self._settings.max_attempts:
                return backoff(self._settings, question.failures, self._chance)
        return None

    def _success(
        self, question: "_Question", reply: Reply, structured: bool, seconds: float
    ) -> Answer:
        self._budget.add_tokens(question.request.messages, reply)
        self._answered += 1
        self._failed_in_a_row = 0
        if question.request.schema is not None and not structured:
            self._takes_schema = False  # it is the schema that the server refused
        question.calls.append(Attempt(None, 200, seconds))
        return Answer(
            question.request.key,
            reply.text,
            None,
            len(question.calls),
            self._clock() - question.start,
            reply.prompt_tokens,
            reply.completion_tokens,
            reply.finish_reason,
            reply.refusal,
            reply.model,
            structured,
            tuple(question.calls),
        )

    def _failure(self, question: "_Question", error: CallError) -> Answer | None:
        if error.remedy is Remedy.STOP:
            self._stop.now(f"the server refuses every call ({error.reason})")
            return None
        self._failed += 1
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= self._settings.give_up_after:
            self._stop.now(
                f"{self._failed_in_a_row} requests in a row failed (last: {error.reason})"
            )
        seconds = self._clock() - question.start
        calls = tuple(question.calls)
        return Answer(question.request.key, "", error.reason, len(calls), seconds, calls=calls)


class _Question:
    """A request on its way: what was tried so far."""

    def __init__(self, request: Request, start: float) -> None:
        self.request = request
        self.start = start
        self.calls: list[Attempt] = []
        self.failures = 0
        self.waits = 0
        self._waits_since: float | None = None

    def waits_within(self, settings: ChatSettings, pause: float, now: float) -> bool:
        """Return whether another pause is within the patience, by the clock."""
        if self._waits_since is None:
            self._waits_since = now
        return now + pause - self._waits_since <= settings.patience_seconds

    def note(self, error: CallError, seconds: float, waited: float = 0.0) -> None:
        self.calls.append(Attempt(error.reason, error.status, seconds, waited))


def _in_thread(run: Callable[[], Summary]) -> Summary:
    made: list[Summary] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            made.append(run())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return made[0]
