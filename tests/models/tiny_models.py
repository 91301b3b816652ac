"""Tiny, randomly initialised models of every kind, saved as the real ones are."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import pytest

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")
tokenizers: Any = pytest.importorskip("tokenizers")

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
NLI = ("entailment", "neutral", "contradiction")
CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)
"""Of the kind that Qwen3 has."""


def word_tokenizer(folder: Path, texts: Iterable[str]) -> int:
    """Save a tokenizer of the words of some texts; return the size of its vocabulary."""
    words = sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]+", text.lower())})
    vocabulary = {word: i for i, word in enumerate([*SPECIAL, *words])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = ("pad", "unk", "cls", "sep", "mask")
    special = {f"{name}_token": token for name, token in zip(names, SPECIAL, strict=True)}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=512, **special
    ).save_pretrained(folder)
    return len(vocabulary)


def bert(
    folder: Path,
    texts: Iterable[str],
    kind: str = "BertModel",
    names: Iterable[str] = (),
    seed: int = 0,
) -> Path:
    """Save a BERT: a bi-encoder (``BertModel``), or a classifier with outputs of these names."""
    torch.manual_seed(seed)
    labels = dict(enumerate(names))
    config = transformers.BertConfig(
        vocab_size=word_tokenizer(folder, texts),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=37,
        pad_token_id=0,
        initializer_range=0.2,  # so that the outputs differ
        **({"id2label": labels, "label2id": {v: k for k, v in labels.items()}} if labels else {}),
    )
    getattr(transformers, kind)(config).save_pretrained(folder)
    return folder


def reranker(folder: Path, texts: Iterable[str], seed: int = 0) -> Path:
    return bert(folder, texts, "BertForSequenceClassification", ["relevance"], seed)


def classifier(folder: Path, texts: Iterable[str], names: Iterable[str] = NLI) -> Path:
    return bert(folder, texts, "BertForSequenceClassification", names)


def language_model(folder: Path, texts: Iterable[str], *, template: str = CHAT_TEMPLATE) -> Path:
    """Save a Qwen3 with a byte-level tokenizer, digits apart, as the real one has."""
    torch.manual_seed(0)
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Digits(individual_digits=True),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    saved = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<|endoftext|>", eos_token="<|im_end|>"
    )
    saved.chat_template = template or None
    saved.save_pretrained(folder)
    config = transformers.Qwen3Config(
        vocab_size=len(saved),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        max_position_embeddings=4096,
    )
    transformers.Qwen3ForCausalLM(config).save_pretrained(folder)
    return folder
