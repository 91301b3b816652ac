"""What is asked: the narratives of claims, and the labels of claim-abstract pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from baselines.chat import Message
from baselines.narrative_classifier import cross_validated
from baselines.pair_model import LabelledPairs, read_labelled_pairs
from baselines.prediction_file import Retrieved
from baselines.prompting.strategies import Strategy, ask_label, ask_narratives
from baselines.splits import development
from baselines.texts import TextError, read_abstract_texts
from climatecheck import edition, read_gold, read_submission, taxonomy
from climatecheck.tables import Booleans, Claims, Integers, Submission

Questions: TypeAlias = dict[str, tuple[Message, ...]]
"""Messages by the name of the question."""

Codes: TypeAlias = Mapping[str, Sequence[str]]
"""Narrative codes by claim id."""


def narrative_questions(claims: Claims, strategy: Strategy[str]) -> Questions:
    """Return a question for each claim."""
    return {
        f"claim {id_}": ask_narratives(strategy, text)
        for id_, text in zip(claims.ids, claims.texts, strict=True)
    }


def label_questions(
    rows: Sequence[Retrieved],
    claims: Claims,
    abstracts: Mapping[int, str],
    strategy: Strategy[str],
    codes: Codes,
) -> Questions:
    """Return a question for each retrieved abstract; with codes, the verifier knows their groups.

    Raises:
        TextError: if an abstract has no text.
    """
    missing = [row.abstract for row in rows if row.abstract not in abstracts]
    if missing:
        raise TextError(
            f"there are no texts of {len(missing)} retrieved abstracts (first: {missing[0]})"
        )
    return {
        question(row): ask_label(
            strategy,
            claims.texts[claims.index[row.claim]],
            abstracts[row.abstract],
            codes.get(row.claim, ()),
        )
        for row in rows
    }


def question(row: Retrieved) -> str:
    """Return the name of a pair's question."""
    return f"claim {row.claim}, abstract {row.abstract}"


def read_predictions(path: Path, claims: Claims) -> Submission:
    """Read predictions as the site does.

    Raises:
        ValueError: if the site would refuse them.
    """
    made = read_submission(path, claims)
    if not made.valid:
        first = next(problem for problem in made.problems if problem.is_error)
        raise ValueError(f"{path} cannot be used: {first.message}")
    return made


def rows_of(submission: Submission) -> list[Retrieved]:
    """Return the rows of task 1 that count for verification, without labels.

    Raises:
        ValueError: if task 1 was not entered.
    """
    run = submission.task1
    if run is None:
        raise ValueError("the predictions hold no retrieved abstracts")
    counting = run.position <= edition.VERIFICATION_DEPTH
    return [
        Retrieved(submission.claims.ids[claim], abstract)
        for claim, abstract in zip(
            run.claim[counting].tolist(), run.abstract[counting].tolist(), strict=True
        )
    ]


def codes_of_claims(submission: Submission) -> dict[str, list[str]]:
    """Return the narrative codes of each claim that has some; none if task 2 was not entered."""
    if submission.task2 is None:
        return {}
    ids = submission.claims.ids
    rows = zip(submission.task2.claim.tolist(), submission.task2.codes, strict=True)
    made = {ids[claim]: _codes(codes) for claim, codes in rows}
    return {claim: codes for claim, codes in made.items() if codes}


def texts_of(rows: Sequence[Retrieved], path: Path) -> dict[int, str]:
    """Read the abstracts of some rows; raises as ``read_abstract_texts``."""
    return read_abstract_texts(path, {row.abstract for row in rows})


@dataclass(frozen=True)
class Judged:
    """Judged pairs, to compare verifiers on.

    Attributes:
        claims: of the gold.
        data: the pairs, with gold labels.
        rows: the same pairs by id.
        gold: (claims, codes) gold codes.
        codes: predicted codes of each claim.
    """

    claims: Claims
    data: LabelledPairs
    rows: tuple[Retrieved, ...]
    gold: Booleans
    codes: Codes

    @property
    def abstracts(self) -> dict[int, str]:
        """Text of each abstract by id."""
        pairs = zip(self.rows, self.data.pairs, strict=True)
        return {row.abstract: text for row, (_, text) in pairs}

    def labels(self, answers: Mapping[str, str]) -> Integers:
        """Return the (pairs,) positions of answered labels."""
        return np.array([edition.LABELS.index(answers[question(row)]) for row in self.rows])


def judged(folder: Path, abstracts: Path, predicted: Path | None, *, dev: bool) -> Judged:
    """Return the judged pairs of a folder.

    Args:
        folder: holds claims and gold; without ``predicted``, of task 2 too.
        abstracts: their texts.
        predicted: predictions of the claims' narratives; None has the embedded classifier predict
            them by cross-validation.
        dev: whether to keep the development split alone.

    Raises:
        GoldError, ValueError: if something cannot be read.
        MissingLibraryError: if scikit-learn is not installed, but needed.
    """
    gold = read_gold(folder, tasks=("1",) if predicted else ("1", "2"))
    data = read_labelled_pairs(folder, abstracts)
    ids = gold.claims.ids
    dense = gold.narratives.dense(len(ids))
    if predicted is not None:
        codes = codes_of_claims(read_predictions(predicted, gold.claims))
    else:
        known = gold.narratives.claim
        made = cross_validated([gold.claims.texts[i] for i in known.tolist()], dense[known])
        codes = {ids[i]: _codes(row) for i, row in zip(known.tolist(), made, strict=True)}
    kept = np.flatnonzero(development(gold)[data.claim]) if dev else np.arange(len(data))
    rows = [Retrieved(ids[gold.claim[i]], int(gold.abstract[i])) for i in kept.tolist()]
    return Judged(gold.claims, data.part(kept), tuple(rows), dense, codes)


def _codes(row: Booleans) -> list[str]:
    return [taxonomy.CODES[i] for i in np.flatnonzero(row).tolist()]
