"""Fills the ``{{…}}`` places of the pages, so that each fact is written once."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from climatecheck import edition, taxonomy
from climatecheck.board import BLIND_NOTICE
from climatecheck.leaderboard import recall_column
from climatecheck.problem_table import KINDS
from organiser.competition import VARIANTS, Competition, Variant, competition
from organiser.editions import ROOT, Edition, OrganiserError
from organiser.page_tables import boxed
from organiser.samples import entered

Filler: TypeAlias = Callable[[Edition, Variant], str]
"""What makes the text of a place, for the data of an edition and a bundle."""

_NUMBER = re.compile(r"[0-9][0-9.]*")
_PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_PART = re.compile(r"\{\{([#^])(\w+)\}\}(.*?)\{\{/\2\}\}", re.DOTALL)
_LONE_MARK = re.compile(r"^(\{\{[#^/]\w+\}\})\n", re.MULTILINE)
_MARK = re.compile(r"\{\{[#^/]\w*\}\}")


def page(path: str, data: Edition, variant: Variant = VARIANTS[""]) -> bytes:
    """Return a page of a bundle's site, filled, with its tables in boxes.

    Raises:
        OrganiserError: as ``filled``.
    """
    return boxed(filled(path, data, variant)).encode()


def filled(path: str, data: Edition, variant: Variant) -> str:
    """Return a text of the project with its places filled for a bundle.

    ``{{name}}`` is filled from ``PLACES``. What stands between ``{{#name}}`` and ``{{/name}}`` is
    kept where the condition of that name holds, and from ``{{^name}}`` on where it does not.

    Raises:
        OrganiserError: the file is missing, or has a place that nothing fills.
    """
    source = ROOT / path
    if not source.is_file():
        raise OrganiserError(f"The page {path} is missing.")
    text = _chosen(_LONE_MARK.sub(r"\1", source.read_text("utf-8")), path, variant)

    def fill(match: re.Match[str]) -> str:
        if match[1] not in PLACES:
            raise OrganiserError(f"{path}: nothing fills the place {match[0]}.")
        return PLACES[match[1]](data, variant)

    made = _PLACE.sub(fill, text)
    left = _MARK.search(made)
    if left:
        raise OrganiserError(f"{path}: {left[0]} has no counterpart.")
    return made


def _chosen(text: str, path: str, variant: Variant) -> str:
    """Return a text without the parts that are about another bundle."""

    def keep(match: re.Match[str]) -> str:
        sign, name, part = match.groups()
        if name not in CONDITIONS:
            raise OrganiserError(f"{path}: there is no condition {name}.")
        return _chosen(part, path, variant) if CONDITIONS[name](variant) == (sign == "#") else ""

    return _PART.sub(keep, text)


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table, its columns of numbers set to the right."""
    cells = [[_cell(cell) for cell in row] for row in rows]
    columns = zip(header, *cells, strict=True)
    numeric = [all(map(_NUMBER.fullmatch, column)) for _, *column in columns]
    rule = ["---:" if right else "---" for right in numeric]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, rule, *cells])


def _cell(value: object) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def _edition_notice(data: Edition, variant: Variant) -> str:
    notices = [data.notice, BLIND_NOTICE if variant.blind else ""]
    return "\n>\n".join(f"> **{notice}**" for notice in notices if notice)


def _table_of_problems(*_: object) -> str:
    rows = [
        [f"`{kind.code}`", kind.title, "refused" if kind.is_error else "accepted", kind.mend]
        for kind in KINDS.values()
    ]
    return table(["Code", "What it is", "The file is", "What to do"], _without_values(rows))


def _without_values(rows: list[list[str]]) -> list[list[str]]:
    """Put an ellipsis where a message names a value of the file."""
    return [[re.sub(r"\{\w+\}", "…", cell) for cell in row] for row in rows]


def _kit_samples(_: Edition, variant: Variant) -> str:
    rows = [
        [f"`{name}.zip`", f"task{'s' * (len(tasks) > 1)} {_joined(tasks, 'and')}"]
        for name, tasks in entered(variant.tasks).items()
    ]
    return table(["Sample", "Enters"], rows)


def _narratives(*_: object) -> str:
    rows = [[f"`{code}`", name] for code, name in taxonomy.NARRATIVES.items()]
    return table(["Code", "Narrative"], rows)


def _published_results(*_: object) -> str:
    path = ROOT / "climatecheck" / "published_2026.json"
    if not path.is_file():
        return ""
    published = json.loads(path.read_text("utf-8"))
    return "\n\n".join(
        f"### {title}\n\n{_published_table(published[key], columns)}"
        for title, key, columns in _PUBLISHED
    )


def _phases(_: Edition, variant: Variant) -> str:
    rows = [
        [phase["name"], _day(phase["start"]), _day(phase.get("end")), _submissions(phase)]
        for phase in competition(variant)["phases"]
    ]
    return table(["Phase", "From (UTC)", "To (UTC)", "Submissions"], rows)


def _day(written: str | None) -> str:
    if not written:
        return "open"
    time = datetime.fromisoformat(written)
    return f"{time.day} {time:%B %Y, %H:%M}"


