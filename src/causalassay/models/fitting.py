"""Models fitted to data, or to moments, on a given DAG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.lapack import dgeqrf, dpotrf, dtrtrs

from causalassay.common.arrays import Adjacency, Values, Vector, Weights, check_square, check_values
from causalassay.common.spelling import listed
from causalassay.graphs.orders import Indices, check_dag
from causalassay.models.discrete.scm import DiscreteSCM, check_levels
from causalassay.models.discrete.sources import table_shape
from causalassay.models.discrete.tables import ProbabilityTable, as_codes
from causalassay.models.linear.scm import LinearSCM

# A pivot is the share of a variable's variance that the variables before it leave unexplained.
# Solving in correlations divides their rounding errors by it, so that below this one the fit
# goes back to the values, whose condition is the root of that.
_TRUSTED = 1e-7

# A covariance matrix has no values behind it: down to this pivot its rounding errors leave
# about six digits of a coefficient.
_COLLINEAR = 1e-10


@overload
def fit(graph: Adjacency, values: ArrayLike) -> LinearSCM: ...
@overload
def fit(
    graph: Adjacency, values: ArrayLike, levels: LevelsLike, *, smoothing: float = 0.0
) -> DiscreteSCM: ...
def fit(
    graph: Adjacency,
    values: ArrayLike,
    levels: LevelsLike | None = None,
    *,
    smoothing: float = 0.0,
) -> LinearSCM | DiscreteSCM:
    """Return the maximum-likelihood model on a DAG: linear-Gaussian, or tables of levels.

    Linear-Gaussian: each node is regressed on its parents, with an intercept; its noise variance
    is the residual sum of squares over n (ddof 0), which is the maximum of the
    likelihood and on average a share (parents + 1)/n too small.

    Parameters
    ----------
    graph : Adjacency
        A DAG.
    values : array_like, shape (n, d)
        A node of k parents needs at least k + 2 rows. Parents that are
        collinear, or constant, are an error: their weights are not determined.
        With `levels` the values are codes.
    levels : sequence of int or of levels, optional
        For each column the number or the names of its levels. All columns are then discrete,
        and the result is a `DiscreteSCM`. Levels that do not occur are kept.
    smoothing : float
        Only with `levels`: what is added to the count of every cell of a table. 0 is
        maximum likelihood. Where it leaves a configuration of the parents without any
        count, as one never seen, the levels are equally probable.

    Returns
    -------
    LinearSCM or DiscreteSCM
        A linear one has Gaussian noise. Its ``graph`` is where a weight is not
        zero: an edge whose coefficient comes out as exactly 0, as in a balanced
        experiment without an effect, is not in it. Score the graph that went
        in, not the one of the fitted model.

    Notes
    -----
    One matrix of correlations serves all nodes: each costs a Cholesky
    factorisation among its parents. Where a pivot, or the share of a node's
    variance that its parents leave, falls below 1e-7, the node is fitted by QR
    of the centred and scaled columns; a parent is then collinear if the
    diagonal of R is below 10·(k + 1)·eps·(1 + the largest |mean|/sd), and a
    residual below that is 0.

    References
    ----------
    Garant and Jensen 2016, figure 2: a learned structure "is parameterized with
    maximum likelihood estimation".

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> model = fit(chain(2), np.array([[0, 1], [0, 2], [1, 4], [1, 5]]))
    >>> model.weights[0, 1].round(12), model.intercept.round(12), model.noise_variance.round(12)
    (np.float64(3.0), array([0.5, 1.5]), array([0.25, 0.25]))

    Without any dependence the edge is lost from the model's own graph:

    >>> fit(chain(2), np.array([[0, 1], [0, 2], [1, 1], [1, 2]])).graph.any()
    np.False_

    Codes of two levels each:

    >>> fit(chain(2), np.array([[0, 0], [0, 1], [1, 1], [1, 1]]), levels=[2, 2]).tables[1]
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    graph = check_dag(graph)
    if levels is not None:
        return fit_tables(graph, check_values(values, len(graph)), levels, smoothing)
    if smoothing != 0:
        raise ValueError("smoothing: only tables are smoothed; state the `levels` of the columns")
    array = check_values(values, len(graph))
    n_parents = graph.sum(axis=0)
    if n_parents.max() + 2 > len(array):
        node = int(n_parents.argmax())
        raise ValueError(
            f"values: node {node} has the parents {_listed(np.flatnonzero(graph[:, node]))}, which "
            f"takes at least {n_parents[node] + 2} rows, got {len(array)}; remove some of them or "
            "add rows"
        )
    mean, scaled, sd = _standardized(array)
    correlation = scaled.T @ scaled / len(array)
    offset = np.abs(mean) / np.where(sd > 0, sd, np.inf)

    def regress(node: int, parents: Indices) -> _Regression:
        regression = _from_correlations(correlation, node, parents)
        if min(regression.pivots.min(), regression.residual) > _TRUSTED:
            return regression
        columns = np.append(parents, node)
        rounding = 10 * len(columns) * np.finfo(float).eps * (1 + float(offset[columns].max()))
        return _from_values(scaled[:, columns], node, parents, rounding)

    return _assembled(graph, mean, sd, regress)


