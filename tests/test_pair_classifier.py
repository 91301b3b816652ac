"""The embedded pair classifier on the sample edition, and the measures it is judged by."""

from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

from baselines import pair_classifier
from baselines.pair_classifier import PairClassifier, cross_validate
from baselines.pair_features import PairFeatures
from baselines.pair_model import LabelledPairs, PairModel, read_labelled_pairs
from baselines.pair_quality import quality
from baselines.texts import TextError
from climatecheck import edition
from climatecheck.tables import Floats, Integers

ROOT = Path(__file__).resolve().parents[1]
TRAIN = ROOT / "starting_kit" / "data" / "train"
ABSTRACTS = ROOT / "starting_kit" / "data" / "abstracts.csv"


@pytest.fixture(scope="module")
def data() -> LabelledPairs:
    return read_labelled_pairs(TRAIN, ABSTRACTS)


@pytest.fixture(scope="module")
def some(data: LabelledPairs) -> LabelledPairs:
    """The pairs of the first 40 claims."""
    return data.part(np.flatnonzero(data.claim < 40))


@pytest.fixture(scope="module")
def model(some: LabelledPairs) -> PairClassifier:
    return PairClassifier(some)


def random_predictions(pairs: int = 300) -> tuple[Integers, Floats]:
    chance = np.random.default_rng(3)
    return chance.integers(3, size=pairs), chance.dirichlet([1, 1, 1], size=pairs)


def test_measures_against_scikit_learn() -> None:
    label, probabilities = random_predictions()
    made = quality(label, probabilities)
    predicted = probabilities.argmax(axis=1)
    assert made.pairs == 300
    assert made.accuracy == pytest.approx(metrics.accuracy_score(label, predicted))
    assert made.macro_f1 == pytest.approx(metrics.f1_score(label, predicted, average="macro"))
    assert made.log_loss == pytest.approx(metrics.log_loss(label, probabilities))


def test_macro_f1_is_over_the_labels_of_the_gold() -> None:
    # Gold A A, predicted A B: F1 of A is 2 x 1 / (2 + 1) = 2/3; B is not in the gold.
    probabilities = np.array([[0.9, 0.1, 0.0], [0.1, 0.9, 0.0]])
    assert quality(np.array([0, 0]), probabilities).macro_f1 == pytest.approx(2 / 3)


def test_calibration_error_by_hand() -> None:
    # Bin 0.9 to 1.0: two pairs, both said with 0.95, one right: gap |1 - 1.9| / 4 = 0.225.
    # Bin 0.5 to 0.6: two pairs, said with 0.5 and 0.55, both right: gap |2 - 1.05| / 4 = 0.2375.
    said = np.array([0.95, 0.95, 0.5, 0.55])
    probabilities = np.stack([said, 1 - said, np.zeros(4)], axis=1)
    made = quality(np.array([0, 1, 0, 0]), probabilities)
    assert made.calibration_error == pytest.approx(0.225 + 0.2375)


def test_a_certain_mistake_has_a_finite_loss() -> None:
    # -ln(1e-15)
    made = quality(np.array([0]), np.array([[0.0, 1.0, 0.0]]))
    assert made.log_loss == pytest.approx(34.538776)


@pytest.mark.parametrize("pairs", [0, 2])
def test_shapes_that_do_not_fit(pairs: int) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        quality(np.zeros(pairs, dtype=np.int64), np.zeros((3, 3)))


def test_it_beats_majority_and_chance_on_claims_it_has_not_seen(data: LabelledPairs) -> None:
    made = cross_validate(data, folds=3)
    classifier, majority, chance = (made[name] for name in ("classifier", "majority", "random"))
    # 204 of the 468 pairs support their claim.
    assert majority.accuracy == pytest.approx(204 / 468)
    assert chance.log_loss == pytest.approx(np.log(3))
    assert classifier.accuracy > majority.accuracy + 0.15
    assert classifier.macro_f1 > max(majority.macro_f1, chance.macro_f1) + 0.15
    assert classifier.log_loss < majority.log_loss - 0.15
    assert classifier.calibration_error < 0.12


