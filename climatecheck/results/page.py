"""The page as a whole: what stands on it, in which order."""

from climatecheck import edition
from climatecheck.board import Board, Facts
from climatecheck.problems import Problem, verdict
from climatecheck.results.coverage import coverage
from climatecheck.results.markup import document, listed, paragraph, section
from climatecheck.results.official import official
from climatecheck.results.receipt import Receipt, receipt_table
from climatecheck.scoring import Scores
from climatecheck.summary import understood
from climatecheck.tables import Submission


def results_page(
    submission: Submission,
    scores: Scores | None,
    *,
    board: Board,
    facts: Facts,
    receipt: Receipt,
) -> str:
    """Return the page of a submission.

    Args:
        submission: what was read, with its problems.
        scores: the scores; None if the submission is refused.
        board: whose columns are shown.
        facts: what is said of the edition.
        receipt: what the page rests on.
    """
    errors = [problem for problem in submission.problems if problem.is_error]
    warnings = [problem for problem in submission.problems if not problem.is_error]
    parts = [_header(submission, facts), _problems("What must be mended", errors)]
    if scores is not None:
        parts += [official(scores, board), coverage(submission, scores)]
    parts += [_problems("What was remarked", warnings), receipt_table(receipt)]
    return document(f"{edition.TITLE}: results", parts)


def _header(submission: Submission, facts: Facts) -> str:
    kind = "verdict good" if submission.valid else "verdict bad"
    parts = [
        f"<header>\n<h1>{edition.TITLE}: results</h1>",
        paragraph(facts.title, "soft"),
        paragraph(facts.notice, "notice"),
        paragraph(verdict(submission.problems), kind),
        listed(understood(submission)),
        "</header>",
    ]
    if not submission.valid:
        parts[-1:] = [
            paragraph("Nothing was scored; mend the file and upload it again."),
            parts[-1],
        ]
    return "\n".join(part for part in parts if part)


def _problems(title: str, problems: list[Problem]) -> str:
    return section(title, listed(problem.message for problem in problems))
