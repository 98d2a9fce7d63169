"""PC's skeleton for any test of independence."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb, log

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.contracts import NotApplicable

Bits = NDArray[np.uint64]
"""Bit sets, shape (d, d, words): of [i, j] the members of sets that separate i and j."""

MinusLogP = Callable[[int, ArrayLike, tuple[int, ...]], Vector]
"""-log p of the independence of a target and each of some others, given a set."""

MOST_TESTS = 10**8
"""The most tests in a level: of 1000 rows they take about an hour."""


def count_tests(skeleton: Adjacency, size: int) -> int:
    """Return how many tests PC makes given sets of that size, counted at both ends of an edge."""
    degrees = [degree for degree in skeleton.sum(axis=1).tolist() if degree > size]
    return sum(degree * comb(degree - 1, size) for degree in degrees)


def check_affordable(n_tests: int, size: int, most: int) -> None:
    """Raise `NotApplicable` before a level of too many tests."""
    if n_tests > most:
        raise NotApplicable(
            f"PC would need {n_tests:.1e} tests given {size} columns each, too many; "
            f"set max_condition to at most {size - 1}, or lower alpha"
        )


def skeleton_by_any_test(
    n_nodes: int, minus_log_p: MinusLogP, alpha: float, largest: int
) -> tuple[Adjacency, Bits, list[int]]:
    """Return the skeleton, the unions of separating sets and the number of tests by size.

    Adjacencies are those of each level's start, and all sets among either node's neighbours
    are tested: the result does not depend on the order of the nodes.

    Parameters
    ----------
    n_nodes : int
    minus_log_p : callable
    alpha : float
        Two nodes are independent where -log p is at most -log alpha.
    largest : int
        The largest conditioning set.

    Examples
    --------
    A chain 0 → 1 → 2, by an oracle:

    >>> def oracle(target, others, given):
    ...     return np.array([0.0 if {target, j} == {0, 2} and 1 in given else 9.0 for j in others])
    >>> skeleton, separating, n_tests = skeleton_by_any_test(3, oracle, 0.05, 1)
    >>> skeleton.astype(int), separating[0, 2], n_tests
    (array([[0, 1, 0],
            [1, 0, 1],
            [0, 1, 0]]), array([2], dtype=uint64), [6, 6])
    """
    skeleton = ~np.eye(n_nodes, dtype=bool)
    separating = np.zeros((n_nodes, n_nodes, (n_nodes + 63) // 64), dtype=np.uint64)
    n_tests: list[int] = []
    for size in range(largest + 1):
        n_next = count_tests(skeleton, size)
        if n_next == 0:
            break
        check_affordable(n_next, size, MOST_TESTS)
        n_tests.append(n_next)
        before = skeleton.copy()
        for i in range(n_nodes):
            near = np.flatnonzero(before[i])
            for given in combinations(near.tolist(), size):
                others = np.setdiff1d(near, given, assume_unique=True)
                if not len(others):
                    continue
                apart = others[minus_log_p(i, others, given) <= -log(alpha)]
                skeleton[i, apart] = skeleton[apart, i] = False
                for s in given:
                    bit = np.uint64(1) << np.uint64(s & 63)
                    separating[i, apart, s >> 6] |= bit
                    separating[apart, i, s >> 6] |= bit
    return skeleton, separating, n_tests
