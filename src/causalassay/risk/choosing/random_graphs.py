"""An algorithm's graph with its columns exchanged: what its density and shape alone would score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.graphs.cpdag import directed_part, undirected_part
from causalassay.risk.choosing.result import Density, RandomGraphs

Graphs = NDArray[np.bool_]
"""Shape (n, d, d)."""

CELLS_AT_ONCE = 2_000_000

NO_DIFFERENCE = 1e-9
"""Up to which two risks are equal: sums of the same losses may differ by rounding."""


def density_of(graph: Adjacency) -> Density:
    """Return the numbers of directed and of undirected edges.

    Examples
    --------
    >>> density_of(np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]], dtype=bool))
    Density(directed=1, undirected=1)
    """
    return Density(int(directed_part(graph).sum()), int(undirected_part(graph).sum()) // 2)


def shuffle_columns(graph: Adjacency, n_graphs: int, rng: Generator) -> Graphs:
    """Draw graphs that differ from one in the names of its nodes alone.

    Undirected edges stay together as they are in a class of graphs; scattered, they would lead
    from more nodes to more others, and a class that knows nothing would seem to know something.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> drawn = shuffle_columns(chain(4), 10, np.random.default_rng(0))
    >>> {density_of(graph) for graph in drawn}
    {Density(directed=3, undirected=0)}
    """
    orders = np.argsort(rng.random((n_graphs, len(graph))), axis=1)
    return np.asarray(graph[orders[:, :, None], orders[:, None, :]])


def reachability(graphs: Graphs) -> Graphs:
    """Return for many graphs which nodes a walk along → and — leads to.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> reachability(chain(3)[None]).astype(int).tolist()
    [[[0, 1, 1], [0, 0, 1], [0, 0, 0]]]
    """
    n_nodes = graphs.shape[1]
    own = np.eye(n_nodes, dtype=bool)
    reached = graphs | own
    for _ in range(max(1, math.ceil(math.log2(n_nodes)))):
        steps = reached.astype(np.float32)
        reached = steps @ steps > 0
    return reached & ~own


def risks_of(graphs: Graphs, descendants: Mapping[int, Set[int]]) -> Vector:
    """Return the mean Jaccard distance of each graph over the nodes with experiments.

    No graph was fitted, so that the naive, cross-validated and weighted risks are the same.
    """
    return _mean_losses(reachability(graphs), descendants)


def _mean_losses(reached: Graphs, descendants: Mapping[int, Set[int]]) -> Vector:
    losses = []
    for node, effects in descendants.items():
        found = np.zeros(reached.shape[1], dtype=bool)
        found[list(effects)] = True
        both = (reached[:, node] & found).sum(axis=1)
        either = (reached[:, node] | found).sum(axis=1)
        losses.append(np.where(either > 0, 1 - both / np.maximum(either, 1), 0.0))
    return np.asarray(np.mean(losses, axis=0))


def random_risks(
    graph: Adjacency, descendants: Mapping[int, Set[int]], n_graphs: int, rng: Generator
) -> Vector:
    """Return the risks of a graph whose columns were exchanged at random, `n_graphs` times."""
    reached = reachability(graph[None])[0]
    at_once = max(1, CELLS_AT_ONCE // len(graph) ** 2)
    sizes = [min(at_once, n_graphs - done) for done in range(0, n_graphs, at_once)]
    return np.concatenate(
        [_mean_losses(shuffle_columns(reached, size, rng), descendants) for size in sizes]
    )


def beside_random(risk: float, random: Vector) -> RandomGraphs:
    """Hold a risk against those of random graphs.

    The p-value is one-sided: how often a random graph scores at least as well.

    Examples
    --------
    >>> beside_random(0.2, np.array([0.1, 0.2, 0.3, 0.4])).share_beaten
    0.5
    >>> beside_random(0.2, np.array([0.1, 0.2, 0.3, 0.4])).p_value
    0.6
    """
    low, high = np.quantile(random, (0.025, 0.975))
    beaten = int((random > risk + NO_DIFFERENCE).sum())
    return RandomGraphs(
        n_graphs=len(random),
        mean=float(random.mean()),
        low=float(low),
        high=float(high),
        share_beaten=beaten / len(random),
        p_value=(1 + len(random) - beaten) / (1 + len(random)),
    )
