"""The pairs still to be judged, handed out so that no two processes work on the same one."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from organiser.ev2r.recipe import DONE, FAILED, OPEN, TAKEN, Key, Outcome, Recipe, Wanted
from organiser.ev2r.store import Call, Store

_PAUSE_SECONDS = 0.2


@dataclass
class Job:
    """A pair taken from the queue.

    Attributes:
        row: in the store.
        a, b: the two texts.
        unusable: how many unusable answers it has had.
    """

    row: int
    a: str
    b: str
    unusable: int = 0


class Queue:
    """What is wanted and not yet settled, in a store that others may work on too.

    Args:
        store: where it is noted; ``any_done`` says whether any pair is done under the recipe.
        recipe: under which the pairs are judged.
        wanted: the pairs.
        owner: the name under which pairs are taken.
    """

    def __init__(self, store: Store, recipe: Recipe, wanted: Wanted, owner: str) -> None:
        self._store = store
        self._recipe = recipe.id
        self._wanted = wanted
        self._owner = owner
        self._tried: set[Key] = set()
        self.any_done = False
        self.open: list[Key] = []
        self.taken = 0
        self.look()

    def __len__(self) -> int:
        return len(self.open)

    def look(self) -> None:
        """See anew which pairs are neither settled nor tried by this queue before."""
        self.taken = 0
        known = self._store.outcomes(self._recipe)
        self.any_done = any(outcome.state == DONE for outcome in known.values())
        self.open = [
            key for key in self._wanted if key not in self._tried and is_open(known.get(key))
        ]

    def jobs(self) -> Iterator[Job]:
        """Yield the open pairs one by one, each taken at the moment that it is asked for."""
        for batch in self.batches(1):
            yield from batch

    def batches(self, size: int) -> Iterator[list[Job]]:
        """Yield the open pairs in batches, longest texts first, without those others work on."""
        keys = sorted(self.open, key=self._length) if size > 1 else self.open
        for start in range(0, len(keys), size):
            jobs = self._take(keys[start : start + size])
            if jobs:
                yield jobs

    def settle(self, jobs: Sequence[Job], values: Sequence[Sequence[float]]) -> None:
        """Note what was worked out for some jobs."""
        self._store.settle([(job.row, value) for job, value in zip(jobs, values, strict=True)])

    def done(self, job: Job, call: Call, values: Sequence[float]) -> None:
        """Note a usable answer."""
        self._store.record(job.row, call, state=DONE, values=values)
        self.any_done = True

    def unusable(self, job: Job, call: Call, *, last: bool) -> None:
        """Note an answer that cannot be used; after the last one the pair has failed."""
        job.unusable += 1
        state, owner = (FAILED, "") if last else (TAKEN, self._owner)
        self._store.record(
            job.row, call, state=state, error=call.error, unusable=job.unusable, owner=owner
        )

    def put_back(self, job: Job, call: Call) -> None:
        """Note that no answer came, for a reason that passes: a later run asks again."""
        self._store.record(job.row, call, state=OPEN, error=call.error, unusable=job.unusable)

    def hold(self, job: Job, call: Call) -> None:
        """Note that no answer came, and keep the pair in hand until it is known why."""
        self._store.record(
            job.row,
            call,
            state=TAKEN,
            error=call.error,
            unusable=job.unusable,
            owner=self._owner,
        )

    def fail(self, jobs: Sequence[Job]) -> None:
        """Note that pairs kept in hand have failed."""
        self._store.fail([job.row for job in jobs], self._owner)

    def wait(self) -> None:
        """Pause if all that is left is in other hands."""
        if not self.taken:
            time.sleep(_PAUSE_SECONDS)

    def _take(self, keys: Sequence[Key]) -> list[Job]:
        taken = self._store.take(self._recipe, keys, self._owner)
        jobs = []
        for key, got in zip(keys, taken, strict=True):
            if got is not None:
                self._tried.add(key)
                jobs.append(Job(got[0], *self._wanted[key], got[1]))
        self.taken += len(jobs)
        return jobs

    def _length(self, key: Key) -> int:
        return -sum(map(len, self._wanted[key]))


def is_open(outcome: Outcome | None) -> bool:
    """Return whether a pair is neither done nor failed."""
    return outcome is None or outcome.state not in (DONE, FAILED)


def work_off(queue: Queue, work: Callable[[Queue], str | None]) -> str | None:
    """Have a queue worked off, and wait for what other processes have in hand.

    Args:
        queue: what is to be done.
        work: takes jobs from the queue; returns why it ended early, or None.

    Returns:
        why it ended early; None if every pair was settled or tried.
    """
    while queue.open:
        stopped = work(queue)
        if stopped is not None:
            return stopped
        queue.wait()
        queue.look()
    return None
