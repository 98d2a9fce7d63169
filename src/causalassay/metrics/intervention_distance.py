"""The structural intervention distance to a DAG, and its bounds over an equivalence class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.common.kernels import kernel
from causalassay.graphs import as_cpdag, check_cpdag, is_dag
from causalassay.graphs.chordal import Clique, clique_tree, components, members, neighbour_masks
from causalassay.graphs.cpdag import directed_part, undirected_part
from causalassay.graphs.orders import Indices, neighbour_lists, order_or_cycle, topological_order
from causalassay.metrics.adjustment import count_errors_of_all, count_errors_of_subsets, new_search
from causalassay.metrics.edges import Guess, check_pair, share
from causalassay.metrics.ordering import Lists, lineage, renumber, turn_round
from causalassay.metrics.registry import metric

__all__ = [
    "SidBounds",
    "mec_sid",
    "mec_sid_lower",
    "mec_sid_upper",
    "sid",
    "sid_bounds",
    "sid_normalized",
    "sid_penalized",
]

# The least and the greatest sum of costs over the orientations of a chordal graph.

SumRange = tuple[int, int]
"""The least and the greatest sum."""

Flowers = dict[int, int]
"""For the cliques of the tree that hold a separator: the topmost clique of their flower."""


def range_of_sums(tree: Sequence[Clique], costs: Sequence[Indices]) -> SumRange:
    """Return the least and the greatest sum over all orientations.

    Parameters
    ----------
    tree : sequence of Clique
        The clique tree of a connected chordal graph, parents before children.
    costs : sequence of array, shape (2^k, k)
        For each clique of the tree, entry ``[s, m]`` is what its m-th node costs if those
        nodes of the clique that have a bit in s are its parents; ignored if s has bit m.

    References
    ----------
    Wienöbst, Bannach, Liśkiewicz (2023), Polynomial-time algorithms for counting and
    sampling Markov equivalent DAGs with applications, JMLR 24: flowers, and the recursion of
    the Clique-Picking algorithm. Departs from the paper: the recursion optimises, so an
    orientation may be met at several cliques and no prefix of an order is forbidden.
    """
    rests = [_sums_after(table) for table in costs]
    flowers: dict[int, Flowers] = {}
    best: dict[int, dict[int, SumRange]] = {}
    for separator in sorted({clique.separator for clique in tree}, key=int.bit_count)[::-1]:
        flowers[separator] = _flowers(tree, separator)
        cliques: dict[int, list[int]] = {}
        for clique, top in flowers[separator].items():
            cliques.setdefault(top, []).append(clique)
        best[separator] = {}
        for top, flower in cliques.items():
            sums = [_rest(tree[clique], rests[clique], separator) for clique in flower]
            for inner in {tree[clique].separator for clique in flower[1:]}:
                _add_pieces(sums, tree, flower, flowers[inner], best[inner], inner)
            best[separator][top] = (min(low for low, _ in sums), max(high for _, high in sums))
    # The root's separator is empty, and the whole tree is its only flower.
    return best[0][0]


@kernel
def _sums_after(costs: Indices) -> Indices:
    """Return, shape (2, 2^k), the least and the greatest cost of the nodes not in a subset.

    The nodes of the subset come first, then the others in some order, each with all earlier
    nodes as its parents.
    """
    n_subsets, k = costs.shape
    sums = np.zeros((2, n_subsets), np.int64)
    for subset in range(n_subsets - 2, -1, -1):
        first = True
        for m in range(k):
            if subset >> m & 1:
                continue
            low = costs[subset, m] + sums[0, subset | 1 << m]
            high = costs[subset, m] + sums[1, subset | 1 << m]
            sums[0, subset] = low if first else min(low, sums[0, subset])
            sums[1, subset] = max(high, sums[1, subset])
            first = False
    return sums


def _rest(clique: Clique, sums_after: Indices, placed: int) -> SumRange:
    subset = sum(1 << m for m, node in enumerate(members(clique.nodes)) if placed >> node & 1)
    return int(sums_after[0, subset]), int(sums_after[1, subset])


def _flowers(tree: Sequence[Clique], separator: int) -> Flowers:
    """Return the flower of each clique that holds `separator`, in the order of the tree."""
    top: Flowers = {}
    for number, clique in enumerate(tree):
        if separator & ~clique.nodes:
            continue
        inside = separator & ~clique.separator == 0 and separator != clique.separator
        top[number] = top[clique.parent] if inside else number
    return top


def _add_pieces(
    sums: list[SumRange],
    tree: Sequence[Clique],
    flower: Sequence[int],
    inner_flowers: Flowers,
    best: dict[int, SumRange],
    inner: int,
) -> None:
    """Add to the sum of each clique of `flower` the pieces that it leaves at separator `inner`."""
    side: dict[int, int] = {}
    for clique in flower:
        cut = clique == flower[0] or tree[clique].separator & ~inner == 0
        side[clique] = clique if cut else side[tree[clique].parent]
    in_front = {side[clique]: top for clique, top in inner_flowers.items()}
    total_low, total_high = (sum(ends) for ends in zip(*best.values(), strict=True))
    for at, clique in enumerate(flower):
        if side[clique] in in_front:
            low, high = best[in_front[side[clique]]]
            sums[at] = (sums[at][0] + total_low - low, sums[at][1] + total_high - high)


@metric("low", "dag", display_name="SID")
def sid(truth: Adjacency, guess: Guess) -> int:
    """Return the number of ordered pairs whose interventional distribution comes out wrong.

    For each ordered pair (i, j) the distribution of j under ``do(i)`` is computed by
    adjusting for the parents of i in the guess; where j is one of them, it is taken to be
    unaffected by i. A pair is counted where this is wrong for some distribution that is
    Markov to the truth.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
    guess : Adjacency or Estimate
        DAGs. For a guess with undirected edges there are `sid_bounds` and `mec_sid`.

    Returns
    -------
    int
        From 0 to d(d - 1). Not symmetric, and 0 for every guess that holds all true edges.

    Notes
    -----
    ``gadjid.sid``, a peer in the tests, gives the same number; R SID's ``structIntervDist``
    calls it ``sid`` and counts by the same rules.

    References
    ----------
    Peters, Bühlmann (2015), Structural intervention distance for evaluating causal graphs,
    Neural Computation 27(3), https://doi.org/10.1162/NECO_a_00708, by its graphical
    criterion. Departs from the paper: descendants are bit sets and each search stays among
    ancestors, see ``parent_adjustment``.

    Examples
    --------
    With 0→1 reversed both effects are wrong; without it, do(1) seems to move 0.

    >>> from causalassay.graphs import chain
    >>> sid(chain(2), chain(2).T), sid(chain(2), chain(2) & False)
    (2, 1)
    """
    truth, guess = check_pair(truth, guess)
    order = order_of_dag(truth, "truth")
    order_of_dag(guess, "guess")
    ancestry, rank = lineage(truth, order)
    guessed_parents = Lists(*turn_round(*renumber(*neighbour_lists(guess), rank)))
    return int(count_errors_of_all(ancestry, new_search(len(truth)), guessed_parents))


@metric("low", "dag", display_name="SID normalized")
def sid_normalized(truth: Adjacency, guess: Guess) -> float:
    """Return `sid` divided by the number of ordered pairs, d(d - 1); nan for one node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> sid_normalized(chain(2), chain(2) & False)
    0.5
    """
    return share(sid(truth, guess), len(truth) * (len(truth) - 1))


@metric("low", "dag", display_name="SID penalized")
def sid_penalized(truth: Adjacency, guess: Guess) -> int:
    """Return `sid` and one more for each edge by which the guess outnumbers the truth.

    The penalty is ``max(0, edges of the guess - edges of the truth)``. A guess with as many
    edges as the truth or fewer has none, even if some of its edges are false: their number
    is in `shd_parts`.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
    guess : Adjacency or Estimate
        DAGs.

    References
    ----------
    Garant, Jensen (2016), Evaluating causal models by comparing interventional
    distributions, section 3: Peters and Bühlmann penalise superfluous edges by the
    difference in the number of edges. That a guess which lacks edges is not rewarded by a
    negative difference is our reading.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> complete = np.triu(np.ones((3, 3), dtype=bool), 1)
    >>> sid(chain(3), complete), sid_penalized(chain(3), complete)
    (0, 1)
    """
    distance = sid(truth, guess)
    truth, guess = check_pair(truth, guess)
    surplus = int(guess.sum()) - int(truth.sum())
    return distance + max(0, surplus)


def order_of_dag(graph: Adjacency, name: str) -> Indices:
    """Return a topological order; where there is none, say so and what to call instead."""
    order = order_or_cycle(graph)
    if len(order) == len(graph):
        return order
    lines = np.argwhere(undirected_part(graph))
    if len(lines) == 0:
        return topological_order(graph, name)
    i, j = lines[0].tolist()
    raise ValueError(
        f"{name}: expected a DAG, but {i} -- {j} is undirected; sid_bounds and mec_sid compare "
        "a true DAG with a CPDAG, parent_aid compares CPDAGs"
    )


# The structural intervention distance of a DAG to the members of an equivalence class.

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


@metric("low", "class", display_name="MEC SID lower")
def mec_sid_lower(truth: Adjacency, guess: Guess) -> int:
    """Return the lower bound of `mec_sid`.

    Examples
    --------
    >>> chain = np.array([[False, True], [False, False]])
    >>> mec_sid_lower(chain, chain)
    0
    """
    return mec_sid(truth, guess).lower


@metric("low", "class", display_name="MEC SID upper")
def mec_sid_upper(truth: Adjacency, guess: Guess) -> int:
    """Return the upper bound of `mec_sid`.

    Examples
    --------
    >>> chain = np.array([[False, True], [False, False]])
    >>> mec_sid_upper(chain, chain)
    2
    """
    return mec_sid(truth, guess).upper


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
