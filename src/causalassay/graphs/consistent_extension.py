"""A DAG with the skeleton and the v-structures of a PDAG."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from causalassay.common.arrays import Adjacency, as_graph
from causalassay.common.kernels import kernel
from causalassay.common.spelling import listed
from causalassay.graphs.orders import Indices, neighbour_lists


class NoExtension(ValueError):
    """No DAG has the PDAG's skeleton, its arrows and no further v-structure.

    Parameters
    ----------
    left : list of int
        The nodes none of which can come last among themselves.
    """

    def __init__(self, left: list[int]) -> None:
        super().__init__(f"pdag: {_why_not(str(left))}")
        self.left = left

    def named(self, names: Sequence[str]) -> str:
        """Return the message with the names of the nodes.

        Examples
        --------
        >>> NoExtension([0, 2]).named(["raf", "mek", "erk"]).partition("none of the ")[2]
        "nodes 'raf', 'erk' can come last among themselves without a cycle or a new v-structure"
        """
        return _why_not(listed([names[node] for node in self.left]))


def _why_not(nodes: str) -> str:
    return (
        "no DAG has its skeleton, its arrows and no further v-structure: none of the nodes "
        f"{nodes} can come last among themselves without a cycle or a new v-structure"
    )


@kernel
def _new_colliders(graph: Adjacency, node: int, neighbours: Indices) -> int:
    """Count the pairs of neighbours that would newly collide at `node`, were it last."""
    count = 0
    for k in range(len(neighbours)):
        for m in range(k):
            count += _collide(graph, node, neighbours[k], neighbours[m])
    return count


@kernel
def _collide(graph: Adjacency, node: int, y: int, z: int) -> bool:
    """Whether y and z are not adjacent and `node` has an undirected edge to one of them."""
    if graph[y, z] or graph[z, y]:
        return False
    return (graph[node, y] and graph[y, node]) or (graph[node, z] and graph[z, node])


@kernel
def sinks_first(graph: Adjacency, start: Indices, neighbour: Indices) -> Indices:
    """Return the nodes from the last to the first; fewer than d where no extension exists."""
    d = len(start) - 1
    children, colliders = np.empty(d, np.int64), np.empty(d, np.int64)
    removed, order, filled = np.empty(d, np.bool_), np.empty(d, np.int64), 0
    for node in range(d):
        removed[node], children[node] = False, 0
        neighbours = neighbour[start[node] : start[node + 1]]
        for other in neighbours:
            children[node] += graph[node, other] and not graph[other, node]
        colliders[node] = _new_colliders(graph, node, neighbours)
        if children[node] == 0 and colliders[node] == 0:
            order[filled] = node
            filled += 1
    done = 0
    while done < filled:
        sink = order[done]
        done += 1
        removed[sink] = True
        for node in neighbour[start[sink] : start[sink + 1]]:
            if removed[node]:
                continue
            was_waiting = children[node] > 0 or colliders[node] > 0
            children[node] -= graph[node, sink] and not graph[sink, node]
            for other in neighbour[start[node] : start[node + 1]]:
                if other != sink and not removed[other]:
                    colliders[node] -= _collide(graph, node, sink, other)
            if was_waiting and children[node] == 0 and colliders[node] == 0:
                order[filled] = node
                filled += 1
    return order[:filled]


def extend(pdag: Adjacency) -> Adjacency:
    """Return a DAG with the skeleton, the arrows and no other v-structure than `pdag`.

    Which of several DAGs comes out is fixed by the node numbers; `sample_dag` draws one
    at random from an equivalence class.

    Parameters
    ----------
    pdag : Adjacency, shape (d, d)

    Raises
    ------
    NoExtension
        If there is no such DAG; it names the nodes that are left.

    References
    ----------
    Dor and Tarsi (1992), A simple algorithm to construct a consistent extension of a
    partially oriented graph, UCLA technical report R-185. For each node the number of
    pairs that prevent it is kept, as in Wienöbst, Bannach, Liśkiewicz (2021),
    Extendability of causal graphical models, UAI, so that the time is at most the number
    of edges times the largest degree.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain, to_cpdag
    >>> dag = extend(to_cpdag(chain(3)))
    >>> bool((to_cpdag(dag) == to_cpdag(chain(3))).all())
    True
    """
    graph = np.array(as_graph(pdag, "pdag"), order="C")
    sinks = sinks_first(graph, *neighbour_lists(graph | graph.T))
    if len(sinks) < len(graph):
        left = np.setdiff1d(np.arange(len(graph)), sinks).tolist()
        raise NoExtension(left)
    rank = np.empty(len(graph), dtype=np.int64)
    rank[sinks] = np.arange(len(graph))
    return (graph | graph.T) & (rank[:, None] > rank[None, :])
