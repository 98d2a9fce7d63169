"""The Gaussian BIC of a graph, from the correlations of the rows that speak about each node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Values, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.contracts import NotApplicable, check_rows
from causalassay.data.checks import quoted
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.explained_variance import correlations
from causalassay.discovery.statistics import (
    PIVOT,
    check_continuous,
    gaussian_statistics,
    unexplained_share,
)
from causalassay.graphs.orders import Indices
from causalassay.graphs.validity import extend


@dataclass(frozen=True, eq=False)
class NodeStatistics:
    """Gaussian statistics of the rows in which each node obeys its causes.

    Parameters
    ----------
    correlation : ndarray, shape (g, d, d)
        One matrix for each set of rows that some node has for its own.
    group : ndarray of int, shape (d,)
        Which of them is the node's.
    sd : ndarray, shape (d,)
        The standard deviation of each node in its rows, ddof 0.
    n_rows : ndarray of int, shape (d,)
        How many rows each node has.
    n_samples : int
        All rows, those included in which a node was intervened upon.
    """

    correlation: NDArray[np.floating]
    group: Indices
    sd: Vector
    n_rows: Indices
    n_samples: int


def observational_node_statistics(data: Dataset) -> NodeStatistics:
    """Return the statistics of the observational rows, the same for every node."""
    statistics = gaussian_statistics(data)
    d = data.n_nodes
    return NodeStatistics(
        statistics.correlation[None],
        np.zeros(d, dtype=np.int64),
        statistics.sd,
        np.full(d, statistics.n_samples),
        statistics.n_samples,
    )


def interventional_node_statistics(data: Dataset) -> NodeStatistics:
    """Return for each node the statistics of the rows in which it was not intervened upon.

    Raises
    ------
    NotApplicable
        If targets are unknown, if a column is discrete, if a node is a target in every
        condition, or if a column is constant in the rows of a node.

    Examples
    --------
    >>> from causalassay.data import Regime
    >>> observed = Regime("observed", [[0.0, 1.0], [2.0, 4.5], [1.0, 2.0]])
    >>> set_to_9 = Regime("set to 9", [[0.0, 9.0], [2.0, 9.0]], targets=(1,))
    >>> data = Dataset(("dose", "response"), (observed, set_to_9), observational="observed")
    >>> interventional_node_statistics(data).n_rows.tolist()
    [5, 3]
    """
    check_rows(data, "independent")
    obeys = _obeys_causes(data)
    patterns, group = np.unique(obeys, axis=1, return_inverse=True)
    values = [_rows_of(data, pattern) for pattern in patterns.T]
    return NodeStatistics(
        np.array([correlations(rows) for rows in values]),
        group.reshape(-1).astype(np.int64),
        np.array([values[g][:, node].std() for node, g in enumerate(group.flat)]),
        np.array([len(values[g]) for g in group.flat]),
        data.n_samples,
    )


def _unknown_targets(data: Dataset, condition: str) -> str:
    """Return what to do about a condition; one without intervention is named first."""
    none = (
        "if it is the condition without intervention, name it as `observational` "
        f"(--observational {quoted(condition)}); else state them"
        if data.observational is None
        else "state them (a lone `;` in the cell: it acts on no column)"
    )
    return (
        f"the targets of condition {condition!r} are unknown; this algorithm needs known targets: "
        f"{none}, or leave the condition out (--drop-condition {quoted(condition)})"
    )


def _obeys_causes(data: Dataset) -> NDArray[np.bool_]:
    """Return, shape (regimes, d), in which conditions each node was not intervened upon."""
    obeys = np.ones((len(data.regimes), data.n_nodes), dtype=bool)
    for k, regime in enumerate(data.regimes):
        if regime.targets is None:
            message = _unknown_targets(data, regime.condition)
            raise NotApplicable(message, lacks="known targets")
        obeys[k, list(regime.targets)] = False
    always = np.flatnonzero(~obeys.any(axis=0))
    if len(always):
        raise NotApplicable(
            f"column {data.columns[always[0]]!r} is a target in every condition, so no row shows "
            "its causes (the family of targets is not conservative); add a condition that leaves "
            "it alone, or leave the column out"
        )
    return obeys


def _rows_of(data: Dataset, used: NDArray[np.bool_]) -> Values:
    chosen = [regime for regime, use in zip(data.regimes, used, strict=True) if use]
    values = np.concatenate([regime.values for regime in chosen])
    try:
        check_continuous(data, values)
    except NotApplicable as problem:
        named = ", ".join(repr(regime.condition) for regime in chosen)
        raise NotApplicable(f"under {named}: {problem}") from None
    return values


EXTENDED_GAMMA = 0.5
"""Of extended BIC, the default of searches by the rule and the table of docs/searches.md."""


def parameter_penalty(penalty_discount: float | None, n_samples: int, n_nodes: int) -> float:
    """Return what each parameter of a graph costs, in units of the log-likelihood.

    Parameters
    ----------
    penalty_discount : float or None
        c makes it c log(n)/2. None is extended BIC, log(n)/2 + 2γ log(d) with γ = 1/2: the more
        columns there are, the more false edges would look good by chance.
    n_samples, n_nodes : int
        n and d.

    References
    ----------
    Foygel and Drton (2010), Extended Bayesian information criteria for Gaussian graphical
    models, NIPS 23: -2 log-likelihood + |E| log n + 4γ |E| log d for a graph with edges E.

    Examples
    --------
    >>> round(parameter_penalty(1.0, 1000, 100), 3), round(parameter_penalty(None, 1000, 100), 3)
    (3.454, 8.059)
    """
    if penalty_discount is None:
        return float(np.log(n_samples)) / 2 + 2 * EXTENDED_GAMMA * float(np.log(n_nodes))
    return penalty_discount * float(np.log(n_samples)) / 2


class BIC(NamedTuple):
    """What the kernels need: gains are ``half_rows * log(1 / (1 - r²)) - penalty``."""

    correlation: NDArray[np.floating]
    group: Indices
    half_rows: Vector
    penalty: float


def make_bic(statistics: NodeStatistics, penalty_discount: float | None) -> BIC:
    """Return the score of a search; see `gaussian_bic`."""
    return BIC(
        statistics.correlation,
        statistics.group,
        statistics.n_rows / 2,
        parameter_penalty(penalty_discount, statistics.n_samples, len(statistics.sd)),
    )


def gaussian_bic(
    statistics: NodeStatistics, graph: Adjacency, penalty_discount: float | None = 1.0
) -> float:
    """Return the penalised log-likelihood of a graph; larger is better.

    It is the sum over the nodes of ``-m/2 log(v) - c log(n)/2 (p + 1)``: m is the number of
    rows of the node, v the residual variance (ddof 0, with intercept) of its regression on
    its p parents in these rows, n the number of all rows and c the penalty discount. The
    constant ``-m/2 (1 + log 2π)`` of each node is left out.

    Parameters
    ----------
    statistics : NodeStatistics
    graph : Adjacency, shape (d, d)
        A DAG, or a CPDAG or PDAG, of which a member is scored.
    penalty_discount : float or None
        None is extended BIC, see `parameter_penalty`.

    Examples
    --------
    Two variables with correlation 0.5 in 100 rows: the edge gains 50 log(4/3) - log(10).

    >>> import numpy as np
    >>> pair = np.array([[[1.0, 0.5], [0.5, 1.0]]])
    >>> rows = np.full(2, 100)
    >>> statistics = NodeStatistics(pair, np.zeros(2, dtype=np.int64), np.ones(2), rows, 100)
    >>> edge = np.array([[False, True], [False, False]])
    >>> gain = gaussian_bic(statistics, edge) - gaussian_bic(statistics, edge & False)
    >>> round(gain, 9) == round(float(50 * np.log(4 / 3) - np.log(10)), 9)
    True
    """
    bic = make_bic(statistics, penalty_discount)
    shares = _member_shares(bic, extend(graph))
    with np.errstate(divide="ignore"):
        logs = np.log(shares) + 2 * np.log(statistics.sd)
    n_parameters = len(graph) + int(np.count_nonzero(graph | graph.T)) // 2
    return float(-(bic.half_rows @ logs) - bic.penalty * n_parameters)


def _member_shares(bic: BIC, dag: Adjacency) -> Vector:
    """Return for each node the share of its variance that its parents leave unexplained."""
    return np.array(
        [
            unexplained_share(bic.correlation[bic.group[node]], node, np.flatnonzero(dag[:, node]))
            for node in range(len(dag))
        ]
    )


class GrowingRegression(NamedTuple):
    """A Cholesky factorisation that grows by one regressor at a time, for all variables at once.

    With k regressors ``left[k, x]`` is the variance of x that they leave and ``joint[k, x]``
    the covariance that they leave between x and the node; row k of ``factor`` belongs to
    regressor k, so that taking back the last regressors costs nothing.
    """

    factor: Weights
    left: Weights
    joint: Weights


@kernel
def add_regressor(
    correlation: Weights, regression: GrowingRegression, node: int, size: int, regressor: int
) -> None:
    """Make `regressor` number `size`; those from there on are forgotten."""
    factor, left, joint = regression
    row = factor[size]
    # Of a combination of the others nothing is left, and then nothing of anything.
    pivot = left[size, regressor]
    scale = 1.0 / np.sqrt(pivot) if pivot > PIVOT else 0.0
    for x in range(len(row)):
        row[x] = correlation[regressor, x] * scale
    for k in range(size):
        share = factor[k, regressor] * scale
        for x in range(len(row)):
            row[x] -= share * factor[k, x]
    for x in range(len(row)):
        left[size + 1, x] = left[size, x] - row[x] * row[x] if scale > 0.0 else 0.0
        joint[size + 1, x] = joint[size, x] - row[x] * row[node]


@kernel
def start_regression(
    correlation: Weights, node: int, regressors: Indices, most: int
) -> GrowingRegression:
    """Return the regression of `node` on `regressors`, with space for `most` in all."""
    d = len(correlation)
    regression = GrowingRegression(
        np.empty((most, d)), np.empty((most + 1, d)), np.empty((most + 1, d))
    )
    for x in range(d):
        regression.left[0, x] = 1.0
        regression.joint[0, x] = correlation[node, x]
    for k in range(len(regressors)):
        add_regressor(correlation, regression, node, k, regressors[k])
    return regression


@kernel
def explained(regression: GrowingRegression, node: int, size: int, x: int) -> float:
    """Return the squared partial correlation of `node` and `x`; 1 where it is not determined."""
    of_x, of_node = regression.left[size, x], regression.left[size, node]
    if of_x <= PIVOT:
        return 1.0
    taken = regression.joint[size, x] ** 2 / of_x
    return taken / of_node if of_node - taken > PIVOT else 1.0


@kernel
def gain_of(bic: BIC, node: int, share: float) -> float:
    """Return what a further parent of `node` gains that explains this share; inf for all of it."""
    if share >= 1.0:
        return np.inf
    return -bic.half_rows[node] * np.log1p(-share) - bic.penalty
