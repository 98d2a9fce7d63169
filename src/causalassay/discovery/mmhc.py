"""MMHC: tests find who may be a neighbour of whom, a score finds the DAG among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, log
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.contracts import Columns, Estimate, Kind, NotApplicable, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence import (
    GTest,
    check_count,
    check_defined,
    check_test,
    condition,
    critical_value,
    z_scales,
)
from causalassay.discovery.pc import MinusLogP
from causalassay.discovery.search.any_score_search import climb_score
from causalassay.discovery.search.dag_climbing import TIE, Climb, climb
from causalassay.discovery.search.scores import ScoreSearch, level_score, scores_levels
from causalassay.discovery.statistics import (
    PIVOT,
    gaussian_statistics,
)
from causalassay.graphs.orders import Indices

# MMPC, max-min parents and children: candidate neighbours by any test of independence.

MOST_SETS = 10**6
"""The most conditioning sets to search at a time: of 1000 rows they take about a minute."""


def candidates_by_any_test(
    minus_log_p: MinusLogP, alpha: float, largest: int, data: Dataset
) -> Adjacency:
    """Return the symmetric matrix of the pairs that MMPC finds from both sides.

    Parameters
    ----------
    minus_log_p : callable
    alpha : float
        Two nodes are independent where -log p is at most -log alpha.
    largest : int
        The largest conditioning set.
    data : Dataset
        For names in messages, and the number of nodes.

    Notes
    -----
    The same as `mmpc_fisher_z.candidates_by_fisher_z`, which is for Gaussian data.

    References
    ----------
    Tsamardinos, Brown, Aliferis (2006), Machine Learning 65, algorithms 1 and 2.

    Examples
    --------
    >>> data = Dataset.from_values([[0.0, 1.0, 2.0], [2.0, 4.5, 1.0]])
    >>> def chain(target, others, given):
    ...     return np.array([0.0 if {target, j} == {0, 2} and 1 in given else 9.0 for j in others])
    >>> candidates_by_any_test(chain, 0.05, 1, data).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    d = data.n_nodes
    neighbours = np.zeros((d, d), dtype=bool)
    for target in range(d if largest >= 0 else 0):
        members = _grow_by_any_test(minus_log_p, target, -log(alpha), largest, data)
        neighbours[
            target, _shrink_by_any_test(minus_log_p, target, members, -log(alpha), largest)
        ] = True
    return neighbours & neighbours.T


def _grow_by_any_test(
    minus_log_p: MinusLogP, target: int, critical: float, largest: int, data: Dataset
) -> list[int]:
    """Phase I: add the node whose least association is largest, while one is associated."""
    remaining = np.array([node for node in range(data.n_nodes) if node != target], dtype=np.int64)
    association = np.full(len(remaining), np.inf)
    members: list[int] = []
    new_sets: Iterator[tuple[int, ...]] = iter([()])
    while True:
        for given in new_sets:
            if len(remaining):
                association = np.minimum(association, minus_log_p(target, remaining, given))
        associated = association > critical
        remaining, association = remaining[associated], association[associated]
        if not len(remaining):
            return members
        _check_affordable(len(members), largest - 1, target, data)
        best = int(association.argmax())
        newest = int(remaining[best])
        remaining, association = np.delete(remaining, best), np.delete(association, best)
        new_sets = ((newest, *rest) for rest in _sets(members, largest - 1))
        members = [*members, newest]  # a new list: the sets are made while they are asked for


def _shrink_by_any_test(
    minus_log_p: MinusLogP, target: int, members: list[int], critical: float, largest: int
) -> list[int]:
    """Phase II: drop each member, first added first, that a set of the others separates."""
    left = list(members)
    for candidate in members:
        others = [node for node in left if node != candidate]
        if any(
            minus_log_p(target, [candidate], given)[0] <= critical
            for given in _sets(others, largest)
        ):
            left = others
    return left


