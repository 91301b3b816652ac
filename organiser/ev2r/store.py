"""The store: one SQLite file that holds every call and what came of it.

A pair of texts under a recipe is a row of ``pairs`` and is asked about once; each answer of a model
is a row of ``calls``, committed as it arrives. The view ``answers`` puts all of it side by side.
Several processes may share the file: a pair that one has taken is left alone by the others for as
long as its owner gives a sign of life.
"""

import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from organiser.editions import OrganiserError
from organiser.ev2r.connections import connect, looked_at, prepare, transaction
from organiser.ev2r.recipe import DONE, FAILED, OPEN, TAKEN, Key, Outcome, Recipe
from organiser.ev2r.schema import SETTLE, TAKE

LEASE_SECONDS = 15.0
"""After how long without a sign of life a process has lost what it had taken."""

_SIGNS_A_LEASE = 5


class Call(NamedTuple):
    """One answer of a model, or the end of trying to get one.

    Attributes:
        text: the raw answer.
        error: why it could not be used; empty if it could.
        attempts: HTTP calls that it took.
        seconds: from the first to the end of the last.
        prompt_tokens, completion_tokens: as the server counted them.
        finish_reason, refusal, served_model: in the server's words.
        structured: whether the server was held to the schema.
    """

    text: str
    error: str
    attempts: int
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    finish_reason: str
    refusal: str
    served_model: str
    structured: bool


class Recorded(NamedTuple):
    """The answers recorded for a pair, oldest first, each with its finish reason and refusal."""

    row: int
    key: Key
    answers: list[tuple[str, str, str]]


