"""What the documents say is so: commands exist and run, codes exist, numbers are the code's."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from PIL import Image, ImageChops

from climatecheck import read_gold, read_submission, score
from climatecheck.problem_table import KINDS
from climatecheck.problems import Kind
from climatecheck.scoring import Scores
from organiser import draw_logo
from organiser.agreement import sheet_problems
from organiser.editions import ROOT, edition
from organiser.pages import PLACES, page

PAGES = sorted((ROOT / "pages").glob("*.md"))
FOR_CONTRIBUTORS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
KIT_README = ROOT / "starting_kit" / "README.md"
KNOWN_CODES = {*KINDS, *(k.code for k in vars(sheet_problems).values() if isinstance(k, Kind))}
DOCUMENTS = [*PAGES, *FOR_CONTRIBUTORS, KIT_README, ROOT / "CHANGELOG.md"]
EVALUATION = ROOT / "pages" / "evaluation.md"


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text(path: Path) -> str:
    return path.read_text("utf-8")


def fences(document: str, language: str) -> list[str]:
    pattern = rf"^ *```{language}\n(.*?)^ *```$"
    return re.findall(pattern, document, re.DOTALL | re.MULTILINE)


def code_of(document: str) -> str:
    """Return all that stands in fences and between backticks."""
    blocks = re.findall(r"^ *```\w*\n(.*?)^ *```$", document, re.DOTALL | re.MULTILINE)
    return "\n".join(blocks + re.findall(r"`([^`\n]+)`", document))


# --- commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", [*FOR_CONTRIBUTORS, KIT_README], ids=name)
def test_every_make_target_exists(document: Path) -> None:
    rules = re.findall(r"^([\w./ -]+):(?!=)", text(ROOT / "Makefile"), re.MULTILINE)
    targets = {target for rule in rules for target in rule.split()}
    named = set(re.findall(r"\bmake ([a-z][\w./-]*)", code_of(text(document))))
    assert named <= targets
    if document.name in ("README.md", "CONTRIBUTING.md") and document != KIT_README:
        assert {"test"} <= named  # the pattern finds what is there


def test_the_example_of_the_readme_is_what_make_score_prints(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "organiser.dry_run", "score", "--out", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    (example,) = (
        block for block in fences(text(ROOT / "README.md"), "text") if "Recall@5" in block
    )
    assert len(example.splitlines()) == 14  # a headline and 13 columns
    assert example in done.stdout


# --- what the documents name ----------------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_every_problem_code_exists(document: Path) -> None:
    assert set(re.findall(r"\b[EW]-[A-Z0-9]+(?:-[A-Z0-9]+)*", text(document))) <= KNOWN_CODES


@pytest.mark.parametrize("document", FOR_CONTRIBUTORS, ids=name)
def test_every_linked_file_exists(document: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)", text(document))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (document.parent / link).exists()] == []


def test_the_page_of_formats_lists_every_problem() -> None:
    made = page("pages/submit.md", edition()).decode()
    assert [code for code in KINDS if f"`{code}`" not in made] == []


# --- the platform's rules for pages ---------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_pages_obey_the_platform(path: Path) -> None:
    raw = page(name(path), edition())
    made = raw.decode("utf-8")
    assert made.strip()
    assert b"\r" not in raw
    assert "$" not in made  # it would become a formula
    assert "{{" not in made
    assert re.findall(r"\]\((?!https://)[^)]*\)", made) == []  # no relative link or image
    assert re.findall(r"<(?:img|a|script|iframe)\b", made) == []
    opened = re.findall(r"^ *```(.*)$", made, re.MULTILINE)
    assert len(opened) % 2 == 0
    assert all(re.fullmatch("[a-z]+", language) for language in opened[0::2])
    assert all(closing == "" for closing in opened[1::2])


def test_every_page_is_on_the_site() -> None:
    site = yaml.safe_load(text(ROOT / "competition.yaml"))
    files = {entry["file"] for entry in site["pages"]} | {site["terms"]}
    assert files == {name(path) for path in PAGES}


@pytest.mark.parametrize("file", ["overview.md", "data.md", "submit.md"])
def test_pages_about_the_sample_say_that_it_is_synthetic(file: str) -> None:
    assert "synthetic" in edition().notice.lower()
    assert edition().notice in page(f"pages/{file}", edition()).decode()


def test_every_place_is_used() -> None:
    files = [*PAGES, KIT_README]
    used = {place for path in files for place in re.findall(r"\{\{(\w+)\}\}", text(path))}
    assert used == set(PLACES)


# --- the worked example ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Scores:
    """The scores of the page's example, read from the page."""
    folder = tmp_path_factory.mktemp("example")
    for block in fences(text(EVALUATION), "text"):
        file, _, content = block.partition("\n")
        if file.endswith(".csv"):
            (folder / file).write_text(content)
    ids = ("12", "15", "23", "31")
    (folder / "claims.csv").write_text(
        "claim_id,claim\n" + "".join(f"{id_},claim {id_}\n" for id_ in ids)
    )
    gold = read_gold(folder)
    return score(read_submission(folder / "predictions.csv", gold.claims), gold)


