"""The whole way from a dataset to an edition."""

import gc
import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from climatecheck.tables import Json
from organiser.dataset import store
from organiser.dataset.checking import last_look
from organiser.dataset.claims import listed_claims
from organiser.dataset.corpus import kit_abstracts
from organiser.dataset.files import edition_files, papers
from organiser.dataset.findings import Finding, Findings
from organiser.dataset.gold import judged_pairs, narratives_of, report_gaps
from organiser.dataset.parsing import parse
from organiser.dataset.reading import SplitNames, read_dataset
from organiser.dataset.records import Rows
from organiser.dataset.statement import statement

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Request:
    """What an organiser asks for.

    Attributes:
        name: of the edition.
        dataset: a file or a folder.
        corpus: a file or a folder with the texts of all abstracts, or None.
        test: what the test split is called.
        new: the edition can still be mended: ids with two texts are refused.
        strict: every decision is refused.
    """

    name: str
    dataset: Path
    corpus: Path | None = None
    test: str = "test"
    new: bool = False
    strict: bool = False


@dataclass(frozen=True)
class Outcome:
    """What was imported.

    Attributes:
        folder: of the edition.
        findings: what was found and decided.
        counts: the data statement.
        remarks: of the last look at a bundle.
    """

    folder: Path
    findings: list[Finding]
    counts: Json
    remarks: list[str] = field(default_factory=list)


def import_edition(
    asked: Request,
    editions: Path,
    *,
    look: Callable[[Path, int], list[str]] = last_look,
) -> Outcome:
    """Make ``editions/NAME`` from a dataset; the old one stays as it was if anything fails.

    Args:
        asked: what to import.
        editions: the folder of all editions.
        look: takes the last look at what was made, with the number of claims.

    Raises:
        OrganiserError: the dataset cannot be used, or holds what is refused; everything is told
            at once.
    """
    with _objects_that_stay():
        return _imported(asked, editions, look)


def _imported(asked: Request, editions: Path, look: Callable[[Path, int], list[str]]) -> Outcome:
    name = store.checked_name(asked.name)
    findings = Findings()
    rows = read_dataset(asked.dataset, SplitNames(asked.test), findings)
    records, listed = listed_claims(parse(rows, findings), findings)
    pairs = judged_pairs(records, findings)
    narratives = narratives_of(records, listed, findings)
    report_gaps(listed, pairs, narratives, records, findings)
    abstracts = kit_abstracts(records, pairs, asked.corpus, findings)
    findings.refuse(new=asked.new, strict=asked.strict)
    counts = statement(name, records, listed, pairs, narratives)
    published = counts["as_published"]
    made = edition_files(name, records, listed, pairs, narratives, abstracts, published)
    made |= papers(name, _sources(rows, asked.corpus), findings, counts)
    with store.building(editions, name) as folder:
        store.write(folder, made)
        remarks = look(folder, len(listed.texts))
        store.put_in_place(folder, editions, name)
    return Outcome(editions / name, findings.all(), counts, remarks)


@contextmanager
def _objects_that_stay() -> Iterator[None]:
    """Stop the search for cyclic garbage, a third of the time: millions of objects, no cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _sources(rows: Rows, corpus: Path | None) -> Json:
    """Return the rows and the hash of each file that was read."""
    numbers = np.bincount(rows.file, minlength=len(rows.files)).tolist()
    named = zip(rows.files, rows.paths, numbers, strict=True)
    made: Json = {n: {"rows": k, "sha256": _digest([path])} for n, path, k in named}
    if corpus is not None:
        files = (
            [corpus] if corpus.is_file() else sorted(p for p in corpus.rglob("*") if p.is_file())
        )
        made[f"CORPUS: {corpus.name}"] = {"rows": 0, "sha256": _digest(files)}
    return made


def _digest(paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                whole.update(block)
    return whole.hexdigest()
