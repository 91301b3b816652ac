"""The store: killed at any moment, shared by processes, refused where it is something else."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("openai")

from organiser.editions import ROOT, OrganiserError
from organiser.ev2r.recipe import DONE, REFERENCE, TAKEN, Recipe, digest
from organiser.ev2r.store import Call, Store
from organiser.ev2r.work import Queue, work_off
from tests import ev2r_example as example
from tests.stub_server import StubServer, says

RECIPE = Recipe(REFERENCE, "test", 1, "m")
CALL = Call("text", "", 1, 0.1, 10, 5, "stop", "", "served", True)
PAIRS = 40
WANTED = {(digest(f"a{i}"), digest("b")): (f"a{i}", "b") for i in range(PAIRS)}
ANSWER = says(example.in_json((4, 3, 6, 2)))

CHILD = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from baselines.chat import ChatSettings
from organiser.ev2r.chat import ChatJudge
from organiser.ev2r.judge import Stored
from organiser.ev2r.recipe import digest
from organiser.ev2r.store import Store
address, path, pairs, at_once, lease = sys.argv[1:]
wanted = {{(digest(f"a{{i}}"), digest("b")): (f"a{{i}}", "b") for i in range(int(pairs))}}
settings = ChatSettings("stub", address, key="k", concurrency=int(at_once))
with Store(Path(path), lease_seconds=float(lease)) as store:
    Stored(store, ChatJudge(settings)).judged(wanted)
"""


def start(
    server: StubServer, store: Path, *, at_once: int, lease: float
) -> subprocess.Popen[bytes]:
    code = CHILD.format(root=str(ROOT))
    arguments = [server.base_url, str(store), str(PAIRS), str(at_once), str(lease)]
    return subprocess.Popen([sys.executable, "-c", code, *arguments])


def settled(store: Path) -> int:
    with sqlite3.connect(store) as connection:
        (count,) = connection.execute("SELECT COUNT(*) FROM pairs WHERE state = 'done'").fetchone()
    connection.close()
    return int(count)


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_killed_run_goes_on_and_loses_the_calls_in_flight_alone(tmp_path: Path) -> None:
    store, at_once = tmp_path / "s.sqlite", 4
    with StubServer([ANSWER], latency=0.05) as server:
        for kills, begun in enumerate((5, 20), start=1):
            process = start(server, store, at_once=at_once, lease=0.5)
            limit = time.monotonic() + 30
            while len(server.calls) < begun and time.monotonic() < limit:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            assert process.wait(10) == -signal.SIGKILL
            time.sleep(0.1)  # replies on their way to nobody
            assert len(server.calls) - settled(store) <= kills * at_once
        process = start(server, store, at_once=at_once, lease=0.5)
        assert process.wait(30) == 0
        asked = len(server.calls)
    assert settled(store) == PAIRS
    assert PAIRS <= asked <= PAIRS + kills * at_once
    with sqlite3.connect(store) as connection:
        (kept,) = connection.execute("SELECT COUNT(*) FROM calls").fetchone()
    connection.close()
    assert kept == PAIRS


