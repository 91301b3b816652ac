"""Sheets of annotators: every form that is read, every fault told with sheet, row and mend."""

import datetime
import io

import openpyxl
import pytest

from climatecheck.tables import Claims
from organiser.agreement import spreadsheet
from organiser.agreement.annotations import said
from organiser.agreement.reading import SheetErrors, read_annotations
from organiser.agreement.sheets import read_sheets
from organiser.editions import OrganiserError

CLAIMS = Claims(("12", "7", "30"), ("One.", "Two.", "Three."))
PLAIN = "claim_id,narrative\n12,1_1\n7,0_0\n30,2_1;5_2\n"


def book(*rows, title="Sheet1"):
    """An XLSX file with one sheet, its cells as a spreadsheet program would store them."""
    made = openpyxl.Workbook()
    made.active.title = title
    for row in rows:
        made.active.append(row)
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


@pytest.fixture
def read(tmp_path):
    def take(files, claims=CLAIMS):
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            (tmp_path / name).write_bytes(data)
        return read_annotations(tmp_path, claims)

    return take


@pytest.fixture
def refused(read):
    def take(files, claims=CLAIMS):
        with pytest.raises(SheetErrors) as caught:
            read(files, claims)
        return [problem.message for problem in caught.value.problems]

    return take


def told(table):
    """What each annotator said, item by item; None where nothing."""
    return {
        name: [
            said(table.labels, marks) if made else None
            for made, marks in zip(table.made[who], table.marks[who], strict=True)
        ]
        for who, name in enumerate(table.annotators)
    }


def codes(remarks):
    return [problem.code for problem in remarks]


# --- forms --------------------------------------------------------------------------------------


def test_one_file_an_annotator(read):
    tables, remarks = read({"Ann.csv": PLAIN, "Bo.csv": "claim_id,narrative\n7,0_0\n12,1_2\n"})
    table = tables["2"]
    assert table.items == (("12",), ("7",), ("30",))
    assert told(table) == {"Ann": ["1_1", "0_0", "2_1;5_2"], "Bo": ["1_2", "0_0", None]}
    assert codes(remarks) == ["W-ONE-ANNOTATOR"]


def test_one_long_table(read):
    tables, _ = read({"all.csv": "annotator,claim_id,narrative\nAnn,12,1_1\nBo,12,0_0\nBo,7,0_0\n"})
    assert told(tables["2"]) == {"Ann": ["1_1", None], "Bo": ["0_0", "0_0"]}


def test_a_workbook_with_a_sheet_for_each_annotator(read, tmp_path):
    made = openpyxl.Workbook()
    made.active.title = "Ann"
    made.active.append(["claim_id", "narrative"])
    made.active.append([12, "1_1"])
    other = made.create_sheet("Bo")
    other.append(["claim_id", "narrative"])
    other.append([12, "0_0"])
    made.create_sheet("Notes").append(["read the guidelines"])
    made.save(tmp_path / "all.xlsx")
    tables, remarks = read({})
    assert told(tables["2"]) == {"Ann": ["1_1"], "Bo": ["0_0"]}
    assert [problem.where for problem in remarks] == ["all.xlsx [Notes]"]


def test_labels_of_task_1_beside_narratives(read):
    tables, _ = read(
        {
            "n.csv": "annotator,claim_id,narrative\nAnn,7,0_0\nBo,7,0_0\n",
            "l.csv": "annotator,claim_id,abstract_id,label\nAnn,7,4,Supports\nBo,7,4,NEI\n",
        }
    )
    assert tables["1"].items == (("7", "4"),)
    assert told(tables["1"]) == {"Ann": ["Supports"], "Bo": ["Not Enough Information"]}
    assert told(tables["2"]) == {"Ann": ["0_0"], "Bo": ["0_0"]}


