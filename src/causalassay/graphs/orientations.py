"""Acyclic orientations without v-structure of a chordal graph: counted, drawn, listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial

from numpy.random import Generator

from causalassay.graphs.chordal import clique_tree, components, lex_bfs, members, reach


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
