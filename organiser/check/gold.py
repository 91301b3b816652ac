"""Checks that nothing which participants can download tells the gold; ``telling`` says how much."""

import hashlib
from collections.abc import Iterator
from functools import lru_cache

from climatecheck import edition as settings
from climatecheck.gold import GOLD_FILES, has_gold
from organiser.check import settings_of
from organiser.check.answers import Known, known
from organiser.check.bundle import Bundle
from organiser.check.downloads import Download, downloads
from organiser.check.registry import DOWNLOADS, Finding, Missing, check
from organiser.check.telling import Told, told_by

_PUBLIC = {settings.CLAIMS_FILE, settings.EDITION_FILE}
_MEND = "Take it out; if it was public already, the gold is spent."
_LOOK = "Look at it by hand: a good prediction may hold it too. If it is gold, take it out."


@check("gold-copied", "No reference file can be downloaded", "error", DOWNLOADS)
def copied(bundle: Bundle) -> Iterator[Finding]:
    """Participants read the answers; the competition is over before it has begun."""
    for download in _copies(bundle):
        what = "is byte for byte a file of the reference data"
        yield Finding(download.where, what, _MEND)


@check("gold-told", "No file that can be downloaded tells the gold", "error", DOWNLOADS)
def told(bundle: Bundle) -> Iterator[Finding]:
    """The gold under another name or in another form is as much of a gift as a copy of it."""
    for where, found in _found(bundle):
        if found.is_gold:
            yield Finding(where, f"{found.what}, far beyond any prediction", _MEND)


@check("gold-part", "No short list agrees with the gold throughout", "warning", DOWNLOADS)
def part(bundle: Bundle) -> Iterator[Finding]:
    """A few rows of the gold, left behind in an example or a test, give these claims away."""
    for where, found in _found(bundle):
        if found.is_suspect:
            yield Finding(where, f"{found.what}, and hardly anything that is wrong", _LOOK)


@lru_cache(maxsize=1)
def _found(bundle: Bundle) -> tuple[tuple[str, Told], ...]:
    """Return what each download tells that is no copy."""
    answers, copies = answers_of(bundle), {each.where for each in _copies(bundle)}
    seen: dict[bytes, list[Told]] = {}  # the rules alone stand in three of the zips
    found = []
    for download in _searched(bundle):
        digest = hashlib.sha256(download.content).digest()
        if download.where not in copies:
            if digest not in seen:
                seen[digest] = telling(download, answers)
            found += [(download.where, each) for each in seen[digest]]
    return tuple(found)


def telling(download: Download, answers: Known) -> list[Told]:
    """Return the most that a file tells, if that is the gold or may be part of it."""
    found = [each for each in told_by(download.content, answers) if each.is_gold or each.is_suspect]
    return sorted(found, key=lambda each: (each.is_suspect, -each.size))[:1]


def answers_of(bundle: Bundle) -> Known:
    """Return the gold of a bundle by all that can name it.

    Raises:
        Missing: there is no gold that can be read.
    """
    texts = (
        content
        for download in downloads(bundle)
        if b"abstract_id" in (content := download.content)[:1_000]
    )
    return known(bundle.gold, _secrets(bundle), texts)


@check("gold-blind", "A blind bundle carries no gold", "error", DOWNLOADS)
def blind(bundle: Bundle) -> Iterator[Finding]:
    """The gold was to stay on the organiser's machine; reference data are not safe on a server."""
    if not settings_of.board(bundle).blind:
        raise Missing("the bundle is not blind")
    part = bundle.of_role("reference_data")[0]
    for name in part.tree.names:
        if name in GOLD_FILES.values() or name not in _PUBLIC:
            what = "is in the reference data of a blind bundle"
            yield Finding(f"{part.path}: {name}", what, "Build it with make bundle BLIND=1.")


@check("gold-looked-into", "Every file that can be downloaded was looked into", "advice", DOWNLOADS)
def looked_into(bundle: Bundle) -> Iterator[Finding]:
    """What cannot be read here may still hold the gold for those who can read it."""
    for download in downloads(bundle):
        if download.closed:
            yield Finding(download.where, download.closed, "Look at it by hand.")


def _searched(bundle: Bundle) -> Iterator[Download]:
    """Yield what participants can download; of a blind bundle, its reference data too."""
    yield from downloads(bundle)
    if settings_of.board(bundle).blind:
        yield from downloads(bundle, ("reference_data",))


def _copies(bundle: Bundle) -> Iterator[Download]:
    """Yield each download with the bytes of a file of gold."""
    secret = {hashlib.sha256(content).digest() for content in _secrets(bundle)}
    if not secret:
        raise Missing("there is no gold in the bundle to compare with")
    for download in _searched(bundle):
        if hashlib.sha256(download.content).digest() in secret:
            yield download


def _secrets(bundle: Bundle) -> Iterator[bytes]:
    """Yield each file of gold."""
    given = bundle.given_gold
    for path in [given / name for name in GOLD_FILES.values()] if given else []:
        if has_gold(path):
            yield path.read_bytes()
    for part in bundle.of_role("reference_data"):
        for name in part.tree.names:
            content = part.tree.read(name)
            if name.rpartition("/")[2] not in _PUBLIC and content and content.strip():
                yield content
