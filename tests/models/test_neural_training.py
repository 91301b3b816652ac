"""The training code of the neural baseline: real loading and saving, tiny models, two steps."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baselines.neural import train_classifier, train_encoder
from baselines.neural.corpus import Corpus
from baselines.neural.encoder import Encoder, EncoderSettings
from baselines.neural.fitting import Schedule, check_folder, fit, save_whole
from baselines.neural.negatives import Example, examples
from baselines.neural.pairs_file import read_pairs
from baselines.neural.train_classifier import LOWEST, PRESETS, WHOLE, Preset
from baselines.neural.trainee import Trainee, worst_label
from baselines.pair_model import LabelledPairs
from baselines.sequence_classifier import SequenceClassifier
from baselines.texts import TextError
from climatecheck import edition, read_gold
from climatecheck.metrics.judgements import is_evidentiary
from tests.models.tiny_models import bert, classifier, torch, transformers

ROOT = Path(__file__).resolve().parents[2]
ABSTRACTS = ROOT / "starting_kit" / "data" / "abstracts.csv"
TRAIN = ROOT / "starting_kit" / "data" / "train"
CORPUS = Corpus.read(ABSTRACTS)
GOLD = read_gold(TRAIN)
TEXTS = [*CORPUS.texts, *GOLD.claims.texts, "query passage : ."]
DATA = ["--train", str(TRAIN), "--abstracts", str(ABSTRACTS), "--device", "cpu"]


# The loop


def test_the_loop_is_that_of_adamw() -> None:
    """One weight, loss (w - 3)^2, against torch's own optimiser driven by hand."""
    schedule = Schedule(1, 1, 0.1, warmup_steps=0, weight_decay=0.0, clip=100.0)
    network = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.constant_(network.weight, 1.0)
    loss_of = lambda batch: ((network.weight - 3.0) ** 2).sum()  # noqa: E731
    losses = fit(network, [1, 2, 3], loss_of, schedule, device="cpu")
    weight = torch.nn.Parameter(torch.tensor([[1.0]]))
    optimiser = torch.optim.AdamW([weight], lr=0.1, weight_decay=0.0)
    expected = []
    for step in range(3):
        optimiser.param_groups[0]["lr"] = 0.1 * (3 - step) / 3
        optimiser.zero_grad()
        loss = ((weight - 3.0) ** 2).sum()
        expected.append(float(loss.detach()))
        loss.backward()
        optimiser.step()
    assert losses == pytest.approx(expected) and losses[0] == 4.0
    assert network.weight.item() == pytest.approx(weight.item())


def test_each_example_is_seen_once_an_epoch_in_an_order_of_its_own() -> None:
    network = torch.nn.Linear(1, 1)
    seen: list[int] = []

    def loss_of(batch: list[int]) -> Any:
        seen.extend(batch)
        return network.weight.sum()

    schedule = Schedule(epochs=2, batch_size=4)
    assert len(fit(network, range(10), loss_of, schedule, device="cpu")) == 6
    assert sorted(seen[:10]) == sorted(seen[10:]) == list(range(10))
    assert seen[:10] != seen[10:] != sorted(seen[10:])


def test_a_loss_that_is_no_number_ends_the_training() -> None:
    network = torch.nn.Linear(1, 1)
    with pytest.raises(ValueError, match="the loss of step 1 is nan"):
        fit(network, [1], lambda b: network.weight.sum() * float("nan"), Schedule(), device="cpu")
    with pytest.raises(ValueError, match="nothing to learn from"):
        fit(network, [], lambda b: network.weight.sum(), Schedule(), device="cpu")


# Where a model is saved


def test_a_model_replaces_nothing_but_a_model(tmp_path: Path) -> None:
    out = tmp_path / "models" / "new"
    check_folder(out)
    assert out.parent.is_dir() and not out.exists()

    def save(folder: Path) -> None:
        (folder / "config.json").write_text("{}")

    out.mkdir()  # an empty folder is fine, and so is a model made here
    for run in (1, 2):
        save_whole(out, save, {"run": run})
        assert json.loads((out / "training.json").read_text()) == {"run": run}
    assert [path.name for path in out.parent.iterdir()] == ["new"]


