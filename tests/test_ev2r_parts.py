"""Ev2R's parts by themselves: the lexical back end, the prompt, a section kept as a file."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("openai")

from climatecheck import read_claims, read_gold
from organiser import ev2r
from organiser.analysis import stored_section
from organiser.editions import ROOT, OrganiserError
from organiser.ev2r import lexical, scores
from organiser.ev2r.defaults import gold_texts
from organiser.ev2r.facts import precision_recall_f1
from organiser.ev2r.judge import Stored
from organiser.ev2r.lexical import THRESHOLD, LexicalJudge
from organiser.ev2r.pool import left_out
from organiser.ev2r.prompt import read_prompt
from organiser.ev2r.store import Store
from organiser.ev2r.texts import read_texts
from organiser.ev2r.worth import worth
from organiser.reporting.parts import Column, Section, Table
from organiser.reporting.plain_text import plain_text

PACKAGE = Path(ev2r.__path__[0])


# --- the prompt ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("=== system ===\nx\n", "should have the parts"),
        ("=== system ===\n=== user ===\n$a\n=== correction ===\nx", "show both texts"),
        ("=== system ===\n=== user ===\n$a $b $c\n=== correction ===\nx", "a \\$ beside"),
    ],
)
def test_a_faulty_prompt_is_refused(text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text(text)
    with pytest.raises(OrganiserError, match=what):
        read_prompt(tmp_path / "prompt.txt")


def test_texts_with_dollars_and_braces_are_put_into_the_prompt_as_they_are() -> None:
    _, user = read_prompt().messages("costs $b {a} $$", "\\1 %s")
    assert "\ncosts $b {a} $$\n" in user["content"] and "\n\\1 %s\n" in user["content"]


# --- a section -----------------------------------------------------------------------------------


def test_a_section_is_kept_whole(tmp_path: Path) -> None:
    columns = (Column("Team"), Column("Score", precision=2, best=True), Column("", name="score"))
    cells = (("A", 0.123456789, (0.1, 0.2)), ("B", None, None), ("C", 3, (0.0, 1.0)))
    whole = Section(
        "Title", ("One.", "Two."), (Table("name", "Table", columns, cells, ("Note.",)),)
    )
    path = tmp_path / "section.json"
    path.write_bytes(stored_section.to_json(whole, {"gold": "x"}))
    assert stored_section.read(path, {"gold": "x"}) == whole
    for other in ({"gold": "y"}, {"gold": "x", "team A": "z"}, {}):
        with pytest.raises(OrganiserError, match="other data"):
            stored_section.read(path, other)
    assert plain_text(whole.parts[0]).splitlines()[2:6] == [
        "Team  Score",
        "A     0.12 [0.100, 0.200]",
        "B     –",  # noqa: RUF001
        "C     3 [0.000, 1.000]",
    ]


# --- the lexical back end -------------------------------------------------------------------------

RISE = "The sea level rises by 3 mm a year. Glaciers lose mass."
NEAR = "Sea levels rose by 3 mm each year. Forests burn. Glaciers are losing mass everywhere."


def test_similar_sentences_support_each_other() -> None:
    judge = LexicalJudge([RISE, NEAR])
    # Both sentences of RISE have a like one in NEAR; two of three of NEAR have one in RISE.
    assert judge.counts([(RISE, NEAR), (RISE, RISE), (RISE, "Forests burn.")]) == [
        (2, 2, 3, 2),
        (2, 2, 2, 2),
        (2, 0, 1, 0),
    ]


def test_a_pair_does_not_depend_on_the_others() -> None:
    judge = LexicalJudge([RISE])
    pairs = [(RISE, NEAR), (NEAR, RISE), (RISE, "The and of."), ("Of.", NEAR), (NEAR, "")]
    together = judge.counts(pairs)
    assert together == [judge.counts([pair])[0] for pair in pairs]
    assert together[2] == (2, 0, 1, 0) and together[4] == (3, 0, 0, 0)


def test_the_recipe_knows_threshold_and_background() -> None:
    made = {
        LexicalJudge(background, threshold=threshold).recipe.id
        for background in ([RISE], [RISE, NEAR], [NEAR, RISE, NEAR])
        for threshold in (0.1, 0.2)
    }
    assert len(made) == 4


@pytest.mark.parametrize("package", ["PyStemmer", "scikit-learn"])
def test_the_recipe_knows_the_versions_that_decide_words(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, installed = LexicalJudge([RISE]).recipe.id, lexical.version
    monkeypatch.setattr(
        lexical, "version", lambda name: "0.0" if name == package else installed(name)
    )
    assert LexicalJudge([RISE]).recipe.id != before


def test_the_doctests_hold() -> None:
    import doctest
    import importlib

    tried = 0
    for path in sorted(PACKAGE.glob("*.py")):
        found = doctest.testmod(importlib.import_module(f"organiser.ev2r.{path.stem}"))
        assert found.failed == 0
        tried += found.attempted
    assert tried > 10


# --- the page in docs -----------------------------------------------------------------------------


def test_the_page_says_what_the_lexical_back_end_is_worth_on_the_sample() -> None:
    gold = read_gold(ROOT / "reference_data", read_claims(ROOT / "input_data" / "claims.csv"))
    pool, labels = left_out(gold)
    texts = read_texts([pool], gold, ROOT / "starting_kit" / "data" / "abstracts.csv")
    with Store(None) as store:
        source = Stored(store, LexicalJudge(gold_texts(texts, gold)))
        keys = texts.comparisons(pool, gold)
        known = source.judged(texts.of(keys)).outcomes
    f1 = precision_recall_f1(np.array([known[key].values for key in keys if key]))[2]
    even = np.full((len(pool), 3), 1 / 3)
    made = worth(pool, scores.abstracts(pool, f1, gold.label, even), labels)[0]
    low, high = made.interval
    shown = f"| S_ref, lexical | {made.value:.3f} [{low:.3f}, {high:.3f}] |".replace("0.", ".")
    page = (ROOT / "docs" / "ev2r.md").read_text("utf-8")
    assert shown in page
    assert f"{made.abstracts} abstracts of {made.claims} claims" in page
    assert f"at least {THRESHOLD:g}".replace("0.", ".") in page