def _sets(members: list[int], largest: int) -> Iterator[tuple[int, ...]]:
    for size in range(min(len(members), largest) + 1):
        yield from combinations(members, size)


def _check_affordable(n_members: int, largest: int, target: int, data: Dataset) -> None:
    n_sets = sum(comb(n_members, size) for size in range(min(n_members, largest) + 1))
    if n_sets > MOST_SETS:
        raise NotApplicable(
            f"column {data.columns[target]!r} has more than {n_members} candidate neighbours, too "
            "many for all sets of them; set max_condition, say to 3"
        )


# MMPC, max-min parents and children: candidate neighbours by Fisher's z test.

MOST_KERNEL_SETS = 1e8
"""The most conditioning sets to search at a time, of 26 members; about a minute's work."""


@kernel
def _lower_least(covariance: Weights, variance: Vector, least: Vector) -> int:
    """Lower `least` to the squared correlations of the target with as many last columns.

    Returns the column of an undefined test (past the last: the target), or -1.
    """
    n_columns = covariance.shape[1]
    first = n_columns - len(least)
    of_target, target_variance = covariance[-1], variance[-1]
    if target_variance <= PIVOT:
        return n_columns
    for k in range(len(least)):
        left = variance[first + k]
        if left <= PIVOT:
            return first + k
        squared = of_target[first + k] ** 2 / (target_variance * left)
        if squared < least[k]:  # noqa: PLR1730, nan (of a column in the set) must not win
            least[k] = squared
    return -1


@kernel
def _least_correlations(
    correlation: Weights, nodes: Indices, n_members: int, n_forced: int, least: Weights
) -> Indices:
    """Lower ``least[size]`` to the squared partial correlations given sets of that size.

    `nodes` are the members of sets, then the candidates, last the target. All sets of up
    to ``len(least) - 1`` members that begin with the first `n_forced` are searched, depth
    first. Returns the nodes of a test that is undefined, or none.
    """
    top = min(n_members, len(least) - 1)
    width = len(nodes) - 1
    covariance = np.empty((top + 1, n_members + 1, width))
    variance = np.ones((top + 1, width + 1))
    for row in range(n_members + 1):
        for column in range(width):
            node = nodes[row] if row < n_members else nodes[width]
            covariance[0, row, column] = correlation[node, nodes[column]]
    chosen = np.full(top + 1, -1)
    depth = 0
    undefined = -1 if n_forced else _lower_least(covariance[0], variance[0], least[0])
    while depth >= 0 and undefined < 0:
        chosen[depth] += 1
        s = chosen[depth]
        if depth == top or s == n_members or s > depth < n_forced:
            depth -= 1
            continue
        if variance[depth, s] <= PIVOT:
            undefined = s
            break
        condition(covariance[depth], variance[depth], s, covariance[depth + 1], variance[depth + 1])
        depth += 1
        chosen[depth] = s
        if depth >= n_forced:
            undefined = _lower_least(covariance[depth], variance[depth], least[depth])
    if undefined < 0:
        return nodes[:0]
    return nodes[np.append(chosen[:depth], undefined)]


@kernel
def _weaken(association: Vector, least: Weights, scales: Vector) -> None:
    """Lower each association to its least standardised z over the sizes of sets."""
    for size in range(len(least)):
        for k in range(len(association)):
            z = scales[size] * np.arctanh(np.sqrt(min(least[size, k], 1.0)))
            association[k] = min(association[k], z)


@kernel
def _count_sets(n_members: int, largest: int) -> float:
    """Return how many sets of up to `largest` of so many members there are."""
    total, of_size = 1.0, 1.0
    for size in range(1, min(n_members, largest) + 1):
        of_size *= (n_members - size + 1) / size
        total += of_size
    return total


