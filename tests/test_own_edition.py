"""An edition of one's own, made as ``docs/own_edition.md`` says, is built and scored rightly."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from organiser import worker
from tests.conftest import ROOT, rows, upload
from tests.reading import Page

COPIED = (
    "baselines",
    "climatecheck",
    "ingestion_program",
    "organiser",
    "pages",
    "scoring_program",
    "starting_kit",
)
"""The folders that a bundle is made of; the edition brings its own data."""

SETTINGS = {
    "TITLE": '"ClimateCheck 2031"',
    "LABELS": '("Backs", "Counters", "Silent on it")',
    "EVIDENTIARY_LABELS": '("Backs", "Counters")',
    "LABEL_ALIASES": '{"quiet": "Silent on it"}',
    "RECALL_CUTOFFS": "(3, 10)",
    "BPREF_DEPTH": "4",
    "VERIFICATION_DEPTH": "5",
    "ABSTRACTS_ASKED": "7",
    "CORPUS_SIZE": "1_000",
}

TAXONOMY = {
    "NO_NARRATIVE": '"N_0"',
    "GROUPS": '{"N": "Nothing of the kind", "A": "Ice", "B": "Money"}',
    "NARRATIVES": (
        '{"N_0": "Nothing of the kind", "A_0": "Ice (general)", "A_1": "Ice grows",'
        ' "B_1": "It costs too much", "B_12": "It pays somebody"}'
    ),
}


def set_to(path: Path, values: dict[str, str]) -> None:
    """Give names of a module other values; what the module does stays."""
    text = path.read_text("utf-8")
    for name, value in values.items():
        pattern = rf"^{name} = (?:[(\[{{]\n.*?^[)\]}}]|[^\n]*)$"
        text, times = re.subn(pattern, f"{name} = {value}", text, flags=re.M | re.S)
        assert times == 1, name
    path.write_text(text, "utf-8")


def change_the_board(path: Path) -> None:
    """Change the title, the dates and the columns whose keys follow the cut-offs."""
    text = path.read_text("utf-8")
    for old, new in (
        ("recall_at_2", "recall_at_3"),
        ("Recall@2", "Recall@3"),
        ("recall_at_5", "recall_at_10"),
        ("Recall@5", "Recall@10"),
        ("2026", "2031"),
        ("max_submissions: 50", "max_submissions: 60"),
    ):
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


GOLD_PAIRS = [
    "k1,1,Backs",
    "k1,2,Counters",
    "k1,3,Silent on it",
    "k2,4,Backs",
    "k2,5,Silent on it",
    "k3,6,Silent on it",
]
GOLD_CODES = ["k1,A_1", "k2,A_1;B_12", "k3,N_0"]

PREDICTED = [
    "k1,3,1,silent_on_it,A_1",
    "k1,1,2,Backs,A_1",
    "k1,900,3,Backs,A_1",
    "k1,2,4,Backs,A_1",
    "k2,901,1,Backs,B_12",
    "k2,902,2,Backs,B_12",
    "k2,903,3,Backs,B_12",
    "k2,904,4,Backs,B_12",
    "k2,4,5,Backs,B_12",
    "k2,5,6,Backs,B_12",
    "k3,6,1,QUIET,A_0",
]

# Recall@3: k1 1/2 (abstract 1; 2 is on rank 4), k2 0; k3 has no evidentiary abstract: mean 1/4.
# Recall@10: k1 2/2, k2 1/1: mean 1.
# Bpref@4: k1 R = 2, one judged non-relevant above both: (1/2) * 2 * (1 - 1/2) = 1/2; k2 finds its
# abstract on rank 5 only, which is below the depth: 0. Mean 1/4.
# Score1.1 = (1 + 1/4) / 2.
# Verification at depth 5, gold / predicted: 3 Silent/Silent, 1 Backs/Backs, 2 Counters/Backs,
# 4 Backs/Backs, 6 Silent/Silent; abstract 5 is on rank 6. Backs: P 2/3, R 1, F1 4/5, support 2;
# Counters: 0, support 1; Silent: 1, support 2.
# Narratives over A_1, B_12 and N_0: A_1 P 1, R 1/2, F1 2/3, support 2; B_12 1; N_0 0.
# Micro: TP 2 (A_1 of k1, B_12), FP 1 (A_0), FN 2 (A_1 of k2, N_0).
EXPECTED = {
    "score_1_1": (1 + 1 / 4) / 2,
    "recall_at_3": 1 / 4,
    "recall_at_10": 1.0,
    "bpref": 1 / 4,
    "score_1_2": (2 * 4 / 5 + 0 + 2 * 1) / 5 + 1,
    "verification_precision": (2 * 2 / 3 + 0 + 2 * 1) / 5,
    "verification_recall": (2 * 1 + 0 + 2 * 1) / 5,
    "verification_f1": (2 * 4 / 5 + 0 + 2 * 1) / 5,
    "narrative_f1_macro": (2 / 3 + 1 + 0) / 3,
    "narrative_precision_macro": (1 + 1 + 0) / 3,
    "narrative_recall_macro": (1 / 2 + 1 + 0) / 3,
    "narrative_f1_micro": 2 * 2 / (2 * 2 + 1 + 2),
    "narrative_f1_weighted": (2 * 2 / 3 + 1 * 1 + 1 * 0) / 4,
}


def write(path: Path, header: str, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(rows(header, lines))


def write_data(base: Path) -> None:
    """Write ``editions/next``: claims, gold, and what the kit needs."""
    claims = [f"{claim},The ice of {claim} is growing." for claim in ("k1", "k2", "k3")]
    write(base / "input_data" / "claims.csv", "claim_id,claim", claims)
    facts = {"name": "next", "title": "The next edition", "notice": "Synthetic: made for a test."}
    (base / "input_data" / "edition.json").write_text(json.dumps(facts))
    for folder in (base / "reference_data", base / "starting_kit" / "data" / "train"):
        write(folder / "task1_gold.csv", "claim_id,abstract_id,label", GOLD_PAIRS)
        write(folder / "task2_gold.csv", "claim_id,narrative", GOLD_CODES)
    write(base / "starting_kit" / "data" / "train" / "claims.csv", "claim_id,claim", claims)
    abstracts = [f"{i},Ice,Ice of the year {i} grows." for i in range(1, 30)]
    write(base / "starting_kit" / "data" / "abstracts.csv", "abstract_id,title,abstract", abstracts)


@dataclass(frozen=True)
class Made:
    """A copy of the project with a changed edition, and the bundle that it builds."""

    tree: Path
    bundle: dict[str, bytes]

    def python(self, code: str) -> str:
        """Run code in the copy and return what it prints."""
        return in_tree(self.tree, "-c", code)

    def page(self, name: str) -> str:
        return self.bundle[f"pages/{name}.md"].decode()


def in_tree(tree: Path, *arguments: str) -> str:
    environment = {**os.environ, "EDITION": "next", "PYTHONPATH": str(tree)}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def opened(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    tree = tmp_path_factory.mktemp("own") / "project"
    ignored = shutil.ignore_patterns("__pycache__", "data")
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tree / folder, ignore=ignored)
    for file in ("competition.yaml", "logo.png"):
        shutil.copy(ROOT / file, tree / file)
    set_to(tree / "climatecheck" / "edition.py", SETTINGS)
    set_to(tree / "climatecheck" / "taxonomy.py", TAXONOMY)
    change_the_board(tree / "competition.yaml")
    write_data(tree / "editions" / "next")
    in_tree(tree, "-m", "organiser.bundle")
    return Made(tree, opened((tree / "dist" / "bundle.zip").read_bytes()))


@pytest.fixture(scope="module")
def scored(made: Made, tmp_path_factory: pytest.TempPathFactory) -> worker.Run:
    names = ("ingestion_program", "scoring_program", "input_data", "reference_data")
    task = worker.Task(*(made.bundle[f"{name}.zip"] for name in names))
    content = rows("claim_id,abstract_id,rank,label,narrative", PREDICTED)
    submission = upload({"predictions.csv": content})
    return worker.run(submission, task, tmp_path_factory.mktemp("run"))


def test_the_scores_are_those_worked_out_by_hand(scored: worker.Run) -> None:
    assert scored.scoring.exit_code == 0, scored.scoring.stderr
    scores = json.loads((scored.output / "scores.json").read_text())
    assert scores == pytest.approx(EXPECTED)


def test_board_and_scores_have_the_same_columns(made: Made, scored: worker.Run) -> None:
    board = yaml.safe_load(made.bundle["competition.yaml"])["leaderboards"][0]["columns"]
    scores = json.loads((scored.output / "scores.json").read_text())
    assert [column["key"] for column in board] == list(scores) == list(EXPECTED)


def test_the_messages_speak_of_the_edition(scored: worker.Run) -> None:
    said = scored.ingestion.stdout
    assert "3 claims have fewer than 7 abstracts" in said
    assert "W-LABEL-FORM" in said  # silent_on_it, QUIET
    assert "Task 2: 3 narrative codes, for 3 of 3 claims." in said


STALE = re.compile(
    r"Supports|Refutes|Not Enough Information|\bNEI\b|Recall@[25]\b|recall_at_[25]\b|394[,]?26[89]"
    r"|\b33 codes|\b\d_\d\b|Bpref@(?:5|10)\b|2026"
)


def test_the_results_page_speaks_of_the_edition(scored: worker.Run) -> None:
    text = Page((scored.output / "detailed_results.html").read_text("utf-8")).text
    for fact in ("ClimateCheck 2031", "Recall@3", "Recall@10", "The next edition"):
        assert fact in text
    text = "\n".join(line for line in text.splitlines() if "seed" not in line)
    assert STALE.findall(text) == []


@pytest.mark.parametrize("name", ["overview", "submit", "faq", "terms"])
def test_the_pages_of_the_site_speak_of_the_edition(made: Made, name: str) -> None:
    # What a spreadsheet does to an id or a code is an example of it, whatever the codes are.
    text = made.page(name).replace("`1_0` as 10", "").replace("Published results of 2026", "")
    prose = [line for line in text.splitlines() if not MESSAGE.match(line)]
    assert STALE.findall("\n".join(prose)) == []


MESSAGE = re.compile(r"\| `[EW]-")


def test_the_messages_of_all_problems_speak_of_the_edition(made: Made) -> None:
    lines = [line for line in made.page("submit").splitlines() if MESSAGE.match(line)]
    assert len(lines) > 50
    assert STALE.findall("\n".join(lines)) == []


def test_facts_on_the_pages(made: Made) -> None:
    overview, submit, data = (made.page(name) for name in ("overview", "submit", "data"))
    assert "# ClimateCheck 2031" in overview and "a corpus of 1,000 abstracts" in overview
    assert "| Evaluation | 15 January 2031, 00:00 | 18 February 2031, 23:59 |" in overview
    assert "at most 5 a day and 60 in all" in overview
    assert "| Post-competition | 19 February 2031, 00:00 | open | " in overview
    assert "`Backs`, `Counters` or `Silent on it`" in submit
    assert "a whole number from 0 to 999" in submit
    assert "Give 7 abstracts a claim. Up to 10 are used" in submit
    assert "| `B_12` | It pays somebody |" in data
    assert "| 12,101,1,Backs" not in submit and "12,101,1,Backs,B_1;B_12" in submit
    assert "K = 3 and 10" in made.page("evaluation")


CHECK = """
import io, json, sys, tempfile, zipfile
from pathlib import Path
from climatecheck import read_claims, read_submission
folder = Path(tempfile.mkdtemp())
zipfile.ZipFile("dist/bundle.zip").extract("starting_kit.zip", folder)
zipfile.ZipFile(folder / "starting_kit.zip").extractall(folder / "kit")
found = {}
for split, claims in (("upload", "claims.csv"), ("train", "data/train/claims.csv")):
    claims = read_claims(folder / "kit" / claims)
    for path in sorted((folder / "kit" / "samples" / split).glob("*.zip")):
        submission = read_submission(path, claims)
        problems = [problem.code for problem in submission.problems]
        found[f"{split}/{path.name}"] = [submission.valid, submission.tasks, problems]
