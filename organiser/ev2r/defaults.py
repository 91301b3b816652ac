"""The embedded defaults: offline, nothing to set up, and an approximation."""

from pathlib import Path

from climatecheck.tables import Gold
from organiser.analysis.systems import Evaluation
from organiser.analysis.uploads.given import Say
from organiser.editions import Edition, OrganiserError
from organiser.ev2r.judge import Stored
from organiser.ev2r.lexical import LexicalJudge
from organiser.ev2r.proxy import embedded
from organiser.ev2r.run import judged, plan
from organiser.ev2r.section import section
from organiser.ev2r.store import Store
from organiser.ev2r.texts import Texts, read_texts
from organiser.reporting.parts import Section


def training_folder(given: str, data: Edition) -> Path:
    """Return the folder of the training pairs.

    Raises:
        OrganiserError: there is none.
    """
    folder = Path(given) if given else data.kit_data / "train"
    if not folder.is_dir():
        raise OrganiserError(
            f"The embedded proxy classifier learns from training pairs, and there is no folder "
            f"{folder}; name one, or a model."
        )
    return folder


def gold_texts(texts: Texts, gold: Gold) -> list[str]:
    """Return the texts of all gold abstracts."""
    found = (texts.abstracts.get(id_) for id_ in gold.abstract.tolist())
    return [text.text for text in found if text is not None]


def embedded_section(evaluation: Evaluation, data: Edition, say: Say) -> Section:
    """Return the section of a run with the embedded defaults that keeps nothing.

    Raises:
        OrganiserError, GoldError, TextError: texts or training pairs are missing.
    """
    planned = plan(evaluation, with_worth=True)
    abstracts = data.kit_data / "abstracts.csv"
    texts = read_texts(planned.pools, evaluation.gold, abstracts, say=say)
    with Store(None) as store:
        reference = Stored(store, LexicalJudge(gold_texts(texts, evaluation.gold)), say=say)
        proxy = Stored(store, embedded(training_folder("", data), abstracts), say=say)
        return section(judged(planned, evaluation.gold, texts, reference, proxy, say=say))
