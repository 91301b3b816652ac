"""Which answers a model may write: codes joined by ``;``, in the order of the taxonomy.

``0_0`` stands alone, and ``X_0`` never beside a code of its group, as the annotation rules have it.
The grammar is one of characters, so it holds for any tokenizer, however it cuts ``2_1;5_1``.
"""

from collections.abc import Iterable
from functools import lru_cache

from climatecheck import taxonomy
from climatecheck.values import codes_of, unusual_combination

SEPARATOR = ";"
MOST_CODES = 6
"""So that a model that goes on and on comes to an end."""

MOST_CHARACTERS = MOST_CODES * max(map(len, taxonomy.CODES)) + MOST_CODES - 1
ALPHABET = frozenset("".join(taxonomy.CODES) + SEPARATOR)


def answer(codes: Iterable[str]) -> str:
    """Return codes as a model should write them.

    >>> answer(["5_1", "2_1", "5_1"]), answer([])
    ('2_1;5_1', '0_0')
    """
    chosen = sorted(set(codes), key=taxonomy.CODES.index)
    return SEPARATOR.join(chosen) or taxonomy.NO_NARRATIVE


def is_whole(text: str) -> bool:
    """Return whether a text is an answer.

    >>> [is_whole(text) for text in ("0_0", "2_1;5_1", "5_1;2_1", "2_1;", "0_0;2_1", "2_0;2_1")]
    [True, True, False, False, False, False]
    """
    parts = text.split(SEPARATOR)
    positions = codes_of(text).value
    return (
        positions is not None
        and [taxonomy.CODES[position] for position in positions] == parts
        and len(parts) <= MOST_CODES
        and not unusual_combination(positions)
    )


def is_beginning(text: str) -> bool:
    """Return whether an answer begins with a text.

    >>> [is_beginning(text) for text in ("", "2", "2_1;", "2_1;5_", "9", "5_3;", "0_0;", "2_1;2_1")]
    [True, True, True, True, False, False, False, False]
    """
    *whole, begun = text.split(SEPARATOR)
    if whole and not is_whole(SEPARATOR.join(whole)):
        return False
    return any(
        code.startswith(begun) and is_whole(SEPARATOR.join([*whole, code]))
        for code in taxonomy.CODES
    )


class TokenGrammar:
    """The grammar over the tokens of a model.

    Args:
        tokens: text of each token, by its number.
        end: number of the token that ends an answer.

    Raises:
        ValueError: if a character of the answers is no token, so that some could not be written.
    """

    def __init__(self, tokens: dict[int, str], end: int) -> None:
        self._tokens = {
            number: text
            for number, text in tokens.items()
            if text and number != end and ALPHABET.issuperset(text)
        }
        missing = ALPHABET - set(self._tokens.values())
        if missing:
            raise ValueError(f"no token of the model is {' or '.join(sorted(missing))} alone")
        self.end = end
        self._after = lru_cache(maxsize=None)(self._allowed)

    def text(self, numbers: Iterable[int]) -> str:
        """Return the text of tokens, up to the end."""
        made = ""
        for number in numbers:
            if number == self.end:
                break
            made += self._tokens[number]
        return made

    def allowed(self, numbers: Iterable[int]) -> list[int]:
        """Return the tokens that may follow some tokens of an answer; after the end, the end."""
        so_far = list(numbers)
        return [self.end] if self.end in so_far else self._after(self.text(so_far))

    def _allowed(self, text: str) -> list[int]:
        following = [n for n, more in self._tokens.items() if is_beginning(text + more)]
        return following + ([self.end] if is_whole(text) else [])
