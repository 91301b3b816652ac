"""The ways of asking: two for narratives, two for verification."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from baselines.chat import Message, ParseError, json_object, text_of, without_reasoning
from baselines.prompting.templates import codebook, messages, narrative_note
from climatecheck import edition, taxonomy
from climatecheck.tables import Json
from climatecheck.values import codes_of, label_of

T = TypeVar("T")


@dataclass(frozen=True)
class Strategy(Generic[T]):
    """A way of asking.

    Attributes:
        prompt: name of its file.
        parse: makes a value of an answer; raises ``ParseError`` if it is not as asked.
        default: what stands in for an answer that cannot be read.
        schema: of the answer, for servers that hold a model to it.
    """

    prompt: str
    parse: Callable[[str], T]
    default: T
    schema: Json | None = None


def ask_narratives(strategy: Strategy[str], claim: str) -> tuple[Message, ...]:
    """Return the messages that ask for the narratives of a claim."""
    return messages(strategy.prompt, {"claim": claim, "codebook": codebook()})


def ask_label(
    strategy: Strategy[str], claim: str, abstract: str, codes: Sequence[str] = ()
) -> tuple[Message, ...]:
    """Return the messages that ask for the label of a claim-abstract pair.

    Args:
        strategy: one of ``VERIFICATION``.
        claim: its text.
        abstract: its text.
        codes: predicted narrative codes of the claim, whose groups the verifier is told; none are
            not mentioned.
    """
    note = narrative_note(codes) if codes else ""
    return messages(strategy.prompt, {"claim": claim, "abstract": abstract, "narrative": note})


def plain_codes(text: str) -> str:
    """Return the codes that an answer consists of, joined by ``;``.

    >>> plain_codes("<think>The sun?</think> 5_1;2_1")
    '2_1;5_1'

    Raises:
        ParseError: if the answer is anything else, or sets ``0_0`` beside another code.
    """
    bare = without_reasoning(text)
    parsed = codes_of(bare)
    if parsed.value is None:
        raise ParseError(f"{parsed.found!r:.60} is not a code")
    if not parsed.value:
        raise ParseError("there is no code in it")
    codes = [taxonomy.CODES[position] for position in parsed.value]
    if taxonomy.NO_NARRATIVE in codes and len(codes) > 1:
        raise ParseError(f"{taxonomy.NO_NARRATIVE} stands alone or not at all")
    return ";".join(codes)


def codes_in_groups(text: str) -> str:
    """Return the codes of an answer with ``analysis``, ``groups`` and ``codes``.

    >>> codes_in_groups('{"analysis": "The sun.", "groups": ["2"], "codes": ["2_1"]}')
    '2_1'

    Raises:
        ParseError: if the answer is anything else, or the codes do not fit the groups.
    """
    answer = json_object(text)
    text_of(answer, "analysis")
    groups, codes = (_texts_of(answer, name) for name in ("groups", "codes"))
    unknown = [group for group in groups if group not in taxonomy.GROUPS]
    if unknown:
        raise ParseError(f"{unknown[0]!r:.40} is not a group")
    made = plain_codes(";".join(codes))
    of_codes = {taxonomy.group_of(code) for code in made.split(";")}
    if of_codes != set(groups):
        raise ParseError(
            f"the codes are of group {', '.join(sorted(of_codes))}, but the groups named are "
            f"{', '.join(sorted(set(groups))) or 'none'}"
        )
    return made


def label(text: str) -> str:
    """Return the label of an answer with ``label`` and ``explanation``.

    >>> label('{"explanation": "Ice shrinks, says the abstract.", "label": "refutes"}')
    'Refutes'

    Raises:
        ParseError: if the answer is anything else, or nothing is explained.
    """
    answer = json_object(text)
    if not text_of(answer, "explanation"):
        raise ParseError("the explanation is empty")
    written = text_of(answer, "label")
    position = label_of(written).value
    if position is None:
        raise ParseError(f"{written!r:.40} is none of {', '.join(edition.LABELS)}")
    return edition.LABELS[position]


def _texts_of(answer: Json, name: str) -> list[str]:
    value = answer.get(name)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ParseError(f"{name} should be a list of texts, found {value!r:.40}")
    return value


def _schema(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT: Json = {"type": "string"}
_LABEL: Json = {"type": "string", "enum": list(edition.LABELS)}


def _some_of(texts: Sequence[str]) -> Json:
    return {"type": "array", "items": {"type": "string", "enum": list(texts)}}


NARRATIVES: dict[str, Strategy[str]] = {
    "direct": Strategy("narratives_direct", plain_codes, taxonomy.NO_NARRATIVE),
    "hierarchical": Strategy(
        "narratives_hierarchical",
        codes_in_groups,
        taxonomy.NO_NARRATIVE,
        _schema(
            analysis=_TEXT,
            groups=_some_of(list(taxonomy.GROUPS)),
            codes=_some_of(taxonomy.CODES),
        ),
    ),
}

NOT_ENOUGH = edition.LABEL_ALIASES["NEI"]

VERIFICATION: dict[str, Strategy[str]] = {
    "explanation-first": Strategy(
        "verification_explanation_first",
        label,
        NOT_ENOUGH,
        _schema(explanation=_TEXT, label=_LABEL),
    ),
    "label-first": Strategy(
        "verification_label_first", label, NOT_ENOUGH, _schema(label=_LABEL, explanation=_TEXT)
    ),
}
