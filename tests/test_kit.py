"""The starting kit, built and unzipped into an empty folder: what a participant does, and sees."""

import csv
import io
import os
import re
import shlex
import site
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from baselines import plain
from baselines.splits import development, part_of
from climatecheck import read_gold, read_submission, score
from climatecheck.metrics import recall
from organiser.build import piece, starting_kit
from organiser.competition import VARIANTS
from organiser.editions import ROOT, edition

ENTERED = {
    "retrieval_only": "It enters: task 1.1.",
    "task1": "It enters: task 1.1, task 1.2.",
    "task2": "It enters: task 2.",
    "both": "It enters: task 1.1, task 1.2, task 2.",
}

# Claim 7: R = 2 (10, 11), N = 1 (20). Claim 8: R = 1 (12).
GOLD = {
    "claims.csv": "claim_id,claim\n7,a\n8,b\n",
    "task1_gold.csv": (
        "claim_id,abstract_id,label\n7,10,Supports\n7,11,Refutes\n"
        "7,20,Not Enough Information\n8,12,Supports\n"
    ),
    "task2_gold.csv": "claim_id,narrative\n7,2_1\n8,0_0\n",
}
PREDICTIONS = (
    "claim_id,abstract_id,rank,label,narrative\n"
    "7,20,1,Supports,2_1\n7,10,2,Supports,2_1\n8,99,1,Refutes,2_1\n"
)


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("my kit")  # with a blank, as in many a Windows path
    for name, content in starting_kit(edition(), VARIANTS[""]).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    folder = tmp_path / "gold"
    folder.mkdir()
    for name, text in GOLD.items():
        (folder / name).write_text(text)
    return folder


