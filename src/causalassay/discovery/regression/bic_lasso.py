"""The lasso path by least angles on a Gram matrix, and the knot on it with the best BIC."""

from __future__ import annotations

import numpy as np
from numba import njit

from causalassay.arrays import Vector, Weights
from causalassay.discovery.regression.least_angle_path import (
    EPS,
    begin,
    join,
    steepest,
    to_next_knot,
)


@njit(cache=True, nogil=True)
def lasso_bic(
    gram: Weights,
    moment: Vector,
    ols: Vector,
    residual: float,
    n_samples: int,
    stop: float,
) -> Vector:
    """Return the coefficients at the knot of the lasso path that has the least BIC.

    The path minimises |y - Xb|² / 2n + α|b|₁ for falling α; its knots are the
    penalties at which a coefficient becomes or ceases to be zero. At each of them
    the criterion is RSS/s² + log(n)·(number of non-zero coefficients), with
    s² the unbiased noise variance of least squares on all regressors; of equal
    values the first counts. At most 8(p + 1) knots are visited.

    Parameters
    ----------
    gram : ndarray, shape (p, p)
        X'X/n of centred regressors, not singular.
    moment : ndarray, shape (p,)
        X'y/n of the centred target.
    ols : ndarray, shape (p,)
        The least-squares coefficients.
    residual : float
        The mean square of the least-squares residuals.
    n_samples : int
        More than p + 1.
    stop : float
        The path ends when α falls to this.

    References
    ----------
    Efron et al. (2004), https://doi.org/10.1214/009053604000000067, section
    3.1; Zou, Hastie, Tibshirani (2007), https://doi.org/10.1214/009053607000000127,
    equation 2.14; the choices are those of scikit-learn's LassoLarsIC from 1.1 on.

    Examples
    --------
    One regressor, correlated 0.6 with the target and useful at 100 rows:

    >>> import numpy as np
    >>> lasso_bic(np.eye(1), np.array([0.6]), np.array([0.6]), 0.64, 100, 1e-7)
    array([0.6])
    """
    path, chosen = begin(moment), np.zeros(len(moment))
    size, dropped, least, level_before = 0, False, np.inf, np.inf
    for _ in range(8 * (len(moment) + 1)):
        criterion = _bic(ols, path.coefficient, path.slope, residual, n_samples)
        if criterion < least:
            least = criterion
            chosen[:] = path.coefficient
        joining = steepest(path.slope, path.status)
        level = abs(path.slope[joining]) if joining >= 0 else 0.0
        # A level that rises shows that rounding errors have taken over.
        if level <= stop or level > level_before * (1 + 1e-9):
            break
        joined = size
        if not dropped or size == 0:
            joined = join(path, gram, size, joining)
            if joined == size:
                continue
        level_before = level
        _, size = to_next_knot(path, gram, joined, level)
        dropped = size < joined
    return chosen


@njit(cache=True, nogil=True)
def adaptive_lasso(
    correlation: Weights, ols: Weights, residual: Vector, n_samples: int, stop: Vector
) -> Weights:
    """Return for each variable the adaptive-lasso coefficients on those before it.

    Parameters
    ----------
    correlation : ndarray, shape (d, d)
        Of variables in order.
    ols : ndarray, shape (d, d)
        ``ols[:k, k]`` are the least-squares coefficients of variable k on those
        before it, all standardised; their magnitudes weight the regressors.
    residual : ndarray, shape (d,)
        The share of each variance that they leave unexplained.
    n_samples : int
    stop : ndarray, shape (d,)
        Where each path ends; see `lasso_bic`.

    References
    ----------
    Zou (2006), https://doi.org/10.1198/016214506000000735, equation 4, γ = 1.

    Examples
    --------
    >>> import numpy as np
    >>> correlation = np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> ols = np.array([[0.0, 0.6], [0.0, 0.0]])
    >>> adaptive_lasso(correlation, ols, np.array([1.0, 0.64]), 100, np.full(2, 1e-7))
    array([[0. , 0.6],
           [0. , 0. ]])
    """
    d = len(correlation)
    coefficients = np.zeros((d, d))
    for k in range(1, d):
        size = np.abs(ols[:k, k])
        gram = np.empty((k, k))
        for i in range(k):
            for j in range(k):
                gram[i, j] = correlation[i, j] * size[i] * size[j]
        # Least squares on regressors scaled by its own coefficients gives 1 or -1.
        scaled = lasso_bic(
            gram, correlation[:k, k] * size, np.sign(ols[:k, k]), residual[k], n_samples, stop[k]
        )
        coefficients[:k, k] = scaled * size
    return coefficients


@njit(cache=True, nogil=True)
def _bic(ols: Vector, coefficient: Vector, slope: Vector, residual: float, n_samples: int) -> float:
    """RSS/n is `residual` + (ols - b)'G(ols - b), free of cancellation; `slope` is G(ols - b)."""
    excess, df = 0.0, 0
    for j in range(len(ols)):
        excess += (ols[j] - coefficient[j]) * slope[j]
        df += abs(coefficient[j]) > EPS
    freedom = n_samples - len(ols) - 1
    return freedom * (1.0 + excess / residual) + np.log(n_samples) * df