def fit_covariance(graph: Adjacency, covariance: ArrayLike, mean: ArrayLike = 0.0) -> LinearSCM:
    """Return the linear-Gaussian model on a DAG that is nearest to given moments.

    What `fit` tends to with more and more rows: each node's population
    regression on its parents. On a graph that is wrong for the covariance the
    model has another covariance.

    Parameters
    ----------
    graph : Adjacency
        A DAG.
    covariance : array_like, shape (d, d)
        Symmetric and positive semi-definite.
    mean : array_like, shape (d,) or scalar
        The mean of each variable.

    Returns
    -------
    LinearSCM
        With Gaussian noise. Its ``graph`` is where a weight is not zero; see `fit`.

    Notes
    -----
    As `fit`, by Cholesky in correlations; a parent counts as collinear if those
    before it leave less than 1e-10 of its variance.

    Examples
    --------
    The regression of cause on effect, where the truth is the other way round:

    >>> from causalassay.graphs import chain
    >>> truth = LinearSCM([[0, 2], [0, 0]], noise_variance=1.0)
    >>> backwards = fit_covariance(chain(2).T, truth.covariance())
    >>> backwards.weights[1, 0].round(12), backwards.noise_variance.round(12)
    (np.float64(0.4), array([0.2, 5. ]))
    """
    graph = check_dag(graph)
    matrix = _check_covariance(covariance, len(graph))
    centre = np.asarray(mean, dtype=float)
    if centre.shape not in ((), (len(graph),)):
        raise ValueError(f"mean: expected a number or {len(graph)} of them, got {centre.shape}")
    sd = np.sqrt(matrix.diagonal())
    unit = np.where(sd > 0, sd, 1.0)
    correlation = matrix / unit / unit[:, None]
    if np.linalg.eigvalsh(correlation)[0] < -_COLLINEAR:
        raise ValueError("covariance: expected a positive semi-definite matrix")

    def regress(node: int, parents: Indices) -> _Regression:
        regression = _from_correlations(correlation, node, parents)
        if regression.pivots.min() <= _COLLINEAR:
            raise _collinear(node, parents, regression.pivots <= _COLLINEAR)
        return regression

    return _assembled(graph, np.broadcast_to(centre, len(graph)), sd, regress)


class _Regression(NamedTuple):
    """The regression of one standardised node on its standardised parents."""

    coefficients: Vector
    residual: float
    """The share of the node's variance that its parents leave."""
    pivots: Vector
    """The shares that each parent's predecessors leave of its own."""


_Regress = Callable[[int, Indices], _Regression]


def _assembled(graph: Adjacency, mean: Vector, sd: Vector, regress: _Regress) -> LinearSCM:
    """Return the model whose standardised regressions `regress` gives."""
    weights = np.zeros(graph.shape)
    variance = np.square(sd)
    for node in np.flatnonzero(graph.any(axis=0)).tolist():
        parents = np.flatnonzero(graph[:, node])
        regression = regress(node, parents)
        weights[parents, node] = regression.coefficients * sd[node] / sd[parents]
        variance[node] *= regression.residual
    return LinearSCM(weights, variance, mean - mean @ weights)


def _from_correlations(correlation: Weights, node: int, parents: Indices) -> _Regression:
    with_node = correlation[parents, node]
    factor, breakdown = dpotrf(correlation[np.ix_(parents, parents)])
    if breakdown:
        pivots = np.where(np.arange(len(parents)) == breakdown - 1, 0.0, 1.0)
        return _Regression(np.zeros(len(parents)), 0.0, pivots)
    projected, _ = dtrtrs(factor, with_node, trans=1)
    coefficients, _ = dtrtrs(factor, projected)
    residual = max(0.0, float(correlation[node, node] - projected @ projected))
    return _Regression(coefficients, residual, np.square(factor.diagonal()))


