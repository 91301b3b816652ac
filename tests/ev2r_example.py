"""A small edition for Ev2R, small enough to be worked out by hand, and back ends that know it.

Claim c1 has gold of all three labels, c2 one, c3 NEI alone, c4 one. Abstract n has the text
``abstract n``. ``COUNTS`` and ``CHANCES`` say what the back ends answer.
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from baselines.chat import ChatSettings
from climatecheck import read_gold, read_submission
from climatecheck.metrics.judgements import Judged, judge
from climatecheck.tables import Floats, Gold
from organiser.ev2r.chat import ChatJudge
from organiser.ev2r.judge import Stored
from organiser.ev2r.pool import unannotated
from organiser.ev2r.proxy import ProxyJudge
from organiser.ev2r.recipe import PROXY, Recipe
from organiser.ev2r.run import Plan, Run, judged
from organiser.ev2r.store import Store
from organiser.ev2r.texts import read_texts
from tests.conftest import rows
from tests.stub_server import Body, Reply, StubServer, says

CLAIMS = ("c1", "c2", "c3", "c4")
GOLD = (
    *("c1,10,Supports", "c1,11,Refutes", "c1,12,Not Enough Information"),
    "c2,20,Refutes",
    *("c3,30,Not Enough Information", "c3,31,Not Enough Information"),
    "c4,40,Supports",
)
SUBMISSIONS = {
    "A": (
        "claim_id,abstract_id,rank,label",
        *("c1,100,1,Supports", "c1,10,2,Supports", "c1,101,3,Refutes"),
        *("c2,200,1,Refutes", "c3,300,1,Supports", "c4,40,1,Supports"),
    ),
    "B": (
        "claim_id,abstract_id,rank",
        *("c1,100,1", "c2,201,1", "c2,200,2"),
        *("c4,40,1", "c4,400,2", "c4,401,3", "c4,402,4", "c4,403,5", "c4,404,6"),
    ),
}
COUNTS = {
    (100, 10): (4, 2, 4, 2),  # 1/2 and 1/2: F1 1/2
    (100, 11): (6, 3, 6, 3),  # the same: a tie, the first g wins
    (100, 12): (4, 1, 4, 1),  # F1 1/4
    (101, 10): (2, 0, 4, 0),  # F1 0
    (101, 11): (2, 1, 4, 1),  # 1/2 and 1/4: F1 1/3
    (101, 12): (5, 4, 5, 4),  # F1 4/5, of an NEI abstract
    (200, 20): (10, 6, 5, 3),  # F1 3/5
    (201, 20): (4, 4, 4, 4),  # F1 1
    **{(400 + k, 40): (1, 0, 1, 0) for k in range(4)},  # F1 0
}
CHANCES = {
    ("c1", 100): (0.7, 0.2, 0.1),
    ("c1", 101): (0.1, 0.3, 0.6),
    ("c2", 200): (0.2, 0.4, 0.4),
    ("c2", 201): (0.0, 0.9, 0.1),
    **{("c4", 400 + k): (0.5, 0.25, 0.25) for k in range(4)},
}

_ASKED = re.compile(r"<abstract_a>\nabstract (\d+)\n</abstract_a>.*abstract (\d+)\n", re.DOTALL)


def write(folder: Path) -> Path:
    """Write claims, gold, abstracts and submissions; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "claims.csv").write_bytes(
        rows("claim_id,claim", [f"{claim},claim {claim}" for claim in CLAIMS])
    )
    (folder / "task1_gold.csv").write_bytes(rows("claim_id,abstract_id,label", list(GOLD)))
    narratives = [f"{claim},0_0" for claim in CLAIMS]
    (folder / "task2_gold.csv").write_bytes(rows("claim_id,narrative", narratives))
    ids = [*(10, 11, 12, 20, 30, 31, 40), *(100, 101, 200, 201, 300), *range(400, 405)]
    texts = [f"{id_},abstract {id_}" for id_ in ids]
    (folder / "abstracts.csv").write_bytes(rows("abstract_id,abstract", texts))
    (folder / "submissions").mkdir(exist_ok=True)
    for team, (header, *lines) in SUBMISSIONS.items():
        (folder / "submissions" / f"{team}.csv").write_bytes(rows(header, lines))
    return folder


def plan_of(folder: Path) -> tuple[Plan, Gold]:
    """Return what is to be judged."""
    gold = read_gold(folder)
    runs: list[Judged] = []
    for team in SUBMISSIONS:
        run = read_submission(folder / "submissions" / f"{team}.csv", gold.claims).task1
        assert run is not None
        runs.append(judge(run, gold))
    pool, of_runs = unannotated(runs, gold)
    none = np.zeros(0, dtype=np.int64)
    return Plan(tuple(SUBMISSIONS), tuple(of_runs), pool, None, none), gold


class Table:
    """A pair model that looks up ``CHANCES``."""

    name = "table"
    parameters: dict[str, object] = {}  # noqa: RUF012

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        keys = [(claim.split()[1], int(abstract.split()[1])) for claim, abstract in pairs]
        return np.array([CHANCES[key] for key in keys]).reshape(len(keys), 3)


def table_proxy() -> ProxyJudge:
    return ProxyJudge(Recipe(PROXY, "table", 1, "table"), Table)


def asked_about(body: Body) -> tuple[int, int]:
    """Return the retrieved and the gold abstract of a question."""
    found = _ASKED.search(body["messages"][-1]["content"])
    assert found is not None
    return int(found[1]), int(found[2])


def in_json(counts: tuple[int, int, int, int]) -> str:
    names = ("count_a", "supported_a", "count_b", "supported_b")
    return json.dumps(dict(zip(names, counts, strict=True)))


def knows(body: Body) -> Reply:
    """Answer as ``COUNTS`` says."""
    return says(in_json(COUNTS[asked_about(body)]))


def chat_settings(server: StubServer, **given: object) -> ChatSettings:
    chosen = {"concurrency": 4, "backoff_seconds": 0.0, "max_attempts": 3, **given}
    return ChatSettings("stub", server.base_url, key="k", **chosen)  # type: ignore[arg-type]


def run_chat(
    folder: Path,
    script: Callable[[Body], Reply] = knows,
    store: Path | None = None,
    *,
    retry_failed: bool = False,
    **given: object,
) -> tuple[Run, StubServer]:
    """Judge the example with a stub endpoint and the table of probabilities."""
    planned, gold = plan_of(folder)
    texts = read_texts(planned.pools, gold, folder / "abstracts.csv")
    with StubServer(script) as server, Store(store) as opened:
        chat = ChatJudge(chat_settings(server, **given))
        reference = Stored(opened, chat, retry_failed=retry_failed)
        run = judged(planned, gold, texts, reference, Stored(opened, table_proxy()))
    return run, server
