"""Probabilities of edges: from several graphs, and the graph that stands for them.

``p[i, j]`` is the probability of i→j. Of two nodes at most one edge is true, so that ``p + p.T``
is the probability that they are joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Adjacency, as_graph
from causalassay.common.spelling import RefusedValue

Probabilities = NDArray[np.float64]
"""Float ``(d, d)`` in [0, 1] with diagonal 0; ``p[i, j] + p[j, i]`` is at most 1."""

TOLERANCE = 1e-6
"""What rounding may add to a probability, or to the sum of both directions of a pair."""


def check_probabilities(
    value: ArrayLike, n_nodes: int, *, both_ways: bool = False
) -> Probabilities:
    """Return probabilities of edges as an array, or raise.

    Parameters
    ----------
    value : array_like, shape (d, d)
    n_nodes : int
        What d must be.
    both_ways : bool
        Whether both edges of a pair can be true, as in the summary of a series.

    Examples
    --------
    >>> check_probabilities([[0, 0.7], [0.1, 0]], 2)
    array([[0. , 0.7],
           [0.1, 0. ]])
    >>> check_probabilities([[0, 0.7], [0.6, 0]], 2)
    Traceback (most recent call last):
    ValueError: probabilities: those of 0→1 and 1→0 sum to 1.3, expected at most 1; ...
    """
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise TypeError("probabilities: expected a matrix of numbers") from None
    if array.shape != (n_nodes, n_nodes):
        expected = (n_nodes, n_nodes)
        raise ValueError(f"probabilities: expected the shape {expected}, got {array.shape}")
    wrong = ~((array >= -TOLERANCE) & (array <= 1 + TOLERANCE))
    if wrong.any():
        i, j = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"probabilities: that of {i}→{j} is {array[i, j]}, expected a number from 0 to 1"
        )
    if array.diagonal().any():
        i = int(np.flatnonzero(array.diagonal())[0])
        raise ValueError(f"probabilities: that of {i}→{i} is {array[i, i]}, expected 0")
    joined = array + array.T
    if not both_ways and (joined > 1 + TOLERANCE).any():
        i, j = np.argwhere(joined > 1 + TOLERANCE)[0].tolist()
        raise ValueError(
            f"probabilities: those of {i}→{j} and {j}→{i} sum to {joined[i, j]:.6g}, expected at "
            "most 1; halve that of an edge without direction"
        )
    return np.clip(array, 0.0, 1.0)


def edge_probabilities(
    graphs: Iterable[Adjacency], weights: Sequence[float] | None = None
) -> Probabilities:
    """Return the share of the graphs that have each edge; an undirected edge is half of each.

    Parameters
    ----------
    graphs : iterable of Adjacency, shape (d, d)
        DAGs, CPDAGs or PDAGs, such as draws from a posterior, or of bootstraps.
    weights : sequence of float, optional
        Of the graphs, not negative; they need not sum to 1. Without them all count alike.

    Returns
    -------
    ndarray, shape (d, d)

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> edge_probabilities([chain(2), chain(2) | chain(2).T], weights=[3, 1])
    array([[0.   , 0.875],
           [0.125, 0.   ]])
    """
    checked = [as_graph(graph, f"graphs[{k}]") for k, graph in enumerate(graphs)]
    if not checked:
        raise RefusedValue("graphs", "expected at least one graph, got none")
    shares = np.ones(len(checked)) if weights is None else np.asarray(weights, dtype=float)
    if shares.shape != (len(checked),):
        raise RefusedValue(
            "weights", f"expected one for each of {len(checked)} graphs, got shape {shares.shape}"
        )
    if not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise RefusedValue("weights", "expected numbers >= 0 that are not all 0")
    total = np.zeros(checked[0].shape)
    for k, (graph, share) in enumerate(zip(checked, shares, strict=True)):
        if graph.shape != total.shape:
            raise RefusedValue(
                "graphs",
                f"the first has {len(total)} nodes, that at index {k} has {len(graph)}",
            )
        total += share * halved(graph)
    # Divided at last: sums of halves are exact, so that edges of as many graphs tie.
    return np.minimum(total / shares.sum(), 1.0)


def halved(graph: Adjacency) -> Probabilities:
    """Return a graph as probabilities: 1 for a directed edge, half each way for another.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> halved(chain(2) | chain(2).T)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    return np.where(graph & graph.T, 0.5, graph.astype(float))


def most_probable_dag(probabilities: ArrayLike, threshold: float = 0.5) -> Adjacency:
    """Return the DAG that a greedy reading of probabilities of edges gives.

    A pair is joined if ``p[i, j] + p[j, i]`` exceeds the threshold, in the direction of the larger
    of the two. The edges are added in falling order of that larger one. One that would close a
    cycle is turned if that is more probable than no edge, else left out. Ties are decided by the
    indices of the nodes.

    Parameters
    ----------
    probabilities : array_like, shape (d, d)
    threshold : float
        From 0 to 1.

    Examples
    --------
    The last edge of a cycle is turned: 0.3 is more than the 0.2 of no edge.

    >>> most_probable_dag([[0, 0.9, 0.3], [0, 0, 0.8], [0.5, 0, 0]]).astype(int)
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    p = check_probabilities(probabilities, len(np.asarray(probabilities)))
    d = len(p)
    first, second = np.triu_indices(d, 1)
    forward, backward = p[first, second], p[second, first]
    joined = forward + backward > threshold
    tail = np.where(forward >= backward, first, second)[joined]
    head = np.where(forward >= backward, second, first)[joined]
    falling = np.argsort(-p[tail, head], kind="stable")
    graph = np.zeros((d, d), dtype=bool)
    reaches = np.eye(d, dtype=bool)
    for i, j in zip(tail[falling].tolist(), head[falling].tolist(), strict=True):
        a, b = i, j
        if reaches[j, i]:
            if p[j, i] <= 1 - p[i, j] - p[j, i]:
                continue
            a, b = j, i
        graph[a, b] = True
        if not reaches[a, b]:
            reaches[reaches[:, a]] |= reaches[b]
    return graph


def order_by_probability(graph: Adjacency, probabilities: Probabilities) -> tuple[int, ...]:
    """Return a causal order of a DAG: of the nodes that may come next, the likeliest cause.

    That is the one for which the probabilities of edges to the nodes left exceed those of edges
    from them by most.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> order_by_probability(chain(3), np.zeros((3, 3)))
    (0, 1, 2)
    """
    lead = probabilities - probabilities.T
    left = np.ones(len(graph), dtype=bool)
    order: list[int] = []
    while left.any():
        free = np.flatnonzero(left & ~graph[left].any(axis=0))
        node = int(free[lead[np.ix_(free, left)].sum(axis=1).argmax()])
        order.append(node)
        left[node] = False
    return tuple(order)
