"""Tell whether a benchmark is gameable, by what, and by how much."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from causalassay.arrays import Adjacency, Values, check_adjacency
from causalassay.auditing.baselines import score_baselines
from causalassay.auditing.discrete import audit_discrete
from causalassay.auditing.graph_fit import graph_fit
from causalassay.auditing.result import Audit
from causalassay.auditing.series import audit_series
from causalassay.auditing.statistics import column_spread, sortabilities
from causalassay.auditing.verdict import judge, judge_columns
from causalassay.data import Dataset, as_dataset
from causalassay.graphs.lagged import LaggedGraph
from causalassay.graphs.orders import check_dag
from causalassay.seeding import as_generator

N_BOOTSTRAP = 200
N_ORDERS = 100


def audit(  # noqa: PLR0913
    data: ArrayLike | Dataset,
    graph: Adjacency | LaggedGraph | None,
    rng: Generator | int,
    *,
    n_bootstrap: int = N_BOOTSTRAP,
    n_orders: int = N_ORDERS,
    on_progress: Callable[[int, int], None] | None = None,
    max_lag: int | None = None,
) -> Audit:
    """Measure the artefacts of a data set and say whether they give its graph away.

    Parameters
    ----------
    data : Dataset, or array_like of shape (n, d)
        An array or a data frame is taken as observational values. Of a `Dataset` the
        observational regime is audited; its columns are all continuous or all discrete.
        Codes of levels have no variance, so discrete columns are sorted by entropy.
    graph : Adjacency, LaggedGraph or None
        The DAG that is held to be true; of a series the lagged graph or its
        summary. Without one, the audit says what the columns tell alone.
    rng : Generator or int
        An int is a seed.
    n_bootstrap : int
        Resamples of the rows, for the intervals of the sortabilities.
    n_orders : int
        Random orders that the sorting baselines are compared with; the
        verdict's tests need at least 40.
    on_progress : callable, optional
        Called with the number of steps done and to do.
    max_lag : int, optional
        Of a series: how far its links reach back; by default as the lagged
        graph says, and 1 if the graph is a summary.

    Examples
    --------
    >>> from causalassay import graphs, models
    >>> rng = np.random.default_rng(0)
    >>> graph = graphs.erdos_renyi(12, 2, rng)
    >>> values = models.draw("scm", graph, rng).sample(500, rng)
    >>> audit(values, graph, rng=0, n_bootstrap=20).verdict.kind
    'gameable'
    """
    dataset, rng = as_dataset(data), as_generator(rng)
    if dataset.world == "series":
        return _audit_series(dataset, graph, rng, n_orders, on_progress, max_lag)
    if isinstance(graph, LaggedGraph) or max_lag is not None:
        raise ValueError(
            "the rows are independent, so nothing acts over time; if they follow each other in "
            'time, say so of the data: rows="series"'
        )
    values = _check(dataset, graph, n_bootstrap, n_orders)
    tick = _Ticker(n_bootstrap + n_orders, on_progress)
    if dataset.world == "discrete":
        return audit_discrete(dataset, graph, rng, n_bootstrap, n_orders, tick)
    n, d = values.shape
    spread = column_spread(values)
    if graph is None:
        return Audit(n, d, None, spread, (), (), None, judge_columns(spread))
    bootstrap_rng, order_rng, fit_rng = rng.spawn(3)
    sortable = sortabilities(values, graph, n_bootstrap, bootstrap_rng, tick)
    scores = score_baselines(values, graph, n_orders, order_rng, tick)
    fit = graph_fit(values, graph, fit_rng)
    verdict = judge(sortable, scores, fit, spread, len(graph))
    return Audit(n, d, int(graph.sum()), spread, sortable, scores, fit, verdict)


def _audit_series(  # noqa: PLR0913, PLR0917
    data: Dataset,
    graph: Adjacency | LaggedGraph | None,
    rng: Generator,
    n_orders: int,
    on_progress: Callable[[int, int], None] | None,
    max_lag: int | None,
) -> Audit:
    if max_lag is None:
        max_lag = graph.max_lag if isinstance(graph, LaggedGraph) else 1
    if max_lag < 1:
        raise ValueError(f"max_lag: expected at least 1, got {max_lag}")
    summary = graph.summary if isinstance(graph, LaggedGraph) else graph
    _check_columns(data, n_orders, None if summary is None else len(check_adjacency(summary)))
    tick = _Ticker(n_orders, on_progress)
    return audit_series(data, summary, max_lag, rng, n_orders, tick)


class _Ticker:
    """Counts steps and reports each to `on_progress`."""

    def __init__(self, total: int, on_progress: Callable[[int, int], None] | None) -> None:
        self.done, self.total, self.on_progress = 0, total, on_progress

    def __call__(self) -> None:
        self.done += 1
        if self.on_progress is not None:
            self.on_progress(self.done, self.total)


def _check(data: Dataset, graph: Adjacency | None, n_bootstrap: int, n_orders: int) -> Values:
    if n_bootstrap < 0:
        raise ValueError(f"n_bootstrap: expected at least 0, got {n_bootstrap}")
    return _check_columns(data, n_orders, None if graph is None else len(check_dag(graph)))


def _check_columns(data: Dataset, n_orders: int, n_nodes: int | None) -> Values:
    discrete = list(data.discrete_columns)
    if 0 < len(discrete) < data.n_nodes:
        raise ValueError(
            f"an audit sorts by variance and R², which discrete columns do not have: {discrete}; "
            "audit the columns of one kind"
        )
    if n_orders < 40:
        raise ValueError(f"n_orders: the verdict needs at least 40 random orders, got {n_orders}")
    values = data.observational_values
    if n_nodes is not None and n_nodes != values.shape[1]:
        raise ValueError(
            f"graph: expected {values.shape[1]} nodes, one for each column, got {n_nodes}"
        )
    width = np.ptp(values, axis=0)
    constant = [name for name, wide in zip(data.columns, width, strict=True) if not wide]
    if constant:
        raise ValueError(
            f"columns constant in the observational condition: {constant}; leave them out of the "
            "data and of the graph"
        )
    return values
