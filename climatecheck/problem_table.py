"""Every kind of problem that a submission can have, once.

The reader raises from this table, the participants' page lists it, the tests cover every entry.
"""

from climatecheck import edition, taxonomy
from climatecheck.problems import Kind, counted
from climatecheck.values import MAX_RANK

_LABELS = ", ".join(f"“{label}”" for label in edition.LABELS)
_ASKED = counted(edition.ABSTRACTS_ASKED, "abstract")
_DEPTH = counted(edition.depth(), "abstract")
_INTERLEAVED = (
    "they are interleaved by rank, equal ranks by abstract_id; of a pair given twice the better"
    f" rank counts, at equal rank the label that comes first in {_LABELS}"
)
_NONE = taxonomy.NO_NARRATIVE
_EXAMPLE = next(code for code in taxonomy.CODES if not code.endswith("_0"))

# --- the upload -------------------------------------------------------------------------------

NOT_A_ZIP = Kind(
    "E-NOT-A-ZIP",
    "The upload is not a zip",
    "this is not a zip file",
    "these are not zip files",
    "Zip your CSV file and upload the zip.",
)
BROKEN_ZIP = Kind(
    "E-BROKEN-ZIP",
    "The zip cannot be read",
    "the zip is damaged and cannot be read",
    "{count} files of the zip are damaged and cannot be read",
    "Make the zip again and test it by unpacking it.",
)
ENCRYPTED = Kind(
    "E-ENCRYPTED",
    "The zip has a password",
    "“{found}” is protected by a password",
    "{count} entries are protected by a password",
    "Make the zip again without a password.",
)
ZIP_METHOD = Kind(
    "E-ZIP-METHOD",
    "An unusual compression",
    "“{found}” is compressed in a way that only some programs can read",
    "{count} files are compressed in a way that only some programs can read",
    "Make the zip again with the usual method, deflate.",
)
NESTED_ZIP = Kind(
    "E-NESTED-ZIP",
    "A zip within the zip",
    "the zip holds another zip, “{found}”, and no CSV file",
    "the zip holds {count} other zips and no CSV file",
    "Zip the CSV file itself.",
)
TOO_MANY_FILES = Kind(
    "E-TOO-MANY-FILES",
    "Too many files",
    "there are more than {limit} files and folders",
    "there are more than {limit} files and folders",
    "Zip only the CSV file.",
)
TOO_LARGE = Kind(
    "E-TOO-LARGE",
    "The file is too large",
    "the file is larger than {limit}, the most that an edition of this size needs",
    "{count} files are larger than {limit}",
    f"Leave out columns of text, and rows far below the best {edition.depth()} of a claim.",
)
UNSAFE_NAME = Kind(
    "E-UNSAFE-NAME",
    "A file name leads out of the folder",
    "the name “{found}” is absolute or leads out of the folder",
    "{count} names are absolute or lead out of the folder",
    "Zip the file from within its own folder.",
)
LINK = Kind(
    "E-LINK",
    "A link or a device in the place of a file",
    "“{found}” is a link or a device, not a file",
    "{count} entries are links or devices, not files",
    "Put the file itself in the zip.",
)
COMMAND = Kind(
    "E-COMMAND",
    "The submission brings a command",
    "“{found}” names a command to run, but this competition takes predictions and runs no code",
    "{count} files name a command to run, but this competition takes predictions and runs no code",
    "Take the file out and upload the zip again.",
)
METADATA_FILE = Kind(
    "E-METADATA-FILE",
    "A file or folder called metadata",
    "a {what} called “{found}” at the top of the zip keeps the platform from passing on your files",
    "{count} files or folders called metadata at the top of the zip keep the platform from passing"
    " on your files",
    "Take it out, or give it another name, and upload the zip again.",
)
NO_CSV = Kind(
    "E-NO-CSV",
    "No CSV file",
    "no CSV file was found ({found})",
    "no CSV file was found",
    f"Zip one file called {edition.PREDICTIONS_FILE}, or {edition.TASK1_FILE} and/or"
    f" {edition.TASK2_FILE}.",
)
NO_CSV_ARRIVED = Kind(
    "E-NO-CSV-ARRIVED",
    "Nothing reached the scorer",
    "no CSV file reached the scorer, nor any other: either there is nothing to read in the zip, or"
    " a file or folder called metadata or metadata.yaml at its top keeps the platform from passing"
    " on its files",
    "no CSV file reached the scorer, nor any other",
    "See the messages of the first step, which read the zip itself.",
)
FILE_MEANT = Kind(
    "E-FILE-MEANT",
    "A file that is not read and may be meant",
    "“{found}” is not read, though it may be meant as {read_as}",
    "{count} files are not read, though they may be meant",
    "Save what should count as CSV under a name that is read"
    f" ({edition.PREDICTIONS_FILE} alone, or {edition.TASK1_FILE} and/or {edition.TASK2_FILE}),"
    " and take the rest out.",
)
TWO_CANDIDATES = Kind(
    "E-TWO-CANDIDATES",
    "Two files could be meant",
    "more than one file could be meant as {meant}: {found}",
    "more than one file could be meant",
    "Keep the one that is meant, and call it {meant}.",
)
MIXED_KINDS = Kind(
    "E-MIXED-KINDS",
    "Both kinds of files",
    f"{edition.PREDICTIONS_FILE} stands beside {{found}}; both kinds could be scored",
    f"{edition.PREDICTIONS_FILE} stands beside files of one task; both kinds could be scored",
    f"Send either {edition.PREDICTIONS_FILE} alone, or {edition.TASK1_FILE} and/or"
    f" {edition.TASK2_FILE}.",
)
OTHER_TASK_ALONE = Kind(
    "E-OTHER-TASK",
    "A file for the other task alone",
    "the file holds nothing for task {task}, which alone is scored here",
    "the files hold nothing for task {task}, which alone is scored here",
    "Upload it to the competition of its own task, or add what this task asks for.",
)
UNREADABLE = Kind(
    "E-UNREADABLE",
    "The file cannot be opened",
    "the file cannot be opened ({found})",
    "{count} files cannot be opened",
    "Check the path and the file's permissions.",
)
FOLDER = Kind(
    "W-FOLDER",
    "One folder too many",
    "the file lies in a folder, “{found}”; it is read from there",
    "{count} files lie in folders; they are read from there",
    "Nothing need be done; zip the file itself to be rid of this.",
)
FILE_NAME = Kind(
    "W-FILE-NAME",
    "Another file name",
    "this file is read as {meant}, since no other could be meant",
    "{count} files are read under the names that were meant",
    "Nothing need be done; call it {meant} to be rid of this.",
)
OTHER_FILES = Kind(
    "W-OTHER-FILES",
    "Files that are not read",
    "“{found}” is not read",
    "{count} files are not read",
    "Nothing need be done.",
)

