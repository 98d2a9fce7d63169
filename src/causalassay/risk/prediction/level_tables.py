"""What tables of probabilities predict where a discrete column is given another distribution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Values, Vector
from causalassay.graphs import descendants
from causalassay.metrics.laws import Categorical
from causalassay.models import fit
from causalassay.models.interventions import RandomizeLevels
from causalassay.risk.prediction.linear_effects import UNCHANGED, Change


class LevelTables:
    """Tables by maximum likelihood (`models.fit`), the target's replaced by what was measured.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        Codes; the tables are fitted on them.
    n_levels : sequence of int
    target : int
    settings : ndarray
        The codes of the target that were measured.
    rng : Generator
        For networks too dense for exact laws: 100 000 rows are drawn from each.

    Notes
    -----
    What does not descend from the target has the shares that were observed.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1.0]])
    >>> always_1 = LevelTables(codes, [2, 2], 0, np.ones(3), np.random.default_rng(0))
    >>> always_1.law(1, always_1.changes(chain(2))[1]).probabilities
    array([0., 1.])
    """

    def __init__(
        self,
        values: Values,
        n_levels: Sequence[int],
        target: int,
        settings: Vector,
        rng: Generator,
    ) -> None:
        self._values, self._levels, self._target, self._rng = values, list(n_levels), target, rng
        set_to = shares(settings, n_levels[target]).tolist()
        self._action = (RandomizeLevels(target, tuple(set_to)),)

    def changes(self, dag: Adjacency) -> list[Change]:
        """Return the probabilities of each descendant of the target."""
        reached = descendants(dag, self._target)
        if not reached:
            return [UNCHANGED] * len(dag)
        model = fit(dag, self._values, self._levels)
        laws = model.marginals(self._action, rng=self._rng).probabilities
        return [
            tuple(float(f"{one:.12g}") for one in laws[node]) if node in reached else UNCHANGED
            for node in range(len(dag))
        ]

    def law(self, column: int, change: Change) -> Categorical:
        """Return the predicted probabilities of a column."""
        if change:
            return Categorical(np.array(change) / sum(change))
        return Categorical(shares(self._values[:, column], self._levels[column]))


def shares(codes: Vector, n_levels: int) -> Vector:
    """Return the share of each level.

    Examples
    --------
    >>> shares(np.array([0.0, 2.0]), 3)
    array([0.5, 0. , 0.5])
    """
    return np.bincount(codes.astype(np.int64), minlength=n_levels) / len(codes)
