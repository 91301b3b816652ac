"""Adjudication sheets: what is read back of them, and what is never lost; the curator."""

import os
import shutil

import openpyxl
import pytest

from organiser.agreement import __main__ as program
from organiser.agreement.decided import paths_of
from organiser.reporting import render
from organiser.reporting.render_pictures import Drawn

SHEETS = """annotator,claim_id,narrative
A,1,0_0
B,1,0_0
A,2,1_1
B,2,0_0
A,3,2_1
B,3,5_1
"""
"""Claim 1 is settled, 2 and 3 are open."""
LABELS = """annotator,claim_id,abstract_id,label
A,7,4,Supports
B,7,4,Refutes
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Draw no picture: what is drawn is seen to in a test of its own."""
    monkeypatch.setattr(render, "drawn", lambda picture: Drawn(b"", b"", "<svg/>"))


@pytest.fixture
def run(tmp_path, capsys):
    """Run the program on sheets; returns its exit code and what it says on stderr."""

    def start(*adjudicated, sheets=SHEETS, more=(), **texts):
        (tmp_path / "all.csv").write_text(sheets)
        for name, text in texts.items():
            (tmp_path / f"{name}.csv").write_text(text)
        given = ["--annotations", tmp_path / "all.csv", "--out", tmp_path / "out", *more]
        given += ["--adjudicated", *(tmp_path / name for name in adjudicated)]
        code = program.main([str(each) for each in given])
        return code, capsys.readouterr().err

    return start


@pytest.fixture
def gold(tmp_path):
    def read():
        (file,) = (tmp_path / "out" / "gold").iterdir()
        return dict(line.split(",") for line in file.read_text().splitlines()[1:])

    return read


@pytest.fixture
def asked(tmp_path):
    return tmp_path / "out" / "task2_adjudication.xlsx"


def write(path, line, column, text, title="adjudication"):
    """Type a text into a cell of a workbook."""
    book = openpyxl.load_workbook(path)
    sheet = book[title]
    header = [cell.value for cell in sheet[1]]
    place = header.index(column) + 1 if column in header else len(header) + 1
    sheet.cell(line, place).value = text
    book.save(path)


# --- several sheets -----------------------------------------------------------------------------


def test_two_sheets_that_contradict_each_other_are_refused(run, tmp_path):
    code, said = run(
        "one.csv", "two.csv", one="claim_id,narrative\n3,5_1\n", two="claim_id,narrative\n3,4_1\n"
    )
    assert code == program.FAULT
    assert (
        "E-DECIDED-TWICE  two.csv line 2: claim 3 is decided as “4_1” here and as “5_1” on one.csv"
        " line 2." in said
    )
    assert not (tmp_path / "out").exists()


def test_two_sheets_of_one_name_are_told_apart(run, tmp_path):
    for folder, code in (("a", "5_1"), ("b", "4_1")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "done.csv").write_text(f"claim_id,narrative\n3,{code}\n")
    _, said = run("a/done.csv", "b/done.csv")
    assert str(tmp_path)[:30] in said.split("E-DECIDED-TWICE")[1].split("line 2")[0]


def test_a_column_annotator_hides_no_contradiction(run):
    text = "annotator,claim_id,narrative\nx,3,5_1\ny,3,4_1\n"
    code, said = run("one.csv", one=text)
    assert code == program.FAULT
    assert "E-DECIDED-TWICE  one.csv line 3" in said


def test_the_same_decision_twice_counts_once_and_is_remarked(run, gold):
    text = "claim_id,narrative\n3,5_1\n"
    code, said = run("one.csv", "two.csv", one=text, two=text)
    assert code == 0
    assert (
        "W-DECIDED-TWICE  two.csv line 2: the decision on claim 3 stands on one.csv line 2" in said
    )
    assert gold() == {"1": "0_0", "3": "5_1"}


def test_an_empty_cell_contradicts_nothing_and_comments_are_joined(run, gold, tmp_path):
    code, _ = run(
        "one.csv",
        "two.csv",
        one="claim_id,narrative,comment\n2,,ask\n3,5_1,me\n",
        two="claim_id,narrative,comment\n2,1_1,\n3,,you\n",
    )
    assert code == 0
    assert gold() == {"1": "0_0", "2": "1_1", "3": "5_1"}
    log = (tmp_path / "out" / "task2_decisions.csv").read_text().splitlines()
    assert [line.rsplit(",", 1)[1] for line in log[2:]] == ["ask", "me; you"]


