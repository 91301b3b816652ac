"""One browser and one folder of pages for all the checks."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.browser.looking import launched
from tests.browser.made import made
from tests.browser.needs import NeedError, library


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            library("axe-core/axe.min.js")
            started = launched(playwright)
        except (NeedError, Error) as error:
            pytest.exit(f"No page was looked at: {error}", returncode=1)
        yield started
        started.close()


Made = Callable[[str, str], Path]


@pytest.fixture(scope="session")
def make(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Make a page once, by its kind and name."""
    folder = tmp_path_factory.mktemp("pages")
    return lambda kind, name: made(kind, name, folder, browser)
