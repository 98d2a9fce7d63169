"""A study in one sentence: where sorting wins, and how many algorithms need that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from causalassay.analysis.names import in_words, scheme_name
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.judgement import StudyFindings
from causalassay.analysis.verdict.rescaled_schemes import is_rescaled
from causalassay.analysis.verdict.scheme_statements import SchemeJudged
from causalassay.judging.algorithm_findings import AlgorithmKind

MOST_WORDS = 30
"""Of the sentence; a longer one counts the schemes instead of naming what sorts them."""
MOST_SCHEMES = 3
"""That are named; of more the sentence says how many."""

GROUPS: dict[str, tuple[AlgorithmKind, ...]] = {
    "robust": ("robust",),
    "needs variances": ("depends on variance order", "depends on variance ratios"),
    "needs units": ("depends on units",),
    "lost": ("lead lost",),
    "none": ("no lead found",),
    "undecided": ("undecided",),
}
"""The main findings that are counted together."""


def headline(evidence: Evidence, findings: StudyFindings) -> str:
    """Return what a study says, in one sentence."""
    if not findings.schemes:
        return "There is nothing to say yet."
    algorithms = _algorithms(evidence, findings)
    whole = f"{_schemes(findings.schemes)}; {algorithms}."
    gamed = sum(judged.kind.startswith("gameable") for judged in findings.schemes.values())
    if not gamed or _n_words(whole) <= MOST_WORDS:
        return whole
    return f"Sorting beats chance on {gamed} of {len(findings.schemes)} schemes; {algorithms}."


def _n_words(sentence: str) -> int:
    return sum(any(letter.isalpha() for letter in word) for word in sentence.split())


def _schemes(schemes: Mapping[str, SchemeJudged]) -> str:
    gamed = {
        scheme: judged
        for scheme, judged in schemes.items()
        if judged.kind in ("gameable", "gameable backwards")
    }
    # Rescaled data repeat what was found of the data as they came.
    plain = {scheme: judged for scheme, judged in gamed.items() if not is_rescaled(scheme)}
    by_sorting: dict[str, list[str]] = {}
    for scheme, judged in (plain or gamed).items():
        by_sorting.setdefault(_sorting(judged), []).append(scheme)
    if by_sorting:
        parts = [f"{by} on {_some(where)}" for by, where in by_sorting.items()]
        first, *others = parts
        return ", ".join([f"Sorting {first.replace(' on ', ' beats chance on ', 1)}", *others])
    leaning = [scheme for scheme, judged in schemes.items() if judged.kind == "leaning"]
    if leaning:
        return f"Sorting may help on {_some(leaning)}"
    if all(judged.kind in ("undecided", "too small") for judged in schemes.values()):
        return "Whether sorting beats chance could not be decided"
    return "No evidence that sorting beats chance on any scheme"


def _sorting(judged: SchemeJudged) -> str:
    found = [claim for claim in judged.claims if claim.kind == judged.kind]
    words = list(dict.fromkeys(claim.artefact.word for claim in found))
    return f"{'backwards ' * found[0].backwards}by {in_words(words)}"


def _some(schemes: list[str]) -> str:
    if len(schemes) > MOST_SCHEMES:
        return f"{len(schemes)} schemes"
    return in_words([scheme_name(scheme) for scheme in schemes])


def _algorithms(evidence: Evidence, findings: StudyFindings) -> str:
    listed = [name for name in evidence.listed if name in findings.algorithms]
    if not listed:
        return "the algorithms are not judged, because chance was not measured"
    scored = [
        name for name in listed if any(evidence.mean(name, scheme) for scheme in evidence.cells)
    ]
    if len(listed) == 1:
        return f"{listed[0]}: {findings.algorithms[listed[0]].main.kind if scored else 'no score'}"
    counted = Counter(findings.algorithms[name].main.kind for name in scored)
    counts = {name: sum(counted[kind] for kind in kinds) for name, kinds in GROUPS.items()}
    counts["no score"] = len(listed) - len(scored)
    gamed = any(judged.gamed for judged in findings.schemes.values())
    where = "without it" if gamed else "over chance"
    words = {
        "robust": (f"keeps a lead {where}", f"keep a lead {where}"),
        "needs variances": ("depends on variances", "depend on variances"),
        "needs units": ("depends on units", "depend on units"),
        "lost": ("loses a lead", "lose a lead"),
        "none": ("shows none", "show none"),
        "undecided": ("is undecided", "are undecided"),
        "no score": ("has no score", "have no score"),
    }
    parts = [f"{count} {words[name][count > 1]}" for name, count in counts.items() if count]
    if len(parts) == 1:
        return f"all {parts[0].replace(' ', ' algorithms ', 1)}"
    return f"of {len(listed)} algorithms {', '.join(parts)}"
