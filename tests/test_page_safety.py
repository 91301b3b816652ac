"""Whatever a participant writes is shown as text: no markup, nothing hidden, nothing reordered."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from climatecheck.problems import shown
from organiser import worker
from tests.conftest import CLAIMS, Tiny, full_submission, upload
from tests.reading import Page, Reading, read_in_process, reading, unprintable

PLAIN = "zq plain"
HOSTILE = {
    "script": "zq<script>alert('zq')</script>",
    "attribute": "zq\" onmouseover=\"alert('zq')\" x='zq",
    "closing": "zq</li></ul></dd></section></main></body><img src=x onerror=zq>",
    "entities": "zq&lt;i&gt;&#60;b&#62;&amp;&quot;&zq;",
    "comment": "zq--><!-- zq --><![CDATA[zq]]><?zq?><!DOCTYPE zq>",
    "style": "zq</style></title><style>*{zq:zq}</style><svg/onload=zq>",
    "bidi": "zq\u202e\u2066\u200f\u061c\u202a\u2069zq",
    "control": "zq\x1b[31m\x07\x08\x7f\x9b\x0bzq",
    "hidden": "zq\u200b\u200d\ufeff\u00ad\u2028\u2029\U000e0041zq",
    "outside": "zq\ufffe\U0010ffff\ue000\ufdd0zq",
    "format": "zq{found}{0}{__class__}%s%(x)s{{zq}}$zq$`zq`",
    "long": "zq<b>" * 20_000,
    "numeric": "zq\u0967\u0968\uff11\uff12zq",
}
"""Each begins with a mark, by which its way can be followed."""

GOLD_FREE = "claim_id,abstract_id,rank,label,narrative\n"


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def file_name(text: str) -> str:
    """The text as far as a file system takes it."""
    name = text.replace("/", "\u2215").replace("\0", "")
    return name.encode()[:200].decode("utf-8", "ignore")


def bad_cells(text: str) -> dict[str, bytes]:
    """The text in each column, in a row of its own."""
    cells = [[CLAIMS[i], f"{9000 + i}", "1", "Supports", "0_0"] for i in range(5)]
    for i in range(5):
        cells[i][i] = quoted(text[:80_000])  # five of these are as much as a file may hold
    return {"predictions.csv": (GOLD_FREE + "\n".join(map(",".join, cells)) + "\n").encode()}


def bad_header(text: str) -> dict[str, bytes]:
    """The text in the place of a column's name, near to a name, and twice."""
    names = [quoted(text), quoted(f"claim_id {text}"), "rank", quoted(text), "labels"]
    return {"predictions.csv": (",".join(names) + "\n1,2,3,4,5\n").encode()}


def no_header(text: str) -> dict[str, bytes]:
    return {"predictions.csv": f"{quoted(text)}\n{quoted(text)}\n".encode()}


def disagreeing(text: str) -> dict[str, bytes]:
    lines = [f"{CLAIMS[0]},{k},{k},Supports,{quoted(text) if k == 2 else '0_0'}" for k in (1, 2)]
    return {"predictions.csv": (GOLD_FREE + "\n".join(lines) + "\n").encode()}


def two_candidates(text: str) -> dict[str, bytes]:
    return {f"{file_name(text)}/predictions.csv": b"x", "predictions.csv": b"x"}


def no_candidate(text: str) -> dict[str, bytes]:
    return {file_name(text): b"x", f"{file_name(text)}.zip": b"x"}


def accepted(text: str) -> dict[str, bytes]:
    """A good file, with the text in the names of a folder, of other files and columns."""
    header, *lines = full_submission().decode().splitlines()
    lines = [f"{line},{quoted(text[:5_000])}" for line in lines]
    content = "\n".join([f"{header},{quoted(text[:5_000])}", *lines, ""])
    name = file_name(text)
    return {f"{name}/{name[:60]}.csv": content.encode(), f"{name}.txt": text.encode()}


SHAPES: list[Callable[[str], dict[str, bytes]]] = [
    bad_cells,
    bad_header,
    no_header,
    disagreeing,
    two_candidates,
    no_candidate,
    accepted,
]


