"""What is found of a study: of each scheme, of each algorithm, and of the study as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from causalassay.analysis.runs import scheme_name
from causalassay.analysis.verdict.algorithm_findings import algorithm_findings, failure_findings
from causalassay.analysis.verdict.evidence import (
    DIRECTION,
    WITHOUT_SIGNAL,
    Evidence,
    rescalings,
)
from causalassay.analysis.verdict.statements import (
    Clause,
    Lead,
    Number,
    StudyVerdict,
    counted_instances,
    joined,
    numbers_in,
    stated,
)
from causalassay.judging.artefacts import ARTEFACTS, Artefact
from causalassay.judging.findings import (
    ARTEFACT_KINDS,
    ORDER_KINDS,
    PARTIAL_KINDS,
    Finding,
    FindingKind,
    Subject,
)
from causalassay.judging.order_measures import RANDOM_DIRECTION, column, sortability_column
from causalassay.judging.over_instances import (
    JudgedAlgorithm,
    OrderClaim,
    judge_algorithm,
    judge_orders,
)
from causalassay.judging.p_values import LEVEL, holm, sign_flips, units_needed
from causalassay.metrics.registry import metric_name
from causalassay.present.formatting import in_words

COMPARED = ("shd", "sid", "tv_dag")
"""Metrics of structure, of interventions and of interventional distributions."""
COVERAGE = 0.95
"""The share of problems and replicates in which an algorithm must have a score to be compared."""
MOST_DETAILS = 2
"""Statistics whose numbers a sentence on a scheme gives; where nothing was found, the best one."""
MOST_INCOMPLETE = 4
"""Algorithms with missing runs that are named."""


@dataclass(frozen=True)
class StudyFindings:
    """What was found of a study.

    Parameters
    ----------
    schemes : mapping of str to Finding
    judged : mapping of str to JudgedAlgorithm
        By algorithm, baselines among them; empty where chance was not measured.
    algorithms : mapping of str to tuple of Finding
        The same in sentences, also of those that could not be judged; the main one first.
    """

    schemes: Mapping[str, Finding] = field(default_factory=dict)
    judged: Mapping[str, JudgedAlgorithm] = field(default_factory=dict)
    algorithms: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)

    @property
    def free(self) -> list[str]:
        """The schemes where no artefact was found, and something is to be found."""
        return [
            scheme
            for scheme, finding in self.schemes.items()
            if finding.kind == FindingKind.NO_EVIDENCE and WITHOUT_SIGNAL not in scheme
        ]

    @property
    def gamed(self) -> list[str]:
        """The schemes where an artefact was found."""
        return [name for name, finding in self.schemes.items() if finding.kind in ARTEFACT_KINDS]


def judge_study(evidence: Evidence) -> StudyFindings:
    """Return what is found of a study; nothing where it has no rows or no metric."""
    if not len(evidence.frame) or not evidence.summary.metrics:
        return StudyFindings()
    schemes = {scheme: _scheme(evidence, scheme) for scheme in evidence.cells}
    on_schemes, judged = StudyFindings(schemes), {}
    names = evidence.runs.algorithms
    if evidence.judged:
        free, gamed = on_schemes.free, on_schemes.gamed
        judged = {name: judge_algorithm(evidence.of_algorithm(name, free, gamed)) for name in names}
    sentences = {name: algorithm_findings(evidence, name, judged.get(name)) for name in names}
    return StudyFindings(schemes, judged, sentences)


def state_study(evidence: Evidence, findings: StudyFindings) -> StudyVerdict:
    """Return the sentences: on schemes, on each listed algorithm, on runs that failed."""
    if not findings.schemes:
        return StudyVerdict(())
    return StudyVerdict(
        (
            *findings.schemes.values(),
            *_silence(evidence),
            *_advice(evidence, findings),
            *(finding for name in evidence.listed for finding in findings.algorithms[name]),
            *failure_findings(evidence),
            *_absences(evidence),
            *_disagreements(evidence),
        )
    )


# ---- schemes ----


def _scheme(evidence: Evidence, scheme: str) -> Finding:
    """Return whether sorting gives the order of a scheme away."""
    claims = judge_orders(evidence.orders(scheme), evidence.attainable(scheme))
    kinds = [claim.kind for claim in claims]
    kind = min(kinds, key=ORDER_KINDS.index, default=FindingKind.UNDECIDED)
    gravest = [claim for claim in claims if claim.kind == kind]
    names = list(dict.fromkeys(claim.artefact.word for claim in gravest))
    details: list[Clause] = []
    numbers: list[Number] = []
    if kind != FindingKind.UNDECIDED:
        shown = _shown(claims)
        every = [_details(evidence, scheme, claim, kind) for claim in shown]
        numbers = [number for clause in every for number in numbers_in(clause)]
        details = every[: MOST_DETAILS if kind in ARTEFACT_KINDS else 1]
        random = evidence.measured_mean(scheme, RANDOM_DIRECTION)
        details += [("random orders ", random)] if random else []
        n_units = max(claim.n_units for claim in claims)
        details.append(counted_instances(Number(n_units, "measured units", "status", scheme)))
    return stated(
        kind,
        Subject(scheme=scheme),
        "two tests over instances",
        {
            "scheme": scheme_name(scheme),
            "statistics": in_words(names, "and" if kind in ARTEFACT_KINDS else "or"),
            "details": [part for clause in details for part in ("; ", *clause)][1:],
        },
        variant="scheme",
        others=numbers,
    )


def _shown(claims: Sequence[OrderClaim]) -> list[OrderClaim]:
    """Return the claims to show: what was found, or of each statistic the better direction."""
    nothing = (FindingKind.NO_EVIDENCE, FindingKind.UNDECIDED)
    positive = [claim for claim in claims if claim.kind not in nothing]
    if positive:
        return sorted(positive, key=lambda claim: ORDER_KINDS.index(claim.kind))
    best: dict[Artefact, OrderClaim] = {}
    for claim in claims:
        if claim.artefact not in best or claim.gain > best[claim.artefact].gain:
            best[claim.artefact] = claim
    return sorted(best.values(), key=lambda claim: -claim.gain)


def _details(evidence: Evidence, scheme: str, claim: OrderClaim, main: FindingKind) -> Clause:
    """Return what sorting in one direction reaches; what the main finding says is left out."""
    key = next(key for key, known in ARTEFACTS.items() if known == claim.artefact)
    name = "down_direction" if claim.backwards else "up_direction"
    reached = evidence.measured_mean(scheme, column(key, name))
    sortability = evidence.measured_mean(scheme, sortability_column(key))
    parts: list[Clause] = [(f"{metric_name(DIRECTION)} ", reached)] if reached else []
    parts.append(("sortability ", sortability or "not measured"))
    if claim.kind in PARTIAL_KINDS and claim.kind != main:
        parts.append(("no gain found" if claim.passed[0] else "no sortability found",))
    along = "falling" if claim.backwards else "rising"
    return (f"{along} {claim.artefact.word}: ", *joined(parts))


# ---- the study as a whole ----


def _silence(evidence: Evidence) -> Iterator[Finding]:
    """Yield the schemes where no algorithm finds more than its number of edges would by chance.

    Corrected over all algorithms, random orders among them: on data of the true graph even
    these find adjacencies.
    """
    if not evidence.judged:
        return
    for scheme in evidence.cells:
        beyond = {name: evidence.beyond_chance(name, scheme) for name in evidence.runs.algorithms}
        known = {name: gain for name, gain in beyond.items() if not np.isnan(gain).all()}
        enough = max((int((~np.isnan(gain)).sum()) for gain in known.values()), default=0)
        if enough < units_needed(len(known)):
            continue
        if min(holm({name: sign_flips(gain) for name, gain in known.items()}).values()) > LEVEL:
            words = {"scheme": scheme_name(scheme)}
            yield stated(FindingKind.NO_SIGNAL, Subject(scheme=scheme), "lead", words)


def _advice(evidence: Evidence, findings: StudyFindings) -> Iterator[Finding]:
    """Yield what a study cannot tell because it lacks schemes that it could have."""
    worlds = {artefact.world for scheme in evidence.cells for artefact in evidence.orders(scheme)}
    if worlds == {"discrete"}:
        return
    files = evidence.runs.file_schemes
    gamed = [name for name in findings.gamed if name not in files and WITHOUT_SIGNAL not in name]
    if gamed and not any(name not in files for name in findings.free):
        yield stated(FindingKind.NO_FREE_SCHEME, Subject(), "robust", {})
    if not any(all(others) for others in rescalings(findings.schemes).values()):
        yield stated(FindingKind.NO_RESCALING, Subject(), "variance order", {})


def _absences(evidence: Evidence) -> Iterator[Finding]:
    """Yield how many rows are still to come, if any are."""
    counts = evidence.summary.counts
    lacking = counts[counts["absent"] > 0]
    missing: list[Clause] = [
        (Number(int(absent), "to come", "status", algorithm=str(name)), f" of {name}")
        for name, absent in zip(lacking["algorithm"], lacking["absent"], strict=True)
    ]
    if missing:
        rest = len(missing) - MOST_INCOMPLETE
        shown = missing[:MOST_INCOMPLETE] + ([(f"{rest} more algorithms",)] if rest > 0 else [])
        words = {"missing": joined(shown, " and ")}
        numbers = numbers_in(joined(missing))
        yield stated(FindingKind.INCOMPLETE, Subject(), "failures", words, others=numbers)


# ---- metrics that put different algorithms first ----


def _disagreements(evidence: Evidence) -> Iterator[Finding]:
    """Yield the schemes where metrics put different algorithms first.

    All comparisons of the study are corrected together.
    """
    better = evidence.runs.better
    firsts: dict[str, dict[str, Number]] = {}
    contests: dict[tuple[str, str, str], tuple[str, str]] = {}  # the firsts of two metrics
    p_values: dict[tuple[str, str, str], float] = {}
    for scheme in evidence.cells:
        means = {metric: _means(evidence, metric, scheme) for metric in COMPARED}
        firsts[scheme] = first = {
            metric: max(known.values(), key=lambda mean: better[mean.column] * mean.value)
            for metric, known in means.items()
            if known
        }
        for metric, other in combinations(first, 2):
            leader, rival = str(first[metric].algorithm), str(first[other].algorithm)
            tied = _ties(first[metric], means[metric], rival)
            if not tied and not _ties(first[other], means[other], leader):
                contests[scheme, metric, other] = leader, rival
                gain = evidence.gain_by_instance(metric, scheme, leader, rival)
                p_values[scheme, metric, other] = sign_flips(gain)
                gain = evidence.gain_by_instance(other, scheme, rival, leader)
                p_values[scheme, other, metric] = sign_flips(gain)
    corrected = holm(p_values)
    for scheme, first in firsts.items():
        clear = {
            (metric, other): [
                corrected[scheme, *pair] <= LEVEL for pair in ((metric, other), (other, metric))
            ]
            for of_scheme, metric, other in contests
            if of_scheme == scheme
        }
        if clear:
            metric, other = pair = max(clear, key=lambda pair: sum(clear[pair]))
            leader, rival = contests[scheme, metric, other]
            leads = [
                evidence.lead_over(metric, scheme, leader, rival),
                evidence.lead_over(other, scheme, rival, leader),
            ]
            yield _disagreement(scheme, first, leads, clear[pair])


def _ties(first: Number, means: Mapping[str, Number], algorithm: str) -> bool:
    """Return whether an algorithm has the best mean, too."""
    mean = means.get(algorithm)
    return mean is not None and math.isclose(mean.value, first.value, abs_tol=1e-12)


def _disagreement(
    scheme: str, firsts: Mapping[str, Number], leads: Sequence[Lead], clear: Sequence[bool]
) -> Finding:
    """Return how far two metrics with different firsts bear their choice out."""
    which = "neither" if not any(clear) else "only the first" if clear[0] else "only the second"
    clauses: list[Clause] = [
        (
            f"{lead.number.algorithm} leads {lead.number.opponent} in "
            f"{metric_name(lead.number.column)} (",
            *lead.clause,
            ")",
        )
        for lead in leads
    ]
    firsts_clauses: list[Clause] = [
        (f"{metric_name(metric)}: {first.algorithm} ", first) for metric, first in firsts.items()
    ]
    return stated(
        FindingKind.METRICS_DISAGREE if all(clear) else FindingKind.METRICS_DIFFER,
        Subject(scheme=scheme),
        "firsts of metrics",
        {
            "scheme": scheme_name(scheme),
            "firsts": joined(firsts_clauses),
            "leads": joined(clauses, " and "),
            "which": which,
            "instances": leads[0].instances,
        },
    )


def _means(evidence: Evidence, metric: str, scheme: str) -> dict[str, Number]:
    """Return the mean of each listed algorithm that has nearly all scores on a scheme."""
    if metric not in evidence.summary.metrics:
        return {}
    least = COVERAGE * len(evidence.cells[scheme])
    means = {name: evidence.mean(name, scheme, metric) for name in evidence.listed}
    return {
        name: mean
        for name, mean in means.items()
        if mean is not None and evidence.n_scores(name, scheme, metric) >= least
    }
