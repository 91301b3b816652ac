"""What stands on the results page, what must not, and how it is built."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from climatecheck import problem_table as kinds
from climatecheck import taxonomy
from climatecheck.board import Board
from climatecheck.leaderboard import task_columns
from climatecheck.problems import Collector
from climatecheck.results import results_page
from climatecheck.tables import Submission, Task2
from tests.random_runs import Case, random_case
from tests.results_case import CASE, FACTS, HTML, PAGE, RECEIPT, Page, Published, html_of

MOST_BYTES = 150_000


# --- privacy ----------------------------------------------------------------------------------


def only(case: Case, answered: int) -> Submission:
    rows = case.run.claim < answered
    fields = ("claim", "abstract", "position", "label", "line")
    run = replace(case.run, **{name: getattr(case.run, name)[rows] for name in fields})
    task2 = case.narratives
    kept = task2.claim < answered
    return Submission(case.gold.claims, run, Task2(task2.claim[kept], task2.codes[kept]), ())


@pytest.mark.parametrize("answered", [4, 9, 59])  # of 120
def test_few_answered_claims_get_the_official_scores_alone(answered: int):
    page = Page(html_of(only(CASE, answered), CASE.gold))
    assert list(page.tables) == [
        "Official scores of task 1",
        "Official scores of task 2",
        "What the file answers, and what of it is judged",
        "What this result rests on",
    ]
    assert list(page.table("What the file answers")) == [
        "Task 1: claims answered",
        "Task 2: claims answered",
    ]
    for task in "12":
        assert page.tables[f"Official scores of task {task}"][0] == ["Score", "Value"]
    assert "at most 0" not in page.html
    assert page.html.count("nothing is shown beyond the scores") == 2


def test_a_task_with_enough_claims_is_shown_beside_one_with_few():
    submission = replace(only(CASE, 9), task1=CASE.run)
    page = Page(html_of(submission, CASE.gold))
    assert page.has("Confusion matrix")
    assert not page.has("Hierarchical")
    assert "interval" not in page.tables["Official scores of task 2"][0]


def test_no_claim_and_no_abstract_is_named():
    case = random_case(np.random.default_rng(0), claims=40)
    ids = tuple(f"claim-{place:03}" for place in range(40))
    claims = replace(case.gold.claims, ids=ids, texts=ids)
    gold = replace(case.gold, claims=claims)
    submission = Submission(claims, case.run, case.narratives, ())
    assert "claim-0" not in html_of(submission, gold)


def test_0_0_is_not_told_apart_if_it_was_said_of_few():
    codes = CASE.narratives.codes.copy()
    none = taxonomy.CODES.index("0_0")
    codes[:, none] = False
    codes[0, none] = True
    page = Page(
        html_of(replace(CASE.submission(), task2=Task2(CASE.narratives.claim, codes)), CASE.gold)
    )
    assert list(page.table("Hierarchical scores")) == ["All codes"]
    assert not any(head.startswith("0") for head in page.table("Narrative groups"))


# --- what is on the page ----------------------------------------------------------------------


def test_sections_in_order():
    assert [text for tag, text in PAGE.headings if tag != "h3"] == [
        "ClimateCheck 2026: results",
        "Official scores",
        "Coverage",
        "Task 1.1: depth of the ranking",
        "Task 1.2: which labels are taken for which",
        "Task 2: where the narratives are right and wrong",
        "Receipt",
    ]


def refused() -> Submission:
    problems = Collector()
    for line in (4, 9, 12, 20):
        problems.add(
            kinds.LABEL, "a.csv", line=line, claim=f"c{line}", column="label", found="<i>x</i>"
        )
    problems.add(kinds.EMPTY_FILE, "<b>b.csv")
    problems.add(kinds.COLUMN_IGNORED, "a.csv", found="“score”", expected="claim_id")
    return Submission(CASE.gold.claims, None, None, problems.problems())


def all_pages() -> dict[str, str]:
    full = CASE.submission()
    one = Board(("2",), task_columns("2"))
    return {
        "full": HTML,
        "published": html_of(full, CASE.gold, facts=Published("test", "A test", "")),
        "few": html_of(only(CASE, 3), CASE.gold),
        "retrieval": html_of(
            replace(full, task1=replace(CASE.run, has_labels=False), task2=None), CASE.gold
        ),
        "task 2": html_of(replace(full, task1=None), CASE.gold, board=one),
        "refused": html_of(refused(), CASE.gold),
        "blind": results_page(full, None, board=Board(blind=True), facts=FACTS, receipt=RECEIPT),
    }


PAGES = all_pages()


@pytest.mark.parametrize("name", list(PAGES))
def test_structure(name: str):
    page = Page(PAGES[name])
    tags = [tag for tag, _ in page.elements]
    assert page.elements[0] == ("html", {"lang": "en"})
    assert tags.count("main") == tags.count("header") == tags.count("h1") == 1
    assert page.headings[0][0] == "h1"
    levels = [int(tag[1]) for tag, _ in page.headings]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert tags.count("table") == tags.count("caption") == tags.count("thead")
    ids = [found["id"] for _, found in page.elements if "id" in found]
    assert len(ids) == len(set(ids))
    for _, found in page.elements:
        assert found.get("aria-labelledby", ids[0]) in ids


@pytest.mark.parametrize("name", list(PAGES))
def test_every_table_is_headed(name: str):
    page = Page(PAGES[name])
    for rows in page.tables.values():
        assert all(rows[0])
        assert all(row[0] for row in rows)
        assert {len(row) for row in rows} == {len(rows[0])}
    heads = [found["scope"] for tag, found in page.elements if tag == "th"]
    assert heads.count("col") == sum(len(rows[0]) for rows in page.tables.values())
    assert heads.count("row") == sum(len(rows) - 1 for rows in page.tables.values())


@pytest.mark.parametrize("name", list(PAGES))
def test_nothing_is_run_or_asked_for(name: str):
    page = Page(PAGES[name])
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "link", "img", "iframe", "object", "form", "base"}
    for _, found in page.elements:
        assert not {"src", "href", "srcset"} & set(found)
        assert not any(name.startswith("on") for name in found)
    assert not re.search(r"https?:|//|@import|url\(", PAGES[name])
    assert len(PAGES[name].encode()) <= MOST_BYTES


def test_the_same_input_gives_the_same_bytes():
    assert all_pages() == PAGES


def test_a_task_that_was_not_entered_is_said_not_to_be():
    page = Page(PAGES["retrieval"])
    shown = page.table("Official scores of task 1")
    assert shown["Score1.2"] == ["0.000 | not entered", "–"]  # noqa: RUF001
    assert "Task 1.2 was not entered: it counts 0." in page.html
    assert "Task 2 was not entered" in page.html
    assert not page.has("Official scores of task 2")


def test_a_board_of_one_task_shows_that_task_alone():
    assert "Task 1" not in PAGES["task 2"]


def test_a_blind_board_shows_no_score():
    page = Page(PAGES["blind"])
    assert list(page.tables) == ["What this result rests on"]
    assert "Accepted, without a remark." in page.html


def test_a_refused_file_gets_every_problem_with_its_lines_and_mend():
    page = PAGES["refused"]
    assert "Refused: 2 errors, 1 warning." in page
    assert "Nothing was scored" in page
    for problem in refused().problems:
        assert problem.code in page
        assert problem.mend.split("“")[0].split("'")[0] in page
    for text in (
        "line 4, claim c4",
        "line 9, claim c9",
        "line 12, claim c12",
        "line 20, claim c20",
    ):
        assert text in page
    assert "&lt;i&gt;x&lt;/i&gt;" in page
    assert "&lt;b&gt;b.csv" in page
    assert "<i>" not in page
    assert "<b>" not in page


def test_problems_of_one_kind_share_a_heading():
    problems = Collector()
    for name in ("claim_id", "rank"):
        problems.add(kinds.COLUMN_MISSING, "a.csv", line=1, column=name, expected="", group_by=name)
    page = Page(html_of(Submission(CASE.gold.claims, None, None, problems.problems()), CASE.gold))
    assert [tag for tag, _ in page.headings].count("h3") == 1
    assert page.html.count("there is no column".capitalize()) == 2
    assert page.html.count("<dt>Mend</dt>") == 1


def test_every_kind_of_problem_can_be_shown():
    problems = Collector()
    for kind in kinds.KINDS.values():
        values = dict.fromkeys(re.findall(r"\{(\w+)\}", kind.one + kind.many + kind.mend), "v")
        given = {k: v for k, v in values.items() if k not in ("count", "claim", "column", "found")}
        for line in range(2, 40):
            problems.add(kind, "a.csv", line=line, claim="c" * 90, found=f"{line}" * 90, **given)
    html = html_of(Submission(CASE.gold.claims, None, None, problems.problems()), CASE.gold)
    page = Page(html)
    assert {tag for tag, _ in page.headings} == {"h1", "h2", "h3"}
    assert [tag for tag, _ in page.headings].count("h3") == len(kinds.KINDS)
    assert len(html.encode()) <= MOST_BYTES


def test_text_has_enough_contrast_in_light_and_dark():
    style = HTML[HTML.index("<style>") : HTML.index("@media (max-width")]
    light, dark = (dict(re.findall(r"--(\w+): (#\w{6})", part)) for part in style.split("@media"))
    for colours in (light, dark):
        for ink in ("ink", "soft", "good", "bad", "accent"):
            for ground in ("paper", "tint"):
                assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2: (L1 + .05) / (L2 + .05)."""
    low, high = sorted(luminance(colour) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
