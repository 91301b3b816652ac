"""Everything that an import can find in a dataset, and what it does about it.

A warning is a decision that the import took; ``STRICT=1`` refuses it. A note is lawful, or changes
nothing.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["warning", "note"]


@dataclass(frozen=True)
class Kind:
    """One kind of finding.

    Attributes:
        code: stable id.
        level: whether anything was decided.
        found: what was found, after a count.
        done: what was done about it.
    """

    code: str
    level: Level
    found: str
    done: str


KINDS: dict[str, Kind] = {}
"""Every kind by its code, in the order of the report."""


def _kind(code: str, level: Level, found: str, done: str) -> Kind:
    KINDS[code] = Kind(code, level, found, done)
    return KINDS[code]


FILE_IGNORED = _kind(
    "file-ignored", "note", "files that are no Parquet, CSV or JSONL", "They were not read."
)
COLUMN_IGNORED = _kind("column-ignored", "note", "columns that are not used", "Nothing was read.")
SPLIT_IGNORED = _kind(
    "split-ignored",
    "warning",
    "rows of splits that are neither the training nor the test split",
    "They were left out. TEST_SPLIT= says what the test split is called.",
)
SPLIT_MISSING = _kind(
    "split-missing",
    "warning",
    "splits that the dataset does not hold",
    "The kit has no training data and no abstracts, so its samples list the first of the corpus.",
)
TASK_MISSING = _kind(
    "task-missing",
    "warning",
    "tasks of which the split has no gold",
    "The split has gold of the other task alone. Where that is the test split, build the bundle"
    " of the other task: make bundle-task1 or make bundle-task2.",
)
ID_DECIMAL = _kind(
    "id-decimal", "warning", "distinct ids written as 123.0", "They were read without the “.0”."
)
CLAIM_ID_MISSING = _kind(
    "claim-id-missing", "warning", "rows without a claim_id", "The rows were left out."
)
TEXT_CLEANED = _kind(
    "text-cleaned",
    "warning",
    "distinct texts with control characters or broken Unicode",
    "Those characters were taken out.",
)
TEXT_BLANKS = _kind(
    "claim-text-form",
    "note",
    "claim texts that differ from another in blanks or Unicode form alone",
    "They count as the same text; the form that comes first is listed.",
)
TEXT_SOMEWHERE = _kind(
    "claim-text-on-some-rows",
    "warning",
    "claims whose text is missing on some of their rows",
    "The text was taken from their other rows.",
)
TEXT_MISSING = _kind(
    "claim-text-missing",
    "warning",
    "claims without any text",
    "They were left out, with their pairs and narratives.",
)
TWO_TEXTS = _kind(
    "claim-two-texts",
    "warning",
    "claim ids with two texts",
    "Both texts are listed. Scoring goes by id: the pairs of both are the id's, their narratives"
    " are united. NEW=1 refuses such ids.",
)
MORE_TEXTS = _kind(
    "claim-more-texts",
    "warning",
    "claim ids with more than two texts",
    "The two texts with the most rows are listed; the pairs and narratives of all are the id's."
    " NEW=1 refuses such ids.",
)
SAME_TEXT = _kind(
    "claim-same-text",
    "warning",
    "claims with the text of another claim of the same split",
    "Each was kept under its own id.",
)
IN_BOTH = _kind(
    "claim-in-both-splits",
    "warning",
    "claims that stand in train and in test",
    "They were kept in test and taken out of the training data. If the training data were public"
    " before, the gold of these claims is spent.",
)
ID_IN_BOTH = _kind(
    "claim-id-in-both-splits",
    "warning",
    "claim ids that stand for unlike texts in train and in test",
    "They were taken for different claims, each kept in its split.",
)
NEAR = _kind(
    "claim-near-duplicate",
    "warning",
    "pairs of a training and a test claim that are nearly the same",
    "All were kept. Look at them: what is known of one nearly tells the gold of the other.",
)
NEAR_UNSEARCHED = _kind(
    "claim-near-duplicate-unsearched",
    "warning",
    "words that too many claims of both splits share to compare them all",
    "Claims that share only such words were not compared.",
)
ABSTRACT_ID_MISSING = _kind(
    "abstract-id-missing",
    "warning",
    "rows with a label or an abstract and without an abstract id",
    "Their pairs were left out.",
)
ABSTRACT_ID_UNREADABLE = _kind(
    "abstract-id-unreadable",
    "warning",
    "rows with an abstract id that is no whole number",
    "Their pairs were left out.",
)
ABSTRACT_OUTSIDE = _kind(
    "abstract-outside-corpus",
    "warning",
    "rows with an abstract id outside the corpus",
    "Their pairs were left out: no submission can name such an abstract.",
)
ABSTRACT_UNLISTED = _kind(
    "abstract-not-in-corpus-file",
    "warning",
    "judged abstracts that CORPUS does not list",
    "They were kept: their ids are in the range of the corpus.",
)
LABEL_MISSING = _kind(
    "label-missing",
    "warning",
    "rows with an abstract id and without a label",
    "Their pairs were left out, as unjudged.",
)
LABEL_UNKNOWN = _kind(
    "label-unknown",
    "warning",
    "rows with an unknown label",
    "Their pairs were left out, as unjudged.",
)
LABEL_FORM = _kind(
    "label-form", "warning", "rows with a label in another form", "They were read as it."
)
PAIR_REPEATED = _kind(
    "pair-repeated",
    "warning",
    "claim-abstract pairs annotated several times, always alike",
    "Each was listed once.",
)
PAIR_MAJORITY = _kind(
    "pair-majority",
    "warning",
    "claim-abstract pairs annotated several times, not alike",
    "The label of most annotations was taken.",
)
PAIR_TIED = _kind(
    "pair-tied",
    "warning",
    "claim-abstract pairs annotated several times, with as many annotations for one label as for"
    " another",
    "They were left out, as unjudged.",
)
NARRATIVE_UNKNOWN = _kind(
    "narrative-unknown",
    "warning",
    "rows with an unknown narrative code",
    "Their narrative cell counts as empty, the known codes in it too: gold is whole or not gold.",
)
NARRATIVE_FORM = _kind(
    "narrative-form",
    "warning",
    "rows with narratives in another form (separator, list, 0 for 0_0, a code twice)",
    "They were read as the codes that they plainly mean.",
)
NARRATIVE_SOME = _kind(
    "narrative-on-some-rows",
    "warning",
    "claims with readable narratives on some of their rows only",
    "They were taken from these rows.",
)
NARRATIVE_MISSING = _kind(
    "narrative-missing",
    "warning",
    "claims without readable narratives",
    "They were left out of the gold of task 2.",
)
NARRATIVE_MAJORITY = _kind(
    "narrative-majority",
    "warning",
    "claims whose rows give different narratives",
    "The narratives of most rows were taken.",
)
NARRATIVE_TIED = _kind(
    "narrative-tied",
    "warning",
    "claims whose rows give different narratives, one as often as another",
    "They were left out of the gold of task 2.",
)
NARRATIVE_UNITED = _kind(
    "narrative-united",
    "warning",
    "claim ids whose texts have different narratives",
    "The narratives of all texts were united, as those of a submission are.",
)
NARRATIVE_COMBINATION = _kind(
    "narrative-combination",
    "note",
    "claims with 0_0 beside another code, or X_0 beside an X_k",
    "They were kept as they are.",
)
WITHOUT_GOLD = _kind(
    "claim-without-gold",
    "warning",
    "claims with neither a judged pair nor narratives",
    "They are listed among the claims and count in neither task.",
)
ABSTRACT_TEXT_MISSING = _kind(
    "abstract-text-missing",
    "warning",
    "abstracts judged for training claims that have no text",
    "They were left out of the kit's abstracts.csv; their pairs were kept.",
)
ABSTRACT_TEXTS = _kind(
    "abstract-texts-differ",
    "warning",
    "abstract ids with more than one text",
    "The kit has the text of CORPUS, or else that of most training rows (of these the longest).",
)
ABSTRACT_SHARED = _kind(
    "abstract-shared",
    "note",
    "abstracts judged for claims of both splits",
    "That is lawful. The kit has their texts because they are judged for training claims.",
)
CORPUS_SIZE = _kind(
    "corpus-size",
    "warning",
    "abstracts more or fewer in CORPUS than CORPUS_SIZE in climatecheck/edition.py says",
    "The setting was followed.",
)
CORPUS_ID = _kind(
    "corpus-id",
    "warning",
    "rows of CORPUS whose abstract_id is missing, outside the corpus or there already",
    "They were not read.",
)

REFUSED_IN_NEW = (TWO_TEXTS, MORE_TEXTS)
"""What ``NEW=1`` refuses: faults of an edition that can still be mended."""
