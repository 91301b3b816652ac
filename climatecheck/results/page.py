"""The page as a whole: what stands on it, in which order."""

from climatecheck import edition
from climatecheck.board import Board, Facts
from climatecheck.problems import verdict
from climatecheck.results.confusion import confusion
from climatecheck.results.coverage import coverage
from climatecheck.results.evidence import open_tasks
from climatecheck.results.markup import document, listed, paragraph
from climatecheck.results.narratives import narratives
from climatecheck.results.official import official
from climatecheck.results.problem_list import errors, warnings
from climatecheck.results.receipt import Receipt, receipt_table
from climatecheck.results.retrieval import retrieval
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
    """Return the page of a submission, the same for the same arguments, byte for byte.

    Args:
        submission: what was read, with its problems.
        scores: the scores; None if the submission is refused, or accepted by a blind board.
        board: whose columns are shown.
        facts: what is said of the edition.
        receipt: what the page rests on.
    """
    parts = [
        _header(submission, facts),
        errors(submission.problems),
        warnings(submission.problems, read=submission.valid),
    ]
    if scores is not None:
        opened = open_tasks(submission)
        parts += [
            official(scores, board, facts, opened),
            coverage(submission, scores, opened),
            retrieval(scores, opened),
            confusion(scores, opened),
            narratives(scores, opened),
        ]
    return document(f"{edition.TITLE}: results", [*parts, receipt_table(receipt)])


def _header(submission: Submission, facts: Facts) -> str:
    parts = [
        f"<header>\n<h1>{edition.TITLE}: results</h1>",
        paragraph(facts.title, "soft"),
        paragraph(facts.notice, "notice"),
        paragraph(verdict(submission.problems), f"verdict {'good' if submission.valid else 'bad'}"),
        listed(understood(submission)),
        "</header>",
    ]
    return "\n".join(part for part in parts if part)
