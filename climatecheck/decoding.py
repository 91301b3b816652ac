"""From the bytes of a file to its text: encoding, line ends, and what stands between cells."""

import codecs
import re
from collections.abc import Sequence

from climatecheck import problem_table as table
from climatecheck.problems import Collector
from climatecheck.values import BLANKS

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
_SIGNATURES = {
    b"PK\x03\x04": "a zip or a spreadsheet",
    b"\xd0\xcf\x11\xe0": "a spreadsheet",
    b"\x1f\x8b": "a compressed file",
    b"%PDF": "a PDF",
    b"PAR1": "a Parquet file",
}
_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_BOMS = {
    codecs.BOM_UTF8: ("utf-8-sig", "a byte order mark"),
    codecs.BOM_UTF16_LE: ("utf-16", "UTF-16 text"),
    codecs.BOM_UTF16_BE: ("utf-16", "UTF-16 text"),
}
_HEAD = 100_000


def decode(data: bytes, file: str, problems: Collector) -> tuple[str | None, list[str]]:
    """Return the text of UTF-8 or UTF-16 bytes (None: it cannot be told), and its unusual form."""
    if not data.strip(b"\x00\xef\xbb\xbf\xff\xfe \t\r\n"):
        problems.add(table.EMPTY_FILE, file)
        return None, []
    for signature, words in _SIGNATURES.items():
        if data.startswith(signature):
            problems.add(table.NOT_A_CSV, file, found=words)
            return None, []
    if data.startswith(_UTF_32):
        problems.add(table.ENCODING, file, line=1, found="UTF-32")
        return None, []
    encoding, form = "utf-8", []
    for bom, (name, words) in _BOMS.items():
        if data.startswith(bom):
            encoding, form = name, [words]
    if encoding == "utf-8" and b"\x00" in data[:2000]:
        encoding, form = _utf16_without_bom(data), ["UTF-16 text without a byte order mark"]
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        problems.add(table.ENCODING, file, line=line, found=f"byte 0x{data[fault.start]:02x}")
        return None, []
    if "\x00" in text:
        problems.add(table.NUL, file, line=text.count("\n", 0, text.index("\x00")) + 1)
        return None, []
    return text, form if encoding != "utf-8" else []


def first_line(text: str) -> str:
    """Return the first line that is not blank, or the part of it that is looked at."""
    head = text[:_HEAD].lstrip(BLANKS.replace("\t", ""))
    return re.split(r"[\r\n]", head, maxsplit=1)[0]


def line_ends(text: str) -> list[str]:
    """Return in words which line ends a text has, if they are not the usual ones."""
    if "\r" not in text:
        return []
    both = text.count("\r\n")
    alone = {"CR": text.count("\r") - both, "LF": text.count("\n") - both, "CRLF": both}
    kinds = [name for name, count in alone.items() if count]
    return [f"{kinds[0]} line ends"] if len(kinds) == 1 else ["line ends of several kinds"]


def _utf16_without_bom(data: bytes) -> str:
    """Return the byte order that makes the first characters ASCII, else UTF-8."""
    head = data[:2000]
    pairs = len(head) // 2
    if head[1::2].count(0) > 0.9 * pairs and not head[0::2].count(0):
        return "utf-16-le"
    if head[0::2].count(0) > 0.9 * pairs and not head[1::2].count(0):
        return "utf-16-be"
    return "utf-8"


def separator_of(head: str, known: Sequence[str]) -> str:
    """Return what stands between the cells: what makes the most known names of a header."""

    def found(separator: str) -> tuple[int, int]:
        names = [plain_name(name) for name in head.split(separator)]
        return sum(name in wanted for name in names), len(names)

    wanted = {plain_name(name) for name in known}
    return max(SEPARATORS, key=found)


def plain_name(name: str) -> str:
    """Return a column's name without what never counts: case, blanks, hyphens, underscores."""
    return re.sub(r"[-_\s]+", "", name.strip(BLANKS + "\"'")).casefold()
