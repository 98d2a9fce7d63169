"""What every model source and every graph source must satisfy."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Values, check_adjacency
from causalassay.contracts import GraphSource, ModelSource
from causalassay.data import Dataset, Discrete, Problem, Regime
from causalassay.graphs import (
    LaggedGraph,
    erdos_renyi,
    is_dag,
    lagged_erdos_renyi,
    summary_ancestors,
)
from causalassay.models import SCM, At, Dirichlet, Do, LinearSCM, SeriesSCM, Shift
from causalassay.models.registry import makes
from causalassay.testing.algorithms import class_breaches, raise_breaches

N_SAMPLES = 200
VALUE = 1.0
"""What `do` sets a node to; the code of the second level where columns are discrete."""
LEAST_P = 1e-9
"""Below it two samples of an untouched column differ: false alarms are that rare."""


def check_model_source(source: ModelSource, *, series: bool | None = None) -> None:
    """Raise an AssertionError that lists every breach of a model source's contract.

    It must be a frozen dataclass with a ``version``; draw the same model from the same
    stream; leave the graph alone; draw a model on that graph whose samples have one
    column per node and are finite; take an ``intervention`` in `sample`, set a node under
    `Do` and change its descendants only; and answer tiny graphs with a model or a
    ValueError.

    Parameters
    ----------
    source : ModelSource
        An instance of your class.
    series : bool, optional
        Whether it draws series on lagged graphs. By default it does if it is registered
        with the mechanism "var".

    Examples
    --------
    >>> from causalassay.models import ISCM
    >>> check_model_source(ISCM())
    """
    lagged = makes(source, "var") if series is None else series
    trial = _Trial(source, lagged)
    checks = [partial(check, trial) for check in MODEL_CHECKS]
    raise_breaches(source, [partial(class_breaches, source), *checks])


@dataclass(frozen=True)
class _Trial:
    """A source and whether it is for series."""

    source: ModelSource
    lagged: bool

    def graph(self, n_nodes: int = 5, density: float = 1.0) -> Any:
        rng = np.random.default_rng(0)
        if self.lagged:
            return lagged_erdos_renyi(n_nodes, 0.3 * density, 1, rng)
        return erdos_renyi(n_nodes, density, rng)

    def model(self, graph: Any) -> Any:
        return self.source.draw(graph, np.random.default_rng(1))


def _sample(model: Any, *intervention: Any) -> Values:
    return model.sample(N_SAMPLES, np.random.default_rng(2), *intervention)


def _draws_a_model(trial: _Trial) -> Iterator[str]:
    graph = trial.graph()
    model = trial.model(graph)
    if not np.array_equal(_links(model.graph), _links(graph)):
        yield "the graph of its model is not the graph it was given"
    yield from _sample_breaches(_sample(model), graph, "")


def _sample_breaches(values: Any, graph: Any, where: str) -> Iterator[str]:
    expected = (N_SAMPLES, _n_nodes(graph))
    if not isinstance(values, np.ndarray) or values.shape != expected:
        yield f"{where}its samples have shape {np.shape(values)}, expected {expected}"
    elif not np.isfinite(values).all():
        yield f"{where}its samples are not all finite"


def _draws_the_same_model(trial: _Trial) -> Iterator[str]:
    graph = trial.graph()
    model = trial.model(graph)
    if not np.array_equal(_sample(model), _sample(model)):
        yield "two samples from the same stream differ: draw from `rng` alone"
    if not np.array_equal(_sample(model), _sample(trial.model(graph))):
        yield "two models drawn from the same stream differ: draw from `rng` alone"


def _leaves_the_graph_alone(trial: _Trial) -> Iterator[str]:
    graph = trial.graph()
    trial.model(graph)
    if not np.array_equal(_links(graph), _links(trial.graph())):
        yield "it changed the graph: work on a copy"


def _intervenes(trial: _Trial) -> Iterator[str]:
    graph = trial.graph()
    model = trial.model(graph)
    if "intervention" not in inspect.signature(model.sample).parameters:
        yield (
            "`sample` of its model takes no `intervention`: write "
            "`sample(self, n_samples, rng, intervention=())`"
        )
        return
    reached = summary_ancestors(graph.summary if trial.lagged else graph)
    for node, effects in enumerate(reached):
        acts = (At(Do(node, VALUE), 0),) if trial.lagged else (Do(node, VALUE),)
        yield from _do_breaches(_sample(model), _sample(model, acts), node, effects)


def _do_breaches(
    before: Values, after: Values, node: int, effects: NDArray[np.bool_]
) -> Iterator[str]:
    from scipy.stats import ks_2samp  # noqa: PLC0415  workers need not wait for it

    if not np.allclose(after[:, node], VALUE):
        yield f"under Do({node}, {VALUE}) column {node} is not {VALUE}"
    for other in np.flatnonzero(~effects):
        first, second = before[:, other], after[:, other]
        same = np.array_equal(first, second) or ks_2samp(first, second).pvalue > LEAST_P
        if other != node and not same:
            yield f"under Do({node}, {VALUE}) column {other} changed, which is not a descendant"


def _survives_tiny_graphs(trial: _Trial) -> Iterator[str]:
    for what, n_nodes in (("one node: ", 1), ("no edges: ", 3)):
        graph = trial.graph(n_nodes, 0.0)
        try:
            model = trial.model(graph)
        except ValueError:  # a refusal says why, and the study records it
            continue
        except Exception as reason:  # anything else is the breach
            yield f"{what}{type(reason).__name__}: {reason}; raise a ValueError that says why"
            continue
        yield from _sample_breaches(_sample(model), graph, what)


def _links(graph: Any) -> Any:
    return graph.links if isinstance(graph, LaggedGraph) else graph


def _n_nodes(graph: Any) -> int:
    return graph.n_nodes if isinstance(graph, LaggedGraph) else len(graph)


MODEL_CHECKS = (
    _draws_a_model,
    _draws_the_same_model,
    _leaves_the_graph_alone,
    _intervenes,
    _survives_tiny_graphs,
)


# Small problems to try plug-ins on, and the same problems with their nodes relabelled.

N_NODES = 6
LABELS: NDArray[Any] = np.array([3, 0, 5, 1, 4, 2])
"""A relabelling that moves every node but one."""


def linear_problem(n_nodes: int = N_NODES, edges_per_node: float = 1.5) -> Problem:
    """Return independent continuous rows of a linear Gaussian model, which is known.

    If there are more than two columns, two of them are shifted in regimes of their own.
    """
    rng = np.random.default_rng(0)
    graph = erdos_renyi(n_nodes, edges_per_node, rng)
    model = SCM().draw(graph, rng)
    regimes = [Regime("observational", model.sample(300, rng))]
    for node in (0, 1) if n_nodes > 2 else ():
        action = (Shift(node, 5.0),)
        regimes.append(Regime(f"shift {node}", model.sample(100, rng, action), (node,), action))
    columns = tuple(f"x{node}" for node in range(n_nodes))
    return Problem(Dataset(columns, tuple(regimes), "observational"), graph, model)


def series_problem() -> Problem:
    """Return a series whose links are known."""
    rng = np.random.default_rng(0)
    graph = lagged_erdos_renyi(N_NODES, 0.4, 1, rng)
    values = SeriesSCM().draw(graph, rng).sample(300, rng)
    return Problem.of_series(Dataset.from_values(values, rows="series"), graph)


def discrete_problem() -> Problem:
    """Return independent rows of levels."""
    rng = np.random.default_rng(0)
    graph = erdos_renyi(N_NODES, 1.5, rng)
    model = Dirichlet().draw(graph, rng)
    kinds = tuple(Discrete(levels) for levels in model.levels)
    regimes = (Regime("observational", model.sample(300, rng)),)
    return Problem(Dataset(model.names, regimes, "observational", kinds), graph)


def relabelled(problem: Problem) -> Problem:
    """Return a problem with its nodes in the order of `LABELS`."""
    both = np.ix_(LABELS, LABELS)
    model, lagged = problem.model, problem.lagged
    if isinstance(model, LinearSCM):
        model = replace(
            model,
            weights=model.weights[both],
            noise_variance=model.noise_variance[LABELS],
            intercept=model.intercept[LABELS],
        )
    return Problem(
        problem.data.permute_columns(LABELS),
        problem.graph[both],
        model,
        problem.name,
        None if lagged is None else lagged.relabel(LABELS),
    )


# What every graph source must satisfy.

SEEDS = range(5)


def check_graph_source(source: GraphSource) -> None:
    """Raise an AssertionError that lists every breach of a graph source's contract.

    It must be a frozen dataclass with a ``version``; draw the same graph from the same
    stream; and draw a DAG, or a `LaggedGraph` if it declares ``lagged = True``, with
    ``n_nodes`` nodes if it has such a field.

    Parameters
    ----------
    source : GraphSource
        An instance of your class.

    Examples
    --------
    >>> from causalassay.graphs.sources import Chain
    >>> check_graph_source(Chain(5))
    """
    raise_breaches(source, [partial(check, source) for check in GRAPH_CHECKS])


def _draws_what_it_says(source: GraphSource) -> Iterator[str]:
    for seed in SEEDS:
        yield from _graph_breaches(source, source.draw(np.random.default_rng(seed)))


def _graph_breaches(source: GraphSource, graph: Any) -> Iterator[str]:
    if getattr(source, "lagged", False):
        if not isinstance(graph, LaggedGraph):
            yield f"it declares `lagged` and drew a {type(graph).__name__}, not a LaggedGraph"
            return
        n_nodes = graph.n_nodes
    else:
        if isinstance(graph, LaggedGraph):
            yield "it drew a LaggedGraph: declare `lagged: ClassVar[bool] = True`"
            return
        try:
            check_adjacency(graph, "graph")
        except (TypeError, ValueError) as reason:
            yield f"its graph is not an adjacency matrix: {reason}"
            return
        if not is_dag(graph):
            yield "its graph has a cycle"
        n_nodes = len(graph)
    stated = getattr(source, "n_nodes", n_nodes)
    if stated != n_nodes:
        yield f"its graph has {n_nodes} nodes and its field `n_nodes` is {stated}"


def _draws_the_same_graph(source: GraphSource) -> Iterator[str]:
    for seed in SEEDS:
        first, second = (_links(source.draw(np.random.default_rng(seed))) for _ in range(2))
        if not np.array_equal(first, second):
            yield "two draws from the same stream gave different graphs: draw from `rng` alone"


GRAPH_CHECKS = (class_breaches, _draws_what_it_says, _draws_the_same_graph)