@kernel
def _grow(
    correlation: Weights, target: int, critical: float, scales: Vector, most_sets: float
) -> tuple[Indices, Indices, bool]:
    """Phase I: add the node whose least association is largest, while one is associated.

    Returns the members, last added first; the nodes of a test that is undefined; and
    whether there are too many sets to go on.
    """
    remaining = np.array([node for node in range(len(correlation)) if node != target])
    association = np.full(len(remaining), np.inf)
    members = remaining[:0]
    least = np.full((len(scales), len(remaining)), np.inf)
    nodes = np.append(remaining, target)
    dependent = _least_correlations(correlation, nodes, 0, 0, least)
    _weaken(association, least, scales)
    while len(dependent) == 0:
        remains = association > critical
        remaining, association = remaining[remains], association[remains]
        if len(remaining) == 0:
            break
        if _count_sets(len(members), len(scales) - 2) > most_sets:
            return members, dependent, True
        best = np.argmax(association)
        members = np.append(remaining[best : best + 1], members)
        remains = remaining != remaining[best]
        remaining, association = remaining[remains], association[remains]
        nodes = np.append(np.append(members, remaining), target)
        least = np.full((len(scales), len(remaining)), np.inf)
        dependent = _least_correlations(correlation, nodes, len(members), 1, least)
        _weaken(association, least, scales)
    return members, dependent, False


@kernel
def _shrink(
    correlation: Weights, target: int, members: Indices, critical: float, scales: Vector
) -> tuple[Indices, Indices]:
    """Phase II: drop each member, first added first, that a set of the others separates.

    One search over all sets tells which members need a closer look: what no set of all
    others separates, no set of those that are left does.
    """
    least = np.full((len(scales), len(members)), np.inf)
    nodes = np.append(members, target)
    dependent = _least_correlations(correlation, nodes, len(members), 0, least)
    association = np.full(len(members), np.inf)
    _weaken(association, least, scales)
    for candidate in members[association <= critical][::-1]:
        if len(dependent):
            break
        others = members[members != candidate]
        nodes = np.append(others, np.array([candidate, target]))
        least = np.full((len(scales), 1), np.inf)
        dependent = _least_correlations(correlation, nodes, len(others), 0, least)
        association = np.full(1, np.inf)
        _weaken(association, least, scales)
        if association[0] <= critical:
            members = others
    return members, dependent


