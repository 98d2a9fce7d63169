"""Sortabilities of series: how far a statistic of each process reveals what acts on what."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from causalassay.common.arrays import Adjacency, Values, Vector, check_adjacency, check_values
from causalassay.diagnostics.explained_variance import determination, variances
from causalassay.diagnostics.sortability import PairWeights, aligned_share
from causalassay.graphs.lagged import LaggedGraph, summary_ancestors


def series_pair_weights(graph: LaggedGraph | Adjacency) -> PairWeights:
    """Return the pairs (i, j) that count, each once: i acts on j along some path, but not j on i.

    Parameters
    ----------
    graph : LaggedGraph, or its summary as an Adjacency
        Both entries of a pair True means feedback.

    References
    ----------
    Herman et al. (2025), arXiv 2503.17037.

    Examples
    --------
    Two processes in a loop act on a third: what is in the loop has no order.

    >>> loop = np.array([[False, True, False], [True, False, True], [False, False, False]])
    >>> pairs = series_pair_weights(loop)
    >>> pairs.cause.tolist(), pairs.effect.tolist()
    ([0, 1], [2, 2])
    """
    summary = graph.summary if isinstance(graph, LaggedGraph) else check_adjacency(graph)
    above = summary_ancestors(summary)
    cause, effect = np.nonzero(above & ~above.T)
    return PairWeights(cause, effect, np.ones(len(cause), dtype=np.int64), len(summary))


def series_var_sortability(
    values: ArrayLike, graph: LaggedGraph | Adjacency, tolerance: float = 1e-9
) -> float:
    """Return how far the variances of the processes grow from causes to effects.

    Parameters
    ----------
    values : array_like, shape (n, d)
        Rows in the order of time.
    graph : LaggedGraph, or its summary as an Adjacency
    tolerance : float
        On the ratio of two variances (ddof 0); closer ones tie and count one half.

    Returns
    -------
    float
        Over the pairs of `series_pair_weights`; nan if there is none, where the
        authors' package has one half.

    References
    ----------
    Herman et al. (2025), arXiv 2503.17037.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(100, 2)) * [1, 2]
    >>> series_var_sortability(values, np.array([[False, True], [False, False]]))
    1.0
    """
    pairs = series_pair_weights(graph)
    return aligned_share(pairs, variances(check_values(values, pairs.n_nodes)), tolerance)


def series_r2_sortability(
    values: ArrayLike,
    graph: LaggedGraph | Adjacency,
    max_lag: int | None = None,
    own_past: bool = True,
    tolerance: float = 1e-9,
) -> float:
    """Return how far `series_r2` grows from causes to effects.

    Parameters
    ----------
    values : array_like, shape (n, d)
        Rows in the order of time.
    graph : LaggedGraph, or its summary as an Adjacency
    max_lag : int, optional
        By default that of the lagged graph; a summary does not tell it.
    own_past : bool
        Whether a process may be explained by its own past; False is the
        "R2_summary" of the authors' package.
    tolerance : float
        On the ratio of two R²; closer ones tie and count one half.

    References
    ----------
    Herman et al. (2025), arXiv 2503.17037.

    Examples
    --------
    >>> from causalassay.graphs import lagged_erdos_renyi
    >>> from causalassay.models import draw
    >>> rng = np.random.default_rng(0)
    >>> graph = lagged_erdos_renyi(5, 0.5, 2, rng, feedback=False)
    >>> values = draw("uumc", graph, rng, mechanism="var").sample(500, rng)
    >>> 0 <= series_r2_sortability(values, graph) <= 1
    True
    """
    if max_lag is None:
        if not isinstance(graph, LaggedGraph):
            raise ValueError("max_lag: a summary graph does not give the largest lag; state it")
        max_lag = graph.max_lag
    pairs = series_pair_weights(graph)
    checked = check_values(values, pairs.n_nodes)
    return aligned_share(pairs, series_r2(checked, max_lag, own_past), tolerance)


def series_r2(values: ArrayLike, max_lag: int, own_past: bool = True) -> Vector:
    """Return R² of each process now on all others at lags 0 to `max_lag`, with an intercept.

    Parameters
    ----------
    values : array_like, shape (n, d)
        Rows in the order of time; a constant column is an error.
    max_lag : int
    own_past : bool
        Whether the process's own past, at lags 1 to `max_lag`, is among the regressors.

    Returns
    -------
    ndarray, shape (d,)

    Notes
    -----
    Departs from the authors' package, which regresses without an intercept.

    References
    ----------
    Herman et al. (2025), arXiv 2503.17037; Lohse and Wahl for the variant
    without the own past.

    Examples
    --------
    A process that is the other one a step later:

    >>> x = np.random.default_rng(0).normal(size=101)
    >>> values = np.column_stack([x[1:], x[:-1]])
    >>> float(series_r2(values, max_lag=1)[1])
    1.0
    """
    design = lagged_values(values, max_lag)
    d = design.shape[1] // (max_lag + 1)
    if own_past:
        return determination(design).r2[:d]
    shares = np.empty(d)
    for node in range(d):
        others = np.flatnonzero(np.arange(design.shape[1]) % d != node)
        shares[node] = determination(design[:, [node, *others]]).r2[0]
    return shares


def lagged_values(values: ArrayLike, max_lag: int) -> Values:
    """Return each row beside its past: shape (n - max_lag, (max_lag + 1)·d), lag by lag.

    Column ``lag * d + i`` holds X_i(t - lag).

    Examples
    --------
    >>> lagged_values([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]], max_lag=1)
    array([[ 2., 20.,  1., 10.],
           [ 3., 30.,  2., 20.]])
    """
    array = check_values(values)
    n = len(array)
    if max_lag < 0 or n - max_lag < 2:
        raise ValueError(
            f"max_lag: {n} rows allow lags 0 to {n - 2}, got {max_lag}; take more rows"
        )
    return np.hstack([array[max_lag - lag : n - lag] for lag in range(max_lag + 1)])
