"""Topological order, ancestors, walks along rules, d-separation, and DAGs cut out of weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Adjacency, Weights, as_graph, check_nodes, check_weights
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


# One walk over a graph; a rule table says through which nodes, and how, it may go on.

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
        The number of the node at which walks begin.

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


# d-separation as one walk with a rule table.


def d_separated(
    dag: Adjacency, i: int | Iterable[int], j: int | Iterable[int], given: Iterable[int]
) -> bool:
    """Tell whether every path between `i` and `j` is blocked by `given`.

    Parameters
    ----------
    dag : Adjacency, shape (d, d)
        A DAG: ``dag[i, j]`` is i→j.
    i, j : int, or iterable of int
        Two nodes or two sets of nodes; sets are separated when each pair is.
    given : iterable of int
        The conditioning set; it shares no node with `i` and `j`.

    References
    ----------
    Geiger, Verma, Pearl (1990), Identifying independence in Bayesian networks,
    Networks 20, algorithm 2 (reachability over legal pairs of edges). Shachter (1998),
    Bayes-ball, UAI.

    Examples
    --------
    In 0→2←1 the collider 2 separates its parents until it is conditioned on.

    >>> import numpy as np
    >>> collider = np.zeros((3, 3), dtype=bool)
    >>> collider[[0, 1], 2] = True
    >>> d_separated(collider, 0, 1, []), d_separated(collider, 0, 1, [2])
    (True, False)
    """
    dag = check_dag(dag, "dag")
    sources, targets = check_nodes(i, len(dag), "i"), check_nodes(j, len(dag), "j")
    condition = check_nodes(given, len(dag), "given")
    for name, some, other in (
        ("i and j", sources, targets),
        ("i and given", sources, condition),
        ("j and given", targets, condition),
    ):
        if shared := set(some) & set(other):
            raise ValueError(f"{name} must share no node, got {sorted(shared)} in both")
    return not walk(dag, sources, _connecting(len(dag), condition))[targets].any()


def _connecting(n_nodes: int, condition: list[int]) -> Rules:
    """Return the rules of a d-connecting walk.

    It turns back at a collider that is conditioned on, and goes on through any other node
    that is not. A collider above a conditioned node needs no rule: the walk goes down to
    that node, turns back there and comes up again.
    """
    known = np.zeros(n_nodes, dtype=bool)
    known[condition] = True
    rules = np.empty((3, 2, n_nodes), dtype=bool)
    rules[AT_SOURCE] = True
    rules[ALONG, ALONG] = rules[AGAINST] = ~known
    rules[ALONG, AGAINST] = known
    return rules


# From weights to a DAG: keep the large ones, and break what cycles are left at the weakest.


def threshold(weights: ArrayLike, at: float) -> Adjacency:
    """Return where the weights have at least the magnitude `at` and are not zero.

    Cycles may be left; see `acyclic_threshold`.

    Examples
    --------
    >>> threshold([[0, 0.5], [0.2, 0]], at=0.3).astype(int)
    array([[0, 1],
           [0, 0]])
    """
    size = _magnitudes(weights)
    return (size >= at) & (size > 0)


def acyclic_threshold(weights: ArrayLike, at: float) -> float:
    """Return the smallest threshold from `at` on at which no cycle is left.

    Raising the threshold until then is the same as removing the weakest edge
    again and again while there is a cycle.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), appendix K.2.

    Examples
    --------
    The edges 0→1 and 1→0 make a cycle that ends with the weaker one.

    >>> acyclic_threshold([[0, 0.5], [0.4, 0]], at=0.3)
    0.5
    """
    size = _magnitudes(weights)
    cuts = np.unique(size[(size >= at) & (size > 0)])
    low, high = 0, len(cuts)
    while low < high:  # fewer edges never make a cycle, so the cut can be halved towards
        middle = (low + high) // 2
        if _is_acyclic(size >= cuts[middle]):
            high = middle
        else:
            low = middle + 1
    if low == 0:
        return float(at)
    return float(cuts[low]) if low < len(cuts) else float("inf")


def _is_acyclic(graph: Adjacency) -> bool:
    return len(order_or_cycle(graph)) == len(graph)


def _magnitudes(weights: ArrayLike) -> Weights:
    size = np.abs(check_weights(weights))
    if size.diagonal().any():
        raise ValueError(
            f"weights: node {int(size.diagonal().argmax())} has an edge to itself; "
            "clear the diagonal"
        )
    return size