# --- the text ---------------------------------------------------------------------------------

NOT_A_CSV = Kind(
    "E-NOT-A-CSV",
    "Not a CSV file, in spite of its name",
    "this is {found}, not the text of a CSV file",
    "these are not the text of CSV files",
    "Export the table as CSV; another name does not make it one.",
)
ENCODING = Kind(
    "E-ENCODING",
    "The text is not UTF-8",
    "the text is neither UTF-8 nor UTF-16 ({found})",
    "the text is neither UTF-8 nor UTF-16",
    "Save the file as UTF-8; spreadsheet programs call it “CSV UTF-8”.",
)
NUL = Kind(
    "E-NUL",
    "A NUL byte in the text",
    "there is a NUL byte in the text; this is not a CSV file, or a damaged one",
    "there are NUL bytes in the text; this is not a CSV file, or a damaged one",
    "Export the file as CSV again.",
)
EMPTY_FILE = Kind(
    "E-EMPTY-FILE",
    "An empty file",
    "the file is empty",
    "{count} files are empty",
    "It needs a header line and a row for each prediction.",
)
NO_ROWS = Kind(
    "E-NO-ROWS",
    "No rows",
    "there is a header line and no row below it",
    "there are header lines and no rows below them",
    "Add a row for each prediction.",
)
NO_HEADER = Kind(
    "E-NO-HEADER",
    "No header line, or none that is understood",
    "the first line should name the columns ({expected}), but it reads “{found}”",
    "the first lines should name the columns ({expected})",
    "Put these names in the first line, those that you use, with commas between them.",
)
COLUMN_MISSING = Kind(
    "E-COLUMN-MISSING",
    "A column is missing",
    "there is no column “{column}”; the header reads “{found}”",
    "{count} columns are missing",
    "Add it, or correct its name in the first line; the names that are read are {expected}.",
)
COLUMN_MEANT = Kind(
    "E-COLUMN-MEANT",
    "A column name that is nearly right",
    "there is no column “{column}”, but “{found}” may be meant by it",
    "{count} columns may be meant by other names",
    "Call it “{column}”, or take it out if it is something else.",
)
COLUMN_TWICE = Kind(
    "E-COLUMN-TWICE",
    "A column stands twice",
    "the column “{column}” stands twice in the header",
    "{count} columns stand twice in the header",
    "Keep one of them.",
)
COLUMN_NAME = Kind(
    "W-COLUMN-NAME",
    "A column name in another form",
    "the column “{found}” is read as “{column}”",
    "{count} column names are read in their usual form",
    "Nothing need be done; write the names in lower case, with underscores, to be rid of this.",
)
COLUMN_IGNORED = Kind(
    "W-COLUMN-IGNORED",
    "Other columns",
    "the column “{found}” is not read",
    "{count} columns are not read",
    "Nothing need be done, unless you meant one of {expected}.",
)
TEXT_FORM = Kind(
    "W-TEXT-FORM",
    "Another encoding, line ending or separator",
    "the file has {found}; it was read so",
    "{count} files have another form; they were read so",
    "Nothing need be done; UTF-8, LF line ends and commas are the usual form.",
)
ROW_LENGTH = Kind(
    "E-ROW-LENGTH",
    "A row is too short or too long",
    "the row has {note} where the header has {expected}",
    "{count} rows have more or fewer cells than the header, which has {expected}",
    "Give each row as many cells as the header: put a cell that holds a separator in double"
    " quotes, and write empty cells too.",
)
QUOTE = Kind(
    "E-QUOTE",
    "A double quote that is not closed",
    "a double quote opens here and is not closed as CSV asks; what follows cannot be told apart",
    "double quotes open here and are not closed as CSV asks",
    "Close it, or write each quote within a quoted cell twice.",
)
LINE_BREAK = Kind(
    "E-LINE-BREAK",
    "A line break within a cell",
    "the cell “{found}” holds a line break, perhaps because a double quote in it is not closed",
    "{count} cells hold a line break, perhaps because a double quote in them is not closed",
    "Close the quote, or take the line break out; a column that is not read can be left out.",
)
CELL_TOO_LONG = Kind(
    "E-CELL-TOO-LONG",
    "A cell is too long",
    "a cell has more than {limit} characters",
    "{count} cells have more than {limit} characters",
    "Leave out columns of text; a double quote that is not closed has the same effect.",
)
TOO_MANY_COLUMNS = Kind(
    "E-TOO-MANY-COLUMNS",
    "Too many columns",
    "the header has more than {limit} columns",
    "the headers have more than {limit} columns",
    "Keep the columns that are read.",
)
TOO_MANY_ROWS = Kind(
    "E-TOO-MANY-ROWS",
    "Too many rows",
    "the file has more than {limit} rows, the most that an edition of this size needs",
    "the files have more than {limit} rows",
    f"Keep the best {_DEPTH} of each claim.",
)
BLANKS_AROUND = Kind(
    "W-BLANKS",
    "Blanks around a cell",
    "blanks around a cell of “{column}” were taken away",
    "blanks around {count} cells were taken away",
    "Nothing need be done.",
)
HEADER_AGAIN = Kind(
    "W-HEADER-AGAIN",
    "The header line again",
    "the header line stands here again and is not read",
    "the header line stands again in {count} places and is not read there",
    "Nothing need be done, unless the file was put together by mistake.",
)
BLANK_ROWS = Kind(
    "W-BLANK-ROWS",
    "Rows without content",
    "a row without content is not read",
    "{count} rows without content are not read",
    "Nothing need be done.",
)

