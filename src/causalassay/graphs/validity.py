"""Whether a PDAG has a DAG, whether a graph is a CPDAG, and if not, what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, as_graph
from causalassay.common.kernels import kernel
from causalassay.common.spelling import cut, listed
from causalassay.graphs.chordal import chordless_cycle, neighbour_masks
from causalassay.graphs.cpdag import directed_part, to_cpdag, undirected_part
from causalassay.graphs.orders import (
    Indices,
    check_dag,
    cycle_of,
    is_dag,
    neighbour_lists,
)

# A DAG with the skeleton and the v-structures of a PDAG.


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

    If there are several DAGs, the node numbers decide which is returned; `sample_dag` draws one
    at random from an equivalence class.

    Parameters
    ----------
    pdag : Adjacency, shape (d, d)
        A graph with directed and undirected edges.

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


def is_cpdag(graph: Adjacency) -> bool:
    """Tell whether a graph is the CPDAG of some DAG.

    Examples
    --------
    >>> from causalassay.graphs import chain, skeleton
    >>> is_cpdag(skeleton(chain(3))), is_cpdag(chain(3))
    (True, False)
    """
    return _flaw(as_graph(graph)) is None


def check_cpdag(graph: NDArray[Any], name: str = "graph") -> Adjacency:
    """Return `graph` if it is a CPDAG, else raise a ValueError that names what is wrong.

    A graph is a CPDAG if and only if some DAG extends it and that DAG's CPDAG is the
    graph itself.

    Parameters
    ----------
    graph : Adjacency, shape (d, d)
        The graph to check.
    name : str
        What the message calls the graph.

    References
    ----------
    Andersson, Madigan, Perlman (1997), A characterization of Markov equivalence classes
    for acyclic digraphs, Annals of Statistics 25(2), theorem 4.1.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> check_cpdag(chain(2))
    Traceback (most recent call last):
    ...
    ValueError: graph: not a CPDAG: the edge 0 -> 1 should be undirected, since ...
    """
    graph = as_graph(graph, name)
    flaw = _flaw(graph)
    if flaw is not None:
        raise ValueError(
            f"{name}: not a CPDAG: {flaw}; to_cpdag makes one "
            "from a DAG, metrics.repair from an estimate"
        )
    return graph


def as_cpdag(graph: Adjacency, name: str = "graph") -> Adjacency:
    """Return the CPDAG of a DAG, or a CPDAG as it is; raise for any other graph.

    Parameters
    ----------
    graph : Adjacency, shape (d, d)
        A DAG or a CPDAG.
    name : str
        What the message calls the graph.

    Examples
    --------
    >>> from causalassay.graphs import chain, skeleton
    >>> bool((as_cpdag(chain(3)) == as_cpdag(skeleton(chain(3)))).all())
    True
    """
    graph = as_graph(graph, name)
    return to_cpdag(graph) if is_dag(graph) else check_cpdag(graph, name)


def check_true_dag(graph: NDArray[Any], names: Sequence[str], name: str = "graph") -> Adjacency:
    """Return `graph` if it is a DAG; else raise, with the names of its nodes and what to do.

    Parameters
    ----------
    graph : Adjacency, shape (d, d)
    names : sequence of d str
        The names of the nodes.
    name : str
        What the message calls the graph.

    Examples
    --------
    >>> from causalassay.graphs import chain, skeleton
    >>> check_true_dag(skeleton(chain(3)), ["raf", "mek", "erk"])
    Traceback (most recent call last):
    ...
    ValueError: graph: expected a DAG, got a CPDAG: 2 of 2 edges have no direction, ...
    """
    checked = as_graph(graph, name)
    if len(names) != len(checked) or is_dag(checked):
        return check_dag(checked, name)
    undirected = np.argwhere(np.triu(undirected_part(checked)))
    if len(undirected) == 0:
        cycle = cut(" -> ".join(names[node] for node in cycle_of(checked)))
        raise ValueError(
            f"{name}: expected a DAG, but there is the cycle {cycle}; remove one of its edges"
        )
    kind = "a CPDAG" if is_cpdag(checked) else "a partly directed graph"
    first, second = (names[node] for node in undirected[0].tolist())
    n_edges = int(np.triu(checked | checked.T).sum())
    raise ValueError(
        f"{name}: expected a DAG, got {kind}: {len(undirected)} of {n_edges} edges have no "
        f"direction, such as {first} -- {second} (an entry each way); direct them, or draw "
        "a DAG of the class with causalassay.graphs.sample_dag and save it with write_graph"
    )


def _flaw(graph: Adjacency) -> str | None:
    """Return what keeps a checked adjacency from being a CPDAG, or None."""
    try:
        dag = extend(graph)
    except NoExtension as problem:
        return _why_no_extension(graph, problem)
    expected = to_cpdag(dag)
    differing = np.argwhere(expected != graph)
    if len(differing) == 0:
        return None
    # A cell can only differ against an arrow, for both have the skeleton and an extension keeps
    # all arrows: cell (j, i) is set in the one that has i — j and clear in the one that has i → j.
    j, i = differing[0].tolist()
    if graph[j, i]:
        return (
            f"the edge {i} -- {j} should be directed, {i} -> {j}, since every DAG with this "
            "skeleton and these v-structures has it so"
        )
    return (
        f"the edge {i} -> {j} should be undirected, since another DAG with this skeleton and "
        "these v-structures has it reversed"
    )


def _why_no_extension(graph: Adjacency, problem: NoExtension) -> str:
    arrows = directed_part(graph)
    if not is_dag(arrows):
        return f"its arrows make the cycle {' -> '.join(map(str, cycle_of(arrows)))}"
    cycle = chordless_cycle(neighbour_masks(undirected_part(graph)))
    if cycle:
        walk = " -- ".join(map(str, [*cycle, cycle[0]]))
        return f"the undirected part is not chordal: the cycle {walk} has no chord"
    return (
        f"none of the nodes {problem.left} can come last among themselves without a cycle or a "
        "new v-structure"
    )
