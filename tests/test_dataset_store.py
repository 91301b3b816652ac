"""An import puts an edition in its place whole, or leaves the old one as it was."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from organiser.dataset import store
from organiser.dataset.importing import Request, import_edition
from organiser.editions import OrganiserError
from organiser.zips import files_of
from tests.conftest import ROOT
from tests.dataset_example import N, clean, row, without_bundle

IMPORT = """
import sys, time
from pathlib import Path
from organiser.dataset.importing import Request, import_edition

def look(folder, claims):
    print("looking", flush=True)
    time.sleep(float(sys.argv[3]))
    return []

import_edition(Request("e", Path(sys.argv[1])), Path(sys.argv[2]), look=look)
print("done", flush=True)
"""


def start(dataset: Path, editions: Path, seconds: float) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", IMPORT, str(dataset), str(editions), str(seconds)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def editions(tmp_path: Path) -> Path:
    """With an edition ``e`` of the clean example."""
    import_first(tmp_path, tmp_path / "editions")
    return tmp_path / "editions"


def import_first(base: Path, editions: Path) -> None:
    dataset = clean().write(base / "first")
    import_edition(Request("e", dataset), editions, look=without_bundle)


def other(base: Path) -> Path:
    """Another dataset, of which an edition differs in the gold."""
    made = clean()
    made.test.append(row(15, 1500))
    return made.write(base / "other")


def test_importing_again_changes_no_byte(editions: Path, tmp_path: Path) -> None:
    before = files_of(editions)
    import_first(tmp_path, editions)
    assert files_of(editions) == before
    assert [path.name for path in editions.iterdir()] == ["e"]


def test_an_import_replaces_the_whole_edition(editions: Path, tmp_path: Path) -> None:
    (editions / "e" / "left_over.csv").write_text("x")
    import_edition(Request("e", other(tmp_path)), editions, look=without_bundle)
    assert b"15,1500,Supports" in (editions / "e/reference_data/task1_gold.csv").read_bytes()
    assert not (editions / "e" / "left_over.csv").exists()
    assert [path.name for path in editions.iterdir()] == ["e"]


def test_where_the_system_cannot_exchange_folders(
    editions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_exchanged", lambda one, other: False)
    test_an_import_replaces_the_whole_edition(editions, tmp_path)
    # Killed between its two renames, it leaves the old edition aside; the next import begins there.
    before = files_of(editions / "e")
    (editions / "e").rename(editions / ".e.old")
    with pytest.raises(RuntimeError), store.building(editions, "e"):
        raise RuntimeError
    assert files_of(editions / "e") == before


def failing(folder: Path, claims: int) -> list[str]:
    raise OrganiserError("It will not do.")


def test_a_failed_import_leaves_the_old_edition(editions: Path, tmp_path: Path) -> None:
    before = files_of(editions)
    with pytest.raises(OrganiserError, match="It will not do"):
        import_edition(Request("e", other(tmp_path)), editions, look=failing)
    bad = clean()
    bad.test = [{**each, "annotation": N} for each in bad.test]
    with pytest.raises(OrganiserError, match="no evidentiary pair"):
        import_edition(Request("e", bad.write(tmp_path / "bad")), editions)
    assert files_of(editions) == before
    assert [path.name for path in editions.iterdir()] == ["e"]


def test_a_full_disk_leaves_the_old_edition(
    editions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files_of(editions)

    def full(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        import_edition(Request("e", tmp_path / "first"), editions)
    assert files_of(editions) == before
    assert [path.name for path in editions.iterdir()] == ["e"]


def test_a_killed_import_leaves_the_old_edition(editions: Path, tmp_path: Path) -> None:
    before, dataset = files_of(editions / "e"), other(tmp_path)
    process = start(dataset, editions, 60)
    assert process.stdout is not None
    assert process.stdout.readline() == "looking\n"
    with pytest.raises(OrganiserError, match="Another import is running"):
        import_edition(Request("e", dataset), editions, look=without_bundle)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert files_of(editions / "e") == before
    assert len(list(editions.iterdir())) == 2  # the old edition, and what was being built
    import_edition(Request("e", dataset), editions, look=without_bundle)
    assert files_of(editions / "e") != before
    assert [path.name for path in editions.iterdir()] == ["e"]


def test_whenever_it_is_killed_the_edition_is_the_old_or_the_new_one(
    editions: Path, tmp_path: Path
) -> None:
    datasets = [tmp_path / "first", other(tmp_path)]
    import_edition(Request("e", datasets[1]), tmp_path / "b", look=without_bundle)
    states = [files_of(editions / "e"), files_of(tmp_path / "b" / "e")]
    chance = random.Random(1)
    for turn in range(8):
        process = start(datasets[(turn + 1) % 2], editions, 0)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.random() * 0.0015)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert files_of(editions / "e") in states


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/b", "a\\b", "/x", ".git", "a.b", "-x", "a b", "a\n", "é", "x" * 65],
)
def test_a_name_that_leads_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    dataset = clean().write(tmp_path / "d")
    with pytest.raises(OrganiserError, match="NAME is"):
        import_edition(Request(name, dataset), tmp_path / "editions", look=without_bundle)
    assert [path.name for path in tmp_path.iterdir()] == ["d"]


def test_an_edition_made_by_hand_is_not_replaced(tmp_path: Path) -> None:
    dataset = clean().write(tmp_path / "d")
    by_hand = tmp_path / "editions" / "e" / "input_data"
    by_hand.mkdir(parents=True)
    (by_hand / "claims.csv").write_text("claim_id,claim\n")
    with pytest.raises(OrganiserError, match="was not made by an import"):
        import_edition(Request("e", dataset), tmp_path / "editions", look=without_bundle)
    assert files_of(tmp_path / "editions") == {"e/input_data/claims.csv": b"claim_id,claim\n"}
