"""BM25: words, counts, weights, the index on disk, and the choice of k1 and b."""

import json
import math
from pathlib import Path

import bm25s
import numpy as np
import pytest

from baselines import bm25_tuning
from baselines.bm25 import K1, B, Index
from baselines.bm25_tuning import run_score, tuned
from baselines.postings import Postings
from baselines.words import STOP_WORDS, Stems, words
from climatecheck.tables import Claims, Gold, Task2
from climatecheck.taxonomy import CODES

TEXTS = [
    (30, "Sea level rose along the coast; the sea rises."),
    (20, "Glaciers in the Alps lost a third of their ice."),
    (10, "Glaciers grew in one valley, while coffee prices rose."),
    (5, "Corals bleach in warm water."),
]


def corpus(size: int, seed: int = 0) -> list[tuple[int, str]]:
    chance = np.random.default_rng(seed)
    vocabulary = np.array([f"w{number}" for number in range(300)])
    drawn = np.minimum(chance.geometric(0.02, (size, 40)), 300) - 1
    ids = chance.permutation(10 * size)[:size].tolist()
    return [(id_, " ".join(vocabulary[row])) for id_, row in zip(ids, drawn, strict=True)]


def test_words_of_other_scripts_and_typography() -> None:
    assert words("Don\u2019t “panic”: CO₂ \uff0b1.5° größer_als") == [
        "don't",
        "panic",
        "co2",
        "1",
        "5",
        "größer",
        "als",
    ]
    assert words("") == words("🌍 — …") == []


def test_stems_leave_stop_words_out_and_keep_order() -> None:
    stems = Stems()
    assert stems.of("The melting of melted glaciers isn't a glacier's melt") == [0, 0, 1, 1, 0]
    assert list(stems.numbers) == ["melt", "glacier"]
    assert {"the", "of", "isn't", "a"} <= STOP_WORDS


def test_weights_by_hand() -> None:
    made = Postings.of(TEXTS)
    # 30: sea level rose along coast sea rise; 20: glacier alp lost third ice;
    # 10: glacier grew one valley coffe price rose; 5: coral bleach warm water.
    assert made.ids.tolist() == [30, 20, 10, 5]
    assert made.lengths.tolist() == [7, 5, 7, 4]
    column = made.counts[:, [made.stems["sea"]]].toarray()[:, 0]
    assert column.tolist() == [2, 0, 0, 0]
    weights = made.weights(1.2, 0.75)
    at = made.counts.indptr[made.stems["sea"]]
    # idf = ln(1 + (4 - 1 + .5) / (1 + .5)); mean length 23 / 4.
    idf = math.log(1 + 3.5 / 1.5)
    slowing = 1.2 * (1 - 0.75 + 0.75 * 7 / 5.75)
    assert weights[at] == pytest.approx(idf * 2 / (2 + slowing), rel=1e-6)


def test_scores_are_those_of_bm25s_indexing_for_itself() -> None:
    texts = corpus(400)
    ours = Index.of(Postings.of(texts), k1=0.9, b=0.4)
    theirs = bm25s.BM25(k1=0.9, b=0.4, method="lucene")
    theirs.index([text.split() for _, text in texts], show_progress=False)
    queries = [text for _, text in corpus(20, seed=1)]
    ids, scores = ours.search(queries, len(texts))
    for query, found, of_query in zip(queries, ids, scores, strict=True):
        expected = dict(
            zip((id_ for id_, _ in texts), theirs.get_scores(query.split()), strict=True)
        )
        assert of_query == pytest.approx([expected[id_] for id_ in found.tolist()], rel=1e-4)
        assert np.all(np.diff(of_query) <= 0)
        assert sorted(found.tolist()) == sorted(expected)


def test_a_repeated_word_of_the_query_counts_twice() -> None:
    index = Index.of(Postings.of(TEXTS))
    _, (once, twice) = index.search(["coral", "coral corals"], 1)
    assert twice[0] == pytest.approx(2 * once[0])


def test_equal_scores_are_ordered_by_id_whatever_the_order_of_the_corpus() -> None:
    twins = [*TEXTS, (7, TEXTS[1][1]), (99, TEXTS[1][1])]
    queries = ["glaciers lost ice", "🌍", "the", "unheard-of"]
    for texts in (twins, twins[::-1]):
        ids, scores = Index.of(Postings.of(texts)).search(queries, 4)
        assert ids[0].tolist() == [7, 20, 99, 10]
        assert ids[1:].tolist() == [[5, 7, 10, 20]] * 3
        assert not scores[1:].any()


def test_a_stop_word_finds_nothing_even_if_its_stem_is_a_word() -> None:
    # The stem of the stop word "does" is "doe", a deer that this text has.
    index = Index.of(Postings.of([(1, "a doe"), (2, "ice")]))
    assert index.search(["does it"], 2)[1].tolist() == [[0, 0]]
    assert index.search(["doe"], 1)[0].tolist() == [[1]]


