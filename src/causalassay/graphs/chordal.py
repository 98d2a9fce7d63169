"""Chordal graphs, with sets of nodes as bits of Python ints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from causalassay.common.arrays import Adjacency


def neighbour_masks(undirected: Adjacency) -> list[int]:
    """Return for each node of a symmetric matrix the bit set of its neighbours."""
    rows = np.packbits(undirected, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in rows]


def members(nodes: int) -> Iterator[int]:
    """Yield the nodes of a bit set in ascending order."""
    while nodes:
        lowest = nodes & -nodes
        yield lowest.bit_length() - 1
        nodes ^= lowest


def reach(neighbours: Sequence[int], within: int, source: int) -> int:
    """Return the nodes joined to those of `source` by paths inside `within`."""
    reached = frontier = source
    while frontier:
        near = 0
        for node in members(frontier):
            near |= neighbours[node]
        frontier = near & within & ~reached
        reached |= frontier
    return reached


def components(neighbours: Sequence[int], within: int) -> Iterator[int]:
    """Yield the connected parts of the graph on `within`, by their lowest node."""
    while within:
        part = reach(neighbours, within, within & -within)
        yield part
        within ^= part


def lex_bfs(neighbours: Sequence[int], parts: list[int]) -> Iterator[tuple[int, int]]:
    """Visit nodes in lexicographic breadth-first order, those of `parts[0]` first.

    Yields each node with the set it was taken from: the nodes not yet visited that have
    the same visited neighbours, among those of its initial part.

    References
    ----------
    Rose, Tarjan, Lueker (1976), Algorithmic aspects of vertex elimination on graphs;
    partition refinement as in Habib et al. (2000).
    """
    while parts:
        head = parts[0]
        lowest = head & -head
        node = lowest.bit_length() - 1
        yield node, head
        near = neighbours[node]
        refined = []
        for part in parts:
            rest = part & ~lowest
            refined += [piece for piece in (rest & near, rest & ~near) if piece]
        parts = refined


@dataclass
class Clique:
    """A node of a rooted clique tree: a maximal clique, what it shares with its parent."""

    nodes: int
    separator: int
    parent: int


def clique_tree(neighbours: Sequence[int], within: int) -> list[Clique]:
    """Return the maximal cliques of a connected chordal graph, parents before children.

    References
    ----------
    Galinier, Habib, Paul (1995), Chordal graphs and their clique graphs, algorithm 3.
    """
    tree = [Clique(nodes=0, separator=0, parent=-1)]
    home: dict[int, int] = {}
    visited: list[int] = []
    seen = 0
    for node, _ in lex_bfs(neighbours, [within]):
        earlier = neighbours[node] & seen
        if earlier != tree[-1].nodes:
            latest = next(other for other in reversed(visited) if earlier >> other & 1)
            tree.append(Clique(nodes=earlier, separator=earlier, parent=home[latest]))
        tree[-1].nodes |= 1 << node
        home[node] = len(tree) - 1
        visited.append(node)
        seen |= 1 << node
    return tree


def chordless_cycle(neighbours: Sequence[int]) -> list[int]:
    """Return a cycle of at least four nodes without a chord; empty where there is none.

    It is a node, two of its neighbours that are not adjacent, and a shortest path
    between them that avoids its other neighbours.
    """
    everything = (1 << len(neighbours)) - 1
    for node, near in enumerate(neighbours):
        far = everything & ~near & ~(1 << node)
        for first in members(near):
            for other in members(near & ~neighbours[first] & ~((2 << first) - 1)):
                path = _shortest_path(neighbours, far | 1 << first | 1 << other, first, other)
                if path:
                    return [node, *path]
    return []


def _shortest_path(neighbours: Sequence[int], within: int, source: int, target: int) -> list[int]:
    """Return the nodes of a shortest path inside `within`, or none."""
    layers = [1 << source]
    reached = layers[0]
    while layers[-1] and not layers[-1] >> target & 1:
        near = 0
        for node in members(layers[-1]):
            near |= neighbours[node]
        layers.append(near & within & ~reached)
        reached |= layers[-1]
    if not layers[-1]:
        return []
    path = [target]
    for layer in reversed(layers[:-1]):
        path.append(next(members(layer & neighbours[path[-1]])))
    return path[::-1]
