"""Data sets on which the right answer is known exactly, and slow references for that answer.

A sample whose covariance *is* the covariance of the model leaves no room for chance: a test of
partial correlation and a Gaussian BIC see the population. What a search returns on it is then the
class of its DAG, or the search differs from what its paper proves.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Values, Weights
from causalassay.common.seeding import stream
from causalassay.graphs import from_edges

ROWS = 100_000
"""Rows of a data set with an exact covariance."""

LEAST = 0.02
"""The least magnitude of a partial correlation that is not zero, over all pairs and sets.

At 100 000 rows Fisher's z of it is 6.3, beyond the level of every search here, and it is worth 20
in log-likelihood, more than an edge costs (at most 11.5, with a BIC penalty of twice the usual).
"""

TRIES = 100
"""How often weights are drawn for a DAG with 5 or more nodes, before another is drawn."""

SAMPLED = {5: 6, 6: 6, 7: 4, 8: 4}
"""How many DAGs are drawn with 5 to 8 nodes; of 3 and 4 nodes there are all 37."""

Pattern = tuple[frozenset[frozenset[int]], frozenset[tuple[int, int, int]]]


@dataclass(frozen=True, eq=False)
class Case:
    """A linear model with a name.

    Parameters
    ----------
    name : str
        The number of nodes, and which of them it is.
    weights : ndarray, shape (d, d)
        ``weights[i, j]`` is the effect of i on j; all noise has variance 1.

    Examples
    --------
    >>> Case("pair", np.array([[0.0, 0.5], [0.0, 0.0]])).edges
    ((0, 1),)
    """

    name: str
    weights: Weights

    @property
    def dag(self) -> Adjacency:
        """Its graph."""
        return self.weights != 0

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Cause and effect of each edge."""
        return tuple((int(i), int(j)) for i, j in np.argwhere(self.weights))

    @property
    def covariance(self) -> Weights:
        """Of the model."""
        total = np.linalg.inv(np.eye(len(self.weights)) - self.weights)
        return total.T @ total

    def values(self, rows: int = ROWS) -> Values:
        """Return rows whose covariance is that of the model, up to rounding.

        Examples
        --------
        >>> case = Case("pair", np.array([[0.0, 0.5], [0.0, 0.0]]))
        >>> np.allclose(np.cov(case.values(100), rowvar=False, ddof=0), [[1, 0.5], [0.5, 1.25]])
        True
        """
        d = len(self.weights)
        return np.asarray(white(rows, d) @ np.linalg.inv(np.eye(d) - self.weights))

    def code(self, rows: int = ROWS) -> list[str]:
        """Return three lines of Python that make `values`, as ``x``."""
        d, edges = len(self.weights), self.edges
        causes, effects = [list(ends) for ends in zip(*edges, strict=True)] or ([], [])
        sizes = [float(self.weights[edge]) for edge in edges]
        return [
            f"w = np.zeros(({d}, {d})); w[{causes}, {effects}] = {sizes}",
            f"z = np.random.default_rng(0).normal(size=({rows}, {d})); z -= z.mean(0)",
            f"x = z @ np.linalg.inv(np.linalg.cholesky(z.T @ z / {rows})).T "
            f"@ np.linalg.inv(np.eye({d}) - w)",
        ]


@lru_cache(maxsize=1)
def white(rows: int, d: int) -> Values:
    """Return rows whose covariance is the unit matrix."""
    z = np.random.default_rng(0).normal(size=(rows, d))
    z -= z.mean(axis=0)
    return np.asarray(z @ np.linalg.inv(np.linalg.cholesky(z.T @ z / rows)).T)


@cache
def cases() -> tuple[Case, ...]:
    """Return all DAGs of 3 and 4 nodes up to relabelling, and some of 5 to 8, with weights.

    Examples
    --------
    >>> sum(len(case.weights) == 3 for case in cases())
    6
    >>> sum(len(case.weights) == 4 for case in cases())
    31
    """
    small = [
        _case(f"{d}-{k}", iter([dag]))
        for d in (3, 4)
        for k, dag in enumerate(dags_up_to_names(d), 1)
    ]
    sampled = [
        _case(f"{d}-{k}", _random_dags(d, k))
        for d, number in SAMPLED.items()
        for k in range(1, number + 1)
    ]
    return (*small, *sampled)


def dags_up_to_names(d: int) -> list[Adjacency]:
    """Return one DAG of each shape on d nodes, by trying all: for few nodes.

    Its names are shuffled, so that no search is helped by columns in a causal order.

    Examples
    --------
    >>> len(dags_up_to_names(3))
    6
    """
    pairs = list(itertools.combinations(range(d), 2))
    seen: set[tuple[tuple[int, int], ...]] = set()
    shapes: list[Adjacency] = []
    for choice in itertools.product((False, True), repeat=len(pairs)):
        edges = [pair for pair, is_there in zip(pairs, choice, strict=True) if is_there]
        shape = min(
            tuple(sorted((names[i], names[j]) for i, j in edges))
            for names in itertools.permutations(range(d))
        )
        if shape not in seen:
            seen.add(shape)
            names = stream(0, "implementations", "names", d, len(shapes)).permutation(d)
            shapes.append(from_edges([(int(names[i]), int(names[j])) for i, j in edges], d))
    return shapes


