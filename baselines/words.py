"""The words by which an index knows a text: lower case, without stop words, cut to their stems."""

import re
import unicodedata
from collections.abc import Iterable

from baselines.libraries import load

_STOP_WORDS = """
a about above after again against all also am an and any are as at be because been before being
below between both but by can could did do does doing down during each either few for from further
had has have having he her here hers herself him himself his how i if in into is it its itself just
may me might more most must my myself neither no nor not now of off on once only or other our ours
ourselves out over own rather same shall she should since so some such than that the their theirs
them themselves then there these they this those though through thus to too under until up upon very
was we were what when where whether which while who whom whose why will with within without would
yet you your yours yourself yourselves aren't can't couldn't didn't doesn't don't hadn't hasn't
haven't he'd he'll he's i'd i'll i'm i've isn't it'll it's let's mustn't she'd she'll she's
shouldn't that's there's they'd they'll they're they've wasn't we'd we'll we're we've weren't what's
who's won't wouldn't you'd you'll you're you've
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that say little about what a text is about."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
NONE = -1


def words(text: str) -> list[str]:
    r"""Return the words of a text in lower case, stop words included.

    >>> words("It's CO\u2082 \u2014 don\u2019t panic! #NetZero 1.5")
    ["it's", 'co2', "don't", 'panic', 'netzero', '1', '5']
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("\u2019", "'")
    return _WORD.findall(text.lower())


class Stems(dict[str, int]):
    """The number of the stem of each word; a word that is met for the first time gets one.

    Attributes:
        numbers: the number of each stem, from 0 in the order in which they were met.

    Raises:
        MissingLibraryError: if PyStemmer is not installed.

    >>> stems = Stems()
    >>> stems.of("The glaciers of a glacier")
    [0, 0]
    >>> stems.numbers
    {'glacier': 0}
    """

    def __init__(self, numbers: dict[str, int] | None = None) -> None:
        super().__init__()
        self.numbers: dict[str, int] = {} if numbers is None else numbers
        self._stem = load("Stemmer", extra="baselines").Stemmer("english").stemWord

    def __missing__(self, word: str) -> int:
        number = (
            NONE
            if word in STOP_WORDS
            else self.numbers.setdefault(self._stem(word), len(self.numbers))
        )
        self[word] = number
        return number

    def all_of(self, text: str) -> Iterable[int]:
        """Return a number for each word, ``NONE`` for a stop word."""
        return map(self.__getitem__, words(text))

    def of(self, text: str) -> list[int]:
        """Return the numbers of a text's stems, in its order."""
        return [number for number in self.all_of(text) if number != NONE]
