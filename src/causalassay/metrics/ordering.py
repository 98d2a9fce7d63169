"""Whether a guess puts causes before effects, whatever edges it draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.kernels import kernel
from causalassay.contracts import Estimate
from causalassay.graphs import is_dag, reachability
from causalassay.graphs.orders import Indices, neighbour_lists
from causalassay.metrics.edges import Guess, check_pair, share
from causalassay.metrics.registry import metric

__all__ = [
    "order_score",
    "ordered_share",
]


# Version 2: the order that an estimate reports comes before its directed paths.
@metric("high", "estimate", version=2)
def order_score(truth: Adjacency, guess: Guess) -> float:
    """Return the share of true edges ordered correctly, among those that the guess orders.

    An estimate that reports an order orders all nodes by it. Any other guess orders two
    nodes if directed edges lead from one to the other and not back. A guess that knows
    nothing of directions has 1/2 on average.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        i—j has no order to find and is not counted.
    guess : Adjacency or Estimate
        Undirected edges are ignored.

    Returns
    -------
    float
        nan if the guess orders the ends of no true edge; see `ordered_share`.

    Examples
    --------
    The first true edge is ordered by a path, the second the wrong way.

    >>> import numpy as np
    >>> truth = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> guess = np.array([[0, 0, 1], [0, 0, 0], [0, 1, 0]], dtype=bool)
    >>> order_score(truth, guess)
    0.5
    >>> order_score(truth, Estimate(guess, "dag", order=(0, 1, 2)))
    1.0
    """
    edges, before = _edges_and_order(truth, guess)
    rightly, wrongly = int((edges & before).sum()), int((edges & before.T).sum())
    return share(rightly, rightly + wrongly)


@metric("high", "estimate", version=2)
def ordered_share(truth: Adjacency, guess: Guess) -> float:
    """Return the share of the true edges whose two ends the guess orders, either way.

    Parameters
    ----------
    truth, guess
        As in `order_score`.

    Returns
    -------
    float
        nan if there is no true edge.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> ordered_share(chain(3), chain(3).T), ordered_share(chain(3), chain(3) | chain(3).T)
    (1.0, 0.0)
    """
    edges, before = _edges_and_order(truth, guess)
    return share(int((edges & (before | before.T)).sum()), int(edges.sum()))


def _edges_and_order(truth: Adjacency, guess: Guess) -> tuple[Adjacency, Adjacency]:
    """Return the directed edges of the truth, and for each (i, j) whether the guess has i first."""
    truth, graph = check_pair(truth, guess)
    edges = truth & ~truth.T
    if isinstance(guess, Estimate) and guess.order is not None:
        return edges, _comes_before(guess.order, len(truth))
    leads = _leads_to(graph & ~graph.T)
    return edges, leads & ~leads.T


def _comes_before(order: Sequence[int], n_nodes: int) -> Adjacency:
    """Return for each (i, j) whether i comes first in an order."""
    if sorted(order) != list(range(n_nodes)):
        raise ValueError(f"order: expected each of {n_nodes} nodes once, got {tuple(order)}")
    place = np.argsort(order)
    return place[:, None] < place[None, :]


def _leads_to(directed: Adjacency) -> Adjacency:
    """Return the pairs that a path connects; estimates may have cycles."""
    if is_dag(directed):
        return reachability(directed)
    reach = directed | np.eye(len(directed), dtype=bool)
    for _ in range(len(directed).bit_length()):
        # Each product doubles the length of the paths.
        reach = reach.astype(np.float32) @ reach.astype(np.float32) > 0
    return reach


# A DAG prepared for many searches: topological numbers, lists, bit sets of descendants.

Bits = NDArray[np.uint64]


class Lists(NamedTuple):
    """Row i's nodes are ``node[start[i]:start[i + 1]]``."""

    start: Indices
    node: Indices


class Lineage(NamedTuple):
    """A DAG whose nodes are numbered in a topological order.

    ``below``, shape (d, words), has a bit for each descendant of a node and for itself.
    """

    children: Lists
    parents: Lists
    below: Bits


def lineage(dag: Adjacency, order: Indices) -> tuple[Lineage, Indices]:
    """Return the renumbered DAG and each node's number, which is its position in `order`."""
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    children = renumber(*neighbour_lists(dag), rank)
    return Lineage(Lists(*children), Lists(*turn_round(*children)), _bits_below(*children)), rank


@kernel
def renumber(start: Indices, node: Indices, rank: Indices) -> tuple[Indices, Indices]:
    """Return the lists of the graph in which node i is called ``rank[i]``."""
    d = len(rank)
    renamed_start = np.zeros(d + 1, np.int64)
    for i in range(d):
        renamed_start[rank[i] + 1] = start[i + 1] - start[i]
    for i in range(d):  # np.cumsum would take a second to compile
        renamed_start[i + 1] += renamed_start[i]
    renamed = np.empty(len(node), np.int64)
    for i in range(d):
        shift = renamed_start[rank[i]] - start[i]
        for position in range(start[i], start[i + 1]):
            renamed[position + shift] = rank[node[position]]
    return renamed_start, renamed


@kernel
def turn_round(start: Indices, node: Indices) -> tuple[Indices, Indices]:
    """Return the lists of parents for lists of children."""
    d = len(start) - 1
    turned_start = np.zeros(d + 1, np.int64)
    for head in node:
        turned_start[head + 1] += 1
    for i in range(d):
        turned_start[i + 1] += turned_start[i]
    filled = turned_start[:-1].copy()
    turned = np.empty(len(node), np.int64)
    for tail in range(d):
        for position in range(start[tail], start[tail + 1]):
            turned[filled[node[position]]] = tail
            filled[node[position]] += 1
    return turned_start, turned


@kernel
def _bits_below(start: Indices, child: Indices) -> Bits:
    d = len(start) - 1
    below = np.zeros((d, (d + 63) // 64), np.uint64)
    for node in range(d - 1, -1, -1):
        below[node, node >> 6] = np.uint64(1) << np.uint64(node & 63)
        for position in range(start[node], start[node + 1]):
            for word in range(below.shape[1]):
                below[node, word] |= below[child[position], word]
    return below