class Store:
    """A store, used in a ``with`` statement.

    Args:
        path: of the file, made if there is none; None keeps all in memory.
        lease_seconds: see ``LEASE_SECONDS``.
        read_only: whether the file is there and only looked at, so that nothing need be writable.

    Raises:
        OrganiserError: the file is something else, or of another version of this project.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        lease_seconds: float = LEASE_SECONDS,
        read_only: bool = False,
    ) -> None:
        self._path = path
        self._lease = lease_seconds
        try:
            if path is not None and read_only:
                self._connection = looked_at(path)
            else:
                if path is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                self._connection = connect(path)
                prepare(self._connection)
        except sqlite3.DatabaseError as error:
            raise OrganiserError(f"{path} is no store that can be used: {error}.") from error

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def add_recipe(self, recipe: Recipe) -> None:
        """Note what a recipe is."""
        self._connection.execute(
            "INSERT OR IGNORE INTO recipes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                recipe.id,
                recipe.part,
                recipe.backend,
                recipe.version,
                recipe.model,
                recipe.prompt,
                json.dumps(recipe.parameters, sort_keys=True),
                recipe.approximation,
            ),
        )

    def recipes(self, part: str) -> list[Recipe]:
        """Return the recipes of a part that the store holds."""
        rows = self._connection.execute(
            "SELECT part, backend, version, model, prompt, parameters, approximation"
            " FROM recipes WHERE part = ? ORDER BY id",
            (part,),
        )
        return [
            Recipe(part, backend, version, model, prompt, json.loads(parameters), bool(approximate))
            for part, backend, version, model, prompt, parameters, approximate in rows
        ]

    def outcomes(self, recipe: str) -> dict[Key, Outcome]:
        """Return what is known of every pair under a recipe."""
        rows = self._connection.execute(
            "SELECT a, b, state, result, error, id FROM pairs WHERE recipe = ?", (recipe,)
        )
        load = json.loads
        return {
            (a, b): Outcome(state, tuple(load(result)) if result else None, error, row)
            for a, b, state, result, error, row in rows
        }

    def recorded(self, recipe: str) -> Iterator[Recorded]:
        """Yield the answers recorded under a recipe, pair by pair."""
        rows = self._connection.execute(
            "SELECT pairs.id, a, b, text, finish_reason, refusal FROM pairs JOIN calls"
            " ON calls.pair = pairs.id WHERE recipe = ? AND attempt_failed = 0"
            " ORDER BY pairs.id, calls.id",
            (recipe,),
        )
        current: Recorded | None = None
        for row, a, b, *answer in rows:
            if current is None or current.row != row:
                if current is not None:
                    yield current
                current = Recorded(row, (a, b), [])
            current.answers.append((answer[0], answer[1], answer[2]))
        if current is not None:
            yield current

    def tokens_spent(self, recipe: str) -> tuple[int, int, int]:
        """Return calls with counted tokens under a recipe, and their prompt and answer tokens."""
        row = self._connection.execute(
            "SELECT COUNT(*), TOTAL(prompt_tokens), TOTAL(completion_tokens) FROM calls JOIN pairs"
            " ON calls.pair = pairs.id WHERE recipe = ? AND completion_tokens > 0",
            (recipe,),
        ).fetchone()
        return int(row[0]), int(row[1]), int(row[2])

    def take(self, recipe: str, keys: Sequence[Key], owner: str) -> list[tuple[int, int] | None]:
        """Take pairs to work on, in one transaction.

        Returns:
            for each pair its row and how many unusable answers it has had; None if it is settled,
            or another process works on it.
        """
        taken: list[tuple[int, int] | None] = []
        with transaction(self._connection) as run:
            for a, b in keys:
                got = run(TAKE, (recipe, a, b, owner, time.time())).rowcount
                found = run(
                    "SELECT id, unusable FROM pairs WHERE recipe = ? AND a = ? AND b = ?",
                    (recipe, a, b),
                ).fetchone()
                taken.append((found[0], found[1]) if got else None)
        return taken

    def settle(self, results: Sequence[tuple[int, Sequence[float]]]) -> None:
        """Note what was worked out for rows; what is done stays as it is."""
        with transaction(self._connection) as run:
            for row, values in results:
                run(SETTLE, (DONE, json.dumps(list(values)), "", 0, "", row))

    def record(
        self,
        row: int,
        call: Call,
        *,
        state: str,
        values: Sequence[float] | None = None,
        error: str = "",
        unusable: int = 0,
        owner: str = "",
    ) -> None:
        """Note an answer, and what it makes of its pair, in one transaction.

        Args:
            row: of the pair.
            call: the answer.
            state: of the pair from now on.
            values: if it is done.
            error: if it is not.
            unusable: how many unusable answers the pair has had.
            owner: who goes on working on it, if anybody.
        """
        result = None if values is None else json.dumps(list(values))
        failed = call.error != "" and not call.text and not call.finish_reason and not call.refusal
        with transaction(self._connection) as run:
            run(
                "INSERT INTO calls (pair, at, attempt_failed, text, error, attempts, seconds,"
                " prompt_tokens, completion_tokens, finish_reason, refusal, served_model,"
                " structured) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (row, time.time(), failed, *call),
            )
            run(SETTLE, (state, result, error, unusable, owner, row))

    def fail(self, rows: Sequence[int], owner: str) -> None:
        """Note that pairs in an owner's hands have failed, for the reason noted last."""
        with transaction(self._connection) as run:
            for row in rows:
                run(
                    "UPDATE pairs SET state = ?, owner = '' WHERE id = ? AND state = ?"
                    " AND owner = ?",
                    (FAILED, row, TAKEN, owner),
                )

    def answers(self, pair: int) -> list[dict[str, object]]:
        """Return all that is kept of a pair, one entry an answer, oldest first."""
        found = self._connection.execute(
            "SELECT * FROM answers WHERE pair = ? ORDER BY at_utc", (pair,)
        )
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]

    def reopen(self, recipe: str) -> int:
        """Open the failed pairs of a recipe anew, and return how many they are."""
        return self._connection.execute(
            "UPDATE pairs SET state = ?, unusable = 0 WHERE recipe = ? AND state = ?",
            (OPEN, recipe, FAILED),
        ).rowcount

    @contextmanager
    def working(self) -> Iterator[str]:
        """Give the name under which a process takes pairs, and keep giving signs of life."""
        owner, over = uuid.uuid4().hex, threading.Event()
        self._sign(self._connection, owner)
        thread = threading.Thread(target=self._keep_signing, args=(owner, over), daemon=True)
        if self._path is not None:
            thread.start()
        try:
            yield owner
        finally:
            over.set()
            if thread.is_alive():
                thread.join()
            self._release(owner)

    def _release(self, owner: str) -> None:
        """Open what an owner still has in hand, and forget the owner."""
        with transaction(self._connection) as run:
            run(
                "UPDATE pairs SET state = ?, owner = '' WHERE state = ? AND owner = ?",
                (OPEN, TAKEN, owner),
            )
            run("DELETE FROM owners WHERE id = ?", (owner,))

    def _keep_signing(self, owner: str, over: threading.Event) -> None:
        connection = connect(self._path)
        while not over.wait(self._lease / _SIGNS_A_LEASE):
            try:
                self._sign(connection, owner)
            except sqlite3.OperationalError:
                continue  # somebody else writes for long; the next sign may come through
        connection.close()

    def _sign(self, connection: sqlite3.Connection, owner: str) -> None:
        until = time.time() + (self._lease if self._path else 1e9)
        connection.execute("INSERT OR REPLACE INTO owners VALUES (?, ?)", (owner, until))