@pytest.mark.parametrize("kind", ["file", "link", "notes", "config", "here"])
def test_what_is_no_model_is_refused_before_training(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, note = tmp_path / "out", tmp_path / "note.txt"
    note.write_text("dear")
    if kind == "file":
        out.write_text("dear")
    elif kind == "link":
        out.symlink_to(tmp_path / "elsewhere")
    else:
        out.mkdir()
        (out / {"config": "config.json"}.get(kind, "note.txt")).write_text("dear")
    if kind == "here":
        (out / "note.txt").unlink()
        monkeypatch.chdir(out)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ValueError, match=r"will not be replaced|no place for|something else"):
        save_whole(out, lambda folder: None, {})
    monkeypatch.setattr(train_encoder, "Encoder", None)  # nothing is loaded
    monkeypatch.setattr(train_classifier, "Trainee", None)
    for main in (train_encoder.main, train_classifier.main):
        assert main([*DATA, "--out", str(out)]) == 2
        assert f"Not done: {out} " in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_save_that_fails_leaves_the_earlier_model(tmp_path: Path) -> None:
    out = tmp_path / "out"
    save_whole(out, lambda folder: folder.joinpath("config.json").touch(), {"run": 1})

    def fails(folder: Path) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        save_whole(out, fails, {"run": 2})
    assert json.loads((out / "training.json").read_text()) == {"run": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


# Negatives


def test_negatives_are_judged_or_mined_but_never_evidence() -> None:
    ranking = [int(id_) for id_ in CORPUS.ids]
    made = examples(GOLD, dict.fromkeys(range(len(GOLD.claims)), ranking), per_example=6)
    evidentiary = is_evidentiary(GOLD.label)
    assert len(made) == int(evidentiary.sum())
    judged_first = 0
    for one in made:
        (claim,) = [c for c, text in enumerate(GOLD.claims.texts) if text == one.claim]
        of_claim = GOLD.claim == claim
        evidence = set(GOLD.abstract[of_claim & evidentiary].tolist())
        judged = set(GOLD.abstract[of_claim & ~evidentiary].tolist())
        assert one.evidence in evidence == set(one.all_evidence)
        assert len(one.negatives) == 6 and not evidence & set(one.negatives)
        assert judged.issuperset(one.negatives[: len(judged)])
        assert not set(ranking[:10]) & set(one.negatives[len(judged) :])
        judged_first += bool(judged)
    assert judged_first > 0


def test_no_claim_held_out_is_learned_from() -> None:
    keep = np.arange(len(GOLD.claims)) % 2 == 0
    made = examples(GOLD, {}, keep=keep)
    kept = {GOLD.claims.texts[i] for i in np.flatnonzero(keep)}
    assert made and {one.claim for one in made} <= kept


# The bi-encoder


def test_the_contrastive_loss_by_hand() -> None:
    """Likeness 1, 0, 0.6 for the first claim and 0, 1, 0.8 for the second, temperature 0.5.

    The third abstract is other evidence of the first claim, so it is no negative of it:
    -ln(e^2 / (e^2 + e^0)) and -ln(e^2 / (e^0 + e^2 + e^1.6)).
    """
    claims = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    abstracts = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    forbidden = torch.tensor([[False, False, True], [False, False, False]])
    made = train_encoder.contrastive_loss(
        claims, abstracts, torch.tensor([0, 1]), forbidden, temperature=0.5
    )
    e = np.exp
    first, second = e(2) / (e(2) + 1), e(2) / (1 + e(2) + e(1.6))
    assert float(made) == pytest.approx(-(np.log(first) + np.log(second)) / 2, abs=1e-6)


def test_a_batch_counts_each_abstract_once(tmp_path: Path) -> None:
    encoder = Encoder(bert(tmp_path, TEXTS), device="cpu", trainable=True)
    a, b, c, d = (int(id_) for id_ in CORPUS.ids[:4])
    batch = [
        Example("Ice is growing", a, (c,), frozenset({a, d})),
        Example("Seas rise", b, (c, d), frozenset({b})),
    ]
    made = float(train_encoder.batch_loss(encoder, CORPUS, batch, 0.5).detach())
    queries = encoder.queries(["Ice is growing", "Seas rise"]).astype(float)
    passages = encoder.passages([CORPUS.text(i) for i in (a, b, c, d)]).astype(float)
    scores = np.exp(queries @ passages.T / 0.5)
    first = scores[0, 0] / scores[0, :3].sum()  # d is evidence of the first claim too
    second = scores[1, 1] / scores[1].sum()
    assert made == pytest.approx(-(np.log(first) + np.log(second)) / 2, abs=1e-4)


def test_a_bi_encoder_learns_what_belongs_together(tmp_path: Path) -> None:
    encoder = Encoder(bert(tmp_path, TEXTS), EncoderSettings(), device="cpu", trainable=True)
    made = examples(GOLD, {})[:32]
    schedule = Schedule(epochs=6, batch_size=8, learning_rate=1e-3)
    losses = train_encoder.train(encoder, CORPUS, made, schedule)
    assert np.mean(losses[-4:]) < np.mean(losses[:4]) - 0.5


def test_training_a_bi_encoder_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, out = bert(tmp_path / "base", TEXTS), tmp_path / "trained"
    short = ["--most-steps", "2", "--batch-size", "4", "--save-memory"]
    arguments = ["--model", str(base), "--out", str(out), *short]
    assert train_encoder.main([*DATA, *arguments]) == 0
    facts = json.loads((out / "training.json").read_text())
    assert facts["schedule"]["most_steps"] == 2 and facts["negatives"] == 3
    assert 0 <= facts["development_hit_rate_before"] <= 1
    before, after = Encoder(base, device="cpu"), Encoder(out, device="cpu")
    assert not np.array_equal(before.queries(["sea"]), after.queries(["sea"]))
    assert after.parameters["version"] != before.parameters["version"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base", "trained"]
    assert "Share of claims held out" in capsys.readouterr().out
    assert train_encoder.main([*DATA, *arguments, "--model", "no-such-owner/none"]) == 2


# The classifier


@pytest.mark.parametrize("preset", PRESETS)
def test_training_a_classifier_from_the_command_line(
    preset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base, out = classifier(tmp_path / "base", TEXTS), tmp_path / "trained"
    more = tmp_path / "more.csv"
    more.write_text("claim,abstract,label\nIce grows,It melts,Refutes\nIce grows,Hm,NEI\n")
    arguments = ["--model", str(base), "--out", str(out), "--more", str(more)]
    short = ["--most-steps", "2", "--batch-size", "4", "--evaluate-every", "1", "--preset", preset]
    assert train_classifier.main([*DATA, *arguments, *short]) == 0
    facts = json.loads((out / "training.json").read_text())
    assert [look["step"] for look in facts["checkpoints"]][: facts["step"]] == [1, 2][
        : facts["step"]
    ]
    assert facts["preset"]["criterion"] == {"verification": LOWEST, "proxy": WHOLE}[preset]
    assert facts["pairs"] + facts["held_out_pairs"] == len(GOLD.label) + 2
    pairs = [("Ice grows", "It melts")]
    trained = SequenceClassifier(out, device="cpu").probabilities(pairs)
    untrained = SequenceClassifier(base, device="cpu").probabilities(pairs)
    assert not np.allclose(trained, untrained, atol=1e-7)
    assert f"after step {facts['step']}" in capsys.readouterr().out


def test_the_presets_are_those_of_the_paper() -> None:
    proxy = PRESETS["proxy"]
    assert (proxy.schedule.epochs, proxy.schedule.batch_size) == (3, 32)
    assert (proxy.schedule.learning_rate, proxy.schedule.warmup_steps) == (2e-6, 200)
    assert (proxy.max_length, proxy.evaluate_every, proxy.criterion) == (320, 2_000, WHOLE)
    assert PRESETS["verification"].criterion == LOWEST


class Scripted(Trainee):
    """Learns nothing, and predicts what it is told after each step."""

    def __init__(self, predictions: list[list[int]]) -> None:
        self.device = "cpu"
        self.network = torch.nn.Linear(1, 1)
        self.told = iter(predictions)
        self.saved = 0

    def loss(self, batch: Any) -> Any:
        return self.network.weight.sum()

    def predicted(self, pairs: Any, size: int) -> Any:
        return np.array(next(self.told))

    def save(self, folder: Path) -> None:
        self.saved += 1
        (folder / "which").write_text(str(self.saved))
        (folder / "config.json").write_text("{}")


@pytest.mark.parametrize(("criterion", "best", "value"), [(LOWEST, 2, 0.5), (WHOLE, 3, 5 / 6)])
def test_the_best_checkpoint_is_kept(
    criterion: str, best: int, value: float, tmp_path: Path
) -> None:
    gold = [0, 0, 1, 1, 2, 2]
    told = [
        [0, 0, 0, 0, 2, 2],  # by label 1, 0, 1; accuracy 4/6
        [0, 1, 1, 0, 2, 0],  # 0.5, 0.5, 0.5; 3/6
        [0, 0, 1, 1, 2, 0],  # 1, 1, 0.5; 5/6
        [0, 0, 1, 1, 0, 2],  # the same values: the first is kept
    ]
    data = LabelledPairs((("c", "a"),) * 4, np.zeros(4, int), np.arange(4))
    held_out = LabelledPairs((("c", "a"),) * 6, np.array(gold), np.arange(6))
    preset = Preset("unused", Schedule(1, 1), 1, criterion)
    trainee = Scripted(told)
    facts = train_classifier.train(trainee, data, held_out, preset, tmp_path / "out")
    assert (facts["step"], facts["value"]) == (best, pytest.approx(value))
    assert (tmp_path / "out" / "which").read_text() == str(trainee.saved)
    assert json.loads((tmp_path / "out" / "training.json").read_text())["step"] == best
    assert facts["checkpoints"][0]["by_label"] == dict(zip(edition.LABELS, [1, 0, 1], strict=True))


def test_a_model_without_a_fitting_head_gets_one(tmp_path: Path) -> None:
    torch.manual_seed(0)
    base = bert(tmp_path, TEXTS, "BertModel")
    trainee = Trainee(base, device="cpu")
    trainee.save(tmp_path / "saved")
    saved = transformers.AutoConfig.from_pretrained(tmp_path / "saved")
    assert saved.id2label == dict(enumerate(edition.LABELS))
    pairs = [("Ice grows", "It melts")]
    made = SequenceClassifier(tmp_path / "saved", device="cpu").probabilities(pairs)
    assert made.argmax() == trainee.predicted(pairs, 1)[0]


def test_the_outputs_of_an_nli_model_are_kept(tmp_path: Path) -> None:
    base = classifier(tmp_path / "base", TEXTS)
    trainee = Trainee(base, device="cpu")
    pairs = list(zip(GOLD.claims.texts[:20], CORPUS.texts[:20], strict=False))
    expected = SequenceClassifier(base, device="cpu").probabilities(pairs)
    assert trainee.predicted(pairs, 4).tolist() == expected.argmax(axis=1).tolist()
    label = torch.tensor([1] * 20)
    by_hand = torch.nn.functional.nll_loss(torch.tensor(np.log(expected)), label)
    batch = [(pair, 1) for pair in pairs]
    assert float(trainee.loss(batch).detach()) == pytest.approx(float(by_hand), abs=1e-4)


def test_worst_label_leaves_out_labels_without_pairs() -> None:
    assert worst_label(np.array([0, 0, 1]), np.array([0, 1, 1])) == 0.5


def test_nothing_held_out(tmp_path: Path) -> None:
    data = LabelledPairs((("c", "a"),), np.zeros(1, int), np.zeros(1, int))
    none = data.part(np.zeros(0, int))
    preset = replace(PRESETS["proxy"], model="unused")
    with pytest.raises(ValueError, match="no pair is held out"):
        train_classifier.train(Scripted([]), data, none, preset, tmp_path / "out")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "claim,label\nx,NEI\n", "line 2: expected a text in the column abstract"),
        ("a.csv", "claim,abstract,label\nx,y,maybe\n", "line 2: 'maybe' is not a label"),
        ("a.jsonl", '{"claim": "x"}\n', "line 1: expected a text in the column abstract"),
        ("a.jsonl", "nonsense\n", "cannot be read"),
    ],
)
def test_pairs_that_cannot_be_read(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(TextError, match=message):
        read_pairs(tmp_path / name)


def test_pairs_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [("x", "y", "NEI"), ("x", "z", "supports"), ("w", "y", "Refutes")]
    lines = [
        json.dumps(dict(zip(("claim", "abstract", "label"), row, strict=True))) for row in rows
    ]
    path.write_text("\n".join(lines))
    made = read_pairs(path)
    assert made.pairs == (("x", "y"), ("x", "z"), ("w", "y"))
    assert (made.label.tolist(), made.claim.tolist()) == ([2, 0, 1], [0, 0, 1])
