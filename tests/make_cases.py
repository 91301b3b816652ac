"""Makes the uploads of the catalogue that are no text: zips, and what git cannot hold.

``python -m tests.make_cases`` writes the zips anew, byte for byte the same each time. What a
checkout cannot hold (links, pipes, very large or very many files) is built where it is needed.
"""

import io
import os
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

CASES = Path(__file__).resolve().parent / "cases"
RUN = b"claim_id,abstract_id,rank\n" + b"".join(b"1,10%d,%d\n" % (k, k) for k in range(1, 6))
"""Five abstracts for claim 1: a run without a fault."""
NARRATIVES = b"claim_id,narrative\n1,1_1\n2,0_0\n"

Content = bytes | tuple[bytes, int]
"""The bytes of an entry, with the Unix mode of its kind of file if it is not a plain one."""


def a_zip(files: Mapping[str, Content], *, method: int = zipfile.ZIP_STORED) -> bytes:
    """A zip with these entries, in this order, with fixed times."""
    return a_zip_of(list(files.items()), method=method)


def a_zip_of(entries: list[tuple[str, Content]], *, method: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name may be there already
        for name, content in entries:
            data, kind = content if isinstance(content, tuple) else (content, stat.S_IFREG)
            info = zipfile.ZipInfo(name, (2026, 1, 15, 0, 0, 0))
            info.create_system, info.external_attr = 3, (kind | 0o644) << 16
            info.compress_type = method
            archive.writestr(info, data)
    return buffer.getvalue()


def patched(data: bytes, old: bytes, new: bytes) -> bytes:
    """The same bytes with one piece in the place of another of the same length, everywhere."""
    assert len(old) == len(new) and old in data
    return data.replace(old, new)


def flagged(data: bytes, *, flag: int = 0, method: int | None = None) -> bytes:
    """A zip of one entry that says of itself what is not so: a flag, or a method."""
    changed = bytearray(data)
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = data.index(signature) + at
        (flags,) = struct.unpack_from("<H", data, start)
        struct.pack_into("<H", changed, start, flags | flag)
        if method is not None:
            struct.pack_into("<H", changed, start + 2, method)
    return bytes(changed)


def of_size(data: bytes, size: int) -> bytes:
    """A zip of one entry whose directory states another size of it, unpacked."""
    changed = bytearray(data)
    struct.pack_into("<I", changed, data.index(b"PK\x01\x02") + 24, size)
    return bytes(changed)


_GOOD = a_zip({"predictions.csv": RUN})
_LINK, _DEVICE, _PIPE = stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO

ZIPS: dict[str, bytes] = {
    "zip-plain": _GOOD,
    "zip-of-both-tasks": a_zip({"task1.csv": RUN, "task2.csv": NARRATIVES}),
    "zip-one-folder-too-many": a_zip({"predictions/": b"", "predictions/predictions.csv": RUN}),
    "zip-folders-deep": a_zip({"home/me/run 3/predictions.csv": RUN}),
    "zip-folder-with-a-space-and-an-accent": a_zip({"Mes résultats/predictions.csv": RUN}),
    "zip-with-macosx": a_zip(
        {
            "predictions.csv": RUN,
            "__MACOSX/._predictions.csv": b"\x00\x05\x16\x07",
            "._task1.csv": b"\x00\x05\x16\x07",
            ".DS_Store": b"\x00\x00\x00\x01Bud1",
        }
    ),
    "zip-macosx-alone": a_zip({"__MACOSX/._predictions.csv": b"\x00\x05\x16\x07"}),
    "zip-backslashes": patched(
        a_zip({"results/predictions.csv": RUN}), b"results/pred", b"results\\pred"
    ),
    "zip-backslashes-that-leave": patched(
        a_zip({"../predictions.csv": RUN}), b"../pred", b"..\\pred"
    ),
    "zip-drive-letter": a_zip({"C:/predictions.csv": RUN}),
    "zip-name-in-capitals": a_zip({"PREDICTIONS.CSV": RUN}),
    "zip-name-of-a-download": a_zip({"Predictions (1).csv": RUN}),
    "zip-name-of-a-copy": a_zip({"predictions - Copy.csv": RUN}),
    "zip-name-with-two-suffixes": a_zip({"predictions.csv.txt": RUN}),
    "zip-name-as-txt": a_zip({"predictions.txt": RUN}),
    "zip-name-as-tsv": a_zip({"predictions.tsv": RUN.replace(b",", b"\t")}),
    "zip-other-name": a_zip({"my_best_run.csv": RUN}),
    "zip-other-name-as-txt": a_zip({"my_best_run.txt": RUN}),
    "zip-other-name-of-tasks": a_zip({"task_1.csv": RUN, "Task-2.csv": NARRATIVES}),
    "zip-name-not-utf-8": patched(
        a_zip({"results_e.csv": RUN}), b"results_e.csv", b"results_\xe9.csv"
    ),
    "zip-name-falsely-utf-8": flagged(
        patched(a_zip({"results_e.csv": RUN}), b"results_e.csv", b"results_\xe9.csv"), flag=0x800
    ),
    "zip-name-with-nul": patched(
        a_zip({"predictions.csv_.txt": RUN}), b"predictions.csv_.txt", b"predictions.csv\0.txt"
    ),
    "zip-name-with-control-characters": a_zip(
        {"predictions.csv": RUN, "\x1b[31m\u202egpj.exe\r\n": b"x"}
    ),
    "zip-name-very-long": a_zip({"x" * 5000 + ".csv": RUN}),
    "zip-name-of-a-script": a_zip({"predictions.csv": RUN, "<script>alert(1)</script>": b""}),
    "zip-two-candidates": a_zip({"predictions.csv": RUN, "old/predictions.csv": RUN}),
    "zip-two-candidates-by-form": a_zip({"predictions.csv": RUN, "predictions.tsv": RUN}),
    "zip-two-other-names": a_zip({"emissions.csv": b"duration,emissions\n1,2\n", "run.csv": RUN}),
    "zip-the-same-name-twice": a_zip_of([("predictions.csv", RUN), ("predictions.csv", b"x\n")]),
    "zip-both-kinds": a_zip({"predictions.csv": RUN, "task2.csv": NARRATIVES}),
    "zip-beside-other-files": a_zip(
        {"predictions.csv": RUN, "README.md": b"x", "emissions.csv": b"a,b\n1,2\n", "run.py": b""}
    ),
    "zip-without-csv": a_zip({"readme.txt": b"x", "code/run.py": b"", "model.bin": b""}),
    "zip-with-json-alone": a_zip({"predictions.json": b"[]"}),
    "zip-with-a-spreadsheet": a_zip({"predictions.xlsx": b"PK"}),
    "zip-is-a-spreadsheet": a_zip(
        {"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<workbook/>"}
    ),
    "zip-with-a-spreadsheet-called-csv": a_zip(
        {"predictions.csv": a_zip({"xl/workbook.xml": b"<workbook/>"})}
    ),
    "zip-with-gzip-called-csv": a_zip({"predictions.csv": b"\x1f\x8b\x08\x00\x00\x00\x00\x00"}),
    "zip-with-gzip": a_zip({"predictions.csv.gz": b"\x1f\x8b\x08\x00"}),
    "zip-empty": a_zip({}),
    "zip-empty-folder": a_zip({"predictions/": b""}),
    "zip-empty-file": a_zip({"predictions.csv": b""}),
    "zip-in-the-zip": a_zip({"predictions.zip": _GOOD}),
    "zip-in-the-zip-beside-a-csv": a_zip({"predictions.csv": RUN, "backup.zip": _GOOD}),
    "zip-encrypted": flagged(_GOOD, flag=1),
    "zip-other-method": flagged(_GOOD, method=zipfile.ZIP_BZIP2),
    "zip-unknown-method": flagged(_GOOD, method=97),
    "zip-truncated": _GOOD[:-30],
    "zip-header-broken": patched(_GOOD, b"PK\x03\x04", b"PK\x03\x05"),
    "zip-checksum-wrong": patched(_GOOD, b"1,101,1", b"1,901,1"),
    "zip-size-understated": of_size(_GOOD, 40),
    "zip-size-overstated": of_size(_GOOD, 4_000_000),
    "zip-with-junk-before-it": b"#!/bin/sh\nexit\n" + _GOOD,
    "zip-leaves-the-folder": a_zip({"../predictions.csv": RUN}),
    "zip-leaves-the-folder-deep-down": a_zip({"a/../../predictions.csv": RUN}),
    "zip-absolute-name": a_zip({"/etc/predictions.csv": RUN}),
    "zip-absolute-name-beside-a-csv": a_zip({"predictions.csv": RUN, "/etc/passwd": b"x"}),
    "zip-link": a_zip({"predictions.csv": (b"../ref/task1_gold.csv", _LINK)}),
    "zip-link-beside-a-csv": a_zip({"predictions.csv": RUN, "scores.json": (b"/app/x", _LINK)}),
    "zip-device": a_zip({"predictions.csv": (b"", _DEVICE)}),
    "zip-pipe": a_zip({"predictions.csv": (b"", _PIPE)}),
    "zip-metadata": a_zip({"predictions.csv": RUN, "metadata": b"description: my run\n"}),
    "zip-metadata-yaml": a_zip({"predictions.csv": RUN, "metadata.yaml": b"description: x\n"}),
    "zip-metadata-yaml-with-command": a_zip(
        {"predictions.csv": RUN, "metadata.yaml": b"command: python3 run.py\n"}
    ),
    "zip-metadata-json-with-command": a_zip(
        {"predictions.csv": RUN, "metadata": b'{"command": "cat /app/input/ref/*"}'}
    ),
    "zip-metadata-in-a-folder": a_zip(
        {"run/predictions.csv": RUN, "run/metadata.yaml": b"command: x\n"}
    ),
    "zip-metadata-alone": a_zip({"metadata.yaml": b"command: python3 run.py\n"}),
    "zip-forged-output": a_zip(
        {
            "predictions.csv": RUN,
            "scores.json": b'{"Score1.1": 1.0}',
            "detailed_results.html": b"<h1>1</h1>",
            "validated/validation.json": b"{}",
            "validated/task1.csv": b"claim_id,abstract_id,rank,label\n1,9,1,Supports\n",
        }
    ),
    "zip-of-the-validated-folder": a_zip({"validated/task1.csv": RUN}),
    "zip-of-task1-alone": a_zip({"task1.csv": RUN}),
    "zip-of-task2-alone": a_zip({"task2.csv": NARRATIVES}),
}


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


def _nothing_arrived(base: Path) -> Path:
    folder = _folder()(base)
    (folder / "metadata").write_text("exitCode: 0\n")
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
    "folder-where-nothing-arrived": _nothing_arrived,
    "not-a-zip": _named("input.zip", lambda: b"Rar!\x1a\x07\x00"),
    "not-a-zip-but-a-csv": _named("predictions.zip", lambda: RUN),
    "not-a-zip-and-empty": _named("input.zip", lambda: b""),
    "zip-called-csv": _named("predictions.csv", lambda: _GOOD),
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