def candidates_by_fisher_z(
    correlation: Weights, alpha: float, scales: Vector, data: Dataset
) -> Adjacency:
    """Return the symmetric matrix of the pairs that MMPC finds from both sides.

    Parameters
    ----------
    correlation : ndarray, shape (d, d)
    alpha : float
        The level of each test.
    scales : ndarray
        The scale for each size of a conditioning set that is used, from `z_scales`.
    data : Dataset
        For names in messages.

    Notes
    -----
    The association of two nodes given a set is Fisher's standardised z, which orders
    tests by their p-values even where these are too small to distinguish. If two nodes
    are exactly equally associated with the target the first column is taken first. In
    phase II members are examined in the order in which they came; each time against
    those that are left. So column order matters at exact ties only.

    References
    ----------
    Tsamardinos, Brown, Aliferis (2006), The max-min hill-climbing Bayesian network
    structure learning algorithm, Machine Learning 65, algorithms 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.discovery.independence import z_scales
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(500, 3)).cumsum(axis=1)
    >>> data = Dataset.from_values(values)
    >>> candidates = candidates_by_fisher_z(np.corrcoef(values.T), 0.05, z_scales(500, 1), data)
    >>> candidates.astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    d = len(correlation)
    critical = critical_value(alpha)
    neighbours = np.zeros((d, d), dtype=bool)
    for target in range(d if len(scales) else 0):
        members, dependent, too_many = _grow(
            correlation, target, critical, scales, MOST_KERNEL_SETS
        )
        check_defined(dependent, data)
        if too_many:
            raise NotApplicable(
                f"column {data.columns[target]!r} has more than {len(members)} candidate "
                "neighbours, too many for all sets of them; set max_condition, say to 3"
            )
        members, dependent = _shrink(correlation, target, members, critical, scales)
        check_defined(dependent, data)
        neighbours[target, members] = True
    return neighbours & neighbours.T


@dataclass(frozen=True)
class MMHC(ScoreSearch):
    """Find candidate neighbours by tests, then climb to a good DAG among their edges.

    Max-min parents and children by Fisher's z test, then hill climbing on the Gaussian
    BIC with a tabu list; of discrete data by the G test, and on the BIC of tables or BDeu.

    Parameters
    ----------
    alpha : float
        The level of each test.
    penalty_discount : float
        Multiplies the BIC's penalty, log(n)/2 per parent.
    max_condition : int, optional
        The largest conditioning set; by default the number of rows alone limits it,
        for n - |S| - 3 must be positive. A node with some 30 candidate neighbours or more
        needs it: the sets of these are too many.
    tabu : int
        How many of the last structures the search does not return to.
    patience : int
        The search ends after this many changes in succession without a new best score.

    Notes
    -----
    `Estimate.info` has the ``score``, less that of the empty graph; ``changes``,
    the number of edges added, deleted or reversed; and ``candidates``, the number of
    pairs that an edge may join. These pairs depend on the order of columns at
    exact ties only. The DAG is one of its equivalence class: where changes tie, as
    those within a class do, an order of the nodes decides that `rng` draws.

    Departs from the paper: for Gaussian data Fisher's z replaces G², and the BIC
    replaces BDeu; for discrete data the BIC is the default (as in Garant and Jensen 2016), and
    every test is made however few the rows a cell are, see `g_test.GTest`; phase II examines
    members in the order in which they came.

    References
    ----------
    Tsamardinos, Brown, Aliferis (2006), The max-min hill-climbing Bayesian network
    structure learning algorithm, Machine Learning 65, algorithms 1 to 3.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise = rng.normal(size=(3, 500))
    >>> data = Dataset.from_values(np.column_stack([a, b, a + b + noise]))
    >>> MMHC().discover(data, rng).graph.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """

    alpha: float = 0.05
    penalty_discount: float = field(default=1.0, kw_only=True)
    max_condition: int | None = None
    tabu: int = 100
    patience: int = 15

    name: ClassVar[str] = "mmhc"
    columns: ClassVar[Columns] = "continuous or discrete"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = (
        "linear Gaussian or discrete, acyclic, no hidden common cause, faithful"
    )
    reference: ClassVar[str] = "Tsamardinos, Brown, Aliferis (2006), Machine Learning 65"

    def __post_init__(self) -> None:
        check_test(self.alpha, self.max_condition)
        check_count("tabu", self.tabu, 1)
        check_count("patience", self.patience, 1)
        super().__post_init__()

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Return a DAG from the observational rows; `rng` decides ties."""
        discrete = scores_levels(data, self)
        largest = data.n_nodes - 2
        if self.max_condition is not None:
            largest = min(largest, self.max_condition)
        search = self._search_levels if discrete else self._search_gaussian
        result, candidates = search(data, largest, rng)
        info = {
            "score": result.score,
            "changes": result.n_changes,
            "candidates": int(candidates.sum()) // 2,
        }
        return Estimate(result.graph, "dag", info=info)

    def _search_gaussian(
        self, data: Dataset, largest: int, rng: Generator
    ) -> tuple[Climb, Adjacency]:
        statistics = gaussian_statistics(data)
        scales = z_scales(statistics.n_samples, largest)
        candidates = candidates_by_fisher_z(statistics.correlation, self.alpha, scales, data)
        result = climb(statistics, candidates, rng, self.penalty_discount, self.tabu, self.patience)
        check_defined(result.dependent, data)
        return result, candidates

    def _search_levels(
        self, data: Dataset, largest: int, rng: Generator
    ) -> tuple[Climb, Adjacency]:
        score = level_score(data, self)
        test = GTest(score.statistics)
        candidates = candidates_by_any_test(test.minus_log_p, self.alpha, largest, data)
        tie = TIE * score.statistics.n_samples
        return climb_score(score, candidates, rng, tie, self.tabu, self.patience), candidates
