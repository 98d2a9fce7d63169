"""Additive regression on smooth functions of each predictor, and parents by its p-values."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.common.spelling import RefusedValue
from causalassay.discovery.regression.boosted_selection import boosted_selection
from causalassay.discovery.regression.smoothing import RIDGE, SmoothingProblem
from causalassay.discovery.regression.spline_columns import (
    LEAST_FUNCTIONS,
    MOST_FUNCTIONS,
    ROWS_PER_FUNCTION,
    SplineColumns,
    spline_columns,
)
from causalassay.graphs.orders import Indices

CUTOFF = 0.001
"""The p-value above which CAM's pruning drops a parent."""

LEAST_ROWS = 20
"""With fewer, a smooth function of a column is hardly more than a line."""

MOST_PARENTS = 20
"""Of more allowed parents, boosting first selects so many."""


@dataclass(frozen=True, eq=False)
class AdditiveFit:
    """A column regressed on a sum of smooth functions of others.

    Parameters
    ----------
    columns : SplineColumns
    target : int
    predictors : ndarray of int, shape (p,)
    sizes : ndarray of int, shape (p,)
        How many functions each predictor has.
    used : ndarray of int, shape (k,)
        Which functions these are, predictor by predictor.
    log_smoothing : ndarray, shape (p,)
        Of each predictor, the logarithm of the factor of its roughness.
    penalty : ndarray, shape (k,)
        The factor of the square of each coefficient.
    coefficients : ndarray, shape (k,)
    inverse : ndarray, shape (k, k)
        Of the penalised cross products.

    Notes
    -----
    The target is taken as standardised, and so are residuals and variances.
    """

    columns: SplineColumns
    target: int
    predictors: Indices
    sizes: Indices
    used: Indices
    log_smoothing: Vector
    penalty: Vector
    coefficients: Vector
    inverse: Weights

    @property
    def residual_variance(self) -> float:
        """The mean squared residual: the share of the target's variance that is left."""
        return max(self.deviance - float(self.coefficients**2 @ self.penalty), 0.0)

    @property
    def deviance(self) -> float:
        """The mean squared residual and the penalties."""
        with_target = self.columns.products[self.used, self.columns.starts[self.target]]
        return 1.0 - float(with_target @ self.coefficients)

    @property
    def residuals(self) -> Vector:
        """What the regression leaves of the standardised target."""
        fitted = self.columns.basis[:, self.used] @ self.coefficients
        return self.columns.standardised[:, self.target] - fitted

    @property
    def effective_degrees(self) -> float:
        """The effective degrees of freedom of all terms and the intercept."""
        return 1.0 + float(self._shrinkage().trace())

    @property
    def free_rows(self) -> int:
        """The rows that the intercept and the unpenalised functions leave."""
        return self.columns.n_samples - 1 - int((self.penalty == 0).sum())

    def smoothings(self, predictors: Indices) -> Vector:
        """Return the log smoothings of some columns, nan where the fit does not have them."""
        of_columns = np.full(self.columns.n_columns, np.nan)
        of_columns[self.predictors] = self.log_smoothing
        return of_columns[predictors]

    def _shrinkage(self) -> Weights:
        """Return the map from unpenalised to penalised coefficients."""
        return np.eye(len(self.used)) - self.inverse * self.penalty

    def p_values(self) -> Vector:
        """Return for each predictor the p-value of no effect.

        Notes
        -----
        Wood's Wald test: u, the values of the term along the eigenvectors of their Bayesian
        covariance, in standard errors. T is the sum of the first squares, as many as the term
        has effective degrees of freedom, 2 tr F - tr FF with F the map from unpenalised to
        penalised coefficients. A fraction of a square is taken as in the paper, by a quadratic
        form of the last two; as its cross product has the sign of arbitrary eigenvectors, the
        p-value is the mean over both. T is compared with an F law, whose numerator has the
        mean and variance of the paper's weighted sum of χ².

        References
        ----------
        Wood (2013), On p-values for smooth components of an extended generalized additive
        model, Biometrika 100:221-228, section 2.
        """
        shrinkage = self._shrinkage()
        degrees = self.columns.n_samples - 1.0 - float(shrinkage.trace())
        if not len(self.predictors) or degrees <= 0:
            return np.ones(len(self.predictors))
        scale = self.residual_variance * self.columns.n_samples / degrees
        squared_shrinkage = np.einsum("ij,ji->i", shrinkage, shrinkage)
        effective = 2.0 * shrinkage.diagonal() - squared_shrinkage
        p_values, end = np.ones(len(self.predictors)), 0
        for term, size in enumerate(self.sizes):
            part, end = slice(end, end + size), end + size
            if size:
                covariance = self.inverse[part, part] * (scale / self.columns.n_samples)
                rank = min(max(float(effective[part].sum()), 1.0), float(size))
                p_values[term] = _wald_p(self.coefficients[part], covariance, rank, degrees)
        return p_values


