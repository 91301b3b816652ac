"""Tables on the site's pages: the platform gives them neither space nor, on a phone, a way out.

A table of Markdown is put into a box that scrolls by itself, and a style is added for the space
between the cells. Where a site takes such HTML out again, a page is what it would be without.
"""

import re

_BOX = '<div tabindex="0" style="overflow-x: auto; margin: 1em 0">'
_CELLS = """<style>
[id^="page_"] th, [id^="page_"] td { padding: .25em 1em .25em 0; vertical-align: top; }
[id^="page_"] th:not([align]) { text-align: left; }
</style>
"""
_FENCE = re.compile(r"(^ *```.*?^ *```$)", re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"^\|.*(?:\n\|.*)*", re.MULTILINE)


def boxed(text: str) -> str:
    r"""Return a page of Markdown with each of its tables in a box; code blocks stay as they are.

    >>> print(boxed("Text\n\n| a |\n|---|\n| 1 |\n").partition("<style>")[0])
    Text
    <BLANKLINE>
    <div tabindex="0" style="overflow-x: auto; margin: 1em 0">
    <BLANKLINE>
    | a |
    |---|
    | 1 |
    <BLANKLINE>
    </div>
    <BLANKLINE>
    <BLANKLINE>
    """
    parts = _FENCE.split(text)
    parts[::2] = [_TABLE.sub(rf"{_BOX}\n\n\g<0>\n\n</div>", part) for part in parts[::2]]
    made = "".join(parts)
    return f"{made}\n{_CELLS}" if made != text else text
