"""The folder that a run writes: a page, its tables, details as CSV, the section for a report."""

from climatecheck import edition
from organiser.analysis import stored_section
from organiser.analysis.systems import Evaluation
from organiser.ev2r.files import files
from organiser.ev2r.run import Run
from organiser.ev2r.section import section
from organiser.reporting.render import Chapter, Report

SECTION = "ev2r_section.json"


def report(evaluation: Evaluation, run: Run) -> Report:
    """Return what a run came to, ready to be rendered."""
    made = section(run)
    lead = [evaluation.facts.title, f"Hash of the gold: {evaluation.gold.digest}."]
    if run.approximation:
        lead.append("Judged by approximations: no ranking.")
    if run.open:
        lead.append(f"INCOMPLETE: {run.open:,} pairs are open.")
    if run.without_text:
        lead.append(f"TEXTS MISSING: {run.without_text:,} comparisons count as failed for that.")
    if run.failed:
        lead.append(f"{run.failed:,} pairs failed; the scores leave them out and show bounds.")
    return Report(
        title=f"{edition.TITLE}: Ev2R",
        lead=tuple(line for line in lead if line),
        notice=evaluation.facts.notice,
        chapters=(Chapter("Abstracts that nobody judged", (made,)),),
        files={
            **files(run),
            SECTION: stored_section.to_json(made, stored_section.basis(evaluation)),
        },
    )
