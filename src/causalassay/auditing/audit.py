"""Tell whether a benchmark is gameable, by what, and by how much."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from causalassay.arrays import Adjacency, as_bool, check_adjacency
from causalassay.auditing.baseline_rows import baseline_rows
from causalassay.auditing.column_places import column_places, named_edges
from causalassay.auditing.column_spread import column_spread, finding_without_graph
from causalassay.auditing.result import Audit, Sortability
from causalassay.auditing.sortability_rows import sortability_rows
from causalassay.data import Dataset, as_dataset
from causalassay.graphs.lagged import LaggedGraph
from causalassay.graphs.validity import check_true_dag
from causalassay.judging.column_order import in_fixed_order
from causalassay.judging.data_set import Judged, judge_data
from causalassay.seeding import as_generator

N_BOOTSTRAP = 200

N_BINS = 50
"""Of the F1 along random orders."""


def audit(  # noqa: PLR0913  what is measured, and how long
    data: ArrayLike | Dataset,
    graph: Adjacency | LaggedGraph | None,
    rng: Generator | int,
    *,
    n_bootstrap: int = N_BOOTSTRAP,
    on_progress: Callable[[int], None] | None = None,
    max_lag: int | None = None,
    pooled: bool = False,
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
    on_progress : callable, optional
        Called with the number of steps done: resamples and random orders. How many
        orders the tests need is known only when they are decided.
    max_lag : int, optional
        Of a series: how far its links reach back; by default as the lagged
        graph says, and 1 if the graph is a summary.
    pooled : bool
        Also measure what only a verdict over several data sets needs.

    Examples
    --------
    >>> from causalassay import graphs, models
    >>> rng = np.random.default_rng(0)
    >>> graph = graphs.erdos_renyi(12, 2, rng)
    >>> values = models.draw("scm", graph, rng).sample(500, rng)
    >>> found = audit(values, graph, rng=0, n_bootstrap=20)
    >>> found.verdict.kind.value, found.verdict.statistic
    ('gameable', 'variance')
    """
    dataset, rng = as_dataset(data), as_generator(rng)
    if n_bootstrap < 0:
        raise ValueError(f"n_bootstrap: expected at least 0, got {n_bootstrap}")
    lag = _check_lag(dataset, graph, max_lag)
    truth = graph.summary if isinstance(graph, LaggedGraph) else as_bool(graph)
    _check_columns(dataset, truth)
    spread = None if dataset.world == "discrete" else column_spread(dataset.observational_values)
    n, d = dataset.observational_values.shape
    if truth is None:
        finding = finding_without_graph(dataset, spread)
        return Audit(n, d, None, spread, (), (), (finding,), None, dataset.world)
    dataset, truth = in_fixed_order(dataset, truth)
    tick = _Ticker(on_progress)
    judge_rng, rows_rng, baselines_rng = rng.spawn(3)
    judged = judge_data(dataset, truth, judge_rng, lag, tick, always_attainable=pooled)
    sortable = sortability_rows(dataset, truth, lag, judged.level, n_bootstrap, rows_rng, tick)
    baselines = baseline_rows(dataset, truth, lag, judged, baselines_rng)
    return Audit(
        n,
        d,
        int(truth.sum()),
        spread,
        _as_tested(sortable, judged),
        baselines,
        judged.findings,
        judged.graph_check,
        dataset.world,
        column_places(dataset, truth, lag),
        named_edges(dataset.columns, truth),
        _binned(judged.random_orders),
        judged.attainable_p,
    )


def _binned(random_orders: NDArray[np.floating]) -> tuple[int, ...]:
    """Return how many random orders have an F1 in each bin; nothing without orders."""
    if not len(random_orders):
        return ()
    counts, _ = np.histogram(random_orders[:, 0], bins=N_BINS, range=(0, 1))
    return tuple(counts.tolist())


class _Ticker:
    """Counts steps and reports each to `on_progress`."""

    def __init__(self, on_progress: Callable[[int], None] | None) -> None:
        self.done, self.on_progress = 0, on_progress

    def __call__(self) -> None:
        self.done += 1
        if self.on_progress is not None:
            self.on_progress(self.done)


def _as_tested(rows: tuple[Sortability, ...], judged: Judged) -> tuple[Sortability, ...]:
    """Return the rows with the p-values of the judge's tests, so that no two are printed."""
    tested = {
        (test.artefact.statistic, test.backwards): test.sortable.as_p_value for test in judged.tests
    }
    convention = rows[0].convention if rows else ""

    def as_tested(row: Sortability) -> Sortability:
        rising, falling = (tested.get((row.statistic, backwards)) for backwards in (False, True))
        if row.convention != convention or rising is None or falling is None:
            return row
        return replace(
            row,
            p_rising=rising.value,
            p_falling=falling.value,
            rising_is_bound=rising.is_bound,
            falling_is_bound=falling.is_bound,
        )

    return tuple(map(as_tested, rows))


def _check_lag(data: Dataset, graph: Adjacency | LaggedGraph | None, max_lag: int | None) -> int:
    """Return how far links reach back; 1 where nothing acts over time."""
    if data.world != "series":
        if isinstance(graph, LaggedGraph) or max_lag is not None:
            raise ValueError(
                "the rows are independent, so nothing acts over time; if they follow each other in "
                'time, create the data with rows="series"'
            )
        return 1
    if max_lag is None:
        return graph.max_lag if isinstance(graph, LaggedGraph) else 1
    if max_lag < 1:
        raise ValueError(f"max_lag: expected at least 1, got {max_lag}")
    return max_lag


def _checked_graph(data: Dataset, graph: Adjacency) -> Adjacency:
    if data.world == "series":
        return check_adjacency(graph)
    return check_true_dag(graph, data.columns)


def _check_columns(data: Dataset, graph: Adjacency | None) -> None:
    discrete = list(data.discrete_columns)
    if 0 < len(discrete) < data.n_nodes:
        raise ValueError(
            f"an audit sorts by variance and R², which discrete columns do not have: {discrete}; "
            "audit the columns of one kind"
        )
    values = data.observational_values
    if graph is not None:
        checked = _checked_graph(data, graph)
        if len(checked) != data.n_nodes:
            raise ValueError(
                f"graph: expected {data.n_nodes} nodes, one for each column, got {len(checked)}"
            )
    width = np.ptp(values, axis=0)
    constant = [name for name, wide in zip(data.columns, width, strict=True) if not wide]
    if constant:
        raise ValueError(
            f"columns constant in the observational condition: {constant}; leave them out of the "
            "data and of the graph"
        )
