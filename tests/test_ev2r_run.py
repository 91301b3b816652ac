"""The commands of Ev2R from end to end, on the example and on the sample edition."""

import csv
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("openai")

from baselines.chat import approximate_tokens
from organiser.analysis.__main__ import main as make_report
from organiser.ev2r import audit, status
from organiser.ev2r.__main__ import main
from organiser.ev2r.cost import ANSWER_TOKENS
from organiser.ev2r.facts import Counts
from organiser.ev2r.prompt import read_prompt
from tests import ev2r_example as example
from tests.conftest import CLAIMS, Tiny, full_submission, rows
from tests.stub_server import StubServer, says

PAIRS = len(example.COUNTS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return example.write(tmp_path / "edition")


def options(folder: Path, *more: str) -> list[str]:
    given = {
        "submissions": folder / "submissions",
        "reference": folder,
        "abstracts": folder / "abstracts.csv",
        "out": folder / "out",
        "store": folder / "store.sqlite",
    }
    return [*(part for name, value in given.items() for part in (f"--{name}", str(value))), *more]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubServer]:
    """The example's endpoint, named in the environment."""
    with StubServer(example.knows) as server:
        monkeypatch.setenv("CLIMATECHECK_CHAT_MODEL", "stub")
        monkeypatch.setenv("CLIMATECHECK_CHAT_BASE_URL", server.base_url)
        monkeypatch.setenv("CLIMATECHECK_CHAT_KEY", "k")
        yield server


CHAT = ("--reference-backend", "chat")


# --- the embedded defaults ------------------------------------------------------------------------


def test_the_defaults_are_labelled_as_approximations_everywhere(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options(folder)) == 0
    printed = capsys.readouterr().out
    made = contents(folder / "out")
    for text in (printed, made["report.html"].decode(), made["ev2r_section.json"].decode()):
        assert "no ranking" in text and "lexical (approximation)" in text
    for name in ("ev2r_claims.csv", "ev2r_abstracts.csv", "ev2r_pairs.csv"):
        assert all("approximation" in row["reference"] for row in table(folder / "out" / name))
    for name in ("ev2r", "ev2r_beside", "ev2r_worth"):
        assert "approximation" in made[f"tables/{name}.tex"].decode()


def test_the_details_add_up_to_the_table(folder: Path) -> None:
    main(options(folder))
    out = folder / "out"
    claims, abstracts, pairs = (
        table(out / f"ev2r_{name}.csv") for name in ("claims", "abstracts", "pairs")
    )
    shown = {row["team"]: row for row in table(out / "tables" / "ev2r.csv")}
    # A: c1 (100, 101) and c2 (200); B: c1 (100), c2 (200, 201), c4 (four).
    assert len(claims) == 2 + 3 and len(abstracts) == 3 + 7
    assert len(pairs) == 2 * 3 + 2 * 1 + 4 * 1
    for team in "AB":
        of_team = [float(row["ev2r"]) for row in claims if row["team"] == team]
        assert float(shown[team]["ev2r"]) == pytest.approx(sum(of_team) / len(of_team))
        assert shown[team]["claims"] == str(len(of_team))
    assert float(shown["B"]["unannotated_per_claim"]) == pytest.approx(7 / 3)
    for row in abstracts:
        same = [p for p in pairs if p["abstract_id"] == row["abstract_id"]]
        best = max(same, key=lambda p: (float(p["f1"]), -int(p["gold_abstract_id"])))
        assert (row["s_ref"], row["g_star"]) == (best["f1"], best["gold_abstract_id"])
        assert (row["y_star"], row["g_star_pair"]) == (best["gold_label"], best["pair"])
        both = float(row["s_ref"]) + float(row["s_proxy"])
        assert float(row["ev2r"]) == pytest.approx(both / 2)


def test_a_second_run_writes_the_same_bytes(folder: Path) -> None:
    main(options(folder))
    first = contents(folder / "out")
    assert main(options(folder)) == 0
    assert contents(folder / "out") == first


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_texts_come_from_any_form_of_file(folder: Path, kind: str) -> None:
    main(options(folder))
    expected = contents(folder / "out")
    found = table(folder / "abstracts.csv")
    path = folder / f"abstracts.{kind}"
    if kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in found))
    else:
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(found), path)
    claims = folder / "texts.jsonl"
    claims.write_text("".join(json.dumps(row) + "\n" for row in table(folder / "claims.csv")))
    assert main(options(folder, "--abstracts", str(path), "--claims", str(claims))) == 0
    assert contents(folder / "out") == expected


