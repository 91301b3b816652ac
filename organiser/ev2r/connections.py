"""Connections to a store: made, prepared, or only looking; transactions."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from organiser.ev2r.schema import APPLICATION_ID, STATEMENTS, VERSION

_BUSY_SECONDS = 60.0
_PAUSE_SECONDS = 0.05


def connect(path: Path | None) -> sqlite3.Connection:
    """Return a connection to a file, made if there is none, or to a store in memory."""
    return sqlite3.connect(
        str(path) if path else ":memory:",
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # in a notebook, answers arrive in another thread
    )


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables if there are none, whoever else does so at the same time.

    Raises:
        sqlite3.DatabaseError: the file is no store of this version.
    """
    tables = _tables(connection)
    _write_ahead(connection)
    if tables:
        return
    with transaction(connection) as run:
        for statement in STATEMENTS:
            run(statement)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[Callable[..., sqlite3.Cursor]]:
    """Give what executes statements that are kept together or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection.execute
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def looked_at(path: Path) -> sqlite3.Connection:
    """Return a connection that cannot write.

    Raises:
        sqlite3.DatabaseError: the file is no store of this version.
    """
    try:
        return _checked(path, "mode=ro")
    except sqlite3.OperationalError:
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        # The folder is read-only, so that no file of locks can be made; nobody writes there.
        return _checked(path, "immutable=1")


def _checked(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?{how}", uri=True, isolation_level=None, check_same_thread=False
    )
    try:
        if not _tables(connection):
            raise sqlite3.DatabaseError("it is empty")
    except BaseException:
        connection.close()
        raise
    return connection


def _tables(connection: sqlite3.Connection) -> int:
    """Return how many tables there are; none is an empty file.

    Raises:
        sqlite3.DatabaseError: they are not those of a store, or of one of another version.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    if tables and application != APPLICATION_ID:
        raise sqlite3.DatabaseError("it was made by something else")
    if tables and version != VERSION:
        raise sqlite3.DatabaseError(
            f"another version of this project made it (stores of version {version}; this one has "
            f"version {VERSION})"
        )
    return int(tables)


def _write_ahead(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    for _ in range(int(_BUSY_SECONDS / _PAUSE_SECONDS)):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:  # another process does this, and none may wait for it
            time.sleep(_PAUSE_SECONDS)
