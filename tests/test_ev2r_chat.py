"""Ev2R with an endpoint that has every fault: what it asks, keeps, and makes of bad answers."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("openai")

from baselines.chat import ChatSettings
from organiser.ev2r.chat import ChatJudge
from organiser.ev2r.facts import SCHEMA
from organiser.ev2r.judge import Stored
from organiser.ev2r.recipe import DONE, FAILED, OPEN
from organiser.ev2r.replay import Replay
from organiser.ev2r.results import EV2R, S_VER
from organiser.ev2r.run import Run, judged
from organiser.ev2r.store import Store
from organiser.ev2r.texts import read_texts
from tests import ev2r_example as example
from tests import stub_server as stub
from tests.stub_server import Body, Reply, says, status

PAIRS = len(example.COUNTS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return example.write(tmp_path_factory.mktemp("ev2r"))


def values(run: Run) -> list[tuple[str, float, float]]:
    return [(r.team, r.values[EV2R], r.values[S_VER]) for r in run.results]


def states(run: Run) -> Counter[str]:
    return Counter(outcome.state for outcome in run.looked.outcomes.values())


def faulty(pair: tuple[int, int], *replies: Reply) -> Any:
    """Answer well, but about one pair give these replies, the last one for ever."""
    left = list(replies)

    def script(body: Body) -> Reply:
        if example.asked_about(body) == pair and left:
            return left.pop(0) if len(left) > 1 else left[0]
        return example.knows(body)

    return script


def test_what_is_asked_and_what_comes_of_it(folder: Path, tmp_path: Path) -> None:
    run, server = example.run_chat(folder, store=tmp_path / "s.sqlite")
    assert values(run) == [
        ("A", pytest.approx(0.6), pytest.approx(0.6)),
        ("B", pytest.approx(0.6), pytest.approx(np.nan, nan_ok=True)),
    ]
    # Each pair once, though 100 and 200 are in both submissions.
    assert sorted(example.asked_about(c.body) for c in server.calls) == sorted(example.COUNTS)
    sent = server.calls[0].body["response_format"]["json_schema"]
    assert sent["schema"] == SCHEMA and sent["strict"] is True
    again, server = example.run_chat(folder, store=tmp_path / "s.sqlite")
    assert values(again)[0] == values(run)[0] and server.calls == []


def test_another_model_prompt_or_parameter_is_asked_anew(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    example.run_chat(folder, store=store)
    _, server = example.run_chat(folder, store=store, temperature=0.5)
    assert len(server.calls) == PAIRS
    _, server = example.run_chat(folder, store=store, concurrency=1, timeout_seconds=9.0)
    assert len(server.calls) == 0  # what does not decide the answer does not count


def test_free_text_where_the_server_knows_no_schema(folder: Path) -> None:
    run, _ = example.run_chat(folder, stub.refuses_response_format(example.knows))
    assert values(run)[0] == ("A", pytest.approx(0.6), pytest.approx(0.6))


@pytest.mark.parametrize(
    "reply",
    [
        status(429, retry_after=0),
        status(500),
        status(503),
        status(503, retry_after=0),
        stub.cut(),
        stub.cut(60),
    ],
)
def test_what_passes_is_tried_again(folder: Path, reply: Reply) -> None:
    script = faulty((100, 10), reply, says(example.in_json(example.COUNTS[100, 10])))
    run, server = example.run_chat(folder, script)
    assert states(run) == {DONE: PAIRS} and len(server.calls) == PAIRS + 1
    assert values(run)[0] == ("A", pytest.approx(0.6), pytest.approx(0.6))


OFF = [
    *stub.BAD_TEXTS.values(),
    says(example.in_json((2, 3, 4, 1))),
    says(example.in_json((2, -1, 4, 1))),
    says(example.in_json((2, 1, 4, 1)), finish_reason="length"),
]


@pytest.mark.parametrize("reply", OFF)
def test_a_bad_answer_is_asked_once_more(folder: Path, reply: Reply) -> None:
    script = faulty((100, 10), reply, says(example.in_json(example.COUNTS[100, 10])))
    run, server = example.run_chat(folder, script)
    assert states(run) == {DONE: PAIRS} and len(server.calls) == PAIRS + 1
    texts = [text for text in server.texts if "abstract 100\n" in text and "abstract 10\n" in text]
    assert ["could not be used" in text for text in texts] == [False, True]


@pytest.mark.parametrize("reply", OFF)
def test_two_bad_answers_are_a_failure_and_no_0(folder: Path, reply: Reply) -> None:
    run, server = example.run_chat(folder, faulty((100, 10), reply))
    assert states(run) == {DONE: PAIRS - 1, FAILED: 1} and len(server.calls) == PAIRS + 1
    a, b = run.results
    # Without abstract 10, abstract 100 is nearest to 11, a Refutes: (.5 + .2) / 2 = .35; in A the
    # claim's maximum is 101 all the same. The failed one is a Supports: at most (1 + .7) / 2 = .85.
    assert b.per_claim[EV2R][0] == pytest.approx(0.35)
    assert b.per_claim["ev2r_low"][0] == pytest.approx(0.35)
    assert b.per_claim["ev2r_high"][0] == pytest.approx(0.85)
    assert b.values["ev2r_high"] == pytest.approx((0.85 + 0.95 + 0.25) / 3)
    assert a.per_claim[EV2R][0] == pytest.approx(0.7)
    assert a.per_claim["ev2r_high"][0] == pytest.approx(0.85)
    # A predicts Supports for 100: S_cons is 0 as far as is known, but could be 1.
    assert a.verified.s_ver[0] == pytest.approx(0.35) and a.verified.high[0] == pytest.approx(0.85)
    assert not a.complete and a.missing.tolist() == [1, 0, 0, 0]


def test_if_every_answer_about_a_claim_fails_the_claim_is_left_out(folder: Path) -> None:
    run, _ = example.run_chat(folder, faulty((200, 20), says("no")))
    a, b = run.results
    assert np.isnan(a.per_claim[EV2R][1]) and a.values[EV2R] == pytest.approx(0.7)
    # Unknown F1 to a Refutes with P = .4: from .2 to .7.
    assert a.per_claim["ev2r_low"][1] == pytest.approx(0.2)
    assert a.per_claim["ev2r_high"][1] == pytest.approx(0.7)
    assert (a.values["ev2r_low"], a.values["ev2r_high"]) == pytest.approx((0.45, 0.7))
    assert b.per_claim[EV2R][1] == pytest.approx(0.95)  # 201 is known


def test_failures_are_kept_and_asked_again_only_if_told(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    example.run_chat(folder, faulty((100, 10), says("no")), store)
    run, server = example.run_chat(folder, store=store)
    assert states(run)[FAILED] == 1 and server.calls == []
    run, server = example.run_chat(folder, store=store, retry_failed=True)
    assert states(run) == {DONE: PAIRS} and len(server.calls) == 1


def test_a_refused_request_fails_at_once(folder: Path) -> None:
    run, server = example.run_chat(folder, faulty((100, 10), status(400)), structured=False)
    assert states(run)[FAILED] == 1 and len(server.calls) == PAIRS


def test_a_server_that_stays_away_leaves_pairs_open(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    run, server = example.run_chat(folder, faulty((100, 10), status(500)), store)
    assert states(run) == {DONE: PAIRS - 1, OPEN: 1} and len(server.calls) == PAIRS + 2
    assert not run.results[0].complete and run.open == 1
    run, server = example.run_chat(folder, store=store)
    assert states(run) == {DONE: PAIRS} and len(server.calls) == 1


@pytest.mark.parametrize("kind", stub.STRANGE)
def test_a_strange_answer_does_not_end_the_run(folder: Path, tmp_path: Path, kind: str) -> None:
    run, _ = example.run_chat(folder, faulty((100, 10), stub.strange(kind)), tmp_path / "s.sqlite")
    # The text of each lacks the four counts, so that the pair fails; the others are judged.
    assert states(run) == {DONE: PAIRS - 1, FAILED: 1} and run.stopped == ""


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        (status(400), 3),
        (status(402), 1),
        (stub.NO_CHOICES, 3),
        (stub.HTML, 3),
    ],
    ids=["400", "402", "no choices", "HTML"],
)
def test_a_fault_of_server_or_settings_leaves_every_pair_open(
    folder: Path, tmp_path: Path, reply: Reply, asked: int
) -> None:
    given_: Any = {"concurrency": 1, "give_up_after": 3, "max_attempts": 1, "structured": False}
    store = tmp_path / "s.sqlite"
    run, server = example.run_chat(folder, lambda _: reply, store, **given_)
    assert run.stopped and (run.failed, run.open, len(server.calls)) == (0, PAIRS, asked)
    run, server = example.run_chat(folder, store=store, structured=False)
    assert states(run) == {DONE: PAIRS} and len(server.calls) == PAIRS


def test_refusals_of_all_pairs_stay_open_even_if_too_few_to_give_up(folder: Path) -> None:
    run, server = example.run_chat(folder, lambda _: status(400), structured=False)
    assert (run.failed, run.open, len(server.calls)) == (0, PAIRS, PAIRS)


def test_refusals_after_the_last_answer_stay_open_if_the_run_gives_up(folder: Path) -> None:
    given_: Any = {"concurrency": 1, "give_up_after": 3, "structured": False}
    replies = iter([None, status(400), None])  # an answer, a refusal of its own, an answer

    def script(body: Body) -> Reply:
        return next(replies, status(400)) or example.knows(body)

    run, _ = example.run_chat(folder, script, **given_)
    assert (run.failed, run.open) == (1, PAIRS - 3) and "3 requests in a row" in run.stopped


def test_nothing_is_in_hand_after_a_budget(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    example.run_chat(folder, store=store, budget_calls=5)
    with Store(store, read_only=True) as opened:
        (recipe,) = opened.recipes("reference")
        found = Counter(outcome.state for outcome in opened.outcomes(recipe.id).values())
    assert found[DONE] == 5 and set(found) == {DONE, OPEN}


def test_the_budget_ends_a_run_and_the_next_goes_on(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    run, server = example.run_chat(folder, store=store, budget_calls=5, concurrency=2)
    assert "budget of 5 calls" in run.stopped and len(server.calls) == 5
    assert run.open == PAIRS - 5
    run, server = example.run_chat(folder, store=store)
    assert run.stopped == "" and len(server.calls) == PAIRS - 5
    assert values(run)[0] == ("A", pytest.approx(0.6), pytest.approx(0.6))


def test_a_refused_key_ends_the_run_without_a_failure(folder: Path) -> None:
    run, _ = example.run_chat(folder, lambda _: status(401))
    assert "refuses every call" in run.stopped and (run.failed, run.open) == (0, PAIRS)


# --- replay ---------------------------------------------------------------------------------------


def test_replay_gives_the_same_without_a_server(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    script = faulty((100, 10), says("no"), says(example.in_json((4, 2, 4, 2))))
    first, _ = example.run_chat(folder, script, store)
    planned, gold = example.plan_of(folder)
    texts = read_texts(planned.pools, gold, folder / "abstracts.csv")
    before = store.read_bytes()
    with Store(store) as opened:
        reference, proxy = Replay(opened, "reference"), Replay(opened, "proxy")
        run = judged(planned, gold, texts, reference, proxy)
    assert store.read_bytes() == before
    assert run.results[0].values == first.results[0].values and run.open == 0


def test_replay_reads_the_raw_answers_anew(folder: Path, tmp_path: Path) -> None:
    import sqlite3

    store = tmp_path / "s.sqlite"
    example.run_chat(folder, faulty((100, 12), says("no")), store)
    with sqlite3.connect(store) as connection:  # the parsed counts are not what is replayed
        connection.execute(
            "UPDATE pairs SET result = '[9, 9, 9, 9]' WHERE result LIKE '%, %, %, %'"
        )
    connection.close()
    with Store(store) as opened:
        known = Replay(opened, "reference").known()
    assert {outcome.values for outcome in known.values() if outcome.values} == {
        tuple(map(float, counts)) for pair, counts in example.COUNTS.items() if pair != (100, 12)
    }
    assert [o.state for o in known.values()].count(FAILED) == 1


def test_replay_asks_which_of_several_recipes(folder: Path, tmp_path: Path) -> None:
    from organiser.editions import OrganiserError

    store = tmp_path / "s.sqlite"
    example.run_chat(folder, store=store)
    example.run_chat(folder, store=store, seed=7)
    with Store(store) as opened:
        with pytest.raises(OrganiserError, match="2 kinds of answers") as error:
            Replay(opened, "reference")
        one = opened.recipes("reference")[0].id
        assert one in str(error.value)
        assert Replay(opened, "reference", one[:8]).recipe.id == one
        with pytest.raises(OrganiserError, match="no such"):
            Replay(opened, "reference", "nothing")


# --- the result depends on nothing else -----------------------------------------------------------


def unreliable(body: Body) -> Reply:
    """Always the same answer to the same question; some first ones bad, some always."""
    pair = example.asked_about(body)
    corrected = "could not be used" in body["messages"][-1]["content"]
    if pair == (100, 12) or (pair[0] % 2 == 0 and not corrected):
        return says("no JSON")
    return example.knows(body)


@pytest.fixture(scope="module")
def steady(folder: Path) -> Run:
    return example.run_chat(folder, unreliable, concurrency=1)[0]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    order=st.randoms(use_true_random=False),
    budgets=st.lists(st.integers(1, 6), max_size=3),
    at_once=st.integers(1, 8),
)
def test_order_concurrency_and_interruptions_change_nothing(
    order: Any, budgets: list[int], at_once: int, folder: Path, steady: Run, tmp_path_factory: Any
) -> None:
    planned, gold = example.plan_of(folder)
    texts = read_texts(planned.pools, gold, folder / "abstracts.csv")
    keys = [key for key in texts.comparisons(planned.pool, gold) if key]
    order.shuffle(keys)
    path = tmp_path_factory.mktemp("store") / "s.sqlite"
    with stub.StubServer(unreliable) as server:
        for budget in [*budgets, None]:
            given_ = example.chat_settings(server, concurrency=at_once, budget_calls=budget)
            with Store(path) as store:
                outcomes = Stored(store, ChatJudge(given_)).judged(texts.of(keys)).outcomes
    assert {key: outcomes[key][:3] for key in keys} == {
        key: outcome[:3] for key, outcome in steady.looked.outcomes.items()
    }


def test_no_key_stands_in_the_store(folder: Path, tmp_path: Path) -> None:
    secret = "sk-very-secret-123"
    planned, gold = example.plan_of(folder)
    texts = read_texts(planned.pools, gold, folder / "abstracts.csv")
    with stub.StubServer(example.knows) as server, Store(tmp_path / "s.sqlite") as store:
        judge = ChatJudge(ChatSettings("stub", server.base_url, key=secret))
        Stored(store, judge).judged(texts.of(texts.comparisons(planned.pool, gold)))
        assert server.calls[0].headers["authorization"] == f"Bearer {secret}"
    assert all(secret.encode() not in file.read_bytes() for file in tmp_path.iterdir())


def test_the_progress_bar_counts_answers_of_no_use(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from baselines.chat import asking
    from baselines.progress import Progress

    bars: list[Progress] = []

    def bar(title: str | None, total: int | None) -> Progress:
        bars.append(Progress(title, total))
        return bars[-1]

    monkeypatch.setattr(asking, "Progress", bar)
    example.run_chat(folder, faulty((100, 10), says("no")))
    assert [(bar.total, bar.done, bar.failed) for bar in bars] == [(PAIRS, PAIRS, 1)]
