"""The gate of an organiser's upload: ``python -m organiser.check [PATH]`` reads a bundle.

It says, before anything is uploaded, what CodaBench would refuse, what it would take and then break
on, and what organisers usually regret. Importing this package registers every check.
"""

from organiser.check import (  # noqa: F401  (each registers its checks)
    board,
    competition,
    data,
    fact_sheet,
    files,
    gold,
    logo,
    pages,
    phases,
    programs,
    samples,
)
from organiser.check.bundle import Bundle, open_bundle
from organiser.check.registry import CHECKS, Check, Finding, Result, run

__all__ = ["CHECKS", "Bundle", "Check", "Finding", "Result", "open_bundle", "run"]