def fit_additive(
    columns: SplineColumns,
    target: int,
    predictors: Indices,
    *,
    n_functions: int | None = None,
    log_smoothing: Vector | None = None,
) -> AdditiveFit:
    """Regress a column on a sum of smooth functions of others.

    Parameters
    ----------
    columns : SplineColumns
    target : int
    predictors : ndarray of int, shape (p,)
        Other columns.
    n_functions : int, optional
        The most functions of each; by default as many as the rows allow.
    log_smoothing : ndarray, shape (p,), optional
        Where the search for the smoothings begins, nan where nothing is known.

    Notes
    -----
    Each term has its own smoothing, and all together maximise the restricted likelihood
    (REML): a Newton search with the exact first and second derivatives.

    References
    ----------
    Wood (2011), Fast stable restricted maximum likelihood and marginal likelihood estimation
    of semiparametric generalized linear models, JRSS B 73:3-36, for the criterion.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(300, 3))
    >>> values[:, 2] = np.sin(2 * values[:, 0]) + 0.5 * rng.normal(size=300)
    >>> fit = fit_additive(spline_columns(values), 2, np.array([0, 1]))
    >>> bool(0.2 < fit.residual_variance * values[:, 2].var() < 0.3)
    True
    >>> fit.p_values() < 0.001
    array([ True, False])
    """
    if n_functions is None:
        n_functions = functions_allowed(columns.n_samples, len(predictors))
    blocks = columns.functions(predictors, n_functions)
    sizes = np.array([len(block) for block in blocks], dtype=np.int64)
    used = np.concatenate([np.empty(0, np.int64), *blocks])
    problem = SmoothingProblem(
        columns.products[np.ix_(used, used)] + RIDGE * np.eye(len(used)),
        columns.products[used, columns.starts[target]],
        columns.penalties[used],
        sizes,
        columns.n_samples,
    )
    start = np.full(len(predictors), np.nan) if log_smoothing is None else log_smoothing
    smoothing, solution = problem.minimised(start)
    return AdditiveFit(
        columns,
        target,
        predictors,
        sizes,
        used,
        smoothing,
        np.exp(smoothing)[problem.term] * problem.penalties,
        solution.coefficients,
        solution.inverse,
    )


def functions_allowed(n_samples: int, n_predictors: int) -> int:
    """Return how many functions each predictor may have, so that rows remain for the noise.

    Examples
    --------
    >>> functions_allowed(1000, 20), functions_allowed(200, 20), functions_allowed(50, 20)
    (9, 5, 3)
    """
    allowed = n_samples // (ROWS_PER_FUNCTION * max(n_predictors, 1))
    return min(max(allowed, LEAST_FUNCTIONS), MOST_FUNCTIONS)


