"""Chat-style examples: instructions and a claim are given, codes are answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baselines.narrative_lm.grammar import answer
from baselines.sequence_classifier import ModelError
from climatecheck import taxonomy
from climatecheck.tables import Gold

PROMPT_FILE = Path(__file__).with_name("prompt.txt")


@dataclass(frozen=True)
class Example:
    """A claim and the answer to it."""

    claim: str
    answer: str


def examples(gold: Gold, claims: Sequence[int] | None = None) -> list[Example]:
    """Return an example for each claim with gold narratives, or for some of these by position."""
    keep = None if claims is None else frozenset(claims)
    made = []
    for row, claim in enumerate(gold.narratives.claim.tolist()):
        if keep is None or claim in keep:
            codes = [taxonomy.CODES[k] for k in gold.narratives.codes[row].nonzero()[0]]
            made.append(Example(gold.claims.texts[claim], answer(codes)))
    return made


def instructions() -> str:
    """Return what the model is told before each claim."""
    codes = "\n".join(f"{code} {name}" for code, name in taxonomy.NARRATIVES.items())
    return PROMPT_FILE.read_text("utf-8").strip().replace("{{codes}}", codes)


def prompt_tokens(tokenizer: Any, claim: str) -> list[int]:
    """Return the tokens of a conversation up to where the answer begins.

    A model that can think aloud (Qwen3) is told not to.

    Raises:
        ModelError: if the tokenizer has no chat template.
    """
    if not tokenizer.chat_template:
        raise ModelError("the model has no chat template; choose one that was tuned for chats")
    messages = [
        {"role": "system", "content": instructions()},
        {"role": "user", "content": claim},
    ]
    text = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, tokenize=False, enable_thinking=False
    )
    made: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return made


def tokenised(tokenizer: Any, example: Example) -> dict[str, list[int]]:
    """Return the tokens of an example, and which of them are learned: those of the answer alone."""
    prompt = prompt_tokens(tokenizer, example.claim)
    written = tokenizer(example.answer, add_special_tokens=False)["input_ids"]
    written = [*written, tokenizer.eos_token_id]
    return {
        "input_ids": prompt + written,
        "completion_mask": [0] * len(prompt) + [1] * len(written),
    }
