"""Skeleton, v-structures, the CPDAG of a DAG, and what orders of edges follow from others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from causalassay.common.arrays import Adjacency, as_graph, check_nodes
from causalassay.common.kernels import kernel
from causalassay.graphs.orders import Indices, neighbour_lists, topological_order


def directed_part(graph: Adjacency) -> Adjacency:
    """Return the edges i→j of a checked graph without its edges i—j."""
    return graph & ~graph.T


def undirected_part(graph: Adjacency) -> Adjacency:
    """Return the edges i—j of a checked graph, both ways, without its edges i→j."""
    return graph & graph.T


def skeleton(graph: Adjacency) -> Adjacency:
    """Return the symmetric matrix of adjacent pairs, whatever the direction of their edge.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> skeleton(chain(3)).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    graph = as_graph(graph)
    return graph | graph.T


def v_structures(graph: Adjacency) -> set[tuple[int, int, int]]:
    """Return the triples ``(i, collider, j)``, i < j, with i→collider←j and i, j not adjacent.

    In a PDAG only directed edges make a v-structure.

    Examples
    --------
    >>> import numpy as np
    >>> collider = np.zeros((3, 3), dtype=bool)
    >>> collider[[0, 1], 2] = True
    >>> v_structures(collider)
    {(0, 2, 1)}
    """
    graph = as_graph(graph)
    apart = ~skeleton(graph)
    arrows = directed_part(graph)
    triples = set()
    for collider in np.flatnonzero(arrows.sum(axis=0) >= 2).tolist():
        parents = np.flatnonzero(arrows[:, collider])
        first, second = np.nonzero(np.triu(apart[np.ix_(parents, parents)], 1))
        pairs = zip(parents[first].tolist(), parents[second].tolist(), strict=True)
        triples |= {(i, collider, j) for i, j in pairs}
    return triples


@kernel
def make_reversible_undirected(
    graph: Adjacency, order: Indices, start: Indices, child: Indices
) -> None:
    """Chickering's Order-Edges and Label-Edges, in place on a DAG.

    Among the edges into y the last parent's comes first, and labelling it labels all of
    them, so one look at that parent settles y. An edge of the DAG can be read off the
    growing CPDAG, since every question below is asked in topological order.
    """
    d = len(order)
    first, filled = np.empty(d + 1, np.int64), np.empty(d, np.int64)
    parent, compelled_into = np.empty(len(child), np.int64), np.empty(d, np.int64)
    for node in range(d + 1):
        first[node] = 0
    for node in child:
        first[node + 1] += 1
    for node in range(d):
        filled[node] = first[node]
        first[node + 1] += first[node]
        compelled_into[node] = -1
    for node in order:  # so each node's parents are listed in topological order
        for position in range(start[node], start[node + 1]):
            parent[filled[child[position]]] = node
            filled[child[position]] += 1
    for y in order:
        parents = parent[first[y] : first[y + 1]]
        if len(parents) == 0:
            continue
        x = parents[-1]
        grandparents = parent[first[x] : first[x + 1]]
        if _some_reversible(graph, y, parents, grandparents, compelled_into):
            for w in parents:
                graph[y, w] = compelled_into[w] != y


@kernel
def _some_reversible(
    graph: Adjacency, y: int, parents: Indices, grandparents: Indices, compelled_into: Indices
) -> bool:
    """Mark the compelled edges into y, or return False where all are compelled."""
    x = parents[-1]
    for w in grandparents:
        if not graph[x, w]:  # w→x is compelled
            if not graph[w, y]:
                return False
            compelled_into[w] = y
    for z in parents:  # noqa: SIM110, numba knows no generator expressions
        if z != x and not graph[z, x]:
            return False
    return True


