"""The least and the greatest sum of costs over the orientations of a chordal graph.

A cost belongs to a node and the set of its parents. Orientations are those of a Markov
equivalence class: acyclic and without v-structure, so that the parents of a node are a clique.

The programme. Every orientation has a topological order that begins with all of a maximal
clique K, and given K the rest falls apart in the same way however K is ordered (Wienöbst et
al., JMLR 2023): into pieces that are oriented independently, the nodes of a piece having the
same parents S outside of it, where S is a separator of the clique tree. With S the piece is
what they call a flower of S: a connected part of the tree, with S in all of its cliques and
more than S in all separators inside. So the best sum over flower F after S is the best, over
the cliques K of F, of

    rest(K, S) + sum of best(f, s) over the pieces f that K leaves.

rest(K, S), the best order of the nodes of K outside S when S comes first, is one entry of a table
over the subsets of K. Which pieces K leaves: walking the tree away from K, a separator s begins
a piece unless it holds a separator met before as a proper part, for then the piece begun there
goes on. The cliques with s in them are connected and fall into the flowers of s; from K all of
these are begun but the one on the side of K. Hence with total(s), the sum over the flowers of s,

    sum of pieces = sum over s seen from K of total(s) - best(flower of s on K's side, s),

and the cliques from which s is seen with a given flower in front are a part of the tree that
remains when all separators that are subsets of s are cut. There are at most twice as many
flowers as cliques, and they are solved from the largest separator down to the empty one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from causalassay.common.kernels import kernel
from causalassay.graphs.chordal import Clique, members
from causalassay.graphs.orders import Indices

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
