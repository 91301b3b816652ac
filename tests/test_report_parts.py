"""How parts of a report are rendered, and the analyses that stand in no file of their own."""

import csv
import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from climatecheck.board import Facts
from climatecheck.bootstrap import board_intervals
from climatecheck.scoring import score
from climatecheck.tables import Gold
from organiser.analysis import emissions, official_tables, side_by_side, two_golds
from organiser.analysis.systems import Evaluation, System
from organiser.reporting.parts import Column, Picture, Section, Table
from organiser.reporting.render import Chapter, Report, rendered
from organiser.reporting.render_tables import csv_text, latex_text
from tests.random_runs import Case, claims_of, gold_of, random_case, run_of

HOSTILE = "<script>alert('x')</script> & \"q\" $x^2$ 100 %"
TABLE = Table(
    "a_table",
    "A table of 100 %",
    (Column("Team"), Column("F1", best=True), Column("", name="f1_95"), Column("n", name="n")),
    (
        (HOSTILE, 1 / 3, (0.25, 0.5), 1234),
        ("=cmd()", 0.33334, None, None),
        ("c", None, None, 5),
    ),
    (f"A note by {HOSTILE}",),
)


def test_csv_keeps_all_digits_and_spreadsheets_run_nothing():
    header, *lines = csv.reader(io.StringIO(csv_text(TABLE)))
    assert header == ["team", "f1", "f1_95_low", "f1_95_high", "n"]
    assert lines == [
        [HOSTILE, "0.3333333333333333", "0.25", "0.5", "1234"],
        ["'=cmd()", "0.33334", "", "", ""],
        ["c", "", "", "", "5"],
    ]


def test_csv_headers_of_other_scripts_stay_and_are_distinct():
    columns = [Column(title) for title in ("日本", "中国", "A b", "a-b", "!", "?")]
    header = csv_text(Table("t", "", tuple(columns), ())).strip()
    assert header == "日本,中国,a_b,a_b_2,column,column_2"


def test_csv_has_two_columns_for_an_interval_that_no_row_has():
    columns = (Column("Team"), Column("95 % interval", name="accuracy", interval=True))
    undefined = (("a", None), ("b", (np.nan, 0.5)))
    lines = csv_text(Table("t", "", columns, undefined)).splitlines()
    assert lines == ["team,accuracy_low,accuracy_high", "a,,", "b,,"]


def test_a_low_and_a_column_of_that_name_are_told_apart():
    columns = (Column("x", interval=True), Column("x low"), Column("x", interval=True))
    header = csv_text(Table("t", "", columns, ())).strip()
    assert header == "x_low,x_high,x_low_2,x_2_low,x_2_high"


def test_latex_says_what_it_needs_and_quotes_without_another_encoding():
    text = latex_text(TABLE)
    requirements, _, _ = text.partition(r"\begin{table}")
    assert all(line.startswith("%") for line in requirements.strip().splitlines())
    assert r"\usepackage{booktabs}" in requirements and "XeLaTeX" in requirements
    assert "''q''" in text and r"\textquotedbl" not in text


def test_latex_has_booktabs_and_nothing_unescaped():
    text = "\n".join(line for line in latex_text(TABLE).splitlines() if line[0] != "%")
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert text.count(rule) == 1
    assert r"\begin{tabular}{lrr}" in text
    # Both values are the greatest, as they are shown.
    assert r"\textbf{0.333} {\scriptsize [0.250, 0.500]} & 1,234 \\" in text
    assert r"=cmd() & \textbf{0.333} & -- \\" in text
    assert r"\textless{}script\textgreater{}" in text
    assert r"\$x\textasciicircum{}2\$ 100 \%" in text
    assert re.search(r"(?<!\\)[%$#]", text) is None


