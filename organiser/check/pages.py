"""Checks of the pages and the terms, as CodaBench turns them into HTML."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from organiser.check.bundle import Bundle
from organiser.check.registry import SITE, UNPACKING, Finding, Missing, check

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*(.*?)[ \t]*$")
_INLINE_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_WORD = re.compile(r"[A-Za-z0-9_+#-]*")
_IMAGE = re.compile(
    r"!\[[^\]]*\]\(\s*<?([^)\s>]*)|<img\b[^>]*?\bsrc\s*=\s*[\"']?([^\"'\s>]*)", re.I
)
_LINK = re.compile(
    r"(?<!!)\[[^\]]*\]\(\s*<?([^)\s>]*)|<a\b[^>]*?\bhref\s*=\s*[\"']?([^\"'\s>]*)", re.I
)
_ABSOLUTE = re.compile(r"(https?:)?//|mailto:|data:image/|#", re.I)


@dataclass(frozen=True)
class Fence:
    """A fence of a code block: its line, what follows the marks, and whether it is ever closed."""

    line: int
    info: str
    closed: bool


def _pages(bundle: Bundle) -> Iterator[tuple[str, bytes]]:
    """Yield each page, and the terms, that is in the bundle.

    Raises:
        Missing: there is none.
    """
    paths = [page.get("file") for _, page in bundle.listed("pages")]
    found = [
        (path, content)
        for path in [*paths, bundle.competition.get("terms")]
        if isinstance(path, str)
        and (content := bundle.tree.read(posixpath.normpath(path))) is not None
    ]
    if not found:
        raise Missing("no page is in the bundle")
    yield from dict(found).items()


def _texts(bundle: Bundle) -> Iterator[tuple[str, str]]:
    for path, content in _pages(bundle):
        yield path, content.decode("utf-8-sig", "replace")


def prose(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield the lines outside of code blocks, numbered from 1, without code in backticks.

    >>> list(prose("a `b` c\n```text\n$\n```\nd"))
    [(1, 'a  c'), (5, 'd')]
    """
    mark = ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if mark:
            if fence and fence[1].startswith(mark) and not fence[2]:
                mark = ""
        elif fence:
            mark = fence[1]
        else:
            yield number, _INLINE_CODE.sub("", line)


def fences(text: str) -> list[Fence]:
    r"""Return the opening fences of a text.

    >>> fences("```text\n$\n```")
    [Fence(line=1, info='text', closed=True)]
    """
    found: list[Fence] = []
    mark = ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if fence and not mark:
            mark = fence[1]
            found.append(Fence(number, fence[2], False))
        elif fence and fence[1].startswith(mark) and not fence[2]:
            mark = ""
            found[-1] = Fence(found[-1].line, found[-1].info, True)
    return found


@check("page-text", "Every page has text", "error", UNPACKING)
def has_text(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench refuses a bundle with an empty page, or with empty terms."""
    for path, content in _pages(bundle):
        if not content.strip():
            yield Finding(path, "is empty", "Write it, or take the page out of competition.yaml.")


@check("page-encoding", "Pages are UTF-8", "error", UNPACKING)
def encoding(bundle: Bundle) -> Iterator[Finding]:
    """CodaBench cannot read the page and refuses the bundle."""
    for path, content in _pages(bundle):
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            yield Finding(path, "is not UTF-8", "Save it as UTF-8.")


@check("page-mark", "Pages begin with their text", "warning", SITE)
def mark(bundle: Bundle) -> Iterator[Finding]:
    """A byte order mark keeps the first heading from being one."""
    for path, content in _pages(bundle):
        if content.startswith(b"\xef\xbb\xbf"):
            yield Finding(path, "begins with a byte order mark", "Save it as UTF-8 without BOM.")


@check("page-line-ends", "Lines end with LF", "warning", SITE)
def line_ends(bundle: Bundle) -> Iterator[Finding]:
    """With the line ends of Windows tables and lists fall apart on the site."""
    for path, content in _pages(bundle):
        if b"\r" in content:
            yield Finding(path, "has CR line ends", "Save it with LF line ends.")


@check("page-dollar", "No $ stands in prose", "warning", SITE)
def dollar(bundle: Bundle) -> Iterator[Finding]:
    """The site sets what stands between two of them as a formula."""
    for path, text in _texts(bundle):
        for number, line in prose(text):
            if "$" in line:
                mend = "Write USD, or put it in backticks or a block of code."
                yield Finding(f"{path} line {number}", "has a $ in prose", mend)


@check("page-images", "Images have absolute addresses", "warning", SITE)
def images(bundle: Bundle) -> Iterator[Finding]:
    """The pages are moved away from their folder, so the image is broken on the site."""
    yield from _relative(bundle, _IMAGE, "the image")


@check("page-links", "Links have absolute addresses", "warning", SITE)
def links(bundle: Bundle) -> Iterator[Finding]:
    """The pages are moved away from their folder, so the link leads nowhere."""
    yield from _relative(bundle, _LINK, "the link")


def _relative(bundle: Bundle, pattern: re.Pattern[str], what: str) -> Iterator[Finding]:
    for path, text in _texts(bundle):
        for number, line in prose(text):
            for match in pattern.finditer(line):
                address = match[1] or match[2] or ""
                if not _ABSOLUTE.match(address):
                    said = f"{what} “{address[:80]}” is relative"
                    yield Finding(f"{path} line {number}", said, "Write the full https address.")


@check("page-fences", "Blocks of code are closed and named with a plain word", "warning", SITE)
def code_blocks(bundle: Bundle) -> Iterator[Finding]:
    """An open block swallows the rest of the page; with more than a word it is not set as code."""
    for path, text in _texts(bundle):
        for fence in fences(text):
            where = f"{path} line {fence.line}"
            if not fence.closed:
                yield Finding(where, "the block of code is never closed", "Close it.")
            if not _WORD.fullmatch(fence.info):
                what = f"the block of code is named “{fence.info[:40]}”"
                yield Finding(where, what, "Name it with one word, such as text or python.")
