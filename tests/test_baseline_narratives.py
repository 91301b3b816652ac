"""Narrative classification on a CPU: thresholds, decisions, rare codes, and the bench."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score

from baselines import narrative_classifier
from baselines.narrative_classifier import NarrativeClassifier, cross_validated, groups
from baselines.narrative_descriptions import described
from baselines.thresholds import best_threshold, macro_f1, only_best, several, thresholds
from benchmarks import narratives as bench
from climatecheck import read_gold, taxonomy
from climatecheck.tables import Booleans, Floats

CODES = taxonomy.CODES
TRAIN = Path(__file__).resolve().parents[1] / "starting_kit" / "data" / "train"


def codes(*rows: str) -> Booleans:
    return np.array([[code in row.split(";") for code in CODES] for row in rows])


def margins(**given: float) -> Floats:
    row = np.full((1, len(CODES)), -1.0)
    for name, value in given.items():
        row[0, CODES.index(name.removeprefix("c"))] = value
    return row


def decided(**given: float) -> set[str]:
    return {CODES[i] for i in np.flatnonzero(several(margins(**given))[0])}


@pytest.mark.parametrize("seed", range(20))
def test_the_best_threshold_is_the_best_of_all(seed: int) -> None:
    chance = np.random.default_rng(seed)
    scores = np.round(chance.normal(size=30), 1)  # with equal ones among them
    truth = chance.random(30) < 0.3
    truth[0] = True
    values = np.unique(scores)
    cuts = [values[0] - 1, *((values[1:] + values[:-1]) / 2)]
    best = max(f1_score(truth, scores > cut) for cut in cuts)
    assert f1_score(truth, scores > best_threshold(scores, truth)) == pytest.approx(best)


def test_macro_f1_is_that_of_scikit_learn_over_the_codes_of_the_gold() -> None:
    chance = np.random.default_rng(0)
    gold, predicted = (chance.random((2, 50, len(CODES))) < 0.1).astype(bool)
    gold[:, 5] = False
    kept = gold.any(axis=0)
    expected = f1_score(gold[:, kept], predicted[:, kept], average="macro", zero_division=0)
    assert macro_f1(gold, predicted) == pytest.approx(expected)


def test_thresholds_of_frequent_rare_and_unseen_codes() -> None:
    gold = codes(*["1_1"] * 20, "2_1", "2_1", *["0_0"] * 20)
    scores = np.full(gold.shape, -2.0)
    scores[:20, CODES.index("1_1")] = 1.0
    scores[20:22, CODES.index("2_1")] = -1.0
    scores[22:, CODES.index("0_0")] = 1.0
    scores[5, CODES.index("5_3")] = 0.7
    made = dict(zip(CODES, thresholds(scores, gold).tolist(), strict=True))
    # Scores are at -2, -1, 1: own thresholds lie half-way, at -.5 (1_1: from 1 down to -2) and
    # -1.5 (2_1). The common one is the first of 25 steps from -2 to 1 with the greatest macro-F1.
    common = -2.0
    assert made["1_1"] == pytest.approx(20 / 25 * -0.5 + 5 / 25 * common)
    assert made["2_1"] == pytest.approx(2 / 7 * -1.5 + 5 / 7 * common)
    assert made["5_3"] == 0.7  # no text has it: only above all that were seen
    assert made["5_2"] == pytest.approx(common)


def test_decisions() -> None:
    assert decided(c2_1=0.2, c5_1=0.1) == {"2_1", "5_1"}
    assert decided(c2_1=-0.2) == {"2_1"}  # none is above: the nearest
    assert decided(c0_0=0.3, c2_1=0.2) == {"0_0"}
    assert decided(c0_0=0.2, c2_1=0.3) == {"2_1"}
    assert decided(c0_0=-0.1) == {"0_0"}
    assert decided(c2_0=0.5, c2_1=0.1, c3_0=0.1) == {"2_1", "3_0"}
    assert decided(c2_0=-0.5) == {"2_0"}


@pytest.mark.parametrize("seed", range(5))
def test_decisions_are_never_empty_and_no_narrative_stands_alone(seed: int) -> None:
    made = several(np.random.default_rng(seed).normal(size=(500, len(CODES))) - seed / 2)
    none = CODES.index("0_0")
    assert made.any(axis=1).all()
    assert not (made[:, none] & (made.sum(axis=1) > 1)).any()
    assert only_best(margins(c4_2=0.1)).sum() == 1


@pytest.fixture(scope="module")
def training() -> tuple[list[str], Booleans]:
    gold = read_gold(TRAIN)
    return list(gold.claims.texts), gold.narratives.dense(len(gold.claims))


@pytest.fixture(scope="module")
def model(training: tuple[list[str], Booleans]) -> NarrativeClassifier:
    return NarrativeClassifier(*training)


def test_held_out_claims_of_the_sample(training: tuple[list[str], Booleans]) -> None:
    texts, gold = training
    predicted = cross_validated(texts, gold)
    assert predicted.any(axis=1).all()
    # Measured: .371. All 0_0 is (2 * 76 / (157 + 76)) / 33 = .020; random codes are below .06.
    assert macro_f1(gold, predicted) > 0.3
    assert macro_f1(gold, codes(*["0_0"] * len(texts))) == pytest.approx(0.0198, abs=1e-4)
    chance = np.random.default_rng(0)
    random = [np.eye(33, dtype=bool)[chance.integers(33, size=len(texts))] for _ in range(20)]
    assert max(macro_f1(gold, one) for one in random) < 0.1


def test_any_text_gets_a_code_and_the_order_has_no_effect(model: NarrativeClassifier) -> None:
    texts = ["", "🌍", "zzz qqq", "CO₂ is plant food!", "the same again", "the same again"]
    made = model.predict(texts)
    assert made.any(axis=1).all()
    assert made[3, CODES.index("3_3")]
    assert np.array_equal(made[4], made[5])
    assert np.array_equal(model.predict(texts[::-1]), made[::-1])
    assert model.predict([]).shape == (0, len(CODES))


def test_equal_training_gives_equal_margins(
    training: tuple[list[str], Booleans], model: NarrativeClassifier
) -> None:
    texts, gold = training
    assert np.array_equal(NarrativeClassifier(texts, gold).margins(texts), model.margins(texts))


def test_a_code_without_examples_can_still_be_found() -> None:
    texts = [f"the weather on day {i} was mild" for i in range(30)]
    texts += [f"renewable power plant number {i} opened" for i in range(30)]
    gold = codes(*["0_0"] * 30, *["4_4"] * 30)
    model = NarrativeClassifier(texts, gold)
    hoax = "climate change is a hoax, a scam, a fraud, a conspiracy of governments and elites"
    assert model.predict([hoax])[0, CODES.index("5_3")]
    seen = model.predict(texts)
    assert np.array_equal(seen, gold)


def test_what_cannot_be_learned() -> None:
    for texts, gold in ((["a"], codes("0_0")), (["a", "b"], codes("0_0", "0_0"))):
        with pytest.raises(ValueError, match=r"two codes"):
            NarrativeClassifier(texts, gold)


def test_every_code_is_described() -> None:
    made = described()
    assert tuple(made) == CODES
    assert all(len(text) > len(taxonomy.NARRATIVES[code]) + 20 for code, text in made.items())


def test_groups_of_codes() -> None:
    assert groups(codes("0_0", "2_1;2_3", "1_0;5_2")).tolist() == [
        [1, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0],
        [0, 1, 0, 0, 0, 1],
    ]


# --- the bench ------------------------------------------------------------------------------------


def test_the_bench_reads_words_that_look_like_nothing(tmp_path: Path) -> None:
    file = tmp_path / "texts.csv"
    file.write_text('claim,text\n0_0,NA\n1_1;2_1,None\n2_1,""\n0_0,"a, b"\n', "utf-8")
    texts, gold = bench.read(file)
    assert texts == ["NA", "None", "", "a, b"]
    assert np.array_equal(gold, codes("0_0", "1_1;2_1", "2_1", "0_0"))


@pytest.mark.parametrize(
    ("content", "said"),
    [("text,label\na,0_0\n", "columns text and claim"), ("text,claim\na,9_9\n", "line 2")],
)
def test_the_bench_says_what_it_cannot_read(
    content: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "texts.csv"
    file.write_text(content, "utf-8")
    assert bench.main([str(file)]) == 2
    assert said in capsys.readouterr().err


def test_the_bench_prints_a_row_a_model(
    training: tuple[list[str], Booleans],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts, gold = training
    lines = [
        f'"{text.replace(chr(34), "")}",{CODES[row.argmax()]}'
        for text, row in zip(texts, gold, strict=True)
    ]
    file = tmp_path / "texts.csv"
    file.write_text("\n".join(["text,claim", *lines, ""]), "utf-8")
    assert bench.main([str(file)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("157 texts, 33 codes, 5 folds")
    values = {
        name: float(line.removeprefix(name).split()[0])
        for line in printed.splitlines()
        for name in bench.MODELS
        if line.startswith(f"{name} ")
    }
    assert list(values) == list(bench.MODELS)
    assert values["embedded narrative classifier"] > 0.3
    # All 0_0: 2 * 76 / (157 + 76) in one of the 33 codes that occur (first codes alone: 32).
    assert values["most frequent code"] == pytest.approx(0.02, abs=0.001)


def test_the_bench_gives_each_fold_to_a_model_that_has_not_seen_it() -> None:
    texts = [f"word{i}" for i in range(20)]
    gold = codes(*["0_0", "1_1"] * 10)
    seen: list[set[str]] = []

    def train(known: list[str], truth: Booleans) -> bench.Predictor:
        seen.append(set(known))
        return lambda held: codes(*["0_0" if not seen[-1] & set(held) else "5_3" for _ in held])

    value, by_fold = bench.cross_validate(texts, gold, train)
    # All 0_0: F1 of 0_0 is 2 * 10 / (20 + 10), of 1_1 it is 0.
    assert value == pytest.approx(1 / 3)
    assert len(by_fold) == len(seen) == 5
    assert [len(one) for one in seen] == [16] * 5


def test_plain_models_learn_what_is_plain() -> None:
    texts = ["ice melts", "sun shines"] * 10
    gold = codes(*["1_1", "2_1"] * 10)
    for train in (bench.plain, bench.embedded):
        assert np.array_equal(train(texts, gold)(["ice", "sun"]), codes("1_1", "2_1"))
    assert np.array_equal(bench.majority(texts, codes("5_1", "5_1"))(["x"]), codes("5_1"))


def test_links_and_handles_say_nothing() -> None:
    assert narrative_classifier._plain("@who: see https://a.b/c #CO₂").split() == [
        ":",
        "see",
        "CO2",
    ]
