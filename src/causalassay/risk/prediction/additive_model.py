"""What an additive model predicts where a column is given another distribution."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Values, Vector
from causalassay.graphs import reachability, topological_order

UNCHANGED = 0
"""The number of the law of a column that does not descend from the target."""


class Regressions:
    """The lines of nodes on their parents, each fitted once, whatever is asked of them.

    Parameters
    ----------
    rows : ndarray, shape (m, d)

    Examples
    --------
    >>> rows = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 4.0], [1.0, 5.0]])
    >>> fitted = Regressions(rows)
    >>> lines = fitted.lines(1, np.array([True, False]))
    >>> float((fitted.observed[0] @ lines[0]).round(3).max())
    1.5
    """

    def __init__(self, rows: Values) -> None:
        self.rows = rows
        self.columns = Columns.of(rows)
        self.observed = [self.columns.pieces(rows[:, node], node) for node in range(len(rows.T))]
        self._fits: dict[tuple[int, bytes], dict[int, Vector]] = {}

    def lines(self, node: int, is_parent: NDArray[np.bool_]) -> dict[int, Vector]:
        """Return the weights of each parent's pieces."""
        key = (node, is_parent.tobytes())
        if key not in self._fits:
            parents = np.flatnonzero(is_parent).tolist()
            fitted = fit_lines([self.observed[parent] for parent in parents], self.rows[:, node])
            self._fits[key] = dict(zip(parents, fitted, strict=True))
        return self._fits[key]


class AdditiveModel:
    """Regressions of the nodes on their parents; each node keeps the residuals of its rows.

    Parameters
    ----------
    regressions : Regressions
        Fitted to the observational rows; predictions change these rows.
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
    >>> set_to_2 = AdditiveModel(Regressions(rows), 0, np.full(4, 2.0))
    >>> set_to_2.laws(chain(2))
    [1, 2]
    >>> set_to_2.law(1, 2).round(3)
    array([7., 8., 7., 8.])
    >>> set_to_2.law(1, UNCHANGED)
    array([1., 2., 4., 5.])
    """

    def __init__(self, regressions: Regressions, target: int, settings: Vector) -> None:
        self._regressions, self._target = regressions, target
        self._numbers: dict[tuple[int, bytes, tuple[int, ...]], int] = {}
        self._values: list[Vector] = [np.empty(0), settings]
        self._moved: list[Values] = [np.empty(0), self._movement(settings, target)]

    def laws(self, dag: Adjacency) -> list[int]:
        """Return the number of each column's law under a DAG."""
        reached = reachability(dag)[self._target]
        numbers = [UNCHANGED] * len(dag)
        numbers[self._target] = 1
        for node in topological_order(dag):
            if reached[node] and node != self._target:
                numbers[node] = self._number(int(node), dag[:, node], numbers)
        return numbers

    def law(self, column: int, number: int) -> Vector:
        """Return the predicted values of a column, one for each row."""
        observed = self._regressions.rows[:, column]
        return observed if number == UNCHANGED else self._values[number]

    def _number(self, node: int, is_parent: NDArray[np.bool_], numbers: list[int]) -> int:
        moved = {p: numbers[p] for p in np.flatnonzero(is_parent).tolist() if numbers[p]}
        given = (node, is_parent.tobytes(), tuple(moved.values()))
        if given not in self._numbers:
            lines = self._regressions.lines(node, is_parent)
            predicted = self._regressions.rows[:, node].copy()
            for parent, number in moved.items():
                predicted += self._moved[number] @ lines[parent]
            self._numbers[given] = len(self._values)
            self._values.append(predicted)
            self._moved.append(self._movement(predicted, node))
        return self._numbers[given]

    def _movement(self, values: Vector, node: int) -> Values:
        """Return how far the pieces of a node move from where they were observed."""
        pieces = self._regressions.columns.pieces(values, node)
        return pieces - self._regressions.observed[node]


# Additive regression: a bent line for each parent, as bent as leaving rows out supports.

_BENDS = (0.2, 0.4, 0.6, 0.8)
"""Quantiles of a parent at which its line may bend."""

_PENALTIES = (0.01, 0.1, np.inf)
"""On the bends, times the rows and the variance of each; with the last the lines are straight."""

_UNDETERMINED = 1e-8
"""The penalty on slopes, in squared standard deviations: collinear parents share their weight."""

_PIECES = len(_BENDS) + 1


class Columns(NamedTuple):
    """Where the line of each column may bend, in units of its mean and standard deviation."""

    mean: Vector
    sd: Vector
    bends: Values

    @classmethod
    def of(cls, rows: Values) -> Columns:
        """Return the units of the columns; a constant column has the unit 1."""
        constant = (rows == rows[0]).all(axis=0)
        mean = np.where(constant, rows[0], rows.mean(axis=0))
        sd = np.where(constant, 1.0, rows.std(axis=0))
        return cls(mean, sd, (np.quantile(rows, _BENDS, axis=0) - mean) / sd)

    def pieces(self, values: Vector, column: int) -> Values:
        """Return the straight line and the bends that the line of a column is made of.

        Parameters
        ----------
        values : ndarray, shape (m,)
        column : int

        Returns
        -------
        ndarray, shape (m, 5)
        """
        scaled = (values - self.mean[column]) / self.sd[column]
        bent = np.maximum(scaled[:, None] - self.bends[:, column], 0.0)
        return np.column_stack([scaled, bent])


def fit_lines(pieces: list[Values], outcome: Vector) -> list[Vector]:
    """Return the weights of each parent's pieces, by least squares with the best penalty.

    Parameters
    ----------
    pieces : list of k ndarray, shape (n, 5)
        The pieces of each parent.
    outcome : ndarray, shape (n,)

    Notes
    -----
    The penalty is that of the least squared error on rows left out one at a time. Without bends
    this is linear regression.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(400, 1))
    >>> parent = Columns.of(rows).pieces(rows[:, 0], 0)
    >>> (straight,) = fit_lines([parent], 3.0 * rows[:, 0])
    >>> (straight / rows.std()).round(3).tolist()
    [3.0, 0.0, 0.0, 0.0, 0.0]
    >>> (bent,) = fit_lines([parent], np.abs(rows[:, 0]))
    >>> bool(np.mean(np.square(parent @ bent - np.abs(rows[:, 0]))) < 0.1)
    True
    """
    design = np.hstack(pieces)
    design = design - design.mean(axis=0)
    centred = outcome - outcome.mean()
    square, with_outcome = design.T @ design, design.T @ centred
    is_bend = np.arange(design.shape[1]) % _PIECES > 0
    least, best = np.inf, np.zeros(design.shape[1])
    for penalty in reversed(_PENALTIES):
        chosen = ~is_bend if np.isinf(penalty) else np.ones_like(is_bend)
        ridge = _UNDETERMINED * len(outcome) * np.ones(len(chosen))
        if not np.isinf(penalty):
            ridge += np.where(is_bend, penalty * square.diagonal(), 0.0)
        inverse = np.linalg.inv(square[np.ix_(chosen, chosen)] + np.diag(ridge[chosen]))
        weights = inverse @ with_outcome[chosen]
        part = design[:, chosen]
        leverage = ((part @ inverse) * part).sum(axis=1) + 1 / len(outcome)
        left_out = (centred - part @ weights) / np.maximum(1 - leverage, 1e-6)
        error = float(left_out @ left_out)
        if error < least:
            least, best = error, np.zeros(len(chosen))
            best[chosen] = weights
    return list(best.reshape(-1, _PIECES))
