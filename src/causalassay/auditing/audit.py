"""Tell whether a benchmark is gameable, by what, and by how much."""

from __future__ import annotations

import math
from collections.abc import Callable
from os import PathLike
from types import MappingProxyType

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from causalassay.auditing.result import (
    RANDOM_ORDERS,
    Audit,
    BaselineScore,
    ColumnSpread,
    Direction,
)
from causalassay.auditing.sortability_rows import column_places, named_edges, sortability_rows
from causalassay.common.arrays import Adjacency, Values, Vector, as_graph
from causalassay.common.seeding import as_generator, seed_of
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, as_dataset
from causalassay.diagnostics import determination, entropies
from causalassay.diagnostics.explained_variance import digit_margin, merge_ties
from causalassay.discovery import discover
from causalassay.graphs import read_graph
from causalassay.graphs.lagged import LaggedGraph
from causalassay.graphs.validity import check_true_dag
from causalassay.judging.artefacts import artefacts_of
from causalassay.judging.data_set import Judged, in_fixed_order, judge_data
from causalassay.judging.findings import Finding, FindingKind
from causalassay.judging.graph_check import average_ranks
from causalassay.judging.order_tests import (
    DIRECTION,
    F1,
    SHD,
    OrderScores,
    OrderTest,
    ties_throughout,
)
from causalassay.metrics import direction_score, f1, shd, skeleton_f1
from causalassay.present.formatting import in_words

N_BOOTSTRAP = 200

N_BINS = 50
"""Bins of the direction score along random orders."""


def audit(  # noqa: PLR0913  what is measured, and how long
    data: ArrayLike | Dataset | str | PathLike[str],
    graph: ArrayLike | LaggedGraph | str | PathLike[str] | None = None,
    rng: Generator | int = 0,
    *,
    n_bootstrap: int = N_BOOTSTRAP,
    on_progress: Callable[[int], None] | None = None,
    max_lag: int | None = None,
    pooled: bool = False,
) -> Audit:
    """Measure the artefacts of a data set and say whether they give its graph away.

    Parameters
    ----------
    data : Dataset, array_like of shape (n, d), DataFrame, str or Path
        An array, a list of rows or a data frame is taken as observational values; a path is that
        of a data file. Of a `Dataset` the observational regime is audited; its columns are all
        continuous or all discrete. Codes of levels have no variance, so discrete columns are
        sorted by entropy.
    graph : array_like of bool or of 0 and 1, LaggedGraph, str, Path or None
        The DAG that is held to be true, row i, column j for i→j; of a series the lagged graph or
        its summary; or the path of a graph file. Without one, the audit says what the columns
        tell alone.
    rng : Generator or int
        An int is a seed, which the result then has.
    n_bootstrap : int
        Resamples of the rows, for the intervals of the sortabilities.
    on_progress : callable, optional
        Called with the number of steps done: resamples and random orders. How many
        orders the tests need is known only when they are decided.
    max_lag : int, optional
        The largest lag of a link, for series. By default that of the lagged
        graph, and 1 if the graph is a summary.
    pooled : bool
        Also measure what only a verdict over several data sets needs.

    Examples
    --------
    >>> from causalassay import graphs, models
    >>> rng = np.random.default_rng(0)
    >>> graph = graphs.erdos_renyi(12, 2, rng)
    >>> values = models.draw("scm", graph, rng).sample(500, rng)
    >>> result = audit(values, graph, rng=0, n_bootstrap=20)
    >>> result.verdict.kind.value, result.verdict.statistic
    ('gameable', 'variance')
    """
    dataset, generator = as_dataset(data), as_generator(rng)
    seed = seed_of(rng)
    if n_bootstrap < 0:
        raise ValueError(f"n_bootstrap: expected at least 0, got {n_bootstrap}")
    truth: Adjacency | None = None
    if isinstance(graph, str | PathLike):
        truth = read_graph(graph, dataset.columns)[0]
    elif isinstance(graph, LaggedGraph):
        truth = graph.summary
    elif graph is not None:
        truth = as_graph(graph, columns=dataset.columns)
    lag = _check_lag(dataset, graph if isinstance(graph, LaggedGraph) else None, max_lag)
    _check_columns(dataset, truth)
    spread = None if dataset.world == "discrete" else column_spread(dataset.observational_values)
    n, d = dataset.observational_values.shape
    if truth is None:
        finding = finding_without_graph(dataset, spread)
        return Audit(n, d, None, spread, (), (), (finding,), None, dataset.world, seed=seed)
    tick = _Ticker(on_progress)
    judge_rng, rows_rng, baselines_rng = generator.spawn(3)
    judged = judge_data(dataset, truth, judge_rng, lag, tick, always_attainable=pooled)
    dataset, truth = in_fixed_order(dataset, truth)
    return Audit(
        n,
        d,
        int(truth.sum()),
        spread,
        sortability_rows(dataset, truth, lag, judged, n_bootstrap, rows_rng, tick),
        baseline_rows(dataset, truth, lag, judged, baselines_rng),
        judged.findings,
        judged.graph_check,
        dataset.world,
        column_places(dataset.columns, truth, judged.statistics),
        named_edges(dataset.columns, truth),
        _binned(judged.random_orders),
        judged.attainable_p,
        seed,
    )


