"""Granger causality by the adaptive lasso, and the lagged regressions that it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Values, Vector
from causalassay.common.spelling import RefusedValue
from causalassay.contracts import Estimate, Kind, NotApplicable, Reads, check_rows
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.explained_variance import correlations, determination
from causalassay.diagnostics.sortability import lagged_values
from causalassay.discovery.regression.bic_lasso import lasso_bic
from causalassay.discovery.regression.lasso_along_order import PATH_END
from causalassay.discovery.statistics import check_continuous, check_observational
from causalassay.graphs.lagged import LaggedGraph
from causalassay.graphs.orders import Indices
from causalassay.models.series.var import Coefficients

# Sparse regressions of every process now on processes now and before.


def lagged_design(data: Dataset, max_lag: int) -> Values:
    """Return the observational series, each row beside its past, if it allows all regressions.

    Raises
    ------
    NotApplicable
        If the rows are independent, no condition is known to be observational, a column is
        discrete or constant, there are too few rows, or columns are linearly dependent.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(20, 2))
    >>> lagged_design(Dataset.from_values(values, rows="series"), max_lag=2).shape
    (18, 6)
    """
    check_rows(data, "series")
    check_observational(data)
    values = data.observational_values
    check_continuous(data, values)
    width = (max_lag + 1) * data.n_nodes
    if len(values) - max_lag <= width:
        raise NotApplicable(
            f"regressions on {data.n_nodes} columns at lags 0 to {max_lag} need at least "
            f"{width + max_lag + 1} rows, got {len(values)}; take more rows or fewer lags"
        )
    design = lagged_values(values, max_lag)
    _check_determined(design)
    return design


def _check_determined(design: Values) -> None:
    """Raise `NotApplicable` where a regression on all other columns is not determined."""
    if (np.ptp(design, axis=0) == 0).any():
        raise NotApplicable("a column varies in the first rows only; leave it out")
    unexplained = 1.0 - determination(design).r2
    if unexplained.min() <= 10 * len(unexplained) * np.finfo(float).eps:
        raise NotApplicable(
            "a column is a linear combination of others and of their past, so that regressions "
            "are not determined; remove it"
        )


def lagged_lasso(design: Values, allowed: NDArray[np.bool_], path_end: float) -> Coefficients:
    """Return the adaptive-lasso coefficients of each process on its allowed regressors.

    Least squares gives weights, the lasso with BIC on the regressors scaled by
    them gives the coefficients, as in `sort_regress`.

    Parameters
    ----------
    design : Values, shape (n, (max_lag + 1)·d)
        From `lagged_design`.
    allowed : ndarray of bool, shape (max_lag + 1, d, d)
        ``[lag, i, j]``: whether X_i(t - lag) may act on X_j(t).
    path_end : float
        Where each lasso path ends; see `VarSortnRegress`.

    Returns
    -------
    ndarray, shape (max_lag + 1, d, d)

    Examples
    --------
    >>> x = np.zeros((500, 1))
    >>> noise = np.random.default_rng(0).normal(size=500)
    >>> for t in range(1, 500):
    ...     x[t] = 0.7 * x[t - 1] + noise[t]
    >>> allowed = np.array([[[False]], [[True]]])
    >>> lagged_lasso(lagged_values(x, 1), allowed, 0.0).round(1).ravel()
    array([0. , 0.7])
    """
    n_lags, d, _ = allowed.shape
    correlation = correlations(design)
    sd = design.std(axis=0)
    coefficients = np.zeros((n_lags * d, d))
    for node in range(d):
        regressors = np.flatnonzero(allowed[:, :, node])
        if len(regressors):
            gram = correlation[np.ix_(regressors, regressors)]
            stop = path_end / max(sd[node] ** 2, 1.0)
            moment = correlation[regressors, node]
            standardized = _adaptive(gram, moment, len(design), stop)
            coefficients[regressors, node] = standardized * sd[node] / sd[regressors]
    return coefficients.reshape(allowed.shape)


def _adaptive(gram: Values, moment: Vector, n_samples: int, stop: float) -> Vector:
    """Return the coefficients of a standardised target (Zou 2006, equation 4, γ = 1)."""
    ols = np.linalg.solve(gram, moment)
    size = np.abs(ols)
    residual = max(1.0 - float(moment @ ols), float(np.finfo(float).tiny))
    scaled = lasso_bic(
        np.ascontiguousarray(gram * np.outer(size, size)),
        moment * size,
        np.sign(ols),
        residual,
        n_samples,
        stop,
    )
    return scaled * size


def check_lagged_settings(max_lag: int, path_end: float) -> None:
    """Raise unless the largest lag and the end of the lasso path are sensible."""
    if isinstance(max_lag, bool) or max_lag != int(max_lag) or max_lag < 1:
        raise RefusedValue("max_lag", f"expected a whole number >= 1, got {max_lag}")
    if not 0 <= path_end < np.inf:
        raise RefusedValue("path_end", f"expected a finite number >= 0, got {path_end}")


def lagged_estimate(
    design: Values, max_lag: int, path_end: float, order: Indices | None = None
) -> Estimate:
    """Estimate the links over time and, along an order, within a step."""
    d = design.shape[1] // (max_lag + 1)
    allowed: NDArray[np.bool_] = np.ones((max_lag + 1, d, d), dtype=bool)
    allowed[0] = False
    nodes = None
    if order is not None:
        position = np.argsort(order)
        allowed[0] = position[:, None] < position
        nodes = tuple(int(node) for node in order)
    lagged = LaggedGraph(lagged_lasso(design, allowed, path_end) != 0)
    return Estimate(lagged.summary, "summary", order=nodes, lagged=lagged)


@dataclass(frozen=True)
class GrangerLasso:
    """Regress every process on the past of all by the adaptive lasso; what helps is a cause.

    It claims no link within a step: what is contemporaneous is missed, or
    shows as lagged.

    Parameters
    ----------
    max_lag : int
        How far the past reaches.
    path_end : float
        Where each lasso path ends; see `VarSortnRegress`.

    References
    ----------
    Granger (1969), https://doi.org/10.2307/1912791; Arnold, Liu, Abe (2007),
    https://doi.org/10.1145/1281192.1281203, for the lasso.

    Examples
    --------
    >>> from causalassay.graphs import LaggedGraph
    >>> from causalassay.models import draw
    >>> import numpy as np
    >>> links = np.zeros((2, 2, 2), dtype=bool)
    >>> links[1, 0, 1] = True
    >>> rng = np.random.default_rng(0)
    >>> values = draw("scm", LaggedGraph(links), rng, mechanism="var").sample(300, rng)
    >>> data = Dataset.from_values(values, rows="series")
    >>> GrangerLasso().discover(data, rng).graph.astype(int)
    array([[0, 1],
           [0, 0]])
    """

    max_lag: int = 2
    path_end: float = PATH_END

    name: ClassVar[str] = "granger-lasso"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear, stationary; nothing acts within a step"
    reference: ClassVar[str] = "Granger (1969), https://doi.org/10.2307/1912791"

    def __post_init__(self) -> None:
        check_lagged_settings(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Estimate the links from past to present."""
        design = lagged_design(data, self.max_lag)
        return lagged_estimate(design, self.max_lag, self.path_end)
