"""Names of files, made from texts that nobody controls."""

import re
from collections.abc import Sequence
from unicodedata import category, normalize

_KEPT_CHARACTERS = 40


def stem(text: str) -> str:
    """Return a text as the stem of a file name: lower-case letters, digits and hyphens.

    Letters of other scripts stay; accents go.

    >>> stem("Müller & Söhne: BM25"), stem("../.."), stem("CON"), stem("日本")
    ('muller-sohne-bm25', 'unnamed', 'con', '日本')
    """
    bare = "".join(c for c in normalize("NFKD", text.lower()) if category(c) != "Mn")
    made = re.sub(r"[\W_]+", "-", normalize("NFC", bare)).strip("-")[:_KEPT_CHARACTERS].strip("-")
    return made or "unnamed"


def distinct_stems(texts: Sequence[str]) -> list[str]:
    """Return a stem for each text, no two the same.

    >>> distinct_stems(["a b", "A-B", "é"])
    ['a-b', 'a-b-2', 'e']
    """
    made: list[str] = []
    for text in texts:
        base, name, copy = stem(text), stem(text), 1
        while name in made:
            copy += 1
            name = f"{base}-{copy}"
        made.append(name)
    return made
