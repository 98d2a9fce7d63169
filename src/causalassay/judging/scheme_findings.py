"""The judge of many data sets made in one way: the two tests of an audit, over all units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from causalassay.common.arrays import Vector
from causalassay.judging.artefacts import Artefact
from causalassay.judging.findings import FindingKind
from causalassay.judging.order_tests import corrected_level
from causalassay.judging.over_units import combined

CLEAR = 0.6
"""The least mean sortability over several units that counts; backwards 1 - CLEAR. Many units find
artefacts that are too small to matter."""

MATTERS = 0.05
"""The least mean gain in F1 over random orders, over several units, that counts."""


@dataclass(frozen=True)
class OrderEvidence:
    """What was measured of one statistic on each unit.

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
    """What sorting by a statistic, in one direction, tells over all units.

    Parameters
    ----------
    artefact : Artefact
    backwards : bool
    kind : FindingKind
        One on the order.
    sortability, gain : float
        The means.
    sortable_p, winning_p : float
        Of the two tests; nan if not measured.
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
        The least p-value that any order could have, by unit: where these are too large
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
    one = n_units == 1
    clear = one or (mean <= 1 - CLEAR if backwards else mean >= CLEAR)
    matters = one or gain >= MATTERS
    p_values = combined(sortable[known]), combined(winning[known])
    passed = (p_values[0] <= level and clear, p_values[1] <= level and matters)
    kind = _kind(passed, backwards)
    return OrderClaim(artefact, backwards, kind, mean, gain, *p_values, passed, n_units)


def _kind(passed: tuple[bool, bool], backwards: bool) -> FindingKind:
    if all(passed):
        return FindingKind.GAMEABLE_BACKWARDS if backwards else FindingKind.GAMEABLE
    return FindingKind.LEANING if any(passed) else FindingKind.NO_EVIDENCE
