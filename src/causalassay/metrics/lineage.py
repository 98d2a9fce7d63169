"""A DAG prepared for many searches: topological numbers, lists, bit sets of descendants."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.kernels import kernel
from causalassay.graphs.orders import Indices, neighbour_lists

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