class Seen(HTMLParser):
    """Gathers elements, and the texts of table cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data.strip()


def seen(html: str) -> Seen:
    parser = Seen()
    parser.feed(html)
    return parser


def dot(figure):
    axes = figure.subplots()
    axes.plot([0, 1], [1, 0], "o", clip_on=True)
    axes.set_title("<b> & $")


def page_of(*parts: Table | Picture) -> dict[str, bytes]:
    section = Section(HOSTILE, (HOSTILE,), parts)
    return rendered(Report("T", (HOSTILE,), HOSTILE, (Chapter(HOSTILE, (section,)),)))


def test_the_page_escapes_every_text_and_asks_for_nothing():
    picture = Picture("dot", HOSTILE, HOSTILE, dot, notes=(HOSTILE,))
    html = page_of(TABLE, picture, replace(picture, name="again"))["report.html"].decode()
    assert "<script" not in html
    page = seen(html)
    tags = [tag for tag, _ in page.tags]
    assert "script" not in tags and "link" not in tags and "img" not in tags
    for _, attributes in page.tags:
        for name in ("src", "href", "xlink:href"):
            assert not (attributes.get(name) or "").startswith(("http", "//", "data"))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {a["href"][1:] for _, a in page.tags if (a.get("href") or "").startswith("#")}
    assert targets <= set(ids)


def test_the_page_shows_dashes_intervals_and_the_best():
    page = seen(page_of(TABLE)["report.html"].decode())
    assert page.cells[:3] == ["Team", "F1", "n"]
    assert page.cells[4:6] == ["0.333[0.250, 0.500]", "1,234"]
    assert page.cells[7:9] == ["0.333", "–"]  # noqa: RUF001
    marked = [a for tag, a in page.tags if tag == "td" and "best" in (a.get("class") or "")]
    assert len(marked) == 2


def test_figures_are_the_same_bytes_and_bear_no_date():
    picture = Picture("dot", "A dot", "One dot.", dot)
    first, again = page_of(picture), page_of(picture)
    assert first == again
    assert sorted(first) == ["figures/dot.pdf", "figures/dot.svg", "report.html"]
    assert b"CreationDate" not in first["figures/dot.pdf"]
    assert b"<dc:date>" not in first["figures/dot.svg"]
    assert first["figures/dot.pdf"].startswith(b"%PDF-")


def test_two_tables_of_a_name_are_a_fault_a_table_and_a_figure_are_not():
    with pytest.raises(ValueError, match="2 parts of the report are a Table named a_table"):
        page_of(TABLE, TABLE)
    picture = Picture("a_table", "A dot", "One dot.", dot)
    assert "figures/a_table.svg" in page_of(TABLE, picture)


# --- the official tables -----------------------------------------------------------------------


def evaluation_of(cases: dict[str, Case], gold: Gold, sheets=None) -> Evaluation:
    systems = [
        System(
            team,
            "x.zip",
            case.submission(),
            score(case.submission(), gold),
            (sheets or {}).get(team, {}),
        )
        for team, case in sorted(cases.items())
    ]
    return Evaluation(gold.claims, gold, Facts(), tuple(systems))


def retrieval_alone(case: Case) -> Case:
    run = replace(case.run, label=np.full(len(case.run), -1), has_labels=False)
    return replace(case, run=run)


@pytest.fixture
def some() -> Evaluation:
    rng = np.random.default_rng(5)
    cases = {team: random_case(rng) for team in ("a", "b", "c")}
    gold = cases["a"].gold
    evaluation = evaluation_of({team: replace(c, gold=gold) for team, c in cases.items()}, gold)
    a, b, c = evaluation.systems
    run = retrieval_alone(replace(cases["b"], gold=gold)).submission()
    b = replace(
        b, submission=replace(run, task2=None), scores=score(replace(run, task2=None), gold)
    )
    c = replace(
        c,
        submission=replace(c.submission, task1=None),
        scores=score(replace(c.submission, task1=None), gold),
    )
    return replace(evaluation, systems=(a, b, c))


def test_table_2_has_dashes_where_a_task_was_not_entered(some):
    table = official_tables.table2(some)
    rows = {row[0]: row for row in table.rows}
    assert set(rows) == {"a", "b"}
    names = [column.name or column.title for column in table.columns]
    entered = names.index("Rank 1.2")
    assert all(cell is None for cell in rows["b"][entered:])
    assert all(cell is not None for cell in rows["b"][:entered])
    assert all(cell is not None for cell in rows["a"])
    assert len(names) == len(rows["a"])
    board = some.systems[0].scores.board
    for key in ("score_1_1", "bpref", "score_1_2", "verification_f1"):
        assert rows["a"][names.index(key)] == board[key]


def test_the_intervals_are_those_that_the_participant_sees(some):
    row = official_tables.table2(some).rows[0]
    table = official_tables.table2(some)
    names = [column.name or column.title for column in table.columns]
    system = next(s for s in some.systems if s.team == row[0])
    shown = board_intervals(system.scores.counts)
    assert row[names.index("recall_at_5_95")] == shown["recall_at_5"]


def test_equal_scores_share_a_rank_and_the_next_is_skipped(some):
    first, *_ = some.systems

    def at(team: str, value: float) -> System:
        board = {**first.scores.board, "score_1_1": value}
        return replace(first, team=team, scores=replace(first.scores, board=board))

    ranked = replace(some, systems=(at("x", 0.5), at("y", 0.7), at("z", 0.5), at("w", 0.1)))
    assert official_tables.ranks(ranked, "1.1") == {"y": 1, "x": 2, "z": 2, "w": 4}
    assert [row[0] for row in official_tables.table2(ranked).rows] == ["y", "x", "z", "w"]


# --- two golds ---------------------------------------------------------------------------------


def test_scores_equal_but_for_rounding_share_a_rank(some):
    first = some.systems[0]

    def at(team: str, value: float) -> System:
        board = {**first.scores.board, "score_1_1": value}
        return replace(first, team=team, scores=replace(first.scores, board=board))

    tied = replace(some, systems=(at("a", 0.3), at("b", 0.1 + 0.2), at("c", 0.2)))
    assert official_tables.ranks(tied, "1.1") == {"a": 1, "b": 1, "c": 3}
    assert [s.team for s in tied.entered("1.1")] == ["a", "b", "c"]  # not b, whose 0.3 is greater


def test_two_golds_swap_two_ranks():
    """One claim, one judged pair at first; a second abstract is judged later.

    Team p retrieves abstract 1 alone, team q abstracts 2 and 3. Old gold: 1 is evidentiary, so
    Recall@5 and Bpref are 1 and 1 for p, 0 and 0 for q. New gold: 1 is judged NEI, 2 and 3 are
    evidentiary: p has 0 and 0, q has 1 and 1.
    """
    none = random_case(np.random.default_rng(0), claims=1).narratives
    old = gold_of(1, np.array([[0, 1, 0]]), none)
    new = gold_of(1, np.array([[0, 1, 2], [0, 2, 0], [0, 3, 1]]), none)
    cases = {
        "p": Case(new, run_of(np.array([[0, 1, 1, 0]])), none),
        "q": Case(new, run_of(np.array([[0, 2, 1, 0], [0, 3, 2, 1]])), none),
    }
    section = two_golds.section(evaluation_of(cases, new), old)
    changes, ranks, scores = section.parts
    assert isinstance(changes, Table) and isinstance(ranks, Table) and isinstance(scores, Table)
    # Pairs: 1 before, 3 after, 2 added, none removed, 1 of another label.
    assert changes.rows[0][1:] == (1, 3, 2, 0, 1)
    assert changes.rows[1][1:] == (len(none), len(none), 0, 0, 0)
    of_1_1 = [row for row in ranks.rows if row[1] == "1.1"]
    assert of_1_1 == [
        ("q", "1.1", 0.0, 1.0, 1.0, 2, 1, 1),
        ("p", "1.1", 1.0, 0.0, -1.0, 1, 2, -1),
    ]
    assert len(scores.rows) == 2 * 13


def test_without_another_gold_nothing_is_compared(some):
    assert two_golds.section(some, None).parts == ()


# --- published figures -------------------------------------------------------------------------


def test_published_figures_stand_beside_those_of_the_same_name(some):
    first, *others = some.systems
    board = {**first.scores.board, "score_1_1": 0.339, "recall_at_5": 0.364}
    named = replace(first, team="GARDLZ ", scores=replace(first.scores, board=board))
    of_2026 = replace(some, facts=Facts(published="2026"), systems=(named, *others))
    (table,) = side_by_side.section(of_2026).parts
    assert isinstance(table, Table)
    rows = {row[1]: row[2:] for row in table.rows}
    assert rows["Recall@5"] == (0.364, 0.364, 0.0)
    assert rows["Score1.1"][:2] == (0.34, 0.339)
    assert rows["Score1.1"][2] == pytest.approx(-0.001)
    assert any(".339" in note for note in table.notes)  # the slip is noted where it is used
    assert {row[0] for row in table.rows} == {"GARDLZ "}
    assert not any(str(row[1]).startswith("Macro") for row in table.rows)  # not in Table 3


def test_without_a_name_in_common_nothing_is_compared(some):
    assert side_by_side.section(replace(some, facts=Facts(published="2026"))).parts == ()


def test_a_name_alone_does_not_make_the_data_those_of_2026(some):
    first, *others = some.systems
    named = replace(some, systems=(replace(first, team="gardlz"), *others))
    section = side_by_side.section(named)
    assert section.parts == () and section.prose[0].startswith("Not compared")


def test_a_published_name_with_a_remark_is_matched(some):
    first, *others = some.systems
    named = (replace(first, team="Ant_Bridge"), *others)
    (table,) = side_by_side.section(
        replace(some, facts=Facts(published="2026"), systems=named)
    ).parts
    assert {row[0] for row in table.rows} == {"Ant_Bridge"}


# --- emissions ---------------------------------------------------------------------------------


def test_emissions_are_shown_as_told_and_drawn_where_they_are_numbers(some):
    sheets = {"a": {"co2e_kg": "500 g", "energy_kwh": "a lot"}, "b": {"co2e_kg": HOSTILE}}
    systems = tuple(replace(s, fact_sheet=sheets.get(s.team, {})) for s in some.systems)
    table, picture = emissions.section(replace(some, systems=systems)).parts
    assert isinstance(table, Table) and isinstance(picture, Picture)
    names = [column.name or column.title for column in table.columns]
    rows = {row[0]: dict(zip(names, row, strict=True)) for row in table.rows}
    assert set(rows) == {"a", "b"}
    assert (rows["a"]["co2e_kg"], rows["a"]["energy_kwh"]) == (0.5, "a lot")
    assert rows["b"]["co2e_kg"] == HOSTILE
    assert rows["b"]["Macro-F1"] is None
    assert "a 0.5 kg" in picture.described and HOSTILE not in picture.described
    assert len(page_of(table, picture)["figures/emissions.pdf"]) > 1000


def test_without_fact_sheets_it_is_said_so(some):
    assert emissions.section(some).parts == ()


def test_scores_of_nobody():
    empty = Evaluation(
        claims_of(2), random_case(np.random.default_rng(0), claims=2).gold, Facts(), ()
    )
    assert official_tables.section(empty).parts == ()
