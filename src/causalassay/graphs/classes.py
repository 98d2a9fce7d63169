"""The DAGs of a Markov equivalence class: how many, one at random, all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial

import numpy as np
from cliquepicking import mec_size as count_members
from numpy.random import Generator

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import as_generator
from causalassay.graphs.chordal import (
    clique_tree,
    components,
    lex_bfs,
    members,
    neighbour_masks,
    reach,
)
from causalassay.graphs.cpdag import directed_part, undirected_part
from causalassay.graphs.validity import check_cpdag


def mec_size(cpdag: Adjacency) -> int:
    """Return the number of DAGs in the Markov equivalence class, exactly.

    Parameters
    ----------
    cpdag : Adjacency, shape (d, d)
        The CPDAG that stands for the class.

    References
    ----------
    Wienöbst, Bannach, Liśkiewicz (2023), Polynomial-time algorithms for counting and
    sampling Markov equivalent DAGs with applications, JMLR 24. The count is made by the
    authors' package, cliquepicking.

    Examples
    --------
    A chain without colliders may have its only source anywhere.

    >>> from causalassay.graphs import chain, to_cpdag
    >>> mec_size(to_cpdag(chain(5)))
    5
    """
    lines = np.argwhere(undirected_part(check_cpdag(cpdag, "cpdag")))
    # The package trusts its input; an empty list makes some of its functions panic.
    return count_members([(i, j) for i, j in lines.tolist()]) if len(lines) else 1


def sample_dag(cpdag: Adjacency, rng: Generator | int) -> Adjacency:
    """Return a DAG drawn uniformly from the Markov equivalence class.

    Parameters
    ----------
    cpdag : Adjacency, shape (d, d)
        The CPDAG that stands for the class.
    rng : Generator or int
        The only source of randomness. Probabilities are ratios of exact integers, so
        the draw is exactly uniform as far as the generator's bits are.

    References
    ----------
    Wienöbst, Bannach, Liśkiewicz (2023), as for `mec_size`: pick the clique that comes
    first with probability proportional to the number of orientations it begins, order
    it, go on with the parts that are left.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain, to_cpdag
    >>> cpdag = to_cpdag(chain(4))
    >>> dag = sample_dag(cpdag, np.random.default_rng(0))
    >>> bool((to_cpdag(dag) == cpdag).all())
    True
    """
    return sample_dags(cpdag, 1, rng)[0]


def sample_dags(cpdag: Adjacency, n_dags: int, rng: Generator | int) -> list[Adjacency]:
    """Return independent uniform draws from the Markov equivalence class, counting it once.

    Parameters
    ----------
    cpdag : Adjacency, shape (d, d)
        The CPDAG that stands for the class.
    n_dags : int
        How many DAGs to draw.
    rng : Generator or int
        The source of randomness; an int is a seed.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain, to_cpdag
    >>> len(sample_dags(to_cpdag(chain(4)), 3, np.random.default_rng(0)))
    3
    """
    rng = as_generator(rng)
    cpdag = check_cpdag(cpdag, "cpdag")
    neighbours = neighbour_masks(undirected_part(cpdag))
    orientations = Orientations(neighbours)
    parts = list(components(neighbours, _nodes_with_lines(neighbours)))
    return [
        _direct(cpdag, [node for part in parts for node in orientations.draw(part, rng)])
        for _ in range(n_dags)
    ]


def enumerate_dags(cpdag: Adjacency) -> Iterator[Adjacency]:
    """Iterate over the members of the Markov equivalence class, each once.

    The DAGs are made one by one as they are asked for, in an order that is the same
    at every call. `mec_size` says beforehand how many there are.

    Parameters
    ----------
    cpdag : Adjacency, shape (d, d)
        The CPDAG that stands for the class.

    References
    ----------
    Wienöbst, Luttermann, Bannach, Liśkiewicz (2023), Efficient enumeration of Markov
    equivalent DAGs, AAAI.

    Examples
    --------
    >>> from causalassay.graphs import chain, to_cpdag, to_edges
    >>> [to_edges(dag) for dag in enumerate_dags(to_cpdag(chain(3)))]
    [[(0, 1), (1, 2)], [(1, 0), (1, 2)], [(1, 0), (2, 1)]]
    """
    cpdag = check_cpdag(cpdag, "cpdag")
    neighbours = neighbour_masks(undirected_part(cpdag))
    # The graph is copied and checked before the first member is asked for.
    graph = cpdag.copy()
    orders = every_order(neighbours, _nodes_with_lines(neighbours))
    return (_direct(graph, order) for order in orders)


def _nodes_with_lines(neighbours: Sequence[int]) -> int:
    return sum(1 << node for node, near in enumerate(neighbours) if near)


def _direct(cpdag: Adjacency, order: Sequence[int]) -> Adjacency:
    """Direct the undirected edges along `order`, which lists all nodes that have some."""
    position = np.zeros(len(cpdag), dtype=np.int64)
    position[list(order)] = np.arange(len(order))
    forward = position[:, None] < position[None, :]
    return directed_part(cpdag) | (undirected_part(cpdag) & forward)


# Acyclic orientations without v-structure of a chordal graph: counted, drawn, listed.


@dataclass(frozen=True)
class _Beginning:
    """A clique put first: the orientations this allows, and the parts still to be oriented.

    An ordering of the clique that begins with a forbidden set is counted at another clique.
    """

    weight: int
    clique: int
    forbidden: frozenset[int]
    parts: tuple[int, ...]


class Orientations:
    """Counts and draws for one chordal graph, given as bit sets of neighbours.

    An orientation is handed out as an order of the nodes; every edge points along it.

    References
    ----------
    Wienöbst, Bannach, Liśkiewicz (2023), Polynomial-time algorithms for counting and
    sampling Markov equivalent DAGs with applications, JMLR 24: the Clique-Picking
    algorithm (the sum over maximal cliques) and the draw that follows from it.
    """

    def __init__(self, neighbours: Sequence[int]) -> None:
        self._neighbours = neighbours
        self._beginnings: dict[int, list[_Beginning]] = {}

    def count(self, part: int) -> int:
        """Return the number of orientations of the connected graph on `part`."""
        if self._is_tree(part):
            return part.bit_count()
        return sum(beginning.weight for beginning in self._begin(part))

    def draw(self, part: int, rng: Generator) -> list[int]:
        """Return an order whose orientation is uniform over those of `part`."""
        if self._is_tree(part):
            return self._draw_source(part, rng)
        beginnings = self._begin(part)
        at = draw_below(sum(beginning.weight for beginning in beginnings), rng)
        for chosen in beginnings:
            at -= chosen.weight
            if at < 0:
                break
        order = _draw_permutation(chosen, rng)
        for rest in chosen.parts:
            order += self.draw(rest, rng)
        return order

    def _is_tree(self, part: int) -> bool:
        degrees = sum((self._neighbours[node] & part).bit_count() for node in members(part))
        return degrees == 2 * part.bit_count() - 2

    def _draw_source(self, part: int, rng: Generator) -> list[int]:
        """Return a tree's nodes by their distance from a uniform one, which decides all edges."""
        order = [int(rng.choice(list(members(part))))]
        seen = 1 << order[0]
        for node in order:
            order += members(self._neighbours[node] & part & ~seen)
            seen |= self._neighbours[node]
        return order

    def _begin(self, part: int) -> list[_Beginning]:
        """Return the terms of the sum over the maximal cliques of `part`.

        The recursion is at most as deep as the largest clique: the nodes of a part that
        is left have an earlier neighbour in common, so its cliques are smaller.
        """
        if part in self._beginnings:
            return self._beginnings[part]
        tree = clique_tree(self._neighbours, part)
        beginnings = []
        for clique in tree:
            forbidden = set()
            step = clique
            while step.parent >= 0:
                if step.separator & ~clique.nodes == 0:
                    forbidden.add(step.separator)
                step = tree[step.parent]
            weight = _count_permutations(
                clique.nodes.bit_count(), sorted(prefix.bit_count() for prefix in forbidden)
            )
            parts = tuple(self._left_after(clique.nodes, part))
            for rest in parts:
                weight *= self.count(rest)
            beginnings.append(_Beginning(weight, clique.nodes, frozenset(forbidden), parts))
        self._beginnings[part] = beginnings
        return beginnings

    def _left_after(self, clique: int, part: int) -> Iterator[int]:
        """Yield what stays undirected when `clique` comes first, in a topological order."""
        seen = clique
        for node, alike in lex_bfs(self._neighbours, [clique, part & ~clique]):
            if not seen >> node & 1:
                seen |= alike
                yield from components(self._neighbours, alike)


