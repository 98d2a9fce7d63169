"""Adjustment identification distances between DAGs or CPDAGs, counted by gadjid.

For every ordered pair (i, j) the guess names an adjustment set for the effect of i on j, or
says that there is no effect, or that no set identifies it; a pair is counted where that is
wrong in the truth. The distances differ in the set they take. gadjid runs in as many threads as
there are cores; set the environment variable ``RAYON_NUM_THREADS`` before its first call to
change that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import gadjid
import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.kernels import kernel
from causalassay.graphs import check_cpdag, to_gadjid
from causalassay.graphs.cpdag import undirected_part
from causalassay.graphs.orders import Indices, check_dag
from causalassay.metrics.edges import Guess, check_pair, share
from causalassay.metrics.ordering import Bits, Lineage, Lists
from causalassay.metrics.registry import metric

__all__ = [
    "ancestor_aid",
    "ancestor_aid_normalized",
    "oset_aid",
    "oset_aid_normalized",
    "parent_aid",
    "parent_aid_normalized",
]


@metric("low", "class", display_name="parent AID")
def parent_aid(truth: Adjacency, guess: Guess) -> int:
    """Return how many effects come out wrong when adjusting for a node's parents.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
    guess : Adjacency or Estimate
        Each a DAG or a CPDAG.

    Returns
    -------
    int
        From 0 to d(d - 1); 0 for a DAG that holds all edges of a true DAG. Between DAGs it is
        `sid`. Between a DAG and a CPDAG it is no bound
        of `sid_bounds`: it also counts pairs whose effect only one of the graphs identifies.

    References
    ----------
    Henckel, Würtzen, Weichwald (2024), Adjustment identification distance: a gadjid for
    causal structure learning, UAI, https://doi.org/10.48550/arXiv.2402.08616.

    Examples
    --------
    From 0—1 neither effect is identified, though one member of the class is the truth.

    >>> from causalassay.graphs import chain, to_cpdag
    >>> parent_aid(chain(2), to_cpdag(chain(2))), parent_aid(chain(2), chain(2))
    (2, 0)
    """
    return _count_errors(gadjid.parent_aid, truth, guess)


@metric("low", "class", display_name="ancestor AID")
def ancestor_aid(truth: Adjacency, guess: Guess) -> int:
    """Return how many effects come out wrong when adjusting for a node's ancestors.

    Only possible descendants in the guess count as affected.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
    guess : Adjacency or Estimate
        Each a DAG or a CPDAG.

    Returns
    -------
    int
        From 0 to d(d - 1); 0 for a DAG that holds all edges of a true DAG.

    References
    ----------
    Henckel, Würtzen, Weichwald (2024), see `parent_aid`.

    Examples
    --------
    The empty guess denies all effects; here there are three.

    >>> from causalassay.graphs import chain
    >>> ancestor_aid(chain(3), chain(3) & False), ancestor_aid(chain(3), chain(3).T)
    (3, 6)
    """
    return _count_errors(gadjid.ancestor_aid, truth, guess)


@metric("low", "class", display_name="Oset AID")
def oset_aid(truth: Adjacency, guess: Guess) -> int:
    """Return how many effects come out wrong when adjusting for the O-set.

    The O-set is the adjustment set of least asymptotic variance in linear models: the parents
    of the nodes on causal paths, without descendants of the treatment.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
    guess : Adjacency or Estimate
        Each a DAG or a CPDAG.

    Returns
    -------
    int
        From 0 to d(d - 1); 0 for a DAG that holds all edges of a true DAG.

    References
    ----------
    Henckel, Würtzen, Weichwald (2024), see `parent_aid`. The set: Henckel, Perković,
    Maathuis (2022), Graphical criteria for efficient total effect estimation via adjustment
    in causal linear models, JRSS B 84(2).

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> oset_aid(chain(3), chain(3) & False), oset_aid(chain(3), chain(3).T)
    (3, 6)
    """
    return _count_errors(gadjid.oset_aid, truth, guess)


@metric("low", "class", display_name="parent AID normalized")
def parent_aid_normalized(truth: Adjacency, guess: Guess) -> float:
    """Return `parent_aid` divided by the number of ordered pairs, d(d - 1); nan for one node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> parent_aid_normalized(chain(2), chain(2) & False)
    0.5
    """
    return share(parent_aid(truth, guess), _n_pairs(truth))


@metric("low", "class", display_name="ancestor AID normalized")
def ancestor_aid_normalized(truth: Adjacency, guess: Guess) -> float:
    """Return `ancestor_aid` divided by the number of ordered pairs; nan for one node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> ancestor_aid_normalized(chain(3), chain(3) & False)
    0.5
    """
    return share(ancestor_aid(truth, guess), _n_pairs(truth))


@metric("low", "class", display_name="Oset AID normalized")
def oset_aid_normalized(truth: Adjacency, guess: Guess) -> float:
    """Return `oset_aid` divided by the number of ordered pairs; nan for one node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> oset_aid_normalized(chain(3), chain(3) & False)
    0.5
    """
    return share(oset_aid(truth, guess), _n_pairs(truth))


def _n_pairs(graph: Adjacency) -> int:
    return len(graph) * (len(graph) - 1)


def _count_errors(distance: Callable[..., Any], truth: Adjacency, guess: Guess) -> int:
    """Check both graphs, since gadjid panics on bad ones, and call it."""
    truth, guess = check_pair(truth, guess)
    for graph, name in ((truth, "truth"), (guess, "guess")):
        if undirected_part(graph).any():
            check_cpdag(graph, name)
        else:
            check_dag(graph, name)
    if len(truth) == 1:  # gadjid wants at least two nodes
        return 0
    _, mistakes = distance(to_gadjid(truth), to_gadjid(guess), edge_direction="from row to column")
    return int(mistakes)


# For how many outcomes it is wrong to adjust the effect of a node for a given set.

# All kernels that call each other are in this file: numba's cache knows of no other file. The
# small ones are inlined, since passing the arrays to them takes longer than what they do, and
# loops stand for assignments to slices, which take twice as long to compile.

_ONE = np.uint64(1)
_OPEN, _ADJUSTED, _SEEN = 1, 2, 4


class Search(NamedTuple):
    """The memory of a search, for one thread: marks of nodes, nodes to visit, the result."""

    marks: NDArray[np.uint8]
    stack: Indices
    reached: Bits


def new_search(n_nodes: int) -> Search:
    """Return memory for searches in a graph of `n_nodes`."""
    return Search(
        marks=np.zeros(n_nodes, dtype=np.uint8),
        stack=np.empty(2 * n_nodes, dtype=np.int64),
        reached=np.zeros((n_nodes + 63) // 64, dtype=np.uint64),
    )


@kernel
def count_errors(truth: Lineage, search: Search, treatment: int, adjusted: Indices) -> int:
    """Count the outcomes whose distribution under ``do(treatment)`` comes out wrong.

    Parameters
    ----------
    truth : Lineage
    search : Search
    treatment : int
    adjusted : Indices
        The set that is adjusted for, Z, without the treatment. An outcome in Z is taken for
        unaffected; any other is right if Z is a valid adjustment set for it.
    """
    marks, reached, below = search.marks, search.reached, truth.below
    _clear(search)
    opens = False
    for node in adjusted:
        marks[node] = _OPEN | _ADJUSTED
        opens |= _has(below[treatment], node)
    height = _visit_parents(truth.parents, search, treatment, 0)
    if height == 0 and not opens:
        return 0
    _open_ancestors(truth.parents, marks, search.stack[height:], adjusted)
    marks[treatment] |= _SEEN
    if opens:
        height = _begin_below(truth, search, treatment, height)
    _walk(truth, search, height)
    if not opens:
        _redo_below(truth, search, treatment)
    reached[treatment >> 6] &= ~_bit(treatment)
    for node in adjusted:
        # Those that descend from the treatment are wrong, and _begin_below has put them in.
        if not _has(below[treatment], node):
            reached[node >> 6] &= ~_bit(node)
    return _count(reached)


@kernel(inline="always")
def _clear(search: Search) -> None:
    for node in range(len(search.marks)):
        search.marks[node] = 0
    for word in range(len(search.reached)):
        search.reached[word] = 0


@kernel
def _open_ancestors(
    parents: Lists, marks: NDArray[np.uint8], stack: Indices, adjusted: Indices
) -> None:
    height = 0
    for node in adjusted:
        stack[height] = node
        height += 1
    while height > 0:
        height -= 1
        here = stack[height]
        for position in range(parents.start[here], parents.start[here + 1]):
            node = parents.node[position]
            if not marks[node] & _OPEN:
                marks[node] |= _OPEN
                stack[height] = node
                height += 1


@kernel
def _begin_below(truth: Lineage, search: Search, treatment: int, height: int) -> int:
    """Begin with the treatment's open children: all that descends from them is wrong.

    For an outcome among their descendants Z holds a descendant of a node on a causal path,
    or the outcome itself. As these are counted, no walk needs to know whether it has been
    causal so far. From a child that is not open only causal paths lead on.
    """
    children = truth.children
    for position in range(children.start[treatment], children.start[treatment + 1]):
        child = children.node[position]
        if search.marks[child] & _OPEN:
            _unite(search.reached, truth.below, child)
            if not search.marks[child] & _SEEN:
                search.marks[child] |= _SEEN
                search.stack[height] = child
                height += 1
    return height


@kernel
def _walk(truth: Lineage, search: Search, height: int) -> None:
    """Add to `reached` what the nodes on the stack lead to, given Z, without the treatment."""
    marks = search.marks
    while height > 0:
        height -= 1
        here = search.stack[height]
        search.reached[here >> 6] |= _bit(here)
        height = _visit_parents(truth.parents, search, here, height)
        if not marks[here] & _OPEN:
            if not _has_parent_not_open(truth.parents, marks, here):
                _unite(search.reached, truth.below, here)
        elif not marks[here] & _ADJUSTED:
            height = _visit_children(truth, search, here, height)


@kernel(inline="always")
def _visit_parents(parents: Lists, search: Search, node: int, height: int) -> int:
    marks = search.marks
    for position in range(parents.start[node], parents.start[node + 1]):
        parent = parents.node[position]
        if not marks[parent] & (_SEEN | _ADJUSTED):
            marks[parent] |= _SEEN
            search.stack[height] = parent
            height += 1
    return height


@kernel(inline="always")
def _has_parent_not_open(parents: Lists, marks: NDArray[np.uint8], node: int) -> bool:
    """Whether a parent, which is visited too, adds the descendants of `node` to its own."""
    for position in range(parents.start[node], parents.start[node + 1]):
        if not marks[parents.node[position]] & _OPEN:
            return True
    return False


@kernel(inline="always")
def _visit_children(truth: Lineage, search: Search, node: int, height: int) -> int:
    children, marks = truth.children, search.marks
    for position in range(children.start[node], children.start[node + 1]):
        child = children.node[position]
        if marks[child] & _OPEN:
            if not marks[child] & _SEEN:
                marks[child] |= _SEEN
                search.stack[height] = child
                height += 1
        elif not marks[child] & _SEEN and not _has(search.reached, child):
            _unite(search.reached, truth.below, child)
    return height


@kernel
def _redo_below(truth: Lineage, search: Search, treatment: int) -> None:
    """Decide again which descendants of a treatment not above Z are reached round it.

    Bits of an ancestor's descendants may have come through the treatment. None of its
    descendants is above Z, so each that has a reached parent elsewhere, outside Z, is
    reached with all that is below it.
    """
    below, reached = truth.below[treatment], search.reached
    for word in range(treatment >> 6, len(reached)):
        reached[word] &= ~below[word]
    for word in range(treatment >> 6, len(reached)):
        left = below[word] & ~reached[word]
        while left:
            lowest = left & (~left + _ONE)
            left ^= lowest
            node = (word << 6) + _ones(lowest - _ONE)
            if node != treatment and _is_joined(truth.parents, search, node, treatment):
                _unite(reached, truth.below, node)
                left &= ~reached[word]


@kernel(inline="always")
def _is_joined(parents: Lists, search: Search, node: int, treatment: int) -> bool:
    """Whether some reached parent, not in Z and not the treatment, leads to `node`."""
    for position in range(parents.start[node], parents.start[node + 1]):
        parent = parents.node[position]
        if (
            parent != treatment
            and not search.marks[parent] & _ADJUSTED
            and _has(search.reached, parent)
        ):
            return True
    return False


@kernel(inline="always")
def _bit(node: int) -> np.uint64:
    return _ONE << np.uint64(node & 63)


@kernel(inline="always")
def _has(bits: Bits, node: int) -> bool:
    return bits[node >> 6] & _bit(node) != 0


@kernel(inline="always")
def _unite(bits: Bits, below: Bits, node: int) -> None:
    """Add the descendants of `node`, whose numbers are not smaller."""
    for word in range(node >> 6, len(bits)):
        bits[word] |= below[node, word]


@kernel
def _ones(word: np.uint64) -> int:
    """Count the bits set in a word, by pairs, nibbles and bytes."""
    word -= (word >> _ONE) & np.uint64(0x5555555555555555)
    twos = np.uint64(0x3333333333333333)
    word = (word & twos) + ((word >> np.uint64(2)) & twos)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56)))


@kernel
def _count(bits: Bits) -> int:
    total = 0
    for word in bits:
        total += _ones(word)
    return total


@kernel
def count_errors_of_all(truth: Lineage, search: Search, adjusted: Lists) -> int:
    """Sum `count_errors` over all treatments, each with its list of `adjusted`."""
    total = 0
    for node in range(len(adjusted.start) - 1):
        own = adjusted.node[adjusted.start[node] : adjusted.start[node + 1]]
        total += count_errors(truth, search, node, own)
    return total


@kernel
def count_errors_of_subsets(
    truth: Lineage, search: Search, always: Indices, nodes: Indices, errors: Indices
) -> None:
    """Fill in, shape (2^k, k), the errors of each of k nodes with every subset of the others.

    Row s adjusts for `always` and for those ``nodes[m]`` that have bit m in s. Entries that
    are not negative are known already; where ``nodes[m]`` is in the set itself, none is made.
    """
    k = len(nodes)
    adjusted = np.empty(len(always) + k, np.int64)
    for m in range(len(always)):
        adjusted[m] = always[m]
    for subset in range(1 << k):
        size = len(always)
        for m in range(k):
            if subset >> m & 1:
                adjusted[size] = nodes[m]
                size += 1
        for m in range(k):
            if errors[subset, m] < 0 and not subset >> m & 1:
                errors[subset, m] = count_errors(truth, search, nodes[m], adjusted[:size])
