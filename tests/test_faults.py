"""Whatever happens on the way: no half-written scores, a message, exit code 1."""

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT, Folders, full_submission
from tests.reading import CLAIM

SCORES, PAGE = "scores.json", "detailed_results.html"


def run_program(
    name: str, *folders: Path, before: str = "", limit: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program as a process of its own.

    Args:
        name: ``ingestion`` or ``scoring``.
        folders: its arguments.
        before: code that is run first, to bring about a fault; ``program`` is its module.
        limit: called in the new process before it starts.
    """
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / f'{name}_program')!r})\n"
        f"import {name} as program\n"
        f"from climatecheck import running\n{before}\n"
        "sys.exit(running.run(program.main, sys.argv[1:], **globals().get('options', {})))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, folders)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        preexec_fn=limit,
        check=False,
    )


def said(done: subprocess.CompletedProcess[str], folder: Path, words: str) -> None:
    """Assert that a fault was told in these words, and that no scores are there."""
    assert done.returncode == 1, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not os.path.lexists(folder / SCORES)
    assert not CLAIM.search(done.stdout + done.stderr)


# --- killed ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, bytes]:
    """A larger run: its input folder, and the scores and the page that it gives."""
    base = tmp_path_factory.mktemp("whole")
    ref, res, output = base / "input" / "ref", base / "input" / "res", base / "output"
    for folder in (ref, res, output):
        folder.mkdir(parents=True)
    claims = range(600)
    (ref / "claims.csv").write_text("claim_id,claim\n" + "".join(f"{c},text {c}\n" for c in claims))
    pairs = "".join(f"{c},{c + 1},Supports\n{c},{c + 2},Refutes\n" for c in claims)
    (ref / "task1_gold.csv").write_text("claim_id,abstract_id,label\n" + pairs)
    codes = "".join(f"{c},{c % 5 + 1}_1\n" for c in claims)
    (ref / "task2_gold.csv").write_text("claim_id,narrative\n" + codes)
    found = "".join(
        f"{c},{c + k},{k},Supports,{c % 5 + 1}_1\n" for c in claims for k in range(1, 11)
    )
    header = "claim_id,abstract_id,rank,label,narrative\n"
    (res / "predictions.csv").write_text(header + found)
    done = run_program("scoring", base / "input", output)
    assert done.returncode == 0, done.stderr
    scores = json.loads((output / SCORES).read_text())
    assert (scores["score_1_1"], scores["narrative_f1_macro"]) == (1, 1)
    return base / "input", (output / SCORES).read_bytes(), (output / PAGE).read_bytes()


def whole_or_absent(output: Path, whole: tuple[Path, bytes, bytes]) -> bool:
    """Assert that each output is whole or absent, scores after page; return if scores are there."""
    _, scores, page = whole
    there = {path.name: path.read_bytes() for path in output.iterdir() if path.name[0] != "."}
    assert set(there) <= {SCORES, PAGE}
    assert there.get(PAGE, page) == page
    assert there.get(SCORES, scores) == scores
    assert SCORES not in there or PAGE in there
    return SCORES in there


def test_killed_at_any_moment_the_outputs_are_whole_or_absent(whole, tmp_path: Path) -> None:
    """SIGKILL at moments spread over a run; a stale output of an earlier run never stays."""
    inputs = whole[0]
    command = [sys.executable, str(ROOT / "scoring_program" / "scoring.py"), str(inputs)]
    start = time.monotonic()
    subprocess.run([*command, str(_output(tmp_path, "first"))], check=True, capture_output=True)
    duration = time.monotonic() - start
    chance, unfinished = random.Random(20), 0
    for number in range(10):
        output = _output(tmp_path, f"run{number}")
        process = subprocess.Popen(
            [*command, str(output)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(duration * (number + chance.random()) / 10)
        process.send_signal(signal.SIGKILL)
        process.wait()
        unfinished += not whole_or_absent(output, whole)
    assert unfinished >= 3  # the moments did fall into the runs


def _output(base: Path, name: str) -> Path:
    folder = base / name
    folder.mkdir()
    return folder


WRITING = ("tempfile.mkstemp", "os.fsync", "os.replace")


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("call", WRITING)
def test_killed_before_each_step_of_writing(whole, tmp_path: Path, call: str, nth: int) -> None:
    """The first file written is the page, the second one the scores."""
    before = f"""
import os, signal, tempfile
real, calls = {call}, [0]
def deadly(*arguments, **named):
    calls[0] += 1
    if calls[0] == {nth}:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments, **named)
{call} = deadly
"""
    done = run_program("scoring", whole[0], tmp_path, before=before)
    assert done.returncode == -signal.SIGKILL
    assert not whole_or_absent(tmp_path, whole)
    assert (tmp_path / PAGE).exists() == (nth == 2)


def test_killed_with_scores_of_an_earlier_run_there(whole, tmp_path: Path) -> None:
    (tmp_path / SCORES).write_text("stale")
    before = "import os\nprogram.read_gold = lambda *_, **__: os.kill(os.getpid(), 9)"
    assert run_program("scoring", whole[0], tmp_path, before=before).returncode == -9
    assert not (tmp_path / SCORES).exists()


# --- the disk -------------------------------------------------------------------------------------

MOUNT = shutil.which("mount")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 KiB: less than the page needs."""
    if MOUNT is None or os.geteuid() != 0:
        pytest.skip("only root can mount a file system")
    disk = _output(tmp_path, "disk")
    options = ["-t", "tmpfs", "-o", "size=4k", "tmpfs", str(disk)]
    done = subprocess.run([MOUNT, *options], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this system lets nobody mount a file system")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("program", ["ingestion", "scoring"])
def test_a_full_disk(folders: Folders, small_disk: Path, program: str) -> None:
    (small_disk / "filler").write_bytes(bytes(4096))
    given = (
        [folders.inputs] if program == "scoring" else [folders.inputs / n for n in ("res", "ref")]
    )
    said(run_program(program, *given, small_disk), small_disk, "the disk is full")
    assert [path for path in small_disk.rglob("*") if path.is_file()] == [small_disk / "filler"]


@pytest.mark.parametrize("program", ["ingestion", "scoring"])
def test_a_read_only_disk(folders: Folders, small_disk: Path, program: str) -> None:
    subprocess.run([str(MOUNT), "-o", "remount,ro", str(small_disk)], check=True)
    given = (
        [folders.inputs] if program == "scoring" else [folders.inputs / n for n in ("res", "ref")]
    )
    said(run_program(program, *given, small_disk), small_disk, "the output folder is read-only")


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("call", ["os.fsync", "os.replace", "tempfile.mkstemp"])
def test_a_disk_that_fails_while_a_file_is_written(
    folders: Folders, call: str, code: int, nth: int, monkeypatch, capsys
) -> None:
    """Needs no mount: the n-th call fails as it would on a full or broken disk."""
    monkeypatch.syspath_prepend(str(ROOT / "scoring_program"))
    import scoring

    from climatecheck import running

    module, _, name = call.partition(".")
    owner = {"os": os, "tempfile": running.tempfile}[module]
    real, calls = getattr(owner, name), [0]

    def failing(*arguments: object, **named: object) -> object:
        calls[0] += 1
        if calls[0] == nth:
            raise OSError(code, "synthetic")
        return real(*arguments, **named)

    monkeypatch.setattr(owner, name, failing)
    assert running.run(scoring.main, [str(folders.inputs), str(folders.output)]) == 1
    words = "could not be read or written (EIO)" if code == errno.EIO else "the disk is full"
    assert words in capsys.readouterr().err
    left = {path.name for path in folders.output.iterdir()}
    assert left == ({PAGE} if nth == 2 else set())


def test_a_limit_of_the_size_of_files(folders: Folders) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))

    done = run_program("scoring", folders.inputs, folders.output, limit=limit)
    said(done, folders.output, "larger than is allowed")
    assert list(folders.output.iterdir()) == []