def _count_permutations(size: int, prefixes: Sequence[int]) -> int:
    """Count the permutations of `size` nodes in which no forbidden set comes first.

    The forbidden sets are nested and of the sizes `prefixes`, ascending. From all
    permutations those are taken away whose shortest forbidden prefix is the i-th.
    """
    sizes = [*prefixes, size]
    free: list[int] = []
    for length in sizes:
        begun = sum(factorial(length - s) * f for s, f in zip(sizes, free, strict=False))
        free.append(factorial(length) - begun)
    return free[-1]


def _draw_permutation(beginning: _Beginning, rng: Generator) -> list[int]:
    """Draw uniform permutations of the clique until none of the forbidden sets comes first.

    At least half of the permutations are allowed, whatever the clique.
    """
    nodes = list(members(beginning.clique))
    while True:
        order = [nodes[k] for k in rng.permutation(len(nodes))]
        prefix = 0
        for node in order:
            prefix |= 1 << node
            if prefix in beginning.forbidden:
                break
        else:
            return order


def draw_below(bound: int, rng: Generator) -> int:
    """Return an exactly uniform int from 0 to ``bound - 1``, however large.

    Random bits, as many as `bound` has, are drawn again until they fall below it.
    """
    n_bits = bound.bit_length()
    n_bytes = (n_bits + 7) // 8
    while True:
        drawn = int.from_bytes(rng.bytes(n_bytes), "little") >> (8 * n_bytes - n_bits)
        if drawn < bound:
            return drawn


