"""What is found of a study's schemes and algorithms, and the sentences that say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from causalassay.analysis.verdict.algorithm_statements import (
    judge_listed,
    state_algorithm,
    state_silence,
)
from causalassay.analysis.verdict.disagreement_sentences import judge_disagreements
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.failure_sentences import judge_absences, judge_failures
from causalassay.analysis.verdict.scheme_statements import (
    SchemeJudged,
    advise,
    judge_schemes,
    state_scheme,
)
from causalassay.analysis.verdict.statements import StudyVerdict
from causalassay.judging.algorithm_findings import AlgorithmJudged


@dataclass(frozen=True)
class StudyFindings:
    """What was found of each scheme, and of each algorithm, baselines among them."""

    schemes: Mapping[str, SchemeJudged] = field(default_factory=dict)
    algorithms: Mapping[str, AlgorithmJudged] = field(default_factory=dict)

    @property
    def free(self) -> list[str]:
        """The schemes where no artefact was found, and something is to be found."""
        return [scheme for scheme, judged in self.schemes.items() if judged.free]


def judge_study(evidence: Evidence) -> StudyFindings:
    """Return what is found of a study; nothing where it has no rows or no metric."""
    if not len(evidence.frame) or not evidence.summary.metrics:
        return StudyFindings()
    schemes = judge_schemes(evidence)
    return StudyFindings(schemes, judge_listed(evidence, schemes))


def state_study(evidence: Evidence, findings: StudyFindings) -> StudyVerdict:
    """Return the sentences: on schemes, on each listed algorithm, on runs that failed."""
    if not findings.schemes:
        return StudyVerdict(())
    return StudyVerdict(
        (
            *(state_scheme(evidence, scheme) for scheme in findings.schemes.values()),
            *state_silence(evidence),
            *advise(evidence, findings.schemes),
            *(
                state_algorithm(evidence, name, findings.algorithms.get(name))
                for name in evidence.listed
            ),
            *judge_failures(evidence),
            *judge_absences(evidence),
            *judge_disagreements(evidence),
        )
    )
