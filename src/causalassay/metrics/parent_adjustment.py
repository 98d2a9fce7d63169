"""For how many outcomes it is wrong to adjust the effect of a node for a given set.

The kernel under the structural intervention distance and its bounds. It works on nodes
numbered in a topological order of the true DAG and on bit sets of descendants.

Let Z be the set that is adjusted for, and call its members and their ancestors open, since
they are the open colliders. No descendant of a node that is not open is open or in Z, so
whatever comes to such a node reaches exactly its descendants: one row of bits. An open node
outside Z lets every walk on, to all its parents and to all its children, however it came; a
member of Z lets those on that come along an arrow, and only to its parents. Hence a search
visits a node once, and only ancestors of Z and of the treatment are visited at all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.common.kernels import kernel
from causalassay.graphs.orders import Indices
from causalassay.metrics.lineage import Bits, Lineage, Lists

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
