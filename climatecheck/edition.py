"""The settings of an edition, each stated once.

A next edition changes this file, ``taxonomy.py`` and ``competition.yaml``; nothing else in the
project repeats a value that stands here.
"""

TITLE = "ClimateCheck 2026"

LABELS = ("Supports", "Refutes", "Not Enough Information")
"""The labels of task 1.2, in the order of every confusion matrix."""

EVIDENTIARY_LABELS = ("Supports", "Refutes")
"""An abstract with one of these gold labels is judged relevant; any other gold label is judged
non-relevant; an abstract without a gold label is unjudged."""

LABEL_ALIASES = {"NEI": "Not Enough Information"}
"""Other spellings of a label that are accepted, with a warning; case and underscores
never count."""

RECALL_CUTOFFS = (2, 5)
"""The K of each Recall@K on the board; the last one enters Score1.1 and Score1.2."""

BPREF_DEPTH = 10
"""How many of a claim's best-ranked rows Bpref looks at."""

VERIFICATION_DEPTH = 10
"""How many of a claim's best-ranked rows task 1.2 looks at."""

ABSTRACTS_ASKED = 5
"""How many abstracts a claim the task asks for; fewer are accepted with a warning."""

CORPUS_SIZE = 394_269
"""Abstract ids run from 0 to this number less one."""

PRIVACY_FLOOR = 10
"""No table row and no diagnostic that a participant sees rests on fewer claims than this.
Numbers that rest on the gold are rounded to its multiples."""

DIAGNOSTICS_SHARE = 0.5
"""The least share of an edition's claims that a file must answer for a task, to be shown more than
its official scores."""

CLAIMS_FILE = "claims.csv"
EDITION_FILE = "edition.json"
TASK1_GOLD_FILE = "task1_gold.csv"
TASK2_GOLD_FILE = "task2_gold.csv"
PREDICTIONS_FILE = "predictions.csv"
TASK1_FILE = "task1.csv"
TASK2_FILE = "task2.csv"

MAX_FILES = 200
"""Entries that a submission's zip or folder may hold, folders included."""

MAX_CELL_CHARACTERS = 10_000
MAX_COLUMNS = 100
ROWS_PER_CLAIM = 100
BYTES_PER_ROW = 200
TIME_LIMIT_SECONDS = 500
"""Below the 600 s of the default queue, so that the program speaks before the platform kills it."""


def depth() -> int:
    """Return how many of a claim's rows any measure looks at; rows below are ignored."""
    return max(*RECALL_CUTOFFS, BPREF_DEPTH, VERIFICATION_DEPTH)


def score_cutoff() -> int:
    """Return the K of the Recall@K that enters Score1.1 and Score1.2."""
    return RECALL_CUTOFFS[-1]


def max_rows(claims: int) -> int:
    """Return how many data rows a file may have for an edition of ``claims`` claims."""
    return 1_000 + ROWS_PER_CLAIM * claims


def max_bytes(claims: int) -> int:
    """Return how many bytes a file may have, unpacked, for an edition of ``claims`` claims."""
    return max_rows(claims) * BYTES_PER_ROW
