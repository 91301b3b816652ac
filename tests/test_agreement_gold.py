"""From annotations to gold: majorities, curator, adjudication sheet, log and report."""

import csv
import io
from fractions import Fraction

import numpy as np
import openpyxl
import pytest

from climatecheck import edition, read_gold
from climatecheck.gold import read_claims
from climatecheck.taxonomy import CODES
from organiser.agreement import __main__ as program
from organiser.agreement import gold, overall, sample_sheets, simulation
from organiser.agreement.annotations import LABELS, Annotations, said
from organiser.agreement.label_measures import measures
from organiser.agreement.majority import decide, parsed_share, votes_of
from organiser.editions import OrganiserError
from organiser.editions import edition as edition_of
from organiser.reporting import render
from organiser.reporting.render_pictures import Drawn
from tests.test_agreement_measures import annotations


def answers(*items, task="2"):
    """Annotations from, for each item, what each annotator said; None where nothing."""
    labels = LABELS[task]
    marks = np.zeros((len(items[0]), len(items), len(labels)), dtype=bool)
    made = np.array([[said_ is not None for said_ in item] for item in items]).T
    for place, item in enumerate(items):
        for who, cell in enumerate(item):
            for label in (cell or "").split(";"):
                if label:
                    marks[who, place, labels.index(label)] = True
    return annotations(marks, made, task=task, labels=labels)


def decided(table, share=Fraction(3, 4), **given):
    sources = {"curated": {}, "adjudicated": {}, "comments": {}, **given}
    return decide(table, votes_of(table, share), **sources)


# --- majorities ---------------------------------------------------------------------------------

