"""The structural intervention distance of a DAG to the members of an equivalence class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.graphs import as_cpdag, check_cpdag, is_dag
from causalassay.graphs.chordal import Clique, clique_tree, components, members, neighbour_masks
from causalassay.graphs.cpdag import directed_part, undirected_part
from causalassay.graphs.orders import Indices
from causalassay.metrics.lineage import lineage
from causalassay.metrics.orientation_sums import SumRange, range_of_sums
from causalassay.metrics.pairing import Guess, check_pair
from causalassay.metrics.parent_adjustment import count_errors_of_subsets, new_search
from causalassay.metrics.sid import order_of_dag

MAX_PARENT_SETS = 2**22
"""Enough for a clique of 18 nodes, or for 170 cliques of 12, in one component: some seconds."""


class SidBounds(tuple[int, int]):
    """The pair ``(lower, upper)``, and whether members of the class attain both.

    Attributes
    ----------
    lower, upper : int
    exact : bool
        If False, the distances of all members lie between the bounds, but the bounds may be
        farther apart than these.

    Examples
    --------
    >>> lower, upper = SidBounds(0, 2)
    >>> SidBounds(0, 2, exact=False)
    SidBounds(lower=0, upper=2, exact=False)
    """

    exact: bool

    def __new__(cls, lower: int, upper: int, exact: bool = True) -> SidBounds:
        """Return the pair with its attribute."""
        bounds = super().__new__(cls, (lower, upper))
        bounds.exact = exact
        return bounds

    @property
    def lower(self) -> int:
        """The distance of the best member, or less if not exact."""
        return self[0]

    @property
    def upper(self) -> int:
        """The distance of the worst member, or more if not exact."""
        return self[1]

    def __getnewargs__(self) -> tuple[int, int, bool]:
        return self.lower, self.upper, self.exact

    def __repr__(self) -> str:
        return f"SidBounds(lower={self.lower}, upper={self.upper}, exact={self.exact})"


def sid_bounds(truth: Adjacency, cpdag: Guess, max_parent_sets: int = MAX_PARENT_SETS) -> SidBounds:
    """Return the smallest and the largest `sid` of the truth against a member of a class.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        A DAG.
    cpdag : Adjacency or Estimate
        The CPDAG of the guessed class; `mec_sid` takes a DAG too.
    max_parent_sets : int
        How many pairs of a node and a parent set may be tried in one undirected component. A
        maximal clique of k nodes has k·2^(k-1).

    Returns
    -------
    SidBounds
        Unpacks as ``lower, upper``; its ``exact`` tells whether members attain them.

    Notes
    -----
    The distance is a sum over nodes, and a node's term depends only on its parents. Hence the
    undirected components are independent, and in each the sum is optimised by a dynamic
    programme over its clique tree, see ``orientation_sums``, whatever the component's size.

    A component with too many parent sets has local bounds, and the result is not exact:
    each node has its own best and worst parent set among the cliques of its undirected
    neighbours, as if others did not have to agree. The largest cliques, beyond
    `max_parent_sets`, are not tried: the terms of their nodes are taken to be 0 to d - 1.

    R SID is exact up to components of 8 nodes; one larger component makes all bounds local
    there, and it tries every set of neighbours, of which those that are no cliques occur in no
    member. So its bounds may be wider than these. Its field ``sid`` for a CPDAG is neither
    bound: it counts the pairs that are wrong in at least one member.

    References
    ----------
    Peters, Bühlmann (2015), Structural intervention distance for evaluating causal graphs,
    Neural Computation 27(3), https://doi.org/10.1162/NECO_a_00708, the comparison of a DAG
    with a CPDAG.

    Examples
    --------
    The class of 0→1 holds 0→1, which is right, and 1→0, where both effects are wrong.

    >>> from causalassay.graphs import chain, to_cpdag
    >>> lower, upper = sid_bounds(chain(2), to_cpdag(chain(2)))
    >>> lower, upper
    (0, 2)
    """
    truth, guess = check_pair(truth, cpdag)
    _check_class(guess)
    return _bounds(truth, guess, max_parent_sets)


def mec_sid(truth: Adjacency, guess: Guess, max_parent_sets: int = MAX_PARENT_SETS) -> SidBounds:
    """Return the bounds of `sid` over the Markov equivalence class of the guess.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        A DAG.
    guess : Adjacency or Estimate
        A DAG, which stands for its class, or a CPDAG.
    max_parent_sets : int
        See `sid_bounds`.

    Returns
    -------
    SidBounds
        As from `sid_bounds`.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), Beware of the simulated DAG: Figure 1 shows the upper
    bound, Figure 6 the lower, which their code takes from R SID.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> mec_sid(chain(3), chain(3))
    SidBounds(lower=0, upper=6, exact=True)
    """
    truth, guess = check_pair(truth, guess)
    return _bounds(truth, as_cpdag(guess, "guess"), max_parent_sets)


def _bounds(truth: Adjacency, cpdag: Adjacency, max_parent_sets: int) -> SidBounds:
    order = order_of_dag(truth, "truth")
    ancestry, _ = lineage(truth, order)
    search = new_search(len(truth))
    graph = cpdag[np.ix_(order, order)]
    arrows, neighbours = directed_part(graph), neighbour_masks(undirected_part(graph))
    lower, upper, exact = 0, 0, True
    for part in components(neighbours, (1 << len(graph)) - 1):
        # In a CPDAG the nodes of an undirected component have the same parents outside of it.
        outside = np.flatnonzero(arrows[:, next(members(part))])
        count = partial(count_errors_of_subsets, ancestry, search, outside)
        tree = clique_tree(neighbours, part)
        errors = clique_errors(tree, max_parent_sets, count)
        if len(errors) == len(tree):
            low, high = range_of_sums(tree, list(errors.values()))
        else:
            low, high = _sum_of_ranges(tree, errors, len(graph))
            exact = False
        lower, upper = lower + low, upper + high
    return SidBounds(lower, upper, exact)


def _check_class(cpdag: Adjacency) -> None:
    try:
        check_cpdag(cpdag, "cpdag")
    except ValueError as problem:
        if not is_dag(cpdag):
            raise
        raise ValueError(
            f"{problem}, and mec_sid does so; sid compares with the DAG itself"
        ) from None


def _sum_of_ranges(tree: Sequence[Clique], errors: Mapping[int, Indices], n_nodes: int) -> SumRange:
    """Sum the least and the greatest errors of each node on its own."""
    least: dict[int, int] = {}
    greatest: dict[int, int] = {}
    for number, clique in enumerate(tree):
        for m, node in enumerate(members(clique.nodes)):
            low, high = 0, n_nodes - 1
            if number in errors:
                own = errors[number][:, m]
                low, high = int(own[own >= 0].min()), int(own.max())
            least[node] = min(low, least.get(node, low))
            greatest[node] = max(high, greatest.get(node, high))
    return sum(least.values()), sum(greatest.values())


# The errors of the nodes of each maximal clique, with every parent set inside the clique.


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
