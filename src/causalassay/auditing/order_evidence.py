"""What the rule for several units is told of each audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from causalassay.auditing.result import RANDOM_ORDERS, Audit
from causalassay.common.arrays import Vector
from causalassay.judging.artefacts import Artefact
from causalassay.judging.scheme_findings import OrderEvidence

Measured = tuple[float, float, float, float, float, float, float]

_NOTHING: Measured = (np.nan,) * 7
_TIED: Measured = (0.5, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0)
"""What cannot be sorted by cannot win."""


def order_evidence(artefact: Artefact, audits: Sequence[Audit], units: Vector) -> OrderEvidence:
    """Return what was measured of a statistic on each unit, a mean over its audits."""
    measured = np.array([measured_of(artefact, one) for one in audits])
    return OrderEvidence(*(by_unit(column, units) for column in measured.T))


def measured_of(artefact: Artefact, audit: Audit) -> Measured:
    """Return what `OrderEvidence` has of one audit; nan where it could not be tested."""
    rows = (one for one in audit.sortabilities if one.statistic == artefact.statistic)
    sortable = next(rows, None)  # the first is that of the judge
    base = random_f1(audit)
    if sortable is None or np.isnan(base):
        return _NOTHING
    up = audit.sorted_by(artefact.statistic, "rising")
    down = audit.sorted_by(artefact.statistic, "falling")
    if up is None or down is None or up.p_order is None or down.p_order is None:
        return _TIED
    gains = up.f1 - base, down.f1 - base
    p_values = sortable.p_rising, sortable.p_falling, up.p_order, down.p_order
    return (sortable.value, *p_values, *gains)


def random_f1(audit: Audit) -> float:
    """Return the mean F1 along random orders; nan without any."""
    rows = (row.f1 for row in audit.baselines if row.algorithm == RANDOM_ORDERS)
    return next(rows, float("nan"))


def units_of(audits: Sequence[Audit]) -> Vector:
    """Return the unit of each audit: those on one graph share theirs.

    Nothing says that data on one graph were drawn independently, and their p-values may be added
    up only if they were.
    """
    graphs: dict[Any, int] = {}
    keys = [(frozenset(one.name for one in own.columns), own.edges) for own in audits]
    return np.array([graphs.setdefault(key, len(graphs)) for key in keys])


def by_unit(values: Vector, units: Vector) -> Vector:
    """Return the mean of each unit over what is known; nan where nothing is.

    Examples
    --------
    >>> by_unit(np.array([1.0, np.nan, np.nan, 3.0]), np.array([0, 0, 1, 2]))
    array([ 1., nan,  3.])
    """
    means = []
    for unit in range(int(units.max()) + 1):
        own = values[units == unit]
        own = own[~np.isnan(own)]
        means.append(own.mean() if len(own) else np.nan)
    return np.array(means)
