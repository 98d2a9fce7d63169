"""Findings on each algorithm: the claim, its scores, and the runs that it did not finish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from causalassay.analysis.runs import ABSENT, OK, STATUSES, scheme_name
from causalassay.analysis.verdict.evidence import (
    DIRECTION,
    ORDER_SCORE,
    SKELETON,
    Evidence,
    rescalings,
)
from causalassay.analysis.verdict.statements import (
    Clause,
    Lead,
    Number,
    joined,
    numbers_in,
    stated,
)
from causalassay.judging.findings import (
    LEADS_ON_SOME,
    NEITHER,
    NOT_JUDGED,
    Finding,
    FindingKind,
    Subject,
)
from causalassay.judging.over_instances import CAUSES, RULE_OF, Claim, JudgedAlgorithm
from causalassay.metrics.registry import metric_name
from causalassay.present.formatting import UNDEFINED, in_words

Words = dict[str, str | Clause]

SURVIVORS = "Only runs that ended count."
"""The remark on an algorithm that did not finish all of its runs."""
REFERENCE = "relatives-sortnregress"
"""The baseline that counts correlated columns, which follows from faithfulness and is no artefact:
a lead below its lead says little."""
MOST_NAMED = 2
"""Schemes that a sentence names."""
MOST_LEADS = 3
"""Schemes whose leads a sentence gives."""
LONGEST_REASON = 120
BESIDE_SKELETONS = (FindingKind.ROBUST, FindingKind.SKELETON_LEAD)
"""The standings whose sentences also give the leads of the skeletons."""


def algorithm_findings(
    evidence: Evidence, algorithm: str, judged: JudgedAlgorithm | None
) -> tuple[Finding, ...]:
    """Return what was found of an algorithm and what it reaches, the main finding first.

    Parameters
    ----------
    evidence : Evidence
    algorithm : str
    judged : JudgedAlgorithm, optional
        None where chance was not measured.
    """
    means = [mean for scheme in evidence.cells if (mean := evidence.mean(algorithm, scheme))]
    subject, words = Subject(algorithm=algorithm), {"algorithm": algorithm}
    if not means:
        return (stated(FindingKind.NO_SCORE, subject, "lead", words),)
    if judged is None:
        kind = FindingKind.UNDECIDED
        return (stated(kind, subject, "lead", words, variant=NOT_JUDGED, others=means),)
    leads = _leads(evidence, algorithm, judged)
    numbers = [*means, *_measured(evidence, algorithm, judged, leads.values())]
    claims = [
        (CAUSES[claim.kind], _cause(evidence, algorithm, claim), "") for claim in judged.causes
    ]
    if judged.standing is not None:
        standing = _standing(evidence, algorithm, judged, leads)
        is_reference = algorithm == REFERENCE and judged.standing == FindingKind.ROBUST
        variant = "reference" if is_reference else judged.variant
        claims.insert(0, (judged.standing, standing, variant))
    remarks: tuple[str, ...] = (SURVIVORS,) if evidence.has_failed(algorithm) else ()
    if judged.standing == FindingKind.ROBUST:
        remarks += tuple(_small_lead(evidence, algorithm, leads))
    return tuple(
        stated(
            kind,
            subject,
            RULE_OF[kind],
            words | clauses,
            variant=variant,
            remarks=remarks if index == len(claims) - 1 else (),
            others=() if index else numbers,
        )
        for index, (kind, clauses, variant) in enumerate(claims)
    )


def _leads(evidence: Evidence, algorithm: str, judged: JudgedAlgorithm) -> dict[str, Lead]:
    """Return the leads over random orders that its standing is about, by scheme."""
    match judged.standing:
        case FindingKind.ROBUST | FindingKind.SKELETON_LEAD:
            schemes = judged.tested_free
        case FindingKind.LEAD_LOST:
            schemes = [*judged.lost, *judged.leading]
        case FindingKind.NO_LEAD:
            schemes = judged.tested
        case _:
            schemes = judged.tested_free if judged.variant in (NEITHER, LEADS_ON_SOME) else []
    leads = {scheme: lead for scheme in schemes if (lead := evidence.lead(algorithm, scheme))}
    if judged.standing == FindingKind.NO_LEAD:
        best = max(leads, key=lambda scheme: leads[scheme].number.value)
        return {best: leads[best]}
    return leads


def _small_lead(evidence: Evidence, algorithm: str, leads: Mapping[str, Lead]) -> Iterator[str]:
    """Yield that the reference baseline has a larger lead, if it has one somewhere."""
    ahead = below_reference(evidence, algorithm, list(leads))
    if ahead:
        yield f"A small lead: {REFERENCE} has a larger one on {_names(ahead)}."


def below_reference(evidence: Evidence, algorithm: str, schemes: Iterable[str]) -> list[str]:
    """Return those of some schemes where the reference baseline has a larger lead in direction."""
    if algorithm == REFERENCE or REFERENCE not in evidence.runs.algorithms:
        return []
    pairs = {
        scheme: (evidence.lead(algorithm, scheme), evidence.lead(REFERENCE, scheme))
        for scheme in schemes
    }
    return [
        scheme
        for scheme, (own, reference) in pairs.items()
        if own and reference and reference.number.value > own.number.value
    ]


def _measured(
    evidence: Evidence, algorithm: str, judged: JudgedAlgorithm, leads: Iterable[Lead]
) -> Iterator[Number]:
    """Yield the p-values of all claims, the leads, and how well the skeletons fit."""
    for claim, test in judged.tests.items():
        yield Number(test.p_value, "p", claim.kind, claim.scheme, algorithm)
        yield Number(test.corrected, "corrected p", claim.kind, claim.scheme, algorithm)
    for lead in leads:
        yield from numbers_in((*lead.clause, *lead.instances))
    for scheme in evidence.cells:
        fit = evidence.skeleton_fit(algorithm, scheme)
        if fit:
            yield fit


def _standing(
    evidence: Evidence, algorithm: str, judged: JudgedAlgorithm, leads: Mapping[str, Lead]
) -> Words:
    """Return the clauses of whether the lead holds."""
    undecided = judged.standing == FindingKind.UNDECIDED
    most = MOST_NAMED if undecided or judged.standing == FindingKind.SKELETON_LEAD else MOST_LEADS
    skeletons = [
        evidence.lead(algorithm, scheme, SKELETON)
        for scheme in list(leads)[:most]
        if judged.standing in BESIDE_SKELETONS
    ]
    clause = _lead_clause(leads, [lead.number for lead in skeletons if lead], most)
    free = judged.tested_free
    return {
        "leads": clause if not undecided else (" (", *clause, ")") if free else "",
        "lost": _names(judged.lost),
        "kept": _names(judged.leading),
        "others": _names([scheme for scheme in free if scheme not in judged.leading]),
        "n_instances": str(judged.n_units),
        "n_needed": str(judged.n_needed),
    }


def _lead_clause(leads: Mapping[str, Lead], skeletons: Sequence[Number], most: int) -> Clause:
    """Return the leads in direction on some schemes, those of skeletons beside, for brackets."""
    if not leads:
        return ("no score there",)
    parts = [(*lead.clause, f" on {scheme_name(scheme)}") for scheme, lead in leads.items()]
    rest = f" and {len(parts) - most} more schemes" if len(parts) > most else ""
    beside: Clause = ()
    if skeletons:
        numbers = joined([(number,) for number in skeletons], " and ")
        beside = (f"; {metric_name(SKELETON)} ", *numbers)
    instances = max(leads.values(), key=lambda lead: lead.n_instances).instances
    direction = metric_name(DIRECTION)
    return (f"{direction} ", *joined(parts[:most]), rest, *beside, "; ", *instances)


def _cause(evidence: Evidence, algorithm: str, claim: Claim) -> Words:
    """Return the clauses of what a score depends on."""
    in_order, at_random, standardized = rescalings(evidence.cells)[claim.scheme]

    def score(scheme: str | None, metric: str = evidence.metric) -> Clause:
        mean = evidence.mean(algorithm, scheme, metric) if scheme else None
        return (mean or UNDEFINED,)

    pair = (claim.scheme, standardized) if claim.kind == "standardized" else (in_order, at_random)
    clauses: dict[FindingKind, Words] = {
        FindingKind.VARIANCE_ORDER: {
            "in_order": score(in_order),
            "at_random": score(at_random),
            "order_in_order": score(in_order, ORDER_SCORE),
            "order_at_random": score(at_random, ORDER_SCORE),
        },
        FindingKind.VARIANCE_RATIOS: {
            "raw": score(claim.scheme),
            "scheme": scheme_name(claim.scheme),
            "in_order": score(in_order),
        },
        FindingKind.UNITS: {
            "scores": joined([(*score(each), f" on {scheme_name(each)}") for each in pair], " and ")
        },
    }
    return {"metric": evidence.word, **clauses[CAUSES[claim.kind]]}


def _names(schemes: Sequence[str]) -> str:
    """Return at most two schemes by name."""
    names = [scheme_name(scheme) for scheme in schemes]
    if len(names) > MOST_NAMED:
        names = [names[0], f"{len(names) - 1} more schemes"]
    return in_words(names)


def failure_findings(evidence: Evidence) -> Iterator[Finding]:
    """Yield where and why each algorithm did not finish, if it ever did not."""
    runs = evidence.runs
    for index, name in enumerate(runs.algorithms):
        status = runs.status[index]
        lost = [(kind, int((status == code).sum())) for code, kind in enumerate(STATUSES) if code]
        if not any(count for _, count in lost):
            continue
        by_status = [
            (Number(count, "not ok", "status", algorithm=name, detail=kind), f" {kind}")
            for kind, count in lost
            if count
        ]
        n_lost = sum(count for _, count in lost)
        yield stated(
            FindingKind.FAILURES,
            Subject(algorithm=name),
            "failures",
            {
                "algorithm": name,
                "n_lost": [Number(n_lost, "not ok", "status", algorithm=name)],
                "n_runs": [Number(int((status != ABSENT).sum()), "runs", "status", algorithm=name)],
                "by_status": joined(by_status, " and "),
                "where": _where(evidence, index),
                "reason": _reason(evidence, name),
            },
            variant="all" if (status != OK).all() else "",
        )


def _where(evidence: Evidence, index: int) -> Clause:
    status, name = evidence.runs.status[index], evidence.runs.algorithms[index]
    lost = {
        scheme: int(((status[cells] != OK) & (status[cells] != ABSENT)).sum())
        for scheme, cells in evidence.cells.items()
    }
    schemes = sorted((scheme for scheme in lost if lost[scheme]), key=lambda scheme: -lost[scheme])
    counts = [
        (Number(lost[scheme], "not ok", "status", scheme, name), f" on {scheme_name(scheme)}")
        for scheme in schemes[:MOST_NAMED]
    ]
    return (*joined(counts), " and others elsewhere" if len(schemes) > MOST_NAMED else "")


def _reason(evidence: Evidence, algorithm: str) -> Clause:
    frame = evidence.frame
    rows = frame[(frame["algorithm"] == algorithm) & (frame["status"] != "ok")]
    counts = rows["reason"].fillna("").astype(str).replace("", "no reason").value_counts()
    # Of equally frequent ones the first by name, whatever the order of the rows.
    reason = min(counts.index[counts == counts.max()])
    number = Number(int(counts.max()), "reason", "reason", algorithm=algorithm, detail=reason)
    excerpt = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"
    return (f"“{excerpt}” (", number, " of them)")
