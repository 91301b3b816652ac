"""What both programs share: a time limit, atomic files, and crashes that tell nothing of the gold.

Everything that a program prints can be read by participants, and a traceback can hold data. So no
exception gets out: each is said in words, with a short id by which the organiser knows the place.
"""

import errno
import faulthandler
import hashlib
import io
import os
import shutil
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from climatecheck import edition
from climatecheck.gold import GoldError

FAILED = 1
_BACKSTOP_SECONDS = 10

_NOT_YOURS = "This is a fault of the competition, not of your submission"


def run(
    main: Callable[[Sequence[str]], int],
    arguments: Sequence[str],
    *,
    seconds: float = edition.TIME_LIMIT_SECONDS,
) -> int:
    """Run a program's ``main`` and return its exit code; any exception becomes prose and 1.

    Args:
        main: the program; takes the command line's arguments and returns an exit code.
        arguments: the command line's arguments.
        seconds: after this time the process says so on stderr and ends with code 1.
    """
    _speak_in_any_encoding()
    try:
        with _time_limit(seconds):
            code = main(arguments)
            sys.stdout.flush()
    except Exception as error:
        traceback.clear_frames(error.__traceback__)  # free what the frames hold, to say it
        say(_in_words(error))
        code = FAILED
    return code


def say(message: str) -> None:
    """Print a message on stderr."""
    print(message, file=sys.stderr, flush=True)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that it is there whole or not at all, whatever happens on the way.

    Raises:
        OSError: the folder cannot be written; the file is then as it was before.
    """
    data = content.encode() if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_last(path: Path, content: str | bytes) -> None:
    """Write the file by which a run counts as done; the time limit has no say from here on.

    Raises:
        OSError: as ``write_atomically``.
    """
    for limit in _LIMITS:
        limit.lift()
    write_atomically(path, content)


def remove(path: Path) -> None:
    """Remove whatever stands at a path: nothing, a file, a link (never its target) or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _speak_in_any_encoding() -> None:
    """Escape what the terminal or log cannot show, rather than fail at it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class _TimeLimit:
    """Ends the process after some seconds, wherever it is, unless it is lifted before.

    A thread says why. The backstop needs no interpreter lock, so it works even in a native loop
    that never gives the lock back; it prints where the program stood, by file, line and function.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lifted = False
        self._deciding = threading.Lock()  # so that no run is both stopped and done
        self._timer = threading.Timer(seconds, self._out_of_time)
        self._timer.daemon = True
        self._timer.start()
        backstop = seconds + _BACKSTOP_SECONDS
        faulthandler.dump_traceback_later(backstop, exit=True, file=sys.__stderr__ or sys.stderr)

    def lift(self) -> None:
        """Let the process go on for as long as it needs; if the time is over, never return."""
        with self._deciding:
            self._lifted = True
            self._timer.cancel()
            faulthandler.cancel_dump_traceback_later()

    def _out_of_time(self) -> None:
        with self._deciding:
            if not self._lifted:
                limit = f"the time limit of {self._seconds:g} seconds was reached"
                say(f"Stopped: {limit}. Nothing was scored.")
                os._exit(FAILED)


_LIMITS: list[_TimeLimit] = []
"""Those of the programs that are running, which outside of tests is one."""


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    limit = _TimeLimit(seconds)
    _LIMITS.append(limit)
    try:
        yield
    finally:
        _LIMITS.remove(limit)
        limit.lift()


def _in_words(error: Exception) -> str:
    if isinstance(error, GoldError):
        return f"{_NOT_YOURS}; please tell the organisers.\n{error}"
    if isinstance(error, MemoryError):
        return f"Stopped: the memory did not suffice. Nothing was scored. (id {_id(error)})"
    if isinstance(error, OSError):
        return f"Stopped: {_os_reason(error)}. Nothing was scored. (id {_id(error)})"
    name = type(error).__name__
    return f"{_NOT_YOURS}; please tell the organisers: {name}, id {_id(error)}. Nothing was scored."


def _os_reason(error: OSError) -> str:
    reasons = {
        errno.ENOSPC: "the disk is full",
        errno.EDQUOT: "the disk is full",
        errno.EROFS: "the output folder is read-only",
        errno.EACCES: "a file or folder may not be read or written",
        errno.EPERM: "a file or folder may not be read or written",
        errno.ENOENT: "a file or folder of the competition is missing",
        errno.ENOTDIR: "a file stands in the place of a folder",
        errno.EISDIR: "a folder stands in the place of a file",
        errno.EFBIG: "a file would be larger than is allowed",
    }
    code = errno.errorcode.get(error.errno or 0, "unknown")
    return reasons.get(error.errno or 0, f"a file could not be read or written ({code})")


def _id(error: Exception) -> str:
    """Return a short id of the class and place of an error; neither its message nor any data."""
    *_, (frame, line) = [(None, 0), *traceback.walk_tb(error.__traceback__)]
    place = f"{Path(frame.f_code.co_filename).name}:{line}" if frame else ""
    return hashlib.sha256(f"{type(error).__name__} {place}".encode()).hexdigest()[:8]
