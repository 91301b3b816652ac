"""Makes the uploads of the catalogue that are no text: zips, and what git cannot hold.

``python -m tests.make_cases`` writes the zips anew, byte for byte the same each time. What a
checkout cannot hold (links, pipes, very large or very many files) is built where it is needed.
"""

import os
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.zip_cases import GOOD, NARRATIVES, RUN, ZIPS, a_zip

CASES = Path(__file__).resolve().parent / "cases"


def _folder(*links: tuple[str, str]) -> Callable[[Path], Path]:
    def build(base: Path) -> Path:
        folder = base / "upload"
        folder.mkdir()
        for name, target in links:
            (folder / name).symlink_to(target)
        return folder

    return build


def _with_link_beside(base: Path) -> Path:
    folder = _folder(("scores.json", "/etc/hostname"))(base)
    (folder / "predictions.csv").write_bytes(RUN)
    return folder


def _pipe(base: Path) -> Path:
    folder = _folder()(base)
    os.mkfifo(folder / "predictions.csv")
    return folder


def _bad_names(base: Path) -> Path:
    folder = _folder()(base)
    for name, data in ((b"r\xe9sultats.csv", RUN), (b"notes\n\x1b[31m.md", b"x")):
        with open(os.fsencode(folder) + b"/" + name, "wb") as file:
            file.write(data)
    return folder


def _backslashes(base: Path) -> Path:
    folder = _folder()(base)
    (folder / "run\\task1.csv").write_bytes(RUN)
    (folder / "run\\task2.csv").write_bytes(NARRATIVES)
    (folder / "__MACOSX\\._task1.csv").write_bytes(b"\x00")
    return folder


def _many(folders: int, files: int) -> Callable[[Path], Path]:
    def build(base: Path) -> Path:
        folder = _folder()(base)
        (folder / "predictions.csv").write_bytes(RUN)
        for i in range(folders):
            (folder / f"{i}").mkdir()
        for i in range(files):
            (folder / f"{i}.txt").touch()
        return folder

    return build


def _deep(base: Path) -> Path:
    folder = inner = _folder()(base)
    for _ in range(250):
        inner = inner / "d"
        inner.mkdir()
    return folder


def _after_ingestion(base: Path) -> Path:
    """The scoring step's folder: the platform's and ingestion's files beside the participant's."""
    folder = _many(0, 199)(base)
    (folder / "metadata").write_text("exitCode: 0\nelapsedTime: 1.0\n")
    (folder / "validated").mkdir()
    for name in ("task1.csv", "validation.json"):
        (folder / "validated" / name).write_bytes(b"x")
    return folder


def _arrived(files: Mapping[str, bytes]) -> Callable[[Path], Path]:
    """The scoring step's folder with these files of the participant."""

    def build(base: Path) -> Path:
        folder = _folder()(base)
        (folder / "metadata").write_text("exitCode: 0\n")
        (folder / "validated").mkdir()
        (folder / "validated" / "validation.json").write_bytes(b"x")
        for name, data in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(data)
        return folder

    return build


def _metadata_folder(base: Path) -> Path:
    folder = _many(0, 0)(base)
    (folder / "metadata").mkdir()
    return folder


def _named(name: str, data: Callable[[], bytes]) -> Callable[[Path], Path]:
    def build(base: Path) -> Path:
        (base / name).write_bytes(data())
        return base / name

    return build


def _zip_of(make: Callable[[], bytes]) -> Callable[[Path], Path]:
    return _named("input.zip", make)


def _bomb() -> bytes:
    return a_zip({"predictions.csv": b"0" * 50_000_000}, method=zipfile.ZIP_DEFLATED)


def _overlapping() -> bytes:
    """Two entries of the directory that point at the same bytes."""
    data = a_zip({"task1.csv": RUN, "task2.csv": RUN})
    changed, second = bytearray(data), data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", changed, second + 42, 0)
    return bytes(changed)


_HEAD = "claim_id,abstract_id,rank\n"

BUILT: dict[str, Callable[[Path], Path]] = {
    "upload-missing": lambda base: base / "predictions.zip",
    "upload-is-a-pipe": lambda base: _pipe(base) / "predictions.csv",
    "folder-with-a-link": _folder(("predictions.csv", "/etc/passwd")),
    "folder-with-a-link-to-itself": _folder(("predictions", ".")),
    "folder-with-a-link-beside": _with_link_beside,
    "folder-with-a-pipe": _pipe,
    "folder-empty": _folder(),
    "folder-names-not-utf-8": _bad_names,
    "folder-backslashes": _backslashes,
    "folder-of-just-enough-files": _many(0, 199),
    "folder-of-too-many-files": _many(0, 200),
    "folder-of-too-many-folders": _many(300, 0),
    "folder-too-deep": _deep,
    "folder-after-ingestion": _after_ingestion,
    "folder-where-nothing-arrived": _arrived({}),
    "folder-where-another-file-arrived": _arrived({"out.txt": b"x"}),
    "folder-where-a-spreadsheet-arrived": _arrived({"predictions.xlsx": b"PK"}),
    "folder-where-junk-arrived": _arrived({"__MACOSX/._predictions.csv": b"x"}),
    "folder-where-a-file-that-is-meant-arrived": _arrived({"task1.csv": RUN, "task2.json": b"[]"}),
    "folder-metadata-folder": _metadata_folder,
    "not-a-zip": _named("input.zip", lambda: b"Rar!\x1a\x07\x00"),
    "not-a-zip-but-a-csv": _named("predictions.zip", lambda: RUN),
    "not-a-zip-and-empty": _named("input.zip", lambda: b""),
    "zip-called-csv": _named("predictions.csv", lambda: GOOD),
    "zip-too-many-entries": _zip_of(lambda: a_zip({f"{i}.txt": b"" for i in range(5000)})),
    "zip-bomb": _zip_of(_bomb),
    "zip-overlapping-entries": _zip_of(_overlapping),
    "zip-too-large": _zip_of(lambda: b"PK" + bytes(25_000_000)),
    "large-file": _named("predictions.csv", lambda: RUN + b" " * 500_000),
    "large-number-of-rows": _named(
        "predictions.csv",
        lambda: (_HEAD + "".join(f"{i % 3 + 1},{i},{i}\n" for i in range(2201))).encode(),
    ),
    "large-number-of-columns": _named(
        "predictions.csv",
        lambda: ("claim_id," + ",".join(f"c{i}" for i in range(100)) + "\n1\n").encode(),
    ),
    "large-cell": _named(
        "predictions.csv", lambda: ("claim_id,narrative\n1," + "1" * 10_001 + "\n").encode()
    ),
    "large-cell-of-quotes": _named(
        "predictions.csv", lambda: b'claim_id,narrative\n1,"' + b'""' * 100_000 + b"\n"
    ),
    "nul-far-below": _named(
        "predictions.csv",
        lambda: RUN + b"".join(b"2,%d,%d\n" % (k, k) for k in range(500)) + b"3,\x00,1\n",
    ),
}
"""Uploads that are built in a folder when needed."""


def main() -> None:
    """Write the zips of the catalogue."""
    for name, data in ZIPS.items():
        (CASES / name).mkdir(exist_ok=True)
        (CASES / name / "input.zip").write_bytes(data)


if __name__ == "__main__":
    main()
