"""The prompting strategies against a local endpoint with every fault that a real one can have."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai")

from baselines.chat import Answer, ChatSettings, ParseError
from baselines.prediction_file import Retrieved, write_predictions
from baselines.prompting import questions, tasks
from baselines.prompting.__main__ import main
from baselines.prompting.questions import Outcome, RunEnded, put
from baselines.prompting.strategies import (
    NARRATIVES,
    VERIFICATION,
    Strategy,
    ask_label,
    ask_narratives,
    codes_in_groups,
    label,
    plain_codes,
)
from baselines.prompting.templates import PROMPTS, codebook, narrative_note
from climatecheck import edition, read_claims, read_gold, read_submission, taxonomy
from tests import stub_server as stub
from tests.stub_server import StubServer, says, status

ROOT = Path(__file__).resolve().parents[1]
TRAIN = ROOT / "starting_kit" / "data" / "train"
ABSTRACTS = ROOT / "starting_kit" / "data" / "abstracts.csv"


def in_json(**answer: Any) -> str:
    return json.dumps(answer)


def supports(explanation: str = "It says so.") -> str:
    return in_json(explanation=explanation, label="Supports")


GOOD = {
    "direct": "2_1;5_2",
    "hierarchical": in_json(analysis="The sun.", groups=["2", "5"], codes=["2_1", "5_2"]),
    "explanation-first": supports(),
    "label-first": in_json(label="Supports", explanation="It says so."),
}
STRATEGIES: dict[str, Strategy[str]] = {**NARRATIVES, **VERIFICATION}


def asked(strategy: str, names: str = "a") -> tasks.Questions:
    if strategy in NARRATIVES:
        return {n: ask_narratives(NARRATIVES[strategy], f"Claim {n}") for n in names}
    return {n: ask_label(VERIFICATION[strategy], f"Claim {n}", "An abstract") for n in names}


def run(
    server: StubServer, strategy: str = "direct", names: str = "a", **given: Any
) -> Outcome[str]:
    answers = given.pop("answers", None)
    quick = {"concurrency": 1, "backoff_seconds": 0.001, "max_attempts": 2}
    settings = ChatSettings("stub", server.base_url, **{**quick, **given})
    return put(asked(strategy, names), STRATEGIES[strategy], settings, answers=answers)


# Prompts


def test_the_codebook_describes_every_code_once() -> None:
    text = codebook()
    for code, name in taxonomy.NARRATIVES.items():
        (line,) = [one for one in text.splitlines() if one.startswith(f"- {code} ")]
        meaning = line.removeprefix(f"- {code} {name}. ")
        assert re.fullmatch(r"[A-Z].+\. Not: [A-Z].+\.", meaning), line
    groups = [line[:8] for line in text.splitlines() if line.startswith("Group ")]
    assert groups == [f"Group {group}:" for group in taxonomy.GROUPS]
    book = __import__("yaml").safe_load((PROMPTS / "codebook.yaml").read_text("utf-8"))
    assert set(book["codes"]) == set(taxonomy.CODES) and set(book["groups"]) == set(taxonomy.GROUPS)


def test_a_code_that_the_codebook_lacks_has_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(taxonomy.NARRATIVES, "5_4", "A later narrative")
    monkeypatch.setattr(taxonomy, "CODES", (*taxonomy.CODES, "5_4"))
    assert codebook.__wrapped__().splitlines()[-1] == "- 5_4 A later narrative"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_place_is_filled_and_the_answer_shown_can_be_read(strategy: str) -> None:
    told, question = asked(strategy)["a"]
    assert (told["role"], question["role"]) == ("system", "user")
    assert "{{" not in told["content"] + question["content"]
    assert "<claim>\nClaim a\n</claim>" in question["content"]
    shown = told["content"].splitlines()[-1]
    if strategy in NARRATIVES:
        assert STRATEGIES[strategy].parse(shown)
    else:
        example = re.sub(' or "[^"]*"', "", shown)
        assert STRATEGIES[strategy].parse(example) == "Supports"
        assert "<abstract>\nAn abstract\n</abstract>" in question["content"]
    assert STRATEGIES[strategy].parse(GOOD[strategy]) in ("2_1;5_2", "Supports")


def test_the_order_of_the_answer_is_that_of_the_strategy() -> None:
    for name, first in (("explanation-first", "explanation"), ("label-first", "label")):
        told = asked(name)["a"][0]["content"]
        assert told.splitlines()[-1].startswith(f'{{"{first}"')
        schema = VERIFICATION[name].schema
        assert schema is not None and next(iter(schema["properties"])) == first
    hierarchical = NARRATIVES["hierarchical"].schema
    assert hierarchical is not None
    assert list(hierarchical["properties"]) == ["analysis", "groups", "codes"]


def test_a_claim_cannot_fill_a_place() -> None:
    (_, question) = ask_label(VERIFICATION["label-first"], "{{abstract}} {{x}}", "Text")
    assert "<claim>\n{{abstract}} {{x}}\n</claim>" in question["content"]


def test_the_verifier_is_told_the_groups_if_there_are_some() -> None:
    plain = ask_label(VERIFICATION["label-first"], "C", "A")
    aware = ask_label(VERIFICATION["label-first"], "C", "A", ["2_1", "2_5", "5_3"])
    assert plain[0] == aware[0]
    assert aware[1]["content"].startswith("A classifier, which may err")
    assert aware[1]["content"].endswith(plain[1]["content"])
    assert (
        narrative_note(["2_1", "2_5", "5_3"])
        .splitlines()[0]
        .endswith(
            ": 2 (Human greenhouse gases are not causing climate change); "
            "5 (Climate movement/science is unreliable)."
        )
    )


# Parsing


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("0_0", "0_0"),
        (" 5_1;2_1\n", "2_1;5_1"),
        ("2_1, 5_1", "2_1;5_1"),
        ("['1_1']", "1_1"),
        ("0", "0_0"),
        ("<think>1_1? No.</think>\n\n3_3", "3_3"),
        ("1_0;1_1", "1_0;1_1"),  # unusual, but the site accepts it
    ],
)
def test_codes_that_can_be_read(text: str, codes: str) -> None:
    assert plain_codes(text) == codes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no code"),
        ("The codes are 2_1 and 5_1.", "'The codes are 2_1 and 5_1.' is not a code"),
        ("2_1;9_9", "'9_9' is not a code"),
        ("2_1_4", "'2_1_4' is not a code"),
        ("0_0;2_1", "0_0 stands alone"),
        ("<think>2_1", "reasoning does not end"),
        ("2_1 because of the sun", "not a code"),
    ],
)
def test_codes_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=re.escape(message)):
        plain_codes(text)


@pytest.mark.parametrize(
    ("groups", "codes", "message"),
    [
        (["2"], ["5_1"], "the codes are of group 5, but the groups named are 2"),
        (["2", "5"], ["2_1"], "the codes are of group 2, but the groups named are 2, 5"),
        ([], ["2_1"], "the groups named are none"),
        (["7"], ["2_1"], "'7' is not a group"),
        (["2"], [], "there is no code in it"),
        (["2"], "2_1", "codes should be a list of texts, found '2_1'"),
        ([2], ["2_1"], "groups should be a list of texts"),
        (["0", "2"], ["0_0", "2_1"], "0_0 stands alone"),
    ],
)
def test_groups_and_codes_that_do_not_fit(groups: Any, codes: Any, message: str) -> None:
    with pytest.raises(ParseError, match=re.escape(message)):
        codes_in_groups(in_json(analysis="x", groups=groups, codes=codes))
    with pytest.raises(ParseError, match="analysis is missing"):
        codes_in_groups(in_json(groups=["2"], codes=["2_1"]))
    assert codes_in_groups(in_json(analysis="", groups=["0"], codes=["0_0"])) == "0_0"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"explanation": "x", "label": "Perhaps"}, "'Perhaps' is none of Supports, Refutes"),
        ({"explanation": "x"}, "label is missing"),
        ({"label": "Supports"}, "explanation is missing"),
        ({"explanation": " ", "label": "Supports"}, "the explanation is empty"),
        ({"explanation": "x", "label": ["Supports"]}, "label should be a text"),
    ],
)
def test_labels_that_cannot_be_read(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(ParseError, match=re.escape(message)):
        label(json.dumps(answer))
    for written, read in (("NEI", "Not Enough Information"), ("refutes", "Refutes")):
        assert label(in_json(explanation="x", label=written)) == read


# Asking


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_good_answer_is_asked_for_once(strategy: str) -> None:
    with StubServer([says(GOOD[strategy])]) as server:
        outcome = run(server, strategy, "ab")
    expected = "2_1;5_2" if strategy in NARRATIVES else "Supports"
    assert outcome.values == {"a": expected, "b": expected}
    assert (len(server.calls), outcome.again, outcome.unreadable) == (2, 0, ())
    assert ("response_format" in server.calls[0].body) == (strategy != "direct")


@pytest.mark.parametrize("kind", stub.BAD_TEXTS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_unreadable_answer_is_asked_for_again(strategy: str, kind: str) -> None:
    bad = stub.BAD_TEXTS[kind]
    with StubServer([bad, says(GOOD[strategy])]) as server:
        outcome = run(server, strategy)
    assert outcome.values["a"] in ("2_1;5_2", "Supports")
    assert (outcome.again, outcome.unreadable, len(server.calls)) == (1, (), 2)
    first, second = (call.body["messages"] for call in server.calls)
    assert second[:2] == first and [m["role"] for m in second[2:]] == ["assistant", "user"]
    assert second[2]["content"] != ""
    assert second[3]["content"].startswith("This answer cannot be read: ")
    assert ("cut off at the limit" in second[3]["content"]) == (kind == "truncated")


@pytest.mark.parametrize(
    ("strategy", "default"), [("direct", "0_0"), ("label-first", "Not Enough Information")]
)
def test_what_cannot_be_read_in_the_end_gets_the_default_and_is_counted(
    strategy: str, default: str
) -> None:
    def script(body: stub.Body) -> stub.Reply:
        return says("Hm." if "Claim a" in body["messages"][1]["content"] else GOOD[strategy])

    with StubServer(script) as server:
        outcome = run(server, strategy, "ab")
    assert outcome.values["a"] == default != outcome.values["b"]
    assert (outcome.unreadable, outcome.failed, len(server.calls)) == (("a",), (), 4)
    said = outcome.log(default)
    assert said.startswith("2 questions, 0 of them answered before; 4 calls, 60 tokens; 2 asked")
    assert said.endswith(f"; 1 gave no readable answer and got {default}.")


@pytest.mark.parametrize("kind", stub.BAD_COMPLETIONS)
def test_a_bad_response_is_called_for_again(kind: str) -> None:
    with StubServer([stub.BAD_COMPLETIONS[kind], says("1_1")]) as server:
        outcome = run(server)
    assert (outcome.values, outcome.again, outcome.summary.calls) == ({"a": "1_1"}, 0, 2)


def test_a_question_that_the_endpoint_fails_on(capsys: pytest.CaptureFixture[str]) -> None:
    def script(body: stub.Body) -> stub.Reply:
        bad = "Claim b" in body["messages"][1]["content"]
        return status(400, message="content filter") if bad else says("1_1")

    with StubServer(script) as server:
        outcome = run(server, names="abc")
    assert outcome.values == {"a": "1_1", "b": "0_0", "c": "1_1"}
    assert outcome.failed == ("b",) and outcome.unreadable == ()
    assert "1 failed at the endpoint and got 0_0." in outcome.log("0_0")
    assert "b: " in capsys.readouterr().err


def test_a_server_that_takes_no_schema() -> None:
    script = stub.refuses_response_format(lambda body: says(GOOD["hierarchical"]))
    with StubServer(script) as server:
        outcome = run(server, "hierarchical", "ab")
    assert set(outcome.values.values()) == {"2_1;5_2"} and len(server.calls) == 3


@pytest.mark.parametrize("given", [{"budget_calls": 2}, {"budget_tokens": 20}])
def test_a_run_that_ends_early_gives_no_values(given: dict[str, int], tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    with StubServer([says("1_1")]) as server:
        with pytest.raises(RunEnded, match="2 of 4 questions have an answer"):
            run(server, names="abcd", answers=answers, **given)
        outcome = run(server, names="abcd", answers=answers)
        assert (outcome.kept, len(server.calls)) == (2, 4)


def test_codes_that_were_cut_off_are_not_taken(tmp_path: Path) -> None:
    """With the limit at its token, 2_1;5_2 looks like 2_1; an object shows that it is whole."""
    cut = says("2_1", finish_reason="length")
    answers = tmp_path / "answers.jsonl"
    with StubServer([cut, says("2_1;5_2")]) as server:
        assert run(server, answers=answers).values == {"a": "2_1;5_2"}
        assert run(server, answers=answers).kept == 1
    assert "cut off at the limit" in server.calls[1].body["messages"][3]["content"]
    whole = says(GOOD["hierarchical"], finish_reason="length")
    with StubServer([whole]) as server:
        outcome = run(server, "hierarchical")
    assert (outcome.values, len(server.calls)) == ({"a": "2_1;5_2"}, 1)


def test_a_run_that_fails_on_every_question_gives_no_values() -> None:
    refused = status(400, message="no such parameter")
    with (
        StubServer([refused]) as server,
        pytest.raises(RunEnded, match=r"failed on all 2 questions .*no such parameter"),
    ):
        run(server, names="ab")


def test_a_refused_key_ends_the_run() -> None:
    with StubServer([status(401)]) as server, pytest.raises(RunEnded, match="HTTP 401"):
        run(server)


# Answers on disk


def test_an_answer_is_kept_and_not_asked_for_twice(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    with StubServer([says("Hm."), says("1_1")]) as server:
        first = run(server, names="a", answers=answers)
        again = run(server, names="ab", answers=answers)
    assert (first.kept, again.kept, len(server.calls)) == (0, 1, 3)
    assert again.values == {"a": "1_1", "b": "1_1"}
    entries = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [(e["question"], e["text"], "unreadable" in e) for e in entries] == [
        ("a", "Hm.", True),
        ("a", "1_1", False),
        ("b", "1_1", False),
    ]


@pytest.mark.parametrize("changed", [{"model": "other"}, {"temperature": 0.5}, {"strategy": 1}])
def test_whatever_decides_an_answer_has_it_asked_anew(
    changed: dict[str, Any], tmp_path: Path
) -> None:
    answers = tmp_path / "answers.jsonl"
    with StubServer([says(GOOD["explanation-first"])]) as server:
        run(server, "explanation-first", answers=answers)
        strategy = "label-first" if changed.pop("strategy", 0) else "explanation-first"
        settings = ChatSettings(**{"model": "stub", "base_url": server.base_url, **changed})
        outcome = put(asked(strategy), STRATEGIES[strategy], settings, answers=answers)
    assert (outcome.kept, len(server.calls)) == (0, 2)


@pytest.mark.parametrize("strange", ["\u2028", "\u0085", "\x0c", "\ud83d"])
def test_an_answer_with_any_character_is_kept(strange: str, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    whole = [{"key": "other", "text": "x"}, {"key": "k", "text": f"a{strange}b"}]
    old = [json.dumps(e, ensure_ascii=strange == "\ud83d") for e in whole]
    answers.write_text("\n".join(old) + "\n", "utf-8")
    run_ = questions._Run(STRATEGIES["direct"], ChatSettings("stub", "http://localhost"), 3)
    run_.read(answers)
    assert run_._old["k"] == [(f"a{strange}b", False)]
    with answers.open("a", encoding="utf-8") as run_.file:
        run_._keys["q"] = "new"
        run_._keep("q", Answer("q", f"c{strange}d", None, 1, 0.0), None)
    run_._old.clear()
    run_.read(answers)
    assert run_._old["new"] == [(f"c{strange}d", False)]


def test_what_never_was_readable_is_not_asked_again(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    with StubServer([says("Hm.")]) as server:
        first = run(server, answers=answers)
        again = run(server, answers=answers)
    assert (first.kept, first.again, first.unreadable, len(server.calls)) == (0, 2, ("a",), 3)
    assert (again.kept, again.again, again.unreadable) == (1, 0, ("a",))
    assert again.values == first.values == {"a": "0_0"}


def test_the_tries_of_an_earlier_run_count(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    with StubServer([says("Hm."), says("Well.")]) as server:
        with pytest.raises(RunEnded, match="0 of 1 questions"):
            run(server, answers=answers, budget_calls=2)
        server_calls = len(server.calls)
    with StubServer([says("Ah.")]) as server:
        outcome = run(server, answers=answers)
    assert (server_calls, len(server.calls), outcome.unreadable) == (2, 1, ("a",))
    said = [message["content"] for message in server.calls[0].body["messages"][2:]]
    assert [said[0], said[2]] == ["Hm.", "Well."]


def test_a_line_that_was_cut_off_is_asked_again(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    with StubServer([says("1_1")]) as server:
        run(server, names="ab", answers=answers)
        answers.write_bytes(answers.read_bytes()[:-20])
        assert run(server, names="ab", answers=answers).kept == 1
        assert run(server, names="ab", answers=answers).kept == 2
    assert len(server.calls) == 3


KILLED = """
import sys
from pathlib import Path
from tests.test_prompting import ChatSettings, NARRATIVES, asked, put
names = "abcdefghijklmnopqrstuvwxyz"
settings = ChatSettings("stub", sys.argv[1], concurrency=2)
put(asked("direct", names), NARRATIVES["direct"], settings, answers=Path(sys.argv[2]))
"""


def test_killed_in_the_middle_it_goes_on(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    with StubServer([says("1_1")], latency=0.05) as server:
        command = [sys.executable, "-c", KILLED, server.base_url, str(answers)]
        with subprocess.Popen(command, cwd=ROOT) as process:
            while len(server.calls) < 10 and process.poll() is None:
                time.sleep(0.01)
            process.kill()
        time.sleep(0.15)
        before = len(server.calls)
        outcome = run(server, names="abcdefghijklmnopqrstuvwxyz", answers=answers, concurrency=4)
    assert before < 26 and outcome.kept >= 6
    assert before - outcome.kept <= 4  # in flight, or sent and not yet read
    assert len(server.calls) == before + 26 - outcome.kept
    assert set(outcome.values.values()) == {"1_1"}


# The command line


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    def enter(server: StubServer) -> list[str]:
        monkeypatch.setenv("CLIMATECHECK_CHAT_BASE_URL", server.base_url)
        monkeypatch.setenv("CLIMATECHECK_CHAT_MODEL", "stub")
        return ["--out", str(tmp_path / "out.zip"), "--answers", str(tmp_path / "answers.jsonl")]

    return enter


def test_narratives_from_claims_to_a_submission(
    environment: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(body: stub.Body) -> stub.Reply:
        doubtful = "hoax" in body["messages"][1]["content"].lower()
        codes = ["5_3"] if doubtful else ["0_0"]
        return says(in_json(analysis="x", groups=[codes[0][0]], codes=codes))

    with StubServer(script) as server:
        common = environment(server)
        assert main(["narratives", "--strategy", "hierarchical", *common]) == 0
        assert main(["narratives", "--strategy", "hierarchical", *common]) == 0
        claims = read_claims(ROOT / "input_data" / "claims.csv")
        assert len(server.calls) == len(claims)
    submission = read_submission(tmp_path / "out.zip", claims)
    assert submission.valid and submission.tasks == ("2",) and submission.task2 is not None
    marked = submission.task2.dense(len(claims))[:, taxonomy.CODES.index("5_3")]
    assert marked.tolist() == ["hoax" in text.lower() for text in claims.texts]
    shown = capsys.readouterr()
    assert f"{len(claims)} of them answered before; 0 calls" in shown.err
    assert "narratives of 70 claims" in shown.out


def test_labels_of_retrieved_abstracts(environment: Any, tmp_path: Path) -> None:
    claims = read_claims(ROOT / "input_data" / "claims.csv")
    ids = sorted(tasks.read_abstract_texts(ABSTRACTS))[:12]
    rows = [Retrieved(claim, id_) for claim in claims.ids[:3] for id_ in ids]
    retrieved, known = tmp_path / "retrieved.zip", tmp_path / "narratives.zip"
    write_predictions(retrieved, rows)
    write_predictions(known, narratives=dict.fromkeys(claims.ids, "2_1"))
    arguments = ["verification", "--retrieved", str(retrieved), "--narratives", str(known)]
    with StubServer([says(supports())]) as server:
        assert main([*arguments, *environment(server)]) == 0
    made = read_submission(tmp_path / "out.zip", claims)
    assert made.valid and made.tasks == ("1.1", "1.2", "2") and made.task1 is not None
    assert len(made.task1) == 3 * edition.VERIFICATION_DEPTH == len(server.calls)
    assert made.task1.abstract[:10].tolist() == ids[:10]
    assert set(made.task1.label.tolist()) == {0}
    assert all("2 (Human greenhouse gases" in text for text in server.texts)


def test_verification_without_and_with_the_narrative(
    environment: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A verifier that knows the gold only where it is told of group 1."""
    gold, abstracts = read_gold(TRAIN), tasks.read_abstract_texts(ABSTRACTS)
    truth = {
        (gold.claims.texts[claim], abstracts[id_]): edition.LABELS[k]
        for claim, id_, k in zip(
            gold.claim.tolist(), gold.abstract.tolist(), gold.label.tolist(), strict=True
        )
    }

    def script(body: stub.Body) -> stub.Reply:
        text = body["messages"][1]["content"]
        pair = tuple(re.findall(r"<(?:claim|abstract)>\n(.*?)\n</", text))
        knows = "1 (Global warming is not happening)" in text
        return says(in_json(explanation="x", label=truth[pair] if knows else "Refutes"))

    known = tmp_path / "narratives.zip"
    rows = zip(gold.narratives.claim.tolist(), gold.narratives.codes, strict=True)
    codes = {gold.claims.ids[c]: ";".join(tasks._codes(row)) for c, row in rows}
    write_predictions(known, narratives=codes)
    with StubServer(script) as server:
        common = environment(server)[2:]
        assert main(["compare", "--dev", "--narratives", str(known), *common]) == 0
    lines = capsys.readouterr().out.splitlines()
    (head,) = [line for line in lines if line.startswith("group ")]
    assert head.split() == ["group", "claims", "pairs", "without", "with", *head.split()[5:]]
    cells = {line[:1]: line.split() for line in lines if line[:1] in "0123456789" and line}
    whole = cells["1"].index("1.000")
    assert float(cells["1"][whole - 1]) < 1.0  # without, everything was Refutes
    assert cells["3"][-3] == "+0.000" or cells["3"][-2] == "[+0.000,"


