"""PC: drop the edges that some test of independence explains away, then direct the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb, log
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.common.spelling import RefusedValue, check_choice
from causalassay.contracts import Columns, Estimate, Kind, NotApplicable, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence import (
    FisherZ,
    GTest,
    check_defined,
    check_test,
    condition,
    largest_independent,
    z_scales,
)
from causalassay.discovery.nonlinear_independence import (
    NonlinearIndependence,
    NonlinearTest,
    nonlinear_independence,
)
from causalassay.discovery.statistics import (
    PIVOT,
    gaussian_statistics,
    is_discrete,
    level_statistics,
)
from causalassay.graphs import is_cpdag, is_dag, meek_closure
from causalassay.graphs.cpdag import directed_part
from causalassay.graphs.orders import Indices, neighbour_lists

# PC's skeleton for any test of independence.

Bits = NDArray[np.uint64]
"""Bit sets, shape (d, d, words): of [i, j] the members of sets that separate i and j."""

MinusLogP = Callable[[int, ArrayLike, tuple[int, ...]], Vector]
"""-log p of the independence of a target and each of some others, given a set."""

Separations = Iterator[tuple[int, int, tuple[int, ...]]]
"""Two nodes that a test calls independent, and the set given which they are."""

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

    def separations(before: Adjacency, size: int) -> Separations:
        for i, row in enumerate(before):
            near = np.flatnonzero(row)
            for given in combinations(near.tolist(), size):
                others = np.setdiff1d(near, given, assume_unique=True)
                if len(others):
                    independent = minus_log_p(i, others, given) <= -log(alpha)
                    yield from ((i, j, given) for j in others[independent].tolist())

    return _skeleton_by_levels(n_nodes, separations, largest, MOST_TESTS)


def _skeleton_by_levels(
    n_nodes: int, separations: Callable[[Adjacency, int], Separations], largest: int, most: int
) -> tuple[Adjacency, Bits, list[int]]:
    """Return what `skeleton_by_any_test` does, of separations by the level's skeleton and size."""
    skeleton = ~np.eye(n_nodes, dtype=bool)
    separating = np.zeros((n_nodes, n_nodes, (n_nodes + 63) // 64), dtype=np.uint64)
    n_tests: list[int] = []
    for size in range(largest + 1):
        n_next = count_tests(skeleton, size)
        if n_next == 0:
            break
        check_affordable(n_next, size, most)
        n_tests.append(n_next)
        for i, j, given in separations(skeleton.copy(), size):
            skeleton[i, j] = skeleton[j, i] = False
            for s in given:
                bit = np.uint64(1) << np.uint64(s & 63)
                separating[i, j, s >> 6] |= bit
                separating[j, i, s >> 6] |= bit
    return skeleton, separating, n_tests


# PC's skeleton for tests that regress on the conditioning set, which is the work.

MOST_REGRESSION_TESTS = 10**6
"""The most such tests in a level: of 500 rows they take some hours with KCI."""


def skeleton_by_regressions(
    test: NonlinearIndependence, n_nodes: int, alpha: float, largest: int
) -> tuple[Adjacency, Bits, list[int]]:
    """Return what `skeleton_by_any_test` does.

    Sets are taken one after the other, each with all pairs that are tested given it: what a
    test prepares for a set and a column is then used for all of them, and need not be kept.
    A set among both nodes' neighbours is tested once.
    """

    def separations(before: Adjacency, size: int) -> Separations:
        for given, pairs in _pairs_by_set(before, size):
            independent = test.minus_log_p(pairs, given) <= -log(alpha)
            yield from ((i, j, given) for i, j in np.array(pairs)[independent].tolist())

    return _skeleton_by_levels(n_nodes, separations, largest, MOST_REGRESSION_TESTS)


def _pairs_by_set(
    skeleton: Adjacency, size: int
) -> list[tuple[tuple[int, ...], list[tuple[int, int]]]]:
    """Return the sets of that size, each with the pairs, i < j, to test given it."""
    pairs: dict[tuple[int, ...], set[tuple[int, int]]] = {}
    for i, row in enumerate(skeleton):
        near = np.flatnonzero(row).tolist()
        for given in combinations(near, size):
            ends = [(min(i, j), max(i, j)) for j in near if j not in given]
            if ends:
                pairs.setdefault(given, set()).update(ends)
    return [(given, sorted(pairs[given])) for given in sorted(pairs)]


# PC's skeleton by Fisher's z test, from correlations, with kernels that share work.

MOST_KERNEL_TESTS = 10**12
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
        check_affordable(n_next, size, MOST_KERNEL_TESTS)
        if size == 0:
            skeleton &= correlation**2 > limit
        else:
            lists = neighbour_lists(skeleton)
            check_defined(_test_level(correlation, lists, size, limit, skeleton, separating), data)
        n_tests.append(n_next)
    return skeleton, separating, n_tests


# The skeleton of the original PC, which removes an edge at once, for any test of independence.

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
        n_tests.append(_test_level_in_order(skeleton, separating, independent, size))
    return skeleton, separating, n_tests


def _test_level_in_order(
    skeleton: Adjacency, separating: Bits, independent: Independent, size: int
) -> int:
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


Test = Literal["fisher-z", NonlinearTest]
TESTS = ("fisher-z", *get_args(NonlinearTest))


@dataclass(frozen=True)
class PC:
    """Remove edges by tests of conditional independence, then direct what they imply.

    PC-stable with Fisher's z test of partial correlations or a test that sees curves, or
    with the G test where all columns are discrete. The result does not depend on the order
    of the columns. The original PC is ``PC(stable=False)``, whose result does.

    Parameters
    ----------
    alpha : float
        The level of each test.
    max_condition : int, optional
        The largest conditioning set. By default the graph limits it, and the number of rows:
        with Fisher's z, n - |S| - 3 must be positive; nonlinear tests ask for ten rows a column.
    stable : bool
        Whether neighbours are those before the first test of a size. False is the original
        PC: an edge goes at once, in the order of the columns, and its separating set is the
        first one found. Only choice 1 below differs then; 2 and 3 stay.
    test : {"fisher-z", "kci", "fast-kci", "gcm"}
        The test of continuous columns. The others than Fisher's z see nonlinear dependence
        and regress on the conditioning set by kernels, see
        `nonlinear_independence.NonlinearIndependence`: "kci" asks about all functions,
        at a cost of n² to n³ for each test, "fast-kci" about a few functions of each column,
        "gcm" about the residuals' correlation. Columns that are all discrete have the G test.

    Notes
    -----
    A pair is separated if any set of the current size among either node's neighbours,
    as they were before the first test of that size, makes the two independent. Then:

    1. the separating set is the union of all such sets, not the first one found;
    2. i—k—j with i and j apart and k not in their separating set becomes i→k←j, all
       at once; an edge that is so claimed in both directions stays undirected, and
       only Meek's rules may direct it;
    3. Meek's rules are applied to all edges at once, `graphs.meek_closure`.

    With the usual choices, the first set found and the last collider's word, a mere
    permutation of the columns changes most results. What these three leave is rounding:
    a test within a few rounding errors of its limit.

    The declared output is "pdag", for errors of tests can contradict each other so that
    no DAG has the tests' verdicts: arrows may even form a cycle. Where the graph is a
    CPDAG the estimate's kind says so.

    `Estimate.info` has the number of ``tests``, counted from both ends of an edge; the
    ``largest_condition`` tested; what left tests undone, ``limited_by`` "max_condition" or
    "n_samples", or None; ``conflicts``, the number of edges claimed in both directions;
    and ``cyclic``, whether the arrows form a cycle.

    The G test counts the full product of levels as degrees of freedom, see `g_test.GTest`:
    where there are few rows a cell it takes nearly everything for independent.

    `NotApplicable` is raised where a test is undefined since columns are linearly
    dependent; where some columns are discrete and others are not; and before more than
    10^12 tests of one size (10^8 G tests, or tests of the original PC; 10^6 nonlinear ones).

    Departs from the paper: the three choices above; and, if stable, the sets of both
    nodes' neighbours are always tested to the end, which the union needs.

    References
    ----------
    Spirtes, Glymour, Scheines (2000), Causation, Prediction, and Search, section 5.4.2.
    Colombo, Maathuis (2014), Order-independent constraint-based causal structure
    learning, JMLR 15, algorithms 3.2 (the original) and 4.1 (PC-stable).

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise, more = rng.normal(size=(4, 500))
    >>> collider = a + b + noise
    >>> data = Dataset.from_values(np.column_stack([a, b, collider, collider + more]))
    >>> estimate = PC().discover(data, rng)
    >>> estimate.kind, estimate.graph.astype(int)
    ('cpdag', array([[0, 0, 1, 0],
                     [0, 0, 1, 0],
                     [0, 0, 0, 1],
                     [0, 0, 0, 0]]))
    """

    alpha: float = 0.01
    max_condition: int | None = None
    stable: bool = True
    test: Test = "fisher-z"

    name: ClassVar[str] = "pc"
    columns: ClassVar[Columns] = "continuous or discrete"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "pdag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = (
        "linear Gaussian or discrete (any law with a nonlinear test), acyclic, "
        "no hidden common cause, faithful"
    )
    reference: ClassVar[str] = "Colombo, Maathuis (2014), JMLR 15, algorithm 4.1"

    def __post_init__(self) -> None:
        check_test(self.alpha, self.max_condition)
        if not isinstance(self.stable, bool):
            raise RefusedValue("stable", f"expected true or false, got {self.stable!r}")
        check_choice("test", self.test, TESTS)

    @property
    def equivariant(self) -> bool:
        """Whether relabelling the columns relabels the result: not so for the original PC."""
        return self.stable

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Return the PDAG of the observational rows; nothing in it is random."""
        largest = data.n_nodes - 2
        if self.max_condition is not None:
            largest = min(largest, self.max_condition)
        skeleton, separating, n_tests = self._skeleton(data, largest)
        directed, n_conflicts = _direct_colliders(skeleton, separating)
        graph = meek_closure(directed)
        limited_by = None
        if count_tests(skeleton, len(n_tests)):
            limited_by = "max_condition" if largest == self.max_condition else "n_samples"
        info = {
            "tests": sum(n_tests),
            "largest_condition": len(n_tests) - 1,
            "limited_by": limited_by,
            "conflicts": n_conflicts,
            "cyclic": not is_dag(directed_part(graph)),
        }
        return Estimate(graph, "cpdag" if is_cpdag(graph) else "pdag", info=info)

    def _skeleton(self, data: Dataset, largest: int) -> tuple[Adjacency, Bits, list[int]]:
        d = data.n_nodes
        if self.test != "fisher-z":
            return self._skeleton_by_regressions(self.test, data, largest)
        if is_discrete(data):
            minus_log_p = GTest(level_statistics(data)).minus_log_p
            if self.stable:
                return skeleton_by_any_test(d, minus_log_p, self.alpha, largest)
            limit = -log(self.alpha)
            return skeleton_in_order(
                d, lambda i, j, given: bool(minus_log_p(i, [j], given)[0] <= limit), largest
            )
        statistics = gaussian_statistics(data)
        limits = largest_independent(self.alpha, z_scales(statistics.n_samples, largest))
        if self.stable:
            return skeleton_by_fisher_z(statistics.correlation, limits, data)
        test = FisherZ(statistics.correlation, limits, data)
        return skeleton_in_order(d, test.independent, len(limits) - 1)

    def _skeleton_by_regressions(
        self, kind: NonlinearTest, data: Dataset, largest: int
    ) -> tuple[Adjacency, Bits, list[int]]:
        test, d = nonlinear_independence(kind, data), data.n_nodes
        largest = min(largest, test.largest_set)
        if self.stable:
            return skeleton_by_regressions(test, d, self.alpha, largest)
        limit = -log(self.alpha)
        return skeleton_in_order(
            d, lambda i, j, given: bool(test.minus_log_p([(i, j)], given)[0] <= limit), largest
        )


def _direct_colliders(skeleton: Adjacency, separating: Bits) -> tuple[Adjacency, int]:
    """Return the skeleton with its colliders, and how many edges are claimed in both directions."""
    d = len(skeleton)
    as_counts = skeleton.astype(np.float32)
    i, j = np.nonzero(np.triu(~skeleton & (as_counts @ as_counts > 0), 1))
    members = np.unpackbits(separating[i, j].view(np.uint8), axis=1, bitorder="little")[:, :d]
    pair, middle = np.nonzero(skeleton[i] & skeleton[j] & (members == 0))
    claimed = np.zeros_like(skeleton)
    claimed[i[pair], middle] = claimed[j[pair], middle] = True
    return skeleton & ~(claimed.T & ~claimed), int((claimed & claimed.T).sum()) // 2
