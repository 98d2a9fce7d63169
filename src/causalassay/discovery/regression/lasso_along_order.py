"""Sparse regressions of all variables on those before them, along one order or many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dgeqrf, dtrtri

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.common.spelling import RefusedValue
from causalassay.contracts import NotApplicable
from causalassay.discovery.regression.bic_lasso import adaptive_lasso
from causalassay.graphs.orders import Indices

PATH_END = 2.0**-23
"""Where scikit-learn ends a lasso path: the rounding error of single precision."""


def sort_regress(values: Values, order: Indices, path_end: float = PATH_END) -> Weights:
    """Return the weights of the adaptive lasso of each variable on those before it.

    Parameters
    ----------
    values : Values, shape (n, d)
        n > d, no column constant.
    order : ndarray of int, shape (d,)
    path_end : float
        Where each lasso path ends; see `VarSortnRegress`.

    Returns
    -------
    Weights, shape (d, d)
        ``weights[i, j]`` is not zero only if i comes before j in the order.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=1)
    >>> sort_regress(values, np.arange(3)).round(1)
    array([[0. , 1. , 0. ],
           [0. , 0. , 0.9],
           [0. , 0. , 0. ]])
    """
    _check_path_end(path_end)
    return _weights(prefix_fits(values[:, order]), order, len(values), path_end)


def sort_regress_each(
    values: Values, orders: Iterable[Indices], path_end: float = PATH_END
) -> Iterator[Weights]:
    """Yield what `sort_regress` returns for each of many orders of the same values.

    The rows are read once: their triangle in the first QR factorisation has the same
    scalar products, so it takes their place. An order then costs the same at any
    number of rows.

    Parameters
    ----------
    values, path_end
        As in `sort_regress`.
    orders : iterable of ndarray of int, shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=1)
    >>> [w.round(1)[0, 1] for w in sort_regress_each(values, [[0, 1, 2], [1, 0, 2]])]
    [np.float64(1.0), np.float64(0.0)]
    """
    regress = regression_of(values, path_end)
    for order in orders:
        yield regress(np.asarray(order))


def regression_of(values: Values, path_end: float = PATH_END) -> Callable[[Indices], Weights]:
    """Return a function that does what `sort_regress` does for an order, reading the rows no more.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=1)
    >>> regression_of(values)(np.array([0, 1, 2])).round(1)[0, 1]
    np.float64(1.0)
    """
    _check_path_end(path_end)
    standardised, scale = _standardise(values)
    triangle = _triangle(standardised)
    correlation = triangle.T @ triangle

    def regress(order: Indices) -> Weights:
        coefficients, residual = _nested_least_squares(_triangle(triangle[:, order]))
        ordered = np.ascontiguousarray(correlation[np.ix_(order, order)])
        fits = _PrefixFits(coefficients, residual, ordered, scale[order])
        return _weights(fits, order, len(values), path_end)

    return regress


def _check_path_end(path_end: float) -> None:
    if not 0 <= path_end < np.inf:
        raise RefusedValue("path_end", f"expected a finite number >= 0, got {path_end}")


class _PrefixFits(NamedTuple):
    """Least squares of each standardised variable on those before it."""

    coefficients: Weights
    residual: Vector
    correlation: Weights
    scale: Vector


def _weights(fits: _PrefixFits, order: Indices, n_samples: int, path_end: float) -> Weights:
    singular = np.flatnonzero(fits.residual <= 10 * len(order) * np.finfo(float).eps)
    if len(singular):
        raise NotApplicable(
            f"column {order[singular[0]]} is a linear combination of others, so that regressions "
            "are not determined; remove it"
        )
    # In standardised units the end of the path is divided by the target's variance.
    stop = path_end / np.maximum(np.square(fits.scale), 1.0)
    ordered = adaptive_lasso(fits.correlation, fits.coefficients, fits.residual, n_samples, stop)
    weights = np.empty_like(ordered)
    weights[np.ix_(order, order)] = ordered * fits.scale / fits.scale[:, None]
    return weights


def prefix_fits(values: Values) -> _PrefixFits:
    """Fit all at once, by one QR factorisation."""
    standardised, scale = _standardise(values)
    triangle = _triangle(standardised)
    coefficients, residual = _nested_least_squares(triangle)
    return _PrefixFits(coefficients, residual, triangle.T @ triangle, scale)


def _standardise(values: Values) -> tuple[Values, Vector]:
    """Return centred columns of length 1, and their standard deviations before."""
    centred = values - values.mean(axis=0)
    scale = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(values))
    centred /= scale * np.sqrt(len(values))
    return centred, scale


def _triangle(columns: Values) -> Weights:
    """Return R of the QR factorisation."""
    d = columns.shape[1]
    # LAPACK works on 32 columns at a time if it has the room; scipy gives it room for 3.
    return np.triu(dgeqrf(columns, lwork=32 * d)[0][:d])


def _nested_least_squares(triangle: Weights) -> tuple[Weights, Vector]:
    """With QR = X, column k of R⁻¹ is (-b, 1)/r_kk, and r_kk² the residual."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse, _ = dtrtri(triangle)
        coefficients = -inverse / inverse.diagonal()
    # One memory layout, so that the kernel is compiled once.
    before = np.ascontiguousarray(np.triu(coefficients, 1))
    return before, np.square(triangle.diagonal())
