"""Sentences about each algorithm: the finding first, then its scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from causalassay.analysis.names import in_words, scheme_name, units_word
from causalassay.analysis.verdict.evidence import ORDER_SCORE, Evidence
from causalassay.analysis.verdict.rescaled_schemes import rescalings
from causalassay.analysis.verdict.scheme_statements import SchemeJudged
from causalassay.analysis.verdict.statements import Ledger, Number, Statement
from causalassay.judging.algorithm_findings import (
    RULE_OF,
    AlgorithmFinding,
    AlgorithmJudged,
    AlgorithmKind,
    judge_algorithm,
)
from causalassay.judging.over_units import LEVEL, holm, sign_flips, units_needed


def judge_listed(
    evidence: Evidence, schemes: Mapping[str, SchemeJudged]
) -> dict[str, AlgorithmJudged]:
    """Return what was found of each algorithm; nothing where chance was not measured."""
    if not evidence.judged:
        return {}
    free = [scheme for scheme, judged in schemes.items() if judged.free]
    gamed = [scheme for scheme, judged in schemes.items() if judged.gamed]
    return {
        name: judge_algorithm(evidence.of_algorithm(name, free, gamed))
        for name in evidence.runs.algorithms
    }


def state_silence(evidence: Evidence) -> Iterator[Statement]:
    """Yield the schemes where no algorithm finds more than its number of edges would by chance.

    Corrected over all algorithms, random orders among them: on data of the true graph even
    these find adjacencies.
    """
    if not evidence.judged:
        return
    for scheme in evidence.cells:
        beyond = {
            name: evidence.of_algorithm(name, [], []).leads[scheme].beyond
            for name in evidence.runs.algorithms
        }
        known = {name: gain for name, gain in beyond.items() if not np.isnan(gain).all()}
        enough = max((int((~np.isnan(gain)).sum()) for gain in known.values()), default=0)
        if enough < units_needed(len(known)):
            continue
        if min(holm({name: sign_flips(gain) for name, gain in known.items()}).values()) <= LEVEL:
            continue
        sentence = (
            f"{scheme_name(scheme)}: no algorithm finds more than as many edges at random places "
            "would. Check that these graphs belong to these data."
        )
        yield Statement("no-signal", sentence, "lead", {}, scheme=scheme)


def state_algorithm(
    evidence: Evidence, algorithm: str, judged: AlgorithmJudged | None
) -> Statement:
    """Return what was found of an algorithm, and what it reaches."""
    ledger = Ledger()
    means = [mean for scheme in evidence.cells if (mean := evidence.mean(algorithm, scheme))]
    for mean in means:
        ledger(mean)
    if not means:
        sentence = f"{algorithm} is not judged, because no run has a score."
        return Statement("algorithm-no-score", sentence, "lead", {}, algorithm)
    if judged is None:
        sentence = (
            f"{algorithm} is undecided: what chance reaches was not measured (metrics without f1, "
            "or controls = false)."
        )
        return Statement("algorithm-undecided", sentence, "lead", ledger.numbers, algorithm)
    claims = [
        SENTENCES[found.kind](evidence, algorithm, found, ledger) for found in judged.findings
    ]
    for name, claim in judged.claims.items():
        ledger(Number(claim.p_value, "p", name.kind, name.scheme, algorithm))
        ledger(Number(claim.corrected, "corrected p", name.kind, name.scheme, algorithm))
    for scheme in evidence.cells:
        fit = evidence.skeleton_fit(algorithm, scheme)
        if fit:
            ledger(fit)
    survivors = " Only runs that ended count." if evidence.has_failed(algorithm) else ""
    sentence = " ".join(f"{claim}." for claim in claims) + survivors
    return Statement(
        f"algorithm-{judged.main.kind.replace(' ', '-')}",
        sentence,
        RULE_OF[judged.main.kind],
        ledger.numbers,
        algorithm,
        findings=tuple(found.kind for found in judged.findings),
    )


def _leads(
    evidence: Evidence, algorithm: str, schemes: Sequence[str], ledger: Ledger, most: int = 3
) -> str:
    """Return the leads over random orders on some schemes, for brackets."""
    leads = {scheme: evidence.lead(algorithm, scheme) for scheme in schemes}
    known = {scheme: lead for scheme, lead in leads.items() if lead}
    if not known:
        return "no score there"
    parts = [f"{lead.cite(ledger)} on {scheme_name(scheme)}" for scheme, lead in known.items()]
    units = max((lead.cite_units(ledger) for lead in known.values()), key=int)
    rest = f" and {len(parts) - most} more schemes" if len(parts) > most else ""
    return f"{evidence.word} {', '.join(parts[:most])}{rest}; {units_word(units)}"


def _robust(evidence: Evidence, algorithm: str, found: AlgorithmFinding, ledger: Ledger) -> str:
    leads = _leads(evidence, algorithm, [name.scheme for name in found.claims], ledger)
    return f"{algorithm} is robust: it leads random orders where no artefact was found ({leads})"


def _on(evidence: Evidence, algorithm: str, scheme: str | None, metric: str, ledger: Ledger) -> str:
    mean = scheme and evidence.mean(algorithm, scheme, metric)
    return ledger(mean) if mean else "–"


def _variance_order(
    evidence: Evidence, algorithm: str, found: AlgorithmFinding, ledger: Ledger
) -> str:
    in_order, at_random, _ = rescalings(evidence.cells)[found.claims[0].scheme]
    scores = [_on(evidence, algorithm, s, evidence.metric, ledger) for s in (in_order, at_random)]
    orders = [_on(evidence, algorithm, s, ORDER_SCORE, ledger) for s in (in_order, at_random)]
    return (
        f"{algorithm} depends on the order of variances: rescaled at random, its {evidence.word} "
        f"and its order score fall ({evidence.word} {scores[0]} in order, {scores[1]} at random; "
        f"order score {orders[0]} and {orders[1]})"
    )


def _variance_ratios(
    evidence: Evidence, algorithm: str, found: AlgorithmFinding, ledger: Ledger
) -> str:
    base = found.claims[0].scheme
    scores = [
        _on(evidence, algorithm, s, evidence.metric, ledger)
        for s in (base, rescalings(evidence.cells)[base][0])
    ]
    return (
        f"{algorithm} depends on the ratios of variances ({evidence.word} {scores[0]} on "
        f"{scheme_name(base)}, {scores[1]} with other variances in the same order)"
    )


def _units(evidence: Evidence, algorithm: str, found: AlgorithmFinding, ledger: Ledger) -> str:
    name = found.claims[0]
    in_order, at_random, standardized = rescalings(evidence.cells)[name.scheme]
    pair = (name.scheme, standardized) if name.kind == "standardized" else (in_order, at_random)
    scores = [
        f"{_on(evidence, algorithm, s, evidence.metric, ledger)} on {scheme_name(s)}" for s in pair
    ]
    return f"{algorithm} depends on the units of the columns ({evidence.word} {in_words(scores)})"


def _lost(evidence: Evidence, algorithm: str, found: AlgorithmFinding, ledger: Ledger) -> str:
    schemes = [name.scheme for name in found.claims]
    leads = _leads(evidence, algorithm, [*schemes, *found.kept], ledger)
    kept = f", keeps it on {_names(found.kept)}" if found.kept else ""
    return f"{algorithm} loses its lead on {_names(schemes)}{kept}; no cause can be named ({leads})"


def _no_lead(evidence: Evidence, algorithm: str, found: AlgorithmFinding, ledger: Ledger) -> str:
    leads = {name.scheme: evidence.lead(algorithm, name.scheme) for name in found.claims}
    known = {scheme: lead for scheme, lead in leads.items() if lead}
    best = max(known, key=lambda scheme: known[scheme].value)
    return (
        f"No lead was found for {algorithm} over random orders and over as many edges at random "
        f"places (at most {_leads(evidence, algorithm, [best], ledger)})"
    )


def _undecided(evidence: Evidence, algorithm: str, found: AlgorithmFinding, ledger: Ledger) -> str:
    schemes = [name.scheme for name in found.claims]
    leads = f" ({_leads(evidence, algorithm, schemes, ledger, 2)})" if schemes else ""
    if not found.kept:
        return f"{algorithm} is undecided: {found.missing}{leads}"
    others = [scheme for scheme in schemes if scheme not in found.kept]
    return (
        f"{algorithm} is undecided: it leads on {_names(found.kept)}, but neither a lead nor its "
        f"loss was found on {_names(others)}{leads}"
    )


def _names(schemes: Sequence[str]) -> str:
    """Return at most two schemes by name."""
    names = [scheme_name(scheme) for scheme in schemes]
    return in_words(names if len(names) < 3 else [names[0], f"{len(names) - 1} more schemes"])


SENTENCES: dict[AlgorithmKind, Callable[[Evidence, str, AlgorithmFinding, Ledger], str]] = {
    "robust": _robust,
    "depends on variance order": _variance_order,
    "depends on variance ratios": _variance_ratios,
    "depends on units": _units,
    "lead lost": _lost,
    "no lead found": _no_lead,
    "undecided": _undecided,
}
