"""The files of an edition, as bytes: for participants, the gold, and the organiser's papers."""

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from climatecheck import edition
from climatecheck.gold import GOLD_FILES
from climatecheck.tables import Json
from organiser.agreement.spreadsheet import guarded
from organiser.dataset.claims import Listed
from organiser.dataset.corpus import Abstract
from organiser.dataset.findings import SHOWN, Finding, Findings
from organiser.dataset.gold import Pairs, codes_text
from organiser.dataset.records import NONE, SPLITS, TEST, TRAIN, Records
from organiser.dataset.statement import as_markdown
from organiser.pages import table

INPUT, REFERENCE, KIT = "input_data", "reference_data", "starting_kit/data"

_SPECIAL = re.compile(r"[\",\r\n]")


def claims_csv(units: Sequence[int], listed: Listed, records: Records) -> bytes:
    """Return the claims, a line a text."""
    rows = ((records.id_of(one), text) for one in units for text in listed.texts[one])
    return _csv(("claim_id", "claim"), rows)


def task1_csv(units: Sequence[int], pairs: Pairs, records: Records) -> bytes:
    """Return the judged pairs, in the order of the claims."""
    place = np.full(len(SPLITS) * max(len(records.ids), 1), NONE, dtype=np.int64)
    place[list(units)] = np.arange(len(units))
    claim = place[pairs.unit]
    order = np.argsort(claim, kind="stable")[(claim == NONE).sum() :]
    ids = [_quoted(records.id_of(one)) for one in units]
    labels = [_quoted(label) for label in edition.LABELS]
    columns = (claim, pairs.abstract, pairs.label)
    rows = zip(*(column[order].tolist() for column in columns), strict=True)
    lines = [f"{ids[one]},{abstract},{labels[label]}\n" for one, abstract, label in rows]
    return ("claim_id,abstract_id,label\n" + "".join(lines)).encode()


def task2_csv(
    units: Sequence[int], narratives: dict[int, tuple[int, ...]], records: Records
) -> bytes:
    """Return the narratives, in the order of the claims."""
    rows = ((records.id_of(one), codes_text(narratives[one])) for one in units if one in narratives)
    return _csv(("claim_id", "narrative"), rows)


def abstracts_csv(abstracts: Iterable[Abstract]) -> bytes:
    """Return the texts of the kit's abstracts."""
    rows = ((str(each.id), each.title, each.text) for each in abstracts)
    return _csv(("abstract_id", "title", "abstract"), rows)


def ordered(units: Iterable[int], records: Records) -> list[int]:
    """Return claims by id, numbers as numbers: the dataset's order may follow the gold."""

    def key(one: int) -> tuple[bool, int, str]:
        id_ = records.id_of(one)
        number = id_.isdigit() and id_.isascii()
        return not number, int(id_) if number else 0, id_

    return sorted(units, key=key)


def edition_files(
    name: str,
    records: Records,
    listed: Listed,
    pairs: Pairs,
    narratives: dict[int, tuple[int, ...]],
    abstracts: Sequence[Abstract],
    published: str,
) -> dict[str, bytes]:
    """Return the files that the bundle is made of.

    Args:
        name: of the edition.
        records: of both splits, as is all that follows.
        listed: the claims.
        pairs: the gold of task 1.
        narratives: the gold of task 2.
        abstracts: of the kit.
        published: of which edition the published figures were computed on this gold, or empty.
    """
    units = [
        ordered((one for one in listed.texts if records.split_of(one) == split), records)
        for split in range(len(SPLITS))
    ]
    facts = {"name": name, "title": f"{edition.TITLE}, edition {name}"}
    facts |= {"published": published} if published else {}
    folders = {TRAIN: (f"{KIT}/train", f"{KIT}/train"), TEST: (INPUT, REFERENCE)}
    made = {f"{INPUT}/{edition.EDITION_FILE}": as_json(facts)}
    for split, (claims, gold) in folders.items():
        of_split = units[split]
        if not of_split:
            continue
        made[f"{claims}/{edition.CLAIMS_FILE}"] = claims_csv(of_split, listed, records)
        of_task = {
            "1": task1_csv(of_split, pairs, records),
            "2": task2_csv(of_split, narratives, records),
        }
        # A task without gold has no file: its header alone could be taken for gold, or for a leak.
        made |= {f"{gold}/{GOLD_FILES[t]}": c for t, c in of_task.items() if c.count(b"\n") > 1}
    made[f"{KIT}/abstracts.csv"] = abstracts_csv(abstracts)
    made[f"{KIT}/README.md"] = _kit_readme(name, made, len(units[TRAIN]), len(abstracts)).encode()
    return made


