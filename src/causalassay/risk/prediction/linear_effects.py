"""What a linear model predicts where a column is given another distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causalassay.arrays import Adjacency, Values, Vector, Weights
from causalassay.graphs import reachability

Change = tuple[float, ...]
"""What decides the predicted law of a column: a total effect, or the probabilities of levels."""

UNCHANGED: Change = ()
"""Of a column that does not descend from the target."""

# Of the largest singular value of correlations: below it, parents count as collinear.
_COLLINEAR = 1e-10


class LinearEffects:
    """Regressions of the nodes on their parents; each node's residuals are kept row by row.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        The rows that the regressions are fitted on.
    rows : ndarray, shape (m, d)
        The rows whose residuals a prediction keeps.
    target : int
    settings : ndarray, shape (m,)
        What the target is set to in each of `rows`.

    Notes
    -----
    In a linear model a row whose target is set to v changes by A (v - its own value), with A
    the total effects of the target. So the residuals need not be computed, nor redrawn: those
    of one row stay together. What does not descend from the target stays as it was observed.

    Collinear or constant parents get the least-squares weights of least norm: they are not
    determined, but the prediction within the range of the rows is.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> rows = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 4.0], [1.0, 5.0]])
    >>> set_to_2 = LinearEffects(rows, rows, 0, np.full(4, 2.0))
    >>> set_to_2.changes(chain(2))
    [(), (3.0,)]
    >>> set_to_2.law(1, (3.0,))
    array([7., 8., 7., 8.])
    """

    def __init__(self, values: Values, rows: Values, target: int, settings: Vector) -> None:
        centred = values - values.mean(axis=0)
        constant = (values == values[0]).all(axis=0)
        self._sd = np.where(constant, 1.0, centred.std(axis=0))
        centred = np.where(constant, 0.0, centred / self._sd)
        self._correlation = centred.T @ centred / len(values)
        self._rows, self._target = rows, target
        self._moved = settings - rows[:, target]
        self._weights: dict[tuple[int, bytes], Vector] = {}

    def changes(self, dag: Adjacency) -> list[Change]:
        """Return the total effect of the target on each of its descendants."""
        weights: Weights = np.zeros(dag.shape)
        for node in np.flatnonzero(dag.any(axis=0)).tolist():
            weights[:, node] = self._regression(node, dag[:, node])
        unit = np.zeros(len(dag))
        unit[self._target] = 1.0
        effects = np.linalg.solve((np.eye(len(dag)) - weights).T, unit)
        effects *= self._sd / self._sd[self._target]
        reached = reachability(dag)[self._target]
        # Twelve digits: members of a class whose effects are equal share one prediction.
        return [
            (float(f"{effect:.12g}"),) if reached[node] else UNCHANGED
            for node, effect in enumerate(effects)
        ]

    def law(self, column: int, change: Change) -> Vector:
        """Return the predicted values of a column, one for each of the rows."""
        return self._rows[:, column] + sum(change) * self._moved

    def _regression(self, node: int, is_parent: NDArray[np.bool_]) -> Vector:
        key = (node, is_parent.tobytes())
        if key not in self._weights:
            parents = np.flatnonzero(is_parent)
            among = self._correlation[np.ix_(parents, parents)]
            inverse = np.linalg.pinv(among, rcond=_COLLINEAR, hermitian=True)
            weights = np.zeros(len(is_parent))
            weights[parents] = inverse @ self._correlation[parents, node]
            self._weights[key] = weights
        return self._weights[key]