def test_claims_are_held_out_whole(data: LabelledPairs, monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[LabelledPairs] = []

    class Spy:
        def __init__(self, training: LabelledPairs) -> None:
            known.append(training)

        def probabilities(self, pairs: tuple[tuple[str, str], ...]) -> Floats:
            assert not {claim for claim, _ in pairs} & {claim for claim, _ in known[-1].pairs}
            return np.full((len(pairs), 3), 1 / 3)

    monkeypatch.setattr(pair_classifier, "PairClassifier", Spy)
    cross_validate(data, folds=4)
    assert len(known) == 4
    assert sum(len(data) - len(training) for training in known) == len(data)


def test_probabilities_do_not_depend_on_order_or_company(
    model: PairClassifier, some: LabelledPairs
) -> None:
    together = model.probabilities(some.pairs)
    assert together.shape == (len(some), 3)
    assert together.sum(axis=1) == pytest.approx(1.0)
    assert together.min() >= 0
    backwards = model.probabilities(some.pairs[::-1])[::-1]
    alone = np.concatenate([model.probabilities([pair]) for pair in some.pairs[:20]])
    assert np.array_equal(together, backwards)
    assert np.array_equal(together[:20], alone)
    assert model.probabilities([]).shape == (0, 3)


def test_equal_pairs_make_equal_models(model: PairClassifier, some: LabelledPairs) -> None:
    again = PairClassifier(some)
    assert np.array_equal(again.probabilities(some.pairs), model.probabilities(some.pairs))
    assert again.parameters == model.parameters


def test_other_training_pairs_are_other_parameters(
    model: PairClassifier, some: LabelledPairs
) -> None:
    label = some.label.copy()
    label[0] = (label[0] + 1) % 3
    other = PairClassifier(LabelledPairs(some.pairs, label, some.claim))
    assert other.parameters != model.parameters


def test_odd_texts(model: PairClassifier) -> None:
    odd = [("", ""), ("zxqv", "?"), ("A claim.", ""), ("", "No. Not. Never."), ("\0", "x" * 50_000)]
    made = model.probabilities(odd)
    assert np.isfinite(made).all() and made.sum(axis=1) == pytest.approx(1.0)


def test_it_keeps_the_protocol(model: PairClassifier) -> None:
    kept: PairModel = model
    assert kept.name == "embedded pair classifier (approximation)"
    assert set(kept.parameters) == {"model", "strength", "training_pairs", "scikit-learn"}


def test_a_label_that_cannot_be_learnt(some: LabelledPairs) -> None:
    supported = some.part(np.flatnonzero(some.label == 0))
    with pytest.raises(ValueError, match="at least two claims for each of Supports, Refutes"):
        PairClassifier(supported)


def test_features_see_negation_direction_and_the_nearest_sentence() -> None:
    pairs = [
        ("Sea level is rising.", "Trees grow. Sea level is rising."),
        ("Sea level is rising.", "Trees grow. Sea level is not rising."),
        ("Sea level is rising.", "Trees grow. Sea level is falling."),
    ]
    features = PairFeatures(pairs)
    measured, nearest = features._measured(pairs)
    assert nearest == [f"Sea level is {what}." for what in ("rising", "not rising", "falling")]
    assert len({tuple(row) for row in measured.tolist()}) == 3
    # The second measure pair: cosine of the nearest sentence, 1 where it is the claim itself.
    assert measured[0].max() >= 1 and measured[0, 2] == pytest.approx(1.0)


def test_an_abstract_that_is_missing(tmp_path: Path) -> None:
    lines = ABSTRACTS.read_text(encoding="utf-8").splitlines()
    judged = {line.split(",")[1] for line in (TRAIN / edition.TASK1_GOLD_FILE).open()}
    gone = next(line for line in lines if line.split(",")[0] in judged - {"abstract_id"})
    short = tmp_path / "abstracts.csv"
    short.write_text("\n".join(line for line in lines if line != gone), encoding="utf-8")
    message = rf"abstracts\.csv lacks 1 of the \d+ abstracts .* \(first: {gone.split(',')[0]}\)"
    with pytest.raises(TextError, match=message):
        read_labelled_pairs(TRAIN, short)


def test_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, data: LabelledPairs
) -> None:
    monkeypatch.setattr(pair_classifier, "cross_validate", lambda data: {"even": _even(data)})
    arguments = ["--train", str(TRAIN), "--abstracts", str(ABSTRACTS)]
    assert pair_classifier.main(arguments) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "468 pairs of 157 claims, whole claims held out"
    # All even, so the first label is taken: accuracy 204/468, said with 1/3; ln 3 = 1.099.
    assert shown[2].split() == ["even", "0.436", "0.202", "1.099", "0.103"]
    assert pair_classifier.main([*arguments[:3], "absent.csv"]) == 2
    assert capsys.readouterr().err == "Not done: absent.csv does not exist\n"


def _even(data: LabelledPairs) -> object:
    return quality(data.label, np.full((len(data), 3), 1 / 3))