def papers(name: str, sources: Json, findings: Findings, counts: Json) -> dict[str, bytes]:
    """Return the organiser's papers: data statement and import report; no bundle holds them."""
    found = findings.all()
    return {
        "data_statement.json": as_json(counts),
        "data_statement.md": as_markdown(counts).encode(),
        "import_report.json": as_json(
            {"edition": name, "sources": sources, "findings": [_finding(f) for f in found]}
        ),
        "import_report.md": _report(name, sources, found).encode(),
        "import_decisions.csv": _decisions(found),
    }


def as_json(content: object) -> bytes:
    """Return JSON that people can read."""
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def _finding(finding: Finding) -> Json:
    return {
        "code": finding.kind.code,
        "level": finding.kind.level,
        "split": finding.split,
        "count": finding.count,
        "found": finding.kind.found,
        "done": finding.kind.done,
        "first": [str(place) for place in finding.places[:SHOWN]],
    }


def _report(name: str, sources: Json, found: Sequence[Finding]) -> str:
    read = [[file, f"{facts['rows']:,}", facts["sha256"][:12]] for file, facts in sources.items()]
    decided = [
        [
            f"`{f.kind.code}`",
            f.where,
            f"{f.count:,}",
            f.kind.found,
            "; ".join(map(str, f.places[:SHOWN])) + ("; …" if len(f.places) > SHOWN else ""),
            f.kind.done,
        ]
        for f in found
    ]
    header = ["Finding", "Where", "How many", "What was found", "First", "What was done"]
    return "\n\n".join(
        [
            f"# Import of edition {name}",
            "It quotes the test gold: for organisers alone. Every place stands in"
            " `import_decisions.csv`. Rows count from 1, the header left out.",
            "## What was read",
            table(["File", "Rows", "SHA-256"], read),
            "## What was found, and what was done",
            table(header, decided) if decided else "Nothing was odd.",
            "",
        ]
    )


def _decisions(found: Sequence[Finding]) -> bytes:
    rows = (
        (
            f.kind.code,
            f.kind.level,
            f.split,
            place.file,
            str(place.row or ""),
            *map(guarded, (place.claim, place.abstract, place.found)),
            f.kind.done,
        )
        for f in found
        for place in f.places
    )
    header = ("finding", "level", "split", "file", "row", "claim_id", "abstract_id")
    return _csv((*header, "found", "done"), rows)


def _kit_readme(name: str, made: Collection[str], claims: int, abstracts: int) -> str:
    files = {
        "abstracts.csv": "`abstract_id`, `title`, `abstract`: texts of the abstracts that are"
        " judged for training claims",
        f"train/{edition.CLAIMS_FILE}": "`claim_id`, `claim`: training claims",
        f"train/{GOLD_FILES['1']}": "`claim_id`, `abstract_id`, `label`: one row a judged pair",
        f"train/{GOLD_FILES['2']}": "`claim_id`, `narrative`: one or more codes joined by `;`",
    }
    rows = [[f"`{file}`", holds] for file, holds in files.items() if f"{KIT}/{file}" in made]
    holds = (
        f"{claims:,} training claims with their gold, and the texts of {abstracts:,} abstracts."
        if claims
        else "There are no training data, so no text of an abstract either."
    )
    return f"""# Data of {edition.TITLE}, edition {name}

{holds} UTF-8,
comma-separated, one header row; identifiers are text. An identifier that is listed twice among the
claims has two texts.

{table(["File", "What it holds"], rows)}

Pairs that are not listed are unjudged, not irrelevant.

**The corpus to search is larger.** It has {edition.CORPUS_SIZE:,} abstracts with identifiers from 0
to {edition.CORPUS_SIZE - 1} and is published on its own. `abstracts.csv` is the part of it that is
judged for training claims, whatever is judged for the test claims: do not take it for the corpus.
"""


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text
