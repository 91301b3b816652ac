"""No claim's gold can be read from what a participant reads: scores and aggregates alone."""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import CLAIMS, full_submission
from tests.gold_worlds import BASE, NEI, UNJUDGED, Runs, World, table
from tests.reading import CLAIM, PAGE, SCORES, Page, program, read_in_process

ONE, OTHER = 5, 9  # two claims that differ in nothing but their ids


Change = Callable[[int], World]
CHANGES: dict[str, Change] = {
    "a label flipped": lambda i: BASE.with_pair(i, 1000 * i + 1, "Refutes"),
    "an evidentiary abstract judged NEI": lambda i: BASE.with_pair(i, 1000 * i + 2, NEI),
    "an evidentiary abstract moved": lambda i: BASE.with_pair(i, 1000 * i + 1, None).with_pair(
        i, 1000 * i + 9, "Supports"
    ),
    "a judged abstract more": lambda i: BASE.with_pair(i, UNJUDGED, NEI),
    "another narrative": lambda i: BASE.with_codes({i: "2_1"}),
    "a narrative more": lambda i: BASE.with_codes({i: "0_0;1_1"}),
}


def middling() -> bytes:
    """Each claim gets an NEI abstract first, then one evidentiary, some labels and codes wrong."""
    lines = []
    for i, claim in enumerate(CLAIMS):
        found = [(1000 * i + 3, NEI), (1000 * i + 2, "Supports"), (UNJUDGED, "Refutes")]
        code = "1_1" if i % 4 else "2_3"
        lines += [f"{claim},{id_},{k},{label},{code}" for k, (id_, label) in enumerate(found)]
    return table(lines)


GOOD = {"full": full_submission(), "middling": middling()}


def refused() -> bytes:
    return full_submission().replace(b"c03,3001", b"c03,3002").replace(b"Refutes", b"Wrong", 3)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("leaks"), {})


# --- two golds that differ in one claim -----------------------------------------------------------


@pytest.mark.parametrize("change", list(CHANGES))
@pytest.mark.parametrize("submission", list(GOOD))
def test_which_claim_is_different_cannot_be_read(run: Runs, submission: str, change: str) -> None:
    """The same change in either of two like claims gives the same bytes, all files, all logs."""
    content, made = GOOD[submission], CHANGES[change]
    assert run(content, made(ONE)) == run(content, made(OTHER))


@pytest.mark.parametrize("change", list(CHANGES))
@pytest.mark.parametrize("submission", list(GOOD))
def test_two_golds_differ_in_scores_and_aggregates_alone(
    run: Runs, submission: str, change: str
) -> None:
    content = GOOD[submission]
    before, after = run(content, BASE), run(content, CHANGES[change](ONE))
    assert only_in(before.files, "prediction/") == only_in(after.files, "prediction/")
    for name in before.logs:
        if name != "scoring.stdout":
            assert before.logs[name] == after.logs[name]
    assert masked(before.logs["scoring.stdout"]) == masked(after.logs["scoring.stdout"])
    assert masked(before.files[SCORES].decode()) == masked(after.files[SCORES].decode())
    one, other = Page(before.page).sections, Page(after.page).sections
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        if a is one[0] or a.lists_problems or not a.title or a.title == "Receipt":
            assert a == b  # these rest on the submission and on the edition, not on the gold
        else:
            assert a.title == b.title
            assert not CLAIM.search(a.text + b.text)
            assert not re.search(r"\b(?:500[0-9]|900[0-9])\b", a.text + b.text)


def only_in(files: dict[str, bytes], folder: str) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if name.startswith(folder)}


def masked(text: str) -> str:
    return re.sub(r"-?[0-9]+\.[0-9]+", "#", text)


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_refused_file_learns_nothing_of_the_gold(run: Runs, change: str) -> None:
    before, after = run(refused(), BASE), run(refused(), CHANGES[change](ONE))
    assert "E-DUPLICATE-PAIR" in before.logs["scoring.stderr"]
    assert SCORES not in before.files
    assert before == after