FORMS = {
    "semicolons between cells": 'claim_id;narrative\n12;1_1\n7;0_0\n30;"2_1;5_2"\n',
    "tabs between cells": PLAIN.replace(",", "\t"),
    "a byte order mark and CRLF": b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode(),
    "UTF-16": PLAIN.encode("utf-16"),
    "other names of columns": PLAIN.replace("claim_id,narrative", "Claim ID,Narrative"),
    "ids with a decimal point": PLAIN.replace("12,", "12.0,").replace("30,", "30.0,"),
    "list notation": PLAIN.replace("2_1;5_2", "\"['2_1', '5_2']\""),
    "0 for 0_0": PLAIN.replace("0_0", "0"),
    "blanks": PLAIN.replace("2_1;5_2", " 2_1 ; 5_2 "),
    "numbers in XLSX": book(
        ["claim_id", "narrative"], [12, "1_1"], [7.0, 0], [], [30, "2_1;5_2"], [None, None]
    ),
    "text of several lines": 'claim_id,claim,narrative\n12,"a\nb",1_1\n7,,0_0\n30,c,2_1;5_2\n',
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_read_as_it_is_meant(form, read):
    name = "Ann.xlsx" if "XLSX" in form else "Ann.csv"
    tables, _ = read({name: FORMS[form]})
    assert told(tables["2"]) == {"Ann": ["1_1", "0_0", "2_1;5_2"]}


def test_a_missing_answer_is_a_missing_annotation(read):
    tables, remarks = read({"Ann.csv": PLAIN.replace("0_0", ""), "Bo.csv": PLAIN})
    assert told(tables["2"])["Ann"] == ["1_1", None, "2_1;5_2"]
    assert codes(remarks) == ["W-BLANK-ANSWER", "W-ONE-ANNOTATOR"]
    assert remarks[0].message == (
        "W-BLANK-ANSWER  Ann.csv line 3: claim 7 has no answer; it counts as not annotated. Nothing"
        " need be done if the annotation is missing; no narrative is written 0_0."
    )


def test_ids_are_taken_as_they_are_without_a_list_of_claims(read):
    tables, _ = read({"Ann.csv": "claim_id,narrative\n007,1_1\na-3,0_0\n5.0,0_0\n"}, None)
    assert tables["2"].items == (("007",), ("a-3",), ("5",))


def test_lines_below_a_text_of_several_lines_keep_their_numbers(refused):
    text = 'claim_id,claim,narrative\n12,"a\n\nb",1_1\n7,"c\nd",9_9\n'
    messages = refused({"Ann.csv": text})
    assert [m.split(": ")[0] for m in messages] == [
        "E-NARRATIVE  Ann.csv line 5",
        "W-LINES-JOINED  Ann.csv",
    ]


# --- faults -------------------------------------------------------------------------------------

ROWS = "claim_id,narrative\n"
FAULTS = {
    "a code read as a number": (
        {"Ann.xlsx": book(["claim_id", "narrative"], [12, "0_0"], [7, 10])},
        "E-NARRATIVE  Ann.xlsx [Sheet1] line 3: narrative “10” is not a code of the taxonomy. Did"
        " you mean “1_0”? Write codes such as 1_1, joined by “;”, and nothing else.",
    ),
    "a code turned into a date": (
        {"Ann.xlsx": book(["claim_id", "narrative"], [12, datetime.date(2026, 1, 8)])},
        "E-TURNED  Ann.xlsx [Sheet1] line 2: narrative reads “2026-01-08”, a date or a"
        " rounded number that a spreadsheet program has made of what was typed. Did you mean"
        " “1_8”? Format the column as text and type the value again.",
    ),
    "a date in CSV": (
        {"Ann.csv": ROWS + "12,02-Jan\n"},
        "E-TURNED  Ann.csv line 2: narrative reads “02-Jan”, a date or a rounded number that a"
        " spreadsheet program has made of what was typed. Format the column as text and type the"
        " value again.",
    ),
    "a formula": (
        {"Ann.xlsx": book(["claim_id", "narrative"], [12, "=A2"])},
        "E-FORMULA  Ann.xlsx [Sheet1] line 2: narrative holds the formula “=A2”. Type the value"
        " itself, or paste it as a value.",
    ),
    "an unknown code": (
        {"Ann.csv": ROWS + "12,1_1;6_1\n"},
        "E-NARRATIVE  Ann.csv line 2: narrative “6_1” is not a code of the taxonomy. Write codes"
        " such as 1_1, joined by “;”, and nothing else.",
    ),
    "an unknown claim": (
        {"Ann.csv": ROWS + "13,1_1\n"},
        "E-UNKNOWN-CLAIM  Ann.csv line 2: claim_id “13” is not in claims.csv.",
    ),
    "an empty id": (
        {"Ann.csv": ROWS + ",1_1\n"},
        "E-CLAIM-EMPTY  Ann.csv line 2: claim_id is empty.",
    ),
    "two answers": (
        {"Ann.csv": ROWS + "12,1_1\n7,0_0\n12,1_2\n"},
        "E-ANNOTATED-TWICE  Ann.csv line 4: Ann answers claim 12 with “1_2” here and with “1_1” on"
        " Ann.csv line 2. Keep the one that is meant; join several codes of one claim by “;”.",
    ),
    "no annotator": (
        {"all.csv": "annotator,claim_id,narrative\nAnn,12,1_1\n,7,0_0\n"},
        "E-ANNOTATOR-EMPTY  all.csv line 3: the annotator is empty.",
    ),
    "no column of answers": (
        {"Ann.csv": "claim_id,codes\n12,1_1\n"},
        "E-SHEET-COLUMNS  Ann.csv line 1: there are no answers that could be read: a column"
        " narrative or label is missing; the header reads “claim_id, codes”.",
    ),
    "no abstract": (
        {"Ann.csv": "claim_id,label\n12,Supports\n"},
        "E-SHEET-COLUMNS  Ann.csv line 1: there are no answers that could be read: a column"
        " abstract_id is missing beside label;",
    ),
    "an unknown label": (
        {"l.csv": "annotator,claim_id,abstract_id,label\nAnn,7,4,Support\n"},
        "E-LABEL  l.csv line 2: label “Support” is not one of",
    ),
    "an old workbook": ({"Ann.xls": "x"}, "E-SHEET-FORMAT  Ann.xls: a sheet of this form cannot"),
    "a damaged workbook": ({"Ann.xlsx": b"PK\x03\x04nothing"}, "E-SHEET-BROKEN  Ann.xlsx: this"),
    "a row of another length": (
        {"Ann.csv": "claim_id;narrative\n12;1_1;2_1\n"},
        "E-ROW-LENGTH  Ann.csv line 2: the row has 3 cells where the header has 2.",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_its_place_and_mend(fault, refused):
    files, message = FAULTS[fault]
    assert refused(files)[0].startswith(message)


def test_all_faults_are_told_at_once(refused):
    messages = refused(
        {"Ann.csv": ROWS + "13,9_9\n7,=A1\n", "Bo.csv": ROWS + "12,1_1\n12,0_0\n", "C.ods": "x"}
    )
    assert [message.split()[0] for message in messages] == [
        "E-SHEET-FORMAT", "E-UNKNOWN-CLAIM", "E-NARRATIVE", "E-FORMULA", "E-ANNOTATED-TWICE"
    ]  # fmt: skip


@pytest.mark.parametrize("id_", ["@SUM(A1)", "-7", "+7"])
def test_an_id_that_would_run_as_a_formula_is_refused(id_, refused):
    assert refused({"Ann.csv": f"{ROWS}{id_},0_0\n"}, None)[0].startswith("E-ID-FORMULA")


def test_the_same_answer_twice_counts_once(read):
    tables, remarks = read({"Ann.csv": ROWS + "12,1_1\n12,1_1\n"})
    assert told(tables["2"]) == {"Ann": ["1_1"]}
    assert codes(remarks) == ["W-ANNOTATED-TWICE"]


def test_nothing_to_read(tmp_path):
    with pytest.raises(OrganiserError, match="no CSV or XLSX file"):
        read_annotations(tmp_path)
    with pytest.raises(OrganiserError, match="nothing at"):
        read_annotations(tmp_path / "absent")


# --- workbooks that are written -----------------------------------------------------------------


@pytest.fixture
def hostile():
    rows = [("claim_id", "claim"), ("7", "=HYPERLINK(1)"), ("8", "@x\x07"), ("9", "#N/A")]
    return spreadsheet.Page("a", rows, (10, 30), {1: ("x", "y")}, to_fill=(1,))


def test_no_cell_of_a_written_workbook_is_a_formula(hostile):
    sheet = openpyxl.load_workbook(io.BytesIO(spreadsheet.written([hostile])))["a"]
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} == {"s"}
    assert [cell.value for cell in cells][3::2] == ["=HYPERLINK(1)", "@x", "#N/A"]
    assert all(cell.number_format == "@" and cell.quotePrefix for cell in cells)


def test_a_written_workbook_is_the_same_bytes_each_time(hostile):
    assert spreadsheet.written([hostile]) == spreadsheet.written([hostile])


def test_a_written_workbook_is_read_as_it_was_written(tmp_path, hostile):
    (tmp_path / "a.xlsx").write_bytes(spreadsheet.written([hostile]))
    from climatecheck.problems import Collector

    (sheet,) = read_sheets(tmp_path, Collector())
    assert list(sheet.cells.columns["claim"]) == ["=HYPERLINK(1)", "@x", "#N/A"]


# --- who has annotated --------------------------------------------------------------------------


def workbook(sheets):
    """An XLSX file with several sheets: title -> rows."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def of_both_tasks(narrative, label):
    return workbook(
        {
            "narratives": [["claim_id", "narrative"], [12, narrative]],
            "labels": [["claim_id", "abstract_id", "label"], [12, 4, label]],
        }
    )


def test_a_sheet_for_each_task_is_of_the_annotator_that_the_file_names(read):
    tables, remarks = read(
        {"Ann.xlsx": of_both_tasks("1_1", "Supports"), "Bo.xlsx": of_both_tasks("0_0", "Refutes")}
    )
    assert told(tables["2"]) == {"Ann": ["1_1"], "Bo": ["0_0"]}
    assert told(tables["1"]) == {"Ann": ["Supports"], "Bo": ["Refutes"]}
    assert remarks == ()


def rows_of(*answers):
    return [["claim_id", "narrative"], *answers]


def test_sheets_that_may_be_parts_of_one_annotators_work_are_refused(refused):
    """The same answers would else count as one annotator's, and agreement would be lost."""
    parts = {"part 1": rows_of([12, "1_1"]), "part 2": rows_of([7, "0_0"])}
    message, *remarks = refused({"Ann.xlsx": workbook(parts), "Bo.xlsx": workbook(parts)})
    assert message == (
        "E-WHOSE-SHEET  Bo.xlsx: 2 sheets stand under the same name in another workbook, with"
        " answers to the same items: either the sheets or the workbooks may name the annotators"
        " (first: “part 1”; “part 2”). Add a column annotator to these sheets."
    )
    assert remarks[0] == (
        "W-NAMED-BY-SHEET  Ann.xlsx: its 2 sheets count as an annotator each, by their own names"
        " (first: “part 1”; “part 2”). Nothing need be done, unless all of them are one"
        " annotator's: then add a column annotator."
    )


def test_batches_with_a_sheet_for_each_annotator_are_put_together(read):
    first = {"Ann": rows_of([12, "1_1"]), "Bo": rows_of([12, "0_0"])}
    second = {"Ann": rows_of([7, "1_2"]), "Bo": rows_of([7, "1_2"])}
    tables, remarks = read({"1.xlsx": workbook(first), "2.xlsx": workbook(second)})
    assert told(tables["2"]) == {"Ann": ["1_1", "1_2"], "Bo": ["0_0", "1_2"]}
    assert [(each.code, each.where) for each in remarks] == [
        ("W-NAMED-BY-SHEET", "1.xlsx"),
        ("W-NAMED-BY-SHEET", "2.xlsx"),
    ]


@pytest.mark.parametrize("other", ["ann b", "Ann  B", "ANN_B", "Ann-B", "\uff21nn B"])
def test_names_that_are_nearly_the_same_are_remarked(other, read):
    _, remarks = read(
        {"all.csv": f"annotator,claim_id,narrative\nAnn B,12,1_1\n{other},12,0_0\nC,12,0_0\n"}
    )
    assert [each.message for each in remarks] == [
        f"W-NAMES-ALIKE  sheets: “Ann B” and “{other}” differ in case, blanks, hyphens or"
        " underscores alone and count as different annotators. Nothing need be done, unless they"
        " are one: then write the name in one way."
    ]


# --- what is hidden -----------------------------------------------------------------------------


def hiding(change, sheets=None):
    """A workbook with a sheet of three answers, and what ``change`` hides in it."""
    rows = rows_of([12, "1_1"], [7, "0_0"], [30, "2_1;5_2"])
    made = openpyxl.load_workbook(io.BytesIO(workbook({"Ann": rows, **(sheets or {})})))
    change(made)
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def hide(kind, key):
    def change(made):
        getattr(made["Ann"], kind)[key].hidden = True

    return change


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_a_hidden_sheet_is_no_annotator(state, read):
    def change(made):
        made["old"].sheet_state = state

    tables, remarks = read({"Ann.xlsx": hiding(change, {"old": rows_of([12, "1_2"])})})
    assert told(tables["2"]) == {"Ann": ["1_1", "0_0", "2_1;5_2"]}
    assert [each.message for each in remarks] == [
        "W-HIDDEN-SHEET  Ann.xlsx [old]: the sheet is hidden and is not read. Nothing need be done,"
        " unless it holds annotations: then show it and save the workbook."
    ]


HIDDEN = {
    "a row": (
        hide("row_dimensions", 3),
        "W-HIDDEN-ROWS  Ann.xlsx [Ann] line 3: the row is hidden, perhaps by a filter; it is read"
        " all the same.",
    ),
    "a column": (
        hide("column_dimensions", "B"),
        "W-HIDDEN-COLUMN  Ann.xlsx [Ann]: the column “narrative” is hidden; it is read all the"
        " same.",
    ),
}


@pytest.mark.parametrize("what", HIDDEN)
def test_what_is_hidden_in_a_sheet_is_read_and_remarked(what, read):
    change, message = HIDDEN[what]
    tables, remarks = read({"Ann.xlsx": hiding(change)})
    assert told(tables["2"]) == {"Ann": ["1_1", "0_0", "2_1;5_2"]}
    assert len(remarks) == 1
    assert remarks[0].message.startswith(message)


def test_a_hidden_row_below_the_answers_is_not_remarked(read):
    assert read({"Ann.xlsx": hiding(hide("row_dimensions", 9))})[1] == ()


# --- in words of sheets -------------------------------------------------------------------------

IN_WORDS = {
    "an empty file": ("", "E-SHEET-EMPTY  Ann.csv: the sheet is empty. Take it out, or give"),
    "no rows": (ROWS, "E-SHEET-NO-ROWS  Ann.csv line 1: there is a header and no row below it."),
    "no header": ("12,1_1\n7,0_0\n", "E-SHEET-HEADER  Ann.csv line 1: the first row should name"),
}


@pytest.mark.parametrize("fault", IN_WORDS)
def test_no_message_about_a_sheet_speaks_of_predictions_or_commas(fault, refused):
    text, message = IN_WORDS[fault]
    (found,) = refused({"Ann.csv": text})
    assert found.startswith(message)
    assert "prediction" not in found
    assert "comma" not in found


@pytest.mark.parametrize("column", ["claim_id", "abstract_id", "label"])
def test_a_date_outside_the_narratives_is_no_code(column, refused):
    cells = {"claim_id": "12", "abstract_id": "4", "label": "Supports", column: "2026-01-08"}
    header, row = ",".join(cells), ",".join(cells.values())
    (message,) = refused({"Ann.csv": f"{header}\n{row}\n"}, None)
    assert message.startswith(f"E-TURNED  Ann.csv line 2: {column} reads “2026-01-08”")
    assert "Did you mean" not in message


def test_a_folder_within_the_folder_is_remarked(read, tmp_path):
    (tmp_path / "more").mkdir()
    _, remarks = read({"Ann.csv": PLAIN})
    assert [(each.code, each.where) for each in remarks] == [("W-FOLDER-IGNORED", "more")]
