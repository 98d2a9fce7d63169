"""Sentences about each algorithm: what it reaches, and what of its lead an artefact explains."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from causalassay.analysis.bootstrap import FEWEST_UNITS
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.intervals import Interval
from causalassay.analysis.verdict.lead_attribution import (
    REMAINDER,
    Finding,
    LeadAttribution,
    attribute_lead,
    contrasts,
)
from causalassay.analysis.verdict.scheme_assessment import Artefact, SchemeAssessment
from causalassay.analysis.verdict.statements import Ledger, Statement
from causalassay.analysis.verdict.words import in_words, scheme_word

UNCHANGED = 1e-9

RULE = (
    "The lead over random order on the most sortable gameable scheme is compared with the leads on "
    "all schemes free of that artefact, on the same graphs where the study has them. Explained: "
    "ahead with the artefact, and on each free scheme the lead is smaller (95 % interval of the "
    "difference above 0) and either its own interval reaches 0 or less than "
    f"{REMAINDER:.0%} of it is left. Partly: smaller on each, but more is left. Robust: ahead on "
    "each, and smaller on none. Mixed: none of these. An interval that includes 0 is not "
    f"distinguishable from 0. Fewer than {FEWEST_UNITS} units decide nothing."
)
PLAIN_RULE = (
    "Ahead or behind: the 95 % interval of the mean difference on the same data lies above or "
    "below 0; otherwise the two are not distinguishable. The sorting baseline is the better of "
    "those by variance and by R² on that scheme, and counts where the scheme is gameable or leans. "
    f"Fewer than {FEWEST_UNITS} units decide nothing."
)
KINDS = {
    "explained": "explained",
    "partly": "partly-explained",
    "robust": "robust",
    "unaided": "unaided",
    "mixed": "mixed",
    "no lead": "no-lead",
}


def judge_algorithm(
    evidence: Evidence, algorithm: str, assessments: Sequence[SchemeAssessment]
) -> Statement:
    """Return what an algorithm reaches and what explains it."""
    ledger = Ledger()
    if not any(evidence.mean(algorithm, scheme) for scheme in evidence.cells):
        sentence = f"{algorithm}: no run has a score, so there is nothing to judge."
        return Statement("algorithm-no-score", sentence, PLAIN_RULE, {}, algorithm)
    attributions = [
        a
        for contrast in contrasts(assessments)
        if (a := attribute_lead(evidence, algorithm, contrast))
    ]
    if not attributions:
        return _plain(evidence, algorithm, assessments, ledger)
    scores = _scores(evidence, algorithm, attributions[0], ledger)
    decided = [a for a in attributions if a.finding != "too few"]
    if not decided:
        sentence = f"{scores}. {_too_few(attributions[0], ledger)}"
        return Statement("too-few-units", sentence, RULE, ledger.numbers, algorithm)
    telling = next((a for a in decided if a.finding in ("explained", "partly")), decided[0])
    clause = CLAUSES[telling.finding](evidence, telling, ledger)
    extra = _standardizing(evidence, algorithm, ledger) + _second(decided, telling, ledger)
    sentence = " ".join([f"{scores}.", clause, *extra])
    return Statement(
        f"algorithm-{KINDS[telling.finding]}", sentence, RULE, ledger.numbers, algorithm
    )


def _scores(
    evidence: Evidence, algorithm: str, attribution: LeadAttribution, ledger: Ledger
) -> str:
    """Return the scores on all schemes, and what sorting by the artefact reaches alone."""
    means = _means(evidence, algorithm, attribution.lead, ledger)
    artefact, scheme = attribution.contrast.artefact, attribution.contrast.gameable
    sorter = evidence.standing_for(artefact.sorter)
    reached = sorter and sorter != algorithm and evidence.mean(sorter, scheme)
    if not reached or not attribution.lead.positive:
        return means
    return (
        f"{means}; sorting by {artefact.word} alone reaches {ledger(reached)} on "
        f"{scheme_word(scheme)}"
    )


def _means(evidence: Evidence, algorithm: str, lead: Interval | None, ledger: Ledger) -> str:
    means = {s: mean for s in evidence.cells if (mean := evidence.mean(algorithm, s))}
    texts = [f"{ledger(mean)} on {scheme_word(scheme)}" for scheme, mean in means.items()]
    paired = all(mean.paired for mean in means.values())
    notes = [f"{'' if paired else 'not all '}on the same graphs"] if len(means) > 1 else []
    notes += [f"{lead.cite_units(ledger)} units"] if lead else []
    notes += ["over the runs that ended"] if _has_failed(evidence, algorithm) else []
    noted = f" ({', '.join(notes)})" if notes else ""
    return f"{algorithm}: {evidence.word} {', '.join(texts)}{noted}"


def _has_failed(evidence: Evidence, algorithm: str) -> bool:
    counts = evidence.summary.counts
    row = counts[counts["algorithm"] == algorithm].iloc[0]
    return bool(row["n"] > row["ok"])


def _explained(evidence: Evidence, attribution: LeadAttribution, ledger: Ledger) -> str:
    return (
        f"Its lead over random order is explained by {_name(attribution)}: "
        f"{_with(attribution, ledger)}; without that artefact the lead shrinks to at most "
        f"{_extreme(attribution, max, ledger)}"
        f"{_share(evidence, attribution, ledger)}."
    )


def _partly(evidence: Evidence, attribution: LeadAttribution, ledger: Ledger) -> str:
    return (
        f"Part of its lead over random order goes with {_name(attribution)}: "
        f"{_with(attribution, ledger)}; without that artefact the lead shrinks to at most "
        f"{_extreme(attribution, max, ledger)}"
        f"{_share(evidence, attribution, ledger)}."
    )


def _robust(_: Evidence, attribution: LeadAttribution, ledger: Ledger) -> str:
    return (
        f"It keeps its lead over random order without {_name(attribution)}: at least "
        f"{_extreme(attribution, min, ledger)}, beside {_with(attribution, ledger)}."
    )


def _unaided(_: Evidence, attribution: LeadAttribution, ledger: Ledger) -> str:
    return (
        f"It is ahead of random order only without {_name(attribution)}: at most "
        f"{_extreme(attribution, max, ledger)}, beside {_with(attribution, ledger)}."
    )


def _mixed(_: Evidence, attribution: LeadAttribution, ledger: Ledger) -> str:
    leads = [
        f"{lead.cite(ledger)} on {scheme_word(scheme)}"
        for scheme, lead in attribution.others.items()
    ]
    return (
        f"Its lead over random order does not depend on {_name(attribution)} alone: "
        f"{_with(attribution, ledger)}, {in_words(leads)}."
    )


def _no_lead(_: Evidence, attribution: LeadAttribution, ledger: Ledger) -> str:
    return (
        f"It is not ahead of random order with or without {_name(attribution)}: "
        f"{_with(attribution, ledger)}, elsewhere at most {_extreme(attribution, max, ledger)}."
    )


CLAUSES: dict[Finding, Callable[[Evidence, LeadAttribution, Ledger], str]] = {
    "explained": _explained,
    "partly": _partly,
    "robust": _robust,
    "unaided": _unaided,
    "mixed": _mixed,
    "no lead": _no_lead,
}


def _too_few(attribution: LeadAttribution, ledger: Ledger) -> str:
    units = attribution.lead.cite_units(ledger)
    return (
        f"Too few units ({units}) to tell what explains its lead over random order: "
        f"{_with(attribution, ledger)}, elsewhere at most {_extreme(attribution, max, ledger)}."
    )


def _with(attribution: LeadAttribution, ledger: Ledger) -> str:
    return f"{attribution.lead.cite(ledger)} on {scheme_word(attribution.contrast.gameable)}"


def _extreme(attribution: LeadAttribution, choose: Callable[..., str], ledger: Ledger) -> str:
    scheme = choose(attribution.others, key=lambda name: attribution.others[name].value)
    # What the rule looks at belongs to the numbers, too.
    for interval in (*attribution.others.values(), *attribution.falls.values()):
        interval.cite(ledger)
    return f"{attribution.others[scheme].cite(ledger)} on {scheme_word(scheme)}"


def _name(attribution: LeadAttribution) -> str:
    return attribution.contrast.artefact.name


def _share(evidence: Evidence, attribution: LeadAttribution, ledger: Ledger) -> str:
    artefact = attribution.contrast.artefact
    share = evidence.explained(str(attribution.lead.number.algorithm), artefact.column)
    if share is None:
        return ""
    return (
        f"; over all runs {artefact.name} accounts for {ledger(share)} of the variance of its score"
    )


def _standardizing(evidence: Evidence, algorithm: str, ledger: Ledger) -> list[str]:
    """Return that standardising changes nothing, if that is so."""
    if not {"raw", "standardized"} <= set(evidence.cells):
        return []
    change = evidence.change(algorithm, "raw", "standardized")
    if change is None or not max(abs(change.low), abs(change.high)) <= UNCHANGED:
        return []
    ledger(change.number)
    return ["Standardising the columns changes nothing."]


def _second(
    attributions: Sequence[LeadAttribution], telling: LeadAttribution, ledger: Ledger
) -> list[str]:
    """Return what is to say of the other artefact."""
    others = [
        a for a in attributions if a is not telling and a.finding == telling.finding == "robust"
    ]
    return [
        f"It also keeps it without {_name(other)}: at least {_extreme(other, min, ledger)}."
        for other in others
    ]


def _plain(
    evidence: Evidence, algorithm: str, assessments: Sequence[SchemeAssessment], ledger: Ledger
) -> Statement:
    """Return where an algorithm stands beside random order and sorting, scheme by scheme."""
    kinds, clauses = [], []
    for assessment in assessments:
        lead = evidence.lead(algorithm, assessment.scheme, "random order")
        if lead is None:
            continue
        kind, clause = _beside(evidence, algorithm, assessment, lead, ledger)
        kinds.append(kind)
        on = f"on {scheme_word(assessment.scheme)} " if len(assessments) > 1 else ""
        clauses.append(f"{on}{clause}")
    scores = _means(evidence, algorithm, None, ledger)
    if not kinds:
        return Statement("algorithm-scores", f"{scores}.", PLAIN_RULE, ledger.numbers, algorithm)
    # The least flattering scheme names the statement: it is the one to look at.
    kind = max(kinds, key=WORST.index)
    sentence = f"{scores}; {'; '.join(clauses)}."
    return Statement(kind, sentence, PLAIN_RULE, ledger.numbers, algorithm)


WORST = (
    "algorithm-ahead",
    "algorithm-beyond-sorting",
    "algorithm-within-sorting",
    "algorithm-no-lead",
    "too-few-units",
)


def _beside(
    evidence: Evidence, algorithm: str, assessment: SchemeAssessment, lead: Interval, ledger: Ledger
) -> tuple[str, str]:
    cited = f"{lead.cite(ledger)}, {lead.cite_units(ledger)} units"
    if not lead.enough:
        return "too-few-units", f"too few units to set beside random order ({cited})"
    if not lead.positive:
        standing = "behind" if lead.negative else "not distinguishable from"
        return "algorithm-no-lead", f"{standing} random order ({cited})"
    margin = evidence.lead(algorithm, assessment.scheme, "sorting")
    artefacts = assessment.gameable + assessment.leaning
    if margin is None or not artefacts:
        return "algorithm-ahead", f"ahead of random order ({cited})"
    standing = "ahead of" if margin.positive else "behind"
    if not margin.positive and not margin.negative:
        standing = "not distinguishable from"
    kind = "beyond" if margin.positive else "within"
    sorting = f"{standing} sorting by {_sorted_by(evidence, margin, artefacts)}"
    return (
        f"algorithm-{kind}-sorting",
        f"ahead of random order ({cited}), {sorting} ({margin.cite(ledger)})"
        f"{', which it may still rest on' if margin.positive else ''}",
    )


def _sorted_by(evidence: Evidence, margin: Interval, artefacts: Sequence[Artefact]) -> str:
    by = [a.word for a in artefacts if evidence.standing_for(a.sorter) == margin.number.opponent]
    return f"{by[0]} alone" if by else f"{margin.number.opponent}"