def test_pages_of_good_runs_name_no_claim_and_no_abstract(run: Runs) -> None:
    for content in GOOD.values():
        made = run(content, BASE)
        parts = [part for part in Page(made.page).sections if not part.lists_problems]
        shown = "\n".join(part.text for part in parts) + made.logs["scoring.stdout"]
        assert not CLAIM.search(shown)
        for abstract in (5001, 5002, 5003, 11_003):
            assert f"{abstract}" not in shown and f"{abstract:,}" not in shown


# --- crashes --------------------------------------------------------------------------------------

SECRET = "c05,5001,Supports"


class NamedAfterGoldError(Exception):
    def __str__(self) -> str:
        return SECRET

    __repr__ = __str__


def failing(*_: object, **__: object) -> None:
    c05 = SECRET  # a traceback with the values of variables would show it
    error = ValueError(c05, {"label": SECRET})
    if hasattr(error, "add_note"):
        error.add_note(SECRET)
    raise error from NamedAfterGoldError(SECRET)


def out_of_files(*_: object, **__: object) -> None:
    raise OSError(5, SECRET, SECRET)


@pytest.mark.parametrize("fault", [failing, out_of_files])
@pytest.mark.parametrize(
    "place", ["read_gold", "read_submission", "score", "results_page", "receipt", "scores_json"]
)
def test_a_crash_tells_nothing_of_the_gold(
    tmp_path: Path, place: str, fault: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program("scoring"), place, fault)
    made = read_in_process(
        {"predictions.csv": full_submission()}, BASE.write(tmp_path / "ref"), tmp_path / "run"
    )
    said = made.logs["scoring.stdout"] + made.logs["scoring.stderr"]
    assert "Nothing was scored" in said
    assert SCORES not in made.files
    assert holds_no_gold(said + made.files.get(PAGE, b"").decode())


def holds_no_gold(text: str) -> bool:
    return not CLAIM.search(text) and "5001" not in text and "Traceback" not in text


def header_lost(text: str) -> str:
    return text.partition("\n")[2]


def column_renamed(text: str) -> str:
    return text.replace("label", "gold_label").replace("narrative", "gold_narrative")


def label_unknown(text: str) -> str:
    return text.replace(",Supports", ",Sustains").replace("1_1", "9_9")


def row_torn(text: str) -> str:
    return text.replace("c05,", "c05,,,,,")


def row_twice(text: str) -> str:
    return "".join(line + ("\n" + line if "c05" in line else "") + "\n" for line in text.split())


def claim_unknown(text: str) -> str:
    return text.replace("c05", "c05-5001-Supports")


def quote_open(text: str) -> str:
    return text.replace("c05,", 'c05,"')


def one_long_cell(text: str) -> str:
    return text.replace("c05,", "c05," + "5001Supports" * 2_000)


BREAKS = [
    header_lost,
    column_renamed,
    label_unknown,
    row_torn,
    row_twice,
    claim_unknown,
    quote_open,
    one_long_cell,
]


@pytest.mark.parametrize("broken", BREAKS)
@pytest.mark.parametrize("name", ["task1_gold.csv", "task2_gold.csv"])
def test_a_broken_gold_file_is_told_without_what_stands_in_it(
    tmp_path: Path, name: str, broken: Callable[[str], str]
) -> None:
    reference = BASE.write(tmp_path / "ref")
    text = (reference / name).read_text().replace("Not Enough Information", "NEI")
    changed = broken(text)
    assert changed != text
    (reference / name).write_text(changed)
    made = read_in_process({"predictions.csv": full_submission()}, reference, tmp_path / "run")
    said = made.logs["scoring.stdout"] + made.logs["scoring.stderr"]
    assert "fault of the competition" in said and name in said
    assert holds_no_gold(said)
    assert not re.search(r"Sustains|Supports|9_9|1_1", said)
    assert only_in(made.files, "scoring/") == {}


def test_the_files_in_validated_hold_the_submission_and_nothing_else(run: Runs) -> None:
    made = run(GOOD["middling"], BASE)
    task1 = made.files["prediction/validated/task1.csv"].decode().splitlines()
    written = GOOD["middling"].decode().splitlines()
    assert [row[:2] for row in csv.reader(task1)] == [row[:2] for row in csv.reader(written)]
