"""Sentences about each scheme as a benchmark: whether sorting wins on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from causalassay.analysis.bootstrap import FEWEST_UNITS
from causalassay.analysis.runs import FAMILY
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.scheme_assessment import (
    ARTEFACTS,
    CLEAR,
    Artefact,
    SchemeAssessment,
    contestants,
)
from causalassay.analysis.verdict.statements import Ledger, Number, Statement
from causalassay.analysis.verdict.words import in_words, scheme_word

NEARLY = 0.9
"""From this mean var-sortability on, the units give nearly the whole order away."""
APART = 0.2
"""Graph families whose mean sortabilities differ by so much are named."""

RULE = (
    "An algorithm finds something if it is ahead of random order, of the empty graph and, in F1, "
    "of the most that graphs drawn at random reach on average, each with a 95 % interval above 0. "
    f"A scheme is gameable by a statistic if its mean sortability is at least {CLEAR:.2f} with an "
    "interval above 1/2, and sorting by it and regressing finds something; it leans if only one of "
    f"the two holds. No signal: nothing finds anything. Fewer than {FEWEST_UNITS} units decide "
    f"nothing. The units tell part of the order if the mean var-sortability is below {NEARLY:.2f}. "
    f"Graph families are named where mean sortabilities differ by {APART:.2f}."
)
CONTRAST_RULE = (
    "What an artefact is worth to an algorithm shows where problems that are gameable by it stand "
    "beside problems that neither are nor lean, and in which something is assessment."
)


def judge_scheme(evidence: Evidence, assessment: SchemeAssessment) -> Statement:
    """Return whether a scheme can be won by sorting."""
    ledger = Ledger()
    if not assessment.enough:
        kind, sentence = "too-few-units", _too_few(evidence, assessment, ledger)
    elif not assessment.sortabilities:
        kind, sentence = "study-unmeasured", _unmeasured(evidence, assessment, ledger)
    elif assessment.silent:
        kind, sentence = "no-signal", _no_signal(evidence, assessment, ledger)
    elif assessment.gameable:
        kind, sentence = "study-gameable", _gameable(evidence, assessment, ledger)
    elif assessment.leaning:
        kind, sentence = "study-leaning", _leaning(evidence, assessment, ledger)
    else:
        kind, sentence = "study-not-gameable", _not_gameable(evidence, assessment, ledger)
    return Statement(kind, sentence, RULE, ledger.numbers, scheme=assessment.scheme)


def judge_contrasts(assessments: Sequence[SchemeAssessment]) -> Iterator[Statement]:
    """Yield what the study cannot tell, because it lacks schemes to compare."""
    decided = [each for each in assessments if each.enough and not each.silent]
    gamed = {a for each in decided for a in each.gameable}
    free = {a for each in decided for a in ARTEFACTS if each.free_of(a)}
    trapped = [a.name for a in ARTEFACTS if a in gamed - free]
    if trapped:
        sentence = (
            f"Any lead here may be due to {in_words(trapped, 'or')}: every scheme of this study "
            f"has it; to tell how much, {_advice(assessments)}."
        )
        yield Statement("no-contrast", sentence, CONTRAST_RULE, {})
    absent = [a.word for a in ARTEFACTS if a in free - gamed]
    if absent and ARTEFACTS[0] not in gamed:
        sentence = (
            f"No scheme here is gameable by {in_words(absent, 'or')}, so there is nothing to "
            "compare with: what the algorithms would gain on raw data this study does not tell."
        )
        yield Statement("no-contrast", sentence, CONTRAST_RULE, {})


def _advice(assessments: Sequence[SchemeAssessment]) -> str:
    """Return which problems the study lacks."""
    there = {assessment.scheme for assessment in assessments}
    lacking = [model for model in ("iscm", "uumc") if model not in there]
    if not lacking:
        return "choose graphs or parameters where iscm or uumc are"
    return f"add problems on the same graphs whose model is {in_words(lacking, 'or')}"


def _gameable(evidence: Evidence, assessment: SchemeAssessment, ledger: Ledger) -> str:
    first, *others = assessment.gameable
    words = in_words([artefact.word for artefact in assessment.gameable])
    parts = [_reached(evidence, assessment, first, ledger, beside_random=True)]
    parts += [_reached(evidence, assessment, artefact, ledger) for artefact in others]
    parts += [
        _idle(assessment, artefact, ledger)
        for artefact in ARTEFACTS
        if artefact not in assessment.gameable
    ]
    parts += _consequence(evidence, assessment, ledger)
    return f"Gameable by {words} on {scheme_word(assessment.scheme)}: {'; '.join(parts)}."


def _consequence(evidence: Evidence, assessment: SchemeAssessment, ledger: Ledger) -> list[str]:
    """Return what this means for rescaling and for algorithms that trust the units."""
    by_variance, by_r2 = ARTEFACTS
    parts = []
    sorter = evidence.standing_for(by_variance.sorter)
    behind = sorter and evidence.lead(sorter, assessment.scheme, "sorting")
    tells = by_variance in assessment.gameable + assessment.leaning
    if tells and behind and behind.negative:
        parts.append(
            f"the units tell less than R² ({behind.cite(ledger)}), as where they are arbitrary: "
            "algorithms that trust them are misled"
        )
    elif tells and assessment.sortabilities[by_variance].value < NEARLY:
        parts.append(
            "the units tell only part of the order, as where they are partly arbitrary: "
            "algorithms that trust them are misled by the rest"
        )
    if by_r2 in assessment.gameable:
        cure = "standardising" if tells else "rescaling the columns"
        parts.append(f"{cure} would not cure it")
    return parts


def _leaning(evidence: Evidence, assessment: SchemeAssessment, ledger: Ledger) -> str:
    words = in_words([artefact.word for artefact in assessment.leaning])
    parts = [
        _reached(evidence, assessment, artefact, ledger, beside_random=True)
        for artefact in assessment.leaning
    ]
    parts += [
        _idle(assessment, artefact, ledger)
        for artefact in ARTEFACTS
        if artefact not in assessment.leaning
    ]
    return (
        f"Leaning towards gameable by {words} on {scheme_word(assessment.scheme)}, not clearly: "
        f"{'; '.join(part for part in parts if part)}."
    )


def _not_gameable(evidence: Evidence, assessment: SchemeAssessment, ledger: Ledger) -> str:
    parts = [
        _reached(evidence, assessment, artefact, ledger, beside_random=artefact == ARTEFACTS[0])
        for artefact in assessment.sortabilities
    ]
    falls = [
        f"{artefact.word} falls along the causal order, so sorting it downwards might work"
        for artefact in assessment.falling
    ]
    words = in_words([artefact.word for artefact in assessment.sortabilities], "or")
    scheme = scheme_word(assessment.scheme)
    return f"No evidence that {scheme} can be gamed by {words}: {'; '.join(parts + falls)}."


def _no_signal(evidence: Evidence, assessment: SchemeAssessment, ledger: Ledger) -> str:
    leads = contestants(evidence, assessment.scheme)
    for lead in leads.values():
        lead.cite(ledger)
    best = max(leads, key=lambda name: leads[name].value)
    chance = evidence.chance(assessment.scheme)
    guessing = f"; graphs drawn at random reach up to {ledger(chance)} on average" if chance else ""
    near = in_words(
        [
            f"{artefact.name} is {ledger(interval.number)}"
            for artefact, interval in assessment.sortabilities.items()
        ]
    )
    return (
        f"On {scheme_word(assessment.scheme)} no algorithm finds the graph better than chance: the "
        f"best, {best}, is at {leads[best].cite(ledger)} in {evidence.word} beside random order "
        f"({leads[best].cite_units(ledger)} units{guessing}), and {near}. Check that this graph "
        "belongs to these data."
    )


def _too_few(evidence: Evidence, assessment: SchemeAssessment, ledger: Ledger) -> str:
    units = ledger(Number(assessment.n_units, "units", "status", assessment.scheme))
    parts = [
        _reached(evidence, assessment, artefact, ledger, beside_random=artefact == ARTEFACTS[0])
        for artefact in assessment.sortabilities
    ]
    details = f": {'; '.join(parts)}" if parts else ""
    return f"Too few units ({units}) to judge {scheme_word(assessment.scheme)} by{details}."


def _unmeasured(evidence: Evidence, assessment: SchemeAssessment, ledger: Ledger) -> str:
    parts = [
        f"sorting by {artefact.word} is {lead.cite(ledger)} ahead of random order in "
        f"{evidence.word}"
        for artefact, lead in assessment.leads.items()
    ]
    details = f"; {in_words(parts)}" if parts else ""
    if any(column.endswith("_sortability_pairs") for column in evidence.runs.measured):
        word = scheme_word(assessment.scheme)
        return f"On {word} sortability was measured by pairs, by which no rule judges{details}."
    return f"No sortability was measured on {scheme_word(assessment.scheme)}{details}."


def _idle(assessment: SchemeAssessment, artefact: Artefact, ledger: Ledger) -> str:
    """Return whether a statistic that does not win here is an artefact at all."""
    if artefact not in assessment.sortabilities:
        return f"{artefact.name} was not measured"
    if artefact in assessment.leaning:
        role = "leans"
    elif artefact in assessment.falling:
        role = "falls"
    else:
        role = "shows no artefact"
    return (
        f"{artefact.word} {role} (sortability {ledger(assessment.sortabilities[artefact].number)})"
    )


def _reached(
    evidence: Evidence,
    assessment: SchemeAssessment,
    artefact: Artefact,
    ledger: Ledger,
    *,
    beside_random: bool = False,
) -> str:
    """Return what sorting reaches, with the sortability it rests on."""
    measured = _measured(evidence, assessment, artefact, ledger)
    sorter = evidence.standing_for(artefact.sorter)
    score = sorter and evidence.mean(sorter, assessment.scheme)
    if not score:
        return f"{artefact.word} ({measured}; no sorting baseline has a score)"
    reached = (
        f"sorting by {artefact.word} alone ({measured}) reaches {evidence.word} {ledger(score)}"
    )
    lead = assessment.leads.get(artefact)
    if lead is None:
        return reached
    random = evidence.mean(str(lead.number.opponent), assessment.scheme)
    if not beside_random or random is None:
        return f"{reached} ({lead.cite(ledger)})"
    return (
        f"{reached}, random order {ledger(random)} ({lead.cite(ledger)}, "
        f"{lead.cite_units(ledger)} units)"
    )


def _measured(
    evidence: Evidence, assessment: SchemeAssessment, artefact: Artefact, ledger: Ledger
) -> str:
    interval = assessment.sortabilities.get(artefact)
    if interval is None:
        return "sortability not measured"
    interval.cite(ledger)
    spread = ledger(evidence.spread(assessment.scheme, artefact.column))
    families = evidence.sortability_by_family(assessment.scheme, artefact.column)
    values = [family.value for family in families]
    text = f"sortability {ledger(interval.number)}, sd {spread}"
    if len(values) < 2 or max(values) - min(values) < APART:
        return text
    by_family = [
        f"{ledger(family.number)} on {str(family.number.detail).removeprefix(f'{FAMILY}=')}"
        for family in families
    ]
    return f"{text}: {in_words(by_family)}"
