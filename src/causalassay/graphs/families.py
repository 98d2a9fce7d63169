"""Graph families. Random families shuffle their labels: index order carries no information."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.annotations import typed
from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import as_generator
from causalassay.common.spelling import RefusedValue

MOST_NODES = 20_000
"""The most nodes of any graph: its adjacency has the square of that many entries, 400 MB."""


def erdos_renyi(
    n_nodes: int, edges_per_node: float, rng: Generator | int, exact: bool = True
) -> Adjacency:
    """Return a random DAG in which every pair of nodes is equally likely to be joined.

    Parameters
    ----------
    n_nodes : int
        Number of nodes d.
    edges_per_node : float
        k, any real number from 0 to (d - 1) / 2, which is the complete graph.
        The expected number of neighbours of a node is 2k (pcalg's and
        Eigenmann's ENS), which some papers call the degree.
    rng : Generator or int
        The source of randomness; an int is a seed.
    exact : bool
        True: ``round(k * d)`` edges (ER-k of NOTEARS and Reisach 2021).
        False: each pair with probability ``2k / (d - 1)``, so k·d edges in
        expectation (Ormaniec 2024, Eigenmann 2020).

    Examples
    --------
    >>> import numpy as np
    >>> graph = erdos_renyi(10, 1.5, np.random.default_rng(0))
    >>> int(graph.sum())
    15
    """
    rng = as_generator(rng)
    check_erdos_renyi(n_nodes, edges_per_node)
    n_pairs = n_nodes * (n_nodes - 1) // 2
    if exact:
        chosen = rng.choice(n_pairs, size=round(edges_per_node * n_nodes), replace=False)
    else:
        probability = 2 * edges_per_node / (n_nodes - 1) if n_nodes > 1 else 0.0
        chosen = np.flatnonzero(rng.random(n_pairs) < probability)
    ordered = np.zeros((n_nodes, n_nodes), dtype=bool)
    earlier, later = np.triu_indices(n_nodes, 1)
    ordered[earlier[chosen], later[chosen]] = True
    return shuffle_labels(ordered, rng)


def scale_free(
    n_nodes: int, edges_per_node: int, rng: Generator | int, hubs: Literal["in", "any"] = "in"
) -> Adjacency:
    """Return a DAG grown by preferential attachment (Barabási and Albert 1999).

    Node t joins ``min(t, k)`` earlier nodes, each with probability proportional
    to 1 + its in-degree (``hubs="in"``) or 1 + its degree (``hubs="any"``),
    so there are k·d - k(k+1)/2 edges.

    Parameters
    ----------
    n_nodes : int
        The number of nodes d.
    edges_per_node : int
        k, at least 1.
    rng : Generator or int
        The source of randomness; an int is a seed.
    hubs : {"in", "any"}
        "in": edges point from the new to the old node, so hubs have many
        parents (NOTEARS, Reisach 2021). "any": edges point along a random
        order of the nodes, so hubs have parents and children (Ormaniec 2024).

    Examples
    --------
    >>> import numpy as np
    >>> int(scale_free(20, 2, np.random.default_rng(0)).sum())
    37
    """
    rng = as_generator(rng)
    check_scale_free(n_nodes, edges_per_node, hubs)
    grown = np.zeros((n_nodes, n_nodes), dtype=bool)
    attraction = np.ones(n_nodes)
    for new in range(1, n_nodes):
        share = attraction[:new] / attraction[:new].sum()
        old = rng.choice(new, size=min(new, int(edges_per_node)), replace=False, p=share)
        grown[new, old] = True
        attraction[old] += 1
        if hubs == "any":
            attraction[new] += len(old)
    return shuffle_labels(grown if hubs == "in" else _orient_at_random(grown, rng), rng)


def chain(n_nodes: int) -> Adjacency:
    """Return 0→1→…→d-1, with its labels in order.

    Examples
    --------
    >>> chain(3).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    check_n_nodes(n_nodes)
    return np.eye(n_nodes, k=1, dtype=bool)


def forest(
    n_nodes: int,
    rng: Generator | int,
    n_trees: int = 1,
    orientation: Literal["away", "random"] = "away",
) -> Adjacency:
    """Return a DAG whose skeleton is a forest.

    The skeleton is a uniform labelled tree (Prüfer) from which ``n_trees - 1``
    edges, uniformly drawn, are removed.

    Parameters
    ----------
    n_nodes : int
        The number of nodes.
    rng : Generator or int
        The source of randomness; an int is a seed.
    n_trees : int
        Number of connected parts, 1 (a tree) to `n_nodes` (no edge).
    orientation : {"away", "random"}
        "away": away from one random root in each tree, so every node has at
        most one parent. "random": along a random order, so colliders occur.

    Examples
    --------
    >>> import numpy as np
    >>> tree = forest(6, np.random.default_rng(0))
    >>> int(tree.sum()), int(tree.sum(axis=0).max())
    (5, 1)
    """
    rng = as_generator(rng)
    check_forest(n_nodes, n_trees, orientation)
    pairs = _uniform_tree(n_nodes, rng)
    edges = pairs[rng.permutation(len(pairs))[: n_nodes - n_trees]]
    half = np.zeros((n_nodes, n_nodes), dtype=bool)
    half[edges[:, 0], edges[:, 1]] = True
    orient = _orient_from_roots if orientation == "away" else _orient_at_random
    return shuffle_labels(orient(half, rng), rng)


def complete(n_nodes: int, rng: Generator | int) -> Adjacency:
    """Return the DAG with all edges that a random order of the nodes allows.

    Examples
    --------
    >>> import numpy as np
    >>> int(complete(5, np.random.default_rng(0)).sum())
    10
    """
    rng = as_generator(rng)
    check_n_nodes(n_nodes)
    return shuffle_labels(np.triu(np.ones((n_nodes, n_nodes), dtype=bool), 1), rng)


def bipartite(
    n_treatments: int, n_outcomes: int, edge_probability: float, rng: Generator | int
) -> Adjacency:
    """Return a DAG in which treatments may cause outcomes and nothing else causes anything.

    Parameters
    ----------
    n_treatments, n_outcomes : int
        Sizes of the two parts; labels are shuffled over both.
    edge_probability : float
        The probability of each treatment→outcome edge, independently.
    rng : Generator or int
        The source of randomness; an int is a seed.

    Examples
    --------
    >>> import numpy as np
    >>> int(bipartite(2, 3, 1.0, np.random.default_rng(0)).sum())
    6
    """
    rng = as_generator(rng)
    check_bipartite(n_treatments, n_outcomes, edge_probability)
    n_nodes = n_treatments + n_outcomes
    parted = np.zeros((n_nodes, n_nodes), dtype=bool)
    parted[:n_treatments, n_treatments:] = rng.random((n_treatments, n_outcomes)) < edge_probability
    return shuffle_labels(parted, rng)


def shuffle_labels(graph: Adjacency, rng: Generator) -> Adjacency:
    """Return the graph with its nodes renamed by a random permutation."""
    label = rng.permutation(len(graph))
    shuffled = np.empty_like(graph)
    shuffled[np.ix_(label, label)] = graph
    return shuffled


def _orient_at_random(pairs: Adjacency, rng: Generator) -> Adjacency:
    """Direct each pair, given in either direction, along one random order of the nodes."""
    position = rng.permutation(len(pairs))
    return (pairs | pairs.T) & (position[:, None] < position[None, :])


def _orient_from_roots(pairs: Adjacency, rng: Generator) -> Adjacency:
    """Direct the edges of a forest away from a random root in each tree."""
    joined = pairs | pairs.T
    directed = np.zeros_like(joined)
    seen = np.zeros(len(joined), dtype=bool)
    for root in rng.permutation(len(joined)):
        frontier = [int(root)] if not seen[root] else []
        seen[root] = True
        while frontier:
            node = frontier.pop()
            for child in np.flatnonzero(joined[node] & ~seen):
                directed[node, child] = seen[child] = True
                frontier.append(int(child))
    return directed


def _uniform_tree(n_nodes: int, rng: Generator) -> NDArray[np.int64]:
    """Decode a random Prüfer sequence into the edges, shape (d - 1, 2), of a labelled tree."""
    if n_nodes == 1:
        return np.empty((0, 2), dtype=np.int64)
    sequence = rng.integers(n_nodes, size=n_nodes - 2)
    degree = 1 + np.bincount(sequence, minlength=n_nodes)
    edges = []
    for node in sequence:
        leaf = int((degree == 1).argmax())
        edges.append((leaf, int(node)))
        degree[leaf] -= 1
        degree[node] -= 1
    last, other = np.flatnonzero(degree == 1)
    edges.append((int(last), int(other)))
    return np.array(edges, dtype=np.int64)


@typed
def check_n_nodes(n_nodes: int) -> None:
    """Raise unless there is a node, and no more than fit into memory."""
    if n_nodes < 1:
        raise RefusedValue("n_nodes", f"expected at least 1, got {n_nodes}")
    if n_nodes > MOST_NODES:
        raise RefusedValue("n_nodes", f"expected at most {MOST_NODES}, got {n_nodes}")


@typed
def check_erdos_renyi(n_nodes: int, edges_per_node: float) -> None:
    """Raise unless a DAG with this many nodes can have this many edges."""
    check_n_nodes(n_nodes)
    if not 0 <= edges_per_node <= (n_nodes - 1) / 2:
        raise RefusedValue(
            "edges_per_node",
            f"{n_nodes} nodes can have 0 to {(n_nodes - 1) / 2} edges per node, "
            f"got {edges_per_node}",
        )


@typed
def check_scale_free(n_nodes: int, edges_per_node: float, hubs: str) -> None:
    """Raise unless `scale_free` can draw with these parameters."""
    check_n_nodes(n_nodes)
    if hubs not in ("in", "any"):
        raise ValueError(f'hubs: expected "in" or "any", got {hubs!r}')
    if not edges_per_node >= 1 or edges_per_node % 1 != 0:
        raise RefusedValue(
            "edges_per_node", f"a scale-free graph takes a whole number >= 1, got {edges_per_node}"
        )


@typed
def check_forest(n_nodes: int, n_trees: int, orientation: str) -> None:
    """Raise unless `forest` can draw with these parameters."""
    check_n_nodes(n_nodes)
    if not 1 <= n_trees <= n_nodes:
        raise RefusedValue("n_trees", f"expected 1 to {n_nodes}, got {n_trees}")
    if orientation not in ("away", "random"):
        raise ValueError(f'orientation: expected "away" or "random", got {orientation!r}')


@typed
def check_bipartite(n_treatments: int, n_outcomes: int, edge_probability: float) -> None:
    """Raise unless `bipartite` can draw with these parameters."""
    for name, size in (("n_treatments", n_treatments), ("n_outcomes", n_outcomes)):
        if size < 1:
            raise RefusedValue(name, f"expected at least 1, got {size}")
    check_n_nodes(n_treatments + n_outcomes)
    if not 0 <= edge_probability <= 1:
        raise RefusedValue("edge_probability", f"expected 0 to 1, got {edge_probability}")