def most_predictors(n_samples: int) -> int:
    """Return how many predictors the rows allow, each with the least number of functions.

    Examples
    --------
    >>> most_predictors(500)
    83
    """
    return max(1, n_samples // (ROWS_PER_FUNCTION * LEAST_FUNCTIONS))


def prune_along_order(
    values: Values, order: Indices, *, cutoff: float = CUTOFF
) -> NDArray[np.bool_]:
    """Regress each column on those before it, and keep those that have an effect: CAM's pruning.

    Parameters
    ----------
    values : ndarray, shape (n, d)
    order : ndarray of int, shape (d,)
        All columns, causes first.
    cutoff : float
        Parents are those whose p-value is at most this.

    Returns
    -------
    ndarray of bool, shape (d, d)
        ``graph[i, j]`` is the edge i → j.

    Notes
    -----
    See `prune_parents`.

    References
    ----------
    Bühlmann, Peters, Ernest (2014), Annals of Statistics 42:2526-2556, section 2.3.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(300, 3))
    >>> values[:, 0] += 2 * np.cos(2 * values[:, 2])
    >>> prune_along_order(values, np.array([2, 1, 0])).astype(int)
    array([[0, 0, 0],
           [0, 0, 0],
           [1, 0, 0]])
    """
    d = values.shape[1]
    if sorted(order) != list(range(d)):
        raise RefusedValue("order", f"expected each of 0 to {d - 1} once, got {list(order)}")
    allowed = np.zeros((d, d), dtype=bool)
    for position, node in enumerate(order):
        allowed[order[:position], node] = True
    return prune_parents(spline_columns(values), allowed, cutoff=cutoff)


def prune_parents(
    columns: SplineColumns, allowed: NDArray[np.bool_], *, cutoff: float = CUTOFF
) -> NDArray[np.bool_]:
    """Keep of each column's allowed parents those that have an effect beside the others.

    Parameters
    ----------
    columns : SplineColumns
    allowed : ndarray of bool, shape (d, d)
    cutoff : float
        Parents are those whose p-value is at most this.

    Notes
    -----
    Where a column has more than 20 allowed parents, or more than the rows allow terms of three
    functions each, boosting first selects as many: CAM's preliminary neighbourhood selection.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(300, 2))
    >>> values[:, 1] += values[:, 0] ** 2
    >>> prune_parents(spline_columns(values), np.array([[False, True], [False, False]]))
    array([[False,  True],
           [False, False]])
    """
    if not 0 <= cutoff <= 1:
        raise RefusedValue("cutoff", f"expected a p-value from 0 to 1, got {cutoff}")
    graph = np.zeros_like(allowed)
    most = min(most_predictors(columns.n_samples), MOST_PARENTS)
    for node in range(len(allowed)):
        parents = np.flatnonzero(allowed[:, node])
        if len(parents) > most:
            parents = boosted_selection(columns, node, parents, most)
        if len(parents) and columns.starts[node] < columns.starts[node + 1]:
            p_values = fit_additive(columns, node, parents).p_values()
            graph[parents[p_values <= cutoff], node] = True
    return graph


def _wald_p(coefficients: Vector, covariance: Weights, rank: float, degrees: float) -> float:
    """Return the p-value of coefficients of orthonormal functions, by so many squares."""
    variances, axes = np.linalg.eigh(covariance)
    in_errors = axes.T @ coefficients / np.sqrt(np.maximum(variances, np.finfo(float).tiny))
    along = in_errors[::-1]
    whole = floor(rank)
    part = rank - whole
    if part < 1e-9 or whole >= len(along):
        return float(fdtrc(rank, degrees, (along[:whole] ** 2).sum() / rank))
    base = (along[:whole] ** 2).sum() + part * along[whole] ** 2
    crossed = 2.0 * sqrt(part * (1.0 - part) / 2.0) * along[whole - 1] * along[whole]
    tails = [fdtrc(rank, degrees, max(base + sign * crossed, 0.0) / rank) for sign in (1, -1)]
    return float(np.mean(tails))
