"""Sequence classification through the real loading code, on tiny models made here."""

import os
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import pytest

from baselines.pair_model import PairModel
from baselines.sequence_classifier import ModelError, SequenceClassifier, label_columns
from tests.models.tiny_models import word_tokenizer

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

WORDS = [
    "sea",
    "level",
    "is",
    "rising",
    "not",
    "falling",
    "ice",
    "melts",
    "the",
    "wind",
    "sun",
    "and",
]
NLI = {0: "entailment", 1: "neutral", 2: "contradiction"}
SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 37,
    "max_position_embeddings": 512,
}
OF_ITS_OWN = {
    "Bert": {},
    "DebertaV2": {
        "relative_attention": True,
        "position_buckets": 32,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
    },
}
"""What sets the published models of a kind apart from the defaults."""

PAIRS = [
    ("sea level is rising", "ice melts and the sea level is rising"),
    ("sea level is rising", "sea level is not falling"),
    ("the sun", "wind and sun " * 200),
    ("ice melts", ""),
    ("wind", "the wind is rising"),
]


def save(folder: Path, kind: str, names: dict[int, str] = NLI, seed: int = 0) -> Path:
    """Save a randomly initialised model and its tokenizer."""
    torch.manual_seed(seed)
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=word_tokenizer(folder, WORDS),
        id2label=names,
        label2id={name: k for k, name in names.items()},
        pad_token_id=0,
        initializer_range=0.2,  # so that the outputs differ
        **SIZES,
        **OF_ITS_OWN[kind],
    )
    model = getattr(transformers, f"{kind}ForSequenceClassification")(config)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module", params=["Bert", "DebertaV2"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp(request.param), request.param)


def by_hand(folder: Path, claim: str, abstract: str, max_length: int = 320) -> Any:
    """Return the probabilities of one pair, entailment, contradiction and neutral."""
    encode = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokens = encode(
        abstract, claim, truncation="longest_first", max_length=max_length, return_tensors="pt"
    )
    with torch.no_grad():
        logits = model(**tokens).logits[0]
    return torch.softmax(logits.double(), 0)[[0, 2, 1]].numpy()


def test_probabilities_are_those_of_the_model_alone(folder: Path) -> None:
    model = SequenceClassifier(folder, batch_size=2, device="cpu")
    made = model.probabilities(PAIRS)
    assert made.shape == (5, 3) and made.sum(axis=1) == pytest.approx(1.0)
    for row, (claim, abstract) in zip(made, PAIRS, strict=True):
        assert row == pytest.approx(by_hand(folder, claim, abstract), abs=1e-6)
    assert len({tuple(row.round(4)) for row in made}) == len(PAIRS)


def test_order_and_batches_do_not_matter(folder: Path) -> None:
    model = SequenceClassifier(folder, batch_size=3, device="cpu")
    alone = SequenceClassifier(folder, batch_size=1, device="cpu")
    made = model.probabilities(PAIRS)
    assert model.probabilities(PAIRS[::-1])[::-1] == pytest.approx(made, abs=1e-6)
    assert alone.probabilities(PAIRS) == pytest.approx(made, abs=1e-6)
    assert model.probabilities([]).shape == (0, 3)


def test_the_abstract_is_cut_and_the_claim_kept(folder: Path) -> None:
    long = "wind and sun " * 200
    short = SequenceClassifier(folder, max_length=16, device="cpu")
    # [CLS] 9 words [SEP] 4 words [SEP] are 16 tokens.
    kept = " ".join(long.split()[:9])
    claim = "sea level is rising"
    (made,) = short.probabilities([(claim, long)])
    assert made == pytest.approx(by_hand(folder, claim, kept), abs=1e-6)
    assert short.parameters["max_length"] == 16


def test_parameters_tell_models_apart(tmp_path: Path) -> None:
    first = SequenceClassifier(save(tmp_path / "a" / "tiny", "Bert"), device="cpu")
    same = SequenceClassifier(save(tmp_path / "b" / "tiny", "Bert"), device="cpu")
    other = SequenceClassifier(save(tmp_path / "c" / "tiny", "Bert", seed=1), device="cpu")
    kept: PairModel = first
    assert kept.name == "tiny"
    assert first.parameters == same.parameters != other.parameters
    assert first.parameters["outputs"] == [0, 2, 1]
    assert (first.parameters["max_length"], first.parameters["precision"]) == (320, "float32")


def test_labels_given_by_hand(tmp_path: Path) -> None:
    unnamed = {k: f"LABEL_{k}" for k in range(3)}
    folder = save(tmp_path / "tiny", "Bert", unnamed)
    with pytest.raises(ModelError, match="tiny names its outputs LABEL_0, LABEL_1, LABEL_2; which"):
        SequenceClassifier(folder, device="cpu")
    labels = ["entailment", "NEI", "Refutes"]
    given = SequenceClassifier(folder, labels=labels, device="cpu").probabilities(PAIRS)
    assert given[0] == pytest.approx(by_hand(folder, *PAIRS[0]), abs=1e-6)


def test_no_model_there(tmp_path: Path) -> None:
    for model in (tmp_path, "no-such-owner/no-such-model"):
        with pytest.raises(ModelError, match="is neither a folder with a model nor one that"):
            SequenceClassifier(model, device="cpu")


def test_progress(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    SequenceClassifier(folder, device="cpu", progress="pairs").probabilities(PAIRS)
    assert "pairs" in capsys.readouterr().err


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_half_precision_on_a_gpu(folder: Path) -> None:
    half = SequenceClassifier(folder)
    assert half.parameters["precision"] == "float16"
    whole = SequenceClassifier(folder, device="cpu").probabilities(PAIRS)
    assert half.probabilities(PAIRS) == pytest.approx(whole, abs=0.02)


@pytest.mark.parametrize(
    "names",
    [
        ["Supports", "Refutes", "Not Enough Information"],
        ["SUPPORTS", "REFUTES", "NOT_ENOUGH_INFO"],
        ["ENTAILMENT", "Contradiction", "neutral"],
        ["support", "refute", "nei"],
    ],
)
def test_names_of_labels(names: list[str]) -> None:
    assert label_columns(dict(enumerate(names)), None) == [0, 1, 2]
    assert label_columns(dict(enumerate(names[::-1])), None) == [2, 1, 0]


@pytest.mark.parametrize(
    ("names", "labels", "message"),
    [
        (["entailment", "not_entailment"], None, "outputs entailment, not_entailment; which"),
        (["entailment", "supports", "neutral"], None, "cannot be told"),
        (["LABEL_0", "LABEL_1"], ["Supports", "Refutes", "NEI"], "2 outputs, but 3 labels"),
        (["a", "b", "c"], ["Supports", "Refutes", "Perhaps"], "outputs Supports, Refutes, Perhaps"),
    ],
)
def test_labels_that_cannot_be_told(
    names: list[str], labels: list[str] | None, message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        label_columns(dict(enumerate(names)), labels)
