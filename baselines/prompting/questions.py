"""Many questions of one strategy: asked, asked again where need be, and kept as they are answered.

Every answer is written to a file as it arrives, under a key made of all that decides it, so that a
run that was ended goes on where it was and asks nothing twice: a question with unreadable answers
has as many tries left as they leave it.
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
from climatecheck.tables import Json

T = TypeVar("T")

TRIES = 3
"""Answers that a question may get before its value is the strategy's default."""


class RunEnded(RuntimeError):
    """A run ended before all questions were answered; the message says why.

    Args:
        why: the message.
        answered: how many questions have an answer, readable or not.
    """

    def __init__(self, why: str, answered: int) -> None:
        super().__init__(why)
        self.answered = answered


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """What came of some questions.

    Attributes:
        values: of each question, by name.
        kept: questions that were answered before, those that had no readable answer included.
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
            row failed; also if no question got an answer, readable or not.
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
            Request(name, tuple(run.said[name]), strategy.schema)
            for name in questions
            if name not in run.values and name not in run.unreadable
        ]
        summary = ask(requests, settings, on_answer=run.take, progress=progress)
    answered = len(run.values) + len(run.unreadable)
    if summary.stopped is not None:
        raise RunEnded(
            f"the run ended early: {summary.stopped}. {answered} of {len(questions)} "
            "questions have an answer",
            answered,
        )
    if run.failed and not answered:
        raise RunEnded(
            f"the endpoint failed on all {len(questions)} questions (first: {run.first_failure})", 0
        )
    values = {name: run.values.get(name, strategy.default) for name in questions}
    return Outcome(values, kept, run.again, tuple(run.unreadable), tuple(run.failed), summary)


class _Run(Generic[T]):
    def __init__(self, strategy: Strategy[T], settings: ChatSettings, tries: int) -> None:
        self.values: dict[str, T] = {}
        self.said: dict[str, list[Message]] = {}
        self.again = 0
        self.unreadable: dict[str, None] = {}
        self.failed: list[str] = []
        self.first_failure = ""
        self.file: TextIO | None = None
        self._strategy = strategy
        self._parameters = settings.parameters
        self._tries = tries
        self._tried: dict[str, int] = {}
        self._old: dict[str, list[tuple[str, bool]]] = {}
        self._keys: dict[str, str] = {}

    def read(self, path: Path) -> None:
        """Read the answers of earlier runs; a line that was cut off is passed over."""
        if not path.exists():
            return
        for line in path.read_bytes().split(b"\n"):  # a text may hold other ends of lines
            try:
                entry = json.loads(line.decode("utf-8", errors="replace"))
                kept = (str(entry["text"]), bool(entry.get("truncated")))
                self._old.setdefault(str(entry["key"]), []).append(kept)
            except (ValueError, TypeError, KeyError, AttributeError):
                continue
        if not path.read_bytes().endswith(b"\n"):
            with path.open("a", encoding="utf-8") as file:
                file.write("\n")

    def recall(self, questions: Mapping[str, Sequence[Message]]) -> int:
        """Take over the answers of earlier runs; return how many questions need no other."""
        for name, said in questions.items():
            self._keys[name] = self._key(said)
            self.said[name] = list(said)
            for text, truncated in self._old.get(self._keys[name], []):
                try:
                    self.values[name] = self._read(text, truncated)
                except ParseError as error:
                    self._put_back(name, text, str(error))
            if name in self.values:
                self.unreadable.pop(name, None)
        return len(self.values) + len(self.unreadable)

    def take(self, answer: Answer) -> Request | None:
        """Take an answer; return the question once more if it cannot be read."""
        name = answer.key
        if answer.error is not None:
            self.failed.append(name)
            self.first_failure = self.first_failure or answer.error
            print(f"{name}: {answer.error}", file=sys.stderr)
            return None
        try:
            self.values[name] = self._read(answer.text, answer.truncated)
        except ParseError as error:
            self._keep(name, answer, str(error))
            self._put_back(name, answer.text or answer.refusal, str(error))
            if name in self.unreadable:
                return None
            self.again += 1
            return Request(name, tuple(self.said[name]), self._strategy.schema)
        self._keep(name, answer, None)
        return None

    def _read(self, text: str, truncated: bool) -> T:
        if not truncated:
            return self._strategy.parse(text)
        cut = "it was cut off at the limit of tokens"
        try:
            value = self._strategy.parse(text)
        except ParseError as error:
            raise ParseError(f"{error} ({cut})") from error
        if self._strategy.schema is None:  # only an object shows that it is whole
            raise ParseError(cut)
        return value

    def _put_back(self, name: str, text: str, reason: str) -> None:
        """Add to what is said that an answer cannot be read; or give up after the last try."""
        self._tried[name] = self._tried.get(name, 0) + 1
        if self._tried[name] >= self._tries:
            self.unreadable[name] = None
            return
        self.said[name] += [
            {"role": "assistant", "content": text or "(nothing)"},
            {"role": "user", "content": filled(template("again"), {"reason": reason}).strip()},
        ]

    def _keep(self, name: str, answer: Answer, error: str | None) -> None:
        if self.file is None:
            return
        entry: Json = {"key": self._keys[name], "question": name, "model": answer.model}
        entry |= {"text": answer.text or answer.refusal, "truncated": answer.truncated}
        entry |= {"unreadable": error} if error else {}
        self.file.write(json.dumps(entry) + "\n")  # ASCII: a text may hold half a character
        self.file.flush()

    def _key(self, said: Sequence[Message]) -> str:
        whole = [list(map(dict, said)), self._strategy.schema, self._parameters, self._tries]
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:32]
