"""Which columns moved under which intervention, and by how much."""

from __future__ import annotations

import math

import numpy as np

from causalassay.choosing.result import Movement
from causalassay.data import Dataset
from causalassay.risk.descendant_tests import (
    DescendantTests,
    changed_in_regimes,
    compare_regimes,
    regimes_by_node,
)
from causalassay.risk.experiments import find_experiments


def find_movements(
    dataset: Dataset, tests: DescendantTests, threshold: float
) -> tuple[Movement, ...]:
    """Return what each condition with a single target moved, by the tests that the risk uses.

    Parameters
    ----------
    dataset : Dataset
    tests : DescendantTests
    threshold : float
        Of the tests on all rows.
    """
    experiments = find_experiments(dataset)
    regimes = [regime for on in experiments.on.values() for regime in on]
    done = compare_regimes(dataset.observational_values, regimes_by_node(experiments), tests.test)
    changed = changed_in_regimes(done, tests, threshold)
    columns = dataset.columns
    return tuple(
        Movement(
            condition=regime.condition,
            target=columns[done.targets[row]],
            n_rows=len(regime.values),
            effects={name: _plain(done.effect[row, k]) for k, name in enumerate(columns)},
            p_values={name: _plain(done.p_value[row, k]) for k, name in enumerate(columns)},
            moved=tuple(columns[k] for k in np.flatnonzero(changed[row])),
            constant=tuple(columns[k] for k in np.flatnonzero(np.ptp(regime.values, axis=0) == 0)),
        )
        for row, regime in enumerate(regimes)
    )


def _plain(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