def test_one_argument_may_name_several_sheets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    odd = f"a{os.pathsep}b.csv"
    (tmp_path / odd).write_text("x")
    joined = os.pathsep.join(("my one.csv", "two.csv", ""))
    assert list(map(str, paths_of([joined, odd, ""]))) == ["my one.csv", "two.csv", odd]
    assert len(paths_of(["two.csv", "./two.csv"])) == 1


# --- sheets that cannot be used -----------------------------------------------------------------

UNUSABLE = {
    "a misspelt header": (
        "claim_id,narratve\n3,5_1\n",
        "E-SHEET-COLUMNS  one.csv line 1: there are no answers that could be read: a column"
        " narrative or label is missing; the header reads “claim_id, narratve”.",
    ),
    "the other task": (
        "claim_id,abstract_id,label\n3,5,Supports\n",
        "E-OTHER-TASK-SHEET  one.csv: these are decisions on task 1, of which there are no"
        " annotations.",
    ),
    "no header": ("3,5_1\n4,0_0\n", "E-SHEET-HEADER  one.csv line 1"),
    "nothing": ("", "E-SHEET-EMPTY  one.csv"),
}


@pytest.mark.parametrize("fault", UNUSABLE)
def test_a_sheet_that_cannot_be_used_is_refused(fault, run, tmp_path):
    text, message = UNUSABLE[fault]
    code, said = run("one.csv", one=text)
    assert code == program.FAULT
    assert message in said
    assert not (tmp_path / "out").exists()


def test_a_damaged_workbook_is_refused(run, tmp_path):
    (tmp_path / "one.xlsx").write_bytes(b"junk")
    code, said = run("one.xlsx")
    assert code == program.FAULT
    assert "E-SHEET-BROKEN  one.xlsx" in said


def test_what_is_remarked_of_an_adjudication_sheet_is_shown(run, tmp_path):
    code, said = run("one.csv", one="claim_id,narrative\n3,5_1;2_1\n3.0,\n")
    assert code == 0
    assert "W-NARRATIVE-FORM" not in said
    assert "W-ID-DECIMAL  one.csv line 3" in said
    assert "W-ID-DECIMAL" in (tmp_path / "out" / "report.txt").read_text()


def test_the_legend_of_an_adjudication_sheet_is_not_remarked(run, asked, tmp_path):
    run()
    shutil.copy(asked, tmp_path / "half.xlsx")
    code, said = run("half.xlsx")
    assert code == 0
    assert "W-SHEET-IGNORED" not in said


def test_what_is_still_open_is_named(run):
    _, said = run()
    assert (
        "W-STILL-OPEN  task2_adjudication.xlsx: 2 items are still to be decided (first: claim 2;"
        " claim 3)." in said
    )
    _, said = run("one.csv", one="claim_id,narrative\n3,5_1\n")
    assert "W-STILL-OPEN  task2_adjudication.xlsx: claim 2 is still to be decided." in said


# --- what was typed is never lost ---------------------------------------------------------------

TYPED = {
    "a decision": ("narrative", "5_1"),
    "what is no code": ("narrative", "51 (I think)"),
    "blanks around what is no code": ("narrative", " ? "),
    "a comment": ("comment", "ask Ann"),
    "a note in a column of its own": ("my notes", "ask Ann"),
    "another id": ("claim_id", None),
}


@pytest.mark.parametrize("what", TYPED)
def test_a_sheet_in_which_something_was_typed_is_not_written_over(what, run, asked):
    run()
    column, text = TYPED[what]
    if text is None:
        write(asked, 2, "claim_id", "99")
        column, text = "narrative", "5_1"
    write(asked, 2, column, text)
    before = asked.read_bytes()
    code, said = run()
    assert code == program.FAULT
    assert f"[adjudication] line 2 holds “{text}”, which would be lost" in said
    assert asked.read_bytes() == before


def test_what_was_typed_into_a_hidden_sheet_is_not_lost(run, asked):
    run()
    book = openpyxl.load_workbook(asked)
    sheet = book.create_sheet("mine")
    sheet["A1"], sheet["A2"] = "notes", "ask Ann"
    sheet.sheet_state = "hidden"
    book.save(asked)
    code, said = run()
    assert code == program.FAULT
    assert "[mine] line 2 holds “ask Ann”" in said


def test_a_damaged_sheet_is_not_written_over(run, asked):
    run()
    asked.write_bytes(b"junk")
    code, said = run()
    assert code == program.FAULT
    assert "cannot be read, and decisions in it would be lost" in said
    assert asked.read_bytes() == b"junk"


