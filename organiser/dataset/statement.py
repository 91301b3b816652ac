"""The data statement of an edition: the counts of Table 1, claims, abstracts and narratives."""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from climatecheck import edition, taxonomy
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import Integers, Json
from organiser.analysis import published
from organiser.dataset.claims import Listed
from organiser.dataset.gold import Pairs, codes_text
from organiser.dataset.records import NONE, SPLITS, TEST, Records
from organiser.pages import table

_PAPER = "2026"


def statement(
    name: str,
    records: Records,
    listed: Listed,
    pairs: Pairs,
    narratives: dict[int, tuple[int, ...]],
) -> Json:
    """Return all counts, for ``data_statement.json``; the same data give the same content."""
    size = max(len(records.ids), 1)
    splits: Json = {}
    for split, split_name in enumerate(SPLITS):
        judged = pairs.of(split, records)
        units = [one for one in listed.texts if one // size == split]
        codes = {one: narratives[one] for one in units if one in narratives}
        splits[split_name] = {
            "claims": _claims(units, listed, judged, codes),
            "pairs": _labels(judged.label),
            "rows_by_label": _rows_by_label(records, split),
            "abstracts": len(judged.abstracts),
            "narratives": _narratives(codes.values()),
            "data_version": _versions(records, split),
        }
    sides = [pairs.of(split, records).abstracts for split in range(len(SPLITS))]
    made: Json = {
        "edition": name,
        "splits": splits,
        "abstracts_in_both_splits": len(np.intersect1d(sides[0], sides[1])),
        "published": {_PAPER: published.figures()["table1_labels"]},
    }
    made["as_published"] = as_published(made)
    return made


def as_published(made: Json) -> str:
    """Return of which edition the published figures are of this test gold; empty if of none."""
    test = SPLITS[TEST]
    same = made["splits"][test]["pairs"] == made["published"][_PAPER][test]
    return _PAPER if same else ""


def _claims(
    units: Sequence[int],
    listed: Listed,
    judged: Pairs,
    codes: dict[int, tuple[int, ...]],
) -> Json:
    per_claim = Counter(judged.unit.tolist())
    evidentiary = Counter(judged.unit[is_evidentiary(judged.label)].tolist())
    numbers = Counter(evidentiary[one] for one in units)
    return {
        "ids": len(units),
        "texts": sum(len(listed.texts[one]) for one in units),
        "ids_with_two_texts": sum(len(listed.texts[one]) > 1 for one in units),
        "with_pairs": len(per_claim),
        "with_evidentiary": len(evidentiary),
        "with_narratives": len(codes),
        "pairs_per_claim": _spread([per_claim[one] for one in units]),
        "evidentiary_per_claim": _spread([evidentiary[one] for one in units]),
        "claims_by_evidentiary": {str(n): numbers[n] for n in sorted(numbers)},
    }


def _spread(numbers: Sequence[int]) -> Json:
    if not numbers:
        return {}
    return {
        "mean": round(statistics.fmean(numbers), 3),
        "median": statistics.median(numbers),
        "least": min(numbers),
        "most": max(numbers),
    }


def _labels(label: Integers) -> Json:
    counts = np.bincount(label, minlength=len(edition.LABELS)).tolist()
    return {**dict(zip(edition.LABELS, counts, strict=True)), "total": int(sum(counts))}


def _rows_by_label(records: Records, split: int) -> Json:
    """Return how many rows of the dataset have each label, before pairs are made one."""
    rows = (records.split == split) & (records.label != NONE) & (records.abstract != NONE)
    return _labels(records.label[rows])


def _narratives(sets: Iterable[tuple[int, ...]]) -> Json:
    listed = list(sets)
    counts = Counter(code for codes in listed for code in codes)
    none = (taxonomy.CODES.index(taxonomy.NO_NARRATIVE),)
    return {
        "claims_by_code": {code: counts[i] for i, code in enumerate(taxonomy.CODES)},
        "claims_with_none_alone": listed.count(none),
        "claims_by_number_of_codes": {
            str(n): count for n, count in sorted(Counter(map(len, listed)).items())
        },
        "commonest_combinations": {
            codes_text(codes): count
            for codes, count in sorted(Counter(listed).items(), key=lambda c: (-c[1], c[0]))
            if len(codes) > 1
        },
    }


def _versions(records: Records, split: int) -> Json:
    places = records.version[records.split == split] - NONE  # so that none is 0
    counts = np.bincount(places, minlength=len(records.versions) + 1).tolist()
    named = zip(("not given", *records.versions), counts, strict=True)
    return {name: count for name, count in sorted(named) if count}


def as_markdown(made: Json) -> str:
    """Return the statement as a page."""
    parts = [
        f"# Data statement of edition {made['edition']}",
        "It holds counts of the test gold: for organisers, until they are published.",
        "## Judged claim-abstract pairs (Table 1)",
        _table1(made),
        _verdict(made),
        "*Rows* counts the dataset's rows with a readable pair and label; *pairs* counts each pair"
        " of a claim id and an abstract once, as the edition has it.",
        "## Claims and abstracts",
        _claims_table(made),
        "## Claims by number of evidentiary abstracts",
        _by_number(made, "claims", "claims_by_evidentiary", "Evidentiary abstracts"),
        "## Narratives",
        _narrative_table(made),
        "Claims by number of codes:",
        _by_number(made, "narratives", "claims_by_number_of_codes", "Codes"),
    ]
    if any(made["splits"][split]["data_version"].keys() != {"not given"} for split in SPLITS):
        parts += ["## Rows by data_version", _version_table(made)]
    return "\n\n".join(parts) + "\n"


def _table1(made: Json) -> str:
    rows = []
    for split in SPLITS:
        of_split, paper = made["splits"][split], made["published"][_PAPER][split]
        for label in (*edition.LABELS, "total"):
            count, known = of_split["pairs"][label], paper.get(label)
            difference = "" if known is None else f"{count - known:+,}" if count != known else "0"
            beside = "" if known is None else f"{known:,}"
            found = f"{of_split['rows_by_label'][label]:,}"
            rows.append([split, label, found, f"{count:,}", beside, difference])
    return table(["Split", "Label", "Rows", "Pairs", f"Published {_PAPER}", "Difference"], rows)


def _verdict(made: Json) -> str:
    if made["as_published"]:
        return (
            f"The test counts are those published for {_PAPER}, so the edition is marked as the one"
            " that the published figures were computed on."
        )
    return f"The test counts are not those published for {_PAPER}: this is another edition."


def _claims_table(made: Json) -> str:
    names = {
        "ids": "Claim ids",
        "texts": "Claim texts",
        "ids_with_two_texts": "Ids with two texts",
        "with_pairs": "Claims with judged pairs",
        "with_evidentiary": "Claims with an evidentiary abstract",
        "with_narratives": "Claims with narratives",
    }
    columns = [made["splits"][split] for split in SPLITS]
    rows: list[list[object]] = [
        [name, *(f"{column['claims'][key]:,}" for column in columns)] for key, name in names.items()
    ]
    for key, name in (
        ("pairs_per_claim", "Judged pairs a claim"),
        ("evidentiary_per_claim", "Evidentiary abstracts a claim"),
    ):
        for what in ("mean", "median", "least", "most"):
            values = (str(column["claims"][key].get(what, "-")) for column in columns)
            rows.append([f"{name}, {what}", *values])
    rows.append(["Judged abstracts", *(f"{column['abstracts']:,}" for column in columns)])
    rows.append(["… of them in both splits", *(f"{made['abstracts_in_both_splits']:,}",) * 2])
    return table(["", *SPLITS], rows)


def _by_number(made: Json, part: str, key: str, heading: str) -> str:
    columns = [made["splits"][split][part][key] for split in SPLITS]
    numbers = sorted({number for column in columns for number in column}, key=int)
    rows = [[number, *(column.get(number, 0) for column in columns)] for number in numbers]
    return table([heading, *(f"Claims, {split}" for split in SPLITS)], rows)


def _narrative_table(made: Json) -> str:
    columns = [made["splits"][split]["narratives"] for split in SPLITS]
    rows: list[list[object]] = [
        [f"`{code}`", name, *(column["claims_by_code"][code] for column in columns)]
        for code, name in taxonomy.NARRATIVES.items()
    ]
    alone = [column["claims_with_none_alone"] for column in columns]
    rows.append([f"`{taxonomy.NO_NARRATIVE}` alone", "", *alone])
    return table(["Code", "Narrative", *(f"Claims, {split}" for split in SPLITS)], rows)


def _version_table(made: Json) -> str:
    columns = [made["splits"][split]["data_version"] for split in SPLITS]
    names = sorted({name for column in columns for name in column})
    rows = [[name, *(column.get(name, 0) for column in columns)] for name in names]
    return table(["data_version", *(f"Rows, {split}" for split in SPLITS)], rows)