@pytest.mark.parametrize("program", ["ingestion", "scoring"])
def test_a_file_in_the_place_of_the_output_folder(folders: Folders, program: str) -> None:
    folders.output.rmdir()
    folders.output.write_text("a file")
    given = (
        [folders.inputs] if program == "scoring" else [folders.inputs / n for n in ("res", "ref")]
    )
    done = run_program(program, *given, folders.output)
    assert done.returncode == 1
    assert "a file stands in the place of a folder" in done.stderr
    assert folders.output.read_text() == "a file"


# --- the reference data ---------------------------------------------------------------------------


def no_file(path: Path) -> None:
    path.unlink()


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_dangling_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def without_rights(path: Path) -> None:
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40] + b'"')


def binary(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00\xd8" + bytes(range(256)))


FAULTS = (no_file, a_folder, a_dangling_link, without_rights, cut_off, binary)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ["claims.csv", "task1_gold.csv", "task2_gold.csv"])
def test_unreadable_reference_data(folders: Folders, name: str, fault) -> None:
    fault(folders.inputs / "ref" / name)
    done = run_program("scoring", folders.inputs, folders.output)
    said(done, folders.output, "fault of the competition, not of your submission")
    assert name in done.stderr
    assert list(folders.output.iterdir()) == []


def test_claims_that_ingestion_cannot_read(folders: Folders) -> None:
    no_file(folders.inputs / "ref" / "claims.csv")
    given = (folders.inputs / "res", folders.inputs / "ref", folders.output)
    done = run_program("ingestion", *given)
    said(done, folders.output, "fault of the competition, not of your submission")


