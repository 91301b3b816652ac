"""A page of ``pages/`` as CodaBench shows it: the steps of its front end, in the same order.

As read in its source: fences are taken out first, then what stands between dollar signs becomes
LaTeX, the rest goes through ``marked`` (called as a function, as its browser build allowed up to
version 3) with its defaults, the fences come back as ``<pre>``, and nothing is sanitised. The
site's layout is imitated in measures only: the width that is left for a page, and its ``<pre>``.
"""

import re
from html import escape

from playwright.sync_api import Browser

from tests.browser.needs import library

SPARED = ("scrollable-region-focusable",)
"""What no page can help: the site makes blocks of code scroll, and gives them no tab stop."""

_FENCE = re.compile(r"```(\w*)\n([\s\S]*?)```", re.ASCII)
_FORMULA = re.compile(r"\$\$([\s\S]+?)\$\$|\$([^$\n]+?)\$")
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0; font: 14px/1.4285 Lato, Arial, sans-serif; color: rgba(0, 0, 0, .87); }}
main {{ box-sizing: border-box; max-width: 916px; margin: 1em auto; padding: 2em;
  border: 1px solid gainsboro; }}
@media (max-width: 767px) {{ main {{ margin: 1em 24px; }} }}
table {{ border-collapse: collapse; border-spacing: 0; }}
p {{ margin: 0 0 1em; }} pre code {{ white-space: pre; }}
pre {{ background: #f4f4f4; border: 1px solid #ddd; border-left: 3px solid #00bbbb;
  border-radius: 6px; color: #666; font: .85em/1.6 monospace; margin-bottom: 1.6em;
  max-width: 100%; overflow: auto; padding: 1em 1.5em; word-wrap: break-word; }}
</style>
</head>
<body>
<main id="page_0">
{html}
</main>
</body>
</html>
"""


def formulas(text: str) -> list[str]:
    """Return what the site would take for LaTeX.

    >>> formulas("costs `$1` or `$2`"), formulas("```text\\n$1 $2\\n```")
    (['$1` or `$'], [])
    """
    return [match[0] for match in _FORMULA.finditer(_FENCE.sub("", text))]


def shown(browser: Browser, title: str, text: str) -> str:
    """Return the HTML of a page of Markdown without formulas."""
    fences = list(_FENCE.finditer(text))
    tokens = iter(range(len(fences)))
    html = _marked(browser, _FENCE.sub(lambda _: f"%%CODE_BLOCK_{next(tokens)}%%", text))
    for k, fence in enumerate(fences):
        block = f'<pre><code class="language-{fence[1]}">{escape(fence[2])}</code></pre>'
        html = html.replace(f"%%CODE_BLOCK_{k}%%", block, 1)
    return _PAGE.format(title=escape(title), html=html)


def _marked(browser: Browser, text: str) -> str:
    page = browser.new_page()
    page.evaluate(library("marked/marked.min.js").read_text("utf-8"))
    html: str = page.evaluate("(text) => marked(text)", text)
    page.close()
    return html
