"""What becomes of an algorithm's lead over random order where an artefact is absent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from causalassay.analysis.runs import FROM_FILE
from causalassay.analysis.verdict.assessment import ARTEFACTS, Artefact, Assessment
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.intervals import Interval

REMAINDER = 1 / 4
"""Of a lead: what is left of it when the artefact explains it, at most."""

Finding = Literal["explained", "partly", "robust", "unaided", "mixed", "no lead", "too few"]


@dataclass(frozen=True)
class Comparison:
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
class Attributed:
    """What becomes of a lead over random order without an artefact.

    Parameters
    ----------
    comparison : Comparison
    finding : str
    lead : Interval
        On the gameable scheme.
    others, falls : mapping
        The leads on the free schemes, and how much less they are, by scheme.
    """

    comparison: Comparison
    finding: Finding
    lead: Interval
    others: dict[str, Interval]
    falls: dict[str, Interval]


def comparisons(assessments: Sequence[Assessment]) -> tuple[Comparison, ...]:
    """Return the schemes to compare for each artefact that the study can tell about.

    The most sortable of the gameable schemes is taken. For R² it is one that variance
    does not sort, if there is one, and then so are those it is compared with: what the
    units give away is not counted twice.
    """
    generated = [found for found in assessments if found.scheme != FROM_FILE]
    variance, r2 = ARTEFACTS
    pairs = [_comparison(generated, variance)]
    scaleless = [found for found in generated if found.free_of(variance)]
    pairs.append(_comparison(scaleless, r2) or _comparison(generated, r2))
    return tuple(pair for pair in pairs if pair is not None)


def _comparison(assessments: Sequence[Assessment], artefact: Artefact) -> Comparison | None:
    gameable = [found for found in assessments if artefact in found.gameable]
    free = tuple(found.scheme for found in assessments if found.free_of(artefact))
    if not gameable or not free:
        return None
    most = max(gameable, key=lambda found: found.sortabilities[artefact].value)
    return Comparison(artefact, most.scheme, free)


def attribute_lead(evidence: Evidence, algorithm: str, comparison: Comparison) -> Attributed | None:
    """Return what becomes of an algorithm's lead without an artefact; None without scores."""
    lead = evidence.lead(algorithm, comparison.gameable, "random order")
    others = {
        scheme: found
        for scheme in comparison.free
        if (found := evidence.lead(algorithm, scheme, "random order"))
    }
    if lead is None or not others:
        return None
    falls = {
        scheme: fall
        for scheme in others
        if (fall := evidence.fall(algorithm, comparison.gameable, scheme))
    }
    finding = find(lead, list(others.values()), list(falls.values()))
    return Attributed(comparison, finding, lead, others, falls)


def find(lead: Interval, others: Sequence[Interval], falls: Sequence[Interval]) -> Finding:
    """Return the finding that leads with and without an artefact, and their differences, allow.

    Parameters
    ----------
    lead : Interval
        With the artefact.
    others, falls : sequence of Interval
        Without it, and how much less that is, scheme by scheme.
    """
    if not all(found.enough for found in (lead, *others, *falls)):
        return "too few"
    if not lead.positive:
        return "unaided" if any(other.positive for other in others) else "no lead"
    if all(fall.positive for fall in falls):
        gone = [not other.positive or other.value < REMAINDER * lead.value for other in others]
        return "explained" if all(gone) else "partly"
    stays = all(other.positive for other in others) and not any(fall.positive for fall in falls)
    return "robust" if stays else "mixed"