# --- claims and abstracts ---------------------------------------------------------------------

UNKNOWN_CLAIM = Kind(
    "E-UNKNOWN-CLAIM",
    "An unknown claim",
    f"claim_id “{{found}}” is not in {edition.CLAIMS_FILE}",
    f"{{count}} rows have a claim_id that is not in {edition.CLAIMS_FILE}",
    f"Copy the ids from {edition.CLAIMS_FILE}, as text, and check that the file answers these"
    " claims and not those of another split.",
)
CLAIM_EMPTY = Kind(
    "E-CLAIM-EMPTY",
    "An empty claim_id",
    "claim_id is empty",
    "claim_id is empty in {count} rows",
    "Write the claim's id in each row.",
)
ABSTRACT_ID = Kind(
    "E-ABSTRACT-ID",
    "An id that cannot be in the corpus",
    f"abstract_id “{{found}}” cannot be in the corpus, whose ids are the whole numbers from 0 to"
    f" {edition.CORPUS_SIZE - 1}",
    f"{{count}} rows have an abstract_id that cannot be in the corpus, whose ids are the whole"
    f" numbers from 0 to {edition.CORPUS_SIZE - 1}",
    "Copy the ids from the corpus, as text.",
)
ABSTRACT_EMPTY = Kind(
    "E-ABSTRACT-EMPTY",
    "An empty abstract_id",
    "abstract_id is empty",
    "abstract_id is empty in {count} rows",
    "Write the abstract's id in each row, or leave the row out.",
)
TASK2_ROW = Kind(
    "E-TASK2-ROW",
    "Rank or label without an abstract",
    "abstract_id is empty, so this is a row of task 2, but it has a rank or a label",
    "{count} rows have a rank or a label and no abstract_id",
    "Fill in abstract_id, or empty the rank and the label of a row that gives narratives alone.",
)
DUPLICATE_PAIR = Kind(
    "E-DUPLICATE-PAIR",
    "The same abstract twice for a claim",
    "abstract {found} is listed twice for claim {claim} (first on line {earlier})",
    "{count} rows list an abstract a second time for the same claim",
    "List each abstract once per claim.",
)
ID_DECIMAL = Kind(
    "W-ID-DECIMAL",
    "An id with a decimal point",
    "{column} “{found}” is read as a whole number",
    "{count} ids with a decimal point are read as whole numbers",
    "Nothing need be done; save ids as text to be rid of this.",
)
CLAIMS_LEFT_OUT = Kind(
    "W-CLAIMS-LEFT-OUT",
    "Claims without an answer",
    "{found} of the {claims} {have} an answer in task {task}; {others} counts 0",
    "claims are left out in {count} files; each counts 0",
    f"Answer every claim of {edition.CLAIMS_FILE}.",
)
TWO_LISTS = Kind(
    "W-TWO-LISTS",
    "Two lists for an id with two texts",
    f"claim {{claim}} has two texts in {edition.CLAIMS_FILE} and two lists; {_INTERLEAVED}",
    f"{{count}} claims have two texts in {edition.CLAIMS_FILE} and two lists; {_INTERLEAVED}",
    "Nothing need be done.",
)