@pytest.fixture(scope="module")
def reference(tiny: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reference")
    for source in (tiny.inputs, tiny.reference):
        for path in source.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture(scope="module")
def usual(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, ...]]:
    """The kinds of elements of pages on which a participant has written nothing odd."""
    pages = [
        read_in_process(shape(PLAIN), reference, tmp_path_factory.mktemp("usual")).page
        for shape in SHAPES
    ]
    return set().union(*(Page(page).shapes() for page in pages))


def is_safe(made: Reading, usual: set[tuple[str, ...]]) -> None:
    page = Page(made.page)
    assert page.shapes() <= usual
    assert not any("zq" in value for _, attributes in page.elements for _, value in attributes)
    assert not any(name.startswith("on") for shape in page.shapes() for name in shape[1:])
    assert "script" not in {shape[0] for shape in page.shapes()}
    assert len([tag for tag, _ in page.elements if tag == "style"]) == 1
    assert "zq" not in made.page.partition("<style>")[2].partition("</style>")[0]
    for name, text in made.all_texts().items():
        if not name.startswith("prediction/") or "/validated/" in name:
            assert unprintable(text) == set(), name
            assert len(text) < 200_000, name
            assert "Traceback" not in text, name


@pytest.mark.parametrize("kind", list(HOSTILE))
@pytest.mark.parametrize("shape", SHAPES)
def test_hostile_text_stays_text(
    reference: Path, usual: set[tuple[str, ...]], tmp_path: Path, shape, kind: str
) -> None:
    text = HOSTILE[kind]
    made = read_in_process(shape(text), reference, tmp_path)
    is_safe(made, usual)
    validation = json.loads(made.files["prediction/validated/validation.json"])
    assert validation["valid"] == (shape is accepted)
    if kind == "long" and shape in (bad_cells, bad_header, no_header, disagreeing):
        assert "E-CELL-TOO-LONG" in Page(made.page).text
        return
    # It is there, as it was written, wherever a person reads it.
    log = made.logs["ingestion.stdout"] + made.logs["ingestion.stderr"]
    for place in (log, Page(made.page).text, json.dumps(validation, ensure_ascii=False)):
        assert "zq" in place
    assert shown(text[:3]) in Page(made.page).text


def test_through_the_platform_with_names_that_are_no_utf8(
    task: worker.Task, usual: set[tuple[str, ...]], tmp_path: Path
) -> None:
    """A zip whose names are in an old code page, in a log that knows few characters."""
    zipped = upload({"predictions.csv": full_submission(), "zq-XXXX.txt": b"x"})
    zipped = zipped.replace(b"zq-XXXX", b"zq-\xff\x80\x9b\xae")
    made = reading(worker.run(zipped, task, tmp_path))
    assert "W-OTHER-FILES" in made.logs["ingestion.stdout"]
    is_safe(made, usual)


def test_names_that_are_no_text_at_all(
    reference: Path, usual: set[tuple[str, ...]], tmp_path: Path
) -> None:
    """Bytes that the file system gives out as lone surrogates."""
    odd = b"zq-\xff\xfe\x80.txt".decode("utf-8", "surrogateescape")
    made = read_in_process({"predictions.csv": b"x", odd: b"x"}, reference, tmp_path)
    is_safe(made, usual)


def test_many_odd_things_are_grouped(reference: Path, tmp_path: Path) -> None:
    """Thousands of distinct odd cells make a page that can be read."""
    lines = [f"<b>{i},zq{i},-{i},<i>{i},9_{i}" for i in range(2_000)]
    files = {"predictions.csv": (GOLD_FREE + "\n".join(lines)).encode()}
    files |= {f"<u>{i}.txt": b"x" for i in range(150)}
    made = read_in_process(files, reference, tmp_path)
    assert "E-UNKNOWN-CLAIM" in made.page
    assert max(map(len, (made.page, *made.logs.values()))) < 40_000
    assert not {"b", "i", "u"} & {shape[0] for shape in Page(made.page).shapes()}
