"""The judges of many instances: of a scheme by the two tests of an audit, and of an algorithm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from causalassay.common.arrays import Vector
from causalassay.judging.artefacts import Artefact
from causalassay.judging.data_set import order_kind
from causalassay.judging.findings import (
    LEADS_ON_SOME,
    NEITHER,
    NO_TRUE_SCHEME,
    NOT_MEASURED,
    TOO_FEW_INSTANCES,
    FindingKind,
)
from causalassay.judging.order_measures import N_ASSIGNMENTS, N_ORDERS
from causalassay.judging.order_tests import judge_together
from causalassay.judging.p_values import LEVEL, combined, holm, sign_flips, units_needed

CLEAR = 0.6
"""The least mean sortability over several instances that counts; backwards 1 - CLEAR. Many
instances find artefacts that are too small to matter."""

MATTERS = 0.05
"""The least mean difference over several instances that counts: of a direction score from that of
random orders, of a score on other scales. It is one true edge in twenty: less is no reason to
choose an algorithm, or to distrust one."""


@dataclass(frozen=True)
class OrderEvidence:
    """What was measured of one statistic on each instance.

    Parameters
    ----------
    sortability : Vector
    rising_p, falling_p : Vector
        The share of random assignments that are at least, or at most, as sortable.
    up_p, down_p : Vector
        The share of random orders that reach the direction score along the rising, or falling,
        statistic.
    up_gain, down_gain : Vector
        How much that direction score is above the mean of random orders.
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
        The means; the gain is in direction score.
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
    untested = [
        _claim(artefact, backwards, measured)
        for artefact, measured in evidence.items()
        for backwards in (False, True)
    ]
    # What is the same in all columns of every instance cannot be claimed, so it does not count.
    n_claims = sum(min(claim.sortable_p, claim.winning_p) < 1 for claim in untested)
    passed, level = judge_together(
        lambda level: [_passes(claim, level) for claim in untested], n_claims
    )
    claims = tuple(
        replace(claim, passed=pair, kind=order_kind(pair, claim.backwards))
        if claim.n_units
        else claim
        for claim, pair in zip(untested, passed, strict=True)
    )
    nothing = all(claim.kind == FindingKind.NO_EVIDENCE for claim in claims)
    if nothing and attainable is not None and combined(attainable) > level:
        return tuple(replace(claim, kind=FindingKind.TOO_SMALL) for claim in claims)
    return claims


def _passes(claim: OrderClaim, level: float) -> tuple[bool, bool]:
    """Return which of the two tests of a claim find something that matters at a level."""
    is_single = claim.n_units == 1
    clear = claim.sortability <= 1 - CLEAR if claim.backwards else claim.sortability >= CLEAR
    return (
        claim.sortable_p <= level and (is_single or clear),
        claim.winning_p <= level and (is_single or claim.gain >= MATTERS),
    )


def _claim(artefact: Artefact, backwards: bool, measured: OrderEvidence) -> OrderClaim:
    """Return what was measured of a statistic in one direction, not yet judged."""
    sortable = measured.falling_p if backwards else measured.rising_p
    winning = measured.down_p if backwards else measured.up_p
    gains = measured.down_gain if backwards else measured.up_gain
    known = ~(np.isnan(sortable) | np.isnan(winning))
    n_units = int(known.sum())
    if not n_units:
        nothing = (np.nan,) * 4
        return OrderClaim(artefact, backwards, FindingKind.UNDECIDED, *nothing, (False, False), 0)
    mean, gain = float(measured.sortability[known].mean()), float(gains[known].mean())
    p_values = combined(sortable[known]), combined(winning[known])
    kind = FindingKind.NO_EVIDENCE
    return OrderClaim(artefact, backwards, kind, mean, gain, *p_values, (False, False), n_units)


# The judge of an algorithm: whether its lead over chance holds, and what it depends on.