def test_a_missing_text_is_a_failure_and_no_0(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (folder / "abstracts.csv").read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("201,", "300,"))]
    (folder / "abstracts.csv").write_text("\n".join([*kept, ""]))
    assert main(options(folder)) == 0
    captured = capsys.readouterr()
    assert "lacks the text of 1 of 15 abstracts (first: 201)" in captured.err
    shown = {row["team"]: row for row in table(folder / "out" / "tables" / "ev2r.csv")}
    assert (shown["A"]["complete"], shown["B"]["complete"]) == ("yes", "INCOMPLETE")
    (row,) = (r for r in table(folder / "out" / "ev2r_abstracts.csv") if r["abstract_id"] == "201")
    assert (row["ev2r"], row["ev2r_low"], row["ev2r_high"]) == ("", "0.0", "1.0")
    bounds = {r["team"]: r for r in table(folder / "out" / "tables" / "ev2r_incomplete.csv")}
    assert (
        float(bounds["B"]["least_bound"])
        <= float(bounds["B"]["ev2r"])
        < float(bounds["B"]["greatest_bound"])
    )


def test_missing_texts_are_announced_and_values_on_one_claim_have_no_interval(folder: Path) -> None:
    lines = (folder / "abstracts.csv").read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("20,", "400,", "401,", "402,", "403,"))]
    (folder / "abstracts.csv").write_text("\n".join([*kept, ""]))
    assert main(options(folder)) == 0
    page = (folder / "out" / "report.html").read_text("utf-8")
    # Of 12 comparisons those of 200 and 201 with 20 and those of 400 to 403 cannot be made.
    assert "TEXTS MISSING: 6 comparisons" in page and "TEXTS ARE MISSING: 6 of 12" in page
    assert "can therefore lie outside its own bounds" in page
    assert "No interval is given for a value that rests on a single claim." in page
    shown = {row["team"]: row for row in table(folder / "out" / "tables" / "ev2r.csv")}
    # Something is known of c1 alone; A has unannotated abstracts of c1, c2; B of c1, c2, c4.
    assert [shown[team]["claims"] for team in "AB"] == ["1", "1"]
    assert float(shown["B"]["unannotated_per_claim"]) == pytest.approx(7 / 3)
    for team in "AB":
        assert shown[team]["ev2r"] and shown[team]["ev2r_low"] == ""  # no interval
    bounds = {r["team"]: r for r in table(folder / "out" / "tables" / "ev2r_incomplete.csv")}
    unknown = [bounds[team]["claims_of_which_nothing_is_known"] for team in "AB"]
    assert unknown == ["1", "2"]


# --- what it costs --------------------------------------------------------------------------------


def test_a_dry_run_asks_nothing_and_tells_the_cost(
    folder: Path, endpoint: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options(folder, *CHAT, "--dry-run", "1")) == 0
    printed = capsys.readouterr().out
    prompt = sum(
        approximate_tokens(read_prompt().messages(f"abstract {a}", f"abstract {b}"))
        for a, b in example.COUNTS
    )
    answers = PAIRS * ANSWER_TOKENS
    assert f"{PAIRS} pairs: 0 done, 0 failed, 0 in hand, {PAIRS} open" in printed
    assert (
        f"{PAIRS} calls, about {prompt:,} tokens of prompts and {answers:,} of answers" in printed
    )
    assert endpoint.calls == []
    assert not (folder / "store.sqlite").exists() and not (folder / "out").exists()