def to_cpdag(dag: Adjacency) -> Adjacency:
    """Return the CPDAG of the Markov equivalence class of `dag`.

    An edge that all members of the class direct alike is directed, i→j; any
    other is undirected, ``cpdag[i, j] and cpdag[j, i]``.

    Parameters
    ----------
    dag : Adjacency, shape (d, d)
        A DAG: ``dag[i, j]`` is i→j.

    References
    ----------
    Chickering (1995), A transformational characterization of equivalent Bayesian
    network structures, UAI, algorithms Order-Edges and Label-Edges. Departs from the
    paper: the edges into a node are labelled together, which takes time linear in the
    number of edges.

    Examples
    --------
    0→1→2 has no collider, so the class holds 0←1→2 too.

    >>> from causalassay.graphs import chain
    >>> to_cpdag(chain(3)).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    dag = as_graph(dag, "dag")
    order = topological_order(dag, "dag")
    cpdag = np.array(dag, order="C")
    make_reversible_undirected(cpdag, order, *neighbour_lists(dag))
    return cpdag


# Meek's orientation rules, applied to all edges at once.


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
        n_waiting = 0
        for k in range(left):
            a, b = lines[k, 0], lines[k, 1]
            if demanded[k, 0] != demanded[k, 1]:
                graph[a, b] = demanded[k, 0]
                graph[b, a] = demanded[k, 1]
                has_arrow[b if demanded[k, 0] else a] = True
                oriented = True
            else:
                lines[n_waiting, 0], lines[n_waiting, 1] = a, b
                n_waiting += 1
        left = n_waiting


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


# What interventions add to a CPDAG: the edges that they direct.


def to_interventional_cpdag(dag: Adjacency, targets: Iterable[Sequence[int]]) -> Adjacency:
    """Return the interventional essential graph of `dag` under a family of targets.

    It is the union of all DAGs that no data under these interventions tell from
    `dag`: those with its skeleton, its v-structures and its direction of every
    edge of which some intervention acts on one end only.

    Parameters
    ----------
    dag : Adjacency, shape (d, d)
        A DAG: ``dag[i, j]`` is i→j.
    targets : iterable of sequences of int
        The nodes intervened upon in each condition, ``()`` for observation.
        Without any intervention the result is the CPDAG.

    Notes
    -----
    The family is taken to be conservative: for each node there is a condition
    that does not act on it. Otherwise the edges into that node leave no trace
    in the data, and edges that the graph directs may be indistinguishable.

    Arrows that are compelled without interventions stay, the edges that an
    intervention separates take their direction in `dag`, and Meek's rules do
    the rest; what they direct is what is strongly protected in the paper.

    References
    ----------
    Hauser and Bühlmann (2012), Characterization and greedy learning of
    interventional Markov equivalence classes of directed acyclic graphs, JMLR 13,
    theorem 10 for the equivalence, theorem 18 for what such graphs look like.

    Examples
    --------
    The chain 0→1→2 is undirected in its CPDAG. An intervention on 2 directs 1→2,
    and 0—1 stays; one on 0 directs 0→1, and then 1→2, for 1 is no collider.

    >>> from causalassay.graphs import chain
    >>> to_interventional_cpdag(chain(3), [(), (2,)]).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 0, 0]])
    >>> to_interventional_cpdag(chain(3), [(), (0,)]).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    dag = as_graph(dag, "dag")
    return interventional_cpdag(dag, separated_pairs(targets, len(dag)))


def separated_pairs(targets: Iterable[Sequence[int]], n_nodes: int) -> Adjacency:
    """Return the symmetric matrix of pairs of which some condition acts on one node only."""
    separated = np.zeros((n_nodes, n_nodes), dtype=bool)
    for condition in targets:
        acted_on = np.zeros(n_nodes, dtype=bool)
        acted_on[check_nodes(condition, n_nodes, "targets")] = True
        separated |= acted_on[:, None] != acted_on[None, :]
    return separated


def interventional_cpdag(dag: Adjacency, separated: Adjacency) -> Adjacency:
    """Return the interventional essential graph, given `separated_pairs` of the targets."""
    cpdag = to_cpdag(dag)
    against = separated & cpdag & dag.T
    return meek_closure(cpdag & ~against) if against.any() else cpdag
