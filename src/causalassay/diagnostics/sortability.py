"""Sortabilities: how far a statistic that needs no causal insight reveals the causal order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from causalassay.common.arrays import Adjacency, Values, Vector, as_graph, check_values
from causalassay.diagnostics.explained_variance import (
    cause_explained_variance,
    correlations,
    determination,
    r2_or_warn,
    variances,
)
from causalassay.graphs.lagged import LaggedGraph, summary_ancestors
from causalassay.graphs.orders import check_dag, path_counts, reachability

# How far a score of the nodes agrees with the causal order.

Convention = Literal["paths", "pairs", "edges"]


@dataclass(frozen=True, eq=False)
class PairWeights:
    """The ordered pairs that a convention counts, and how often it counts each.

    Parameters
    ----------
    cause, effect : ndarray of int, shape (m,)
        The two nodes of each counted pair.
    weight : ndarray of int, shape (m,)
        How often each pair counts.
    n_nodes : int
        The number of nodes of the graph.
    """

    cause: NDArray[np.int64]
    effect: NDArray[np.int64]
    weight: NDArray[np.int64]
    n_nodes: int


def pair_weights(graph: Adjacency, convention: Convention = "paths") -> PairWeights:
    """Return the pairs that a convention counts, to be reused for many scores of one graph.

    Parameters
    ----------
    graph : Adjacency
        A DAG.
    convention : {"paths", "pairs", "edges"}
        "paths": an ordered pair counts once for every length at which a
        directed path joins it. "pairs": once if there is any directed path.
        "edges": once if there is an edge.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 3.1, for "paths"; Herman et al.
    (2025), arXiv 2503.17037, for "pairs".

    Examples
    --------
    >>> import numpy as np
    >>> triangle = np.triu(np.ones((3, 3), dtype=bool), 1)
    >>> [int(pair_weights(triangle, c).weight.sum()) for c in ("paths", "pairs", "edges")]
    [4, 3, 3]
    """
    match convention:
        case "paths":
            counts: NDArray[np.integer] | Adjacency = path_counts(graph)
        case "pairs":
            counts = reachability(graph)
        case "edges":
            counts = check_dag(graph)
        case _:
            raise ValueError(
                f'convention: expected "paths", "pairs" or "edges", got {convention!r}'
            )
    flat = counts.ravel()
    index = np.flatnonzero(flat)
    cause, effect = np.divmod(index, len(counts))
    return PairWeights(cause, effect, flat[index].astype(np.int64), len(counts))


def aligned_share(weights: PairWeights, scores: ArrayLike, tolerance: float = 1e-9) -> float:
    """Return the weighted share of pairs whose score grows from cause to effect.

    Parameters
    ----------
    weights : PairWeights
        From `pair_weights`.
    scores : array_like, shape (d,)
        One number for each node, such as its variance.
    tolerance : float
        Two scores tie if they differ by at most this share of the larger magnitude.

    Returns
    -------
    float
        A tie counts one half; nan if there is no pair.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> weights = pair_weights(chain(3), "edges")
    >>> aligned_share(weights, [1.0, 2.0, 2.0])
    0.75
    """
    score = _check_scores(scores, weights.n_nodes)
    if not 0 <= tolerance < 1:
        raise ValueError(f"tolerance: expected 0 <= tolerance < 1, got {tolerance}")
    if len(weights.weight) == 0:
        return float("nan")
    size = np.abs(score)
    rise = score[weights.effect] - score[weights.cause]
    margin = tolerance * np.maximum(size[weights.effect], size[weights.cause])
    # Whole numbers throughout, so that reversed scores give exactly the complement.
    rising = int(weights.weight @ (rise > margin))
    falling = int(weights.weight @ (rise < -margin))
    total = int(weights.weight.sum())
    return (total + rising - falling) / (2 * total)


def alignment(
    graph: Adjacency,
    scores: ArrayLike,
    convention: Convention = "paths",
    tolerance: float = 1e-9,
) -> float:
    """Return how far a score agrees with the causal order: 1 fully, 0 when reversed.

    Parameters
    ----------
    graph : Adjacency
        The true DAG.
    scores : array_like, shape (d,)
        One finite number for each node.
    convention : {"paths", "pairs", "edges"}
        Which ordered pairs count, and how often; see `pair_weights`.
    tolerance : float
        Two scores tie if they differ by at most this share of the larger
        magnitude; a tie counts one half.

    Returns
    -------
    float
        nan if the graph has no edge.

    Notes
    -----
    Departs from the paper: its test, ``s_j / s_i`` against ``1 ± tolerance``,
    treats the two scores differently and fails at 0; here
    ``|s_j - s_i| <= tolerance * max(|s_i|, |s_j|)``, so zeros tie and reversed
    scores give one minus the value.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 3.1; Reisach et al. (2023),
    arXiv 2303.18211, equation 3, for any score.

    Examples
    --------
    The example A→B, B→C, A→C with variances 2, 1, 3: the pair (A, C) is
    joined at two lengths.

    >>> import numpy as np
    >>> triangle = np.triu(np.ones((3, 3), dtype=bool), 1)
    >>> alignment(triangle, [2, 1, 3])
    0.75
    >>> round(alignment(triangle, [2, 1, 3], convention="pairs"), 4)
    0.6667
    """
    return aligned_share(pair_weights(graph, convention), scores, tolerance)


def _check_scores(scores: ArrayLike, n_nodes: int) -> Vector:
    score = np.asarray(scores, dtype=float)
    if score.shape != (n_nodes,):
        raise ValueError(f"scores: expected shape ({n_nodes},), got {score.shape}")
    if not np.isfinite(score).all():
        node = int((~np.isfinite(score)).argmax())
        raise ValueError(f"scores: every score must be finite, node {node} has {score[node]}")
    return score


def var_sortability(
    values: ArrayLike,
    graph: Adjacency,
    convention: Convention = "paths",
    tolerance: float = 1e-9,
) -> float:
    """Return how far the variances grow along the causal order.

    Parameters
    ----------
    values : array_like, shape (n, d)
        One row per sample and one column per node.
    graph : Adjacency
        The true DAG.
    convention : {"paths", "pairs", "edges"}
        Which ordered pairs count, and how often; see `pair_weights`.
    tolerance : float
        On the ratio of two variances (ddof 0); closer ones tie and count one half.

    Returns
    -------
    float
        1: sorting by variance gives a causal order; 1/2: it tells nothing;
        nan: the graph has no edge.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 3.1 and appendix G.4.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> values = np.random.default_rng(0).normal(size=(100, 3)) * [1, 2, 3]
    >>> var_sortability(values, chain(3))
    1.0
    >>> var_sortability(values / values.std(axis=0), chain(3))
    0.5
    """
    array = _check(values, graph)
    return alignment(graph, variances(array), convention, tolerance)


def r2_sortability(
    values: ArrayLike,
    graph: Adjacency,
    convention: Convention = "paths",
    tolerance: float = 1e-9,
) -> float:
    """Return how far R² on all other variables grows along the causal order.

    Parameters
    ----------
    values : array_like, shape (n, d)
        A constant column is an error; linearly dependent columns have R² 1,
        tie, and give a `RankDeficientWarning`.
    graph : Adjacency
        The true DAG.
    convention : {"paths", "pairs", "edges"}
        Which ordered pairs count, and how often; see `pair_weights`.
    tolerance : float
        On the ratio of two R²; closer ones tie and count one half.

    References
    ----------
    Reisach et al. (2023), arXiv 2303.18211.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> values = np.random.default_rng(0).normal(size=(100, 3))
    >>> values[:, 1] += values[:, 0]
    >>> values[:, 2] += 3 * values[:, 1]
    >>> round(r2_sortability(values, chain(3)), 4)
    0.6667
    """
    array = _check(values, graph)
    return alignment(graph, r2_or_warn(array), convention, tolerance)


def snr_sortability(
    values: ArrayLike,
    graph: Adjacency,
    convention: Convention = "paths",
    tolerance: float = 1e-9,
) -> float:
    """Return how far the variance share explained by the true parents grows along the order.

    Parameters
    ----------
    values : array_like, shape (n, d)
        A constant column is an error.
    graph : Adjacency
        The true DAG.
    convention : {"paths", "pairs", "edges"}
        Which ordered pairs count, and how often; see `pair_weights`.
    tolerance : float
        On the ratio of two shares; closer ones tie and count one half.

    References
    ----------
    Reisach et al. (2023), arXiv 2303.18211: the cause-explained variance.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> values = np.random.default_rng(0).normal(size=(100, 3))
    >>> values[:, 1] += values[:, 0]
    >>> values[:, 2] += 3 * values[:, 1]
    >>> snr_sortability(values, chain(3))
    1.0
    """
    array = _check(values, graph)
    return alignment(graph, cause_explained_variance(array, graph), convention, tolerance)


def relatives_sortability(
    values: ArrayLike,
    graph: Adjacency,
    convention: Convention = "paths",
    tolerance: float = 1e-9,
    alpha: float = 0.05,
) -> float:
    """Return how far the number of correlated variables grows along the causal order.

    Parameters
    ----------
    values : array_like, shape (n, d)
        At least 3 rows; a constant column is an error.
    graph : Adjacency
        The true DAG.
    convention : {"paths", "pairs", "edges"}
        Which ordered pairs count, and how often; see `pair_weights`.
    tolerance : float
        On the ratio of two numbers; equal ones tie and count one half.
    alpha : float
        Level of the test that counts them; see `relatives`.

    References
    ----------
    CausalDisco 0.2.4, ``relatives_sortability``.

    Examples
    --------
    >>> import numpy as np
    >>> collider = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> values = np.random.default_rng(0).normal(size=(100, 3))
    >>> values[:, 2] += values[:, 0] + values[:, 1]
    >>> relatives_sortability(values, collider)
    1.0
    """
    array = _check(values, graph)
    return alignment(graph, relatives(array, alpha), convention, tolerance)


def relatives(values: ArrayLike, alpha: float = 0.05) -> NDArray[np.int64]:
    """Return for each variable the number of variables correlated with it, itself included.

    Parameters
    ----------
    values : array_like, shape (n, d)
        At least 3 rows; a constant column is an error.
    alpha : float
        Level of the two-sided t test of each correlation.

    References
    ----------
    CausalDisco 0.2.4, ``rel_count_emp_hard``.

    Examples
    --------
    >>> relatives([[0, 0, 1], [1, 2, 0], [2, 4, 0], [3, 6, 1]])
    array([2, 2, 1])
    """
    from scipy.special import stdtrit  # noqa: PLC0415  # loads where it is used

    array = check_values(values)
    if not 0 < alpha < 1:
        raise ValueError(f"alpha: expected 0 < alpha < 1, got {alpha}")
    if len(array) < 3:
        raise ValueError(f"values: the t test needs at least 3 rows, got {len(array)}")
    freedom = len(array) - 2
    quantile = stdtrit(freedom, 1 - alpha / 2)
    critical = quantile / np.sqrt(quantile**2 + freedom)
    return (np.abs(correlations(array)) > critical).sum(axis=1, dtype=np.int64)


def _check(values: ArrayLike, graph: Adjacency) -> Values:
    return check_values(values, len(as_graph(graph)))


# Whether the entropies of discrete columns reveal the causal order.


def entropies(values: ArrayLike) -> Vector:
    """Return the entropy of each column's levels, in nats; no coding of the levels changes it.

    Parameters
    ----------
    values : array_like, shape (n, d)
        Codes, or whatever stands for the levels.

    Examples
    --------
    >>> entropies([[0, 7], [0, 7], [1, 7], [1, 7]]).round(4)
    array([0.6931, 0.    ])
    """
    columns = check_values(values).T
    shares = [np.unique(column, return_counts=True)[1] / len(column) for column in columns]
    return np.array([float(entr(share).sum()) for share in shares])


def entropy_sortability(
    values: ArrayLike,
    graph: Adjacency,
    convention: Convention = "paths",
    tolerance: float = 1e-9,
) -> float:
    """Return how far the entropy of discrete columns grows along the causal order.

    The counterpart of var-sortability for discrete columns. The variance of codes depends on
    how levels were coded and means nothing; the entropy of a column does not.

    Parameters
    ----------
    values : array_like, shape (n, d)
        Codes.
    graph : Adjacency
        The true DAG.
    convention : {"paths", "pairs", "edges"}
        Which ordered pairs count, and how often; see `pair_weights`.
    tolerance : float
        On the ratio of two entropies; closer ones tie and count one half.

    Examples
    --------
    A rare cause of a fair coin:

    >>> from causalassay.graphs import chain
    >>> entropy_sortability([[0, 0], [0, 1], [0, 0], [1, 1]], chain(2))
    1.0
    """
    array = check_values(values, len(check_dag(graph)))
    return alignment(graph, entropies(array), convention, tolerance)


# Sortabilities of series: how far a statistic of each process reveals what acts on what.


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
    summary = graph.summary if isinstance(graph, LaggedGraph) else as_graph(graph)
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
        The true links.
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
        The true links.
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
        The largest lag of a regressor, at least 0.
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