def _binned(random_orders: NDArray[np.floating]) -> tuple[int, ...]:
    """Return how many random orders have a direction score in each bin; nothing without orders."""
    if not len(random_orders):
        return ()
    counts, _ = np.histogram(random_orders[:, DIRECTION], bins=N_BINS, range=(-1, 1))
    return tuple(counts.tolist())


class _Ticker:
    """Counts steps and reports each to `on_progress`."""

    def __init__(self, on_progress: Callable[[int], None] | None) -> None:
        self.done, self.on_progress = 0, on_progress

    def __call__(self) -> None:
        self.done += 1
        if self.on_progress is not None:
            self.on_progress(self.done)


def _check_lag(data: Dataset, graph: LaggedGraph | None, max_lag: int | None) -> int:
    """Return how far links reach back; 1 where nothing acts over time."""
    if data.world != "series":
        if graph is not None or max_lag is not None:
            raise ValueError(
                "the rows are independent, so nothing acts over time; if they follow each other in "
                'time, create the data with rows="series"'
            )
        return 1
    if max_lag is None:
        return 1 if graph is None else graph.max_lag
    if max_lag < 1:
        raise ValueError(f"max_lag: expected at least 1, got {max_lag}")
    return max_lag


def _check_columns(data: Dataset, graph: Adjacency | None) -> None:
    discrete = list(data.discrete_columns)
    if 0 < len(discrete) < data.n_nodes:
        raise ValueError(
            f"an audit sorts by variance and R², which discrete columns do not have: {discrete}; "
            "audit the columns of one kind"
        )
    if graph is not None:
        if data.world != "series":  # the summary graph of a series may have cycles
            check_true_dag(graph, data.columns)
        if len(graph) != data.n_nodes:
            raise ValueError(
                f"graph: expected {data.n_nodes} nodes, one for each column, got {len(graph)}"
            )
    width = np.ptp(data.observational_values, axis=0)
    constant = [name for name, wide in zip(data.columns, width, strict=True) if not wide]
    if constant:
        raise ValueError(
            f"columns constant in the observational condition: {constant}; leave them out of the "
            "data and of the graph"
        )


# What baselines reach: sorting by each statistic, random orders, and a few algorithms.

N_RANDOM = 100

METRICS = (f1, shd, direction_score, skeleton_f1)
"""In the order of `OrderScores`."""

BESIDE = MappingProxyType(
    {
        "continuous": ("relatives-sortnregress", "variance-sorting", "random-sorting", "empty"),
        "discrete": ("empty",),
        "series": ("granger-lasso", "empty"),
    }
)
"""Algorithms that are scored together with the sorted regressions, by world.

That a cause is correlated with other columns than its effects follows from faithfulness, so
`relatives-sortnregress` shows no artefact: a lead below its score says little.
"""


def baseline_rows(
    data: Dataset, graph: Adjacency, max_lag: int, judged: Judged, rng: Generator
) -> tuple[BaselineScore, ...]:
    """Return the scores of every baseline; one that cannot run says why."""
    rows = [_sorted(test) for test in judged.tests]
    if len(judged.random_orders):
        rows.append(_averaged(RANDOM_ORDERS, judged.random_orders))
    rows += [_algorithm(name, data, graph, max_lag, rng) for name in BESIDE[data.world]]
    return tuple(rows)


def _sorted(test: OrderTest) -> BaselineScore:
    direction: Direction = "falling" if test.backwards else "rising"
    return BaselineScore(
        f"sorted by {direction} {test.artefact.word}",
        test.scores.shd,
        test.scores.f1,
        p_order=test.winning.p_value,
        statistic=test.artefact.statistic,
        direction=direction,
        p_is_bound=test.winning.as_p_value.is_bound,
        direction_score=test.scores.direction,
        skeleton_f1=test.scores.skeleton_f1,
    )


