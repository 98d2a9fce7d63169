"""Random graphs with as many edges as an algorithm has: what its density alone would score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.arrays import Adjacency, Vector
from causalassay.choosing.result import Density, RandomGraphs
from causalassay.graphs import to_cpdag
from causalassay.graphs.cpdag import directed_part, undirected_part

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


def draw_graphs(n_nodes: int, density: Density, n_graphs: int, rng: Generator) -> Graphs:
    """Draw graphs: random pairs are joined, along a random order, some of them undirected.

    Examples
    --------
    >>> drawn = draw_graphs(4, Density(2, 1), 10, np.random.default_rng(0))
    >>> {density_of(graph) for graph in drawn}
    {Density(directed=2, undirected=1)}
    """
    first, second = np.triu_indices(n_nodes, k=1)
    place = np.argsort(rng.random((n_graphs, n_nodes)), axis=1)
    pairs = np.argsort(rng.random((n_graphs, len(first))), axis=1)
    each = np.arange(n_graphs)[:, None]
    graphs = np.zeros((n_graphs, n_nodes, n_nodes), dtype=bool)
    joined = pairs[:, : density.directed + density.undirected]
    forward = place[each, first[joined]] < place[each, second[joined]]
    undirected = np.arange(joined.shape[1]) < density.undirected
    graphs[each, first[joined], second[joined]] = forward | undirected
    graphs[each, second[joined], first[joined]] = ~forward | undirected
    return graphs


def draw_classes(n_nodes: int, n_edges: int, n_graphs: int, rng: Generator) -> Graphs:
    """Draw DAGs with random pairs joined along a random order; return their CPDAGs.

    Undirected edges at random places would not do: arrows into them, which no class has,
    make long walks.

    Examples
    --------
    >>> drawn = draw_classes(4, 3, 10, np.random.default_rng(0))
    >>> {sum(vars(density_of(graph)).values()) for graph in drawn}
    {3}
    """
    dags = draw_graphs(n_nodes, Density(n_edges, 0), n_graphs, rng)
    return np.array([to_cpdag(dag) for dag in dags])


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
    reached = reachability(graphs)
    losses = []
    for node, effects in descendants.items():
        found = np.zeros(graphs.shape[1], dtype=bool)
        found[list(effects)] = True
        both = (reached[:, node] & found).sum(axis=1)
        either = (reached[:, node] | found).sum(axis=1)
        losses.append(np.where(either > 0, 1 - both / np.maximum(either, 1), 0.0))
    return np.asarray(np.mean(losses, axis=0))


def random_risks(
    n_nodes: int,
    density: Density,
    descendants: Mapping[int, Set[int]],
    n_graphs: int,
    rng: Generator,
    *,
    classes: bool = False,
) -> Vector:
    """Return the risks of `n_graphs` random graphs of a density, or of random classes."""

    def draw(size: int) -> Graphs:
        if classes:
            return draw_classes(n_nodes, density.directed + density.undirected, size, rng)
        return draw_graphs(n_nodes, density, size, rng)

    at_once = max(1, CELLS_AT_ONCE // n_nodes**2)
    sizes = [min(at_once, n_graphs - done) for done in range(0, n_graphs, at_once)]
    return np.concatenate([risks_of(draw(size), descendants) for size in sizes])


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