# --- ranks ------------------------------------------------------------------------------------

RANK = Kind(
    "E-RANK",
    "An unreadable rank",
    f"rank “{{found}}” is not a whole number from 0 to {MAX_RANK:,}",
    f"{{count}} rows have a rank that is not a whole number from 0 to {MAX_RANK:,}",
    "Number the abstracts of each claim 1, 2, 3, … from the best.",
)
RANK_EMPTY = Kind(
    "E-RANK-EMPTY",
    "An empty rank",
    "rank is empty",
    "rank is empty in {count} rows",
    "Number the abstracts of each claim 1, 2, 3, … from the best.",
)
DUPLICATE_RANK = Kind(
    "E-DUPLICATE-RANK",
    "The same rank twice for a claim",
    "rank {found} is given twice for claim {claim} (first on line {earlier})",
    "{count} rows repeat a rank of the same claim",
    "Give each abstract of a claim a rank of its own.",
)
RANK_FROM_ZERO = Kind(
    "W-RANK-FROM-ZERO",
    "Ranks from 0",
    "the ranks of claim {claim} begin at 0; only their order matters",
    "the ranks of {count} claims begin at 0; only their order matters",
    "Nothing need be done.",
)
RANK_GAPS = Kind(
    "W-RANK-GAPS",
    "Gaps between ranks",
    "the ranks of claim {claim} have gaps or begin above 1; only their order matters",
    "the ranks of {count} claims have gaps or begin above 1; only their order matters",
    "Nothing need be done, unless rows are missing.",
)
RANK_DECIMAL = Kind(
    "W-RANK-DECIMAL",
    "Ranks in another form",
    "rank “{found}” is read as a whole number",
    "{count} ranks with a decimal point or leading zeros are read as whole numbers",
    "Nothing need be done.",
)
FEW_ABSTRACTS = Kind(
    "W-FEW-ABSTRACTS",
    "Fewer abstracts than asked for",
    f"claim {{claim}} has fewer than {_ASKED}",
    f"{{count}} claims have fewer than {_ASKED}",
    f"List {edition.ABSTRACTS_ASKED} for each claim; a missing one cannot score.",
)
EXTRA_ROWS = Kind(
    "W-EXTRA-ROWS",
    "More abstracts than are looked at",
    f"claim {{claim}} has more than {_DEPTH}; those below are ignored",
    f"{{count}} claims have more than {_DEPTH}; those below are ignored",
    "Nothing need be done.",
)

# --- labels -----------------------------------------------------------------------------------

