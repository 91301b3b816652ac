"""Retrieval from a corpus of full size, against ``rank_bm25`` in the same run.

The abstracts are synthetic: 180 words each from a Zipf-Mandelbrot vocabulary whose most frequent
words are the English stop words. Both sides cut words to the same stems, in the time that is
measured. ``rank_bm25`` gets a part of the abstracts and of the claims, and its times are
extrapolated in proportion; this favours it, for its caches hold a part better than the whole.

Each step is a process of its own, which ``python -m benchmarks.retrieval STEP FOLDER`` runs.
"""

import json
import string
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from baselines.bm25 import Index
from baselines.libraries import load
from baselines.postings import Postings
from baselines.words import STOP_WORDS, Stems
from benchmarks.measure import Result, cost
from climatecheck import edition

ABSTRACTS, CLAIMS = edition.CORPUS_SIZE, 172
_WORDS, _CLAIM_WORDS = 180, 20
_VOCABULARY, _EXPONENT, _SHIFT = 300_000, 1.07, 2.7
_CHUNK = 4_096
_PART_OF_ABSTRACTS, _PART_OF_CLAIMS = 8, 8
_DEPTH = 10
_GIB = 1024**3
_ROOT = Path(__file__).resolve().parents[1]
_STEP = "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module(" + (
    "'benchmarks.retrieval', run_name='__main__', alter_sys=True)"
)


def full_size(_: str = "", *, abstracts: int = ABSTRACTS) -> list[Result]:
    """Measure index, queries and a second run, under this very Python."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        _write(folder / "abstracts.txt", abstracts, _WORDS, seed=1)
        _write(folder / "claims.txt", CLAIMS, _CLAIM_WORDS, seed=2)
        indexing, second, other = (
            cost([sys.executable, "-c", _STEP, str(_ROOT), step, str(folder)], folder)
            for step in ("index", "search", "rank_bm25")
        )
        ours, queries, rank = (_facts(folder, step) for step in ("index", "search", "rank_bm25"))
    whole = rank["index"] + rank["queries"]
    print(
        f"{abstracts:,} abstracts: index {ours['index']:.1f} s, {CLAIMS} queries "
        f"{queries['queries']:.2f} s, second run {second.seconds:.2f} s; rank_bm25, extrapolated "
        f"from {rank['abstracts']:,} abstracts ({other.memory / _GIB:.1f} GiB) and "
        f"{rank['claims']} queries: index {rank['index']:.0f} s, queries {rank['queries']:.0f} s"
    )
    return [
        _share(f"{CLAIMS} queries", queries["queries"], rank["queries"], 1),
        _share("index and queries", ours["index"] + queries["queries"], whole, 20),
        _share("second run, start of Python included", second.seconds, whole, 2),
        Result(
            f"memory of indexing {abstracts:,} abstracts",
            max(indexing.memory, second.memory) / _GIB,
            6.0,
            " GiB",
        ),
    ]


def _share(name: str, ours: float, theirs: float, most: float) -> Result:
    return Result(f"retrieval: {name} / rank_bm25", 100 * ours / theirs, most, " %")


def texts(count: int, words: int, seed: int) -> Iterator[str]:
    """Yield synthetic texts of so many words."""
    ranks = np.arange(1, _VOCABULARY + 1)
    upto = np.cumsum(1 / (ranks + _SHIFT) ** _EXPONENT)
    vocabulary = _vocabulary()
    random = np.random.default_rng(seed)
    for start in range(0, count, _CHUNK):
        size = (min(_CHUNK, count - start), words)
        drawn = np.searchsorted(upto, random.random(size) * upto[-1])
        for row in vocabulary[np.minimum(drawn, _VOCABULARY - 1)]:
            yield " ".join(row)


def _vocabulary() -> np.ndarray:
    made = [word for word in sorted(STOP_WORDS) if "'" not in word]
    made += [_word(number) for number in range(len(made), _VOCABULARY)]
    return np.array(made, dtype=object)


def _word(number: int) -> str:
    """Return a word that is no stop word, a name for a number."""
    letters = ""
    while number:
        number, letter = divmod(number, len(string.ascii_lowercase))
        letters += string.ascii_lowercase[letter]
    return f"q{letters}x"


def _write(path: Path, count: int, words: int, seed: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{text}\n" for text in texts(count, words, seed))


def _facts(folder: Path, step: str) -> dict[str, float]:
    facts: dict[str, float] = json.loads((folder / f"{step}.json").read_text("utf-8"))
    return facts


def _index(folder: Path) -> dict[str, float]:
    start = time.perf_counter()
    with (folder / "abstracts.txt").open(encoding="utf-8") as file:
        postings = Postings.of(enumerate(file))
    Index.of(postings).save(folder / "bm25")
    return {"index": time.perf_counter() - start}


def _search(folder: Path) -> dict[str, float]:
    index = Index.load(folder / "bm25")
    claims = (folder / "claims.txt").read_text("utf-8").splitlines()
    start = time.perf_counter()
    found, _ = index.search(claims, _DEPTH)
    seconds = time.perf_counter() - start
    np.save(folder / "found.npy", found)
    return {"queries": seconds}


def _rank_bm25(folder: Path) -> dict[str, float]:
    okapi = load("rank_bm25", extra="dev").BM25Okapi
    with (folder / "abstracts.txt").open(encoding="utf-8") as file:
        abstracts = sum(1 for _ in file)
        file.seek(0)
        start = time.perf_counter()
        stems = Stems()
        part = abstracts // _PART_OF_ABSTRACTS
        tokens = [stems.of(text) for _, text in zip(range(part), file, strict=False)]
        index = okapi(tokens, k1=1.2, b=0.75)
        indexing = time.perf_counter() - start
    claims = (folder / "claims.txt").read_text("utf-8").splitlines()
    asked = claims[::_PART_OF_CLAIMS]
    start = time.perf_counter()
    for claim in asked:
        np.argsort(-index.get_scores(stems.of(claim)), kind="stable")[:_DEPTH]
    queries = time.perf_counter() - start
    scale = abstracts / part
    return {
        "abstracts": part,
        "claims": len(asked),
        "index": indexing * scale,
        "queries": queries * scale * len(claims) / len(asked),
    }


_STEPS: dict[str, Callable[[Path], dict[str, float]]] = {
    "index": _index,
    "search": _search,
    "rank_bm25": _rank_bm25,
}


def main() -> int:
    """Run a step, or without one measure everything."""
    if len(sys.argv) == 3:
        step, folder = sys.argv[1], Path(sys.argv[2])
        facts = _STEPS[step](folder)
        (folder / f"{step}.json").write_text(json.dumps(facts), "utf-8")
        return 0
    results = full_size()
    for result in results:
        print(result)
    return int(not all(result.met for result in results))


if __name__ == "__main__":
    sys.exit(main())
