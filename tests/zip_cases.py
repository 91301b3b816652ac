"""The uploads of the catalogue that are zips, most with one fault each."""

import io
import stat
import struct
import warnings
import zipfile
from collections.abc import Mapping

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


GOOD = a_zip({"predictions.csv": RUN})
_LINK, _DEVICE, _PIPE = stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO

ZIPS: dict[str, bytes] = {
    "zip-plain": GOOD,
    "zip-of-both-tasks": a_zip({"task1.csv": RUN, "task2.csv": NARRATIVES}),
    "zip-one-folder-too-many": a_zip({"predictions/": b"", "predictions/predictions.csv": RUN}),
    "zip-names-with-a-dot": a_zip({"./": b"", "./predictions.csv": RUN, "./notes//x.md": b"x"}),
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
    "zip-meant-spreadsheet": a_zip({"task1.csv": RUN, "task2.xlsx": GOOD}),
    "zip-meant-json": a_zip({"task1.csv": RUN, "Task 2.json": b"[]"}),
    "zip-meant-zip": a_zip({"task1.csv": RUN, "task2.zip": a_zip({"task2.csv": NARRATIVES})}),
    "zip-meant-gzip": a_zip({"task1.csv": RUN, "run/task2.csv.gz": b"\x1f\x8b\x08\x00"}),
    "zip-meant-without-an-ending": a_zip({"task1.csv": RUN, "task2": NARRATIVES}),
    "zip-meant-other-name": a_zip({"task1.csv": RUN, "narratives.csv": NARRATIVES}),
    "zip-meant-other-name-as-txt": a_zip({"task1.csv": RUN, "narratives.txt": NARRATIVES}),
    "zip-meant-other-name-of-a-run": a_zip(
        {"my_task1.csv": b"\xef\xbb\xbfRank;Claim ID\n1;1\n", "task2.csv": NARRATIVES}
    ),
    "zip-meant-an-older-run": a_zip({"predictions.csv": RUN, "old/run3.csv": RUN}),
    "zip-meant-the-same-in-another-form": a_zip(
        {"predictions.csv": RUN, "predictions.parquet": b"PAR1"}
    ),
    "zip-meant-several": a_zip(
        {
            "emissions.csv": b"duration,emissions\n1,2\n",
            "narratives.tsv": "claim_id\tnarrative\n1\t1_1\n".encode("utf-16"),
            "predictions (2).xlsx": b"PK",
            "task1.csv": RUN,
        }
    ),
    "zip-meant-beside-both-kinds": a_zip(
        {"predictions.csv": RUN, "task1.csv": RUN, "task2.xlsx": b"PK"}
    ),
    "zip-meant-beside-another-csv": a_zip(
        {"emissions.csv": b"duration,emissions\n1,2\n", "predictions.xlsx": b"PK"}
    ),
    "zip-not-meant": a_zip(
        {
            "claims.csv": b"claim_id,claim\n1,x\n",
            "emissions.csv": b"duration,emissions\n1,2\n",
            "narratives.md": NARRATIVES,
            "predictions.csv": RUN,
            "predictions.py": b"x",
            "task2_notes.txt": b"claim_id is an id, narrative is a code\n",
        }
    ),
    "zip-meant-for-the-other-board": a_zip(
        {"narratives.csv": NARRATIVES, "task1.csv": RUN, "task2.xlsx": b"PK"}
    ),
    "zip-meant-for-this-board": a_zip(
        {
            "task1.csv": RUN,
            "task2.csv": NARRATIVES,
            "all.csv": b"claim_id,rank,narrative\n1,1,1_1\n",
        }
    ),
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
    "zip-in-the-zip": a_zip({"predictions.zip": GOOD}),
    "zip-in-the-zip-beside-a-csv": a_zip({"predictions.csv": RUN, "backup.zip": GOOD}),
    "zip-encrypted": flagged(GOOD, flag=1),
    "zip-other-method": flagged(GOOD, method=zipfile.ZIP_BZIP2),
    "zip-unknown-method": flagged(GOOD, method=97),
    "zip-truncated": GOOD[:-30],
    "zip-header-broken": patched(GOOD, b"PK\x03\x04", b"PK\x03\x05"),
    "zip-checksum-wrong": patched(GOOD, b"1,101,1", b"1,901,1"),
    "zip-size-understated": of_size(GOOD, 40),
    "zip-size-overstated": of_size(GOOD, 4_000_000),
    "zip-with-junk-before-it": b"#!/bin/sh\nexit\n" + GOOD,
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
    "zip-metadata-folder": a_zip(
        {"predictions.csv": RUN, "metadata/notes.md": b"x", "metadata/run.md": b"y"}
    ),
    "zip-metadata-folder-empty": a_zip({"predictions.csv": RUN, "metadata.yaml/": b""}),
    "zip-metadata-folder-of-junk": a_zip({"predictions.csv": RUN, "metadata/.DS_Store": b"x"}),
    "zip-metadata-folder-with-the-run": a_zip({"metadata/predictions.csv": RUN}),
    "zip-metadata-both": a_zip(
        {"predictions.csv": RUN, "metadata/a.md": b"x", "metadata.yaml": b"description: x\n"}
    ),
    "zip-metadata-by-a-dot": a_zip({"predictions.csv": RUN, "./metadata": b"description: x\n"}),
    "zip-metadata-in-capitals": a_zip(
        {"predictions.csv": RUN, "METADATA": b"command: x\n", "Metadata.yaml": b"command: x\n"}
    ),
    "zip-metadata-folder-in-capitals": a_zip({"predictions.csv": RUN, "Metadata/x.md": b"x"}),
    "zip-metadata-command-in-a-comment": a_zip(
        {
            "predictions.csv": RUN,
            "metadata.yaml": b"# no command: here\n#command: x\nteam: a # command: x\n",
        }
    ),
    "zip-metadata-command-further-in": a_zip(
        {"predictions.csv": RUN, "metadata.yaml": b"about:\n  command: x\nthe command: y\n"}
    ),
    "zip-metadata-command-in-a-sentence": a_zip(
        {"predictions.csv": RUN, "metadata": b'{"note": "in short, command: none"}'}
    ),
    "zip-metadata-command-in-quotes": a_zip(
        {
            "predictions.csv": RUN,
            "metadata.yaml": b"---\n# mine\nteam: a\n'command' : python3 run.py\n",
        }
    ),
    "zip-metadata-command-indented": a_zip(
        {"predictions.csv": RUN, "metadata.yaml": b"\xef\xbb\xbf  team: a\r\n  command:\r\n"}
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