LABEL = Kind(
    "E-LABEL",
    "An unknown label",
    f"label “{{found}}” is not one of {_LABELS}",
    f"{{count}} rows have a label that is not one of {_LABELS}",
    "Write one of these labels in each row.",
)
LABEL_MISSING = Kind(
    "E-LABEL-MISSING",
    "A label is missing among labels",
    "the label is empty, though other rows have one",
    f"the label is empty in {{count}} rows among each claim's best"
    f" {edition.VERIFICATION_DEPTH}, though other rows have one",
    "Label every row, or none to enter task 1.1 alone.",
)
LABEL_FORM = Kind(
    "W-LABEL-FORM",
    "Labels in another form",
    "label “{found}” is read as “{read_as}”",
    "{count} labels are read in their usual form",
    "Nothing need be done.",
)
LABELS_BLANK = Kind(
    "W-LABELS-BLANK",
    "No labels at all",
    "the label column is empty throughout: task 1.2 is not entered",
    "the label columns are empty throughout: task 1.2 is not entered",
    "Nothing need be done if you enter task 1.1 alone.",
)

# --- narratives -------------------------------------------------------------------------------

NARRATIVE = Kind(
    "E-NARRATIVE",
    "An unknown narrative code",
    "narrative “{found}” is not a code of the taxonomy",
    "{count} rows have a narrative that is not a code of the taxonomy",
    f"Write codes such as {_EXAMPLE}, joined by “;”, and nothing else.",
)
NARRATIVES_DISAGREE = Kind(
    "E-NARRATIVES-DISAGREE",
    "Different narratives for one claim",
    "the rows of claim {claim} name different narratives (“{found}” here, others on line"
    " {earlier})",
    "the rows of {count} claims name different narratives",
    "Repeat the same codes on each row of a claim, or give them all on one row, joined by “;”.",
)
NARRATIVES_UNITED = Kind(
    "W-NARRATIVES-UNITED",
    "Different narratives for an id with two texts",
    f"claim {{claim}} has two texts in {edition.CLAIMS_FILE} and different narratives on its rows;"
    " they are united",
    f"{{count}} claims have two texts in {edition.CLAIMS_FILE} and different narratives on their"
    " rows; they are united",
    "Nothing need be done.",
)
NARRATIVES_BLANK = Kind(
    "E-NARRATIVES-BLANK",
    "A narrative column without any code",
    "the narrative column is empty throughout",
    "the narrative columns are empty throughout",
    "Fill it in, or leave the column out to enter task 1 alone; a claim without a narrative is"
    f" {_NONE}.",
)
NARRATIVE_FORM = Kind(
    "W-NARRATIVE-FORM",
    "Narratives in another form",
    "narrative “{found}” is read as “{read_as}”",
    "{count} narrative cells are read in their usual form",
    "Nothing need be done; write codes joined by “;” and nothing else to be rid of this.",
)
NARRATIVE_TWICE = Kind(
    "W-NARRATIVE-TWICE",
    "A code twice in a cell",
    "narrative “{found}” names a code twice; it counts once",
    "{count} narrative cells name a code twice; it counts once",
    "Nothing need be done.",
)
NARRATIVE_EMPTY = Kind(
    "W-NARRATIVE-EMPTY",
    "No narrative for a claim",
    f"claim {{claim}} has no narrative; it counts as none predicted, not as {_NONE}",
    f"{{count}} claims have no narrative; they count as none predicted, not as {_NONE}",
    f"Write {_NONE} where no narrative is detected.",
)
NARRATIVE_PARTIAL = Kind(
    "W-NARRATIVE-PARTIAL",
    "Narratives on some rows of a claim",
    "claim {claim} has its narratives on some of its rows only; they count for the claim",
    "{count} claims have their narratives on some of their rows only; they count for the claim",
    "Nothing need be done.",
)
NARRATIVE_COMBINATION = Kind(
    "W-NARRATIVE-COMBINATION",
    "An unusual combination of codes",
    f"narrative “{{found}}” has {_NONE} beside another code, or a general code beside one of its"
    " group",
    f"{{count}} narrative cells have {_NONE} beside another code, or a general code beside one of"
    " its group",
    "Nothing need be done if you mean it.",
)

# --- boards of one task -----------------------------------------------------------------------

OTHER_TASK = Kind(
    "W-OTHER-TASK",
    "Answers to the other task",
    "what the file holds for task {task} is not read here",
    "what the files hold for task {task} is not read here",
    "Nothing need be done.",
)

KINDS: dict[str, Kind] = {
    kind.code: kind for kind in list(globals().values()) if isinstance(kind, Kind)
}
"""All kinds by code, in the order of this file."""