def test_two_processes_ask_about_no_pair_twice(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    with StubServer([ANSWER], latency=0.05) as server:
        both = [start(server, store, at_once=2, lease=15) for _ in range(2)]
        assert [process.wait(60) for process in both] == [0, 0]
        asked = [call.body["messages"][-1]["content"] for call in server.calls]
    assert len(asked) == len(set(asked)) == PAIRS == settled(store)


def test_what_another_holds_is_left_alone_until_its_signs_end(tmp_path: Path) -> None:
    keys = list(WANTED)[:2]
    path = tmp_path / "s.sqlite"
    with Store(path, lease_seconds=0.3) as mine, Store(path, lease_seconds=0.3) as theirs:
        with theirs.working() as other:
            (held,) = theirs.take(RECIPE.id, keys[:1], other)
            assert held is not None
            with mine.working() as me:
                assert [got is None for got in mine.take(RECIPE.id, keys, me)] == [True, False]
                time.sleep(0.5)  # beyond a lease: signs of life keep it
                assert mine.take(RECIPE.id, keys[:1], me) == [None]
        with mine.working() as me:
            assert mine.take(RECIPE.id, keys[:1], me) == [(held[0], 0)]


def test_what_is_done_stays_as_it_is(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store, store.working() as owner:
        key = next(iter(WANTED))
        (got,) = store.take(RECIPE.id, [key], owner)
        assert got is not None
        store.record(got[0], CALL, state=DONE, values=[1, 1, 1, 1])
        store.record(got[0], CALL, state="failed", error="late")
        store.settle([(got[0], [2, 2, 2, 2])])
        assert store.outcomes(RECIPE.id)[key][:3] == (DONE, (1, 1, 1, 1), "")
        assert store.take(RECIPE.id, [key], owner) == [None]


def test_a_queue_waits_for_what_another_finishes(tmp_path: Path) -> None:
    path, keys = tmp_path / "s.sqlite", list(WANTED)
    wanted = {key: WANTED[key] for key in keys[:3]}
    with Store(path) as mine, Store(path) as theirs, theirs.working() as other:
        (held,) = theirs.take(RECIPE.id, keys[:1], other)
        assert held is not None
        rounds: list[int] = []

        def work(queue: Queue) -> None:
            jobs = [job for batch in queue.batches(10) for job in batch]
            queue.settle(jobs, [[1, 1, 1, 1] for _ in jobs])
            rounds.append(len(jobs))
            if len(rounds) == 2:
                theirs.record(held[0], CALL, state=DONE, values=[2, 2, 2, 2])

        with mine.working() as me:
            assert work_off(Queue(mine, RECIPE, wanted, me), work) is None
        found = mine.outcomes(RECIPE.id)
    assert rounds == [2, 0]
    assert [found[key].values for key in wanted] == [(2,) * 4, (1,) * 4, (1,) * 4]


def test_an_unusable_answer_before_a_kill_is_remembered(tmp_path: Path) -> None:
    key = next(iter(WANTED))
    with Store(tmp_path / "s.sqlite") as store:
        with store.working() as owner:
            (got,) = store.take(RECIPE.id, [key], owner)
            assert got is not None
            bad = CALL._replace(error="not JSON")
            store.record(got[0], bad, state=TAKEN, error="not JSON", unusable=1, owner=owner)
        with store.working() as owner:
            assert store.take(RECIPE.id, [key], owner) == [(got[0], 1)]


@pytest.mark.parametrize("content", [b"", b"no database" * 100])
def test_an_empty_file_becomes_a_store_and_another_file_is_refused(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(content)
    if content:
        with pytest.raises(OrganiserError, match="no store"):
            Store(path)
        assert path.read_bytes() == content
    else:
        with Store(path) as store:
            assert store.outcomes("x") == {}


def test_a_database_of_somebody_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE pairs (id)")
    connection.close()
    with pytest.raises(OrganiserError, match="something else"):
        Store(path)


def test_the_recipe_changes_with_all_that_decides_an_answer() -> None:
    other = [
        Recipe("proxy", "test", 1, "m"),
        Recipe(REFERENCE, "other", 1, "m"),
        Recipe(REFERENCE, "test", 2, "m"),
        Recipe(REFERENCE, "test", 1, "n"),
        Recipe(REFERENCE, "test", 1, "m", "prompt"),
        Recipe(REFERENCE, "test", 1, "m", "", {"temperature": 0}),
    ]
    assert len({RECIPE.id, *(recipe.id for recipe in other)}) == 7


def test_a_store_of_another_version_is_named_as_that(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store(path):
        pass
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    for read_only in (False, True):
        with pytest.raises(OrganiserError, match="another version of this project"):
            Store(path, read_only=read_only)


def one_answer(path: Path) -> int:
    with Store(path) as store, store.working() as owner:
        store.add_recipe(RECIPE)
        (got,) = store.take(RECIPE.id, list(WANTED)[:1], owner)
        assert got is not None
        store.record(got[0], CALL, state=DONE, values=[1, 1, 1, 1])
        return got[0]


def test_a_store_that_is_looked_at_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    row = one_answer(path)
    before = path.read_bytes()
    with Store(path, read_only=True) as store:
        assert [answer["text"] for answer in store.answers(row)] == ["text"]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            store.reopen(RECIPE.id)
    assert path.read_bytes() == before


def test_a_store_in_a_folder_without_write_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.sqlite"
    row = one_answer(path)
    connect = sqlite3.connect

    def no_new_files(address: str, **given: object) -> sqlite3.Connection:
        """Refuse what would make a file of locks, as such a folder does."""
        if "immutable=1" not in address:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(address, **given)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(sqlite3, "connect", no_new_files)
    with Store(path, read_only=True) as store:
        assert len(store.answers(row)) == 1
    path.with_name("s.sqlite-wal").write_bytes(b"x")  # somebody may be writing
    with pytest.raises(OrganiserError, match="no store that can be used"):
        Store(path, read_only=True)


def test_what_an_owner_leaves_is_open(tmp_path: Path) -> None:
    key = next(iter(WANTED))
    with Store(tmp_path / "s.sqlite") as store:
        with store.working() as owner:
            assert store.take(RECIPE.id, [key], owner) != [None]
        assert store.outcomes(RECIPE.id)[key].state == "open"
