"""A page opened in a browser as a person sees it, and the faults that can be seen in it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

from playwright.sync_api import Browser, Page, Playwright, Route

from tests.browser.needs import chromium, library

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
INSIDE = ("file", "data", "about", "blob")
GRAVE = ("serious", "critical")

LAYOUT = Path(__file__).with_name("layout.js").read_text("utf-8")


@dataclass(frozen=True)
class View:
    """How a page is looked at: the width in pixels, the colour scheme, on a screen or on paper."""

    width: int
    scheme: str = "light"
    media: str = "screen"

    def __str__(self) -> str:
        return "paper" if self.media == "print" else f"{self.width}-{self.scheme}"


PHONE, DESK = 390, 1280
PAPER = View(717, media="print")  # A4, less the margins that Chromium prints with
LIGHT = (View(PHONE), View(DESK))
SCREENS = (*LIGHT, View(PHONE, "dark"), View(DESK, "dark"))


@dataclass
class Sight:
    """An open page, with the faults that it showed while it was loading."""

    page: Page
    faults: list[str]


def launched(playwright: Playwright) -> Browser:
    """Start the browser.

    Raises:
        NeedError: there is none.
    """
    return playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))


@contextmanager
def opened(browser: Browser, path: Path, view: View) -> Iterator[Sight]:
    """Open a file in a fresh window; nothing outside of the machine can be reached from it."""
    context = browser.new_context(
        viewport={"width": view.width, "height": 900}, color_scheme=view.scheme
    )
    page = context.new_page()
    sight = Sight(page, [])

    def guard(route: Route) -> None:
        if urlparse(route.request.url).scheme in INSIDE:
            route.continue_()
        else:
            sight.faults.append(f"asks for something outside: {route.request.url}")
            route.abort()

    context.route("**/*", guard)
    page.on(
        "console",
        lambda said: sight.faults.append(f"console: {said.text}") if said.type == "error" else None,
    )
    page.on("pageerror", lambda error: sight.faults.append(f"script error: {error}"))
    page.emulate_media(media=view.media, color_scheme=view.scheme)
    page.goto(path.as_uri())
    page.evaluate("for (const it of document.querySelectorAll('details')) it.open = true")
    try:
        yield sight
    finally:
        context.close()


def faults(browser: Browser, path: Path, view: View, spared: Sequence[str] = ()) -> list[str]:
    """Return what is wrong with a page in a view, each fault a sentence; none if all is well.

    Args:
        browser: to open it in.
        path: where the page is.
        view: how it is looked at.
        spared: rules of axe-core that are not looked at.
    """
    with opened(browser, path, view) as sight:
        on_paper = view.media == "print"
        found = sight.page.evaluate(LAYOUT, {"width": view.width, "onPaper": on_paper})
        found += _dead_links(sight.page)
        if not on_paper:
            found += _barriers(sight.page, spared)
        return sight.faults + found


def _dead_links(page: Page) -> list[str]:
    """Return the links to files that are not there."""
    links = page.evaluate("Array.from(document.links, (link) => link.href)")
    files = {link: unquote(urlparse(link).path) for link in links if link.startswith("file:")}
    return [f"dead link: {link}" for link, file in files.items() if not Path(file).is_file()]


def _barriers(page: Page, spared: Sequence[str]) -> list[str]:
    """Return what axe-core finds serious or critical for people with a disability."""
    page.evaluate(library("axe-core/axe.min.js").read_text("utf-8"))
    result = page.evaluate("axe.run(document, {resultTypes: ['violations'], preload: false})")
    return [
        f"{rule['id']} ({rule['impact']}): {rule['help']}, {len(rule['nodes'])} times, first at"
        f" {rule['nodes'][0]['target'][0]}: {rule['nodes'][0]['failureSummary']}"
        for rule in result["violations"]
        if rule["impact"] in GRAVE and rule["id"] not in spared
    ]
