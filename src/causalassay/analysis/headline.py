"""A study in one sentence: where sorting wins, and how many algorithms need that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from causalassay.analysis.names import scheme_name
from causalassay.analysis.verdict.evidence import Evidence, is_rescaled
from causalassay.analysis.verdict.judgement import StudyFindings
from causalassay.judging.findings import GAMEABLE_KINDS, Finding, FindingKind
from causalassay.present.formatting import in_words

MOST_WORDS = 30
"""Of the sentence; a longer one counts the schemes instead of naming what sorts them."""
MOST_SCHEMES = 3
"""That are named; of more the sentence says how many."""

GROUPS: dict[str, tuple[FindingKind, ...]] = {
    "robust": (FindingKind.ROBUST,),
    "needs variances": (FindingKind.VARIANCE_ORDER, FindingKind.VARIANCE_RATIOS),
    "needs units": (FindingKind.UNITS,),
    "lost": (FindingKind.LEAD_LOST,),
    "none": (FindingKind.NO_LEAD,),
    "undecided": (FindingKind.UNDECIDED,),
    "no score": (FindingKind.NO_SCORE,),
}
"""The main findings that are counted together."""


def headline(evidence: Evidence, findings: StudyFindings) -> str:
    """Return what a study says, in one sentence."""
    if not findings.schemes:
        return "There is nothing to say yet."
    algorithms = _algorithms(evidence, findings)
    whole = f"{_schemes(findings.schemes)}; {algorithms}."
    gameable = sum(finding.kind in GAMEABLE_KINDS for finding in findings.schemes.values())
    if not gameable or _n_words(whole) <= MOST_WORDS:
        return whole
    return f"Sorting beats chance on {gameable} of {len(findings.schemes)} schemes; {algorithms}."


def _n_words(sentence: str) -> int:
    return sum(any(letter.isalpha() for letter in word) for word in sentence.split())


def _schemes(schemes: Mapping[str, Finding]) -> str:
    gameable = [scheme for scheme, finding in schemes.items() if finding.kind in GAMEABLE_KINDS]
    # Rescaled data repeat what was found of the data as they came.
    plain = [scheme for scheme in gameable if not is_rescaled(scheme)]
    by_sorting: dict[str, list[str]] = {}
    for scheme in plain or gameable:
        by_sorting.setdefault(_sorting(schemes[scheme]), []).append(scheme)
    if by_sorting:
        first, *others = by_sorting
        parts = [f"Sorting {first} beats chance on {_some(by_sorting[first])}"]
        return ", ".join([*parts, *(f"{by} on {_some(by_sorting[by])}" for by in others)])
    kinds = {scheme: finding.kind for scheme, finding in schemes.items()}
    leaning = [scheme for scheme, kind in kinds.items() if kind == FindingKind.LEANING]
    if leaning:
        return f"Sorting may help on {_some(leaning)}"
    if set(kinds.values()) <= {FindingKind.UNDECIDED, FindingKind.TOO_SMALL}:
        return "Whether sorting beats chance could not be decided"
    return "No evidence that sorting beats chance on any scheme"


def _sorting(finding: Finding) -> str:
    backwards = finding.kind == FindingKind.GAMEABLE_BACKWARDS
    return f"{'backwards ' * backwards}by {finding.words['statistics']}"


def _some(schemes: list[str]) -> str:
    if len(schemes) > MOST_SCHEMES:
        return f"{len(schemes)} schemes"
    return in_words([scheme_name(scheme) for scheme in schemes])


def _algorithms(evidence: Evidence, findings: StudyFindings) -> str:
    listed = [name for name in evidence.listed if name in findings.judged]
    if not listed:
        return "the algorithms are not judged, because chance was not measured"
    mains = [findings.algorithms[name][0].kind for name in listed]
    if len(listed) == 1:
        return f"{listed[0]}: {mains[0].label}"
    counted = Counter(mains)
    counts = {name: sum(counted[kind] for kind in kinds) for name, kinds in GROUPS.items()}
    where = "without it" if findings.gamed else "over chance"
    words = {
        "robust": (f"keeps a lead {where}", f"keep a lead {where}"),
        "needs variances": ("depends on variances", "depend on variances"),
        "needs units": ("depends on units", "depend on units"),
        "lost": ("loses a lead", "lose a lead"),
        "none": ("shows none", "show none"),
        "undecided": ("is undecided", "are undecided"),
        "no score": ("has no score", "have no score"),
    }
    parts = {name: words[name][count > 1] for name, count in counts.items() if count}
    if len(parts) == 1:
        return f"all {len(listed)} algorithms {next(iter(parts.values()))}"
    each = [f"{counts[name]} {does}" for name, does in parts.items()]
    return f"of {len(listed)} algorithms {', '.join(each)}"
