"""The judges of many instances: of a scheme by the two tests of an audit, and of an algorithm."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from causalassay.common.arrays import Vector
from causalassay.judging.artefacts import Artefact
from causalassay.judging.findings import (
    LEADS_ON_SOME,
    NEITHER,
    NO_TRUE_SCHEME,
    NOT_MEASURED,
    TOO_FEW_INSTANCES,
    FindingKind,
)
from causalassay.judging.order_tests import corrected_level
from causalassay.judging.p_values import LEVEL, combined, holm, sign_flips, units_needed

CLEAR = 0.6
"""The least mean sortability over several instances that counts; backwards 1 - CLEAR. Many
instances find artefacts that are too small to matter."""

MATTERS = 0.05
"""The least mean gain in F1 over random orders, over several instances, that counts."""


@dataclass(frozen=True)
class OrderEvidence:
    """What was measured of one statistic on each instance.

    Parameters
    ----------
    sortability : Vector
    rising_p, falling_p : Vector
        The share of random assignments that are at least, or at most, as sortable.
    up_p, down_p : Vector
        The share of random orders that reach the F1 along the rising, or falling, statistic.
    up_gain, down_gain : Vector
        How much that F1 is above the mean of random orders.
    """

    sortability: Vector
    rising_p: Vector
    falling_p: Vector
    up_p: Vector
    down_p: Vector
    up_gain: Vector
    down_gain: Vector


@dataclass(frozen=True)
class OrderClaim:
    """What sorting by a statistic, in one direction, tells over all instances.

    Parameters
    ----------
    artefact : Artefact
    backwards : bool
    kind : FindingKind
        One on the order.
    sortability, gain : float
        The means.
    sortable_p, winning_p : float
        The p-values of the two tests; nan if not measured.
    passed : (bool, bool)
        Which of the two tests found something that matters.
    n_units : int
    """

    artefact: Artefact
    backwards: bool
    kind: FindingKind
    sortability: float
    gain: float
    sortable_p: float
    winning_p: float
    passed: tuple[bool, bool]
    n_units: int


def judge_orders(
    evidence: Mapping[Artefact, OrderEvidence], attainable: Vector | None = None
) -> tuple[OrderClaim, ...]:
    """Return what was found of each statistic and direction, all of them judged together.

    Parameters
    ----------
    evidence : mapping of Artefact to OrderEvidence
    attainable : Vector, optional
        The least p-value that any order could have, by instance: where these are too large
        together, nothing found is "too small", not "no evidence".

    Examples
    --------
    >>> from causalassay.judging.artefacts import VARIANCE
    >>> sorted_up = OrderEvidence(
    ...     np.full(5, 0.9), np.full(5, 0.01), np.ones(5), np.full(5, 0.02), np.ones(5),
    ...     np.full(5, 0.3), np.zeros(5),
    ... )
    >>> [claim.kind.value for claim in judge_orders({VARIANCE: sorted_up})]
    ['gameable', 'no-evidence']
    """
    level = corrected_level(max(len(evidence), 1))
    claims = tuple(
        _claim(artefact, backwards, measured, level)
        for artefact, measured in evidence.items()
        for backwards in (False, True)
    )
    nothing = all(claim.kind == FindingKind.NO_EVIDENCE for claim in claims)
    if nothing and attainable is not None and combined(attainable) > level:
        return tuple(replace(claim, kind=FindingKind.TOO_SMALL) for claim in claims)
    return claims


def _claim(
    artefact: Artefact, backwards: bool, measured: OrderEvidence, level: float
) -> OrderClaim:
    sortable = measured.falling_p if backwards else measured.rising_p
    winning = measured.down_p if backwards else measured.up_p
    gains = measured.down_gain if backwards else measured.up_gain
    known = ~(np.isnan(sortable) | np.isnan(winning))
    n_units = int(known.sum())
    if not n_units:
        nothing = (np.nan,) * 4
        return OrderClaim(artefact, backwards, FindingKind.UNDECIDED, *nothing, (False, False), 0)
    mean, gain = float(measured.sortability[known].mean()), float(gains[known].mean())
    is_single = n_units == 1
    clear = is_single or (mean <= 1 - CLEAR if backwards else mean >= CLEAR)
    matters = is_single or gain >= MATTERS
    p_values = combined(sortable[known]), combined(winning[known])
    passed = (p_values[0] <= level and clear, p_values[1] <= level and matters)
    kind = _kind(passed, backwards)
    return OrderClaim(artefact, backwards, kind, mean, gain, *p_values, passed, n_units)


def _kind(passed: tuple[bool, bool], backwards: bool) -> FindingKind:
    if all(passed):
        return FindingKind.GAMEABLE_BACKWARDS if backwards else FindingKind.GAMEABLE
    return FindingKind.LEANING if any(passed) else FindingKind.NO_EVIDENCE


# The judge of an algorithm: whether its lead over chance holds, and what it depends on.

RULE_OF: Mapping[FindingKind, str] = MappingProxyType(
    {
        FindingKind.ROBUST: "robust",
        FindingKind.VARIANCE_ORDER: "variance order",
        FindingKind.VARIANCE_RATIOS: "variance ratios",
        FindingKind.UNITS: "units",
        FindingKind.LEAD_LOST: "lead lost",
        FindingKind.NO_LEAD: "lead",
        FindingKind.NO_SCORE: "lead",
        FindingKind.UNDECIDED: "lead",
    }
)
"""The rule of each kind."""

ClaimKind = Literal[
    "lead", "fall", "variance order", "variance ratios", "random variances", "standardized"
]

CAUSES: Mapping[ClaimKind, FindingKind] = MappingProxyType(
    {
        "variance order": FindingKind.VARIANCE_ORDER,
        "variance ratios": FindingKind.VARIANCE_RATIOS,
        "standardized": FindingKind.UNITS,
        "random variances": FindingKind.UNITS,
    }
)
"""The cause that each contrast of scales names."""


class Claim(NamedTuple):
    """What is claimed, and on which scheme: for a contrast, that of the data as they came."""

    kind: ClaimKind
    scheme: str


@dataclass(frozen=True)
class ClaimTest:
    """The test of a claim on an algorithm.

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
        """Whether the claim is made."""
        return self.corrected <= LEVEL


