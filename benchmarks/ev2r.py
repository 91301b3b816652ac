"""Ev2R: calls to a slow server many at once, and stored answers summed up without a call."""

import csv
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from baselines.chat import ChatSettings
from benchmarks.measure import Result
from climatecheck import edition, read_gold
from climatecheck.metrics.judgements import judge
from climatecheck.submission import read_submission
from organiser.editions import ROOT
from organiser.ev2r.chat import ChatJudge
from organiser.ev2r.judge import Source, Stored
from organiser.ev2r.pool import unannotated
from organiser.ev2r.recipe import DONE, PROXY, Recipe, Wanted, digest
from organiser.ev2r.results import EV2R
from organiser.ev2r.run import Plan, judged
from organiser.ev2r.store import Call, Store
from organiser.ev2r.texts import read_texts
from organiser.ev2r.work import Queue

LATENCY = 0.2
AT_ONCE = 32
PAIRS, MEASURED_ALONE = 2_000, 40
STORED_PAIRS = 10_000

_REPEATS = 7
_CLAIMS, _GOLD, _ROWS = 200, 10, 5
_ANSWER = (
    '{"facts_a": ["One fact."], "facts_b": ["One.", "Two."], "count_a": 1, "supported_a": 1,'
    ' "count_b": 2, "supported_b": 1}'
)
_SERVER = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.stub_server import StubServer, says
with StubServer([says({_ANSWER!r})], latency={LATENCY}) as server:
    print(server.base_url, flush=True)
    sys.stdin.read()
"""


def concurrency(_: str = "") -> list[Result]:
    """Measure 2,000 pairs with 32 at once against one after the other.

    The server is a process of its own and answers after 200 ms. One after the other is measured on
    40 pairs and extrapolated to 2,000, as each takes as long as any other.
    """
    with _server() as address, tempfile.TemporaryDirectory(prefix="bench-") as folder:
        alone = _seconds(address, MEASURED_ALONE, 1, Path(folder) / "alone.sqlite")
        together = _seconds(address, PAIRS, AT_ONCE, Path(folder) / "together.sqlite")
    extrapolated = alone / MEASURED_ALONE * PAIRS
    title = (
        f"{PAIRS:,} pairs, {AT_ONCE} at once ({together:.1f} s) / one by one"
        f" ({extrapolated:.0f} s, from {MEASURED_ALONE})"
    )
    return [Result(title, together / extrapolated, 1 / 20)]


def summing_up(_: str = "") -> list[Result]:
    """Measure 10,000 stored pairs, from files to results with intervals, against bare reading.

    Bare reading: every pair of the store with sqlite3, raw answers not even touched, and every row
    of the same CSV files with csv.
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        _write(folder)
        with Store(folder / "store.sqlite") as store:
            _fill(folder, store)
        full = _median(lambda: _sum_up(folder))
        bare = _median(lambda: _read(folder))
    return [Result(f"{STORED_PAIRS:,} stored pairs summed up / bare reading", full / bare, 5.0)]


