"""What an additive model predicts where a column is given another distribution."""

from __future__ import annotations

import numpy as np

from causalassay.arrays import Adjacency, Values, Vector
from causalassay.graphs import reachability, topological_order
from causalassay.risk.prediction.bent_line import Columns, fit_lines

UNCHANGED = 0
"""The number of the law of a column that does not descend from the target."""


class AdditiveModel:
    """Regressions of the nodes on their parents; each node keeps the residuals of its rows.

    Parameters
    ----------
    rows : ndarray, shape (m, d)
        Observational rows: the regressions are fitted on them, and predictions change them.
    target : int
    settings : ndarray, shape (m,)
        What the target is set to in each row.

    Notes
    -----
    Each parent acts by a line that may bend (see `fit_lines`). Where the target of a row is set
    to another value, each descendant changes by the difference of its parents' lines and keeps
    its residual. So what does not descend from the target stays as it was observed, and under
    the empty graph nothing changes, whatever the distributions.

    A law is numbered by what it is computed from: graphs that agree on this share it.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> rows = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 4.0], [1.0, 5.0]])
    >>> set_to_2 = AdditiveModel(rows, 0, np.full(4, 2.0))
    >>> set_to_2.laws(chain(2))
    [1, 2]
    >>> set_to_2.law(1, 2).round(3)
    array([7., 8., 7., 8.])
    >>> set_to_2.law(1, UNCHANGED)
    array([1., 2., 4., 5.])
    """

    def __init__(self, rows: Values, target: int, settings: Vector) -> None:
        self._rows, self._target = rows, target
        self._columns = Columns.of(rows)
        self._observed = [self._columns.pieces(rows[:, node], node) for node in range(len(rows.T))]
        self._fits: dict[tuple[int, bytes], dict[int, Vector]] = {}
        self._numbers: dict[tuple[int, bytes, tuple[int, ...]], int] = {}
        moved = self._columns.pieces(settings, target) - self._observed[target]
        self._values: list[Vector] = [np.empty(0), settings]
        self._moved: list[Values] = [np.empty(0), moved]

    def laws(self, dag: Adjacency) -> list[int]:
        """Return the number of each column's law under a DAG."""
        reached = reachability(dag)[self._target]
        numbers = [UNCHANGED] * len(dag)
        numbers[self._target] = 1
        for node in topological_order(dag):
            if reached[node] and node != self._target:
                parents = np.flatnonzero(dag[:, node]).tolist()
                numbers[node] = self._number(int(node), dag[:, node].tobytes(), parents, numbers)
        return numbers

    def law(self, column: int, number: int) -> Vector:
        """Return the predicted values of a column, one for each row."""
        return self._rows[:, column] if number == UNCHANGED else self._values[number]

    def _number(self, node: int, key: bytes, parents: list[int], numbers: list[int]) -> int:
        given = (node, key, tuple(numbers[parent] for parent in parents))
        if given not in self._numbers:
            lines = self._lines(node, key, parents)
            change = np.zeros(len(self._rows))
            for parent in parents:
                if numbers[parent] != UNCHANGED:
                    change += self._moved[numbers[parent]] @ lines[parent]
            predicted = self._rows[:, node] + change
            self._numbers[given] = len(self._values)
            self._values.append(predicted)
            self._moved.append(self._columns.pieces(predicted, node) - self._observed[node])
        return self._numbers[given]

    def _lines(self, node: int, key: bytes, parents: list[int]) -> dict[int, Vector]:
        if (node, key) not in self._fits:
            fitted = fit_lines([self._observed[parent] for parent in parents], self._rows[:, node])
            self._fits[node, key] = dict(zip(parents, fitted, strict=True))
        return self._fits[node, key]
