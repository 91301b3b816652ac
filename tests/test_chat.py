"""The chat client against a local server with every fault that a real one can have."""

import asyncio
import email.utils
import json
import random
import re
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai")

from baselines.chat import (
    Answer,
    ChatSettings,
    ParseError,
    Request,
    Summary,
    ask,
    ask_all,
    count_of,
    json_object,
)
from baselines.chat.endpoint import retry_after
from baselines.chat.limits import backoff
from tests import stub_server as stub
from tests.stub_server import StubServer, says, status

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = {"type": "object", "properties": {"facts": {"type": "integer"}}, "required": ["facts"]}
KEY = "sk-very-secret-123"


class Time:
    """A clock that only pauses move, so that no test waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def clock(self) -> float:
        return self.now


def request(key: str, schema: Any = None) -> Request:
    return Request(key, ({"role": "user", "content": f"Is {key} so?"},), schema)


def settings(server: StubServer, **given: Any) -> ChatSettings:
    return ChatSettings("stub", server.base_url, **{"key": KEY, "concurrency": 1, **given})


def run(
    server: StubServer, keys: list[str], *, schema: Any = None, **given: Any
) -> tuple[dict[str, Answer], Summary, Time]:
    """Ask with a clock that only pauses move; answers by key."""
    time_ = Time()
    answers: list[Answer] = []
    summary = asyncio.run(
        ask_all(
            [request(key, schema) for key in keys],
            settings(server, **given),
            on_answer=answers.append,
            sleep=time_.sleep,
            clock=time_.clock,
            chance=random.Random(1),
        )
    )
    assert len({answer.key for answer in answers}) == len(answers)
    return {answer.key: answer for answer in answers}, summary, time_


def test_an_answer_with_all_that_is_known_of_it() -> None:
    with StubServer([says("yes", tokens=(12, 3))]) as server:
        answers, summary, _ = run(server, ["a"], temperature=0.5, seed=7, extra={"top_p": 0.9})
    answer = answers["a"]
    assert (answer.text, answer.error, answer.attempts, answer.model) == (
        "yes",
        None,
        1,
        "stub-served",
    )
    assert (answer.prompt_tokens, answer.completion_tokens, answer.finish_reason) == (12, 3, "stop")
    assert [(call.error, call.status) for call in answer.calls] == [(None, 200)]
    (call,) = server.calls
    assert call.body == {
        "model": "stub",
        "messages": [{"role": "user", "content": "Is a so?"}],
        "temperature": 0.5,
        "seed": 7,
        "max_tokens": 2048,
        "top_p": 0.9,
    }
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert (summary.answered, summary.failed, summary.left, summary.calls) == (1, 0, 0, 1)
    assert (summary.prompt_tokens, summary.completion_tokens, summary.stopped) == (12, 3, None)


def test_settings_left_to_the_server_are_not_sent() -> None:
    with StubServer([says("yes")]) as server:
        run(server, ["a"], temperature=None, seed=None, max_tokens=None)
    assert set(server.calls[0].body) == {"model", "messages"}


@pytest.mark.parametrize("code", [408, 409, 500, 502, 503, 529])
def test_what_passes_is_tried_again(code: int) -> None:
    with StubServer([status(code), status(code), says("yes")]) as server:
        answers, summary, time_ = run(server, ["a"])
    answer = answers["a"]
    assert (answer.text, answer.attempts, summary.calls) == ("yes", 3, 3)
    assert [call.status for call in answer.calls] == [code, code, 200]
    assert "told so" in (answer.calls[0].error or "")
    # Pauses of 1 and 2 seconds, less a random part of up to a half.
    first, second = time_.pauses
    assert 0.5 <= first <= 1 and 1 <= second <= 2
    assert [call.waited for call in answer.calls] == [first, second, 0]
    assert answer.seconds == first + second


@pytest.mark.parametrize("reply", [stub.cut(), stub.cut(40), stub.cut(150)])
def test_a_cut_connection_is_tried_again(reply: stub.Reply) -> None:
    with StubServer([reply, says("yes")]) as server:
        answers, _, _ = run(server, ["a"])
    answer = answers["a"]
    assert (answer.text, answer.attempts) == ("yes", 2)
    assert answer.calls[0].status is None and "no connection" in (answer.calls[0].error or "")


def test_nobody_listens() -> None:
    with StubServer([says("yes")]) as server:
        pass
    answers, summary, _ = run(server, ["a"], max_attempts=2)
    assert answers["a"].attempts == 2 and "no connection" in (answers["a"].error or "")
    assert (summary.answered, summary.failed, summary.stopped) == (0, 1, None)


@pytest.mark.parametrize("slow", [says("late").after(1.0), replace(says("drip"), drip=0.05)])
def test_a_call_that_takes_too_long_is_ended_and_tried_again(slow: stub.Reply) -> None:
    # The second reply never pauses for long, yet takes more than 200 bytes x 0.05 s as a whole.
    begun = time.monotonic()
    with StubServer([slow, says("yes")]) as server:
        answers, _, _ = run(server, ["a"], timeout_seconds=0.2)
    assert (answers["a"].text, answers["a"].attempts) == ("yes", 2)
    assert answers["a"].calls[0].error == "no answer within 0.2 s"
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize("bad", stub.BAD_COMPLETIONS.values(), ids=stub.BAD_COMPLETIONS)
def test_a_response_that_is_no_completion_is_tried_again(bad: stub.Reply) -> None:
    with StubServer([bad, says("yes")]) as server:
        answers, _, _ = run(server, ["a"])
    assert (answers["a"].text, answers["a"].attempts) == ("yes", 2)
    assert answers["a"].calls[0].error == "the response is no chat completion"


def test_attempts_end() -> None:
    with StubServer([status(500)]) as server:
        answers, summary, time_ = run(server, ["a"], max_attempts=4)
    assert answers["a"].attempts == len(server.calls) == 4
    assert answers["a"].text == "" and "HTTP 500" in (answers["a"].error or "")
    assert (summary.answered, summary.failed, summary.left) == (0, 1, 0)
    assert len(time_.pauses) == 3


@pytest.mark.parametrize("code", [400, 413, 422, 451])
def test_a_request_refused_for_its_own_sake_is_not_asked_again(code: int) -> None:
    script = lambda body: status(code) if "Is a so?" in str(body) else says("yes")  # noqa: E731
    with StubServer(script) as server:
        answers, summary, time_ = run(server, ["a", "b"])
    assert (answers["a"].attempts, time_.pauses) == (1, [])
    assert f"HTTP {code}" in (answers["a"].error or "")
    assert (answers["b"].text, summary.failed, summary.stopped) == ("yes", 1, None)


@pytest.mark.parametrize(
    "reply",
    [*map(status, (401, 402, 403, 404)), status(429, kind="insufficient_quota")],
)
def test_a_server_that_refuses_every_call_ends_the_run(reply: stub.Reply) -> None:
    with StubServer([says("yes"), reply]) as server:
        answers, summary, _ = run(server, ["a", "b", "c", "d"])
    assert list(answers) == ["a"]
    assert len(server.calls) == summary.calls == 2
    assert (summary.answered, summary.failed, summary.left) == (1, 0, 3)
    assert f"the server refuses every call (HTTP {reply.status}" in (summary.stopped or "")


def test_many_failures_in_a_row_end_the_run() -> None:
    bad = {"b", "d", "e", "f"}
    fails = lambda body: status(500) if _key(body) in bad else says("yes")  # noqa: E731
    with StubServer(fails) as server:
        answers, summary, _ = run(server, list("abcdefgh"), max_attempts=2, give_up_after=2)
    # b fails alone, then c is answered; d and e fail in a row, so f is never asked.
    assert list(answers) == list("abcde")
    assert (summary.answered, summary.failed, summary.left) == (2, 3, 3)
    assert "2 requests in a row failed (last: HTTP 500" in (summary.stopped or "")


def _key(body: stub.Body) -> str:
    found = re.fullmatch(r"Is (.*) so\?", body["messages"][-1]["content"])
    assert found
    return found[1]


def test_retry_after_holds_all_calls_back_for_as_long() -> None:
    replies = iter([status(429, retry_after=0.4)])
    with StubServer(lambda body: next(replies, says("yes"))) as server:
        summary = ask(
            [request(key) for key in "abcdef"], settings(server, concurrency=1), on_answer=_ignore
        )
    refused, *later = server.calls
    assert min(call.begun for call in later) - refused.ended >= 0.4
    assert (summary.answered, summary.calls) == (6, 7)


def _ignore(answer: Answer) -> None:
    assert answer.error is None


def test_being_told_to_wait_is_no_failed_attempt() -> None:
    with StubServer([status(429, retry_after=30)] * 9 + [says("yes")]) as server:
        answers, _, time_ = run(server, ["a"], max_attempts=2)
    assert (answers["a"].text, answers["a"].attempts) == ("yes", 10)
    # Its own pauses, 1 to 60 s and less up to a half, are longer than 30 s from the seventh on.
    assert time_.pauses[:5] == [30] * 5 and all(30 <= pause <= 60 for pause in time_.pauses)


def test_a_wait_of_nothing_backs_off_and_patience_ends_by_the_clock() -> None:
    # Pauses of at most 1, 2, 4, 8, 16, 32 s and at least half of it: 31.5 to 63 s for six of them.
    with StubServer([status(429, retry_after=0)]) as server:
        answers, summary, time_ = run(server, ["a"], patience_seconds=20)
    assert time_.pauses[0] >= 0.5 and time_.pauses[-1] >= 4 and time_.now <= 20
    assert len(server.calls) == len(time_.pauses) + 1 <= 7
    assert "HTTP 429" in (answers["a"].error or "") and summary.failed == 1


def test_the_time_that_answers_take_counts_for_patience() -> None:
    time_ = Time()
    answers: list[Answer] = []

    def slow(body: stub.Body) -> stub.Reply:
        time_.now += 15  # the server takes 15 s to say that it is busy
        return status(429, retry_after=1)

    with StubServer(slow) as server:
        chosen = settings(server, patience_seconds=40, backoff_seconds=0)
        asyncio.run(
            ask_all(
                [request("a")],
                chosen,
                on_answer=answers.append,
                sleep=time_.sleep,
                clock=time_.clock,
            )
        )
    # Told at 15, 31, 47 and 63 s: the last is 48 s after the first.
    assert answers[0].attempts == 4


@pytest.mark.parametrize("kind", stub.STRANGE)
def test_strange_values_become_texts_and_numbers_that_can_be_kept(kind: str) -> None:
    with StubServer([stub.strange(kind)]) as server:
        answers, summary, _ = run(server, ["a"])
    answer = answers["a"]
    assert (answer.error, summary.answered) == (None, 1)
    kept = (answer.text, answer.finish_reason, answer.model)
    assert all(isinstance(text, str) and text.encode() for text in kept)
    counted = (answer.prompt_tokens, answer.completion_tokens)
    assert counted == ((0, 0) if kind == "usage" else (10, 5))
    assert (
        kept
        == {
            "half": ("cut \N{REPLACEMENT CHARACTER}", *["\N{REPLACEMENT CHARACTER}"] * 2),
            "finish_reason": ('{"facts": 3}', "['stop']", "stub-served"),
            "model": ('{"facts": 3}', "stop", "{'name': 'stub'}"),
            "usage": ('{"facts": 3}', "stop", "stub-served"),
        }[kind]
    )


def test_a_response_nested_without_end_is_no_completion() -> None:
    deep = stub.Reply(body=b"[" * 200_000)
    with StubServer([deep, says("yes")]) as server:
        answers, _, _ = run(server, ["a"])
    assert answers["a"].calls[0].error == "the response is no chat completion"


def test_half_a_character_in_an_error_can_be_kept() -> None:
    with StubServer([status(400, message="no \ud83d")]) as server:
        answers, _, _ = run(server, ["a"])
    assert "no \N{REPLACEMENT CHARACTER}" in (answers["a"].error or "")


@pytest.mark.parametrize(
    "reply", [status(400), status(413), stub.NO_CHOICES], ids=["400", "413", "no completion"]
)
def test_a_fault_that_every_request_has_ends_the_run(reply: stub.Reply) -> None:
    with StubServer([says("yes"), reply]) as server:
        answers, summary, _ = run(server, list("abcdefgh"), give_up_after=3, max_attempts=1)
    assert list(answers) == list("abcd") and summary.left == 4
    assert "3 requests in a row failed" in (summary.stopped or "")


def test_patience_ends() -> None:
    # Two waits of 30 s are within 70 s, a third is not.
    with StubServer([status(429, retry_after=30)]) as server:
        answers, _, time_ = run(server, ["a"], patience_seconds=70)
    assert (answers["a"].attempts, time_.now) == (3, 60)
    assert "HTTP 429" in (answers["a"].error or "")


def test_429_without_retry_after_backs_off() -> None:
    with StubServer([status(429), status(429), says("yes")]) as server:
        answers, _, time_ = run(server, ["a"], max_attempts=1)
    assert answers["a"].text == "yes"
    assert 0.5 <= time_.pauses[0] <= 1 <= time_.pauses[1] <= 2


def test_retry_after_as_a_date() -> None:
    moment = email.utils.formatdate(1_000_000_060, usegmt=True)
    assert retry_after({"retry-after": moment}, now=1_000_000_000.0) == 60
    assert retry_after({"retry-after": moment}, now=2_000_000_000.0) == 0
    for unreadable in ("soon", "-1", "inf", "nan", ""):
        assert retry_after({"retry-after": unreadable}) is None
    assert retry_after({}) is None


def test_backoff_doubles_up_to_its_most_and_is_spread() -> None:
    chosen = ChatSettings("m", "http://h", backoff_seconds=2, backoff_most_seconds=7)
    chance = random.Random(5)
    for failures, most in [(1, 2), (2, 4), (3, 7), (4, 7), (5_000, 7)]:
        pauses = [backoff(chosen, failures, chance) for _ in range(200)]
        assert most / 2 <= min(pauses) < most * 0.55 and most * 0.95 < max(pauses) <= most
    same = [backoff(chosen, 3, random.Random(9)) for _ in range(2)]
    assert same[0] == same[1]


def test_concurrency_is_reached_and_never_passed() -> None:
    with StubServer([says("yes")], latency=0.05) as server:
        begun = time.monotonic()
        summary = ask(
            [request(str(k)) for k in range(40)], settings(server, concurrency=8), on_answer=_ignore
        )
        seconds = time.monotonic() - begun
    assert server.at_once == 8
    assert summary.answered == 40
    # One after the other, 40 calls of 0.05 s take 2 s.
    assert seconds < 1.9


def test_requests_a_minute_are_spaced_evenly() -> None:
    # 30 a minute: one each 2 s, so the last of six begins 10 s after the first.
    with StubServer([says("yes")]) as server:
        _, _, time_ = run(server, list("abcdef"), requests_per_minute=30)
    assert time_.pauses == [2, 2, 2, 2, 2]


def test_requests_a_minute_hold_for_all_calls_together() -> None:
    # 1,200 a minute: one each 0.05 s, so six at once take 0.25 s at least.
    with StubServer([says("yes")]) as server:
        summary = ask(
            [request(str(k)) for k in range(6)],
            settings(server, concurrency=6, requests_per_minute=1_200),
            on_answer=_ignore,
        )
    assert summary.seconds >= 0.25


def test_a_budget_of_calls_counts_every_attempt() -> None:
    with StubServer([says("yes"), status(500), says("yes"), says("yes")]) as server:
        answers, summary, _ = run(server, list("abcde"), budget_calls=3)
    assert list(answers) == ["a", "b"]
    assert len(server.calls) == summary.calls == 3
    assert (summary.left, summary.stopped) == (3, "the budget of 3 calls is spent")


def test_a_request_is_left_open_when_the_budget_ends_between_its_attempts() -> None:
    with StubServer([status(500)]) as server:
        answers, summary, _ = run(server, list("ab"), budget_calls=2)
    assert answers == {} and (summary.failed, summary.left) == (0, 2)


def test_a_budget_of_tokens() -> None:
    # 15 tokens a call: after two calls 30 are used, which is the budget.
    with StubServer([says("yes", tokens=(10, 5))]) as server:
        answers, summary, _ = run(server, list("abcde"), budget_tokens=30)
    assert list(answers) == ["a", "b"]
    assert (summary.prompt_tokens, summary.completion_tokens, summary.left) == (20, 10, 3)
    assert summary.stopped == "the budget of 30 tokens is spent (30 used)"


def test_a_budget_of_tokens_where_the_server_counts_none() -> None:
    # "Is a so?" has 8 characters, 2 tokens; the answer's 12 characters are 3: 5 tokens a call.
    with StubServer([says("yes, it is so"[:12], tokens=None)]) as server:
        answers, summary, _ = run(server, list("abcde"), budget_tokens=10)
    assert list(answers) == ["a", "b"]
    assert (summary.prompt_tokens, summary.completion_tokens, summary.left) == (0, 0, 3)
    assert summary.stopped == "the budget of 10 tokens is spent (about 10 used)"


def test_a_budget_of_nothing_asks_nothing() -> None:
    with StubServer([says("yes")]) as server:
        _, summary, _ = run(server, ["a"], budget_calls=0)
    assert (server.calls, summary.left) == ([], 1)


def test_calls_in_flight_end_when_the_budget_does() -> None:
    with StubServer([says("yes")], latency=0.05) as server:
        answers, summary, _ = run(server, list("abcdefgh"), budget_calls=5, concurrency=4)
    assert len(answers) == len(server.calls) == 5
    assert summary.left == 3


def test_the_end_of_a_run_wakes_those_who_wait() -> None:
    def script(body: stub.Body) -> stub.Reply:
        return status(429, retry_after=600) if _key(body) == "a" else status(401).after(0.2)

    begun = time.monotonic()
    with StubServer(script) as server:
        summary = ask(
            [request(key) for key in "ab"], settings(server, concurrency=2), on_answer=_ignore
        )
    assert time.monotonic() - begun < 5
    assert "HTTP 401" in (summary.stopped or "") and summary.left == 2


def test_a_schema_is_sent() -> None:
    with StubServer([says('{"facts": 3}')]) as server:
        answers, summary, _ = run(server, ["a"], schema=SCHEMA)
    assert server.calls[0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
    }
    assert answers["a"].structured and summary.structured


def test_a_refused_schema_is_dropped_and_not_sent_again() -> None:
    with StubServer(stub.refuses_response_format(lambda body: says("plain"))) as server:
        answers, summary, time_ = run(server, list("abc"), schema=SCHEMA)
    assert [("response_format" in call.body) for call in server.calls] == [True, *[False] * 3]
    assert [answers[key].attempts for key in "abc"] == [2, 1, 1]
    assert {answer.text for answer in answers.values()} == {"plain"}
    assert not answers["a"].structured and not summary.structured
    assert time_.pauses == []


def test_a_bad_request_is_not_mistaken_for_a_refused_schema() -> None:
    bad = lambda body: status(400) if _key(body) == "a" else says("yes")  # noqa: E731
    with StubServer(bad) as server:
        answers, summary, _ = run(server, ["a", "b"], schema=SCHEMA)
    assert (answers["a"].attempts, answers["b"].structured, summary.structured) == (2, True, True)
    assert "HTTP 400" in (answers["a"].error or "")


def test_no_schema_where_the_settings_want_none() -> None:
    with StubServer([says("plain")]) as server:
        answers, _, _ = run(server, ["a"], schema=SCHEMA, structured=False)
    assert "response_format" not in server.calls[0].body and not answers["a"].structured


@pytest.mark.parametrize("kind", stub.BAD_TEXTS)
def test_a_bad_text_is_an_answer(kind: str) -> None:
    with StubServer([stub.BAD_TEXTS[kind]]) as server:
        answers, summary, _ = run(server, ["a"])
    answer = answers["a"]
    assert (answer.error, answer.attempts, summary.answered) == (None, 1, 1)
    assert answer.truncated == (kind == "truncated")
    assert answer.refusal == ("I cannot help with that." if kind == "refusal" else "")
    assert answer.finish_reason == {"truncated": "length", "filtered": "content_filter"}.get(
        kind, "stop"
    )
    with pytest.raises(ParseError):
        count_of(json_object(answer.text), "facts")


def test_a_server_that_counts_no_tokens() -> None:
    with StubServer([says("yes", tokens=None)]) as server:
        answers, _, _ = run(server, ["a"])
    assert (answers["a"].prompt_tokens, answers["a"].completion_tokens) == (0, 0)


def test_answers_arrive_one_by_one_not_at_the_end() -> None:
    seen: list[int] = []
    with StubServer([says("yes")]) as server:
        ask(
            [request(key) for key in "abc"],
            settings(server),
            on_answer=lambda answer: seen.append(len(server.calls)),
        )
    assert seen == [1, 2, 3]


def test_requests_are_drawn_as_calls_become_free() -> None:
    drawn: list[int] = []

    def requests() -> Any:
        for k in range(100):
            drawn.append(k)
            yield request(str(k))

    with StubServer([says("yes")]) as server:
        summary = ask(requests(), settings(server, budget_calls=4), on_answer=_ignore)
    assert len(drawn) == 5 and summary.left is None


def test_a_request_that_follows_from_an_answer_is_asked_next() -> None:
    got: list[str] = []

    def again(answer: Answer) -> Request | None:
        got.append(f"{answer.key}: {answer.text}")
        return request("a, once more") if answer.key == "a" else None

    with StubServer([says("nonsense"), says("yes"), says("yes")]) as server:
        summary = ask([request("a"), request("b")], settings(server), on_answer=again)
    assert got == ["a: nonsense", "a, once more: yes", "b: yes"]
    assert (summary.answered, summary.left, summary.calls) == (3, 0, 3)


def test_what_a_taker_raises_ends_the_run() -> None:
    def full(answer: Answer) -> None:
        raise OSError("disk full")

    with StubServer([says("yes")]) as server:
        with pytest.raises(OSError, match="disk full"):
            ask([request(str(k)) for k in range(50)], settings(server), on_answer=full)
        assert len(server.calls) == 1


def test_cancelled_in_the_middle_all_that_was_handed_over_stays() -> None:
    got: list[str] = []

    async def main(server: StubServer) -> None:
        task = asyncio.ensure_future(
            ask_all(
                [request(str(k)) for k in range(1_000)],
                settings(server, concurrency=4),
                on_answer=lambda answer: got.append(answer.key),
            )
        )
        while len(got) < 12:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asyncio.all_tasks()) == 1  # nothing goes on in the background

    with StubServer([says("yes")], latency=0.02) as server:
        asyncio.run(main(server))
        after = len(got)
        time.sleep(0.1)
    assert 12 <= after == len(got) and len(server.calls) - after <= 4


KILLED = """
import sqlite3, sys
from baselines.chat import ChatSettings, Request, ask
store = sqlite3.connect(sys.argv[2], isolation_level=None)
store.execute("create table answers (key text, text text)")
def keep(answer):
    store.execute("insert into answers values (?, ?)", (answer.key, answer.text))
