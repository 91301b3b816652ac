"""The files beside the tables: every claim, every abstract and every comparison, as CSV.

They hold gold labels and are for organisers alone.
"""

import numpy as np

from climatecheck import edition
from climatecheck.tables import NO_LABEL
from organiser.ev2r.facts import precision_recall_f1
from organiser.ev2r.recipe import DONE, Outcome
from organiser.ev2r.results import Result
from organiser.ev2r.run import Run
from organiser.ev2r.scores import NONE
from organiser.reporting.parts import Cell, Column, Table
from organiser.reporting.render_tables import csv_text

CLAIMS, ABSTRACTS, PAIRS = "ev2r_claims.csv", "ev2r_abstracts.csv", "ev2r_pairs.csv"

_NO_TEXT, _UNTOUCHED = Outcome("no text"), Outcome("open")


def files(run: Run) -> dict[str, bytes]:
    """Return the content of each file by its name."""
    made = {CLAIMS: _claims(run), ABSTRACTS: _abstracts(run), PAIRS: _pairs(run)}
    return {name: csv_text(table).encode() for name, table in made.items()}


def _claims(run: Run) -> Table:
    """One row a submission and evaluated claim."""
    ids = run.gold.claims.ids
    names = list(run.results[0].per_claim) if run.results else []
    rows: list[tuple[Cell, ...]] = [
        (
            result.team,
            ids[claim],
            int(result.unannotated[claim]),
            int(result.missing[claim]),
            "no" if result.missing[claim] else "yes",
            *(float(result.per_claim[name][claim]) for name in names),
            *_judges(run),
        )
        for result in run.results
        for claim in np.flatnonzero(result.evaluated).tolist()
    ]
    header = ("team", "claim_id", "unannotated", "missing", "complete", *names)
    return _table(CLAIMS, header, rows)


def _abstracts(run: Run) -> Table:
    """One row a submission and unannotated abstract."""
    rows = [row for result in run.results for row in _of_submission(run, result)]
    header = (
        *("team", "claim_id", "abstract_id", "rank", "label", "s_ref", "g_star", "y_star"),
        *("tied", "tie_decides_label", "missing"),
        *(f"p_{label.lower().replace(' ', '_')}" for label in edition.LABELS),
        *("s_proxy", "ev2r", "ev2r_low", "ev2r_high"),
        *("s_conf", "s_cons", "s_ver", "s_ver_low", "s_ver_high", "g_star_pair"),
    )
    return _table(ABSTRACTS, header, rows)


def _of_submission(run: Run, result: Result) -> list[tuple[Cell, ...]]:
    pool, scored, looked = run.plan.pool, run.looked.scored, run.looked
    labels, rows = result.verified, []
    for row, place in enumerate(result.rows.place.tolist()):
        best = int(scored.best[place])
        key = looked.keys[best] if best != NONE else None
        rows.append(
            (
                result.team,
                run.gold.claims.ids[pool.claim[place]],
                int(pool.abstract[place]),
                int(result.rows.rank[row]),
                _label(int(result.rows.label[row])),
                float(scored.s_ref[place]),
                int(run.gold.abstract[pool.reference[best]]) if key else None,
                _label(int(scored.label[place])),
                int(scored.tied[place]),
                "yes" if scored.decided_by_tie[place] else "no",
                int(scored.missing[place]),
                *map(float, scored.probabilities[place]),
                *(
                    float(values[place])
                    for values in (scored.s_proxy, scored.ev2r, scored.low, scored.high)
                ),
                *(
                    float(values[row])
                    for values in (
                        labels.s_conf,
                        labels.s_cons,
                        labels.s_ver,
                        labels.low,
                        labels.high,
                    )
                ),
                looked.outcomes[key].row if key else None,
                *_judges(run),
            )
        )
    return rows


def _pairs(run: Run) -> Table:
    """One row a comparison of an unannotated abstract with a gold abstract."""
    pool, looked = run.plan.pool, run.looked
    measures = np.column_stack(precision_recall_f1(looked.counts)).tolist()
    ids, rows = run.gold.claims.ids, []
    for place, (item, reference, key) in enumerate(
        zip(pool.item.tolist(), pool.reference.tolist(), looked.keys, strict=True)
    ):
        outcome = looked.outcomes.get(key, _UNTOUCHED) if key else _NO_TEXT
        done = outcome.state == DONE
        rows.append(
            (
                ids[pool.claim[item]],
                int(pool.abstract[item]),
                int(run.gold.abstract[reference]),
                edition.LABELS[run.gold.label[reference]],
                outcome.state,
                outcome.error or None,
                *((int(count) for count in looked.counts[place]) if done else (None,) * 4),
                *(measures[place] if done else (None,) * 3),
                outcome.row or None,
                _judges(run)[0],
            )
        )
    header = (
        *("claim_id", "abstract_id", "gold_abstract_id", "gold_label", "state", "error"),
        *("facts", "facts_supported", "gold_facts", "gold_facts_supported"),
        *("precision", "recall", "f1", "pair", "reference"),
    )
    return Table(PAIRS, "", tuple(Column(name) for name in header), tuple(rows))


def _table(name: str, header: tuple[str, ...], rows: list[tuple[Cell, ...]]) -> Table:
    columns = (*header, "reference", "proxy")
    return Table(name, "", tuple(Column(column) for column in columns), tuple(rows))


def _judges(run: Run) -> tuple[str, ...]:
    return tuple(part.recipe.title for part in run.parts)


def _label(place: int) -> str | None:
    return None if place == NO_LABEL else edition.LABELS[place]
