"""Sentences about each algorithm: what it reaches, and what of its lead an artefact explains."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from causalassay.analysis.verdict.assessment import Artefact, Assessment
from causalassay.analysis.verdict.attribution import (
    REMAINDER,
    Attributed,
    Finding,
    attribute_lead,
    comparisons,
)
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.intervals import FEWEST_UNITS, Interval
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
SHOWN = {
    "explained": "explained",
    "partly": "partly-explained",
    "robust": "robust",
    "unaided": "unaided",
    "mixed": "mixed",
    "no lead": "no-lead",
}


def judge_algorithm(
    evidence: Evidence, algorithm: str, assessments: Sequence[Assessment]
) -> Statement:
    """Return what an algorithm reaches and what explains it."""
    say = Ledger()
    if not any(evidence.mean(algorithm, scheme) for scheme in evidence.cells):
        sentence = f"{algorithm}: no run has a score, so there is nothing to judge."
        return Statement("algorithm-no-score", sentence, PLAIN_RULE, {}, algorithm)
    pairs = comparisons(assessments)
    found = [a for pair in pairs if (a := attribute_lead(evidence, algorithm, pair))]
    if not found:
        return _plain(evidence, algorithm, assessments, say)
    scores = _scores(evidence, algorithm, found[0], say)
    decided = [a for a in found if a.finding != "too few"]
    if not decided:
        sentence = f"{scores}. {_too_few(found[0], say)}"
        return Statement("too-few-units", sentence, RULE, say.numbers, algorithm)
    telling = next((a for a in decided if a.finding in ("explained", "partly")), decided[0])
    clause = CLAUSES[telling.finding](evidence, telling, say)
    extra = _standardizing(evidence, algorithm, say) + _second(decided, telling, say)
    sentence = " ".join([f"{scores}.", clause, *extra])
    return Statement(f"algorithm-{SHOWN[telling.finding]}", sentence, RULE, say.numbers, algorithm)


def _scores(evidence: Evidence, algorithm: str, found: Attributed, say: Ledger) -> str:
    """Return the scores on all schemes, and what sorting by the artefact reaches alone."""
    told = _means(evidence, algorithm, found.lead, say)
    artefact, scheme = found.comparison.artefact, found.comparison.gameable
    sorter = evidence.standing_for(artefact.sorter)
    reached = sorter and sorter != algorithm and evidence.mean(sorter, scheme)
    if not reached or not found.lead.positive:
        return told
    return (
        f"{told}; sorting by {artefact.word} alone reaches {say(reached)} on {scheme_word(scheme)}"
    )


def _means(evidence: Evidence, algorithm: str, lead: Interval | None, say: Ledger) -> str:
    means = {s: mean for s in evidence.cells if (mean := evidence.mean(algorithm, s))}
    told = [f"{say(mean)} on {scheme_word(scheme)}" for scheme, mean in means.items()]
    paired = all(mean.paired for mean in means.values())
    notes = [f"{'' if paired else 'not all '}on the same graphs"] if len(means) > 1 else []
    notes += [f"{lead.told_units(say)} units"] if lead else []
    notes += ["over the runs that ended"] if _has_failed(evidence, algorithm) else []
    noted = f" ({', '.join(notes)})" if notes else ""
    return f"{algorithm}: {evidence.word} {', '.join(told)}{noted}"


def _has_failed(evidence: Evidence, algorithm: str) -> bool:
    counts = evidence.summary.counts
    row = counts[counts["algorithm"] == algorithm].iloc[0]
    return bool(row["n"] > row["ok"])


def _explained(evidence: Evidence, found: Attributed, say: Ledger) -> str:
    return (
        f"Its lead over random order is explained by {_name(found)}: {_with(found, say)}, where "
        f"{_word(found)} tells nothing at most {_extreme(found, max, say)}"
        f"{_share(evidence, found, say)}."
    )


def _partly(evidence: Evidence, found: Attributed, say: Ledger) -> str:
    return (
        f"Part of its lead over random order goes with {_name(found)}: {_with(found, say)}, where "
        f"{_word(found)} tells nothing at most {_extreme(found, max, say)}"
        f"{_share(evidence, found, say)}."
    )


def _robust(_: Evidence, found: Attributed, say: Ledger) -> str:
    return (
        f"It keeps its lead over random order where {_word(found)} tells nothing: at least "
        f"{_extreme(found, min, say)}, beside {_with(found, say)}."
    )


def _unaided(_: Evidence, found: Attributed, say: Ledger) -> str:
    return (
        f"It is ahead of random order only where {_word(found)} tells nothing: at most "
        f"{_extreme(found, max, say)}, beside {_with(found, say)}."
    )


def _mixed(_: Evidence, found: Attributed, say: Ledger) -> str:
    told = [f"{lead.told(say)} on {scheme_word(scheme)}" for scheme, lead in found.others.items()]
    return (
        f"Its lead over random order does not hang on {_name(found)} alone: {_with(found, say)}, "
        f"{in_words(told)}."
    )


def _no_lead(_: Evidence, found: Attributed, say: Ledger) -> str:
    return (
        f"It is not ahead of random order with or without {_name(found)}: {_with(found, say)}, "
        f"elsewhere at most {_extreme(found, max, say)}."
    )


CLAUSES: dict[Finding, Callable[[Evidence, Attributed, Ledger], str]] = {
    "explained": _explained,
    "partly": _partly,
    "robust": _robust,
    "unaided": _unaided,
    "mixed": _mixed,
    "no lead": _no_lead,
}


def _too_few(found: Attributed, say: Ledger) -> str:
    return (
        f"Too few units ({found.lead.told_units(say)}) to tell what explains its lead over random "
        f"order: {_with(found, say)}, elsewhere at most {_extreme(found, max, say)}."
    )


def _with(found: Attributed, say: Ledger) -> str:
    return f"{found.lead.told(say)} on {scheme_word(found.comparison.gameable)}"


def _extreme(found: Attributed, choose: Callable[..., str], say: Ledger) -> str:
    scheme = choose(found.others, key=lambda name: found.others[name].value)
    # What the rule looks at belongs to the numbers, too.
    for interval in (*found.others.values(), *found.falls.values()):
        interval.told(say)
    return f"{found.others[scheme].told(say)} on {scheme_word(scheme)}"


def _name(found: Attributed) -> str:
    return found.comparison.artefact.name


def _word(found: Attributed) -> str:
    return found.comparison.artefact.word


def _share(evidence: Evidence, found: Attributed, say: Ledger) -> str:
    artefact = found.comparison.artefact
    share = evidence.explained(str(found.lead.number.algorithm), artefact.column)
    if share is None:
        return ""
    return f"; over all runs {artefact.name} accounts for {say(share)} of the variance of its score"


def _standardizing(evidence: Evidence, algorithm: str, say: Ledger) -> list[str]:
    """Return that standardising changes nothing, if that is so."""
    if not {"raw", "standardized"} <= set(evidence.cells):
        return []
    change = evidence.change(algorithm, "raw", "standardized")
    if change is None or not max(abs(change.low), abs(change.high)) <= UNCHANGED:
        return []
    say(change.number)
    return ["Standardising the columns changes nothing."]


def _second(found: Sequence[Attributed], telling: Attributed, say: Ledger) -> list[str]:
    """Return what is to say of the other artefact."""
    others = [a for a in found if a is not telling and a.finding == telling.finding == "robust"]
    return [
        f"So it does where {_word(other)} tells nothing: at least {_extreme(other, min, say)}."
        for other in others
    ]


def _plain(
    evidence: Evidence, algorithm: str, assessments: Sequence[Assessment], say: Ledger
) -> Statement:
    """Return where an algorithm stands beside random order and sorting, scheme by scheme."""
    kinds, clauses = [], []
    for found in assessments:
        lead = evidence.lead(algorithm, found.scheme, "random order")
        if lead is None:
            continue
        kind, clause = _beside(evidence, algorithm, found, lead, say)
        kinds.append(kind)
        on = f"on {scheme_word(found.scheme)} " if len(assessments) > 1 else ""
        clauses.append(f"{on}{clause}")
    scores = _means(evidence, algorithm, None, say)
    if not kinds:
        return Statement("algorithm-scores", f"{scores}.", PLAIN_RULE, say.numbers, algorithm)
    # The least flattering scheme names the statement: it is the one to look at.
    kind = max(kinds, key=WORST.index)
    sentence = f"{scores}; {'; '.join(clauses)}."
    return Statement(kind, sentence, PLAIN_RULE, say.numbers, algorithm)


WORST = (
    "algorithm-ahead",
    "algorithm-beyond-sorting",
    "algorithm-within-sorting",
    "algorithm-no-lead",
    "too-few-units",
)


def _beside(
    evidence: Evidence, algorithm: str, found: Assessment, lead: Interval, say: Ledger
) -> tuple[str, str]:
    told = f"{lead.told(say)}, {lead.told_units(say)} units"
    if not lead.enough:
        return "too-few-units", f"too few units to set beside random order ({told})"
    if not lead.positive:
        standing = "behind" if lead.negative else "not distinguishable from"
        return "algorithm-no-lead", f"{standing} random order ({told})"
    margin = evidence.lead(algorithm, found.scheme, "sorting")
    artefacts = found.gameable + found.leaning
    if margin is None or not artefacts:
        return "algorithm-ahead", f"ahead of random order ({told})"
    standing = "ahead of" if margin.positive else "behind"
    if not margin.positive and not margin.negative:
        standing = "not distinguishable from"
    kind = "beyond" if margin.positive else "within"
    sorting = f"{standing} sorting by {_sorted_by(evidence, margin, artefacts)}"
    return (
        f"algorithm-{kind}-sorting",
        f"ahead of random order ({told}), {sorting} ({margin.told(say)})"
        f"{', which it may still rest on' if margin.positive else ''}",
    )


def _sorted_by(evidence: Evidence, margin: Interval, artefacts: Sequence[Artefact]) -> str:
    by = [a.word for a in artefacts if evidence.standing_for(a.sorter) == margin.number.opponent]
    return f"{by[0]} alone" if by else f"{margin.number.opponent}"
