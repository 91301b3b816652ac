"""The pages to look at, made as the programs make them: each returns its path in a folder."""

import tempfile
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Browser

from climatecheck.board import Board
from climatecheck.results import results_page
from climatecheck.tables import Submission
from organiser import worker
from organiser.analysis.__main__ import main as analyse
from organiser.analysis.sample_systems import SYSTEMS, sample_submissions
from organiser.competition import VARIANTS
from organiser.dry_run import task_zips
from organiser.editions import ROOT, edition
from organiser.pages import page
from organiser.reporting.render import PAGE
from tests import catalogue
from tests.browser import site
from tests.browser.uploads import UPLOADS, refused
from tests.results_case import FACTS, RECEIPT
from tests.results_case import HTML as EVERY_TABLE

SOURCES = {path.stem: path for path in sorted((ROOT / "pages").glob("*.md"))}
TEAM = next(iter(SYSTEMS))

NAMES = {
    "results": (*UPLOADS, "every-table", "every-problem"),
    "report": ("all", "team"),
    "site": tuple(SOURCES),
}
"""The kinds of pages, and the pages of each."""


def made(kind: str, name: str, folder: Path, browser: Browser) -> Path:
    """Return the path of a page, made if it is not there; a report only once."""
    if kind == "report":
        return _report(name, folder / f"report-{name}")
    path = folder / f"{kind}-{name}.html"
    if not path.exists():
        html = _results(name) if kind == "results" else _site(name, browser)
        path.write_text(html, "utf-8")
    return path


def _results(name: str) -> str:
    if name == "every-table":
        return EVERY_TABLE
    return _every_problem() if name == "every-problem" else _results_of_upload(name)


def _results_of_upload(name: str) -> str:
    variant = replace(VARIANTS[""], blind=name == "blind")
    with tempfile.TemporaryDirectory() as folder:
        run = worker.run(UPLOADS[name](), task_zips("", "", variant), Path(folder))
        return (run.output / "detailed_results.html").read_text("utf-8")


def _every_problem() -> str:
    """Return the page of a file that would have every problem that the catalogue has a case of."""
    with tempfile.TemporaryDirectory() as folder:
        bases = {name: Path(folder) / name for name in catalogue.NAMES}
        for base in bases.values():
            base.mkdir()
        read = [catalogue.read(name, base) for name, base in bases.items()]
    problems = {problem.code: problem for one in read for problem in one.problems}
    submission = Submission(catalogue.CLAIMS, None, None, tuple(problems.values()))
    return results_page(submission, None, board=Board(), facts=FACTS, receipt=RECEIPT)


def _report(name: str, folder: Path) -> Path:
    """Return the page of a report on the sample systems and a refused upload, with two golds."""
    if not folder.exists():
        data = edition()
        with tempfile.TemporaryDirectory() as submissions:
            for team, content in {**sample_submissions(data), "Refused": refused()}.items():
                (Path(submissions) / f"{team}.zip").write_bytes(content)
            of_whom = ["--team", TEAM] if name == "team" else []
            given = ["--submissions", submissions, "--reference-old", str(data.reference_data)]
            if analyse([*given, "--out", str(folder), *of_whom]) != 0:
                raise RuntimeError("the report was not made")
    return folder / PAGE


def _site(name: str, browser: Browser) -> str:
    return site.shown(browser, name.capitalize(), markdown(name))


def markdown(name: str) -> str:
    """Return the text of a page of the site, its places filled."""
    return page(f"pages/{SOURCES[name].name}", edition()).decode()
