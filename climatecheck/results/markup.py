"""The few shapes of HTML that the page is made of. Text is escaped here and nowhere else."""

from collections.abc import Iterable, Sequence
from html import escape

STYLE = """
:root { color-scheme: light dark; --ink: #1b2a33; --soft: #55656f; --paper: #ffffff;
  --line: #d5dde2; --good: #17694a; --bad: #a3262a; --tint: #f1f5f7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf1; --soft: #a9b8c1; --paper: #12191e;
  --line: #33424c; --good: #6fd3a8; --bad: #ff9a94; --tint: #1b262d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 60rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
.soft, caption { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); }
.verdict { font-size: 1.2rem; font-weight: 600; margin: .5rem 0; }
.notice { padding: .6rem .9rem; border-left: 4px solid var(--soft); background: var(--tint); }
.scroll { overflow-x: auto; margin-bottom: 1.2rem; } table { border-collapse: collapse; }
caption { text-align: left; padding-bottom: .3rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: normal; }
.number { text-align: right; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font-size: .92em; } li { margin-bottom: .5rem; }
@media print { body { max-width: none; padding: 0; } }
"""


def document(title: str, parts: Iterable[str]) -> str:
    """Return a whole page."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def section(title: str, *parts: str) -> str:
    """Return a section with a heading; nothing if it would be empty."""
    body = "\n".join(part for part in parts if part)
    return f"<section>\n<h2>{escape(title)}</h2>\n{body}\n</section>" if body else ""


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph; ``kind`` is a class of the style sheet."""
    attribute = f' class="{kind}"' if kind else ""
    return f"<p{attribute}>{escape(text)}</p>" if text else ""


def listed(items: Iterable[str]) -> str:
    """Return a list; each item is text."""
    rows = "\n".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<ul>\n{rows}\n</ul>" if rows else ""


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table whose first column heads its rows; numbers are set to the right."""
    lines = list(rows)
    sample = lines[0] if lines else header
    head = "".join(_heading(cell, below) for cell, below in zip(header, sample, strict=True))
    body = "\n".join(
        f'<tr><th scope="row">{escape(str(first))}</th>{"".join(map(_cell, others))}</tr>'
        for first, *others in lines
    )
    return (
        f'<div class="scroll"><table>\n<caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _heading(text: str, below: object) -> str:
    kind = ' class="number"' if isinstance(below, (int, float)) else ""
    return f'<th scope="col"{kind}>{escape(text)}</th>'


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f'<td class="number">{value:.3f}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{escape(str(value))}</td>"