def equations() -> list[tuple[str, str, float]]:
    """Return name, arithmetic and result of each line ``name = arithmetic = result``."""
    lines = "".join(fences(text(EVALUATION), "text")).splitlines()
    found = [re.fullmatch(r"(\w[\w@ ]*) = ([-+*/(). 0-9]+) = ([0-9.]+)", line) for line in lines]
    return [(match[1], match[2], float(match[3])) for match in found if match]


def test_the_arithmetic_of_the_page_is_right() -> None:
    made = equations()
    assert len(made) == 19
    for label, arithmetic, result in made:
        assert math.isclose(eval(arithmetic), result, abs_tol=6e-5), label


def test_the_results_of_the_page_are_those_of_the_code(example: Scores) -> None:
    results = {label: result for label, _, result in equations() if label in example.board}
    assert set(results) == set(example.board)
    for column, result in results.items():
        assert math.isclose(example.board[column], result, abs_tol=5.1e-5), column


def test_the_claims_of_the_page_are_those_of_the_code(example: Scores) -> None:
    by_claim = example.per_claim().set_index("claim_id")
    column = {"Recall@2": "recall_at_2", "Recall@5": "recall_at_5", "Bpref": "bpref"}
    checked = 0
    for label, _, result in equations():
        measure, _, claim = label.partition(" of claim ")
        if claim:
            found = float(by_claim.loc[claim, column[measure]])
            assert math.isclose(found, result, abs_tol=5.1e-5), label
            checked += 1
    assert checked == 6


def test_other_label_sets_as_the_page_says(example: Scores) -> None:
    # Codes of gold or prediction: the four of the gold and 1_4; all: 33. The others add zeros.
    total = 4 * example.board["narrative_f1_macro"]
    said = f"would be {total / 5:.4f} over gold-or-predicted codes and {total / 33:.4f} over all 33"
    assert said in text(EVALUATION)


# --- published figures ----------------------------------------------------------------------------


def test_published_figures_are_consistent_but_for_the_slip_that_the_page_notes() -> None:
    published = json.loads(text(ROOT / "climatecheck" / "published_2026.json"))
    rows = published["table2_task1"]
    means = {r["team"]: abs((r["recall_5"] + r["bpref"]) / 2 - r["score_1_1"]) for r in rows}
    sums = {r["team"]: abs(r["f1"] + r["recall_5"] - r["score_1_2"]) for r in rows}
    assert [team for team, gap in means.items() if gap > 0.0006] == ["gardlz"]
    assert [team for team, gap in sums.items() if gap > 0.0011] == []
    assert sum(r["bpref"] > r["recall_5"] for r in rows) == 6
    assert "`Score1.1` of gardlz" in text(ROOT / "pages" / "results.md")
    labels = published["table1_labels"]
    for split in labels.values():
        assert sum(n for label, n in split.items() if label != "total") == split["total"]
    assert len(published["table5_agreement"]["rows"]) == 33


# --- the logo -------------------------------------------------------------------------------------


def test_the_logo_is_what_its_script_draws() -> None:
    with Image.open(ROOT / "logo.png") as logo:
        assert (logo.format, logo.mode, logo.size) == ("PNG", "RGBA", (600, 600))
        difference = ImageChops.difference(logo, draw_logo.draw())
    # Versions of the library may round the last bit of a smooth edge differently.
    assert max(high for _, high in difference.getextrema()) <= 8
