"""The published figures of agreement (Table 5 and the text of Appendix A) beside one's own."""

from typing import TYPE_CHECKING, Any

from organiser.analysis import published
from organiser.reporting.parts import Cell, Column, Table

if TYPE_CHECKING:
    from organiser.agreement.label_measures import LabelMeasures

COLUMNS = ("n_any_annotator", "prevalence", "alpha", "kappa", "positive_agreement")
TITLES = ("N", "Prevalence", "Alpha", "Kappa", "Positive agreement")


def published_table5() -> dict[str, dict[str, Any]]:
    """Return the published values by label and column; None is undefined."""
    told = published.figures()["table5_agreement"]
    return {row[0]: dict(zip(told["columns"], row, strict=True)) for row in told["rows"]}


def overall() -> dict[str, Any]:
    """Return the published values over all labels."""
    content: dict[str, Any] = published.figures()["agreement_overall"]
    return content


def weighted_without(label: str) -> float:
    """Return the prevalence-weighted mean of the published alphas without a label.

    The paper gives the mean over all labels; this one follows from its Table 5.
    """
    rows = [row for name, row in published_table5().items() if name != label]
    weight = sum(row["prevalence"] for row in rows)
    return float(sum(row["alpha"] * row["prevalence"] for row in rows) / weight)


def table5(found: "LabelMeasures") -> Table | None:
    """Return both tables side by side for the labels that both have; None without any."""
    told = published_table5()
    rows: list[tuple[Cell, ...]] = []
    for place, label in enumerate(found.annotations.labels):
        if label in told:
            own = (
                int(found.number.value[place]),
                found.prevalence.at(place)[0],
                found.alpha.at(place)[0],
                found.kappa.estimate.at(place)[0],
                found.positive.estimate.at(place)[0],
            )
            theirs = (told[label][name] for name in COLUMNS)
            both = (cell for pair in zip(own, theirs, strict=True) for cell in pair)
            rows.append((label, *both))
    if not rows:
        return None
    heads = [
        Column(f"{title}{of}", name=f"{title} {name}")
        for title in TITLES
        for of, name in (("", "here"), (", 2026", "published"))
    ]
    return Table(
        name="table5_published",
        title="Beside the published Table 5",
        columns=(Column("Label"), *heads),
        rows=tuple(rows),
        notes=(
            "2026: as published for the shared task of 2026, of other annotations than these. The"
            " published positive agreement must be a mean over pairs: from summed counts it could"
            " not be below alpha, and in several rows it is.",
        ),
    )
