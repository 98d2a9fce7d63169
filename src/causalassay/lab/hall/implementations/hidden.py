"""Models with hidden causes whose PAG is known: every ancestral graph of few nodes is tried.

The PAG of a model says which ends all ancestral graphs (MAGs) with the same separations share. On 3
and 4 nodes there are few enough to try them all.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Values, Weights
from causalassay.common.seeding import stream
from causalassay.lab.hall.implementations.exact import (
    LEAST,
    ROWS,
    TRIES,
    is_acyclic,
    subsets,
    white,
)

Ends = NDArray[np.int64]
"""``[j, i]`` is the end at j of the edge between i and j: one of three, or 0 without an edge."""

ARROWHEAD, CIRCLE, TAIL = 1, 2, -1

Separations = frozenset[tuple[int, int, tuple[int, ...]]]


@dataclass(frozen=True, eq=False)
class HiddenCase:
    """A linear model in which noises can be correlated, and its PAG.

    Parameters
    ----------
    name : str
    weights : ndarray, shape (d, d)
        Effects of i on j.
    noise : ndarray, shape (d, d)
        The covariance of the noises: an entry off the diagonal stands for a hidden common cause.
    pag : Ends
    """

    name: str
    weights: Weights
    noise: Weights
    pag: Ends

    @property
    def covariance(self) -> Weights:
        """Of the model."""
        total = np.linalg.inv(np.eye(len(self.weights)) - self.weights)
        return np.asarray(total.T @ self.noise @ total)

    def values(self, rows: int = ROWS) -> Values:
        """Return rows whose covariance is that of the model."""
        return np.asarray(white(rows, len(self.weights)) @ np.linalg.cholesky(self.covariance).T)

    def code(self) -> list[str]:
        """Return three lines of Python that make `values`, as ``x``."""
        d = len(self.weights)
        effects, joined = np.argwhere(self.weights), np.argwhere(self.noise - np.eye(d))
        at = [[column.tolist() for column in pairs.T] for pairs in (effects, joined)]
        sizes = [
            [float(array[i, j]) for i, j in pairs]
            for array, pairs in ((self.weights, effects), (self.noise, joined))
        ]
        (i, j), (k, m) = at
        return [
            f"b, o = np.zeros(({d}, {d})), np.eye({d}); b[{i}, {j}] = {sizes[0]}; "
            f"o[{k}, {m}] = {sizes[1]}",
            f"i = np.linalg.inv(np.eye({d}) - b); z = np.random.default_rng(0).normal(size="
            f"({ROWS}, {d})); z -= z.mean(0)",
            f"x = z @ np.linalg.inv(np.linalg.cholesky(z.T @ z / {ROWS})).T "
            "@ np.linalg.cholesky(i.T @ o @ i).T",
        ]


def mags(d: int) -> Iterator[Ends]:
    """Yield all ancestral graphs on d nodes in which each pair without an edge is separable.

    Examples
    --------
    >>> sum(1 for _ in mags(3))
    56
    """
    pairs = list(itertools.combinations(range(d), 2))
    kinds = ((0, 0), (TAIL, ARROWHEAD), (ARROWHEAD, TAIL), (ARROWHEAD, ARROWHEAD))
    for choice in itertools.product(kinds, repeat=len(pairs)):
        ends = np.zeros((d, d), dtype=np.int64)
        for (i, j), (at_i, at_j) in zip(pairs, choice, strict=True):
            ends[i, j], ends[j, i] = at_i, at_j
        if _is_ancestral(ends) and _is_maximal(ends):
            yield ends


def _directed(ends: Ends) -> Adjacency:
    """Return the edges with a tail at the cause and an arrowhead at the effect."""
    return np.asarray((ends == TAIL) & (ends.T == ARROWHEAD))


def _ancestors(ends: Ends) -> Adjacency:
    """Return what leads where along arrows, each node to itself too."""
    steps = _directed(ends) | np.eye(len(ends), dtype=bool)
    for _ in range(len(ends)):
        steps = steps @ steps
    return np.asarray(steps)


def _joined(ends: Ends) -> Adjacency:
    """Return the pairs with a hidden common cause: arrowheads at both ends."""
    return np.asarray((ends == ARROWHEAD) & (ends.T == ARROWHEAD))


def _is_ancestral(ends: Ends) -> bool:
    """Tell whether no arrowhead is at an ancestor of the other end."""
    return is_acyclic(_directed(ends)) and not (_joined(ends) & _ancestors(ends)).any()


def separations(ends: Ends) -> Separations:
    """Return all m-separations of an ancestral graph, by looking at every path."""
    d, leads = len(ends), _ancestors(ends)
    found = []
    for i, j in itertools.combinations(range(d), 2):
        paths = list(_paths(ends, [i], j))
        rest = [node for node in range(d) if node not in {i, j}]
        for given in subsets(rest):
            above = np.asarray(leads[:, list(given)].any(axis=1))
            if not any(_is_open(ends, path, given, above) for path in paths):
                found.append((i, j, given))
    return frozenset(found)


def _paths(ends: Ends, path: list[int], goal: int) -> Iterator[list[int]]:
    if path[-1] == goal:
        yield path
        return
    for node in np.flatnonzero(ends[path[-1]]).tolist():
        if node not in path:
            yield from _paths(ends, [*path, node], goal)


def _is_open(ends: Ends, path: list[int], given: tuple[int, ...], above: NDArray[np.bool_]) -> bool:
    """Tell whether colliders are ancestors of the set, and all others outside of it."""
    for before, node, after in zip(path, path[1:], path[2:], strict=False):
        collides = ends[node, before] == ARROWHEAD == ends[node, after]
        if (collides and not above[node]) or (not collides and node in given):
            return False
    return True


def _is_maximal(ends: Ends) -> bool:
    apart = {(i, j) for i, j, _ in separations(ends)}
    d = len(ends)
    return all(ends[i, j] or (i, j) in apart for i, j in itertools.combinations(range(d), 2))


@cache
def hidden_cases() -> tuple[HiddenCase, ...]:
    """Return a model of each PAG of 3 and 4 nodes up to names, with many hidden causes."""
    cases = []
    for d in (3, 4):
        classes: dict[Separations, list[Ends]] = {}
        for ends in mags(d):
            classes.setdefault(separations(ends), []).append(ends)
        shapes: set[bytes] = set()
        for members in classes.values():
            pag = _shared_ends(members)
            shape = min(
                pag[np.ix_(names, names)].tobytes()
                for names in map(list, itertools.permutations(range(d)))
            )
            if shape not in shapes:
                shapes.add(shape)
                members.sort(key=lambda ends: -np.count_nonzero(_joined(ends)))
                cases.append(_model(f"hidden {d}-{len(shapes)}", members[0], pag))
    return tuple(cases)


def _shared_ends(members: list[Ends]) -> Ends:
    """Return the ends that all have, and circles where they differ."""
    first = members[0]
    same = np.all([member == first for member in members], axis=0)
    return np.where(same, first, CIRCLE)


def _model(name: str, ends: Ends, pag: Ends) -> HiddenCase:
    """Return a model of an ancestral graph in which no dependence is weak."""
    d, apart, both = len(ends), separations(ends), np.triu(_joined(ends))
    rng = stream(0, "implementations", "hidden", name)
    for _ in range(100 * TRIES):
        sizes = np.round(rng.uniform(0.3, 0.9, (d, d)) * rng.choice([-1, 1], (d, d)), 2)
        noise = np.where(both, np.round(sizes / 2, 2), 0.0)
        noise = noise + noise.T + np.eye(d)
        case = HiddenCase(name, np.where(_directed(ends), sizes, 0.0), noise, pag)
        if np.linalg.eigvalsh(noise)[0] > LEAST and _is_strong(case, apart):
            return case
    raise ValueError(f"{name}: no weights make every dependence strong enough")


def _is_strong(case: HiddenCase, apart: Separations) -> bool:
    covariance, d = case.covariance, len(case.pag)
    for i, j in itertools.combinations(range(d), 2):
        for given in subsets([node for node in range(d) if node not in {i, j}]):
            nodes = [i, j, *given]
            precision = np.linalg.inv(covariance[np.ix_(nodes, nodes)])
            r = abs(precision[0, 1]) / np.sqrt(precision[0, 0] * precision[1, 1])
            if r < LEAST and (i, j, given) not in apart:
                return False
    return True