def _submissions(phase: Competition) -> str:
    """Return the limits of a phase in words.

    >>> _submissions({"max_submissions_per_day": 5, "max_submissions": 50}), _submissions({})
    ('at most 5 a day and 50 in all', 'no limit')
    """
    a_day, in_all = phase.get("max_submissions_per_day"), phase.get("max_submissions")
    limits = [f"{a_day} a day" if a_day else "", f"{in_all} in all" if in_all else ""]
    return "at most " + " and ".join(filter(None, limits)) if any(limits) else "no limit"


def _joined(items: Iterable[object], word: str) -> str:
    """Return a list in words.

    >>> _joined([2, 5, 10], "and"), _joined([5], "and")
    ('2, 5 and 10', '5')
    """
    *first, last = map(str, items)
    return f"{', '.join(first)} {word} {last}" if first else last


def _names(labels: Iterable[str], word: str) -> str:
    return _joined((f"`{label}`" for label in labels), word)


def _tasks(_: Edition, variant: Variant) -> str:
    return f"task{'s' * (len(variant.tasks) > 1)} {_joined(variant.tasks, 'and')}"


def _said(value: object) -> Filler:
    """Return a filler that says the same for every edition's data and every bundle."""
    return lambda *_: str(value)


def _published_table(rows: list[dict[str, Any]], columns: dict[str, str]) -> str:
    def cell(row: dict[str, Any], key: str) -> object:
        return f"{row[key]:.2f}" if key in _TWO_DECIMALS else row[key]

    return table(list(columns.values()), ([cell(row, key) for key in columns] for row in rows))


_TWO_DECIMALS = {"unannotated_per_claim"}

_PUBLISHED: list[tuple[str, str, dict[str, str]]] = [
    (
        "Task 1: abstract retrieval and claim verification",
        "table2_task1",
        {
            "team": "Team",
            "recall_2": "Recall@2",
            "recall_5": "Recall@5",
            "bpref": "Bpref",
            "score_1_1": "Score1.1",
            "precision": "Precision",
            "recall": "Recall",
            "f1": "F1",
            "score_1_2": "Score1.2",
        },
    ),
    (
        "Task 2: narrative classification",
        "table3_task2",
        {
            "team": "Team",
            "precision_macro": "Macro-precision",
            "recall_macro": "Macro-recall",
            "f1_macro": "Macro-F1",
            "f1_micro": "Micro-F1",
            "f1_weighted": "Weighted F1",
        },
    ),
    (
        "Ev2R: retrieved abstracts that nobody judged",
        "table4_ev2r",
        {
            "team": "Team",
            "ev2r": "Ev2R",
            "s_ver": "Verification (S_ver)",
            "claims": "Claims evaluated",
            "unannotated_per_claim": "Unannotated abstracts a claim",
        },
    ),
]

CONDITIONS: dict[str, Callable[[Variant], bool]] = {
    "blind": lambda variant: variant.blind,
    "both": lambda variant: len(variant.tasks) > 1,
    "task1": lambda variant: "1" in variant.tasks,
    "task2": lambda variant: "2" in variant.tasks,
}
"""On what a part of a page can depend; the tasks are those of the bundle's board."""

PLACES: dict[str, Filler] = {
    "abstracts_asked": _said(edition.ABSTRACTS_ASKED),
    "blind_notice": _said(BLIND_NOTICE),
    "bpref_depth": _said(edition.BPREF_DEPTH),
    "code_of_none": _said(taxonomy.NO_NARRATIVE),
    "corpus_size": _said(f"{edition.CORPUS_SIZE:,}"),
    "depth": _said(edition.depth()),
    "diagnostics_share": _said(f"{100 * edition.DIAGNOSTICS_SHARE:g} %"),
    "edition_notice": _edition_notice,
    "evidentiary_labels": _said(_names(edition.EVIDENTIARY_LABELS, "or")),
    "first_label": _said(edition.LABELS[0]),
    "kit_samples": _kit_samples,
    "label_aliases": _said(
        _names(edition.LABEL_ALIASES, "and") if edition.LABEL_ALIASES else "no other name"
    ),
    "labels": _said(_names(edition.LABELS, "or")),
    "last_abstract": _said(edition.CORPUS_SIZE - 1),
    "last_label": _said(edition.LABELS[-1]),
    "narratives": _narratives,
    "no_narrative": _said(f"`{taxonomy.NO_NARRATIVE}`"),
    "number_of_codes": _said(len(taxonomy.CODES)),
    "one_code": _said(taxonomy.CODES[-1]),
    "other_labels": _said(
        _names([label for label in edition.LABELS if label not in edition.EVIDENTIARY_LABELS], "or")
    ),
    "phases": _phases,
    "privacy_floor": _said(edition.PRIVACY_FLOOR),
    "published_results": _published_results,
    "recall_columns": _said(", ".join(f"`{recall_column(k)}`" for k in edition.RECALL_CUTOFFS)),
    "recall_cutoffs": _said(_joined(edition.RECALL_CUTOFFS, "and")),
    "second_label": _said(edition.LABELS[1]),
    "score_cutoff": _said(edition.score_cutoff()),
    "table_of_problems": _table_of_problems,
    "tasks": _tasks,
    "title": _said(edition.TITLE),
    "two_codes": _said(";".join(taxonomy.CODES[-2:])),
    "verification_depth": _said(edition.VERIFICATION_DEPTH),
}
"""What fills each place of a page."""