requests = [Request(str(k), ({"role": "user", "content": f"Is {k} so?"},)) for k in range(1000)]
ask(requests, ChatSettings("stub", sys.argv[1], concurrency=4), on_answer=keep)
"""


def test_killed_in_the_middle_only_calls_in_flight_are_lost(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    with StubServer([says("yes")], latency=0.02) as server:
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, server.base_url, str(store)], cwd=ROOT
        )
        while len(server.calls) < 20 and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        process.wait()
        time.sleep(0.1)
        kept = sqlite3.connect(store).execute("select count(*) from answers").fetchone()[0]
        # At most four are in flight, and four more were sent but not yet read.
        assert kept >= 12 and len(server.calls) - kept <= 8


def test_within_a_running_loop() -> None:
    async def notebook(server: StubServer) -> Summary:
        return ask([request("a")], settings(server), on_answer=_ignore)

    with StubServer([says("yes")]) as server:
        assert asyncio.run(notebook(server)).answered == 1


def test_progress_shows_failures(capsys: pytest.CaptureFixture[str]) -> None:
    bad = lambda body: status(400) if _key(body) == "b" else says("yes")  # noqa: E731
    with StubServer(bad) as server:
        ask(
            [request(key) for key in "abc"],
            settings(server),
            on_answer=lambda answer: None,
            progress="claims",
        )
    shown = capsys.readouterr().err
    assert "claims" in shown and "3/3" in shown and "failed=1" in shown


def test_the_key_is_nowhere_to_be_seen() -> None:
    with StubServer([status(400, message=f"Incorrect key {KEY} given")]) as server:
        answers, _, _ = run(server, ["a"])
        chosen = settings(server, extra={})
    assert "Incorrect key … given" in (answers["a"].error or "")
    assert KEY not in repr(answers) + repr(chosen) + json.dumps([chosen.parameters, chosen.receipt])