def _case(name: str, dags: Iterator[Adjacency]) -> Case:
    """Return a model of the first DAG for which weights with two digits keep to `LEAST`."""
    for number, dag in enumerate(dags):
        dependent = dependent_sets(dag)
        rng = stream(0, "implementations", "weights", name, number)
        for _ in range(TRIES):
            sizes = np.round(rng.uniform(0.4, 1.0, dag.shape) * rng.choice([-1, 1], dag.shape), 2)
            case = Case(name, np.where(dag, sizes, 0.0))
            if weakest(case, dependent) >= LEAST:
                return case
    raise ValueError(f"{name}: no weights make every dependence of these graphs strong enough")


def _random_dags(d: int, number: int) -> Iterator[Adjacency]:
    """Yield DAGs in which each pair is joined with a chance that gives 1.2 edges for each node."""
    rng = stream(0, "implementations", "dag", d, number)
    while True:
        order = rng.permutation(d)
        dag = np.zeros((d, d), dtype=bool)
        dag[np.ix_(order, order)] = np.triu(rng.random((d, d)) < 2.4 / (d - 1), 1)
        yield dag


Dependent = list[tuple[tuple[int, ...], NDArray[np.bool_]]]
"""Sets of nodes, and which pairs of each depend on each other given the rest of it."""


def dependent_sets(dag: Adjacency) -> Dependent:
    """Return the pairs that are not d-separated, for every set of at least two nodes."""
    sets = []
    for nodes in subsets(range(len(dag))):
        if len(nodes) > 1:
            depends = np.zeros((len(nodes), len(nodes)), dtype=bool)
            for a, b in itertools.combinations(range(len(nodes)), 2):
                rest = [node for node in nodes if node not in {nodes[a], nodes[b]}]
                depends[a, b] = not separated(dag, nodes[a], nodes[b], rest)
            sets.append((nodes, depends))
    return sets


def weakest(case: Case, dependent: Dependent) -> float:
    """Return the least magnitude of a partial correlation of nodes that depend on each other."""
    covariance, least = case.covariance, 1.0
    for nodes, depends in dependent:
        precision = np.linalg.inv(covariance[np.ix_(nodes, nodes)])
        scale = np.sqrt(np.diag(precision))
        sizes = np.abs(precision / np.outer(scale, scale))[depends]
        least = min(least, float(sizes.min(initial=1.0)))
        if least < LEAST:
            break
    return least


def subsets(nodes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all subsets, the small ones first."""
    sizes = range(len(nodes) + 1)
    return itertools.chain.from_iterable(itertools.combinations(nodes, size) for size in sizes)


def separated(dag: Adjacency, i: int, j: int, given: Sequence[int]) -> bool:
    """Tell whether i and j are d-separated: by the moral graph of the ancestors, word for word.

    Lauritzen et al. (1990): the graph of all ancestors, parents of a child joined, directions
    dropped, the set removed; the two are separated if no path is left.

    Examples
    --------
    >>> collider = from_edges([(0, 2), (1, 2)], 3)
    >>> separated(collider, 0, 1, ()), separated(collider, 0, 1, (2,))
    (True, False)
    """
    wanted = {i, j, *given}
    while True:
        parents = {int(p) for node in wanted for p in np.flatnonzero(dag[:, node])}
        if parents <= wanted:
            break
        wanted |= parents
    joined = {node: set[int]() for node in wanted}
    for child in wanted:
        family = [int(p) for p in np.flatnonzero(dag[:, child])]
        for a, b in [*((p, child) for p in family), *itertools.combinations(family, 2)]:
            joined[a].add(b)
            joined[b].add(a)
    reached, edge = {i}, [i]
    while edge:
        for node in joined[edge.pop()] - reached - set(given):
            reached.add(node)
            edge.append(node)
    return j not in reached


# Classes by brute force: every DAG on the skeleton is tried.


def class_of(dag: Adjacency, targets: Sequence[Sequence[int]] = ((),)) -> Adjacency:
    """Return the (interventional) CPDAG of a DAG as the union of all its equivalents.

    Two DAGs are equivalent if they have one skeleton, the same colliders between nodes that are
    not joined (Verma & Pearl 1990) and the same direction of each edge of which a condition acts
    on one end only (Hauser & Bühlmann 2012, theorem 10). All directions of the skeleton are tried.

    Parameters
    ----------
    dag : Adjacency
    targets : sequence of sequences of int
        The nodes that each condition acts on.

    Examples
    --------
    >>> class_of(from_edges([(0, 1), (1, 2)], 3)).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    edges = [(int(i), int(j)) for i, j in np.argwhere(dag)]
    fixed = {
        edge for edge in edges if any((edge[0] in t) != (edge[1] in t) for t in map(set, targets))
    }
    free = [edge for edge in edges if edge not in fixed]
    colliders, union = _colliders(dag), np.zeros_like(dag)
    for choice in itertools.product((False, True), repeat=len(free)):
        turned = [(j, i) if turn else (i, j) for (i, j), turn in zip(free, choice, strict=True)]
        other = from_edges([*fixed, *turned], len(dag))
        if _colliders(other) == colliders and is_acyclic(other):
            union |= other
    return union


def _colliders(dag: Adjacency) -> set[tuple[int, int, int]]:
    joined = dag | dag.T
    return {
        (a, c, b)
        for c in range(len(dag))
        for a, b in itertools.combinations(np.flatnonzero(dag[:, c]).tolist(), 2)
        if not joined[a, b]
    }


def is_acyclic(graph: Adjacency) -> bool:
    """Tell whether taking sinks away, again and again, leaves nothing."""
    left = graph.copy()
    while len(left):
        sinks = ~left.any(axis=1)
        if not sinks.any():
            return False
        left = left[~sinks][:, ~sinks]
    return True