def run(folder: Path, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, and see that no participant would ever meet a traceback."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


def board(stdout: str) -> dict[str, str]:
    return dict(re.findall(r"^  (\w+) +(\d\.\d{3})\b", stdout, re.M))


@pytest.mark.parametrize("name", ENTERED)
def test_each_sample_for_the_test_claims_is_accepted(kit: Path, name: str) -> None:
    done = run(kit, "validate.py", f"samples/upload/{name}.zip")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Accepted, without a remark.\n{ENTERED[name]}\n"


@pytest.mark.parametrize("name", ENTERED)
def test_each_sample_for_the_training_claims_is_accepted_and_scored(kit: Path, name: str) -> None:
    sample = f"samples/train/{name}.zip"
    assert run(kit, "validate.py", sample, "--train").returncode == 0
    done = run(kit, "score.py", sample)
    assert (done.returncode, done.stderr) == (0, "")
    assert ENTERED[name] in done.stdout
    assert "it cannot tell: your score on the test claims" in done.stdout
    assert edition().notice in done.stdout
    zeros = {key for key, value in board(done.stdout).items() if value == "0.000"}
    assert ("score_1_1" in zeros) == (name == "task2")
    assert ("score_1_2" in zeros) == (name in ("retrieval_only", "task2"))
    assert ("narrative_f1_micro" in zeros) == (name in ("retrieval_only", "task1"))
    assert done.stdout.count("attainable:") == (0 if name == "task2" else 2)


def test_samples_of_one_split_are_refused_for_the_other(kit: Path) -> None:
    done = run(kit, "validate.py", "samples/train/both.zip")
    assert done.returncode == 1
    assert "E-UNKNOWN-CLAIM" in done.stdout
    assert run(kit, "validate.py", "samples/upload/both.zip", "--train").returncode == 1


def test_scores_on_gold_of_ones_own_worked_out_by_hand(
    kit: Path, gold: Path, tmp_path: Path
) -> None:
    (tmp_path / "predictions.csv").write_text(PREDICTIONS)
    done = run(kit, "score.py", tmp_path / "predictions.csv", "--gold", gold)
    assert done.returncode == 0
    # Recall@2 and @5: (1/2 + 0/1) / 2 = .25. Bpref: claim 7 (1 - 1/2) / 2 = .25, mean .125.
    # Score1.1 = (.25 + .125) / 2 = .1875, which prints as .188 (.1875 is exact; ties to even).
    # Pairs judged: 20 (NEI as Supports), 10 (right). Supports P 1/2, R 1, F1 2/3; NEI 0, 0, 0.
    # Weighted over support 1 and 1: P .25, R .5, F1 1/3; Score1.2 = 1/3 + .25.
    # Codes in the gold: 2_1 (P 1/2, R 1, F1 2/3) and 0_0 (0, 0, 0). Micro: 2 * 1 / (2 + 1 + 1).
    assert board(done.stdout) == {
        "score_1_1": "0.188",
        "recall_at_2": "0.250",
        "recall_at_5": "0.250",
        "bpref": "0.125",
        "score_1_2": "0.583",
        "verification_precision": "0.250",
        "verification_recall": "0.500",
        "verification_f1": "0.333",
        "narrative_f1_macro": "0.333",
        "narrative_precision_macro": "0.250",
        "narrative_recall_macro": "0.500",
        "narrative_f1_micro": "0.500",
        "narrative_f1_weighted": "0.333",
    }
    assert "it cannot tell" not in done.stdout  # that is said of the training gold alone


def test_the_attainable_maximum_stands_beside_recall(kit: Path, gold: Path, tmp_path: Path) -> None:
    (gold / "task1_gold.csv").write_text(
        "claim_id,abstract_id,label\n"
        + "".join(f"7,{id_},Supports\n" for id_ in range(8))
        + "8,12,Refutes\n"
    )
    (tmp_path / "predictions.csv").write_text(PREDICTIONS)
    done = run(kit, "score.py", tmp_path / "predictions.csv", "--gold", gold)
    lines = [line for line in done.stdout.splitlines() if "attainable:" in line]
    # R = 8 and 1: (2/8 + 1) / 2 and (5/8 + 1) / 2.
    assert [line.split()[0::3] for line in lines] == [
        ["recall_at_2", "0.625"],
        ["recall_at_5", "0.812"],
    ]


def test_scores_of_each_claim(kit: Path, gold: Path, tmp_path: Path) -> None:
    (tmp_path / "predictions.csv").write_text(PREDICTIONS)
    out = tmp_path / "per claim.csv"
    done = run(kit, "score.py", tmp_path / "predictions.csv", "--gold", gold, "--per-claim", out)
    assert done.returncode == 0
    with out.open(newline="") as file:
        rows = {row["claim_id"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["7", "8"]
    picked = ("evidentiary", "recall_at_5", "bpref", "labels_right", "labels_wrong")
    assert [float(rows["7"][key]) for key in picked] == [2, 0.5, 0.25, 1, 1]
    assert [float(rows["8"][key]) for key in picked] == [1, 0, 0, 0, 0]
    assert [float(rows[id_]["narratives_exact"]) for id_ in rows] == [1, 0]


def test_scores_on_the_development_split_alone(kit: Path, tmp_path: Path) -> None:
    train = read_gold(kit / "data" / "train")
    held = development(train)
    dev = part_of(train, held)
    out = tmp_path / "dev.csv"
    done = run(kit, "score.py", "samples/train/both.zip", "--split", "dev", "--per-claim", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Scores on the {len(dev.claims)} claims of the development split" in done.stdout
    with out.open(newline="") as file:
        assert [row["claim_id"] for row in csv.DictReader(file)] == list(dev.claims.ids)
    # The same from the dev claims' own gold and rows, by another way.
    with zipfile.ZipFile(kit / "samples" / "train" / "both.zip") as archive:
        rows = archive.read("predictions.csv").decode().splitlines()
    kept = [rows[0], *(row for row in rows[1:] if row.split(",")[0] in dev.claims.index)]
    (tmp_path / "predictions.csv").write_text("\n".join(kept) + "\n")
    expected = score(read_submission(tmp_path / "predictions.csv", dev.claims), dev)
    assert board(done.stdout) == {key: f"{value:.3f}" for key, value in expected.board.items()}
    most = [float(recall.attainable(of_k)) for of_k in expected.counts.retrieval.recall.values()]
    lines = [line.split()[3] for line in done.stdout.splitlines() if "attainable:" in line]
    assert lines == [f"{value:.3f}" for value in most]

    done = run(kit, "score.py", tmp_path / "predictions.csv", "--split", "dev")
    assert done.stdout.startswith("Accepted, without a remark.")  # others may be left out
    (tmp_path / "predictions.csv").write_text("\n".join(kept[:6]) + "\n")
    done = run(kit, "score.py", tmp_path / "predictions.csv", "--split", "dev")
    missing = len(dev.claims) - 1
    assert (
        f"{missing} claims of the split have no retrieved abstracts; each counts 0." in done.stdout
    )


def test_a_split_without_evidence_is_not_scored(kit: Path, gold: Path, tmp_path: Path) -> None:
    (gold / "task1_gold.csv").write_text("claim_id,abstract_id,label\n7,10,Supports\n")
    (tmp_path / "predictions.csv").write_text(PREDICTIONS)
    arguments = (tmp_path / "predictions.csv", "--gold", gold, "--split", "dev")
    done = run(kit, "score.py", *arguments)
    held = development(read_gold(gold))
    assert done.returncode == (0 if held[0] else 2)
    assert ("too few claims" in done.stderr) == (not held[0])


def test_a_faulty_file_is_refused_with_all_its_problems(
    kit: Path, gold: Path, tmp_path: Path
) -> None:
    faulty = tmp_path / "predictions.csv"
    faulty.write_text("claim_id,abstract_id,rank,label\n7,10,1,Supports\n7,10,2,Maybe\n")
    out = tmp_path / "out.csv"
    done = run(kit, "score.py", faulty, "--gold", gold, "--per-claim", out)
    assert done.returncode == 1
    assert (
        "E-DUPLICATE-PAIR  predictions.csv line 3: abstract 10 is listed twice for claim 7"
        " (first on line 2). List each abstract once per claim." in done.stdout
    )
    assert "E-LABEL  predictions.csv line 3: label “Maybe”" in done.stdout
    assert "recall_at_5" not in done.stdout  # nothing is scored in part
    assert not out.exists()


def test_what_is_no_fault_of_the_file_has_an_exit_code_of_its_own(
    kit: Path, gold: Path, tmp_path: Path
) -> None:
    done = run(kit, "validate.py", "no such file.zip")
    assert done.returncode == 2
    assert "Not checked: there is no file or folder “no such file.zip”" in done.stderr

    (gold / "task1_gold.csv").write_text("claim_id,abstract_id,label\n7,10,Perhaps\n")
    (tmp_path / "predictions.csv").write_text(PREDICTIONS)
    done = run(kit, "score.py", tmp_path / "predictions.csv", "--gold", gold)
    assert done.returncode == 2
    assert f"Not checked: the gold in “{gold}” cannot be used." in done.stderr
    assert run(kit, "score.py").returncode == 2  # no file named


def test_a_missing_package_is_named(kit: Path) -> None:
    done = run(kit, "-S", "validate.py", "samples/upload/both.zip")  # without installed packages
    assert done.returncode == 2
    assert "numpy is missing. Try: python -m pip install numpy pandas PyYAML" in done.stderr


def test_a_console_that_knows_few_characters_does_not_stop_the_report(
    kit: Path, tmp_path: Path
) -> None:
    (tmp_path / "predictions.csv").write_text("claim_id,narrative\nžlutý 🌍,0_0\n", "utf-8")
    done = run(kit, "validate.py", tmp_path / "predictions.csv", PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert "E-UNKNOWN-CLAIM" in done.stdout


def test_the_scripts_run_in_the_project_too(tmp_path: Path) -> None:
    (tmp_path / "predictions.csv").write_text("claim_id,narrative\nnone of ours,0_0\n")
    for arguments in (["validate.py"], ["validate.py", "--train"], ["score.py"]):
        script = ROOT / "starting_kit" / arguments[0]
        done = run(tmp_path, script, "predictions.csv", *arguments[1:])
        assert done.returncode == 1
        assert "E-UNKNOWN-CLAIM" in done.stdout


def test_the_kit_brings_all_that_it_runs(kit: Path) -> None:
    code = "import baselines.plain, climatecheck; print(baselines.__file__, climatecheck.__file__)"
    assert run(kit, "-c", code).stdout.count(str(kit)) == 2


def test_the_kit_holds_no_gold_of_the_test_claims(kit: Path) -> None:
    names = {path.name for path in kit.rglob("*")}
    assert "reference_data" not in names
    assert (kit / "claims.csv").read_bytes() == (edition().input_data / "claims.csv").read_bytes()
    gold = [path.read_bytes() for path in edition().reference_data.glob("*_gold.csv")]
    assert len(gold) == 2
    assert not [path for path in kit.rglob("*") if path.is_file() and path.read_bytes() in gold]


ABSTRACTS = [
    (30, "Sea level rose along the coast."),
    (20, "Glaciers in the Alps lost a third of their ice."),
    (10, "Glaciers grew in one valley, while coffee prices rose."),
    (5, "Corals bleach in warm water."),
]


def test_the_plain_baseline_ranks_by_bm25() -> None:
    rows = plain.predict([("c", "The glaciers lost their ice")], ABSTRACTS, per_claim=3)
    # Abstract 20 shares three words with the claim, 10 one, the others none: lowest id first.
    assert rows == [
        ("c", 20, 1, "Supports", "0_0"),
        ("c", 10, 2, "Supports", "0_0"),
        ("c", 5, 3, "Supports", "0_0"),
    ]


def test_the_plain_baseline_does_not_depend_on_the_order_of_the_abstracts() -> None:
    twins = [*ABSTRACTS, (7, ABSTRACTS[1][1]), (99, ABSTRACTS[1][1])]
    claims = [("c", "glaciers lost ice"), ("d", "🌍"), ("e", "")]
    rows = plain.predict(claims, twins, per_claim=4)
    assert rows == plain.predict(claims, twins[::-1], per_claim=4)
    assert [row[1] for row in rows if row[0] == "c"] == [7, 20, 99, 10]
    assert [row[1] for row in rows if row[0] != "c"] == [5, 7, 10, 20] * 2


def test_the_plain_baseline_needs_abstracts() -> None:
    for abstracts, per_claim in (([], 5), (ABSTRACTS, 0)):
        with pytest.raises(ValueError, match="at least one"):
            plain.predict([("c", "glaciers")], abstracts, per_claim=per_claim)


def test_the_plain_baseline_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = str(tmp_path / "out.zip")
    assert plain.main(["--abstracts", str(tmp_path / "none.csv"), "--out", out]) == 2
    assert "none.csv" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "bm25s", None)
    assert plain.main(["--out", out]) == 2
    assert "python -m pip install bm25s" in capsys.readouterr().err
    assert not (tmp_path / "out.zip").exists()


def test_the_plain_baseline_writes_the_same_bytes_twice(tmp_path: Path) -> None:
    rows = plain.predict([("c", "glaciers")], ABSTRACTS, per_claim=1)
    for name in ("a.zip", "b.zip"):
        plain.write_zip(tmp_path / name, rows)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.namelist() == ["predictions.csv"]
        text = io.TextIOWrapper(archive.open("predictions.csv"), "utf-8").read()
    assert text.splitlines() == ["claim_id,abstract_id,rank,label,narrative", "c,20,1,Supports,0_0"]


# --- the walk through the README ------------------------------------------------------------------


def fences(document: str, *languages: str) -> list[str]:
    """Return the lines of all fences in these languages, in the order of the document."""
    found = re.findall(rf"^```({'|'.join(languages)})\n(.*?)^```$", document, re.M | re.S)
    return "".join(block for _, block in found).splitlines()


@pytest.mark.skipif(os.name == "nt", reason="the commands for Linux and macOS are run")
def test_the_readme_is_walked_through_word_for_word(tmp_path: Path) -> None:
    kit = tmp_path / "starting kit"  # with a blank
    with zipfile.ZipFile(io.BytesIO(piece("starting_kit"))) as archive:
        archive.extractall(kit)
    readme = (kit / "README.md").read_text("utf-8")
    commands = fences(readme, "bash", "shell")
    assert len(commands) == 13
    assert commands[0] == "python3 -m venv .venv"
    # pip finds the packages of this environment installed, so that nothing is downloaded.
    shims = tmp_path / "bin"
    shims.mkdir()
    (shims / "python3").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    (shims / "python3").chmod(0o755)
    python = {"PATH": f"{shims}{os.pathsep}{os.environ['PATH']}", "PIP_NO_INDEX": "1"}
    python |= {"PYTHONPATH": os.pathsep.join(site.getsitepackages())}
    python |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    script = "set -eu\n" + "\n".join(commands) + "\n"
    done = subprocess.run(
        ["bash"],
        input=script,
        cwd=kit,
        env={**os.environ, **python},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.count("Accepted, without a remark.") == 6
    assert "Scores on the 157 claims of the training gold" in done.stdout
    assert done.stdout.count("claims of the development split of the training gold") == 2
    for made in ("predictions.zip", "dev_predictions.zip", "my_predictions.zip", "per_claim.csv"):
        assert (kit / made).stat().st_size > 0
    program = "\n".join(fences(readme, "python"))
    assert "'score_1_1': 0." in run(kit, "-c", program).stdout


def test_windows_has_the_same_commands() -> None:
    readme = (ROOT / "starting_kit" / "README.md").read_text("utf-8")
    unix, windows = fences(readme, "bash"), fences(readme, "powershell")
    assert windows[0] == unix[0].replace("python3", "py")
    assert windows[2:] == unix[2:]
    # Everything else is the same everywhere: Python alone, slashes that Windows takes too.
    assert all(line.startswith("python ") for line in fences(readme, "shell"))


def test_the_requirements_are_those_of_the_project() -> None:
    stated = (ROOT / "starting_kit" / "requirements.txt").read_text("utf-8")
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    for line in stated.splitlines():
        if not line.startswith("#"):
            assert f'"{line}"' in project, line
