"""The one interface behind which every back end stands, and the two ways to its outcomes."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from organiser.ev2r.recipe import Key, Outcome, Recipe, Wanted
from organiser.ev2r.store import Store
from organiser.ev2r.work import Queue, is_open, work_off


class Judge(Protocol):
    """What answers for pairs of texts: a back end of the reference part or of the proxy part."""

    @property
    def recipe(self) -> Recipe:
        """All that decides its answers."""

    def work(self, queue: Queue) -> str | None:
        """Take jobs from a queue and note what comes of each; return why it ended early."""

    def tokens(self, a: str, b: str) -> int | None:
        """Return roughly how many tokens it costs to ask about a pair; None if nothing is asked."""


class Judged(NamedTuple):
    """What is known of the pairs that were wanted.

    Attributes:
        outcomes: by pair; a pair that was never touched is missing.
        stopped: why it ended early; None if it did not.
    """

    outcomes: Mapping[Key, Outcome]
    stopped: str | None


class Source(Protocol):
    """Where the outcomes of a part come from."""

    @property
    def recipe(self) -> Recipe:
        """Under which the pairs are judged."""

    @property
    def retry_failed(self) -> bool:
        """Whether pairs that failed in an earlier run are asked about anew."""

    def known(self) -> Mapping[Key, Outcome]:
        """Return what is known already."""

    def judged(self, wanted: Wanted) -> Judged:
        """Return what is known of pairs once all that can be done for them is done."""

    def tokens(self, a: str, b: str) -> int | None:
        """Return roughly how many tokens it costs to ask about a pair; None if nothing is asked."""


class Stored:
    """Outcomes from the store; a judge is asked for what it lacks.

    Args:
        store: where outcomes are kept.
        judge: what answers; touched only if something is open.
        retry_failed: whether pairs that failed in an earlier run are asked about anew.
        say: takes a sentence on each step.
    """

    def __init__(
        self,
        store: Store,
        judge: Judge,
        *,
        retry_failed: bool = False,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._judge = judge
        self.retry_failed = retry_failed
        self._say = say

    @property
    def recipe(self) -> Recipe:
        """Under which the pairs are judged."""
        return self._judge.recipe

    def known(self) -> Mapping[Key, Outcome]:
        """Return what the store holds."""
        return self._store.outcomes(self.recipe.id)

    def judged(self, wanted: Wanted) -> Judged:
        """Return what is known of pairs, after asking for those that are open."""
        if self.retry_failed:
            self._store.reopen(self.recipe.id)
        known = self.known()
        stopped = None
        if any(is_open(known.get(key)) for key in wanted):
            self._store.add_recipe(self.recipe)
            with self._store.working() as owner:
                queue = Queue(self._store, self.recipe, wanted, owner)
                self._say(f"{len(queue):,} {self.recipe.part} pairs to judge, {self.recipe.title}")
                stopped = work_off(queue, self._judge.work)
            known = self.known()
        return Judged(known, stopped)

    def tokens(self, a: str, b: str) -> int | None:
        """Return roughly how many tokens it costs to ask about a pair; None if nothing is asked."""
        return self._judge.tokens(a, b)
