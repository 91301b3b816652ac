"""The analyses of the overview paper's section 8, in the order of the report."""

from organiser.analysis.section8 import (
    agreement_f1,
    confusion,
    ensembles,
    error_agreement,
    hierarchy,
    missed_claims,
    narrative_groups,
    outcome_shares,
    recall_by_claim,
    refutes_by_group,
    verification_by_group,
)
from organiser.analysis.systems import Evaluation
from organiser.reporting.parts import Section

_ANALYSES = (
    recall_by_claim,
    narrative_groups,
    confusion,
    refutes_by_group,
    verification_by_group,
    agreement_f1,
    outcome_shares,
    hierarchy,
    ensembles,
    error_agreement,
    missed_claims,
)


def sections(evaluation: Evaluation) -> tuple[Section, ...]:
    """Return all of them; that of a task which nobody entered says so."""
    return tuple(analysis.section(evaluation) for analysis in _ANALYSES)
