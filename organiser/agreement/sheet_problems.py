"""What can be wrong with annotators' sheets, beside what can be wrong with any table."""

from climatecheck.problems import Kind

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
NOT_OPEN = Kind(
    "E-NOT-OPEN",
    "An adjudicated item that is settled",
    "{item} was settled without adjudication, as “{before}”, and cannot be adjudicated",
    "{count} items were settled without adjudication and cannot be adjudicated",
    "Take the row out, or raise the share that is asked of a majority.",
)
NOT_AN_ITEM = Kind(
    "E-NOT-AN-ITEM",
    "An adjudicated item that nobody has annotated",
    "{item} is in none of the annotators' sheets",
    "{count} items are in none of the annotators' sheets",
    "Copy the ids from the sheet that was made for adjudication.",
)
STILL_OPEN = Kind(
    "W-STILL-OPEN",
    "An item that is still to be decided",
    "{item} is still to be decided",
    "{count} items are still to be decided",
    "Fill in their cells of the adjudication sheet and give it with ADJUDICATED=.",
)
