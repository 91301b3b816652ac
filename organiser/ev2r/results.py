"""From scores of abstracts to those of claims and submissions, with intervals and bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from climatecheck.bootstrap import Interval, intervals
from climatecheck.metrics.counts import Weights, mean_over_claims
from climatecheck.tables import Booleans, Floats, Integers
from organiser.ev2r.pool import Pool, Rows
from organiser.ev2r.scores import Abstracts, Verified, best_of_claim, mean_of_claim, verified

Named: TypeAlias = Mapping[str, Floats]

EV2R, S_VER, MEAN_EV2R = "ev2r", "s_ver", "ev2r_mean"
LOW, HIGH, COMMON = "_low", "_high", "_common"


@dataclass(frozen=True)
class Result:
    """A submission's scores.

    Attributes:
        team: whose it is.
        rows: the rows that were looked at.
        verified: S_ver of each row.
        unannotated: (claims,) abstracts of each claim that were looked at.
        missing: (claims,) comparisons among them that failed or are open.
        per_claim: (claims,) values by name; NaN where a claim is not evaluated, or nothing is known
            of it. ``ev2r`` is the maximum over a claim's abstracts, ``ev2r_mean`` their mean,
            ``s_ver`` the mean; ``_low`` and ``_high`` are bounds over what failed, ``_common``
            has the claims alone in which every submission has an unannotated abstract.
        values: the mean of each over claims.
        intervals: bootstrap intervals of these means, but for bounds.
    """

    team: str
    rows: Rows
    verified: Verified
    unannotated: Integers
    missing: Integers
    per_claim: Named
    values: Mapping[str, float]
    intervals: Mapping[str, Interval]

    @property
    def evaluated(self) -> Booleans:
        """(claims,) whether a claim has an unannotated abstract."""
        return np.asarray(self.unannotated > 0)

    @property
    def claims(self) -> int:
        """How many claims are evaluated, and something is known of them."""
        return self.resting_on(EV2R)

    @property
    def unknown_claims(self) -> int:
        """Of how many claims with an unannotated abstract nothing is known."""
        return int(self.evaluated.sum()) - self.claims

    def resting_on(self, name: str) -> int:
        """Return how many claims a value is the mean of."""
        return int(np.count_nonzero(~np.isnan(self.per_claim[name])))

    @property
    def complete(self) -> bool:
        """Whether nothing failed and nothing is open."""
        return not self.missing.any()


def results(
    teams: Sequence[str], rows: Sequence[Rows], pool: Pool, scored: Abstracts, claims: int
) -> list[Result]:
    """Return the result of each submission.

    Args:
        teams: their names.
        rows: the rows of each that were looked at.
        pool: the abstracts of all.
        scored: their scores.
        claims: how many claims the edition has.
    """
    counts = [np.bincount(pool.claim[of.place], minlength=claims) for of in rows]
    common = np.all(np.array(counts).reshape(len(counts), claims) > 0, axis=0)
    return [
        _result(team, of, count, pool, scored, common)
        for team, of, count in zip(teams, rows, counts, strict=True)
    ]


def _result(
    team: str, rows: Rows, count: Integers, pool: Pool, scored: Abstracts, common: Booleans
) -> Result:
    claims, claim = len(count), pool.claim[rows.place]
    labels = verified(rows, scored)
    unknown = scored.missing[rows.place] + np.isnan(scored.probabilities[rows.place]).any(axis=1)
    per_claim = {
        EV2R: best_of_claim(claim, scored.ev2r[rows.place], claims),
        EV2R + LOW: best_of_claim(claim, scored.low[rows.place], claims),
        EV2R + HIGH: best_of_claim(claim, scored.high[rows.place], claims),
        MEAN_EV2R: mean_of_claim(claim, scored.ev2r[rows.place], claims),
        S_VER: mean_of_claim(claim, labels.s_ver, claims),
        S_VER + LOW: mean_of_claim(claim, labels.low, claims),
        S_VER + HIGH: mean_of_claim(claim, labels.high, claims),
    }
    for name in (EV2R, S_VER):
        per_claim[name + COMMON] = np.where(common, per_claim[name], np.nan)
    return Result(
        team,
        rows,
        labels,
        count,
        np.bincount(claim, weights=unknown, minlength=claims).astype(np.int64),
        per_claim,
        {name: float(mean_over_claims(values)) for name, values in per_claim.items()},
        _intervals(per_claim),
    )


def _intervals(per_claim: Named) -> dict[str, Interval]:
    """Return intervals over resampled claims; a claim that is not evaluated has no weight."""
    names = [name for name in per_claim if not name.endswith((LOW, HIGH))]
    stacked = np.column_stack([per_claim[name] for name in names])

    def values(weights: Weights) -> dict[str, Floats]:
        return {
            name: mean_over_claims(stacked[:, place], weights) for place, name in enumerate(names)
        }

    return intervals(values, len(stacked)) if len(stacked) else {}
