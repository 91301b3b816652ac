"""LoRA fine-tuning and constrained decoding, on a tiny language model made here."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("peft")
pytest.importorskip("trl")

from baselines.narrative_lm.__main__ import main
from baselines.narrative_lm.examples import Example, examples, instructions, tokenised
from baselines.narrative_lm.grammar import TokenGrammar, is_whole
from baselines.narrative_lm.model import Loaded
from baselines.narrative_lm.training import PROJECTIONS, LoraSettings, train
from baselines.sequence_classifier import ModelError
from climatecheck import read_claims, read_gold, read_submission
from tests.models.tiny_models import language_model, torch

ROOT = Path(__file__).resolve().parents[2]
TRAIN = ROOT / "starting_kit" / "data" / "train"
GOLD = read_gold(TRAIN)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return language_model(tmp_path_factory.mktemp("lm"), [*GOLD.claims.texts, instructions()])


def test_the_answer_alone_is_learned(folder: Path) -> None:
    tokenizer = Loaded(folder, device="cpu").tokenizer
    made = tokenised(tokenizer, Example("Ice is growing.", "1_1;5_3"))
    whole = tokenizer.decode(made["input_ids"])
    prompt, answered = whole.split("<think>\n\n</think>\n\n")
    assert prompt.startswith("<|im_start|>system\nYou sort claims") and "2_5 Human CO2" in prompt
    assert prompt.endswith("<|im_start|>user\nIce is growing.<|im_end|>\n<|im_start|>assistant\n")
    assert answered == "1_1;5_3<|im_end|>"
    pairs = zip(made["input_ids"], made["completion_mask"], strict=True)
    assert tokenizer.decode([token for token, learned in pairs if learned]) == answered


def test_examples_of_the_training_gold() -> None:
    made = examples(GOLD)
    assert len(made) == len(GOLD.narratives) == 157
    assert all(is_whole(one.answer) or ";" in one.answer for one in made)
    by_claim = {one.claim: one.answer for one in made}
    # claim 853 is 2_5;2_1 in the file; answers follow the order of the taxonomy
    assert by_claim[GOLD.claims.texts[GOLD.claims.index["853"]]] == "2_1;2_5"


def test_two_steps_change_the_adapters_alone(folder: Path) -> None:
    base = Loaded(folder, device="cpu")
    before = {name: weight.clone() for name, weight in base.network.state_dict().items()}
    facts = train(base, examples(GOLD)[:8], LoraSettings(most_steps=2, batch_size=2, accumulate=2))
    assert (facts["steps"], facts["examples"]) == (2, 8)
    adapted, moved = set(), 0.0
    for name, weight in base.network.named_parameters():
        if "lora_" in name:
            adapted.add(name.split(".lora_")[0].rsplit(".", 1)[-1])
            moved += float(weight.abs().sum()) if "lora_B" in name else 0.0
            assert weight.requires_grad
        else:
            assert not weight.requires_grad
            plain = name.replace("base_model.model.", "").replace(".base_layer", "")
            assert torch.equal(weight, before[plain])
    assert adapted == set(PROJECTIONS)
    assert moved > 0  # B starts at zero
    # rank 16 times (in + out) of q, k, v, o (32+32, 32+16, 32+16, 32+32), gate, up, down (32+48)
    assert facts["trainable_parameters"] == 2 * 16 * (64 + 48 + 48 + 64 + 3 * 80)


def test_the_loss_is_that_of_the_answers(folder: Path) -> None:
    one = Example("Ice is growing.", "1_1")
    base = Loaded(folder, device="cpu")
    made = tokenised(base.tokenizer, one)
    with torch.no_grad():
        logits = base.network(torch.tensor([made["input_ids"]])).logits[0].float()
    learned = [i for i, mask in enumerate(made["completion_mask"]) if mask]
    expected = torch.nn.functional.cross_entropy(
        logits[[i - 1 for i in learned]], torch.tensor([made["input_ids"][i] for i in learned])
    )
    settings = LoraSettings(most_steps=1, batch_size=1, accumulate=1)
    assert train(base, [one], settings)["loss"] == pytest.approx(float(expected), abs=1e-3)


def test_from_training_to_a_submission(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, zipped = tmp_path / "adapters", tmp_path / "predictions.zip"
    common = ["--model", str(folder), "--device", "cpu"]
    steps = ["--most-steps", "2", "--batch-size", "2", "--accumulate", "1"]
    assert main(["train", "--train", str(TRAIN), "--out", str(out), *common, *steps]) == 0
    facts = json.loads((out / "training.json").read_text())
    assert facts["steps"] == 2 and facts["examples"] == 157
    claims_file = tmp_path / "claims.csv"
    lines = (ROOT / "input_data" / "claims.csv").read_text("utf-8").splitlines()[:13]
    claims_file.write_text("\n".join(lines) + "\n", "utf-8")
    arguments = ["--claims", str(claims_file), "--out", str(zipped), "--model", str(out)]
    assert main(["predict", *arguments, "--device", "cpu", "--batch-size", "5"]) == 0
    submission = read_submission(zipped, read_claims(claims_file))
    assert submission.valid and submission.tasks == ("2",)
    assert submission.task2 is not None and submission.task2.codes.any(axis=1).sum() == 12
    assert "narratives of 12 claims" in capsys.readouterr().out


def test_answers_do_not_depend_on_the_batch(folder: Path) -> None:
    model = Loaded(folder, device="cpu")
    claims = list(GOLD.claims.texts[:7])
    together = model.answers(claims, batch_size=4)
    assert together == [model.answers([claim])[0] for claim in claims]
    assert all(is_whole(answer) for answer in together)


def test_whatever_a_model_prefers_the_answer_can_be_read(folder: Path) -> None:
    """Any walk through the allowed tokens is a whole answer, and each code can be reached."""
    model = Loaded(folder, device="cpu")
    grammar: TokenGrammar = model._grammar()
    chance, seen = random.Random(0), set()
    for _ in range(400):
        tokens: list[int] = []
        while not tokens or tokens[-1] != grammar.end:
            tokens.append(chance.choice(grammar.allowed(tokens)))
        text = grammar.text(tokens)
        assert is_whole(text)
        seen.update(text.split(";"))
    assert len(seen) == 33
    assert grammar.allowed([grammar.end, 5]) == [grammar.end]


def test_tokens_of_several_characters() -> None:
    # A tokenizer may have ";2" or "_1" in one: all roads to the same text are open.
    tokens = dict(enumerate([*"0123456789_;", "_1", ";2", "x", "1_", "_;"]))
    grammar = TokenGrammar(tokens, end=99)
    text_of = lambda numbers: {tokens.get(n, "end") for n in numbers}  # noqa: E731
    assert text_of(grammar.allowed([])) == {*"012345", "1_"}
    assert text_of(grammar.allowed([1])) == {"_", "_1"}
    assert text_of(grammar.allowed([1, 12])) == {";", ";2", "end"}
    assert text_of(grammar.allowed([0, 10, 0])) == {"end"}  # 0_0 stands alone
    assert grammar.text([1, 12, 13, 12, 99, 4]) == "1_1;2_1"
    with pytest.raises(ValueError, match="no token of the model is ; alone"):
        TokenGrammar(dict(enumerate("0123456789_")), end=99)


def test_models_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = Loaded(language_model(tmp_path / "plain", ["a b"], template=""), device="cpu")
    with pytest.raises(ModelError, match="no chat template"):
        plain.answers(["Ice."])
    arguments: list[Any] = ["train", "--train", TRAIN, "--out", tmp_path / "x", "--model", tmp_path]
    assert main(list(map(str, arguments))) == 2
    assert "is neither a folder with a model" in capsys.readouterr().err


def test_a_folder_of_something_else_is_refused_before_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.tex").write_text("dear")
    monkeypatch.setattr("baselines.narrative_lm.__main__.Loaded", None)  # nothing is loaded
    assert main(["train", "--train", str(TRAIN), "--out", str(tmp_path)]) == 2
    assert "holds something else than a model" in capsys.readouterr().err
    assert (tmp_path / "thesis.tex").read_text() == "dear"
