"""The skeleton of the original PC, which removes an edge at once, for any test of independence."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.discovery.independence.pc_skeleton_any_test import (
    MOST_TESTS,
    Bits,
    check_affordable,
    count_tests,
)

Independent = Callable[[int, int, tuple[int, ...]], bool]
"""Whether two nodes pass for independent given a set."""


def skeleton_in_order(
    n_nodes: int, independent: Independent, largest: int
) -> tuple[Adjacency, Bits, list[int]]:
    """Return the skeleton, the first separating sets and the number of tests by size.

    Ordered pairs are taken in the order of the columns, sets in that of the neighbours. An
    edge goes with the first set that separates it, so what is tested later at the same
    size sees fewer neighbours: the result depends on the order of the nodes.

    Parameters
    ----------
    n_nodes : int
    independent : callable
    largest : int
        The largest conditioning set.

    Examples
    --------
    A chain 0 → 1 → 2, by an oracle:

    >>> def oracle(i, j, given):
    ...     return {i, j} == {0, 2} and 1 in given
    >>> skeleton, separating, n_tests = skeleton_in_order(3, oracle, 1)
    >>> skeleton.astype(int), separating[0, 2], n_tests
    (array([[0, 1, 0],
            [1, 0, 1],
            [0, 1, 0]]), array([2], dtype=uint64), [6, 4])
    """
    skeleton = ~np.eye(n_nodes, dtype=bool)
    separating = np.zeros((n_nodes, n_nodes, (n_nodes + 63) // 64), dtype=np.uint64)
    n_tests: list[int] = []
    for size in range(largest + 1):
        most = count_tests(skeleton, size)
        if most == 0:
            break
        check_affordable(most, size, MOST_TESTS)
        n_tests.append(_test_level(skeleton, separating, independent, size))
    return skeleton, separating, n_tests


def _test_level(skeleton: Adjacency, separating: Bits, independent: Independent, size: int) -> int:
    """Remove edges that a set of that size separates; return the number of tests."""
    n_tests = 0
    for i in range(len(skeleton)):
        for j in np.flatnonzero(skeleton[i]).tolist():
            near = [k for k in np.flatnonzero(skeleton[i]).tolist() if k != j]
            for given in combinations(near, size):
                n_tests += 1
                if independent(i, j, given):
                    skeleton[i, j] = skeleton[j, i] = False
                    for s in given:
                        bit = np.uint64(1) << np.uint64(s & 63)
                        separating[i, j, s >> 6] |= bit
                        separating[j, i, s >> 6] |= bit
                    break
    return n_tests
