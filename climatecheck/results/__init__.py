"""The page that a participant sees after a submission: one self-contained file of HTML."""

from climatecheck.results.page import results_page
from climatecheck.results.receipt import Receipt, receipt

__all__ = ["Receipt", "receipt", "results_page"]