def _from_values(columns: Values, node: int, parents: Indices, rounding: float) -> _Regression:
    """Return least squares of the last column on the others: the last column of R has it all."""
    triangle = dgeqrf(columns / np.sqrt(len(columns)))[0][: len(parents) + 1]
    lengths = np.abs(triangle.diagonal())
    if lengths[:-1].min() <= rounding:
        raise _collinear(node, parents, lengths[:-1] <= rounding)
    coefficients, _ = dtrtrs(triangle[:-1, :-1], triangle[:-1, -1])
    residual = float(lengths[-1])
    return _Regression(
        coefficients, residual**2 if residual > rounding else 0.0, np.square(lengths[:-1])
    )


def _collinear(node: int, parents: Indices, dependent: NDArray[np.bool_]) -> ValueError:
    position = int(dependent.argmax())
    before = f" or a linear combination of {_listed(parents[:position])}" if position else ""
    return ValueError(
        f"node {node} has the parents {_listed(parents)}, but {parents[position]} is constant"
        f"{before}, so that their weights are not determined; remove one of these edges into {node}"
    )


def _listed(nodes: Indices) -> str:
    return listed(nodes.tolist())


def _standardized(values: Values) -> tuple[Vector, Values, Vector]:
    """Return means, columns centred and divided by their sd (ddof 0), and these; constants stay 0.

    A constant column is recognised by its entries: centring leaves rounding errors in it.
    """
    constant = (values == values[0]).all(axis=0)
    mean = np.where(constant, values[0], values.mean(axis=0))
    centred = values - mean
    with np.errstate(over="ignore", under="ignore"):
        square = np.einsum("ij,ij->j", centred, centred) / len(values)
    fits = constant | ((square >= np.finfo(float).tiny) & (square < np.inf))
    if not fits.all():
        raise ValueError(
            f"values: the squares of column {int(fits.argmin())} leave the range of double "
            "precision; change its unit"
        )
    sd = np.sqrt(square)
    centred /= np.where(constant, 1.0, sd)
    return mean, centred, sd


def _check_covariance(covariance: ArrayLike, n_nodes: int) -> Weights:
    matrix = np.asarray(covariance, dtype=float)
    check_square(matrix, "covariance")
    if len(matrix) != n_nodes:
        raise ValueError(
            f"covariance: the graph has {n_nodes} nodes but the covariance has {len(matrix)}"
        )
    if not np.isfinite(matrix).all() or (matrix.diagonal() < 0).any():
        raise ValueError("covariance: expected finite numbers and no negative variance")
    sd = np.sqrt(matrix.diagonal())
    # Relative to the standard deviations, so that units do not matter.
    asymmetric = np.abs(matrix - matrix.T) > 1e-8 * np.outer(sd, sd)
    if asymmetric.any():
        i, j = (int(k) for k in np.argwhere(asymmetric)[0])
        raise ValueError(
            f"covariance: expected a symmetric matrix, but ({i}, {j}) is {matrix[i, j]} and "
            f"({j}, {i}) is {matrix[j, i]}"
        )
    return matrix


# Probability tables fitted to codes on a given DAG.

LevelsLike = Sequence[int | Sequence[str] | Sequence[float]]


def fit_tables(
    graph: Adjacency, values: NDArray[Any], levels: LevelsLike, smoothing: float = 0.0
) -> DiscreteSCM:
    """Return the model on a DAG whose tables are the shares in the data; see `fit`.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> codes = np.array([[0, 0], [0, 0], [0, 1], [0, 1]])
    >>> fit_tables(chain(2), codes, levels=[2, 2]).tables[1]
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    if not 0 <= smoothing < np.inf:
        raise ValueError(f"smoothing: expected a number of at least 0, got {smoothing}")
    named = check_levels(levels, len(graph))
    n_levels = np.array([len(names) for names in named])
    outside = (values != np.floor(values)) | (values < 0) | (values >= n_levels)
    if outside.any():
        row, node = (int(k) for k in np.argwhere(outside)[0])
        raise ValueError(
            f"values: column {node} has {n_levels[node]} levels, so its values are the codes 0 to "
            f"{n_levels[node] - 1}, but row {row} is {values[row, node]}; encode it, or state all "
            "its levels"
        )
    codes = as_codes(values)
    tables = []
    for node in range(len(graph)):
        shape = table_shape(graph, node, n_levels)
        nodes = [*np.flatnonzero(graph[:, node]).tolist(), node]
        cells = np.ravel_multi_index([codes[axis] for axis in nodes], shape)
        counts = np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)
        tables.append(_shares(counts + smoothing))
    return DiscreteSCM(graph, tables, named)


def _shares(counts: ProbabilityTable) -> ProbabilityTable:
    """Return counts over their sums along the last axis; all alike where there are none."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts, 1.0) / np.where(total > 0, total, counts.shape[-1])
