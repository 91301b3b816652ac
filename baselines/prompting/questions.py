"""Many questions of one strategy: asked, asked again where need be, and kept as they are answered.

Every answer is written to a file as it arrives, under a key made of all that decides it, so that a
run that was ended goes on where it was and asks nothing twice.
"""

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TextIO, TypeVar

from baselines.chat import Answer, ChatSettings, Message, ParseError, Request, Summary, ask
from baselines.prompting.strategies import Strategy
from baselines.prompting.templates import filled, template

T = TypeVar("T")

TRIES = 3
"""Answers that a question may get before its value is the strategy's default."""


class RunEnded(RuntimeError):
    """A run ended before all questions were answered; the message says why."""


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """What came of some questions.

    Attributes:
        values: of each question, by name.
        kept: questions whose answer was there before.
        again: answers that could not be read, so that the question was asked again.
        unreadable: names of the questions that never got a readable answer; theirs is the default.
        failed: names of the questions that the endpoint failed on; theirs is the default too.
        summary: of the calls.
    """

    values: dict[str, T]
    kept: int
    again: int
    unreadable: tuple[str, ...]
    failed: tuple[str, ...]
    summary: Summary

    def log(self, default: T) -> str:
        """Return in one line how it went."""
        tokens = self.summary.prompt_tokens + self.summary.completion_tokens
        said = (
            f"{len(self.values)} questions, {self.kept} of them answered before; "
            f"{self.summary.calls} calls, {tokens:,} tokens; {self.again} asked again"
        )
        for names, why in (
            (self.unreadable, "gave no readable answer"),
            (self.failed, "failed at the endpoint"),
        ):
            said += f"; {len(names)} {why} and got {default}" if names else ""
        return said + "."


def put(
    questions: Mapping[str, Sequence[Message]],
    strategy: Strategy[T],
    settings: ChatSettings,
    *,
    answers: Path | None = None,
    tries: int = TRIES,
    progress: str | None = None,
) -> Outcome[T]:
    """Ask all questions and return their values.

    An answer that cannot be read is put back to the model with what is wrong with it.

    Args:
        questions: messages by name.
        strategy: how they are asked.
        settings: of the endpoint.
        answers: JSONL file of answers, read first and then added to; None keeps none.
        tries: answers that a question may get.
        progress: title of a progress bar; None shows none.

    Raises:
        RunEnded: if the budget is spent, the server refuses every call, or too many requests in a
            row failed.
        MissingLibraryError: if the openai client is not installed.
        OSError: if the file of answers cannot be read or written.
    """
    with ExitStack() as stack:
        run = _Run(strategy, settings, tries)
        if answers is not None:
            run.read(answers)
            run.file = stack.enter_context(answers.open("a", encoding="utf-8"))
        kept = run.recall(questions)
        requests = [
            Request(name, said, strategy.schema)
            for name, said in questions.items()
            if name not in run.values
        ]
        run.said = {request.key: list(request.messages) for request in requests}
        summary = ask(requests, settings, on_answer=run.take, progress=progress)
    if summary.stopped is not None:
        raise RunEnded(
            f"the run ended early: {summary.stopped}. {len(run.values)} of {len(questions)} "
            "questions have an answer"
        )
    values = {name: run.values.get(name, strategy.default) for name in questions}
    return Outcome(values, kept, run.again, tuple(run.unreadable), tuple(run.failed), summary)


class _Run(Generic[T]):
    def __init__(self, strategy: Strategy[T], settings: ChatSettings, tries: int) -> None:
        self.values: dict[str, T] = {}
        self.said: dict[str, list[Message]] = {}
        self.again = 0
        self.unreadable: list[str] = []
        self.failed: list[str] = []
        self.file: TextIO | None = None
        self._strategy = strategy
        self._parameters = settings.parameters
        self._tries = tries
        self._tried: dict[str, int] = {}
        self._old: dict[str, str] = {}
        self._keys: dict[str, str] = {}

    def read(self, path: Path) -> None:
        """Read the answers of earlier runs; a line that was cut off is passed over."""
        if not path.exists():
            return
        for line in path.read_text("utf-8", errors="replace").splitlines():
            try:
                entry = json.loads(line)
                self._old[entry["key"]] = entry["text"]
            except (ValueError, TypeError, KeyError):
                continue
        if not path.read_bytes().endswith(b"\n"):
            with path.open("a", encoding="utf-8") as file:
                file.write("\n")

    def recall(self, questions: Mapping[str, Sequence[Message]]) -> int:
        """Take over readable answers of earlier runs; return how many."""
        for name, said in questions.items():
            self._keys[name] = self._key(said)
            try:
                self.values[name] = self._strategy.parse(self._old[self._keys[name]])
            except (KeyError, ParseError):
                continue
        return len(self.values)

    def take(self, answer: Answer) -> Request | None:
        """Take an answer; return the question once more if it cannot be read."""
        name = answer.key
        if answer.error is not None:
            self.failed.append(name)
            print(f"{name}: {answer.error}", file=sys.stderr)
            return None
        try:
            self.values[name] = self._strategy.parse(answer.text)
        except ParseError as error:
            self._keep(name, answer, str(error))
            return self._once_more(name, answer, str(error))
        self._keep(name, answer, None)
        return None

    def _once_more(self, name: str, answer: Answer, reason: str) -> Request | None:
        self._tried[name] = self._tried.get(name, 0) + 1
        if self._tried[name] >= self._tries:
            self.unreadable.append(name)
            return None
        self.again += 1
        if answer.truncated:
            reason += " (it was cut off at the limit of tokens)"
        self.said[name] += [
            {"role": "assistant", "content": answer.text or answer.refusal or "(nothing)"},
            {"role": "user", "content": filled(template("again"), {"reason": reason}).strip()},
        ]
        return Request(name, tuple(self.said[name]), self._strategy.schema)

    def _keep(self, name: str, answer: Answer, error: str | None) -> None:
        if self.file is None:
            return
        entry = {"key": self._keys[name], "question": name, "model": answer.model}
        entry |= {"text": answer.text, **({"unreadable": error} if error else {})}
        self.file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        self.file.flush()

    def _key(self, said: Sequence[Message]) -> str:
        whole = [list(map(dict, said)), self._strategy.schema, self._parameters, self._tries]
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:32]
