"""The proxy part: P(label | claim, abstract) by a three-way classifier of pairs."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np

from baselines.pair_classifier import PairClassifier, parameters_of
from baselines.pair_model import LabelledPairs, PairModel, read_labelled_pairs
from baselines.progress import Progress
from baselines.sequence_classifier import ModelError, SequenceClassifier
from climatecheck.tables import Json
from organiser.editions import OrganiserError
from organiser.ev2r.recipe import PROXY, Recipe
from organiser.ev2r.work import Queue

VERSION = 1
EMBEDDED = "embedded"

_AT_ONCE = 256
_DIGITS = 6
"""Probabilities are kept with so many decimals: the last bits depend on what shares a batch."""


class ProxyJudge:
    """A pair model whose probabilities are kept in the store.

    Args:
        recipe: all that decides its output.
        make: makes the model, once something has to be classified.
        progress: title of the progress bar; None shows none.
    """

    def __init__(
        self, recipe: Recipe, make: Callable[[], PairModel], *, progress: str | None = None
    ) -> None:
        self.recipe = recipe
        self._make = make
        self._progress = progress

    @cached_property
    def _model(self) -> PairModel:
        return self._make()

    def work(self, queue: Queue) -> None:
        """Classify every job, pairs of like length together."""
        with Progress(self._progress, len(queue)) as bar:
            for jobs in queue.batches(_AT_ONCE):
                made = self._model.probabilities([(job.a, job.b) for job in jobs])
                if not np.isfinite(made).all():
                    raise OrganiserError(f"{self.recipe.title} gives probabilities that are none.")
                queue.settle(jobs, np.round(made, _DIGITS).tolist())
                bar.advance(len(jobs))

    def tokens(self, a: str, b: str) -> None:
        """Return None: no endpoint is asked."""


def embedded(train: Path, abstracts: Path, *, progress: str | None = None) -> ProxyJudge:
    """Return the embedded default: the pair classifier trained on the edition's training pairs.

    It is trained only if the store lacks something.

    Args:
        train: folder of the training pairs.
        abstracts: file of the abstracts.
        progress: title of the progress bar; None shows none.

    Raises:
        GoldError, TextError: the training pairs cannot be read.
    """
    data: LabelledPairs = read_labelled_pairs(train, abstracts)
    recipe = _recipe(EMBEDDED, "pair classifier", parameters_of(data), approximation=True)
    return ProxyJudge(recipe, lambda: PairClassifier(data), progress=progress)


def sequence_classifier(
    model: str, labels: list[str] | None, *, progress: str | None = None
) -> ProxyJudge:
    """Return a Hugging Face sequence-classification model, by its id or folder.

    Args:
        model: id or folder.
        labels: of its outputs, in their order; None takes them from its configuration.
        progress: title of the progress bar; None shows none.

    Raises:
        OrganiserError: it cannot be used.
        MissingLibraryError: torch or transformers is missing.
    """
    try:
        loaded = SequenceClassifier(model, labels=labels)
    except ModelError as error:
        raise OrganiserError(str(error)) from error
    recipe = _recipe("sequence classification", loaded.name, loaded.parameters)
    return ProxyJudge(recipe, lambda: loaded, progress=progress)


def _recipe(backend: str, model: str, parameters: Json, *, approximation: bool = False) -> Recipe:
    rest = {name: value for name, value in parameters.items() if name != "model"}
    return Recipe(PROXY, backend, VERSION, model, "", rest, approximation)
