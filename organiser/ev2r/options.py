"""What the commands of Ev2R are told, and what they make of it."""

import argparse
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from baselines.chat import ChatSettings, SettingsError
from baselines.libraries import MissingLibraryError
from climatecheck import GoldError
from organiser.analysis.systems import Evaluation
from organiser.analysis.uploads.given import Say, inputs_folder, submissions_folder
from organiser.analysis.uploads.loading import load
from organiser.analysis.uploads.picking import PICKS
from organiser.editions import ROOT, Edition, OrganiserError, edition
from organiser.ev2r.chat import ChatJudge
from organiser.ev2r.defaults import gold_texts, training_folder
from organiser.ev2r.judge import Judge, Source, Stored
from organiser.ev2r.lexical import LexicalJudge
from organiser.ev2r.prompt import PROMPT_FILE, read_prompt
from organiser.ev2r.proxy import EMBEDDED, embedded, sequence_classifier
from organiser.ev2r.recipe import PROXY, REFERENCE
from organiser.ev2r.replay import Replay
from organiser.ev2r.run import Plan, plan
from organiser.ev2r.store import Store
from organiser.ev2r.texts import Texts, read_texts

CHAT, REPLAY, LEXICAL = "chat", "replay", "lexical"
STORE = "build/ev2r.sqlite"

FAULTS = (
    OrganiserError,
    GoldError,
    SettingsError,
    MissingLibraryError,
    ValueError,
    OSError,
    sqlite3.Error,
)
"""What an organiser can mend; the messages say what and how."""


@dataclass(frozen=True)
class Session:
    """Everything that a run needs.

    Attributes:
        evaluation: the submissions under their gold.
        plan: what is to be judged.
        texts: of it.
        store: of answers.
        reference, proxy: the sources of answers.
    """

    evaluation: Evaluation
    plan: Plan
    texts: Texts
    store: Store
    reference: Source
    proxy: Source


def parser(module: str, description: str | None) -> argparse.ArgumentParser:
    """Return the options that all commands share; an empty text stands for the default."""
    made = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    for name, what in _OPTIONS.items():
        made.add_argument(f"--{name}", default="", help=what)
    for name, what in _FLAGS.items():
        made.add_argument(f"--{name}", nargs="?", const="1", default="", help=what)
    return made


@contextmanager
def session(given: argparse.Namespace, say: Say, *, look_only: bool = False) -> Iterator[Session]:
    """Give everything that a run needs.

    Args:
        given: the options.
        say: takes a sentence on each step.
        look_only: whether nothing will be judged, so that no store is made.

    Raises:
        FAULTS: something is missing or faulty.
    """
    data = edition()
    reference = Path(given.reference) if given.reference else data.reference_data
    inputs = inputs_folder(given.input, given.reference, data)
    with submissions_folder(given.submissions, data, say) as folder:
        evaluation = load(
            folder, reference, inputs, pick=given.pick or next(iter(PICKS)), say=say
        ).evaluation
    costless = (given.reference_backend or LEXICAL) == LEXICAL
    planned = plan(evaluation, with_worth=bool(given.worth) or costless)
    abstracts = Path(given.abstracts) if given.abstracts else data.kit_data / "abstracts.csv"
    claims = Path(given.claims) if given.claims else None
    say("Looking up the texts")
    texts = read_texts(planned.pools, evaluation.gold, abstracts, claims, say)
    path = ROOT / (given.store or STORE)
    backends = (given.reference_backend or LEXICAL, given.proxy or EMBEDDED)
    reads = look_only or backends == (REPLAY, REPLAY)
    with Store(None if reads and not path.is_file() else path, read_only=reads) as store:
        sources = _Sources(given, data, evaluation, texts, store, say)
        yield Session(
            evaluation, planned, texts, store, sources.reference(), sources.proxy(abstracts)
        )


@dataclass(frozen=True)
class _Sources:
    given: argparse.Namespace
    data: Edition
    evaluation: Evaluation
    texts: Texts
    store: Store
    say: Say

    def reference(self) -> Source:
        name = self.given.reference_backend or LEXICAL
        if name == REPLAY:
            return Replay(self.store, REFERENCE, self._recorded(0))
        if name == LEXICAL:
            return self._stored(LexicalJudge(gold_texts(self.texts, self.evaluation.gold)))
        if name == CHAT:
            settings = ChatSettings.read(self.given.settings or None)
            prompt = read_prompt(Path(self.given.prompt) if self.given.prompt else PROMPT_FILE)
            return self._stored(ChatJudge(settings, prompt, progress="facts"))
        raise OrganiserError(
            f"There is no back end “{name}” of the reference part; there are {CHAT}, {REPLAY} and "
            f"{LEXICAL}."
        )

    def proxy(self, abstracts: Path) -> Source:
        name = self.given.proxy or EMBEDDED
        if name == REPLAY:
            return Replay(self.store, PROXY, self._recorded(1))
        if name == EMBEDDED:
            train = training_folder(self.given.train, self.data)
            corpus = self.data.kit_data / "abstracts.csv"
            return self._stored(
                embedded(train, corpus if corpus.is_file() else abstracts, progress="labels")
            )
        labels = [label.strip() for label in self.given.proxy_labels.split(",") if label.strip()]
        return self._stored(sequence_classifier(name, labels or None, progress="labels"))

    def _stored(self, judge: Judge) -> Stored:
        retry = bool(self.given.retry_failed)
        return Stored(self.store, judge, retry_failed=retry, say=self.say)

    def _recorded(self, place: int) -> str:
        named: Sequence[str] = self.given.recorded.split(",")
        return named[place].strip() if place < len(named) else ""


_OPTIONS = {
    "submissions": "folder, or bulk_submissions.zip (default: sample systems)",
    "reference": "folder of the gold",
    "input": "folder of claims.csv",
    "abstracts": "CSV, JSONL or parquet file of abstracts, or a folder of parquet files",
    "claims": "file of claim texts, in the same forms (default: claims.csv)",
    "out": "folder for the results",
    "pick": f"of a team's uploads: {' or '.join(PICKS)}",
    "reference-backend": f"{CHAT}, {REPLAY} or {LEXICAL} (the default, an approximation)",
    "settings": "settings file of the chat endpoint; the environment wins over it",
    "prompt": "another prompt than the project's own",
    "proxy": f"Hugging Face model, its id or folder; {REPLAY}; or {EMBEDDED} (the default)",
    "proxy-labels": "labels of the model's outputs, in their order, joined by commas",
    "train": "folder of the pairs that the embedded classifier learns from",
    "recorded": "recipes to replay, reference and proxy part, joined by a comma",
    "store": f"SQLite file that keeps every answer ({STORE})",
}
_FLAGS = {
    "worth": "also judge gold abstracts, to see what the back ends are worth (chat: more calls)",
    "retry-failed": "ask again about pairs that failed",
    "dry-run": "say what would be asked and what it costs, and ask nothing",
}