def test_what_it_would_take_is_said_and_nothing_asked(
    environment: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with StubServer([says("1_1")]) as server:
        assert main(["narratives", "--dry-run", *environment(server)]) == 0
        assert server.calls == []
    assert re.match(r"70 questions of about [\d,]+ tokens", capsys.readouterr().out)


def test_no_predictions_where_every_call_failed(
    environment: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with StubServer([status(400, message="no such parameter")]) as server:
        common = environment(server)
        assert main(["narratives", *common]) == 3
    assert not (tmp_path / "out.zip").exists()
    shown = capsys.readouterr().err
    assert "Not done: " in shown and "keeps them" not in shown


def test_what_is_missing_is_said(
    environment: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["narratives"]) == 2
    assert "no model is named" in capsys.readouterr().err
    with StubServer([says("1_1")]) as server:
        common = environment(server)
        monkeypatch.setenv("CLIMATECHECK_CHAT_BUDGET_CALLS", "3")
        assert main(["narratives", *common]) == 3
        assert "3 of 70 questions have an answer" in capsys.readouterr().err
        bad = tmp_path / "predictions.csv"
        bad.write_text("claim_id,abstract_id,rank\nno-such-claim,1,1\n")
        assert main(["verification", "--retrieved", str(bad), *common]) == 2
        assert "E-UNKNOWN-CLAIM" in capsys.readouterr().err
        alone = tmp_path / "alone.zip"
        write_predictions(alone, narratives={"94": "4_3"})
        assert main(["verification", "--retrieved", str(alone), *common]) == 2
        assert "hold no retrieved abstracts" in capsys.readouterr().err


# The file of predictions


def test_predictions_of_both_tasks(tmp_path: Path) -> None:
    rows = [Retrieved("94", 7, "Refutes"), Retrieved("94", 3, "Supports")]
    path = tmp_path / "p.zip"
    write_predictions(path, rows, {"94": "1_1;2_1", "943": "0_0"})
    import zipfile

    with zipfile.ZipFile(path) as archive:
        assert archive.read("predictions.csv").decode() == (
            "claim_id,abstract_id,rank,label,narrative\n"
            "94,7,1,Refutes,1_1;2_1\n94,3,2,Supports,1_1;2_1\n943,,,,0_0\n"
        )
    first = path.read_bytes()
    write_predictions(path, rows, {"94": "1_1;2_1", "943": "0_0"})
    assert path.read_bytes() == first


def test_predictions_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="1 of 2 rows lack a label"):
        write_predictions(tmp_path / "p.zip", [Retrieved("a", 1, "Refutes"), Retrieved("a", 2)])
    with pytest.raises(ValueError, match="nothing to hand in"):
        write_predictions(tmp_path / "p.zip")
    assert list(tmp_path.iterdir()) == []
