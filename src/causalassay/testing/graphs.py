"""What every graph source must satisfy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from causalassay.common.arrays import check_adjacency
from causalassay.contracts import GraphSource
from causalassay.graphs import LaggedGraph, is_dag
from causalassay.testing.breaches import class_breaches, raise_breaches

SEEDS = range(5)


def check_graph_source(source: GraphSource) -> None:
    """Raise an AssertionError that lists every breach of a graph source's contract.

    It must be a frozen dataclass with a ``version``; draw the same graph from the same
    stream; and draw a DAG, or a `LaggedGraph` if it declares ``lagged = True``, with
    ``n_nodes`` nodes if it has such a field.

    Parameters
    ----------
    source : GraphSource

    Examples
    --------
    >>> from causalassay.graphs.sources import Chain
    >>> check_graph_source(Chain(5))
    """
    raise_breaches(source, [partial(check, source) for check in CHECKS])


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


def _is_deterministic(source: GraphSource) -> Iterator[str]:
    for seed in SEEDS:
        first, second = (_links(source.draw(np.random.default_rng(seed))) for _ in range(2))
        if not np.array_equal(first, second):
            yield "two draws from the same stream gave different graphs: draw from `rng` alone"


def _links(graph: Any) -> Any:
    return graph.links if isinstance(graph, LaggedGraph) else graph


CHECKS = (class_breaches, _draws_what_it_says, _is_deterministic)
