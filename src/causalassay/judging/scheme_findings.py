"""The judge of many data sets made in one way: the two tests of an audit, over all units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from causalassay.arrays import Vector
from causalassay.judging.artefacts import Artefact
from causalassay.judging.findings import Kind
from causalassay.judging.order_tests import corrected_level
from causalassay.judging.over_units import combined

CLEAR = 0.6
"""The least mean sortability over several units that is called gameable; backwards 1 - CLEAR.
Many units find artefacts that are too small to matter."""


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
    """

    sortability: Vector
    rising_p: Vector
    falling_p: Vector
    up_p: Vector
    down_p: Vector


@dataclass(frozen=True)
class OrderClaim:
    """What sorting by a statistic, in one direction, tells over all units.

    Parameters
    ----------
    artefact : Artefact
    backwards : bool
    kind : Kind
        "gameable", "gameable backwards", "leaning", "no evidence" or "undecided".
    sortability : float
        The mean.
    sortable_p, winning_p : float
        Of the two tests; nan if not measured.
    level : float
        Of each test.
    n_units : int
    """

    artefact: Artefact
    backwards: bool
    kind: Kind
    sortability: float
    sortable_p: float
    winning_p: float
    level: float
    n_units: int

    @property
    def passed(self) -> tuple[bool, bool]:
        """Which of the two tests found something."""
        return self.sortable_p <= self.level, self.winning_p <= self.level


def judge_orders(evidence: Mapping[Artefact, OrderEvidence]) -> tuple[OrderClaim, ...]:
    """Return what was found of each statistic and direction, all of them judged together.

    Examples
    --------
    >>> from causalassay.judging.artefacts import VARIANCE
    >>> sorted_up = OrderEvidence(
    ...     np.full(5, 0.9), np.full(5, 0.01), np.ones(5), np.full(5, 0.02), np.ones(5)
    ... )
    >>> [claim.kind for claim in judge_orders({VARIANCE: sorted_up})]
    ['gameable', 'no evidence']
    """
    level = corrected_level(max(len(evidence), 1))
    return tuple(
        _claim(artefact, backwards, measured, level)
        for artefact, measured in evidence.items()
        for backwards in (False, True)
    )


def _claim(
    artefact: Artefact, backwards: bool, measured: OrderEvidence, level: float
) -> OrderClaim:
    sortable = measured.falling_p if backwards else measured.rising_p
    winning = measured.down_p if backwards else measured.up_p
    known = ~(np.isnan(sortable) | np.isnan(winning))
    n_units = int(known.sum())
    mean = float(measured.sortability[known].mean()) if n_units else np.nan
    sortable_p, winning_p = combined(sortable[known]), combined(winning[known])
    kind = _kind(sortable_p, winning_p, mean, backwards, n_units, level)
    return OrderClaim(artefact, backwards, kind, mean, sortable_p, winning_p, level, n_units)


def _kind(
    sortable_p: float, winning_p: float, mean: float, backwards: bool, n_units: int, level: float
) -> Kind:
    if not n_units:
        return "undecided"
    passed = (sortable_p <= level, winning_p <= level)
    clear = n_units == 1 or (mean <= 1 - CLEAR if backwards else mean >= CLEAR)
    if all(passed) and clear:
        return "gameable backwards" if backwards else "gameable"
    return "leaning" if any(passed) else "no evidence"
