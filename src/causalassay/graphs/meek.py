"""Meek's orientation rules, applied to all edges at once."""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Adjacency, as_graph
from causalassay.common.kernels import kernel
from causalassay.graphs.orders import Indices, neighbour_lists


@kernel
def _arrow(graph: Adjacency, i: int, j: int) -> bool:
    return graph[i, j] and not graph[j, i]


@kernel
def _line(graph: Adjacency, i: int, j: int) -> bool:
    return graph[i, j] and graph[j, i]


@kernel
def _apart(graph: Adjacency, i: int, j: int) -> bool:
    return not graph[i, j] and not graph[j, i]


@kernel
def _demands(graph: Adjacency, a: int, b: int, neighbours: Indices) -> bool:
    """Whether a rule turns a—b into a→b; `neighbours` are those of a."""
    for c in neighbours:
        if _arrow(graph, c, a) and _apart(graph, c, b):
            return True  # rule 1: c→a—b
        if not _arrow(graph, c, b):
            continue
        if _arrow(graph, a, c):
            return True  # rule 2: a→c→b
        for k in neighbours:
            if not _line(graph, a, k):
                continue
            if _line(graph, a, c) and _arrow(graph, k, b) and k != c and _apart(graph, k, c):
                return True  # rule 3: a—k→b and a—c→b
            if _arrow(graph, k, c) and _apart(graph, k, b):
                return True  # rule 4: a—k→c→b, and c beside a
    return False


@kernel
def close_by_rules(graph: Adjacency, start: Indices, neighbour: Indices, lines: Indices) -> None:
    """Apply rounds of the rules in place to the undirected edges `lines`, shape (m, 2)."""
    demanded = np.empty((len(lines), 2), np.bool_)
    has_arrow = np.empty(len(graph), np.bool_)  # every rule needs an arrow into a or b
    for node in range(len(graph)):
        has_arrow[node] = False
        for other in neighbour[start[node] : start[node + 1]]:
            has_arrow[node] |= not graph[node, other]
    left = len(lines)
    oriented = True
    while oriented:
        for k in range(left):
            a, b = lines[k, 0], lines[k, 1]
            open_to_rules = has_arrow[a] or has_arrow[b]
            of_a, of_b = neighbour[start[a] : start[a + 1]], neighbour[start[b] : start[b + 1]]
            demanded[k, 0] = open_to_rules and _demands(graph, a, b, of_a)
            demanded[k, 1] = open_to_rules and _demands(graph, b, a, of_b)
        oriented = False
        kept = 0
        for k in range(left):
            a, b = lines[k, 0], lines[k, 1]
            if demanded[k, 0] != demanded[k, 1]:
                graph[a, b] = demanded[k, 0]
                graph[b, a] = demanded[k, 1]
                has_arrow[b if demanded[k, 0] else a] = True
                oriented = True
            else:
                lines[kept, 0], lines[kept, 1] = a, b
                kept += 1
        left = kept


def meek_closure(pdag: Adjacency) -> Adjacency:
    """Return the PDAG with all edges directed that Meek's rules 1 to 4 direct.

    The rules are applied in rounds. Each round looks for the edges that some rule
    directs in the graph as it stood at the round's start, then directs them all, so the
    result does not depend on the order of the nodes, whatever the PDAG. An edge that is
    asked for in both directions in one round, which happens only where no DAG extends
    the PDAG, stays undirected in that round and is looked at again in the next.

    Parameters
    ----------
    pdag : Adjacency, shape (d, d)
        Any mixture of directed and undirected edges; nothing is assumed of them.

    Notes
    -----
    To turn a—b into a→b: (1) c→a with c, b not adjacent; (2) a→c→b; (3) a—c→b and
    a—k→b with c, k not adjacent; (4) a—k→c→b with c adjacent to a and k not to b.
    Rule 4 matters only beside background knowledge: a skeleton with its v-structures
    needs rules 1 to 3.

    References
    ----------
    Meek (1995), Causal inference and causal explanation with background knowledge, UAI.
    Rule 4 as in Pearl (2009), Causality, section 2.5.

    Examples
    --------
    0→1—2: rule 1 forbids the collider 0→1←2.

    >>> import numpy as np
    >>> pdag = np.zeros((3, 3), dtype=bool)
    >>> pdag[[0, 1, 2], [1, 2, 1]] = True
    >>> meek_closure(pdag).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    closure = np.array(as_graph(pdag, "pdag"), order="C")
    lines = np.ascontiguousarray(np.argwhere(np.triu(closure & closure.T)))
    close_by_rules(closure, *neighbour_lists(closure | closure.T), lines)
    return closure