class _NoJudge:
    """Stands for a back end that must not be asked."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    def work(self, queue: Queue) -> str | None:
        raise AssertionError(f"{len(queue)} pairs were asked about anew")

    def tokens(self, a: str, b: str) -> None:
        return None


_PROXY = Recipe(PROXY, "made up", 1, "random numbers")
_CHAT = ChatSettings("made-up", "http://localhost:1/v1")


def _seconds(address: str, pairs: int, at_once: int, store: Path) -> float:
    """Return how long pairs take, from an empty store to the last answer kept."""
    settings = ChatSettings("stub", address, key="none", concurrency=at_once)
    wanted: Wanted = {
        (digest(f"a{i}"), digest("b")): (f"Retrieved abstract {i}. " * 40, "Gold abstract. " * 60)
        for i in range(pairs)
    }
    with Store(store) as opened:
        start = time.perf_counter()
        made = Stored(opened, ChatJudge(settings)).judged(wanted)
        seconds = time.perf_counter() - start
    assert sum(made.outcomes[key].state == DONE for key in wanted) == pairs
    return seconds


@contextmanager
def _server() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()


def _write(folder: Path) -> None:
    """Write an edition with 10 gold abstracts a claim, and a submission with 5 unannotated ones."""
    random = np.random.default_rng(1)
    ids = random.permutation(100_000)[: _CLAIMS * (_GOLD + _ROWS)].reshape(_CLAIMS, -1).tolist()
    _csv(folder / edition.CLAIMS_FILE, "claim_id,claim", [f"{c},Claim {c}" for c in range(_CLAIMS)])
    gold = [
        f"{c},{id_},{edition.LABELS[k % 3]}"
        for c in range(_CLAIMS)
        for k, id_ in enumerate(ids[c][:_GOLD])
    ]
    _csv(folder / edition.TASK1_GOLD_FILE, "claim_id,abstract_id,label", gold)
    _csv(
        folder / edition.TASK2_GOLD_FILE,
        "claim_id,narrative",
        [f"{c},0_0" for c in range(_CLAIMS)],
    )
    rows = [
        f"{c},{id_},{rank},{edition.LABELS[rank % 3]}"
        for c in range(_CLAIMS)
        for rank, id_ in enumerate(ids[c][_GOLD:], start=1)
    ]
    _csv(folder / edition.PREDICTIONS_FILE, "claim_id,abstract_id,rank,label", rows)
    texts = [f"{id_},Title {id_},{f'Finding {id_} of a study. ' * 60}" for of in ids for id_ in of]
    _csv(folder / "abstracts.csv", "abstract_id,title,abstract", texts)


def _csv(path: Path, header: str, lines: list[str]) -> None:
    path.write_text("\n".join([header, *lines, ""]), "utf-8")


def _sources(store: Store) -> tuple[Source, Source]:
    return Stored(store, ChatJudge(_CHAT)), Stored(store, _NoJudge(_PROXY))


def _plan(folder: Path) -> Plan:
    gold = read_gold(folder)
    run = read_submission(folder / edition.PREDICTIONS_FILE, gold.claims).task1
    assert run is not None
    pool, rows = unannotated([judge(run, gold)], gold)
    return Plan(("Team",), tuple(rows), pool, None, np.zeros(0, dtype=np.int64))


def _fill(folder: Path, store: Store) -> None:
    """Keep an answer for every pair, as a language model's answers are kept."""
    planned, gold = _plan(folder), read_gold(folder)
    texts = read_texts(planned.pools, gold, folder / "abstracts.csv")
    reference, proxy = _sources(store)
    compared = list(texts.of(texts.comparisons(planned.pool, gold)))
    assert len(compared) == STORED_PAIRS
    random = np.random.default_rng(2)
    with store.working() as owner:
        for number, got in enumerate(store.take(reference.recipe.id, compared, owner)):
            assert got is not None
            call = Call(_ANSWER, "", 1, 0.2, 900, 90, "stop", "", "made-up", True)
            store.record(got[0], call, state=DONE, values=[7, number % 7, 8, number % 8])
        classified = list(texts.of(texts.classified(planned.pool)))
        taken = store.take(proxy.recipe.id, classified, owner)
        chances = random.dirichlet(np.ones(3), len(classified)).round(6).tolist()
        store.settle([(got[0], chance) for got, chance in zip(taken, chances, strict=True) if got])


def _sum_up(folder: Path) -> None:
    planned, gold = _plan(folder), read_gold(folder)
    texts = read_texts(planned.pools, gold, folder / "abstracts.csv")
    with Store(folder / "store.sqlite") as store:
        run = judged(planned, gold, texts, *_sources(store))
    (result,) = run.results
    assert result.complete and result.claims == _CLAIMS and EV2R in result.intervals


def _read(folder: Path) -> None:
    with sqlite3.connect(folder / "store.sqlite") as connection:
        rows = connection.execute("SELECT * FROM pairs").fetchall()
    connection.close()
    lines = 0
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            lines += sum(1 for _ in csv.reader(file))
    assert len(rows) > STORED_PAIRS and lines > 0


def _median(work: Callable[[], None]) -> float:
    taken = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    os.environ.pop("EDITION", None)
    for measured in (concurrency, summing_up):
        for result in measured():
            print(result, flush=True)
