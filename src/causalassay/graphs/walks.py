"""One walk over a graph; a rule table says through which nodes, and how, it may go on."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, as_graph, check_nodes
from causalassay.common.kernels import kernel
from causalassay.graphs.orders import Indices, neighbour_lists

ALONG, AGAINST, AT_SOURCE = 0, 1, 2
"""How a walk came to a node: along an edge's arrow, against it, or by starting there."""

Rules = NDArray[np.bool_]
"""Bool ``(3, 2, d)``: ``rules[came, goes, v]`` lets a walk that came to v so leave it so."""


@kernel
def _walk(
    sources: Indices,
    rules: Rules,
    start: tuple[Indices, Indices],
    node: tuple[Indices, Indices],
) -> Adjacency:
    """Search depth first over the states (how we came, where we are), each entered once."""
    d = rules.shape[2]
    entered = np.zeros((2, d), np.bool_)
    stack = np.empty((2 * d + len(sources), 2), np.int64)
    for height in range(len(sources)):
        stack[height, 0], stack[height, 1] = 2, sources[height]
    height = len(sources)
    while height > 0:
        height -= 1
        came, here = stack[height, 0], stack[height, 1]
        for goes in range(2):
            if not rules[came, goes, here]:
                continue
            for position in range(start[goes][here], start[goes][here + 1]):
                there = node[goes][position]
                if not entered[goes, there]:
                    entered[goes, there] = True
                    stack[height, 0], stack[height, 1] = goes, there
                    height += 1
    return entered


def walk(graph: Adjacency, sources: Iterable[int], rules: Rules) -> Adjacency:
    """Return, shape (d,), which nodes some walk from `sources` that keeps the rules enters.

    `graph` is trusted. An undirected edge is walked along its arrow both ways.
    """
    along, against = neighbour_lists(graph), neighbour_lists(graph.T)
    starts, nodes = (along[0], against[0]), (along[1], against[1])
    entered = _walk(np.fromiter(sources, dtype=np.int64), rules, starts, nodes)
    return entered[ALONG] | entered[AGAINST]


def _always_along(n_nodes: int) -> Rules:
    rules = np.zeros((3, 2, n_nodes), dtype=bool)
    rules[[AT_SOURCE, ALONG], ALONG] = True
    return rules


def possible_descendants(graph: Adjacency, node: int) -> set[int]:
    """Return the nodes that a walk along → and — leads to from `node`, without itself.

    Parameters
    ----------
    graph : Adjacency, shape (d, d)
        A DAG, CPDAG or PDAG. In a DAG these are the descendants. In a CPDAG
        they are the nodes that descend from `node` in some member of the class,
        the set in the risk of Eigenmann et al. In other PDAGs an arrow may
        point back between two nodes of the walk that are not consecutive, and
        the set may be larger than that.
    node : int

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), Evaluation of causal structure learning
    algorithms via risk estimation, UAI. For PDAGs with background knowledge: Perković,
    Kalisch, Maathuis (2017), Interpreting and using CPDAGs with background knowledge, UAI.

    Examples
    --------
    0→1—2, and 3 on its own.

    >>> import numpy as np
    >>> graph = np.zeros((4, 4), dtype=bool)
    >>> graph[[0, 1, 2], [1, 2, 1]] = True
    >>> sorted(possible_descendants(graph, 0)), sorted(possible_descendants(graph, 2))
    ([1, 2], [1])
    """
    graph = as_graph(graph)
    source = check_nodes(node, len(graph), "node")
    reached = walk(graph, source, _always_along(len(graph)))
    return set(np.flatnonzero(reached).tolist()) - set(source)


def possible_reachability(graph: Adjacency) -> Adjacency:
    """Return the matrix that tells for each (i, j) whether j is a possible descendant of i.

    The diagonal is False. See `possible_descendants` for the definition.

    Examples
    --------
    >>> import numpy as np
    >>> graph = np.zeros((3, 3), dtype=bool)
    >>> graph[[0, 1, 2], [1, 2, 1]] = True
    >>> possible_reachability(graph).astype(int)
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 1, 0]])
    """
    graph = as_graph(graph)
    start, node = neighbour_lists(graph)
    rules = _always_along(len(graph))
    rows = [
        _walk(np.array([source]), rules, (start, start), (node, node))[ALONG]
        for source in range(len(graph))
    ]
    reach = np.array(rows)
    np.fill_diagonal(reach, False)
    return reach
