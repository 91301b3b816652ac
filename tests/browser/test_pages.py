"""Every page that people read is without a fault that a browser can see."""

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Made
from tests.browser.looking import LIGHT, PAPER, SCREENS, View, faults
from tests.browser.made import NAMES, SOURCES, markdown
from tests.browser.site import SPARED, formulas

OURS = [(kind, name) for kind in ("results", "report") for name in NAMES[kind]]
LOOKS = [(kind, name, view) for kind, name in OURS for view in (*SCREENS, PAPER)]
LOOKS += [("site", name, view) for name in NAMES["site"] for view in LIGHT]  # it has no dark mode


@pytest.mark.parametrize(("kind", "name", "view"), LOOKS, ids=str)
def test_a_page_has_no_fault(browser: Browser, make: Made, kind: str, name: str, view: View):
    spared = SPARED if kind == "site" else ()
    assert faults(browser, make(kind, name), view, spared) == []


@pytest.mark.parametrize("name", SOURCES)
def test_nothing_on_a_page_is_taken_for_a_formula(name: str):
    assert formulas(markdown(name)) == []


def test_the_pages_hold_what_they_are_made_for(browser: Browser, make: Made):
    beginnings = {"good": "Accepted", "warned": "Accepted", "refused": "Refused"}
    for name, beginning in beginnings.items():
        assert f">{beginning}" in make("results", name).read_text("utf-8"), name
    assert make("results", "every-problem").read_text("utf-8").count("<article") > 60
    assert make("site", "faq").read_text("utf-8").count("<table>") == 0
    assert make("site", "results").read_text("utf-8").count("<table>") == 3
