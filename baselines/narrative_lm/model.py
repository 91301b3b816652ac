"""A causal language model that answers a claim with codes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from baselines.batching import in_batches
from baselines.libraries import load
from baselines.narrative_lm.examples import prompt_tokens
from baselines.narrative_lm.grammar import MOST_CHARACTERS, TokenGrammar
from baselines.sequence_classifier import ModelError, device_of, load_pretrained

MODEL = "Qwen/Qwen3-8B"
_ADAPTERS = "adapter_config.json"


class Loaded:
    """A causal language model, with adapters or without.

    Args:
        model: id at the Hugging Face hub, a folder with a model, or one with LoRA adapters, which
            names the model that they belong to.
        device: such as ``cpu`` or ``cuda``; None takes a GPU if there is one. A GPU computes in
            bfloat16.

    Raises:
        ModelError: if the device cannot be used, or the model cannot be loaded.
        MissingLibraryError: if torch, transformers or, for adapters, peft is not installed.
    """

    def __init__(self, model: str | Path = MODEL, *, device: str | None = None) -> None:
        self._torch = load("torch", extra="models")
        self.name = Path(model).resolve().name if Path(model).is_dir() else str(model)
        self.device = device_of(device)
        half = self.device.startswith("cuda")
        options = {"dtype": self._torch.bfloat16 if half else self._torch.float32}
        self.tokenizer, network = _load(model, options)
        self.network: Any = network.to(self.device).eval()
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token

    def save(self, folder: Path) -> None:
        """Write the adapters (the whole model, if there are none) and the tokenizer."""
        self.network.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)

    def answers(
        self, claims: Sequence[str], *, batch_size: int = 16, progress: str | None = None
    ) -> list[str]:
        """Return the codes of each claim, joined by ``;``: the most probable tokens, one by one."""
        grammar = self._grammar()

        def work(batch: list[str]) -> list[str]:
            return self._batch(batch, grammar)

        return in_batches(claims, work, size=batch_size, length=len, progress=progress)

    def _batch(self, claims: list[str], grammar: TokenGrammar) -> list[str]:
        prompts = [prompt_tokens(self.tokenizer, claim) for claim in claims]
        width = max(map(len, prompts))
        pad = self.tokenizer.pad_token_id
        rows = [[pad] * (width - len(prompt)) + prompt for prompt in prompts]
        seen = [[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts]
        tensor = self._torch.tensor
        with self._torch.inference_mode():
            made = self.network.generate(
                input_ids=tensor(rows, device=self.device),
                attention_mask=tensor(seen, device=self.device),
                generation_config=self._decoding(grammar.end),
                prefix_allowed_tokens_fn=lambda _, row: grammar.allowed(row[width:].tolist()),
            )
        return [grammar.text(row[width:].tolist()) for row in made]

    def _decoding(self, end: int) -> Any:
        return load("transformers", extra="models").GenerationConfig(
            do_sample=False,
            max_new_tokens=MOST_CHARACTERS + 1,
            eos_token_id=end,
            pad_token_id=self.tokenizer.pad_token_id,
        )

    def _grammar(self) -> TokenGrammar:
        special = set(self.tokenizer.all_special_ids)
        vocabulary = self.tokenizer.get_vocab().items()
        tokens = {number: text for text, number in vocabulary if number not in special}
        try:
            return TokenGrammar(tokens, self.tokenizer.eos_token_id)
        except ValueError as error:
            raise ModelError(f"{self.name} cannot write all codes: {error}") from error


def _load(model: str | Path, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return tokenizer and model."""
    if not (Path(model) / _ADAPTERS).is_file():
        _, tokenizer, network = load_pretrained(model, "AutoModelForCausalLM", **options)
        return tokenizer, network
    peft = load("peft", extra="models")
    try:
        base = peft.PeftConfig.from_pretrained(str(model)).base_model_name_or_path
    except (OSError, ValueError, TypeError) as error:
        raise ModelError(f"{model} holds no LoRA adapters: {error}") from error
    _, tokenizer, network = load_pretrained(base, "AutoModelForCausalLM", **options)
    return tokenizer, peft.PeftModel.from_pretrained(network, str(model))
