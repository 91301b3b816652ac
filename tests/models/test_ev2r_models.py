"""Ev2R with a sequence-classification model as proxy, through the real loading code."""

import csv
from pathlib import Path

import pytest

pytest.importorskip("torch")

from baselines.sequence_classifier import SequenceClassifier
from climatecheck import edition
from organiser.ev2r.__main__ import main
from tests import ev2r_example as example
from tests.models.tiny_models import classifier

TEXTS = [*(f"claim c{k}" for k in range(1, 5)), *(f"abstract {100 + k}" for k in range(400))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return example.write(tmp_path_factory.mktemp("ev2r"))


def run(folder: Path, *more: str) -> int:
    given = {
        "submissions": folder / "submissions",
        "reference": folder,
        "abstracts": folder / "abstracts.csv",
        "out": folder / "out",
        "store": folder / "store.sqlite",
    }
    return main([*(p for name, v in given.items() for p in (f"--{name}", str(v))), *more])


def probabilities(folder: Path) -> dict[tuple[str, int], tuple[float, ...]]:
    columns = [f"p_{label.lower().replace(' ', '_')}" for label in edition.LABELS]
    with (folder / "out" / "ev2r_abstracts.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["claim_id"], int(row["abstract_id"])): tuple(float(row[c]) for c in columns)
            for row in csv.DictReader(file)
        }


def test_probabilities_are_those_of_the_model(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = classifier(tmp_path / "nli", TEXTS)
    assert run(folder, "--proxy", str(model)) == 0
    found = probabilities(folder)
    assert set(found) == set(example.CHANCES)
    alone = SequenceClassifier(model)
    for (claim, id_), made in found.items():
        expected = alone.probabilities([(f"claim {claim}", f"abstract {id_}")])[0]
        assert made == pytest.approx(tuple(expected), abs=2e-6)

    def never(*_: object) -> None:
        raise AssertionError("classified again")

    monkeypatch.setattr(SequenceClassifier, "probabilities", never)
    assert run(folder, "--proxy", str(model)) == 0
    assert probabilities(folder) == found


def test_labels_given_by_hand_win(folder: Path, tmp_path: Path) -> None:
    model = classifier(tmp_path / "nli", TEXTS)
    run(folder, "--proxy", str(model))
    first = probabilities(folder)
    # The outputs mean entailment, neutral, contradiction; told otherwise, columns change places.
    run(folder, "--proxy", str(model), "--proxy-labels", "NEI, Supports, Refutes")
    for key, (supports, refutes, nei) in probabilities(folder).items():
        assert (nei, supports, refutes) == pytest.approx(
            (first[key][0], first[key][2], first[key][1]), abs=1e-9
        )


def test_a_model_whose_labels_are_unclear_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = classifier(tmp_path / "nli", TEXTS, names=("LABEL_0", "LABEL_1", "LABEL_2"))
    assert run(folder, "--proxy", str(model)) == 2
    assert "Give the labels in the order" in capsys.readouterr().err
