"""A mutation fuzzer over the catalogue of cases: any upload gets a verdict, soon.

``python -m tests.fuzz --files 10000 --seed 1`` changes bytes, lines, cells and the structure of
zips at random, reads what comes out, and prints how many were accepted and refused. An upload
that raises, takes too long, or is told of in an odd way is kept in ``build/fuzz``; exit code 1.
"""

import argparse
import faulthandler
import random
import shutil
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from climatecheck import bulk, edition, read_submission, taxonomy  # noqa: E402
from climatecheck.problems import verdict  # noqa: E402
from climatecheck.tables import Submission  # noqa: E402
from tests import catalogue, make_cases, zip_cases  # noqa: E402

KEPT = ROOT / "build" / "fuzz"
SECONDS = 2.0
MEGABYTES = 1500
"""More than the process had before: what reading one file may take at its peak."""
_HANGS_AFTER = 60
_LARGEST = 3_000_000

Mutation = Callable[[random.Random, bytes], bytes]

_CELLS = (
    "", " ", "0", "1", "7", "12", "1.0", "01", "-1", "1e2", "nan", "None", "394268", "394269",
    "9" * 30, "Supports", "refutes", "NEI", "0_0", "1_1", "1_1;2_1", "1_1,2_1", "['1_1']",
    "2_1_4", "10", "\u00a01", "\uff11", "\u0661", "\ufeff", "\u202e", "\u2028", "\x85", "\x1c",
    "<b>", "=1+1", "{found}", "{0}", "%s", "x" * 11_000, "claim_id", '"', '""', "'", "\\", "[",
    "]", ";", "\t", "|",
)  # fmt: skip
_PIECES = (
    b'"', b'""', b",", b";", b"\t", b"\n", b"\r", b"\r\n", b"\x00", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\xfe\xff", b"\xe9", b"\xed\xa0\x80", b"\xc2\xa0", b"\xe2\x80\xa8", b"PK\x03\x04", b" ", b"0",
    b"claim_id", b",,,,\n", b"\x1a", b"\x0c", b"\x0b", b"\x85",
)  # fmt: skip
_CODECS = ("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "latin-1", "utf-32")
_NAMES = (
    "predictions.csv", "task1.csv", "task2.csv", "Predictions (1).csv", "a/predictions.csv",
    "../x.csv", "/x.csv", "C:\\x.csv", "a\\b.csv", "metadata", "metadata.yaml", "validated/x.csv",
    "__MACOSX/._x", "x.zip", "x.xlsx", "", "/", ".", "..", "a/", "\u202e.csv", "n" * 300, "x.tsv",
    "task2.xlsx", "other.txt", "metadata/x", "./task1.csv",
)  # fmt: skip


def _flip(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _insert(chance: random.Random, data: bytes) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + chance.choice(_PIECES) * chance.choice((1, 1, 1, 2, 50)) + data[at:]


def _cut(chance: random.Random, data: bytes) -> bytes:
    start = chance.randint(0, len(data))
    return data[:start] + data[start + chance.choice((1, 2, 10, 1000)) :]


def _repeat(chance: random.Random, data: bytes) -> bytes:
    start = chance.randint(0, len(data))
    piece = data[start : start + chance.choice((1, 10, 100, 1000))]
    times = chance.choice((1, 2, 20, 2000))
    return (data[:start] + piece * times + data[start:])[:_LARGEST]


def _lines(chance: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    change = chance.randrange(4)
    if change == 0:
        lines[at], lines[other] = lines[other], lines[at]
    elif change == 1:
        lines.insert(other, lines[at])
    elif change == 2:
        del lines[at]
    else:
        lines[at:at] = [lines[at]] * chance.choice((5, 500, 5000))
    return b"\n".join(lines)[:_LARGEST]


def _cell(chance: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    cells = lines[at].split(b",")
    column = chance.randrange(len(cells))
    change = chance.randrange(4)
    if change == 0:
        del cells[column]
    elif change == 1:
        cells.insert(column, cells[chance.randrange(len(cells))])
    else:
        cells[column] = chance.choice(_CELLS).encode()
    lines[at] = b",".join(cells)
    return b"\n".join(lines)


def _column(chance: random.Random, data: bytes) -> bytes:
    """Put one text into each row of a column, or number it."""
    rows = [line.split(b",") for line in data.split(b"\n")]
    column, text = chance.randrange(len(rows[0])), chance.choice(_CELLS).encode()
    for i, row in enumerate(rows[1:]):
        if column < len(row):
            row[column] = b"%d" % i if text == b"0" else text
    return b"\n".join(b",".join(row) for row in rows)[:_LARGEST]


def _form(chance: random.Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    change = chance.randrange(4)
    if change == 0:
        return text.encode(chance.choice(_CODECS), "replace")
    if change == 1:
        return text.replace(",", chance.choice(("\t", ";", "|", ", "))).encode()
    if change == 2:
        return text.replace("\n", chance.choice(("\r\n", "\r", "\n\n", "\r\r\n"))).encode()
    return text.replace(",", '","').replace("\n", '"\n"').encode()


def _splice(chance: random.Random, data: bytes) -> bytes:
    other = chance.choice(_seeds())
    return data[: chance.randint(0, len(data))] + other[chance.randint(0, len(other)) :]


_OF_TEXT: Sequence[Mutation] = (
    _flip, _insert, _cut, _repeat, _lines, _cell, _cell, _column, _form, _splice,
)  # fmt: skip
_OF_ZIPS: Sequence[Mutation] = (_flip, _flip, _insert, _cut, _repeat)


@lru_cache
def _seeds() -> list[bytes]:
    """The texts of the catalogue; those that are accepted more often."""
    paths = sorted(make_cases.CASES.glob("*/predictions.csv"))
    accepted = [p for p in paths if catalogue.expected(p.parent.name).startswith("Accepted")]
    return [path.read_bytes() for path in [*paths, *accepted * 4]]


def _mutated(chance: random.Random, data: bytes, mutations: Sequence[Mutation]) -> bytes:
    for _ in range(chance.choice((0, 1, 1, 1, 2, 4))):
        data = chance.choice(mutations)(chance, data)
    return data


def _text(chance: random.Random) -> bytes:
    return _mutated(chance, chance.choice(_seeds()), _OF_TEXT)


def _zip(chance: random.Random) -> bytes:
    if chance.random() < 0.5:
        data = chance.choice(list(zip_cases.ZIPS.values()))
        return _mutated(chance, data, _OF_ZIPS)
    method = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    names = [chance.choice(_NAMES) for _ in range(chance.choice((0, 1, 1, 2, 3)))]
    kinds = (0o100000, 0o100000, 0o100000, 0o100000, 0o120000, 0o020000, 0o010000, 0)
    files: list[tuple[str, zip_cases.Content]]
    files = [(name, (_text(chance)[:50_000], chance.choice(kinds))) for name in names]
    files += [(f"{i}.txt", b"") for i in range(chance.choice((0, 0, 0, 1, 250)))]
    data = zip_cases.a_zip_of(files, method=method)
    return _mutated(chance, data, _OF_ZIPS) if chance.random() < 0.3 else data


def make_upload(chance: random.Random, base: Path) -> Path:
    """Write an upload made at random into a folder and return its path."""
    kind = chance.randrange(10)
    if kind < 6:
        path = base / chance.choice((*["predictions.csv"] * 6, "task1.csv", "task2.tsv", "run.txt"))
        path.write_bytes(_text(chance))
    elif kind < 9:
        path = base / "input.zip"
        path.write_bytes(_zip(chance))
    else:
        path = base / "upload"
        path.mkdir()
        for name in ("predictions.csv", "task1.csv", "task2.csv", "metadata", "a\\b.csv"):
            if chance.random() < 0.4:
                (path / name).write_bytes(_text(chance))
    return path


def check(submission: Submission) -> None:
    """Raise AssertionError if a verdict or a table is not as it must be."""
    said = [verdict(submission.problems), *(problem.message for problem in submission.problems)]
    assert all(line.isprintable() and len(line) < 3000 for line in said), "an odd message"
    for problem in submission.problems:
        assert problem.as_json()["message"] == problem.message
    accepted = submission.task1 is not None or submission.task2 is not None
    assert submission.valid == accepted, "a verdict that the tables contradict"
    if (run := submission.task1) is not None:
        order = run.claim * (len(run) + 1) + run.position
        assert (np.diff(order) > 0).all(), "rows out of order"
        assert ((run.abstract >= 0) & (run.abstract < edition.CORPUS_SIZE)).all()
        assert ((run.label >= -1) & (run.label < len(edition.LABELS))).all()
        pairs = run.claim * edition.CORPUS_SIZE + run.abstract
        assert len(np.unique(pairs)) == len(pairs) > 0, "a pair twice"
    if (narratives := submission.task2) is not None:
        assert narratives.codes.shape == (len(narratives), len(taxonomy.CODES))
        assert len(np.unique(narratives.claim)) == len(narratives) > 0


def _same(one: Submission, other: Submission) -> bool:
    return catalogue.told(one) == catalogue.told(other)


@dataclass
class Tally:
    """What has been seen."""

    verdicts: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, -1)


def fuzz_one(seed: int, number: int, tally: Tally) -> None:
    """Make, read and check one upload; keep it if anything is amiss."""
    chance = random.Random(f"{seed} {number}")
    with tempfile.TemporaryDirectory() as folder:
        path = make_upload(chance, Path(folder))
        tasks = chance.choice((("1", "2"), ("1", "2"), ("1",), ("2",)))
        scoring_step = path.is_dir() and chance.random() < 0.5

        def read() -> Submission:
            return read_submission(path, catalogue.CLAIMS, tasks=tasks, from_platform=scoring_step)

        start = time.process_time()
        try:
            submission = read()
            seconds = time.process_time() - start
            check(submission)
            assert seconds < SECONDS, f"{seconds:.1f} s"
            if number % 2 == 0:
                usual, bulk.WORTHWHILE_BYTES = bulk.WORTHWHILE_BYTES, 0
                try:
                    quick = read()
                finally:
                    bulk.WORTHWHILE_BYTES = usual
                assert _same(submission, quick), "the quick way and the careful one differ"
        except Exception as fault:
            tally.faults.append(f"{number}: {type(fault).__name__}: {fault}")
            KEPT.mkdir(parents=True, exist_ok=True)
            kept = KEPT / f"{seed}-{number}"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept)
            return
    tally.slowest = max(tally.slowest, (seconds, number))
    tally.verdicts["accepted" if submission.valid else "refused"] += 1
    tally.codes.update(problem.code for problem in submission.problems)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    limit = pages * 4096 + MEGABYTES * 1_000_000
    if pages:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz the reader; return 0 if nothing was amiss, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=10_000, help="how many uploads (10000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other uploads (1)")
    parser.add_argument("--only", type=int, help="the number of one upload, to see it again")
    chosen = parser.parse_args(arguments)
    import pandas  # noqa: F401  (once, so that no file is charged for it)

    _limit_memory()
    tally, start = Tally(), time.perf_counter()
    for number in range(chosen.files) if chosen.only is None else [chosen.only]:
        faulthandler.dump_traceback_later(_HANGS_AFTER, exit=True)
        fuzz_one(chosen.seed, number, tally)
    faulthandler.cancel_dump_traceback_later()
    for fault in tally.faults[:20]:
        print(f"FAULT {fault}")
    seconds, number = tally.slowest
    print(
        f"{sum(tally.verdicts.values()):,} files in {time.perf_counter() - start:.0f} s:"
        f" {tally.verdicts['accepted']:,} accepted, {tally.verdicts['refused']:,} refused,"
        f" {len(tally.codes)} kinds of problems, {len(tally.faults)} faults;"
        f" slowest {seconds:.2f} s (file {number})."
    )
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
