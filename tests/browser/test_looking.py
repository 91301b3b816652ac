"""The checks can fail: each fault, put on an otherwise sound page, is found, and nothing else."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import needs, site
from tests.browser.looking import DESK, PAPER, PHONE, View, faults

SOUND = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>:root {{ color-scheme: light dark }} body {{ background: #fff; color: #000 }}
a {{ color: inherit }} .dim {{ color: #888 }} @media (prefers-color-scheme: dark) {{
body {{ background: #000; color: #fff }} .dim {{ color: #333 }} }}</style></head>
<body><main><h1 id="top">A page</h1>{}</main></body></html>
"""
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8A"
    "AAAASUVORK5CYII="
)
GOOD = f"""<table><thead><tr><th scope="col">A</th></tr></thead><tbody><tr><td>1</td></tr></tbody>
</table><img alt="a dot" src="{PIXEL}"><a href="#top">up</a>"""
WIDE = '<div style="width: {}px">wide</div>'
CLIPPED = '<div style="overflow-x: auto" tabindex="0" role="group" aria-label="a box">{}</div>'

FAULTY = [
    ("<script>console.error('oh')</script>", View(DESK), "console: oh"),
    ("<script>throw new Error('oh')</script>", View(DESK), "script error: oh"),
    ("<link rel=stylesheet href='https://example.org/a.css'>", View(DESK), "asks for"),
    (
        "<style>h1 { background: url(http://example.org/) }</style>",
        View(DESK),
        "asks for something",
    ),
    (WIDE.format(400), View(PHONE), "scrolls sideways: 408 of 390 px, for <div> wide"),
    (WIDE.format(1290), View(DESK), "scrolls sideways: 1298 of 1280 px"),
    (WIDE.format(720), PAPER, "scrolls sideways: 728 of 717 px"),
    (CLIPPED.format(WIDE.format(720)), PAPER, "cut off on paper"),
    ('<img alt="none" src="data:image/png;base64,AAAA">', View(DESK), "image not loaded"),
    ("<table><tr><td>1</td></tr></table>", View(DESK), "table without heads"),
    (GOOD.replace(">A<", "><"), View(DESK), "table without heads"),
    ("<a href='#nowhere'>there</a>", View(DESK), "dead link: #nowhere"),
    ("<a href='nowhere.svg'>there</a>", View(DESK), "dead link: file:"),
    (f'<img src="{PIXEL}">', View(DESK), "image-alt (critical)"),
    ("<p class=dim>dim</p>", View(DESK, "dark"), "color-contrast (serious)"),
    ("<p class=dim>dim</p>", View(PHONE, "light"), "color-contrast (serious)"),
]


def put(folder: Path, content: str) -> Path:
    path = folder / "page.html"
    path.write_text(SOUND.format(content), "utf-8")
    return path


@pytest.mark.parametrize("view", [View(PHONE), View(DESK, "dark"), PAPER], ids=str)
def test_a_sound_page_has_no_fault(browser: Browser, tmp_path: Path, view: View):
    path = put(tmp_path, GOOD + CLIPPED.format(WIDE.format(300)))
    assert faults(browser, path, view) == []


@pytest.mark.parametrize(("content", "view", "beginning"), FAULTY, ids=lambda it: str(it)[:40])
def test_a_fault_is_found(
    browser: Browser, tmp_path: Path, content: str, view: View, beginning: str
):
    found = faults(browser, put(tmp_path, content), view)
    assert any(fault.startswith(beginning) for fault in found), found
    blocked = [fault for fault in found if "net::ERR_FAILED" in fault]
    assert len(found) - len(blocked) == 1


def test_what_is_folded_is_looked_at(browser: Browser, tmp_path: Path):
    folded = f"<details><summary>More</summary>{WIDE.format(2000)}</details>"
    assert len(faults(browser, put(tmp_path, folded), View(DESK))) == 1


def test_markdown_becomes_what_the_site_makes_of_it(browser: Browser):
    text = "# A *b*\n\n| x |\n|---|\n| `y` |\n\n```text\na < b $1\n```\n<u>raw</u>\n"
    html = site.shown(browser, "T", text)
    assert '<h1 id="a-b">A <em>b</em></h1>' in html
    assert "<th>x</th>" in html
    assert "<td><code>y</code></td>" in html
    assert '<pre><code class="language-text">a &lt; b $1\n</code></pre>' in html
    assert "<u>raw</u>" in html


def test_what_the_site_takes_for_a_formula_is_found():
    assert site.formulas("costs `$1` or `$2`") == ["$1` or `$"]
    assert site.formulas("a $$\nb\n$$") == ["$$\nb\n$$"]
    assert site.formulas("```text\n$1 $2\n```\nand $3") == []


def test_a_browser_that_is_not_there_is_told_in_words(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(needs.NeedError, match="CHROMIUM names /nowhere/chromium, which is no"):
        needs.chromium.__wrapped__()


def test_without_the_right_to_install_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(needs.shutil, "which", lambda name: None)
    with pytest.raises(needs.NeedError, match="Debian package chromium, or give CHROMIUM=path"):
        needs.chromium.__wrapped__()


def test_the_list_of_libraries_names_no_place_to_get_them_from():
    assert "://" not in (needs.HERE / "package-lock.json").read_text("utf-8")
