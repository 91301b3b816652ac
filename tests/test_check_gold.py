"""The search for gold: no form of it gets past, and no honest prediction is blamed."""

import csv
import gzip
import io
import json
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from organiser import bundle as building
from organiser.check import Bundle
from organiser.check.answers import Known
from organiser.check.downloads import parquet_reader
from organiser.check.gold import answers_of
from organiser.check.telling import told_by
from organiser.check.trees import open_zip
from organiser.competition import VARIANTS
from organiser.editions import edition
from tests.bundles.draft import (
    BEFORE,
    Draft,
    Files,
    failed,
    findings,
    raw_zip,
    status,
    unzipped,
)
from tests.bundles.faults import more_page


@pytest.fixture(scope="module")
def sound() -> Files:
    return building.entries(VARIANTS[""], edition())


@pytest.fixture
def draft(sound: Files) -> Draft:
    return Draft(sound)


@pytest.fixture(scope="module")
def pairs(sound: Files) -> list[list[str]]:
    lines = unzipped(sound["reference_data.zip"])["task1_gold.csv"].decode().splitlines()
    return [line.split(",") for line in lines[1:]]


@pytest.fixture(scope="module")
def codes(sound: Files) -> list[list[str]]:
    lines = unzipped(sound["reference_data.zip"])["task2_gold.csv"].decode().splitlines()
    return [line.split(",") for line in lines[1:]]


@pytest.fixture(scope="module")
def answers(sound: Files) -> Known:
    return answers_of(Draft(sound).bundle())


@pytest.fixture
def told(answers: Known) -> Callable[[bytes | str], bool]:
    """Whether a file of this content tells the gold."""

    def of(content: bytes | str) -> bool:
        data = content.encode() if isinstance(content, str) else content
        return any(each.is_gold for each in told_by(data, answers))

    return of


@pytest.fixture
def suspect(answers: Known) -> Callable[[str], bool]:
    """Whether a file of this content may be part of the gold, and is no proof of it."""

    def of(content: str) -> bool:
        found = list(told_by(content.encode(), answers))
        return not any(e.is_gold for e in found) and any(e.is_suspect for e in found)

    return of


@pytest.fixture(scope="module")
def texts(sound: Files) -> dict[str, str]:
    """The text of each claim."""
    content = unzipped(sound["input_data.zip"])["claims.csv"].decode()
    return {row["claim_id"]: row["claim"] for row in csv.DictReader(io.StringIO(content))}


@pytest.fixture(scope="module")
def abstracts(sound: Files) -> dict[str, dict[str, str]]:
    content = unzipped(sound["starting_kit.zip"])["data/abstracts.csv"].decode()
    return {row["abstract_id"]: row for row in csv.DictReader(io.StringIO(content))}


