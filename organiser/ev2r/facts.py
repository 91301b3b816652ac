"""The reference part of one pair: counts of facts, how an answer gives them, and their F1.

Source: Akhtar et al. (2024), "Ev2R: Evaluating evidence retrieval in automated fact-checking", as
the overview paper uses it (section 5.2, appendix C).
"""

from typing import NamedTuple

import numpy as np

from baselines.chat.parsing import ParseError, count_of, json_object
from climatecheck.metrics.counts import ratio
from climatecheck.tables import Floats, Json

MOST_FACTS = 1_000
"""More facts than any abstract can hold; a greater count is taken for a slip."""

_COUNTS = ("count_a", "supported_a", "count_b", "supported_b")
_LISTS = {"count_a": "facts_a", "count_b": "facts_b"}
_LIST = {"type": "array", "items": {"type": "string"}}

SCHEMA: Json = {
    "type": "object",
    "properties": {
        **{name: _LIST for name in _LISTS.values()},
        **{name: {"type": "integer", "minimum": 0} for name in _COUNTS},
    },
    "required": [*_LISTS.values(), *_COUNTS],
    "additionalProperties": False,
}
"""The JSON schema of an answer."""


class Counts(NamedTuple):
    """Facts of a retrieved abstract (a) and of a gold abstract (b), each supported by the other."""

    count_a: int
    supported_a: int
    count_b: int
    supported_b: int


def read_counts(text: str) -> Counts:
    """Return the counts that a model's answer gives.

    >>> read_counts('{"count_a": 4, "supported_a": 3, "count_b": 6, "supported_b": 2}')
    Counts(count_a=4, supported_a=3, count_b=6, supported_b=2)

    Raises:
        ParseError: it is no JSON object with four whole numbers, more facts are supported than
            there are, or the facts listed are not as many as counted.
    """
    answer = json_object(text)
    counts = Counts(*(count_of(answer, name) for name in _COUNTS))
    if max(counts) > MOST_FACTS:
        raise ParseError(f"more than {MOST_FACTS:,} facts are more than an abstract can hold")
    for letter, facts, supported in (("a", *counts[:2]), ("b", *counts[2:])):
        if supported > facts:
            raise ParseError(f"supported_{letter} is {supported}, above count_{letter}, {facts}")
    for count, name in _LISTS.items():
        listed, facts = answer.get(name), getattr(counts, count)
        if isinstance(listed, list) and len(listed) != facts:
            raise ParseError(f"{name} lists {len(listed)} facts, but {count} is {facts}")
    return counts


def precision_recall_f1(counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return precision, recall and F1 of retrieved abstracts against gold abstracts.

    ``precision = supported_a / count_a``, ``recall = supported_b / count_b``, F1 their harmonic
    mean, by one division of whole numbers, so that equal values are equal to the last bit and ties
    are seen. A text without facts supports nothing: its share is 0, and so is F1.

    Args:
        counts: (pairs, 4) in the order of ``Counts``; a row of NaN gives NaN.

    3 of 4 facts and 2 of 6: precision .75, recall .3333, F1 = 2 * .75 * .3333 / 1.0833 = .4615
    = 2 * 3 * 2 / (3 * 6 + 2 * 4).

    >>> values = precision_recall_f1(np.array([[4.0, 3, 6, 2], [0, 0, 6, 0]]))
    >>> [column.round(4).tolist() for column in values]
    [[0.75, 0.0], [0.3333, 0.0], [0.4615, 0.0]]
    """
    facts_a, supported_a, facts_b, supported_b = np.asarray(counts, dtype=np.float64).T
    precision, recall = ratio(supported_a, facts_a), ratio(supported_b, facts_b)
    parts = supported_a * facts_b + supported_b * facts_a
    return precision, recall, ratio(2 * supported_a * supported_b, parts)
