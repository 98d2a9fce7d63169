"""The verdict: what a study says in plain sentences, with their numbers and rules."""

from __future__ import annotations

from causalassay.analysis.verdict.algorithm_statements import (
    judge_listed,
    state_algorithm,
    state_silence,
)
from causalassay.analysis.verdict.disagreement_sentences import judge_disagreements
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.failure_sentences import judge_absences, judge_failures
from causalassay.analysis.verdict.scheme_statements import advise, judge_schemes, state_scheme
from causalassay.analysis.verdict.statements import StudyVerdict


def judge_study(evidence: Evidence) -> StudyVerdict:
    """Return what a study says: of its schemes, of each listed algorithm, of failed runs."""
    if not len(evidence.frame) or not evidence.summary.metrics:
        return StudyVerdict(())
    schemes = judge_schemes(evidence)
    judged = judge_listed(evidence, schemes)
    return StudyVerdict(
        (
            *(state_scheme(evidence, scheme) for scheme in schemes.values()),
            *state_silence(evidence),
            *advise(evidence, schemes),
            *(state_algorithm(evidence, name, judged.get(name)) for name in evidence.listed),
            *judge_failures(evidence),
            *judge_absences(evidence),
            *judge_disagreements(evidence),
        )
    )