# --- time and memory ------------------------------------------------------------------------------


def test_the_time_limit_of_a_run_that_waits(folders: Folders) -> None:
    """A pipe that nobody writes to, in the place of the gold."""
    (folders.output / SCORES).write_text("stale")
    gold = folders.inputs / "ref" / "task1_gold.csv"
    gold.unlink()
    os.mkfifo(gold)
    done = run_program("scoring", folders.inputs, folders.output, before="options={'seconds': .3}")
    said(done, folders.output, "the time limit of 0.3 seconds was reached")


def test_the_time_limit_of_a_computation_that_keeps_the_interpreters_lock(
    folders: Folders,
) -> None:
    before = (
        "options = {'seconds': .3}\nrunning._BACKSTOP_SECONDS = .5\n"
        "secret = 'c00,1,Supports'\n"
        "program.score = lambda *_: pow(7, 10**9)"
    )
    done = run_program("scoring", folders.inputs, folders.output, before=before)
    said(done, folders.output, "Timeout")


def test_a_memory_that_does_not_suffice(whole, tmp_path: Path) -> None:
    before = """
import resource
main = program.main
def limited(arguments):
    pages = int(open('/proc/self/statm').read().split()[0])
    limit = pages * resource.getpagesize() + 500_000
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return main(arguments)
program.main = limited
"""
    if not Path("/proc/self/statm").exists():
        pytest.skip("there is no /proc here to tell how much memory is in use")
    said(run_program("scoring", whole[0], tmp_path, before=before), tmp_path, "memory")


@pytest.mark.parametrize("error", ["MemoryError()", "RecursionError('c00')", "KeyError('c00')"])
@pytest.mark.parametrize("place", ["read_gold", "score", "results_page", "scores_json", "table"])
def test_an_error_anywhere(folders: Folders, place: str, error: str, monkeypatch, capsys) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scoring_program"))
    import scoring

    from climatecheck import running

    def failing(*_: object, **__: object) -> None:
        raise eval(error)

    monkeypatch.setattr(scoring, place, failing)
    assert running.run(scoring.main, [str(folders.inputs), str(folders.output)]) == 1
    told = capsys.readouterr()
    assert "Nothing was scored" in told.err
    assert "c00" not in told.out + told.err
    assert not (folders.output / SCORES).exists()


def test_a_log_that_is_full_before_the_scores_are_written(folders: Folders) -> None:
    """What is printed must be out before there are scores; after them nothing can fail."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    (folders.inputs / "res" / "predictions.csv").write_bytes(full_submission())
    with open("/dev/full", "w") as log:
        done = subprocess.run(
            [
                sys.executable,
                str(ROOT / "scoring_program" / "scoring.py"),
                str(folders.inputs),
                str(folders.output),
            ],
            stdout=log,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode != 0
    assert "the disk is full" in done.stderr
    assert not (folders.output / SCORES).exists()