def test_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Postings.of(corpus(50))
    monkeypatch.setattr("baselines.postings._CHUNK", 7)
    parted = Postings.of(iter(corpus(50)))
    assert parted.stems == whole.stems
    assert (parted.counts != whole.counts).nnz == 0
    assert parted.lengths.tolist() == whole.lengths.tolist()


def test_postings_of_some_queries_score_these_alike() -> None:
    postings = Postings.of(corpus(200))
    queries = [text for _, text in corpus(10, seed=1)] + ["unheard", ""]
    some = postings.only(queries)
    assert len(some.stems) < len(postings.stems)
    for made, expected in zip(
        Index.of(some).search(queries, 20), Index.of(postings).search(queries, 20), strict=True
    ):
        assert np.array_equal(made, expected)


def test_an_index_on_disk_is_mapped_and_the_same(tmp_path: Path) -> None:
    index = Index.of(Postings.of(corpus(300)), facts={"made_from": "a"})
    index.save(tmp_path / "index")
    opened = Index.load(tmp_path / "index")
    assert opened.facts == {"made_from": "a"}
    assert isinstance(opened._engine.scores["data"], np.memmap)
    queries = [text for _, text in corpus(5, seed=2)]
    for made, expected in zip(opened.search(queries, 7), index.search(queries, 7), strict=True):
        assert np.array_equal(made, expected)


def test_an_index_that_is_not_whole_is_none(tmp_path: Path) -> None:
    Index.of(Postings.of(TEXTS)).save(tmp_path)
    (tmp_path / "facts.json").unlink()  # written last
    with pytest.raises(FileNotFoundError):
        Index.load(tmp_path)


def test_what_cannot_be_searched() -> None:
    with pytest.raises(ValueError, match="at least one abstract is needed"):
        Postings.of([])
    index = Index.of(Postings.of(TEXTS))
    with pytest.raises(ValueError, match="not 0"):
        index.search(["ice"], 0)
    assert index.search(["ice"], 100)[0].shape == (1, 4)
    assert index.search([], 2)[0].shape == (0, 2)
    assert Index.of(Postings.of([(3, "the of")])).search(["ice"], 1)[0].tolist() == [[3]]


def gold(texts: tuple[str, ...], judged: list[tuple[int, int, int]]) -> Gold:
    claims = Claims(tuple(f"c{i}" for i in range(len(texts))), texts)
    claim, abstract, label = (np.array(column) for column in zip(*sorted(judged), strict=True))
    none = Task2(np.zeros(0, np.int64), np.zeros((0, len(CODES)), np.bool_))
    return Gold(claims, claim, abstract, label, none)


def test_score_of_a_run_by_hand() -> None:
    # Claim 0: R = 2 (1, 2), N = 1 (9); claim 1: R = 1 (3).
    judged = gold(("a", "b"), [(0, 1, 0), (0, 2, 1), (0, 9, 2), (1, 3, 0)])
    found = np.array([[9, 1, 4], [5, 6, 3]])
    # Recall@5: 1/2, 1. Bpref: (1 - 1/2) / 2 = .25, 1. Score1.1 = (.75 + .625) / 2.
    assert run_score(found, judged) == pytest.approx(0.6875)


def test_tuning_takes_what_scores_best_and_the_usual_in_a_tie() -> None:
    # A long text that says a word twice, and five short ones that say it once: the long one is
    # first where length does not count (b = 0), and sixth at the usual settings.
    texts = [(1, "ice ice " + " ".join(f"w{i}" for i in range(60)))]
    texts += [(id_, "ice cap") for id_ in range(2, 15)]
    postings = Postings.of(texts)
    chosen = tuned(postings, gold(("ice",), [(0, 1, 0)]))
    assert chosen.usual == 0
    assert (chosen.score, chosen.b) == (1, 0)
    easy = tuned(postings, gold(("w1",), [(0, 1, 0)]))
    assert (easy.k1, easy.b, easy.score, easy.usual) == (K1, B, 1, 1)


def test_tuning_tries_every_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[float, float]] = []
    made = Index.of
    monkeypatch.setattr(
        bm25_tuning.Index, "of", lambda p, *, k1, b: tried.append((k1, b)) or made(p, k1=k1, b=b)
    )
    tuned(Postings.of(TEXTS), gold(("ice",), [(0, 20, 0)]))
    assert {k1 for k1, _ in tried} == set(bm25_tuning.K1_TRIED)
    assert {b for _, b in tried} == set(bm25_tuning.B_TRIED)
    assert len(tried) == len(set(tried))


def test_facts_are_json(tmp_path: Path) -> None:
    Index.of(Postings.of(TEXTS), facts={"k1": 0.9}).save(tmp_path)
    assert json.loads((tmp_path / "facts.json").read_text()) == {"k1": 0.9}
