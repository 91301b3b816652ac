"""Fine-tunes a bi-encoder on judged pairs, with negatives from the batch and hard ones.

From the project's folder, or from the kit's::

    python -m baselines.neural.train_encoder --out models/encoder

The loss of a claim q with its evidence d is that of Karpukhin et al. 2020, "Dense Passage Retrieval
for Open-Domain Question Answering"::

    -ln( exp(q.d / t) / sum over all d' of the batch of exp(q.d' / t) )

with the temperature t; no other evidence of the claim is among the d'.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from baselines import paths
from baselines.bm25 import Index
from baselines.libraries import MissingLibraryError, load
from baselines.neural.corpus import Corpus
from baselines.neural.encoder import ENCODER, Encoder, add_options, settings_from
from baselines.neural.fitting import Schedule, check_folder, fit, save_whole
from baselines.neural.negatives import LOWEST_RANK, PER_EXAMPLE, Example, examples
from baselines.neural.pipeline import Searcher
from baselines.postings import Postings
from baselines.sequence_classifier import ModelError
from baselines.splits import development
from climatecheck import GoldError, read_gold
from climatecheck.metrics.judgements import is_evidentiary
from climatecheck.tables import Gold, Json

TEMPERATURE = 0.02
SCHEDULE = Schedule(epochs=3, batch_size=32, learning_rate=1e-5)
"""Three epochs as in the paper (section 6); it leaves the rest open."""


def contrastive_loss(
    claims: Any, abstracts: Any, target: Any, forbidden: Any, temperature: float = TEMPERATURE
) -> Any:
    """Return the mean loss of a batch.

    Args:
        claims: (claims, width) tensor of vectors.
        abstracts: (abstracts, width) tensor of vectors.
        target: (claims,) tensor: which abstract is the evidence.
        forbidden: (claims, abstracts) tensor: true where an abstract must not be a negative.
        temperature: divides each dot product.
    """
    torch = load("torch", extra="models")
    scores = claims @ abstracts.T / temperature
    return torch.nn.functional.cross_entropy(
        scores.masked_fill(forbidden, float("-inf")), target.to(scores.device)
    )


def batch_loss(
    encoder: Encoder, corpus: Corpus, batch: list[Example], temperature: float = TEMPERATURE
) -> Any:
    """Return the loss of a batch; an abstract that occurs twice counts once."""
    torch = load("torch", extra="models")
    wanted = [id_ for one in batch for id_ in (one.evidence, *one.negatives)]
    column = {id_: place for place, id_ in enumerate(dict.fromkeys(wanted))}
    target = [column[one.evidence] for one in batch]
    forbidden = [
        [id_ in one.all_evidence and id_ != one.evidence for id_ in column] for one in batch
    ]
    settings = encoder.settings
    return contrastive_loss(
        encoder.tensor([settings.query_prefix + one.claim for one in batch]),
        encoder.tensor([settings.passage_prefix + corpus.text(id_) for id_ in column]),
        torch.tensor(target),
        torch.tensor(forbidden, device=encoder.device),
        temperature,
    )


def train(
    encoder: Encoder,
    corpus: Corpus,
    learned_from: Sequence[Example],
    schedule: Schedule = SCHEDULE,
    *,
    temperature: float = TEMPERATURE,
) -> list[float]:
    """Fine-tune a bi-encoder in place; return the loss of each step.

    Raises:
        ValueError: as ``fitting.fit``.
        TextError: if the corpus lacks an abstract.
    """
    return fit(
        encoder.network,
        learned_from,
        lambda batch: batch_loss(encoder, corpus, batch, temperature),
        schedule,
        device=encoder.device,
        progress="training the bi-encoder",
    )


def hit_rate(
    encoder: Encoder, corpus: Corpus, gold: Gold, claims: Sequence[int], candidates: Sequence[int]
) -> float:
    """Return the share of some claims whose best candidate is evidence, to watch the training.

    NaN if none of the claims has evidence.
    """
    evidentiary = is_evidentiary(gold.label)
    evidence = {c: set(gold.abstract[(gold.claim == c) & evidentiary].tolist()) for c in claims}
    asked = [c for c in claims if evidence[c]]
    if not asked:
        return float("nan")
    likeness = (
        encoder.queries([gold.claims.texts[c] for c in asked])
        @ encoder.passages([corpus.text(id_) for id_ in candidates]).T
    )
    best = likeness.argmax(axis=1).tolist()
    return float(np.mean([candidates[b] in evidence[c] for b, c in zip(best, asked, strict=True)]))


def learn(
    encoder: Encoder,
    corpus: Corpus,
    gold: Gold,
    searcher: Searcher,
    schedule: Schedule,
    *,
    negatives: int = PER_EXAMPLE,
    temperature: float = TEMPERATURE,
) -> Json:
    """Mine negatives, train in place on all claims but the development split, and return facts.

    The candidates for development are the judged abstracts of all claims.
    """
    held_out = development(gold)
    ids, _ = searcher.search(gold.claims.texts, LOWEST_RANK)
    rankings = {claim: row.tolist() for claim, row in enumerate(ids)}
    made = examples(gold, rankings, keep=~held_out, per_example=negatives, seed=schedule.seed)
    claims, candidates = np.flatnonzero(held_out).tolist(), np.unique(gold.abstract).tolist()
    before = hit_rate(encoder, corpus, gold, claims, candidates)
    losses = train(encoder, corpus, made, schedule, temperature=temperature)
    after = hit_rate(encoder, corpus, gold, claims, candidates)
    return {
        "base": encoder.parameters,
        "schedule": asdict(schedule),
        "temperature": temperature,
        "negatives": negatives,
        "examples": len(made),
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "development_claims": len(claims),
        "development_hit_rate_before": before,
        "development_hit_rate_after": after,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and save a bi-encoder; return 0, or 2 if something is missing."""
    options = _parser().parse_args(arguments)
    schedule = Schedule(
        options.epochs,
        options.batch_size,
        options.learning_rate,
        seed=options.seed,
        most_steps=options.most_steps,
    )
    try:
        check_folder(options.out)
        gold, corpus = read_gold(options.train, tasks=("1",)), Corpus.read(options.abstracts)
        settings = settings_from(options, options.model)
        encoder = Encoder(options.model, settings, device=options.device, trainable=True)
        if options.save_memory:
            encoder.network.gradient_checkpointing_enable()
        pairs = list(zip(corpus.ids.tolist(), corpus.texts, strict=True))
        searcher = Index.of(Postings.of(pairs, progress="indexing"))
        facts = learn(encoder, corpus, gold, searcher, schedule, negatives=options.negatives)
        save_whole(options.out, encoder.save, facts)
    except (GoldError, MissingLibraryError, ModelError, OSError, ValueError) as error:
        print(f"Not done: {error}", file=sys.stderr)
        return 2
    before, after = (facts[f"development_hit_rate_{when}"] for when in ("before", "after"))
    print(f"{options.out}: loss {facts['first_loss']:.3f} to {facts['last_loss']:.3f}.")
    print(
        f"Share of claims held out whose best candidate is evidence: {before:.3f} to {after:.3f}."
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m baselines.neural.train_encoder", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "--train", type=Path, default=paths.training_data(), help="folder of the training pairs"
    )
    parser.add_argument("--abstracts", type=Path, default=paths.abstracts(), help="the corpus")
    parser.add_argument("--out", type=Path, required=True, help="folder of the new model")
    parser.add_argument("--model", default=ENCODER, help=f"id or folder (default {ENCODER})")
    add_options(parser)
    parser.add_argument("--negatives", type=int, default=PER_EXAMPLE, help="hard ones a claim")
    parser.add_argument("--epochs", type=int, default=SCHEDULE.epochs)
    parser.add_argument("--batch-size", type=int, default=SCHEDULE.batch_size)
    parser.add_argument("--learning-rate", type=float, default=SCHEDULE.learning_rate)
    parser.add_argument("--most-steps", type=int, help="end earlier, to try it out")
    parser.add_argument("--seed", type=int, default=SCHEDULE.seed)
    parser.add_argument("--device", help="such as cuda or cpu")
    parser.add_argument(
        "--save-memory", action="store_true", help="compute activations twice, to keep fewer"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
