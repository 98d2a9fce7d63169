"""PC's skeleton by Fisher's z test, from correlations, with kernels that share work."""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence.fisher_z import check_defined, condition
from causalassay.discovery.independence.pc_skeleton_any_test import (
    Bits,
    check_affordable,
    count_tests,
)
from causalassay.discovery.statistics.gaussian import PIVOT
from causalassay.graphs.orders import Indices, neighbour_lists

MOST_TESTS = 10**12
"""The most tests in a level, about an hour's work: PC does not begin with a level beyond it."""


@kernel
def _test_last(
    covariance: Weights, variance: Vector, first: int, limit: float, apart: Adjacency
) -> tuple[Adjacency, int, int]:
    """Mark ``apart[s, j]`` where a last column s ≥ first makes j independent of the target.

    Returns for which j some s does so, and (s, j) of a test that is undefined, or
    (-1, -1); j may be the target. The sets grow by s only on paper: every test is one
    step of the factorisation in `condition`.
    """
    width = covariance.shape[1]
    of_target = covariance[width]
    separated = np.zeros(width, np.bool_)
    for s in range(first, width):
        own, scale = of_target[s], 1.0 / variance[s]
        left_of_target = variance[width] - own**2 * scale
        bound = limit * left_of_target
        n_undefined = 0
        of_target[s] = np.nan  # s itself is not tested
        for j in range(width):
            joint = of_target[j] - own * scale * covariance[s, j]
            left = variance[j] - covariance[s, j] ** 2 * scale
            n_undefined += left <= PIVOT
            independent = joint * joint <= bound * left
            apart[s, j] |= independent
            separated[j] |= independent
        of_target[s] = own
        if left_of_target <= PIVOT:
            return separated, s, width
        if n_undefined > 1:  # one of them is s itself
            for j in range(width):
                if j != s and variance[j] - covariance[s, j] ** 2 * scale <= PIVOT:
                    return separated, s, j
    return separated, -1, -1


@kernel
def _test_around(
    correlation: Weights, near: Indices, size: int, limit: float, apart: Adjacency
) -> Indices:
    """Mark ``apart[s, j]`` if s is in a set of that size that separates j from the target.

    `near` are the target's neighbours and last the target; s and j are positions there.
    The sets are enumerated depth first, in ascending order. None is linearly dependent
    itself, for the level before tested each of its columns given the others. Returns the
    nodes of a test that is undefined, or none.
    """
    width = len(near) - 1
    covariance = np.empty((size, width + 1, width))
    variance = np.ones((size, width + 1))
    for row in range(width + 1):
        for column in range(width):
            covariance[0, row, column] = correlation[near[row], near[column]]
    chosen = np.full(size, -1)
    depth = 0
    while depth >= 0:
        here, of_here = covariance[depth], variance[depth]
        chosen[depth] += 1
        if depth == size - 1:
            separated, s, j = _test_last(here, of_here, chosen[depth], limit, apart)
            if s >= 0:
                chosen[depth] = s
                return near[np.append(chosen, j)]
            for k in range(depth):
                for j in range(len(separated)):
                    apart[chosen[k], j] |= separated[j]
            depth -= 1
        elif chosen[depth] > width - size + depth:
            depth -= 1
        else:
            condition(here, of_here, chosen[depth], covariance[depth + 1], variance[depth + 1])
            depth += 1
            chosen[depth] = chosen[depth - 1]
    return near[:0]


@kernel
def _test_level(
    correlation: Weights,
    lists: tuple[Indices, Indices],
    size: int,
    limit: float,
    skeleton: Adjacency,
    separating: Bits,
) -> Indices:
    """Remove the edges that some set of that size separates and note the unions of the sets.

    Adjacencies are those of the level's start, `lists`. Returns as `_test_around` does.
    """
    start, neighbour = lists
    for i in range(len(skeleton)):
        width = start[i + 1] - start[i]
        if width <= size:
            continue
        near = np.append(neighbour[start[i] : start[i + 1]], i)
        apart = np.zeros((width, width), np.bool_)
        dependent = _test_around(correlation, near, size, limit, apart)
        if len(dependent):
            return dependent
        for s in range(width):
            word, bit = near[s] >> 6, np.uint64(1) << np.uint64(near[s] & 63)
            for j in near[:-1][apart[s]]:
                skeleton[i, j] = skeleton[j, i] = False
                separating[i, j, word] |= bit
                separating[j, i, word] |= bit
    return neighbour[:0]


def skeleton_by_fisher_z(
    correlation: Weights, limits: Vector, data: Dataset
) -> tuple[Adjacency, Bits, list[int]]:
    """Return the skeleton, the unions of separating sets and the number of tests by size.

    `limits` holds the largest squared correlation that is no dependence, by size.
    """
    d = len(correlation)
    skeleton = ~np.eye(d, dtype=bool)
    separating = np.zeros((d, d, (d + 63) // 64), dtype=np.uint64)
    n_tests = []
    for size, limit in enumerate(limits.tolist()):
        n_next = count_tests(skeleton, size)
        if n_next == 0:
            break
        check_affordable(n_next, size, MOST_TESTS)
        if size == 0:
            skeleton &= correlation**2 > limit
        else:
            lists = neighbour_lists(skeleton)
            check_defined(_test_level(correlation, lists, size, limit, skeleton, separating), data)
        n_tests.append(n_next)
    return skeleton, separating, n_tests
