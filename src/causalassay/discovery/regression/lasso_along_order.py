"""Sparse regressions of all variables on those before them, from one QR factorisation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dgeqrf, dtrtri

from causalassay.arrays import Values, Vector, Weights
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
    if not 0 <= path_end < np.inf:
        raise ValueError(f"path_end: expected a finite number >= 0, got {path_end}")
    n_samples, n_nodes = values.shape
    fits = prefix_fits(values[:, order])
    singular = np.flatnonzero(fits.residual <= 10 * n_nodes * np.finfo(float).eps)
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


class _PrefixFits(NamedTuple):
    """Least squares of each standardised variable on those before it."""

    coefficients: Weights
    residual: Vector
    correlation: Weights
    scale: Vector


def prefix_fits(values: Values) -> _PrefixFits:
    """Fit all at once: with QR = X, column k of R⁻¹ is (-b, 1)/r_kk, and r_kk² the residual."""
    centred = values - values.mean(axis=0)
    scale = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(values))
    centred /= scale * np.sqrt(len(values))
    triangle = np.triu(dgeqrf(centred)[0][: values.shape[1]])
    residual = np.square(triangle.diagonal())
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse, _ = dtrtri(triangle)
        coefficients = -inverse / inverse.diagonal()
    # One memory layout, so that the kernel is compiled once.
    before = np.ascontiguousarray(np.triu(coefficients, 1))
    return _PrefixFits(before, residual, triangle.T @ triangle, scale)
