"""Makes the pictures of the README: ``python -m tests.browser.screenshots``."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from organiser.editions import ROOT
from tests.browser.looking import View, launched, opened
from tests.browser.made import made
from tests.browser.needs import NeedError

PICTURES = {
    "participant-page.png": ("results", "good", 960, 1070),
    "report.png": ("report", "all", 1280, 890),
}
"""The pictures in ``docs``: kind and name of the page, width and height of the window."""


def main() -> int:
    """Make the pictures; return 1 where there is no browser."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        try:
            browser = launched(playwright)
        except NeedError as error:
            print(f"No picture was made: {error}", file=sys.stderr)
            return 1
        for picture, (kind, name, width, height) in PICTURES.items():
            path = made(kind, name, Path(folder), browser)
            with opened(browser, path, View(width)) as sight:
                box = {"x": 0, "y": 0, "width": width, "height": height}
                sight.page.screenshot(path=ROOT / "docs" / picture, full_page=True, clip=box)
            print(f"docs/{picture}")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
