"""One progress bar for everything that takes long: tqdm's if installed, else a plain line."""

import importlib
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, TextIO

SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """A progress bar on stderr with rate, failures and time left, used in a ``with`` statement.

    Args:
        title: what is counted; None shows nothing.
        total: how many items there will be, if known.
        plain: whether to print a line now and then although tqdm is installed.
        stream: where to; stderr unless given.
        clock: seconds, from any beginning.
    """

    def __init__(
        self,
        title: str | None,
        total: int | None,
        *,
        plain: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.title = title
        self.total = total
        self.done = 0
        self.failed = 0
        self._stream = stream or sys.stderr
        self._clock = clock
        self._start = self._told = clock()
        self._bar = None if plain or title is None else _tqdm(title, total, self._stream)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self.title is not None:
            self._print()

    def advance(self, items: int = 1, *, failures: int = 0) -> None:
        """Count items as done, and among them failures."""
        self.done += items
        self.failed += failures
        if self._bar is not None:
            if failures:
                self._bar.set_postfix(failed=self.failed, refresh=False)
            self._bar.update(items)
        elif self.title is not None and self._clock() - self._told >= SECONDS_BETWEEN_LINES:
            self._print()

    def _print(self) -> None:
        self._told = self._clock()
        line = status(
            self.title or "", self.done, self.total, self.failed, self._told - self._start
        )
        print(line, file=self._stream, flush=True)


def status(title: str, done: int, total: int | None, failed: int, seconds: float) -> str:
    """Return how far something is, in one line.

    >>> status("pairs", 500, 2_000, 3, 50.0)
    'pairs: 500 of 2,000, 10.0/s, 3 failed, 150 s left'
    >>> status("pairs", 7, None, 0, 0.0)
    'pairs: 7'
    """
    parts = [f"{title}: {done:,}" + (f" of {total:,}" if total is not None else "")]
    rate = done / seconds if seconds > 0 else 0.0
    parts += [f"{rate:,.1f}/s"] if rate else []
    parts += [f"{failed:,} failed"] if failed else []
    if rate and total is not None and total > done:
        parts.append(f"{(total - done) / rate:,.0f} s left")
    return ", ".join(parts)


def _tqdm(title: str, total: int | None, stream: TextIO) -> Any:
    try:
        tqdm = importlib.import_module("tqdm")
    except ImportError:
        return None
    pause = 0.2 if stream.isatty() else SECONDS_BETWEEN_LINES
    return tqdm.tqdm(
        total=total, desc=title, file=stream, mininterval=pause, miniters=1, dynamic_ncols=True
    )