def test_a_budget_a_status_and_the_rest(
    folder: Path,
    endpoint: StubServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CLIMATECHECK_CHAT_BUDGET_CALLS", "5")
    assert main(options(folder, *CHAT)) == 3
    printed = capsys.readouterr().out
    assert "ended early: the budget of 5 calls is spent" in printed and "INCOMPLETE" in printed
    assert status.main(options(folder, *CHAT)) == 0
    printed = capsys.readouterr().out
    assert f"{PAIRS} pairs: 5 done, 0 failed" in printed
    # The stub says that an answer has 5 tokens.
    assert f"{PAIRS - 5} calls" in printed and f"{(PAIRS - 5) * 5} of answers" in printed
    monkeypatch.delenv("CLIMATECHECK_CHAT_BUDGET_CALLS")
    assert main(options(folder, *CHAT)) == 0
    assert len(endpoint.calls) == PAIRS
    pairs = table(folder / "out" / "ev2r_pairs.csv")
    found = {
        (int(p["abstract_id"]), int(p["gold_abstract_id"])): tuple(
            int(p[name])
            for name in ("facts", "facts_supported", "gold_facts", "gold_facts_supported")
        )
        for p in pairs
    }
    assert found == example.COUNTS


def test_a_dry_run_counts_what_is_tried_again(
    folder: Path, endpoint: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint._script = [says("no")]
    assert main(options(folder, *CHAT)) == 0
    asked = len(endpoint.calls)
    capsys.readouterr()
    for more, expected in (((), "the rest: nothing"), (("--retry-failed", "1"), f"{PAIRS} calls,")):
        assert main(options(folder, *CHAT, "--dry-run", "1", *more)) == 0
        of_chat = capsys.readouterr().out.split("proxy part")[0]
        assert f"{PAIRS} failed" in of_chat and expected in of_chat
    assert len(endpoint.calls) == asked


def test_an_interrupted_run_says_that_answers_are_kept(
    folder: Path, endpoint: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    from organiser.ev2r import chat

    read = chat.usable_counts

    def interrupted(text: str, finish_reason: str, refusal: str) -> Counts:
        signal.raise_signal(signal.SIGINT)  # what Ctrl-C does
        return read(text, finish_reason, refusal)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(chat, "usable_counts", interrupted)
            assert main(options(folder, *CHAT)) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    said = capsys.readouterr().err
    assert f"Interrupted: {folder / 'store.sqlite'} keeps every answer" in said
    assert main(options(folder, *CHAT)) == 0


def test_audit_names_what_it_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import sqlite3

    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE pairs (id)")
    connection.close()
    (tmp_path / "text").write_text("no database" * 100)
    for name, what in (
        ("foreign.sqlite", "something else"),
        ("text", "not a database"),
        ("absent", "there is no store"),
    ):
        assert audit.main(["1", "--store", str(tmp_path / name)]) == 2
        assert what in capsys.readouterr().err


def test_a_score_can_be_followed_to_the_raw_answer(
    folder: Path, endpoint: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    main(options(folder, *CHAT))
    found = table(folder / "out" / "ev2r_abstracts.csv")
    pair = next(row["g_star_pair"] for row in found if row["abstract_id"] == "101")
    capsys.readouterr()
    assert audit.main([pair, "--store", str(folder / "store.sqlite")]) == 0
    printed = capsys.readouterr().out
    assert f"text: {example.in_json(example.COUNTS[101, 12])}" in printed
    assert "model: stub" in printed and f"prompt: {read_prompt().hash}" in printed
    assert audit.main(["999", "--store", str(folder / "store.sqlite")]) == 2


def test_replay_from_the_command_line(folder: Path, endpoint: StubServer) -> None:
    main(options(folder, *CHAT))
    first = contents(folder / "out")
    calls = len(endpoint.calls)
    both = ("--reference-backend", "replay", "--proxy", "replay")
    assert main(options(folder, *both)) == 0
    assert contents(folder / "out") == first and len(endpoint.calls) == calls


def test_worth_is_asked_for_with_an_endpoint(folder: Path, endpoint: StubServer) -> None:
    gold = {(a, b): (2, 1, 2, 1) for a in (10, 11, 12) for b in (10, 11, 12) if a != b}
    endpoint._script = lambda body: says(
        example.in_json({**example.COUNTS, **gold}[example.asked_about(body)])
    )
    assert main(options(folder, *CHAT, "--worth", "1")) == 0
    assert len(endpoint.calls) == PAIRS + 6
    made = table(folder / "out" / "tables" / "ev2r_worth.csv")
    assert made[0]["value"] == "0.5" and made[0]["abstracts"] == "3"  # all alike: chance


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (("--reference-backend", "oracle"), "no back end “oracle”"),
        (("--reference-backend", "replay"), "no such recorded answers"),
        (CHAT, "no model is named"),
        (("--abstracts", "nowhere.csv"), "nowhere.csv does not exist"),
        (("--train", "nowhere"), "no folder nowhere"),
        (("--submissions", "nowhere"), "nowhere"),
        (("--prompt", "nowhere.txt", *CHAT), "no model is named"),
    ],
)
def test_what_an_organiser_can_mend_is_said(
    folder: Path, more: tuple[str, ...], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options(folder, *more)) == 2
    assert what in capsys.readouterr().err


# --- the report -----------------------------------------------------------------------------------


def test_the_report_takes_what_a_run_found_on_the_same_data_alone(
    tiny: Tiny, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = [1000 * i + k for i in range(len(CLAIMS)) for k in (1, 2, 3)] + [
        100_000,
        100_001,
        100_002,
    ]
    texts = [f"{id_},Finding {id_} on the climate." for id_ in ids]
    (tmp_path / "abstracts.csv").write_bytes(rows("abstract_id,abstract", texts))
    (tmp_path / "submissions").mkdir()
    for team, content in (("A", full_submission()), ("B", full_submission())):
        (tmp_path / "submissions" / f"{team}.csv").write_bytes(content)
    given = [
        *options(tmp_path)[:2],
        "--reference",
        str(tiny.reference),
        "--input",
        str(tiny.inputs),
    ]
    assert main([*given, *options(tmp_path)[4:]]) == 0
    told = ["--ev2r", str(tmp_path / "out"), "--out", str(tmp_path / "report")]
    assert make_report([*given, *told]) == 0
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert "Ev2R of each submission" in page and "lexical (approximation)" in page
    assert (tmp_path / "report" / "tables" / "ev2r.csv").read_bytes() == (
        tmp_path / "out" / "tables" / "ev2r.csv"
    ).read_bytes()
    (tmp_path / "submissions" / "B.csv").write_text("claim_id,abstract_id,rank\nc01,100000,1\n")
    assert make_report([*given, *told]) == 2
    assert "rests on other data than this report (team B)" in capsys.readouterr().err
