"""The texts of abstracts: from CORPUS if it is given, else from the training rows."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from climatecheck import edition
from climatecheck.problems import shown
from climatecheck.tables import Booleans
from climatecheck.values import BLANKS, abstract_of
from organiser.dataset import kinds
from organiser.dataset.findings import SHOWN, Findings, Place
from organiser.dataset.gold import Pairs
from organiser.dataset.readers import SUFFIXES, read_chunks
from organiser.dataset.records import NONE, TEST, TRAIN, Records
from organiser.dataset.sheet import Unreadable, known_names
from organiser.editions import OrganiserError

_COLUMNS = {"abstract_id": ("abstract_id",), "title": ("title",), "abstract": ("abstract",)}
_MISSING = ("", "none", "nan")


class Abstract(NamedTuple):
    """What the kit says of an abstract."""

    id: int
    title: str
    text: str


def kit_abstracts(
    records: Records, pairs: Pairs, corpus: Path | None, findings: Findings
) -> list[Abstract]:
    """Return the abstracts of the kit: those judged for training claims, sorted by id.

    Neither the ids nor the texts come from test rows: which abstracts were judged for the test
    claims is gold.
    """
    train, test = (pairs.of(split, records).abstracts for split in (TRAIN, TEST))
    shared = np.intersect1d(train, test).tolist()
    first = [Place(abstract=str(id_)) for id_ in shared[:SHOWN]]
    findings.add(kinds.ABSTRACT_SHARED, "", first, count=len(shared))
    wanted = set(train.tolist())
    texts = _texts_of_rows(records, wanted, findings)
    listed: dict[int, tuple[str, str]] = {}
    if corpus is not None:
        judged = set(np.union1d(train, test).tolist())
        listed = _from_corpus(corpus, wanted, judged, findings)
    made = []
    for id_ in sorted(wanted):
        title, text = listed.get(id_, ("", ""))
        made.append(Abstract(id_, title, text or texts.get(id_, "")))
    missing = [Place(abstract=str(each.id)) for each in made if not each.text]
    findings.add(kinds.ABSTRACT_TEXT_MISSING, "train", missing)
    return [each for each in made if each.text]


def _texts_of_rows(records: Records, wanted: set[int], findings: Findings) -> dict[int, str]:
    """Return the text of each abstract in the training rows, and tell where texts differ."""
    has = (records.abstract != NONE) & (records.abstract_text != NONE)
    size = max(len(records.abstract_texts), 1)
    train = has & (records.split == TRAIN)
    pairs, counts = np.unique(
        records.abstract[train] * size + records.abstract_text[train], return_counts=True
    )
    ids, text = np.divmod(pairs, size)
    _report_different(records, has, size, findings)
    # By id, and last among those of an id the text of most rows, of these the longest.
    texts = records.abstract_texts
    length = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    order = np.lexsort((-text, length[text], counts, ids))
    best = dict(zip(ids[order].tolist(), text[order].tolist(), strict=True))
    return {id_: texts[best[id_]] for id_ in wanted & best.keys()}


def _report_different(records: Records, has: Booleans, size: int, findings: Findings) -> None:
    every = np.unique(records.abstract[has] * size + records.abstract_text[has]) // size
    ids, numbers = np.unique(every, return_counts=True)
    several = zip(ids[numbers > 1].tolist(), numbers[numbers > 1].tolist(), strict=True)
    places = [Place(abstract=str(id_), found=f"{number} texts") for id_, number in several]
    findings.add(kinds.ABSTRACT_TEXTS, "", places)


def _from_corpus(
    path: Path, wanted: set[int], judged: set[int], findings: Findings
) -> dict[int, tuple[str, str]]:
    """Return title and text of the wanted abstracts, and tell what is odd in the corpus."""
    found: dict[int, tuple[str, str]] = {}
    there = np.zeros(edition.CORPUS_SIZE, dtype=np.bool_)
    odd: Counter[str] = Counter()
    for file in _files(path):
        try:
            for part in read_chunks(file, _choose):
                texts = part["abstract"]
                titles = part.get("title") or [""] * len(texts)
                for id_, title, text in zip(part["abstract_id"], titles, texts, strict=True):
                    number = abstract_of(id_.strip(BLANKS)).value
                    if number is None or there[number]:
                        odd[id_] += 1
                        continue
                    there[number] = True
                    if number in wanted:
                        found[number] = _plain(title), _plain(text)
        except Unreadable as error:
            findings.fault(f"CORPUS, {shown(file.name)}: {error}.")
    findings.add(
        kinds.CORPUS_ID, "", [Place(abstract=shown(id_)) for id_ in odd], count=sum(odd.values())
    )
    findings.add(
        kinds.CORPUS_SIZE,
        "",
        [Place(found=f"{int(there.sum()):,} against {edition.CORPUS_SIZE:,}")],
        count=abs(int(there.sum()) - edition.CORPUS_SIZE),
    )
    unlisted = [Place(abstract=str(id_)) for id_ in sorted(judged) if not there[id_]]
    findings.add(kinds.ABSTRACT_UNLISTED, "", unlisted)
    return found


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise OrganiserError(f"There is no corpus at {path}.")
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    files = [file for file in files if file.is_file() and file.suffix.casefold() in SUFFIXES]
    if not files:
        raise OrganiserError(
            f"There is no corpus at {path}: no file ends in {', '.join(SUFFIXES)}."
        )
    return files


def _choose(header: Sequence[str]) -> dict[str, str]:
    found = known_names(header, _COLUMNS)
    if "abstract_id" in found and "abstract" in found:
        return found
    listed = ", ".join(map(shown, header)) or "none"
    raise Unreadable(f"it has the columns {listed}; expected are abstract_id and abstract")


def _plain(text: str) -> str:
    stripped = text.strip(BLANKS).replace("\x00", "")
    return "" if stripped.casefold() in _MISSING else stripped
