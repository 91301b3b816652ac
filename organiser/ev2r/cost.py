"""What is done, what is open, and what the rest would cost."""

from collections.abc import Sequence
from typing import NamedTuple

from organiser.ev2r.judge import Source
from organiser.ev2r.recipe import DONE, FAILED, OPEN, TAKEN, Outcome, Wanted

ANSWER_TOKENS = 450
"""Tokens of an answer, where the store holds none to learn from."""

_NONE = Outcome(OPEN)


class Cost(NamedTuple):
    """The state of one part.

    Attributes:
        part: ``reference`` or ``proxy``.
        title: of the back end.
        recipe: its id.
        wanted: distinct pairs.
        done, failed, taken, open: how many of them are in each state; taken: in the hands of a
            process, which may have died.
        rest: how many are still to be judged, failed ones too where they are tried again.
        calls: what the rest takes; 0 for a back end that asks nobody.
        prompt_tokens, answer_tokens: roughly.
        measured: whether the tokens of an answer are those of answers so far.
    """

    part: str
    title: str
    recipe: str
    wanted: int
    done: int
    failed: int
    taken: int
    open: int
    rest: int
    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    measured: bool = False


def cost(source: Source, wanted: Wanted, spent: tuple[int, int, int] = (0, 0, 0)) -> Cost:
    """Return the state of a part.

    Args:
        source: of its outcomes.
        wanted: the pairs that are needed.
        spent: calls so far, and the prompt and answer tokens that the server counted for them.
    """
    known = source.known()
    states = [known.get(key, _NONE).state for key in wanted]
    settled = (DONE,) if source.retry_failed else (DONE, FAILED)
    rest = [
        pair for pair, state in zip(wanted.values(), states, strict=True) if state not in settled
    ]
    asked = [tokens for pair in rest if (tokens := source.tokens(*pair)) is not None]
    an_answer = spent[2] / spent[0] if spent[0] else ANSWER_TOKENS
    recipe = source.recipe
    return Cost(
        part=recipe.part,
        title=recipe.title,
        recipe=recipe.id,
        wanted=len(wanted),
        done=states.count(DONE),
        failed=states.count(FAILED),
        taken=states.count(TAKEN),
        open=states.count(OPEN),
        rest=len(rest),
        calls=len(asked),
        prompt_tokens=sum(asked),
        answer_tokens=round(len(asked) * an_answer),
        measured=spent[0] > 0,
    )


def in_words(costs: Sequence[Cost]) -> str:
    """Return the state of all parts, in lines."""
    lines = []
    for of in costs:
        lines += [
            f"{of.part} part: {of.title}  (recipe {of.recipe})",
            f"  {of.wanted:,} pairs: {of.done:,} done, {of.failed:,} failed, {of.taken:,} in hand, "
            f"{of.open:,} open",
            f"  the rest: {_price(of)}",
        ]
    return "\n".join(lines)


def _price(of: Cost) -> str:
    if not of.rest:
        return "nothing"
    if not of.calls:
        return f"{of.rest:,} pairs, without a call"
    basis = "as answers so far" if of.measured else f"taking {ANSWER_TOKENS} an answer"
    return (
        f"{of.calls:,} calls, about {of.prompt_tokens:,} tokens of prompts and "
        f"{of.answer_tokens:,} of answers ({basis}); retries not counted"
    )