def test_the_sheet_of_a_task_that_is_not_in_the_run_is_not_lost(run, tmp_path):
    other = tmp_path / "out" / "task1_adjudication.xlsx"
    run(sheets=LABELS)
    write(other, 2, "label", "Refutes")
    code, said = run()
    assert code == program.FAULT
    assert "task1_adjudication.xlsx [adjudication] line 2 holds “Refutes”" in said
    assert other.is_file()


@pytest.mark.parametrize("name", ["copy.xlsx", "mine.csv", "old.ods", "gold/copy.xlsx"])
def test_a_sheet_that_people_put_beside_the_report_is_not_lost(name, run, tmp_path):
    run()
    (tmp_path / "out" / name).write_bytes(b"typed")
    code, said = run()
    assert code == program.FAULT
    assert f"{name} is no part of the report and would be lost" in said
    assert (tmp_path / "out" / name).read_bytes() == b"typed"


def test_a_sheet_without_a_decision_is_written_over(run, asked):
    run()
    before = asked.read_bytes()
    assert run()[0] == 0
    assert asked.read_bytes() == before


def test_decisions_of_task_1_are_kept_when_they_are_given(run, tmp_path, gold):
    other = tmp_path / "out" / "task1_adjudication.xlsx"
    run(sheets=LABELS)
    write(other, 2, "label", "refutes")
    assert run(sheets=LABELS)[0] == program.FAULT
    assert run("out/task1_adjudication.xlsx", sheets=LABELS)[0] == 0
    text = (tmp_path / "out" / "gold" / "task1_gold.csv").read_text()
    assert text == "claim_id,abstract_id,label\n7,4,Refutes\n"
    assert run("out/task1_adjudication.xlsx", sheets=LABELS)[0] == 0


# --- the curator --------------------------------------------------------------------------------

CURATED = SHEETS + "Cora,2,1_1\nCora,9,5_1\n"


def test_a_curator_whom_nobody_knows_is_refused(run, tmp_path):
    code, said = run(sheets=CURATED, more=("--curator", "Zed"))
    assert code == program.FAULT
    assert (
        "The curator is to be “Zed”, but nobody has that name; the sheets are of A, B, Cora."
        in said
    )
    assert not (tmp_path / "out").exists()


def test_two_who_could_be_the_curator_are_refused(run):
    code, said = run(sheets=CURATED + "cora,2,1_1\n", more=("--curator", "Cora"))
    assert code == program.FAULT
    assert "“Cora” and “cora” could each be the curator" in said


def test_a_curator_of_one_task_alone_will_do(run, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "n.csv").write_text(SHEETS)
    (tmp_path / "folder" / "l.csv").write_text(LABELS + "Cora,7,4,Refutes\n")
    more = ("--annotations", tmp_path / "folder", "--curator", "cora")
    assert run(more=more)[0] == 0
    text = (tmp_path / "out" / "gold" / "task1_gold.csv").read_text()
    assert text == "claim_id,abstract_id,label\n7,4,Refutes\n"


def test_an_item_of_the_curator_alone_is_remarked(run, gold, tmp_path):
    code, said = run(sheets=CURATED, more=("--curator", "Cora"))
    assert code == 0
    message = "W-CURATOR-ALONE  task 2: claim 9 was answered by the curator alone; it is in neither"
    assert message in said
    assert "W-CURATOR-ALONE" in (tmp_path / "out" / "report.txt").read_text()
    assert gold() == {"1": "0_0", "2": "1_1"}


def test_what_the_curator_decided_is_not_adjudicated_in_vain(run):
    more = ("--curator", "Cora")
    code, said = run("one.csv", sheets=CURATED, more=more, one="claim_id,narrative\n2,5_1\n")
    assert code == program.FAULT
    assert "E-NOT-OPEN  one.csv line 2: claim 2 was settled without adjudication, as “1_1”" in said


def test_a_claim_that_nobody_annotated_is_remarked(run, tmp_path):
    (tmp_path / "claims.csv").write_text("claim_id,claim\n1,a\n2,b\n3,c\n4,d\n")
    code, said = run(more=("--claims", tmp_path / "claims.csv"))
    assert code == 0
    assert "W-NOT-ANNOTATED  task 2: claim 4 was annotated by nobody;" in said


def test_one_item_is_said_in_the_singular(run, tmp_path):
    assert run(sheets="annotator,claim_id,narrative\nA,2,1_1\nB,2,0_0\n")[0] == 0
    text = " ".join((tmp_path / "out" / "report.txt").read_text().split())
    assert "2 annotators, 1 item;" in text
    assert "1 item is open, to be decided in task2_adjudication.xlsx;" in text
    assert " 1 items" not in text
