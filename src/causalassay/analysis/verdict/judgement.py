"""The verdict: what a study says in plain sentences, with their numbers and rules."""

from __future__ import annotations

from causalassay.analysis.verdict.algorithm_sentences import judge_algorithm
from causalassay.analysis.verdict.disagreement_sentences import judge_disagreements
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.failure_sentences import judge_absences, judge_failures
from causalassay.analysis.verdict.scheme_assessment import assess
from causalassay.analysis.verdict.scheme_sentences import judge_contrasts, judge_scheme
from causalassay.analysis.verdict.statements import StudyVerdict


def judge_study(evidence: Evidence) -> StudyVerdict:
    """Return what a study says: of its schemes, of each listed algorithm, of failed runs."""
    if not len(evidence.frame) or not evidence.summary.metrics:
        return StudyVerdict(())
    assessments = [assess(evidence, scheme) for scheme in evidence.cells]
    with_signal = [assessment.scheme for assessment in assessments if not assessment.silent]
    return StudyVerdict(
        (
            *(judge_scheme(evidence, assessment) for assessment in assessments),
            *judge_contrasts(assessments),
            *(judge_algorithm(evidence, name, assessments) for name in evidence.listed),
            *judge_failures(evidence),
            *judge_absences(evidence),
            *judge_disagreements(evidence, with_signal),
        )
    )
