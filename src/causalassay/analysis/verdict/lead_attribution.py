"""How an algorithm's lead over random order changes without an artefact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from causalassay.analysis.runs import FROM_FILE
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.intervals import Interval
from causalassay.analysis.verdict.scheme_assessment import ARTEFACTS, Artefact, SchemeAssessment

REMAINDER = 1 / 4
"""Of a lead: what is left of it when the artefact explains it, at most."""

Finding = Literal["explained", "partly", "robust", "unaided", "mixed", "no lead", "too few"]


@dataclass(frozen=True)
class Contrast:
    """Schemes to compare for an artefact.

    Parameters
    ----------
    artefact : Artefact
    gameable : str
        The scheme that is gameable by it.
    free : tuple of str
        Schemes that are not, nor lean.
    """

    artefact: Artefact
    gameable: str
    free: tuple[str, ...]


@dataclass(frozen=True)
class LeadAttribution:
    """What becomes of a lead over random order without an artefact.

    Parameters
    ----------
    contrast : Contrast
    finding : str
    lead : Interval
        On the gameable scheme.
    others, falls : mapping
        The leads on the free schemes, and how much less they are, by scheme.
    """

    contrast: Contrast
    finding: Finding
    lead: Interval
    others: dict[str, Interval]
    falls: dict[str, Interval]


def contrasts(assessments: Sequence[SchemeAssessment]) -> tuple[Contrast, ...]:
    """Return the schemes to compare for each artefact that the study can tell about.

    The most sortable of the gameable schemes is taken. For R² it is a scheme free of
    the variance artefact, if there is one, and it is compared only with schemes like it:
    what the units give away is not counted twice.
    """
    generated = [each for each in assessments if each.scheme != FROM_FILE]
    variance, r2 = ARTEFACTS
    pairs = [_contrast(generated, variance)]
    scaleless = [each for each in generated if each.free_of(variance)]
    pairs.append(_contrast(scaleless, r2) or _contrast(generated, r2))
    return tuple(pair for pair in pairs if pair is not None)


def _contrast(assessments: Sequence[SchemeAssessment], artefact: Artefact) -> Contrast | None:
    gameable = [each for each in assessments if artefact in each.gameable]
    free = tuple(each.scheme for each in assessments if each.free_of(artefact))
    if not gameable or not free:
        return None
    most = max(gameable, key=lambda each: each.sortabilities[artefact].value)
    return Contrast(artefact, most.scheme, free)


def attribute_lead(
    evidence: Evidence, algorithm: str, contrast: Contrast
) -> LeadAttribution | None:
    """Return what becomes of an algorithm's lead without an artefact; None without scores."""
    lead = evidence.lead(algorithm, contrast.gameable, "random order")
    others = {
        scheme: other
        for scheme in contrast.free
        if (other := evidence.lead(algorithm, scheme, "random order"))
    }
    if lead is None or not others:
        return None
    falls = {
        scheme: fall
        for scheme in others
        if (fall := evidence.fall(algorithm, contrast.gameable, scheme))
    }
    finding = find(lead, list(others.values()), list(falls.values()))
    return LeadAttribution(contrast, finding, lead, others, falls)


def find(lead: Interval, others: Sequence[Interval], falls: Sequence[Interval]) -> Finding:
    """Return the finding that leads with and without an artefact, and their differences, allow.

    Parameters
    ----------
    lead : Interval
        With the artefact.
    others, falls : sequence of Interval
        Without it, and how much less that is, scheme by scheme.
    """
    if not all(interval.enough for interval in (lead, *others, *falls)):
        return "too few"
    if not lead.positive:
        return "unaided" if any(other.positive for other in others) else "no lead"
    if all(fall.positive for fall in falls):
        gone = [not other.positive or other.value < REMAINDER * lead.value for other in others]
        return "explained" if all(gone) else "partly"
    stays = all(other.positive for other in others) and not any(fall.positive for fall in falls)
    return "robust" if stays else "mixed"
