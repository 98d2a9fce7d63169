"""Sentences about the study as a benchmark: what can be won by sorting, and what not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from causalassay.analysis.verdict.assessment import (
    ARTEFACTS,
    CLEAR,
    Artefact,
    Assessment,
    contestants,
)
from causalassay.analysis.verdict.evidence import FAMILY, Evidence
from causalassay.analysis.verdict.intervals import FEWEST_UNITS
from causalassay.analysis.verdict.statements import Ledger, Number, Statement
from causalassay.analysis.verdict.words import in_words, scheme_word

NEARLY = 0.9
"""The least mean var-sortability at which the units as good as tell the order."""
APART = 0.2
"""Graph families whose mean sortabilities differ by so much are named."""

RULE = (
    "An algorithm finds something if it is ahead of random order, of the empty graph and, in F1, "
    "of the most that graphs drawn at random reach on average, each with a 95 % interval above 0. "
    f"A scheme is gameable by a statistic if its mean sortability is at least {CLEAR:.2f} with an "
    "interval above 1/2, and sorting by it and regressing finds something; it leans if only one of "
    f"the two holds. No signal: nothing finds anything. Fewer than {FEWEST_UNITS} units decide "
    f"nothing. The units tell part of the order if the mean var-sortability is below {NEARLY:.2f}. "
    f"Graph families are told apart where mean sortabilities differ by {APART:.2f}."
)
CONTRAST_RULE = (
    "What an artefact is worth to an algorithm shows where problems that are gameable by it stand "
    "beside problems that neither are nor lean, and in which something is found."
)


def judge_scheme(evidence: Evidence, found: Assessment) -> Statement:
    """Return whether a scheme can be won by sorting."""
    say = Ledger()
    if not found.enough:
        kind, sentence = "too-few-units", _too_few(evidence, found, say)
    elif not found.sortabilities:
        kind, sentence = "study-unmeasured", _unmeasured(evidence, found, say)
    elif found.silent:
        kind, sentence = "no-signal", _no_signal(evidence, found, say)
    elif found.gameable:
        kind, sentence = "study-gameable", _gameable(evidence, found, say)
    elif found.leaning:
        kind, sentence = "study-leaning", _leaning(evidence, found, say)
    else:
        kind, sentence = "study-not-gameable", _not_gameable(evidence, found, say)
    return Statement(kind, sentence, RULE, say.numbers, scheme=found.scheme)


def judge_contrasts(assessments: Sequence[Assessment]) -> Iterator[Statement]:
    """Yield what the study cannot tell, for want of schemes to compare."""
    decided = [found for found in assessments if found.enough and not found.silent]
    gamed = {a for found in decided for a in found.gameable}
    free = {a for found in decided for a in ARTEFACTS if found.free_of(a)}
    trapped = [a.name for a in ARTEFACTS if a in gamed - free]
    if trapped:
        sentence = (
            f"Any lead here may owe to {in_words(trapped, 'or')}, for no scheme of this study is "
            f"free of it; to tell how much, {_advice(assessments)}."
        )
        yield Statement("no-contrast", sentence, CONTRAST_RULE, {})
    absent = [a.word for a in ARTEFACTS if a in free - gamed]
    if absent and ARTEFACTS[0] not in gamed:
        sentence = (
            f"No scheme here is gameable by {in_words(absent, 'or')}, so there is nothing to "
            "compare with: what the algorithms would gain on raw data this study does not tell."
        )
        yield Statement("no-contrast", sentence, CONTRAST_RULE, {})


def _advice(assessments: Sequence[Assessment]) -> str:
    """Return which problems the study lacks."""
    there = {found.scheme for found in assessments}
    lacking = [model for model in ("iscm", "uumc") if model not in there]
    if not lacking:
        return "choose graphs or parameters where iscm or uumc are"
    return f"add problems on the same graphs whose model is {in_words(lacking, 'or')}"


def _gameable(evidence: Evidence, found: Assessment, say: Ledger) -> str:
    first, *others = found.gameable
    words = in_words([artefact.word for artefact in found.gameable])
    parts = [_reached(evidence, found, first, say, beside_random=True)]
    parts += [_reached(evidence, found, artefact, say) for artefact in others]
    parts += [
        _idle(found, artefact, say) for artefact in ARTEFACTS if artefact not in found.gameable
    ]
    parts += _consequence(evidence, found, say)
    return f"Gameable by {words} on {scheme_word(found.scheme)}: {'; '.join(parts)}."


def _consequence(evidence: Evidence, found: Assessment, say: Ledger) -> list[str]:
    """Return what this means for rescaling and for algorithms that trust the units."""
    by_variance, by_r2 = ARTEFACTS
    parts = []
    sorter = evidence.standing_for(by_variance.sorter)
    behind = sorter and evidence.lead(sorter, found.scheme, "sorting")
    tells = by_variance in found.gameable + found.leaning
    if tells and behind and behind.negative:
        parts.append(
            f"the units tell less than R² ({behind.told(say)}), as where they are arbitrary: "
            "algorithms that trust them are misled"
        )
    elif tells and found.sortabilities[by_variance].value < NEARLY:
        parts.append(
            "the units tell only part of the order, as where they are partly arbitrary: "
            "algorithms that trust them are misled by the rest"
        )
    if by_r2 in found.gameable:
        cure = "standardising" if tells else "rescaling the columns"
        parts.append(f"{cure} would not cure it")
    return parts


def _leaning(evidence: Evidence, found: Assessment, say: Ledger) -> str:
    words = in_words([artefact.word for artefact in found.leaning])
    parts = [
        _reached(evidence, found, artefact, say, beside_random=True) for artefact in found.leaning
    ]
    parts += [
        _idle(found, artefact, say) for artefact in ARTEFACTS if artefact not in found.leaning
    ]
    return (
        f"Leaning towards gameable by {words} on {scheme_word(found.scheme)}, not clearly: "
        f"{'; '.join(part for part in parts if part)}."
    )


def _not_gameable(evidence: Evidence, found: Assessment, say: Ledger) -> str:
    parts = [
        _reached(evidence, found, artefact, say, beside_random=artefact == ARTEFACTS[0])
        for artefact in found.sortabilities
    ]
    falls = [
        f"{artefact.word} falls along the causal order, so sorting it downwards might work"
        for artefact in found.falling
    ]
    words = in_words([artefact.word for artefact in found.sortabilities], "or")
    return f"Not gameable by {words} on {scheme_word(found.scheme)}: {'; '.join(parts + falls)}."


def _no_signal(evidence: Evidence, found: Assessment, say: Ledger) -> str:
    leads = contestants(evidence, found.scheme)
    for lead in leads.values():
        lead.told(say)
    best = max(leads, key=lambda name: leads[name].value)
    chance = evidence.chance(found.scheme)
    guessing = f"; graphs drawn at random reach up to {say(chance)} on average" if chance else ""
    near = in_words(
        [
            f"{artefact.name} is {say(interval.number)}"
            for artefact, interval in found.sortabilities.items()
        ]
    )
    return (
        f"On {scheme_word(found.scheme)} no algorithm finds the graph better than chance: the "
        f"best, {best}, is at {leads[best].told(say)} in {evidence.word} beside random order "
        f"({leads[best].told_units(say)} units{guessing}), and {near}. Is the truth the truth of "
        "these data?"
    )


def _too_few(evidence: Evidence, found: Assessment, say: Ledger) -> str:
    units = say(Number(found.n_units, "units", "status", found.scheme))
    parts = [
        _reached(evidence, found, artefact, say, beside_random=artefact == ARTEFACTS[0])
        for artefact in found.sortabilities
    ]
    told = f": {'; '.join(parts)}" if parts else ""
    return f"Too few units ({units}) to judge {scheme_word(found.scheme)} by{told}."


def _unmeasured(evidence: Evidence, found: Assessment, say: Ledger) -> str:
    parts = [
        f"sorting by {artefact.word} is {lead.told(say)} ahead of random order in {evidence.word}"
        for artefact, lead in found.leads.items()
    ]
    told = f"; {in_words(parts)}" if parts else ""
    if any(column.endswith("_sortability_pairs") for column in evidence.runs.measured):
        word = scheme_word(found.scheme)
        return f"On {word} sortability was measured by pairs, by which no rule judges{told}."
    return f"No sortability was measured on {scheme_word(found.scheme)}{told}."


def _idle(found: Assessment, artefact: Artefact, say: Ledger) -> str:
    """Return that an artefact is none here, or how far it is one."""
    if artefact not in found.sortabilities:
        return f"{artefact.name} was not measured"
    if artefact in found.leaning:
        tells = "leans"
    elif artefact in found.falling:
        tells = "falls"
    else:
        tells = "tells nothing"
    return f"{artefact.word} {tells} (sortability {say(found.sortabilities[artefact].number)})"


def _reached(
    evidence: Evidence,
    found: Assessment,
    artefact: Artefact,
    say: Ledger,
    *,
    beside_random: bool = False,
) -> str:
    """Return what sorting reaches, with the sortability it rests on."""
    measured = _measured(evidence, found, artefact, say)
    sorter = evidence.standing_for(artefact.sorter)
    score = sorter and evidence.mean(sorter, found.scheme)
    if not score:
        return f"{artefact.word} ({measured}; no sorting baseline has a score)"
    told = f"sorting by {artefact.word} alone ({measured}) reaches {evidence.word} {say(score)}"
    lead = found.leads.get(artefact)
    if lead is None:
        return told
    random = evidence.mean(str(lead.number.opponent), found.scheme)
    if not beside_random or random is None:
        return f"{told} ({lead.told(say)})"
    return f"{told}, random order {say(random)} ({lead.told(say)}, {lead.told_units(say)} units)"


def _measured(evidence: Evidence, found: Assessment, artefact: Artefact, say: Ledger) -> str:
    interval = found.sortabilities.get(artefact)
    if interval is None:
        return "sortability not measured"
    interval.told(say)
    spread = say(evidence.spread(found.scheme, artefact.column))
    families = evidence.sortability_by_family(found.scheme, artefact.column)
    values = [family.value for family in families]
    told = f"sortability {say(interval.number)}, sd {spread}"
    if len(values) < 2 or max(values) - min(values) < APART:
        return told
    by_family = [
        f"{say(family.number)} on {str(family.number.detail).removeprefix(f'{FAMILY}=')}"
        for family in families
    ]
    return f"{told}: {in_words(by_family)}"
