"""Sortabilities: how far a statistic that needs no causal insight reveals the causal order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Adjacency, Values, check_adjacency, check_values
from causalassay.diagnostics.explained_variance import cause_explained_variance, r2_or_warn
from causalassay.diagnostics.moments import correlations, variances
from causalassay.diagnostics.order_alignment import Convention, alignment


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
    return check_values(values, len(check_adjacency(graph)))