print(json.dumps(found))
"""


def test_the_samples_of_the_kit_are_accepted_without_a_remark(made: Made) -> None:
    found = json.loads(made.python(CHECK))
    assert len(found) == 8
    assert all(valid and problems == [] for valid, _, problems in found.values()), found
    assert found["upload/both.zip"][1] == ["1.1", "1.2", "2"]


HINTS = """
import json
from climatecheck.values import codes_of, label_of
texts = ["B_1_2", "A_1", "it costs too much", "0", "none", "B 12", "I think it is B_12."]
print(json.dumps({text: [codes_of(text).value is not None, codes_of(text).hint] for text in texts}))
"""


def test_hints_know_the_codes_of_the_edition(made: Made) -> None:
    """What is proposed is a code of this taxonomy; what is accepted is so as well."""
    found = json.loads(made.python(HINTS))
    codes = {"N_0", "A_0", "A_1", "B_1", "B_12", ""}
    assert {hint for _, hint in found.values()} <= codes
    assert found["A_1"] == [True, ""]
    assert found["it costs too much"] == [False, "B_1"]


def test_a_board_that_was_forgotten_is_said(made: Made, tmp_path: Path) -> None:
    """The cut-offs were changed, the columns of competition.yaml were not."""
    tree = tmp_path / "forgotten"
    shutil.copytree(made.tree, tree, ignore=shutil.ignore_patterns("dist"))
    shutil.copy(ROOT / "competition.yaml", tree / "competition.yaml")
    done = subprocess.run(
        [sys.executable, "-m", "organiser.bundle"],
        cwd=tree,
        env={**os.environ, "EDITION": "next", "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "the scorer writes no column recall_at_2" in done.stderr