@dataclass(frozen=True)
class LeadEvidence:
    """An algorithm and its chance levels on the instances of a scheme; nan where one has no score.

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
    """Scores on the same data with other scales, instance by instance; nan where there is none.

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
        By free scheme: how much smaller the lead is there than with artefacts, by instance.
    scales : mapping of str to ScaleEvidence
        By the scheme of the data as they came.
    """

    leads: Mapping[str, LeadEvidence]
    free: Sequence[str]
    falls: Mapping[str, Vector] = field(default_factory=dict)
    scales: Mapping[str, ScaleEvidence] = field(default_factory=dict)


@dataclass(frozen=True)
class JudgedAlgorithm:
    """What is found of an algorithm: all of it follows from the tests of its claims.

    Parameters
    ----------
    tests : mapping of Claim to ClaimTest
    free : sequence of str
        The schemes without a found artefact.
    """

    tests: Mapping[Claim, ClaimTest]
    free: Sequence[str]

    @property
    def kinds(self) -> tuple[FindingKind, ...]:
        """All findings, the main one first."""
        standing = () if self.standing is None else (self.standing,)
        return (*standing, *(CAUSES[claim.kind] for claim in self.causes))

    @cached_property
    def standing(self) -> FindingKind | None:
        """Whether its lead holds; None if a cause already says why it does not."""
        if self.n_units < self.n_needed:
            return FindingKind.UNDECIDED
        if not any(self.holds("lead", scheme) for scheme in self.tested):
            return FindingKind.NO_LEAD
        if self.tested_free and self.leading == self.tested_free:
            return FindingKind.ROBUST
        if self.causes:
            return None
        return FindingKind.LEAD_LOST if self.lost else FindingKind.UNDECIDED

    @property
    def variant(self) -> str:
        """Why it is undecided, or whether a lost lead holds on others; a variant in `findings`."""
        if self.standing not in (FindingKind.UNDECIDED, FindingKind.LEAD_LOST):
            return ""
        if not self.tests:
            return NOT_MEASURED
        if self.n_units < self.n_needed:
            return TOO_FEW_INSTANCES
        if self.leading:
            return LEADS_ON_SOME
        if self.lost:
            return ""
        return NEITHER if self.free else NO_TRUE_SCHEME

    @cached_property
    def causes(self) -> tuple[Claim, ...]:
        """What names a cause on each scheme: the order and the ratios, or else other units."""
        causes: list[Claim] = []
        if self.n_units >= self.n_needed:
            for scheme in sorted({claim.scheme for claim in self.tests}):
                held = [Claim(kind, scheme) for kind in CAUSES if self.holds(kind, scheme)]
                named = [claim for claim in held if CAUSES[claim.kind] != FindingKind.UNITS]
                causes += named or held[:1]
        return tuple(causes)

    @property
    def tested(self) -> list[str]:
        """The schemes where its lead was tested."""
        return [claim.scheme for claim in self.tests if claim.kind == "lead"]

    @property
    def tested_free(self) -> list[str]:
        """Those of them without a found artefact."""
        return [scheme for scheme in self.free if Claim("lead", scheme) in self.tests]

    @property
    def leading(self) -> list[str]:
        """Those of these where it leads."""
        return [scheme for scheme in self.free if self.holds("lead", scheme)]

    @property
    def lost(self) -> list[str]:
        """Those of them where it has lost its lead."""
        others = [scheme for scheme in self.tested_free if scheme not in self.leading]
        return [scheme for scheme in others if self.holds("fall", scheme)]

    @property
    def n_units(self) -> int:
        """The number of instances of the claim that has most."""
        return max((test.n_units for test in self.tests.values()), default=0)

    @property
    def n_needed(self) -> int:
        """The number of instances from which anything could be found."""
        return units_needed(len(self.tests))

    def holds(self, kind: ClaimKind, scheme: str) -> bool:
        """Return whether a claim was tested and is made."""
        test = self.tests.get(Claim(kind, scheme))
        return test is not None and test.holds


def judge_algorithm(evidence: AlgorithmEvidence) -> JudgedAlgorithm:
    """Return what is found of an algorithm.

    Examples
    --------
    >>> ahead = LeadEvidence(np.full(10, 0.02), np.full(10, 0.3))
    >>> judged = judge_algorithm(AlgorithmEvidence({"raw": ahead, "iscm": ahead}, ["iscm"]))
    >>> [kind.value for kind in judged.kinds]
    ['robust']
    """
    return JudgedAlgorithm(_tests(evidence), evidence.free)


def _tests(evidence: AlgorithmEvidence) -> dict[Claim, ClaimTest]:
    tested: dict[Claim, tuple[float, int]] = {}
    for scheme, lead in evidence.leads.items():
        known = ~(np.isnan(lead.reached) | np.isnan(lead.beyond))
        # Ahead of random orders and of its own number of edges: both, so the larger p-value.
        p_value = max(combined(lead.reached[known]), sign_flips(lead.beyond[known]))
        tested[Claim("lead", scheme)] = p_value, int(known.sum())
    for scheme, fall in evidence.falls.items():
        tested[Claim("fall", scheme)] = sign_flips(fall), _n_known(fall)
    for scheme, scores in evidence.scales.items():
        for kind, (p_value, n_units) in _scale_tests(scores).items():
            tested[Claim(kind, scheme)] = p_value, n_units
    tested = {claim: test for claim, test in tested.items() if test[1] and not math.isnan(test[0])}
    corrected = holm({claim: p_value for claim, (p_value, _) in tested.items()})
    return {claim: ClaimTest(p, corrected[claim], n) for claim, (p, n) in tested.items()}


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