def every_order(neighbours: Sequence[int], nodes: int) -> Iterator[list[int]]:
    """Yield one order for each orientation of the chordal graph on `nodes`, connected or not.

    The same list is yielded each time, with new content.

    A maximum-cardinality search tells which nodes may come next: those with the most
    visited neighbours. Of these only one connected part is tried, since the others may
    as well come later, and each of its nodes, as the part's source, makes another
    orientation. No choice leads to a dead end.

    References
    ----------
    Wienöbst, Luttermann, Bannach, Liśkiewicz (2023), Efficient enumeration of Markov
    equivalent DAGs, AAAI.
    """
    order: list[int] = []
    if not nodes:
        yield order
        return
    waiting = nodes
    n_visited = [0] * len(neighbours)
    choices = [_next_sources(neighbours, waiting, n_visited)]
    while choices:
        source = next(choices[-1], None)
        if source is not None:
            order.append(source)
            waiting ^= 1 << source
            for node in members(neighbours[source] & waiting):
                n_visited[node] += 1
            if waiting:
                choices.append(_next_sources(neighbours, waiting, n_visited))
                continue
            yield order
        else:
            choices.pop()
        if order:
            source = order.pop()
            for node in members(neighbours[source] & waiting):
                n_visited[node] -= 1
            waiting ^= 1 << source


def _next_sources(
    neighbours: Sequence[int], waiting: int, n_visited: Sequence[int]
) -> Iterator[int]:
    """Return the nodes of the first connected part of those with the most visited neighbours."""
    most = -1
    eligible = 0
    for node in members(waiting):
        if n_visited[node] > most:
            most, eligible = n_visited[node], 0
        if n_visited[node] == most:
            eligible |= 1 << node
    return members(reach(neighbours, eligible, eligible & -eligible))
