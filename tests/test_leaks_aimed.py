"""Files that are aimed at one claim: no page tells two golds apart that give the same scores."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from climatecheck import taxonomy
from climatecheck.results.evidence import WITHHELD
from climatecheck.scoring import score
from climatecheck.tables import Submission, Task2
from tests.conftest import CLAIMS
from tests.gold_worlds import BASE, NEI, UNJUDGED, Runs, World, table
from tests.random_runs import gold_of, pairs_of
from tests.reading import SCORES, Page, Reading, Section
from tests.results_case import CASE, html_of
from tests.results_case import Page as Figures


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("leaks"), {})


# --- few answered claims --------------------------------------------------------------------------


def answers(claims: range, line: str) -> list[str]:
    return [line.format(c=CLAIMS[i]) for i in claims]


EQUAL_SCORES: dict[str, tuple[World, World, Callable[[range], bytes]]] = {
    # Nothing evidentiary is found and no label is right; what is found is unjudged, or judged NEI.
    "judged or not": (
        BASE,
        replace(BASE, labels=BASE.labels | {(i, UNJUDGED): NEI for i in range(len(CLAIMS))}),
        lambda claims: table(
            answers(claims, f"{{c}},{UNJUDGED},1,Supports"), "claim_id,abstract_id,rank,label"
        ),
    ),
    # 2_3 is never right; the gold of its group stands at an answered claim, or at another.
    "right group or not": (
        BASE.with_codes({0: "2_1", 11: "5_1"}),
        BASE.with_codes({0: "5_1", 11: "2_1"}),
        lambda claims: table(answers(claims, "{c},2_3"), "claim_id,narrative"),
    ),
    # Claims 0 and 1 have two evidentiary abstracts each. Found are one of each, or two and none:
    # Recall (1/2 + 1/2) / 12 or (2/2 + 0) / 12; Bpref the same.
    "one each or two and none": (
        BASE.with_pair(0, 3, None).with_pair(1, 1003, None),
        BASE.with_pair(0, 3, None)
        .with_pair(1, 1003, None)
        .with_pair(0, 2, None)
        .with_pair(0, 7, "Refutes")
        .with_pair(1, 1001, None)
        .with_pair(1, 1009, "Supports"),
        lambda claims: table(
            [f"{CLAIMS[i]},{1000 * i + k},{k}" for i in claims for k in (1, 7) if i < 2 or k == 7],
            "claim_id,abstract_id,rank",
        ),
    ),
}


@pytest.mark.parametrize(
    ("case", "answered"),
    [(case, number) for case in EQUAL_SCORES for number in (1, 2, 9)][:-3]
    + [("one each or two and none", number) for number in (2, 9)],
)
def test_few_answered_claims_get_the_official_scores_alone(
    run: Runs, case: str, answered: int
) -> None:
    """Two golds with the same official scores cannot be told apart."""
    one, other, submission = EQUAL_SCORES[case]
    content = submission(range(answered))
    a, b = run(content, one), run(content, other)
    assert a.files[SCORES] == b.files[SCORES]
    assert a == b


# --- many answered claims, aimed at one -----------------------------------------------------------

TARGET = 11


@dataclass(frozen=True)
class Attack:
    """What is answered for claims whose gold is known, for the target, and for the others."""

    known: str
    target: str
    others: str
    header: str
    golds: tuple[World, World]

    def file(self, known: int, others: int) -> bytes:
        parts = [(self.known, range(known)), (self.others, range(known, known + others))]
        lines = [line for text, claims in parts for line in answers(claims, text) if line]
        return table([*lines, *answers(range(TARGET, TARGET + 1), self.target)], self.header)


RUN, LABELLED, CODES = (
    "claim_id,abstract_id,rank",
    "claim_id,abstract_id,rank,label",
    "claim_id,narrative",
)
NOTHING = BASE.with_codes(dict.fromkeys(range(12), "0_0"))
KIN = BASE.with_codes(dict.fromkeys(range(11), "1_1"))


def judged(i: int = TARGET) -> tuple[World, World]:
    """A pair of the target that is judged NEI, or not at all."""
    return BASE.with_pair(i, UNJUDGED, NEI), BASE


ATTACKS = {
    # Every answer is wrong; the target's is in the right group, or is not.
    "group, all others wrong": Attack(
        "{c},1_3",
        "{c},2_5",
        "{c},5_3",
        CODES,
        (NOTHING.with_codes({TARGET: "2_1"}), NOTHING.with_codes({TARGET: "3_1"})),
    ),
    "group, known ones right": Attack(
        "{c},1_4",
        "{c},1_4",
        "{c},5_3",
        CODES,
        (KIN.with_codes({TARGET: "1_1"}), KIN.with_codes({TARGET: "4_1"})),
    ),
    "number of codes": Attack(
        "{c},1_4",
        "{c},1_4",
        "{c},5_3",
        CODES,
        (KIN.with_codes({TARGET: "2_1"}), KIN.with_codes({TARGET: "2_1;3_1"})),
    ),
    # The known pairs are judged; the target's is, or is not. With labels, all of them are wrong.
    "judged, no labels": Attack(
        f"{{c}},{UNJUDGED},1", f"{{c}},{UNJUDGED},1", "{c},77,1", RUN, judged()
    ),
    "judged, known ones found": Attack(
        "{c},1,1", f"{{c}},{UNJUDGED},1", f"{{c}},{UNJUDGED},1", RUN, judged()
    ),
    "judged, wrong labels": Attack(
        "{c},3,1,Refutes",
        f"{{c}},{UNJUDGED},1,Refutes",
        f"{{c}},{UNJUDGED},1,Refutes",
        LABELLED,
        judged(),
    ),
    "judged, right labels": Attack(
        "{c},3,1,Not Enough Information",
        f"{{c}},{UNJUDGED},1,Not Enough Information",
        f"{{c}},{UNJUDGED},1,Refutes",
        LABELLED,
        judged(),
    ),
    "evidentiary or NEI alone": Attack(
        "{c},77,1,Refutes",
        "{c},77,1,Refutes",
        "{c},77,1,Refutes",
        LABELLED,
        (BASE, BASE.with_pair(TARGET, 11_001, NEI).with_pair(TARGET, 11_002, NEI)),
    ),
    # Both are evidentiary and found; no label that is given is right on either.
    "which evidentiary label": Attack(
        "{c},1,1,Not Enough Information",
        "{c},11001,1,Not Enough Information",
        "{c},77,1,Not Enough Information",
        LABELLED,
        (BASE, BASE.with_pair(TARGET, 11_001, "Refutes")),
    ),
}


SHAPES = ((9, 0), (9, 2), (0, 11), (5, 6))
TOLD_BY_THE_SCORES = ("judged, right labels", (0, 11))  # then only the target's label is right


@pytest.mark.parametrize(
    ("name", "known", "others"),
    [(name, *shape) for name in ATTACKS for shape in SHAPES if (name, shape) != TOLD_BY_THE_SCORES],
)
def test_padding_opens_nothing_that_is_aimed_at_one_claim(
    run: Runs, name: str, known: int, others: int
) -> None:
    """Two golds that differ in one claim and give the same scores give the same page."""
    attack = ATTACKS[name]
    content = attack.file(known, others)
    a, b = (run(content, gold) for gold in attack.golds)
    assert WITHHELD not in a.page
    assert a.files[SCORES] == b.files[SCORES]
    assert a == b


@pytest.mark.parametrize("case", list(EQUAL_SCORES))
def test_many_answers_alone_do_not_tell_two_golds_apart(run: Runs, case: str) -> None:
    one, other, submission = EQUAL_SCORES[case]
    content = submission(range(12))
    a, b = run(content, one), run(content, other)
    assert a.files[SCORES] == b.files[SCORES]
    assert a == b


@pytest.mark.parametrize("seed", range(3))
def test_one_judgement_changes_the_page_only_where_it_changes_the_scores(seed: int) -> None:
    """Task 1 on a file that is right often enough for every table."""
    rng = np.random.default_rng(seed)
    pairs, narratives = pairs_of(CASE.gold), CASE.gold.narratives
    page = page_of(pairs, narratives)
    assert Figures(page[1]).has("Confusion matrix")
    alike = 0
    for at in rng.permutation(len(pairs))[:40]:
        changed = pairs.copy()
        if rng.random() < 0.5:
            changed[at, 2] = rng.integers(3)
        else:
            changed[at, 1] = 100 * changed[at, 0] + rng.integers(20, 90)  # not retrieved
        scores, html = page_of(changed, narratives)
        if scores == page[0]:
            alike += 1
            assert html == page[1]
    assert alike >= 5


def page_of(pairs: np.ndarray, narratives: Task2) -> tuple[dict[str, float], str]:
    gold = gold_of(CASE.claims, pairs, narratives)
    return score(CASE.submission(), gold).board, html_of(CASE.submission(), gold)


def groups_moved(number: int) -> list[tuple[dict[str, float], str]]:
    """Claims answered 3_5 bear 3_6, the right group, or 4_4; no file is right on any of these."""
    file, code = CASE.narratives, taxonomy.CODES.index
    targets = file.claim[-number:]
    said, made = file.codes.copy(), []
    said[-number:] = False
    said[-number:, code("3_5")] = True
    submission = Submission(CASE.gold.claims, None, Task2(file.claim, said), ())
    for borne in ("3_6", "4_4"):
        truth = CASE.gold.narratives.codes.copy()
        truth[targets] = False
        truth[targets, code(borne)] = True
        narratives = Task2(CASE.gold.narratives.claim, truth)
        gold = gold_of(CASE.claims, pairs_of(CASE.gold), narratives)
        made.append((score(submission, gold).board, html_of(submission, gold)))
    return made


def test_the_group_of_one_claim_is_not_told_by_a_page_with_every_table() -> None:
    one, other = groups_moved(1)
    assert Figures(one[1]).has("Hierarchical scores")
    assert one == other
    many, moved = groups_moved(15)  # so that the above could fail
    assert many[0] == moved[0]
    assert many[1] != moved[1]


@pytest.mark.parametrize(
    "lines",
    [["c00,1,1,Supports,1_1"], ["c00,1,1,Refutes,2_1"], ["c00,3,1,Not Enough Information,0_0"]],
)
def test_one_pair_gets_no_figure_beyond_the_official_ones(run: Runs, lines: list[str]) -> None:
    """Titles of the sections are those of a run without any hit: nothing more, nothing less."""
    nothing = run(table([f"c00,{UNJUDGED},1,Supports,5_3"]), BASE)
    made = run(table(lines), BASE)
    assert shape(made) == shape(nothing)


def shape(made: Reading) -> list[Section]:
    """Return what a page is made of, without its figures and its receipt."""
    sections = Page(made.page).sections
    return [part.without_numbers() for part in sections if part.title != "Receipt"]


def test_enough_claims_in_one_task_open_nothing_in_the_other(run: Runs) -> None:
    """Task 2 is answered throughout, task 1 for one claim."""
    one, other, _ = EQUAL_SCORES["judged or not"]
    lines = [f"c00,{UNJUDGED},1,Supports,0_0", *(f"{claim},,,,0_0" for claim in CLAIMS[1:])]
    a, b = run(table(lines), one), run(table(lines), other)
    assert a.files[SCORES] == b.files[SCORES]
    assert a == b
    one, other, _ = EQUAL_SCORES["right group or not"]
    lines = [
        f"{claim},{UNJUDGED},1,Supports,{'' if i else '2_3'}" for i, claim in enumerate(CLAIMS)
    ]
    assert run(table(lines), one) == run(table(lines), other)
