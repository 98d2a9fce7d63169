"""Spline functions of every column and their cross products: what additive models need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.graphs.orders import Indices

MOST_FUNCTIONS = 9
"""Functions of a column, the intercept apart: with it ten, as mgcv has by default."""
LEAST_FUNCTIONS = 3
"""A term with fewer functions could hardly bend."""
ROWS_PER_FUNCTION = 2
"""A regression has at most one function for so many rows."""
_LEAST_SHARE = 1e-9
"""Directions of a column's splines with less of the variance count as rounding errors."""


@dataclass(frozen=True, eq=False)
class SplineColumns:
    """The spline functions of all columns, each column's own orthonormal.

    Parameters
    ----------
    standardised : ndarray, shape (n, d)
        The columns with mean 0 and variance 1; a constant one is 0.
    basis : ndarray, shape (n, m)
        The functions of all columns beside each other. The first of each column is the
        column itself, which has no penalty; the more a function bends, the later it comes.
    products : ndarray, shape (m, m)
        Means of the products of two functions: the identity within a column.
    penalties : ndarray, shape (m,)
        The mean square of each function's second derivative.
    starts : ndarray of int, shape (d + 1,)
        Where the functions of each column begin.

    Notes
    -----
    As a column is the first of its own functions, `products` has all that regressions of any
    column on any others need: they do not read the rows again.
    """

    standardised: Values
    basis: Values
    products: Weights
    penalties: Vector
    starts: Indices

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return len(self.basis)

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self.standardised.shape[1]

    def functions(self, columns: Indices, n_functions: int = MOST_FUNCTIONS) -> list[Indices]:
        """Return for each of some columns which functions are its first `n_functions`."""
        return [
            np.arange(self.starts[j], min(self.starts[j + 1], self.starts[j] + n_functions))
            for j in columns
        ]


def spline_columns(values: Values) -> SplineColumns:
    """Return the spline functions of all columns.

    Parameters
    ----------
    values : ndarray, shape (n, d)

    Notes
    -----
    Natural cubic splines with ten knots at quantiles of the column's distinct values (fewer
    where it has fewer), turned so that they are orthonormal over the rows and the roughness
    penalty ∫ f''² is diagonal. The first is a line; the first k of them are, among all
    choices of k, those with the least roughness, so a smaller basis is the beginning of a
    larger one.

    Examples
    --------
    >>> columns = spline_columns(np.random.default_rng(0).normal(size=(200, 2)))
    >>> columns.basis.shape, columns.starts
    ((200, 18), array([ 0,  9, 18]))
    >>> bool(np.allclose(columns.products[:9, :9], np.eye(9)))
    True
    """
    scale = values.std(axis=0)
    varied = np.ptp(values, axis=0) > 0
    standardised = (values - values.mean(axis=0)) / np.where(varied, scale, 1.0)
    standardised[:, ~varied] = 0.0
    pieces = [_orthonormal_splines(column) for column in standardised.T]
    basis = np.hstack([functions for functions, _ in pieces])
    sizes = [functions.shape[1] for functions, _ in pieces]
    return SplineColumns(
        standardised,
        basis,
        basis.T @ basis / len(values),
        np.concatenate([penalty for _, penalty in pieces]),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
    )


def _orthonormal_splines(column: Vector) -> tuple[Values, Vector]:
    """Return the functions of a standardised column, one a column, and their roughness."""
    n, distinct = len(column), np.unique(column)
    n_knots = min(MOST_FUNCTIONS + 1, len(distinct))
    if n_knots < 2:
        return np.empty((n, 0)), np.empty(0)
    line = column[:, None]
    if n_knots == 2:
        return line, np.zeros(1)
    knots = np.quantile(distinct, np.linspace(0, 1, n_knots))
    functions, roughness = _natural_splines(column, knots)
    functions -= functions.mean(axis=0)
    # Lines have no penalty; all else is made orthogonal to them.
    functions -= line * (line.T @ functions / n)
    eigenvalues, rotation = np.linalg.eigh(functions.T @ functions / n)
    regular = eigenvalues > _LEAST_SHARE * eigenvalues[-1]
    whitened = rotation[:, regular] / np.sqrt(eigenvalues[regular])
    penalty, turned = np.linalg.eigh(whitened.T @ roughness @ whitened)
    bent = functions @ (whitened @ turned)
    return np.hstack([line, bent]), np.concatenate([[0.0], np.maximum(penalty, 0.0)])


def _natural_splines(column: Vector, knots: Vector) -> tuple[Values, Weights]:
    """Return the natural cubic splines that are 1 at one knot and 0 at all others.

    Also returned are the integrals of the products of their second derivatives, which are
    lines between the knots.

    References
    ----------
    Green, Silverman (1994), Nonparametric regression and generalized linear models, section 2.1.
    """
    k, gaps = len(knots), np.diff(knots)
    inner = np.arange(k - 2)
    differences, joined = np.zeros((k - 2, k)), np.zeros((k - 2, k - 2))
    differences[inner, inner] = 1.0 / gaps[:-1]
    differences[inner, inner + 1] = -1.0 / gaps[:-1] - 1.0 / gaps[1:]
    differences[inner, inner + 2] = 1.0 / gaps[1:]
    joined[inner, inner] = (gaps[:-1] + gaps[1:]) / 3.0
    joined[inner[:-1], inner[1:]] = joined[inner[1:], inner[:-1]] = gaps[1:-1] / 6.0
    bends = np.zeros((k, k))
    bends[1:-1] = np.linalg.solve(joined, differences)
    left = np.clip(np.searchsorted(knots, column, side="right") - 1, 0, k - 2)
    gap = gaps[left]
    after = (column - knots[left]) / gap
    before = 1.0 - after
    rows = np.arange(len(column))
    functions = np.zeros((len(column), k))
    functions[rows, left], functions[rows, left + 1] = before, after
    functions += ((before**3 - before) * gap**2 / 6.0)[:, None] * bends[left]
    functions += ((after**3 - after) * gap**2 / 6.0)[:, None] * bends[left + 1]
    return functions, differences.T @ bends[1:-1]
