"""Topological order, ancestors and descendants."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, as_graph, check_nodes
from causalassay.common.kernels import kernel

Indices = NDArray[np.int64]


def neighbour_lists(graph: NDArray[Any]) -> tuple[Indices, Indices]:
    """Return ``(start, node)``: row i's non-zero columns are ``node[start[i]:start[i + 1]]``."""
    # On the flat matrix: np.nonzero on two dimensions is ten times slower.
    rows, columns = np.divmod(np.flatnonzero(graph), len(graph))
    start = np.zeros(len(graph) + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=len(graph)), out=start[1:])
    return start, columns


@kernel
def kahn(start: Indices, child: Indices) -> Indices:
    """Kahn's algorithm; the result is shorter than d where there is a cycle."""
    d = len(start) - 1
    waiting_for, order, filled = np.empty(d, np.int64), np.empty(d, np.int64), 0
    for node in range(d):
        waiting_for[node] = 0
    for node in child:
        waiting_for[node] += 1
    for node in range(d):
        if waiting_for[node] == 0:
            order[filled] = node
            filled += 1
    done = 0
    while done < filled:
        node = order[done]
        done += 1
        for position in range(start[node], start[node + 1]):
            waiting_for[child[position]] -= 1
            if waiting_for[child[position]] == 0:
                order[filled] = child[position]
                filled += 1
    return order[:filled]


def order_or_cycle(graph: Adjacency) -> Indices:
    """Return a topological order of a checked adjacency; shorter than d if there is none."""
    return kahn(*neighbour_lists(graph))


def is_dag(graph: Adjacency) -> bool:
    """Tell whether a graph has directed edges only and no cycle.

    Examples
    --------
    >>> import numpy as np
    >>> is_dag(np.array([[False, True], [False, False]]))
    True
    >>> is_dag(np.array([[False, True], [True, False]]))
    False
    """
    matrix = as_graph(graph)
    return len(order_or_cycle(matrix)) == len(matrix)


def check_dag(graph: NDArray[Any], name: str = "graph") -> Adjacency:
    """Return `graph` as an adjacency if it is a DAG; else raise and name a cycle."""
    matrix = as_graph(graph, name)
    topological_order(matrix, name)
    return matrix


def topological_order(dag: Adjacency, name: str = "graph") -> Indices:
    """Return the nodes so that every edge points from an earlier to a later one.

    Examples
    --------
    >>> import numpy as np
    >>> topological_order(np.array([[False, False], [True, False]])).tolist()
    [1, 0]
    """
    dag = as_graph(dag, name)
    order = order_or_cycle(dag)
    if len(order) < len(dag):
        cycle = " -> ".join(map(str, cycle_of(dag)))
        raise ValueError(f"{name}: expected a DAG, but there is the cycle {cycle}")
    return order


def cycle_of(graph: Adjacency) -> list[int]:
    """Return the nodes along a cycle of a graph that has one; the first comes last again."""
    # Backwards among the nodes that Kahn's algorithm leaves, until one recurs.
    left = np.ones(len(graph), dtype=bool)
    left[order_or_cycle(graph)] = False
    node = int(left.argmax())
    walk: list[int] = []
    while node not in walk:
        walk.append(node)
        node = int((graph[:, node] & left).argmax())
    return [node, *reversed(walk[walk.index(node) :])]


def reachability(dag: Adjacency) -> Adjacency:
    """Return the matrix that tells for each (i, j) whether i is an ancestor of j.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> reachability(chain(3)).astype(int)
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    dag = as_graph(dag)
    d, order = len(dag), topological_order(dag).tolist()
    start, child = (indices.tolist() for indices in neighbour_lists(dag))
    # A number with one bit for each node: as fast as a kernel, with nothing to compile.
    from_here = [1 << node for node in range(d)]
    for node in reversed(order):
        for c in child[start[node] : start[node + 1]]:
            from_here[node] |= from_here[c]
    n_bytes = (d + 7) // 8
    octets = b"".join(nodes.to_bytes(n_bytes, "little") for nodes in from_here)
    rows = np.frombuffer(octets, np.uint8).reshape(d, n_bytes)
    reach = np.unpackbits(rows, axis=1, count=d, bitorder="little").view(np.bool_)
    np.fill_diagonal(reach, False)
    return reach


def descendants(dag: Adjacency, node: int) -> set[int]:
    """Return the nodes that `node` has a directed path to, without itself.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> sorted(descendants(chain(4), 1))
    [2, 3]
    """
    reach = reachability(dag)
    (source,) = check_nodes(node, len(reach), "node")
    return set(np.flatnonzero(reach[source]).tolist())


def ancestors(dag: Adjacency, node: int) -> set[int]:
    """Return the nodes that have a directed path to `node`, without itself.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> sorted(ancestors(chain(4), 2))
    [0, 1]
    """
    reach = reachability(dag)
    (sink,) = check_nodes(node, len(reach), "node")
    return set(np.flatnonzero(reach[:, sink]).tolist())


# At how many lengths a directed path joins two nodes.


@kernel
def _count_lengths(start: Indices, child: Indices) -> NDArray[np.int32]:
    """Row i of the k-th boolean power is a bit set: the union of its children's (k-1)-th rows."""
    d = len(start) - 1
    n_words = (d + 63) // 64
    counts = np.zeros((d, d), np.int32)
    rows = np.zeros((d, n_words), np.uint64)
    for i in range(d):
        for position in range(start[i], start[i + 1]):
            j = child[position]
            rows[i, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
            counts[i, j] = 1
    longer = np.zeros((d, n_words), np.uint64)
    grew = True
    while grew:
        grew = False
        for i in range(d):
            for word in range(n_words):
                bits = np.uint64(0)
                for position in range(start[i], start[i + 1]):
                    bits |= rows[child[position], word]
                longer[i, word] = bits
                j = word << 6
                while bits:
                    if bits & np.uint64(1):
                        counts[i, j] += 1
                        grew = True
                    bits >>= np.uint64(1)
                    j += 1
        rows, longer = longer, rows
    return counts


def path_counts(dag: Adjacency) -> NDArray[np.int32]:
    """Return for each ordered pair the number of lengths at which some directed path exists.

    Two paths of the same length count once (Reisach et al. 2021, section 3.1:
    the boolean powers of the adjacency matrix, summed).

    Examples
    --------
    The diamond 0→1→3, 0→2→3 has four edges and one pair joined at length two.

    >>> import numpy as np
    >>> diamond = np.zeros((4, 4), dtype=bool)
    >>> diamond[[0, 0, 1, 2], [1, 2, 3, 3]] = True
    >>> int(path_counts(diamond).sum())
    5
    """
    return _count_lengths(*neighbour_lists(check_dag(dag)))