EXAMPLES = {
    "all four": (("1_1", "1_1", "1_1", "1_1"), "1_1", "unanimous"),
    "three of four": (("1_1", "1_1", "1_1", "0_0"), "1_1", "majority"),
    "two of four": (("1_1", "1_1", "0_0", "0_0"), "", "open"),
    "no label with a majority": (("1_1", "1_2", "1_3", "1_4"), "", "open"),
    "one label settled, one disputed": (("1_1;5_2", "1_1;5_2", "1_1", "1_1"), "", "open"),
    "one label settled, one left out": (("1_1;5_2", "1_1", "1_1", "1_1"), "1_1", "majority"),
    "two labels": (("1_1;5_2", "1_1;5_2", "1_1;5_2", "5_2"), "1_1;5_2", "majority"),
    "two of three": (("1_1", "1_1", "0_0", None), "", "open"),
    "three of three": (("1_1", "1_1", "1_1", None), "1_1", "unanimous"),
    "one alone": (("1_1", None, None, None), "", "open"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_majority_of_three_in_four(name):
    said_, expected, how = EXAMPLES[name]
    made = decided(answers(said_))
    assert (said(CODES, made.gold[0]), made.how) == (expected, (how,))


def test_another_share_may_be_asked_for():
    table = answers(("1_1", "1_1", "0_0"))
    assert decided(table, Fraction(2, 3)).how == ("majority",)
    assert decided(table, Fraction(1)).how == ("open",)


@pytest.mark.parametrize("text", ["1/2", "0.3", "1.1", "most", "1/0"])
def test_a_share_that_decides_nothing_is_refused(text):
    with pytest.raises(OrganiserError, match="above 1/2"):
        parsed_share(text)


def test_the_very_same_labels():
    votes = votes_of(
        answers(
            ("1_1;5_2", "1_1;5_2", "1_1;5_2", "5_2"),
            ("1_1;5_2", "1_1", "1_1", "1_1;2_1"),
        )
    )
    assert votes.settled.tolist() == [True, True]
    assert votes.same_set.tolist() == [True, False]


def test_two_annotators_and_a_curator():
    table = answers(
        ("Supports", "Supports"), ("Supports", "Refutes"), ("Supports", "Refutes"), task="1"
    )
    labels = np.eye(3, dtype=bool)
    made = decided(table, curated={("0",): labels[1], ("1",): labels[1]})
    assert made.how == ("unanimous", "curator", "open")
    assert [said(LABELS["1"], row) for row in made.gold] == ["Supports", "Refutes", ""]
    assert made.overruled == [0]


def test_the_unfinished_gold_goes_by_another_name():
    name, content = gold.gold_file(decided(answers(("1_1", "1_1"), ("1_1", "0_0"))))
    assert name == "unfinished_task2_gold.csv"
    assert content.decode() == "claim_id,narrative\n0,1_1\n"


def test_shares_are_of_all_items():
    made = decided(answers(*(said_ for said_, _, _ in EXAMPLES.values())))
    table = gold.section(made).parts[0]
    rows = {row[0]: row[1:3] for row in table.rows}
    assert rows["Unanimous"] == (2, 0.2)
    assert rows["Settled by majority, the unanimous ones included"] == (5, 0.5)
    assert rows["Not settled"] == (5, 0.5)
    assert {row[0]: row[4] for row in table.rows}["Not settled"] == 0.168


def test_the_log_says_who_said_what_and_guards_formulas():
    table = answers(("1_1", "1_1;5_2", None))
    table = Annotations(
        "2", ("=A", "B", "C"), table.items, table.labels, table.made, table.marks, {}
    )
    rows = list(csv.reader(io.StringIO(gold.log(decided(table)).decode())))
    assert dict(zip(*rows, strict=True)) == {
        "claim_id": "0", "'=A said": "1_1", "B said": "1_1;5_2", "C said": "",
        "votes": "1_1: 2; 5_2: 1", "annotators": "2", "agreed": "1_1", "disputed": "5_2",
        "curator said": "", "decided": "", "how": "open", "comment": "",
    }  # fmt: skip


# --- the program --------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch):
    """Draw no picture: what is drawn is seen to in a test of its own."""
    monkeypatch.setattr(render, "drawn", lambda picture: Drawn(b"", b"", "<svg/>"))


@pytest.fixture(scope="module")
def sheets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sheets")
    assert sample_sheets.main([str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def claims_file():
    return edition_of("").kit_data / "train" / edition.CLAIMS_FILE


def run(*arguments):
    return program.main([str(argument) for argument in arguments])


def fill_in(path, answer, comment="", only=None):
    """Fill in the cells of an adjudication sheet as a person would; returns how many."""
    book = openpyxl.load_workbook(path)
    sheet = book["adjudication"]
    header = [cell.value for cell in sheet[1]]
    rows = list(sheet.iter_rows(min_row=2))[:only]
    for row in rows:
        row[header.index("narrative")].value = answer
        row[header.index("comment")].value = comment
    book.save(path)
    return len(rows)


def test_from_sheets_to_gold_by_way_of_the_adjudication_sheet(
    quick, sheets, claims_file, tmp_path, capsys
):
    out = tmp_path / "out"
    given = ("--annotations", sheets, "--claims", claims_file, "--out", out)
    assert run(*given) == 0
    asked = out / "task2_adjudication.xlsx"
    assert (out / "gold/task1_gold.csv").is_file()  # the curator decided the rest
    assert not (out / "gold/task2_gold.csv").exists()
    first = {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert run(*given) == 0
    assert {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()} == first

    fill_in(asked, "5_3;1_1", "talked over", only=1)
    assert run(*given) == program.FAULT  # what was filled in would be lost
    assert "would be lost" in capsys.readouterr().err
    assert run(*given, "--adjudicated", asked) == 0
    assert fill_in(asked, "0_0") > 1
    assert run(*given, "--adjudicated", asked) == 0

    (out / "gold" / edition.CLAIMS_FILE).write_bytes(claims_file.read_bytes())
    made = read_gold(out / "gold")  # the reader of reference data takes both files
    assert len(made.narratives) == len(made.claims)
    with (out / "task2_decisions.csv").open() as file:
        log = list(csv.DictReader(file))
    assert {row["how"] for row in log} == {"unanimous", "majority", "adjudicated"}
    assert {row["decided"] for row in log if row["how"] == "adjudicated"} == {"0_0"}


def test_the_report_says_what_it_is_of(quick, tmp_path):
    out = tmp_path / "out"
    assert run("--out", out) == 0
    text = (out / "report.txt").read_text()
    page = (out / "report.html").read_text()
    for words in ("synthetic", "Alpha over sets of codes (MASI)", "Published 2026", "Jackknife"):
        assert words.casefold() in text.casefold()
        assert words.casefold() in page.casefold()
    with (out / "tables/table5.csv").open() as file:
        table5 = list(csv.DictReader(file))
    assert [row["label"] for row in table5] == list(CODES)
    assert {"n", "prevalence", "alpha_low", "kappa_high", "positive_agreement"} <= set(table5[0])
    assert (out / "tables/table5.tex").read_text().count(r"\begin{table}") == 1


def test_sheets_that_must_be_mended_leave_no_report(quick, tmp_path, capsys):
    sheet = tmp_path / "all.csv"
    sheet.write_text("annotator,claim_id,narrative\nAnn,1,9_9\nBo,1,0_0\n")
    assert run("--annotations", sheet, "--out", tmp_path / "out") == program.FAULT
    assert "E-NARRATIVE  all.csv line 2" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_one_annotator_alone_is_told(quick, tmp_path, capsys):
    (tmp_path / "Ann.csv").write_text("claim_id,narrative\n1,0_0\n")
    assert run("--annotations", tmp_path, "--out", tmp_path / "out") == program.FAULT
    assert "Task 2 has one annotator alone (Ann)" in capsys.readouterr().err


def test_the_sheets_are_never_written_over(quick, tmp_path, capsys):
    (tmp_path / "all.csv").write_text("annotator,claim_id,narrative\nAnn,1,0_0\nBo,1,0_0\n")
    (tmp_path / "report.html").write_text("an old report")
    assert run("--annotations", tmp_path / "all.csv", "--out", tmp_path) == program.FAULT
    assert "The sheets lie in" in capsys.readouterr().err
    assert (tmp_path / "all.csv").exists()


ADJUDICATED = {
    "a settled item": ("claim_id,narrative\n1,1_1\n", "E-NOT-OPEN  done.csv line 2: claim 1 was"),
    "an unknown item": ("claim_id,narrative\n9,1_1\n", "E-NOT-AN-ITEM  done.csv line 2: claim 9"),
    "an unknown code": (
        "claim_id,narrative\n2,10\n",
        "E-NARRATIVE  done.csv line 2: narrative “10”",
    ),
    "two answers": ("claim_id,narrative\n2,1_1\n2,0_0\n", "E-DECIDED-TWICE  done.csv line 3"),
}


@pytest.mark.parametrize("fault", ADJUDICATED)
def test_a_fault_of_an_adjudication_sheet_is_told(fault, quick, tmp_path, capsys):
    text, message = ADJUDICATED[fault]
    rows = "annotator,claim_id,narrative\nA,1,0_0\nB,1,0_0\nA,2,1_1\nB,2,0_0\n"
    (tmp_path / "all.csv").write_text(rows)
    (tmp_path / "done.csv").write_text(text)
    given = ("--annotations", tmp_path / "all.csv", "--adjudicated", tmp_path / "done.csv")
    assert run(*given, "--out", tmp_path / "out") == program.FAULT
    assert message in capsys.readouterr().err


def test_pictures_can_be_drawn_where_little_is_defined(tmp_path):
    rows = "annotator,claim_id,narrative\nA_$1,1,0_0\n" + "B" * 60 + ",1,1_1;2_1\n"
    (tmp_path / "all.csv").write_text(rows)
    out = tmp_path / "out"
    assert run("--annotations", tmp_path / "all.csv", "--out", out) == 0
    drawn = {path.name for path in (out / "figures").glob("*.svg")}
    assert drawn == {"alpha.svg", "annotator_kappas.svg", "confusion.svg", "together.svg"}


# --- the paper's findings, on annotators that are made up ----------------------------------------


@pytest.fixture(scope="module")
def paper_like():
    from organiser.agreement import beside

    random = np.random.default_rng(3)
    often = np.array([max(row["prevalence"], 5e-4) for row in beside.published_table5().values()])
    there = simulation.truth(often, 1000, random)
    made, marks = simulation.annotate(there, [simulation.Annotator()] * 4, often, random)
    items = tuple((str(i),) for i in range(1000))
    return Annotations("2", ("A", "B", "C", "D"), items, CODES, made, marks)


def test_rare_labels_have_wide_intervals(paper_like):
    found = measures(paper_like)
    width, number = found.alpha.high - found.alpha.low, found.number.value
    rare = np.nanmedian(width[number <= 12])
    frequent = np.nanmedian(width[number >= 40])
    assert rare > 2 * frequent
    assert width[0] < 0.1  # 0_0


def test_groups_are_agreed_on_better_than_codes(paper_like):
    groups = paper_like.grouped()
    codes = overall.weighted(overall.without(paper_like, "0_0")).value[0]
    assert overall.weighted(overall.without(groups, "0")).value[0] > codes + 0.05
    assert min(overall.kappas(groups)) > max(overall.kappas(paper_like))
    assert overall.over_all(groups).value[0] > overall.over_all(paper_like).value[0]


def test_the_most_frequent_label_lifts_the_weighted_mean(paper_like):
    assert (
        overall.weighted(paper_like).value[0]
        > overall.weighted(overall.without(paper_like, "0_0")).value[0] + 0.1
    )
    assert 0.7 < overall.over_all(paper_like).value[0] < 0.85


def test_the_sample_sheets_are_of_the_training_claims(sheets, claims_file):
    known = set(read_claims(claims_file).ids)
    with (sheets / "annotator A.csv").open() as file:
        assert {row["claim_id"] for row in csv.DictReader(file)} == known
