"""The judge of an algorithm: whether its lead over chance holds, and what it depends on.

The claims on one algorithm are corrected together (Holm), whatever other algorithms a study
lists. A cause is named only where the same data were rescaled: correlations are then equal, so
nothing but the scale of the columns can have made the difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from causalassay.arrays import Vector
from causalassay.judging.over_units import LEVEL, combined, holm, sign_flips, units_needed

AlgorithmKind = Literal[
    "robust",
    "depends on variance order",
    "depends on variance ratios",
    "depends on units",
    "lead lost",
    "no lead found",
    "undecided",
]
"""Of a finding on an algorithm."""

RULE_OF: Mapping[AlgorithmKind, str] = MappingProxyType(
    {
        "robust": "robust",
        "depends on variance order": "variance order",
        "depends on variance ratios": "variance ratios",
        "depends on units": "units",
        "lead lost": "lead lost",
        "no lead found": "lead",
        "undecided": "lead",
    }
)
"""The rule of each."""

ClaimKind = Literal[
    "lead", "fall", "variance order", "variance ratios", "random variances", "standardized"
]


TOO_FEW = "too few units"
NEITHER = "where no artefact was found, neither a lead nor its loss was"


class ClaimName(NamedTuple):
    """What is claimed, and on which scheme: for a contrast, that of the data as they came."""

    kind: ClaimKind
    scheme: str


@dataclass(frozen=True)
class Claim:
    """One claim on an algorithm.

    Parameters
    ----------
    p_value, corrected : float
        Alone, and corrected for all claims on the algorithm.
    n_units : int
        That have what it compares.
    """

    p_value: float
    corrected: float
    n_units: int

    @property
    def holds(self) -> bool:
        """Whether it is claimed."""
        return self.corrected <= LEVEL


@dataclass(frozen=True)
class LeadEvidence:
    """An algorithm beside chance on the units of a scheme; nan where a unit has no score.

    Parameters
    ----------
    reached : Vector
        The share of random orders that reach its score.
    beyond : Vector
        Its score minus that of a graph with as many edges of each kind at random places.
    """

    reached: Vector
    beyond: Vector


@dataclass(frozen=True)
class ScaleEvidence:
    """Scores on the same data with other scales, unit by unit; nan where there is none.

    Parameters
    ----------
    raw : Vector
        As they came.
    in_order, at_random : Vector
        With other standard deviations, in the order of the raw ones and at random.
    standardized : Vector
    order_in_order, order_at_random : Vector
        Order scores on the second and third.
    """

    raw: Vector
    in_order: Vector
    at_random: Vector
    standardized: Vector
    order_in_order: Vector
    order_at_random: Vector


@dataclass(frozen=True)
class AlgorithmEvidence:
    """What is known of an algorithm.

    Parameters
    ----------
    leads : mapping of str to LeadEvidence
        By scheme.
    free : sequence of str
        The schemes without a found artefact.
    falls : mapping of str to Vector
        By free scheme: how much smaller the lead is there than with artefacts, by unit.
    scales : mapping of str to ScaleEvidence
        By the scheme of the data as they came.
    """

    leads: Mapping[str, LeadEvidence]
    free: Sequence[str]
    falls: Mapping[str, Vector] = field(default_factory=dict)
    scales: Mapping[str, ScaleEvidence] = field(default_factory=dict)


@dataclass(frozen=True)
class AlgorithmFinding:
    """One thing that was found of an algorithm.

    Parameters
    ----------
    kind : AlgorithmKind
    claims : tuple of ClaimName
        Which it rests on.
    missing : str
        Of "undecided": what is missing.
    kept : tuple of str
        Of "lead lost" and "undecided": schemes without a found artefact where it leads.
    """

    kind: AlgorithmKind
    claims: tuple[ClaimName, ...] = ()
    missing: str = ""
    kept: tuple[str, ...] = ()


@dataclass(frozen=True)
class AlgorithmJudged:
    """The findings on an algorithm, the main one first, and the claims that were judged."""

    findings: tuple[AlgorithmFinding, ...]
    claims: Mapping[ClaimName, Claim]

    @property
    def main(self) -> AlgorithmFinding:
        """The finding that says most."""
        return self.findings[0]


def judge_algorithm(evidence: AlgorithmEvidence) -> AlgorithmJudged:
    """Return what is found of an algorithm.

    Examples
    --------
    >>> ahead = LeadEvidence(np.full(10, 0.02), np.full(10, 0.3))
    >>> judge_algorithm(AlgorithmEvidence({"raw": ahead, "iscm": ahead}, ["iscm"])).main.kind
    'robust'
    """
    claims = _claims(evidence)
    if not claims:
        missing = "what chance reaches could not be measured (the notes of the rows say why)"
        return AlgorithmJudged((AlgorithmFinding("undecided", missing=missing),), claims)
    n_units = max(claim.n_units for claim in claims.values())
    needed = units_needed(len(claims))
    if n_units < needed:
        missing = f"{TOO_FEW}: {n_units}, and {needed} are needed"
        return AlgorithmJudged((AlgorithmFinding("undecided", missing=missing),), claims)
    held = {name for name, claim in claims.items() if claim.holds}
    causes = _causes(held)
    main = _standing(evidence, claims, held, causes)
    return AlgorithmJudged((*main, *causes), claims)


def _claims(evidence: AlgorithmEvidence) -> dict[ClaimName, Claim]:
    tested: dict[ClaimName, tuple[float, int]] = {}
    for scheme, lead in evidence.leads.items():
        known = ~(np.isnan(lead.reached) | np.isnan(lead.beyond))
        # Ahead of random orders and of its own number of edges: both, so the larger p-value.
        p_value = max(combined(lead.reached[known]), sign_flips(lead.beyond[known]))
        tested[ClaimName("lead", scheme)] = p_value, int(known.sum())
    for scheme, fall in evidence.falls.items():
        tested[ClaimName("fall", scheme)] = sign_flips(fall), _n_known(fall)
    for scheme, scores in evidence.scales.items():
        for kind, (p_value, n_units) in _scale_tests(scores).items():
            tested[ClaimName(kind, scheme)] = p_value, n_units
    tested = {name: test for name, test in tested.items() if test[1] and not math.isnan(test[0])}
    corrected = holm({name: p_value for name, (p_value, _) in tested.items()})
    return {name: Claim(p, corrected[name], n_units) for name, (p, n_units) in tested.items()}


def _scale_tests(scores: ScaleEvidence) -> dict[ClaimKind, tuple[float, int]]:
    order = scores.order_in_order - scores.order_at_random
    fall = scores.in_order - scores.at_random
    pairs: dict[ClaimKind, Vector] = {
        "variance ratios": scores.raw - scores.in_order,
        "random variances": fall,
        "standardized": scores.raw - scores.standardized,
    }
    tests = {kind: (sign_flips(pair, "two-sided"), _n_known(pair)) for kind, pair in pairs.items()}
    # Sorting shows in both: the score falls, and causes no longer come before effects.
    tests["variance order"] = max(sign_flips(fall), sign_flips(order)), _n_known(fall)
    return tests


def _n_known(values: Vector) -> int:
    return int((~np.isnan(values)).sum())


def _causes(held: set[ClaimName]) -> tuple[AlgorithmFinding, ...]:
    """Return what a score depends on: of the order and the ratios, or of units at all."""
    found = []
    for scheme in sorted({name.scheme for name in held}):
        kinds = {name.kind for name in held if name.scheme == scheme}
        named: list[tuple[AlgorithmKind, ClaimKind]] = [
            ("depends on variance order", "variance order"),
            ("depends on variance ratios", "variance ratios"),
        ]
        causes = [(kind, claim) for kind, claim in named if claim in kinds]
        if not causes:
            units: list[ClaimKind] = ["standardized", "random variances"]
            causes = [("depends on units", claim) for claim in units if claim in kinds][:1]
        found += [AlgorithmFinding(kind, (ClaimName(claim, scheme),)) for kind, claim in causes]
    return tuple(found)


def _standing(
    evidence: AlgorithmEvidence,
    claims: Mapping[ClaimName, Claim],
    held: set[ClaimName],
    causes: Sequence[AlgorithmFinding],
) -> tuple[AlgorithmFinding, ...]:
    """Return whether the lead holds; nothing if a cause already says why it does not."""
    leads = [name for name in claims if name.kind == "lead"]
    ahead = [name for name in leads if name in held]
    if not ahead:
        return (AlgorithmFinding("no lead found", tuple(leads)),)
    free = [ClaimName("lead", scheme) for scheme in evidence.free]
    free = [name for name in free if name in claims]
    if free and all(name in held for name in free):
        return (AlgorithmFinding("robust", tuple(free)),)
    lost = [
        ClaimName("fall", name.scheme)
        for name in free
        if name not in held and ClaimName("fall", name.scheme) in held
    ]
    kept = tuple(name.scheme for name in free if name in held)
    if lost and not causes:
        return (AlgorithmFinding("lead lost", tuple(lost), kept=kept),)
    if causes:
        return ()
    if not evidence.free:
        missing = "an artefact was found on every scheme with true labels"
    else:
        missing = NEITHER
    return (AlgorithmFinding("undecided", tuple(free), missing, kept),)
