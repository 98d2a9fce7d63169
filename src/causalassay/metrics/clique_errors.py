"""The errors of the nodes of each maximal clique, with every parent set inside the clique."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from causalassay.graphs.chordal import Clique, members
from causalassay.graphs.orders import Indices


def clique_errors(
    tree: Sequence[Clique], max_parent_sets: int, count: Callable[[Indices, Indices], None]
) -> dict[int, Indices]:
    """Return by number the errors of those cliques that are not too large.

    Parameters
    ----------
    tree : sequence of Clique
        A clique tree, parents before children.
    max_parent_sets : int
        How many pairs of a node and a parent set may be tried.
    count : callable
        ``count(nodes, errors)`` fills in the negative entries of a table, shape (2^k, k):
        what the m-th of k nodes costs with the subset s of them as its parents. What a clique
        shares with its parent in the tree is copied, so that each pair is counted once.
    """
    largest = _largest_size_tried(tree, max_parent_sets)
    tables: dict[int, Indices] = {}
    for number, clique in enumerate(tree):
        size = clique.nodes.bit_count()
        if size > largest:
            continue
        table = np.full((2**size, size), -1, dtype=np.int64)
        if clique.parent in tables:
            own = _columns_of(clique.separator, clique.nodes)
            theirs = _columns_of(clique.separator, tree[clique.parent].nodes)
            known = tables[clique.parent][_subsets(theirs)[:, None], theirs]
            table[_subsets(own)[:, None], own] = known
        count(np.fromiter(members(clique.nodes), dtype=np.int64), table)
        tables[number] = table
    return tables


def _parent_sets(nodes: int) -> int:
    """Return the number of pairs of a node of a clique and a set of others."""
    size = nodes.bit_count()
    return size * 2**size // 2


def _largest_size_tried(tree: Sequence[Clique], max_parent_sets: int) -> int:
    """Return up to which size cliques are tried: all of one size or none, whatever the tree."""
    shared = sum(_parent_sets(clique.separator) for clique in tree)
    if sum(_parent_sets(clique.nodes) for clique in tree) - shared <= max_parent_sets:
        return max(clique.nodes.bit_count() for clique in tree)
    largest, total = 0, 0
    for size, number in sorted(Counter(clique.nodes.bit_count() for clique in tree).items()):
        total += number * _parent_sets((1 << size) - 1)
        if total > max_parent_sets:
            break
        largest = size
    return largest


def _columns_of(part: int, nodes: int) -> Indices:
    """Return the columns of the nodes of `part` in a table for `nodes`."""
    columns = [m for m, node in enumerate(members(nodes)) if part >> node & 1]
    return np.array(columns, dtype=np.int64)


def _subsets(columns: Indices) -> Indices:
    """Return the rows of all subsets of the nodes that have these columns, in one order."""
    bits = np.arange(2 ** len(columns))[:, None] >> np.arange(len(columns)) & 1
    return bits @ (1 << columns)
