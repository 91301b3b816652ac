"""LoRA fine-tuning (Hu et al. 2022) with the settings of the paper (section 6)."""

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from baselines.libraries import load
from baselines.narrative_lm.examples import Example, tokenised
from baselines.narrative_lm.model import Loaded
from climatecheck.tables import Json

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
"""All attention and MLP projections, as Qwen, Llama, Mistral and Gemma name them."""


@dataclass(frozen=True)
class LoraSettings:
    """How to fine-tune.

    Attributes:
        rank, alpha: of the adapters; they are scaled by alpha / rank.
        projections: the layers that get an adapter.
        epochs: times that each example is seen.
        learning_rate: at its highest; warmed up over 3 % of the steps, then declining.
        batch_size: examples a forward pass.
        accumulate: passes a step.
        most_steps: ends earlier; None does not.
        seed: of adapters and order.
    """

    rank: int = 16
    alpha: int = 16
    projections: tuple[str, ...] = PROJECTIONS
    epochs: int = 3
    learning_rate: float = 2e-4
    batch_size: int = 4
    accumulate: int = 4
    most_steps: int | None = None
    seed: int = 0

    def warmup(self, examples: int) -> int:
        """Return the steps of the warm-up.

        >>> LoraSettings().warmup(782)  # 49 steps an epoch, 147 in all
        4
        """
        steps = self.epochs * -(-examples // (self.batch_size * self.accumulate))
        return round(0.03 * (steps if self.most_steps is None else self.most_steps))


def train(base: Loaded, learned_from: Sequence[Example], settings: LoraSettings) -> Json:
    """Put adapters into a model, train them, and return facts about it.

    Args:
        base: the model; it is changed in place, and ``base.save`` then writes its adapters.
        learned_from: the examples; the loss is that of their answers alone.
        settings: how to fine-tune.

    Raises:
        ValueError: if there are no examples.
        MissingLibraryError: if trl, peft or datasets is not installed.
    """
    if not learned_from:
        raise ValueError("there is nothing to learn from")
    peft, trl = load("peft", extra="models"), load("trl", extra="models")
    rows = [tokenised(base.tokenizer, example) for example in learned_from]
    adapters = peft.LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=0.0,
        target_modules=list(settings.projections),
        task_type="CAUSAL_LM",
    )
    with tempfile.TemporaryDirectory() as unused:
        trainer = trl.SFTTrainer(
            model=base.network,
            args=trl.SFTConfig(output_dir=unused, **_arguments(base, rows, settings)),
            train_dataset=load("datasets", extra="models").Dataset.from_list(rows),
            processing_class=base.tokenizer,
            peft_config=adapters,
        )
        done = trainer.train()
    base.network = trainer.model.eval()
    learned, all_ = base.network.get_nb_trainable_parameters()
    return {
        "base": base.name,
        "settings": asdict(settings),
        "examples": len(rows),
        "steps": done.global_step,
        "loss": done.training_loss,
        "trainable_parameters": learned,
        "parameters": all_,
    }


def _arguments(
    base: Loaded, rows: Sequence[dict[str, list[int]]], settings: LoraSettings
) -> dict[str, Any]:
    gpu = base.device.startswith("cuda")
    return {
        "num_train_epochs": settings.epochs,
        "max_steps": -1 if settings.most_steps is None else settings.most_steps,
        "per_device_train_batch_size": settings.batch_size,
        "gradient_accumulation_steps": settings.accumulate,
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": "linear",
        "warmup_steps": settings.warmup(len(rows)),
        "max_length": max(len(row["input_ids"]) for row in rows),
        "completion_only_loss": True,
        "packing": False,
        "bf16": gpu,
        "use_cpu": not gpu,
        "gradient_checkpointing": gpu,
        "save_strategy": "no",
        "logging_steps": 10,
        "report_to": "none",
        "seed": settings.seed,
    }