def as_csv(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def found_in(draft: Draft, part: str, content: bytes | str) -> bool:
    draft.put(part, notes_dot_txt=content)
    return bool(findings("gold-told", draft.bundle()))


def joined(rows: list[list[str]], separator: str = ",") -> str:
    return "".join(separator.join(row) + "\n" for row in rows)


def ten_claims(pairs: list[list[str]]) -> list[list[str]]:
    claims = list(dict.fromkeys(claim for claim, *_ in pairs))[20:30]
    return [row for row in pairs if row[0] in claims]


def as_json(rows: list[list[str]]) -> str:
    nested: dict[str, dict[str, str]] = {}
    for claim, abstract, label in rows:
        nested.setdefault(claim, {})[abstract] = label
    return json.dumps(nested)


def as_lists(rows: list[list[str]]) -> str:
    nested: dict[str, dict[str, list[int]]] = {}
    for claim, abstract, label in rows:
        nested.setdefault(claim, {}).setdefault(label, []).append(int(abstract))
    return json.dumps([{"id": int(claim), **found} for claim, found in nested.items()])


def shuffled(rows: list[list[str]]) -> list[list[str]]:
    return random.Random(7).sample(rows, len(rows))


SIGNS = {"Supports": "+", "Refutes": "-", "Not Enough Information": "0"}
FORMS: dict[str, Callable[[list[list[str]]], str]] = {
    "reordered columns": lambda rows: joined([[label, a, c] for c, a, label in rows], ";"),
    "shuffled, tabs": lambda rows: joined(shuffled(rows), "\t"),
    "other names for labels": lambda rows: joined([[c, a, SIGNS[label]] for c, a, label in rows]),
    "ids as decimals": lambda rows: joined([[f"{c}.0", f"{a}.0", x] for c, a, x in rows]),
    "Markdown": lambda rows: "".join(f"| `{c}` | {a} | {x} |\n" for c, a, x in rows),
    "JSON lines": lambda rows: "".join(
        json.dumps({"claim": int(c), "doc": int(a), "y": x}) + "\n" for c, a, x in rows
    ),
    "JSON by claim": as_json,
    "JSON by label": as_lists,
    "Python": lambda rows: "".join(f"G[({c!r}, {a!r})] = {x!r}\n" for c, a, x in rows),
    "no labels": lambda rows: joined([[c, a] for c, a, _ in rows]),
}


@pytest.mark.parametrize("form", list(FORMS))
def test_the_gold_is_recognised_in_any_form(told, pairs, form: str):
    assert told(FORMS[form](pairs))


@pytest.mark.parametrize("form", [form for form in FORMS if form != "no labels"])
def test_the_gold_of_ten_claims_is_recognised_in_any_form(told, pairs, form: str):
    assert told(FORMS[form](ten_claims(pairs)))


def test_the_gold_of_ten_claims_is_recognised_among_predictions(told, draft: Draft, pairs):
    kit = unzipped(draft.files["starting_kit.zip"])
    sample = unzipped(kit["samples/upload/task1.zip"])["predictions.csv"].decode().splitlines()
    ten = ten_claims(pairs)
    claims = {claim for claim, *_ in ten}
    kept = [line for line in sample if line.split(",")[0] not in claims]
    ranked = [f"{claim},{a},{i},{label}" for i, (claim, a, label) in enumerate(ten)]
    assert told("\n".join([*kept, *ranked]))
    assert not told("\n".join(kept))


def test_the_gold_of_ten_claims_is_recognised_in_the_training_gold(
    told, draft: Draft, pairs, codes
):
    kit = unzipped(draft.files["starting_kit.zip"])
    train = kit["data/train/task1_gold.csv"].decode()
    assert not told(train)
    assert told(train + joined(ten_claims(pairs)))
    narratives = kit["data/train/task2_gold.csv"].decode()
    assert not told(narratives)
    assert told(narratives + joined(codes[:10]))


# --- by texts, by place, on one line --------------------------------------------------------------


def test_the_gold_is_recognised_without_any_id(told, pairs, texts, abstracts):
    """The columns of the public data set."""
    header = ["claim", "abstract", "annotation"]
    for way in ("abstract", "title"):
        rows = [[texts[c], abstracts[a][way], label] for c, a, label in ten_claims(pairs)]
        assert told(as_csv([header, *rows]))
    joined_ = [
        [texts[c], f"{abstracts[a]['title']}. {abstracts[a]['abstract']}"] for c, a, _ in pairs
    ]
    assert told(as_csv(joined_))


def test_the_gold_is_recognised_where_the_abstracts_are_renamed(told, pairs, texts):
    rows = [[texts[c], f"doi:10.1000/{i}", label] for i, (c, _, label) in enumerate(pairs)]
    assert told(as_csv(rows))
    assert not told(as_csv([row[:2] for row in rows]))  # nothing but how many are judged


ONE_COLUMN: dict[str, Callable[[list[str]], str]] = {
    "lines": lambda values: "\n".join(values),
    "a header": lambda values: "\n".join(["narrative", *values]),
    "JSON": json.dumps,
    "Python": lambda values: f"CODES = {values!r}\n",
    "numbered": lambda values: "".join(f"{i}\t{value}\n" for i, value in enumerate(values)),
    "one line": lambda values: " ".join(values),
    "after others": lambda values: "\n".join(["1_1"] * 60 + values),
}


@pytest.mark.parametrize("form", list(ONE_COLUMN))
@pytest.mark.parametrize("order", ["claims.csv", "number", "text"])
def test_codes_without_ids_are_recognised_by_their_order(told, codes, texts, form, order):
    keys = {"claims.csv": list(texts).index, "number": int, "text": str}
    in_order = [code for _, code in sorted(codes, key=lambda row: keys[order](row[0]))]
    assert told(ONE_COLUMN[form](in_order))
    assert not told(ONE_COLUMN[form]([code for _, code in shuffled(codes)]))


def test_evidence_without_claims_is_recognised_by_its_order(told, pairs, texts):
    lines = [" ".join(a for c, a, x in pairs if c == claim and x[0] != "N") for claim in texts]
    assert told("\n".join(lines))


def test_labels_without_ids_are_recognised_by_their_order(told, pairs):
    assert told("\n".join(label[0] for *_, label in pairs))
    assert told(joined([[a, label] for _, a, label in pairs]))
    by_number = sorted(pairs, key=lambda row: int(row[1]))
    by_claim = sorted(
        by_number, key=lambda row: list(dict(map(lambda r: (r[0], 0), pairs))).index(row[0])
    )
    assert told(joined([["label"], *([label] for *_, label in by_claim)]))
    assert not told("\n".join(label[0] for *_, label in shuffled(pairs)))


ON_ONE_LINE: dict[str, Callable[[list[list[str]]], str]] = {
    "Python, rows": lambda rows: f"G = {[tuple(row) for row in rows]!r}",
    "Python, nested": lambda rows: f"G = {json.loads(as_json(rows))!r}  # noqa",
    "Python, in a call": lambda rows: f"def f():\n    return dict({json.loads(as_json(rows))!r})",
    "Python, columns": lambda rows: "".join(
        f"{name} = {list(column)!r}\n"
        for name, column in zip("cal", zip(*rows, strict=True), strict=True)
    ),
    "JSON, columns": lambda rows: json.dumps(
        {name: list(column) for name, column in zip("cal", zip(*rows, strict=True), strict=True)}
    ),
    "JSON, columns by index": lambda rows: json.dumps(
        {k: {str(i): row[j] for i, row in enumerate(rows)} for j, k in enumerate("cal")}
    ),
    "JavaScript": lambda rows: f"const G = {json.dumps(rows, separators=(',', ':'))};",
    "JavaScript, nested": lambda rows: f"export default ({as_json(rows)});",
    "SQL": lambda rows: f"INSERT INTO g VALUES {', '.join(map(str, map(tuple, rows)))};",
    "XML": lambda rows: "".join(f'<p c="{c}" a="{a}"><l>{x}</l></p>' for c, a, x in rows),
    "words": lambda rows: " ".join(word for row in rows for word in row),
    "Markdown": lambda rows: "".join(
        f"## {claim}\n\n" + "".join(f"- {a}: {x}\n" for c, a, x in rows if c == claim)
        for claim in dict.fromkeys(c for c, *_ in rows)
    ),
}


@pytest.mark.parametrize("form", list(ON_ONE_LINE))
def test_the_gold_of_ten_claims_is_recognised_in_whatever_is_written_out(told, pairs, form):
    assert told(ON_ONE_LINE[form](ten_claims(pairs)))


def test_a_literal_in_the_code_of_the_kit_is_found(draft: Draft, pairs):
    content = ON_ONE_LINE["Python, rows"](pairs)
    draft.put("starting_kit", climatecheck__secret_dot_py=content)
    (found,) = findings("gold-told", draft.bundle())
    assert found.startswith("starting_kit.zip: climatecheck/secret.py: lists 356 of the judged")


# --- a few rows -----------------------------------------------------------------------------------


def test_ten_rows_of_the_gold_are_suspect(suspect, draft: Draft, pairs, codes):
    # All judged and rightly labelled: 0.6 ** 10 = .006 for a part of a good prediction.
    for seed in range(5):
        ten = random.Random(seed).sample(pairs, 10)
        if len({label for *_, label in ten}) > 1:
            assert suspect(joined([["claim_id", "abstract_id", "label"], *ten]))
    assert suspect(joined([["claim_id", "abstract_id", "label"], *pairs[:10]]))
    draft.put("starting_kit", example_dot_csv=joined(pairs[:10]))
    assert failed(draft.bundle()).get("gold-part") == "warning"
    assert not findings("gold-told", draft.bundle())
    # Three narratives guessed: 0.05 ** 3 = .0001; ten of them are beyond all luck.
    with_narrative = [row for row in codes if row[1] != "0_0"]
    assert suspect(joined(with_narrative[:3]))
    assert findings_of_ten(draft, with_narrative[:10])


def findings_of_ten(draft: Draft, rows: list[list[str]]) -> list[str]:
    draft.put("starting_kit", example_dot_csv=joined(rows))
    return findings("gold-told", draft.bundle())


def test_what_a_prediction_may_hold_too_is_not_suspect(suspect, draft: Draft, pairs, codes):
    assert not suspect(joined(pairs[:6]))  # 0.6 ** 6 = .05
    assert not suspect(joined([row[:2] for row in pairs[:10]]))  # well retrieved
    assert not suspect(joined([row for row in codes if row[1] == "0_0"][:5]))  # .53 ** 5 = .04
    kit = unzipped(draft.files["starting_kit.zip"])
    sample = unzipped(kit["samples/upload/both.zip"])["predictions.csv"].decode().splitlines()
    assert not any(suspect("\n".join([sample[0], *sample[i : i + 10]])) for i in range(1, 200, 10))


def test_part_of_the_gold_is_recognised(told, pairs):
    evidentiary = [row for row in pairs if not row[2].startswith("Not")]
    assert told(joined([row[:2] for row in evidentiary]))
    assert told(joined(shuffled(pairs)[: len(pairs) // 2]))


def test_the_gold_is_recognised_beside_the_texts_of_claims(told, draft: Draft, codes):
    texts = unzipped(draft.files["input_data.zip"])["claims.csv"].decode()
    named = {row["claim_id"]: row["claim"] for row in csv.DictReader(io.StringIO(texts))}
    lines = [json.dumps({"text": named[claim], "answer": code}) for claim, code in codes]
    assert told("\n".join(lines))


def test_the_gold_is_recognised_inside_archives(draft: Draft, pairs):
    inner = raw_zip({"b.gz": gzip.compress(joined(pairs).encode())})
    assert found_in(draft, "starting_kit", raw_zip({"a.zip": inner}))


def test_gold_in_parquet_is_recognised_or_said_to_be_unread(told, draft: Draft, pairs):
    draft.put("starting_kit", a_dot_parquet=b"PAR1 not really PAR1")
    if parquet_reader() is None:
        assert "needs pyarrow" in findings("gold-looked-into", draft.bundle())[0]
        return
    pandas = pytest.importorskip("pandas")
    buffer = io.BytesIO()
    frame = pandas.DataFrame(pairs, columns=["c", "a", "l"]).astype({"c": int, "a": int})
    frame.to_parquet(buffer)
    assert told(buffer.getvalue())


@pytest.mark.parametrize("part", ["input_data", "ingestion_program", "scoring_program"])
def test_the_gold_is_looked_for_in_every_public_part(draft: Draft, pairs, part: str):
    assert found_in(draft, part, joined(pairs, "|"))


def test_the_gold_is_looked_for_in_pages(draft: Draft, pairs):
    more_page(FORMS["Markdown"](pairs))(draft)
    assert findings("gold-told", draft.bundle())[0].startswith("pages/faq.md: lists 356 of the")


@pytest.mark.parametrize("header", [True, False])
def test_narratives_are_recognised(told, codes, header: bool):
    rows = [["narrative", "id"]] * header + [[code, claim] for claim, code in codes]
    assert told(joined(rows, "\t"))
    one_hot = {code for _, cell in codes for code in cell.split(";")}
    wide = [["id", *sorted(one_hot)]]
    wide += [[c, *(str(int(k in cell.split(";"))) for k in wide[0][1:])] for c, cell in codes]
    assert told(joined(wide))


def predictions(pairs: list[list[str]], seed: int, rows: int, found: float, right: float) -> str:
    """A run as good as the best system of 2026: what it finds, and labels, is left to luck."""
    dice = random.Random(seed)
    gold: dict[str, list[tuple[str, str]]] = {}
    for claim, abstract, label in pairs:
        gold.setdefault(claim, []).append((abstract, label))
    lines = []
    for claim, judged in gold.items():
        hits = [pair for pair in judged if dice.random() < found]
        hits += [(str(390_000 + k), "Supports") for k in range(max(0, rows - len(hits)))]
        for rank, (abstract, label) in enumerate(dice.sample(hits, len(hits))[:rows], 1):
            said = label if dice.random() < right else dice.choice(list(SIGNS))
            lines.append(f"{claim},{abstract},{rank},{said}")
    return "\n".join(["claim_id,abstract_id,rank,label", *lines])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rows", [5, 10])
def test_a_prediction_as_good_as_the_best_system_is_no_leak(told, pairs, seed, rows):
    # Of 2026: Recall@5 .443, F1 .740. A random label is right in one of three cases more.
    assert not told(predictions(pairs, seed, rows, found=0.45, right=0.65))


@pytest.mark.parametrize("seed", range(5))
def test_narratives_as_good_as_the_best_system_are_no_leak(told, codes, seed: int):
    # Of 2026: 85.5 % of claims exactly right.
    dice = random.Random(seed)
    all_codes = sorted({code for _, code in codes})
    rows = [
        [c, k if k == "0_0" or dice.random() < 0.65 else dice.choice(all_codes)] for c, k in codes
    ]
    assert not told(joined(rows))


def test_all_claims_without_a_narrative_are_no_leak(told, codes):
    assert not told(joined([[claim, "0_0"] for claim, _ in codes]))


# --- blind bundles --------------------------------------------------------------------------------


@pytest.fixture
def blind(sound: Files) -> Draft:
    return Draft(building.entries(replace(VARIANTS[""], blind=True), edition()))


def test_a_blind_bundle_has_one_column_and_no_gold(blind: Draft):
    bundle = blind.bundle()
    assert [column["key"] for column in blind.board["columns"]] == ["accepted"]
    assert "error" not in failed(bundle).values()
    assert (status("gold-blind", bundle), status("gold-told", bundle)) == ("passed", "skipped")


def test_a_blind_bundle_with_its_gold_is_named(blind: Draft, sound: Files):
    blind.files["reference_data.zip"] = sound["reference_data.zip"]
    assert findings("gold-blind", blind.bundle())


def test_the_gold_on_the_machine_is_looked_for_in_a_blind_bundle(blind: Draft, pairs):
    def found() -> list[str]:
        gold = edition().reference_data
        bundle = Bundle(open_zip(blind.built()), "bundle.zip", now=BEFORE, gold=gold)
        return findings("gold-told", bundle)

    assert not found()
    blind.put("reference_data", edition_dot_json=as_json(pairs))
    assert found()
