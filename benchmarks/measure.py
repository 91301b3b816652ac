"""Time and memory of whole processes, medians of several, taken in turns."""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

REPEATS = 5
_MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Cost:
    """What a process takes: seconds, and the most memory that it held, in bytes."""

    seconds: float
    memory: int


@dataclass(frozen=True)
class Result:
    """A figure beside its target."""

    name: str
    value: float
    most: float
    unit: str = ""

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        return self.value <= self.most

    def __str__(self) -> str:
        word = "met" if self.met else "MISSED"
        return f"{self.name:<66} {self.value:6.2f}{self.unit}  at most {self.most:g}  {word}"


def medians(commands: Sequence[Sequence[str]], folder: Path, repeats: int = REPEATS) -> list[Cost]:
    """Return the median cost of each command; run in turns, so that a slow moment meets all.

    Raises:
        RuntimeError: a command fails.
    """
    rounds = [[cost(command, folder) for command in commands] for _ in range(repeats)]
    return [
        Cost(
            statistics.median(one.seconds for one in column),
            int(statistics.median(one.memory for one in column)),
        )
        for column in zip(*rounds, strict=True)
    ]


def cost(command: Sequence[str], folder: Path) -> Cost:
    """Run a command in a folder and return what it took.

    Raises:
        RuntimeError: it fails.
    """
    log = folder / "log.txt"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    with log.open("wb") as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command} failed:\n{log.read_text('utf-8', 'replace')[-2000:]}")
    return Cost(seconds, _memory(usage))


def _memory(usage: resource.struct_rusage) -> int:
    return usage.ru_maxrss * _MEMORY_UNIT
