"""Reference part (a): any OpenAI-compatible chat endpoint."""

from collections.abc import Iterator

from baselines.chat import (
    Answer,
    ChatSettings,
    ParseError,
    Request,
    Verdict,
    approximate_tokens,
    ask,
)
from organiser.ev2r.facts import Counts, read_counts
from organiser.ev2r.prompt import Prompt, read_prompt
from organiser.ev2r.recipe import REFERENCE, Recipe
from organiser.ev2r.store import Call
from organiser.ev2r.work import Job, Queue

VERSION = 1
UNUSABLE_AT_MOST = 2
"""After so many answers that cannot be used, a pair has failed."""

_PASSING = frozenset({None, 200, 408, 409, 425, 429})
"""200: what came was no chat completion."""


class ChatJudge:
    """A language model that counts facts.

    Args:
        settings: of the endpoint.
        prompt: what it is told; the project's own unless given.
        progress: title of the progress bar; None shows none.
    """

    def __init__(
        self, settings: ChatSettings, prompt: Prompt | None = None, *, progress: str | None = None
    ) -> None:
        self._settings = settings
        self._prompt = prompt or read_prompt()
        self._progress = progress
        self.recipe = chat_recipe(settings, self._prompt)

    def work(self, queue: Queue) -> str | None:
        """Ask about every job, many at once; each answer is noted as it arrives."""
        jobs: dict[str, Job] = {}
        refused: list[Job] = []

        def on_answer(answer: Answer) -> Request | Verdict | None:
            return self._note(queue, jobs[answer.key], answer, refused)

        questions = _Questions(queue, jobs, self)
        made = ask(questions, self._settings, on_answer=on_answer, progress=self._progress)
        if made.stopped is None and queue.any_done:
            queue.fail(refused)
        return made.stopped

    def request(self, job: Job) -> Request:
        """Return the question about a job."""
        messages = self._prompt.messages(job.a, job.b, again=job.unusable > 0)
        return Request(str(job.row), messages, self._prompt.schema)

    def tokens(self, a: str, b: str) -> int:
        """Return roughly how many tokens the question has."""
        return approximate_tokens(self._prompt.messages(a, b))

    def _note(
        self, queue: Queue, job: Job, answer: Answer, refused: list[Job]
    ) -> Request | Verdict | None:
        """Note an answer; return a second question after a first answer that cannot be used.

        A refusal by the server may lie in the settings and hold for every pair. It becomes a
        failure of its pair once the server answers about another one, and else stays open.
        """
        if answer.error is not None:
            call = _call(answer, answer.error)
            if _passes(answer):
                queue.put_back(job, call)
            else:
                queue.hold(job, call)
                refused.append(job)
            return None
        queue.fail(refused)
        refused.clear()
        try:
            counts = usable_counts(answer.text, answer.finish_reason, answer.refusal)
        except ParseError as error:
            last = job.unusable + 1 >= UNUSABLE_AT_MOST
            queue.unusable(job, _call(answer, str(error)), last=last)
            return Verdict.UNUSABLE if last else self.request(job)
        queue.done(job, _call(answer, ""), counts)
        return None


class _Questions:
    """The questions of a queue, made one by one; their number is known for the progress bar."""

    def __init__(self, queue: Queue, jobs: dict[str, Job], judge: ChatJudge) -> None:
        self._queue = queue
        self._jobs = jobs
        self._judge = judge

    def __len__(self) -> int:
        return len(self._queue)

    def __iter__(self) -> Iterator[Request]:
        for job in self._queue.jobs():
            self._jobs[str(job.row)] = job
            yield self._judge.request(job)


def chat_recipe(settings: ChatSettings, prompt: Prompt) -> Recipe:
    """Return all that decides an answer of a chat endpoint."""
    parameters = {name: value for name, value in settings.parameters.items() if name != "model"}
    return Recipe(REFERENCE, "chat", VERSION, settings.model, prompt.hash, parameters)


def usable_counts(text: str, finish_reason: str, refusal: str) -> Counts:
    """Return the counts of an answer.

    Raises:
        ParseError: it is a refusal, cut short, or not what ``facts.read_counts`` takes.
    """
    if refusal:
        raise ParseError(f"the model refuses: {refusal:.200}")
    if finish_reason == "length":
        raise ParseError("the answer is cut short")
    return read_counts(text)


def _passes(answer: Answer) -> bool:
    """Return whether an error comes from the network or a busy server, so that it may pass."""
    status = answer.calls[-1].status if answer.calls else None
    return status in _PASSING or (status is not None and status >= 500)


def _call(answer: Answer, error: str) -> Call:
    return Call(
        answer.text,
        error,
        answer.attempts,
        answer.seconds,
        answer.prompt_tokens,
        answer.completion_tokens,
        answer.finish_reason,
        answer.refusal,
        answer.model,
        answer.structured,
    )