def _algorithm(
    name: str, data: Dataset, graph: Adjacency, max_lag: int, rng: Generator
) -> BaselineScore:
    settings = {"max_lag": max_lag} if name == "granger-lasso" else {}
    times = N_RANDOM if name == "random-sorting" else 1
    scores = []
    try:
        for _ in range(times):
            guess = discover(name, data, rng, **settings).graph
            scores.append(
                [metric(graph, guess) for metric in (f1, shd, direction_score, skeleton_f1)]
            )
    except NotApplicable as reason:
        return BaselineScore(name, np.nan, np.nan, note=str(reason))
    if times > 1:
        return _averaged(name, np.array(scores))
    reached = OrderScores(*map(float, scores[0]))
    return BaselineScore(
        name,
        reached.shd,
        reached.f1,
        direction_score=reached.direction,
        skeleton_f1=reached.skeleton_f1,
    )


def _averaged(name: str, scores: Values) -> BaselineScore:
    """Return the means of the scores over many orders, and their central 95 %."""
    limits = [(low, high) for low, high in np.quantile(scores, [0.025, 0.975], axis=0).T.tolist()]
    means = OrderScores(*scores.mean(axis=0).tolist())
    return BaselineScore(
        name,
        means.shd,
        means.f1,
        limits[SHD],
        limits[F1],
        direction_score=means.direction,
        skeleton_f1=means.skeleton_f1,
        direction_range=limits[DIRECTION],
    )


# What columns tell without a graph.

AGREEMENT_LEVEL = 0.05


def column_spread(values: Values) -> ColumnSpread:
    """Summarise what variances and R² tell without a graph."""
    r2 = determination(values).r2  # first: it refuses values whose variance overflows
    variance = merge_ties(values.var(axis=0), digit_margin(values).variance)
    agreement = p_agreement = float("nan")
    if not ties_throughout(variance) and not ties_throughout(r2):
        agreement, p_agreement = spearman(variance, r2)
    return ColumnSpread(
        float(variance.max() / variance.min()),
        ties_throughout(variance),
        (float(r2.min()), float(r2.max())),
        int((r2 > 0.99).sum()),
        agreement,
        p_agreement,
    )


def spearman(first: Vector, second: Vector) -> tuple[float, float]:
    """Return the correlation of the ranks and its two-sided p-value, by Student's t.

    As scipy.stats.spearmanr does, which takes half a second to import.

    Examples
    --------
    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))[0]
    0.5
    """
    correlation = float(np.corrcoef(average_ranks(first), average_ranks(second))[0, 1])
    freedom = len(first) - 2
    unexplained = (1 - correlation) * (1 + correlation)
    if freedom < 1:
        return correlation, math.nan
    size = math.inf if unexplained <= 0 else math.sqrt(freedom / unexplained) * abs(correlation)
    return correlation, float(2 * stdtr(freedom, -size))


def finding_without_graph(data: Dataset, spread: ColumnSpread | None) -> Finding:
    """Return what can be said where no order is known to be right."""
    named = [artefact.baseline for artefact in artefacts_of(data.world) if artefact.baseline]
    beside = f"Compare algorithms on these data with {in_words(named)}." if named else ""
    return Finding(
        FindingKind.NO_GRAPH,
        rule="no graph",
        words={"described": _described(data, spread)},
        remarks=tuple(part for part in (_noticed(spread), beside) if part),
    )


def _described(data: Dataset, spread: ColumnSpread | None) -> str:
    if spread is None:
        entropy = entropies(data.observational_values)
        return f"entropies from {entropy.min():.2f} to {entropy.max():.2f} nats"
    low, high = spread.r2_range
    r2 = f"R² on the other columns from {low:.2f} to {high:.2f}"
    if spread.equal_variances:
        return f"equal variances; {r2}"
    return f"variances span a factor of {spread.variance_ratio:.4g}; {r2}"


def _noticed(spread: ColumnSpread | None) -> str:
    """Return what the variances suggest, with how sure that is."""
    if spread is None:
        return ""
    if spread.equal_variances:
        return "The columns are standardised, so they cannot be sorted by variance."
    if spread.rank_agreement > 0 and spread.p_agreement <= AGREEMENT_LEVEL:
        return (
            "The orders by variance and by R² agree, as in simulations where both grow along the "
            f"causal order (Spearman {spread.rank_agreement:.2f})."
        )
    return "There is no evidence that the orders by variance and by R² agree."
