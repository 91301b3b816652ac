"""What can be wrong with annotators' sheets, beside what can be wrong with any table."""

from collections.abc import Iterable
from dataclasses import replace

from climatecheck import problem_table as table
from climatecheck.problems import Kind, Problem

EMPTY = Kind(
    "E-SHEET-EMPTY",
    "An empty sheet",
    "the sheet is empty",
    "{count} sheets are empty",
    "Take it out, or give it a header and a row for each annotation.",
)
NO_ROWS = Kind(
    "E-SHEET-NO-ROWS",
    "A sheet without rows",
    "there is a header and no row below it",
    "there are headers and no rows below them",
    "Take the sheet out, or add a row for each annotation.",
)
HEADER = Kind(
    "E-SHEET-HEADER",
    "No header, or none that is understood",
    "the first row should name the columns ({expected}), but it reads “{found}”",
    "the first rows should name the columns ({expected})",
    "Name the columns that you use in the first row, one name a cell.",
)
TOO_MANY_ROWS = Kind(
    "E-SHEET-ROWS",
    "Too many rows",
    "the sheet has more than {limit} rows",
    "the sheets have more than {limit} rows",
    "Give the annotations in several files.",
)

FILE_FORMAT = Kind(
    "E-SHEET-FORMAT",
    "A file that is no sheet",
    "a sheet of this form cannot be read",
    "{count} sheets of this form cannot be read",
    "Save it as XLSX or CSV.",
)
BROKEN = Kind(
    "E-SHEET-BROKEN",
    "A spreadsheet that cannot be opened",
    "this is no XLSX file, or a damaged or protected one",
    "{count} files are no XLSX files, or damaged or protected ones",
    "Open it in a spreadsheet program and save it again as XLSX, without a password.",
)
IGNORED = Kind(
    "W-SHEET-IGNORED",
    "A file or a sheet that is not read",
    "it has no column of ids and is not read",
    "{count} have no column of ids and are not read",
    "Nothing need be done, unless it holds annotations: then name the columns in its first line.",
)
FOLDER_IGNORED = Kind(
    "W-FOLDER-IGNORED",
    "A folder within the folder",
    "this folder is not read",
    "{count} folders are not read",
    "Nothing need be done, unless it holds annotations: then put its files beside the others.",
)
HIDDEN_SHEET = Kind(
    "W-HIDDEN-SHEET",
    "A hidden sheet",
    "the sheet is hidden and is not read",
    "{count} hidden sheets are not read",
    "Nothing need be done, unless it holds annotations: then show it and save the workbook.",
)
HIDDEN_ROWS = Kind(
    "W-HIDDEN-ROWS",
    "A hidden row",
    "the row is hidden, perhaps by a filter; it is read all the same",
    "{count} rows are hidden, perhaps by a filter; they are read all the same",
    "Nothing need be done, unless they are not meant to count: then delete them.",
)
HIDDEN_COLUMN = Kind(
    "W-HIDDEN-COLUMN",
    "A hidden column",
    "the column “{column}” is hidden; it is read all the same",
    "{count} columns are hidden; they are read all the same",
    "Nothing need be done, unless they are not meant to count: then delete them.",
)
NAMED_BY_SHEET = Kind(
    "W-NAMED-BY-SHEET",
    "Sheets that name annotators",
    "the sheet “{found}” counts as the annotator of that name",
    "its {count} sheets count as an annotator each, by their own names",
    "Nothing need be done, unless all of them are one annotator's: then add a column annotator.",
)
WHOSE_SHEET = Kind(
    "E-WHOSE-SHEET",
    "A sheet of the same name in two workbooks",
    "{item} is answered in a sheet called “{found}” here and in {where}: either the sheets or the"
    " workbooks may name the annotators",
    "{count} sheets stand under the same name in another workbook, with answers to the same items:"
    " either the sheets or the workbooks may name the annotators",
    "Add a column annotator to these sheets.",
)
NAMES_ALIKE = Kind(
    "W-NAMES-ALIKE",
    "Annotators whose names are nearly the same",
    "{found} differ in case, blanks, hyphens or underscores alone and count as different"
    " annotators",
    "annotators with nearly the same names count as different annotators",
    "Nothing need be done, unless they are one: then write the name in one way.",
)
COLUMNS = Kind(
    "E-SHEET-COLUMNS",
    "A column is missing",
    "there are no answers that could be read: {note}; the header reads “{found}”",
    "{count} sheets lack a column",
    "Name the columns claim_id and narrative, or claim_id, abstract_id and label, in the first"
    " line.",
)
LINES_JOINED = Kind(
    "W-LINES-JOINED",
    "A text of several lines",
    "a cell of text from here to line {last} was read as one",
    "{count} cells of text span several lines and were read as one each",
    "Nothing need be done, unless a double quote was left open and has swallowed rows.",
)
FORMULA = Kind(
    "E-FORMULA",
    "A formula in the place of a value",
    "{column} holds the formula “{found}”",
    "{count} cells hold a formula",
    "Type the value itself, or paste it as a value.",
)
ID_FORMULA = Kind(
    "E-ID-FORMULA",
    "An id that a spreadsheet takes for a formula",
    "{column} “{found}” begins with a character that spreadsheet programs take for a formula",
    "{count} ids begin with a character that spreadsheet programs take for a formula",
    "Give ids that begin with a letter or a digit, here and in the list of claims.",
)
TURNED = Kind(
    "E-TURNED",
    "A cell that a spreadsheet program has changed",
    "{column} reads “{found}”, a date or a rounded number that a spreadsheet program has made of"
    " what was typed",
    "{count} cells read as dates or rounded numbers that a spreadsheet program has made of what was"
    " typed",
    "Format the column as text and type the value again.",
)
ANNOTATOR_EMPTY = Kind(
    "E-ANNOTATOR-EMPTY",
    "A row without an annotator",
    "the annotator is empty",
    "the annotator is empty in {count} rows",
    "Write in each row who has annotated it.",
)
BLANK_ANSWER = Kind(
    "W-BLANK-ANSWER",
    "An item without an answer",
    "{item} has no answer; it counts as not annotated",
    "{count} items have no answer; they count as not annotated",
    "Nothing need be done if the annotation is missing; no narrative is written 0_0.",
)
SAME_TWICE = Kind(
    "W-ANNOTATED-TWICE",
    "The same annotation twice",
    "the answer of {annotator} to {item} stands twice; it counts once",
    "{count} answers stand twice; they count once",
    "Nothing need be done.",
)
DIFFERENT_TWICE = Kind(
    "E-ANNOTATED-TWICE",
    "Two answers of one annotator to one item",
    "{annotator} answers {item} with “{found}” here and with “{before}” on {where}",
    "{count} answers differ from another one of the same annotator to the same item",
    "Keep the one that is meant; join several codes of one claim by “;”.",
)
LONE = Kind(
    "W-ONE-ANNOTATOR",
    "An item that one annotator alone has annotated",
    "{item} was annotated by {annotator} alone; it says nothing of agreement",
    "{count} items were annotated by one annotator alone; they say nothing of agreement",
    "Nothing need be done, unless an id is misspelt: give the list of claims to have ids checked.",
)
NOBODY = Kind(
    "W-NOT-ANNOTATED",
    "An item without any annotation",
    "{item} was annotated by nobody; it is in neither gold nor log",
    "{count} items were annotated by nobody; they are in neither gold nor log",
    "Nothing need be done, unless they should be in the gold.",
)
CURATOR_ALONE = Kind(
    "W-CURATOR-ALONE",
    "An item that the curator alone has answered",
    "{item} was answered by the curator alone; it is in neither gold nor log",
    "{count} items were answered by the curator alone; they are in neither gold nor log",
    "Nothing need be done, unless they should be in the gold: have them annotated, or check the"
    " ids.",
)
NOT_OPEN = Kind(
    "E-NOT-OPEN",
    "An adjudicated item that is settled",
    "{item} was settled without adjudication, as “{before}”, and cannot be adjudicated",
    "{count} items were settled without adjudication and cannot be adjudicated",
    "Take the row out, or change what settled it: the annotations, the share that is asked of a"
    " majority, or the curator's answer.",
)
NOT_AN_ITEM = Kind(
    "E-NOT-AN-ITEM",
    "An adjudicated item that nobody has annotated",
    "{item} is in none of the annotators' sheets",
    "{count} items are in none of the annotators' sheets",
    "Copy the ids from the sheet that was made for adjudication.",
)
DECIDED_TWICE = Kind(
    "E-DECIDED-TWICE",
    "Two decisions on one item",
    "{item} is decided as “{found}” here and as “{before}” on {where}",
    "{count} decisions differ from another one on the same item",
    "Keep the one that is meant; join several codes of one claim by “;”.",
)
SAME_DECISION = Kind(
    "W-DECIDED-TWICE",
    "The same decision twice",
    "the decision on {item} stands on {where} too; it counts once",
    "{count} decisions stand twice; they count once",
    "Nothing need be done.",
)
OTHER_TASK = Kind(
    "E-OTHER-TASK-SHEET",
    "Decisions on a task without annotations",
    "these are decisions on task {task}, of which there are no annotations",
    "{count} sheets hold decisions on a task of which there are no annotations",
    "Give the annotations of that task too, or leave the sheet out of ADJUDICATED=.",
)
STILL_OPEN = Kind(
    "W-STILL-OPEN",
    "An item that is still to be decided",
    "{item} is still to be decided",
    "{count} items are still to be decided",
    "Fill in their cells of the adjudication sheet and give it with ADJUDICATED=.",
)

_OWN = {
    table.EMPTY_FILE: EMPTY,
    table.NO_ROWS: NO_ROWS,
    table.NO_HEADER: HEADER,
    table.TOO_MANY_ROWS: TOO_MANY_ROWS,
}


def of_sheets(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return problems with those that speak of predictions put in words of sheets."""
    return tuple(replace(each, kind=_OWN.get(each.kind, each.kind)) for each in problems)
