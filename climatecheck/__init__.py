"""The rules of the ClimateCheck shared task: formats, problems, metrics, pages of results."""

from climatecheck.gold import GoldError, read_claims, read_gold
from climatecheck.scoring import Scores, score
from climatecheck.submission import read_submission, validate

__all__ = [
    "GoldError",
    "Scores",
    "read_claims",
    "read_gold",
    "read_submission",
    "score",
    "validate",
]
__version__ = "1.0.0"