RULE_OF: Mapping[FindingKind, str] = MappingProxyType(
    {
        FindingKind.ROBUST: "robust",
        FindingKind.SKELETON_LEAD: "skeleton lead",
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
    "lead",
    "skeleton",
    "fall",
    "variance order",
    "variance ratios",
    "random variances",
    "standardized",
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
    effect : float
        The mean of what it compares.
    """

    p_value: float
    corrected: float
    n_units: int
    effect: float

    @property
    def holds(self) -> bool:
        """Whether the claim is made: it is significant, and its effect matters."""
        return self.corrected <= LEVEL and abs(self.effect) >= MATTERS


@dataclass(frozen=True)
class LeadEvidence:
    """An algorithm and its chance levels on the instances of a scheme; nan where one has no score.

    Parameters
    ----------
    direction : Vector
        Its direction scores; as many edges at random places have 0.
    reached : Vector
        The share of random orders that reach them.
    gain : Vector
        How much they are above the mean of random orders.
    skeleton_reached : Vector
        The share of random orders that reach the F1 of its skeleton.
    skeleton_fit : Vector
        How probable it is that as many pairs at random are as often true ones.
    skeleton_gain : Vector
        How much the F1 of its skeleton is above the mean of random orders.
    """

    direction: Vector
    reached: Vector
    gain: Vector
    skeleton_reached: Vector
    skeleton_fit: Vector
    skeleton_gain: Vector


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
        By free scheme: how much smaller the gain is there than with artefacts, by instance.
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
        kinds: tuple[ClaimKind, ...] = ("lead", "skeleton")
        if not any(self.holds(kind, scheme) for scheme in self.tested for kind in kinds):
            return FindingKind.NO_LEAD
        return None if self.causes else self._standing_of_lead()

    def _standing_of_lead(self) -> FindingKind:
        if self.tested_free and self.leading == self.tested_free:
            return FindingKind.ROBUST
        if self.lost:
            return FindingKind.LEAD_LOST
        if self.tested_free and all(self.holds("skeleton", name) for name in self.tested_free):
            return FindingKind.SKELETON_LEAD
        return FindingKind.UNDECIDED

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
        """What names a cause on each scheme: the order and the ratios, or else other units.

        The largest effect comes first.
        """
        causes: list[Claim] = []
        if self.n_units >= self.n_needed:
            for scheme in sorted({claim.scheme for claim in self.tests}):
                held = [Claim(kind, scheme) for kind in CAUSES if self.holds(kind, scheme)]
                held.sort(key=self._size, reverse=True)
                named = [claim for claim in held if CAUSES[claim.kind] != FindingKind.UNITS]
                causes += named or held[:1]
        return tuple(sorted(causes, key=self._size, reverse=True))

    def _size(self, claim: Claim) -> float:
        return abs(self.tests[claim].effect)

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
    >>> rare, gain = np.full(10, 0.02), np.full(10, 0.3)
    >>> ahead = LeadEvidence(gain, rare, gain, rare, rare, gain)
    >>> judged = judge_algorithm(AlgorithmEvidence({"raw": ahead, "iscm": ahead}, ["iscm"]))
    >>> [kind.value for kind in judged.kinds]
    ['robust']
    """
    return JudgedAlgorithm(_tests(evidence), evidence.free)


class _Test(NamedTuple):
    """A claim before it is corrected."""

    p_value: float
    n_units: int
    effect: float


def _tests(evidence: AlgorithmEvidence) -> dict[Claim, ClaimTest]:
    tested: dict[Claim, _Test] = {}
    for scheme, lead in evidence.leads.items():
        # Ahead of random orders and of its own number of edges: both, so the larger p-value.
        known = ~(np.isnan(lead.reached) | np.isnan(lead.direction))
        p_value = max(combined(lead.reached[known]), sign_flips(lead.direction[known]))
        tested[Claim("lead", scheme)] = _Test(p_value, int(known.sum()), _mean(lead.gain))
        known = ~(np.isnan(lead.skeleton_reached) | np.isnan(lead.skeleton_fit))
        p_value = max(combined(lead.skeleton_reached[known]), combined(lead.skeleton_fit[known]))
        effect = _mean(lead.skeleton_gain)
        # Fewer than random orders reach is no lead, however large.
        tested[Claim("skeleton", scheme)] = _Test(p_value, int(known.sum()), max(effect, 0.0))
    for scheme, fall in evidence.falls.items():
        tested[Claim("fall", scheme)] = _Test(sign_flips(fall), _n_known(fall), _mean(fall))
    for scheme, scores in evidence.scales.items():
        for kind, test in _scale_tests(scores).items():
            tested[Claim(kind, scheme)] = test
    tested = {
        claim: test
        for claim, test in tested.items()
        if test.n_units and not math.isnan(test.p_value)
    }
    corrected = holm({claim: test.p_value for claim, test in tested.items()})
    return {
        claim: ClaimTest(test.p_value, corrected[claim], test.n_units, test.effect)
        for claim, test in tested.items()
    }


def _scale_tests(scores: ScaleEvidence) -> dict[ClaimKind, _Test]:
    order = scores.order_in_order - scores.order_at_random
    fall = scores.in_order - scores.at_random
    pairs: dict[ClaimKind, Vector] = {
        "variance ratios": scores.raw - scores.in_order,
        "random variances": fall,
        "standardized": scores.raw - scores.standardized,
    }
    tests = {
        kind: _Test(sign_flips(pair, "two-sided"), _n_known(pair), _mean(pair))
        for kind, pair in pairs.items()
    }
    # Sorting shows in both: the score falls, and causes no longer come before effects.
    p_value = max(sign_flips(fall), sign_flips(order))
    effect = max(min(_mean(fall), _mean(order)), 0.0)
    tests["variance order"] = _Test(p_value, _n_known(fall), effect)
    return tests


def _mean(values: Vector) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _n_known(values: Vector) -> int:
    return int((~np.isnan(values)).sum())


# From how many instances anything could be found: the judges are asked, with perfect evidence.


def orders_need(artefacts: Sequence[Artefact]) -> int:
    """Return from how many instances a scheme could be found gameable.

    Sorting along the first statistic is then as good as can be measured on every instance, and the
    others tell nothing.

    Parameters
    ----------
    artefacts : sequence of Artefact
        The statistics that are looked at: at least one.

    Examples
    --------
    >>> from causalassay.judging.artefacts import artefacts_of
    >>> orders_need(artefacts_of("continuous")[:1]), orders_need(artefacts_of("continuous"))
    (1, 2)
    """

    def is_found(count: int) -> bool:
        def everywhere(value: float) -> Vector:
            return np.full(count, value)

        rare = everywhere(1 / (N_ASSIGNMENTS + 1)), everywhere(1 / (N_ORDERS + 1))
        usual = everywhere(0.5)
        nothing = OrderEvidence(usual, usual, usual, usual, usual, usual - 0.5, usual - 0.5)
        perfect = OrderEvidence(
            everywhere(1.0), rare[0], usual, rare[1], usual, everywhere(1.0), usual - 0.5
        )
        evidence = dict.fromkeys(artefacts, nothing) | {artefacts[0]: perfect}
        return any(claim.kind == FindingKind.GAMEABLE for claim in judge_orders(evidence))

    return _first_number(is_found)


def algorithms_need(
    schemes: Sequence[str],
    free: Sequence[str],
    rescaled: Mapping[str, tuple[bool, bool, bool]],
) -> int:
    """Return from how many instances an algorithm could be found robust.

    It then leads as clearly as can be measured on every instance and scheme, and nothing that it
    scores depends on scales.

    Parameters
    ----------
    schemes : sequence of str
    free : sequence of str
        Those without a found artefact: at least one. With fewer than all, losses of the lead are
        tested, too.
    rescaled : mapping
        Of each scheme that was rescaled: whether in order, at random, and standardised.

    Examples
    --------
    >>> algorithms_need(["iscm"], ["iscm"], {}), algorithms_need(["raw", "iscm"], ["iscm"], {})
    (6, 7)
    """

    def is_found(count: int) -> bool:
        rare, sure, unknown = (np.full(count, value) for value in (1 / (N_ORDERS + 1), 1.0, np.nan))
        lead = LeadEvidence(sure, rare, sure, rare, rare, sure)
        falls = {name: sure - sure for name in free} if len(free) < len(schemes) else {}
        scales = {}
        for base, there in rescaled.items():
            in_order, at_random, standardized = (sure if known else unknown for known in there)
            scales[base] = ScaleEvidence(
                sure, in_order, at_random, standardized, in_order, at_random
            )
        evidence = AlgorithmEvidence(dict.fromkeys(schemes, lead), free, falls, scales)
        return judge_algorithm(evidence).standing == FindingKind.ROBUST

    return _first_number(is_found)


def _first_number(is_found: Callable[[int], bool]) -> int:
    return next(count for count in itertools.count(1) if is_found(count))
