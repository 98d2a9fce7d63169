"""MMPC, max-min parents and children: candidate neighbours by Fisher's z test."""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence.fisher_z import check_defined, condition, critical_value
from causalassay.discovery.statistics.gaussian import PIVOT
from causalassay.graphs.orders import Indices

MOST_SETS = 1e8
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
        kept = association > critical
        remaining, association = remaining[kept], association[kept]
        if len(remaining) == 0:
            break
        if _count_sets(len(members), len(scales) - 2) > most_sets:
            return members, dependent, True
        best = np.argmax(association)
        members = np.append(remaining[best : best + 1], members)
        kept = remaining != remaining[best]
        remaining, association = remaining[kept], association[kept]
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
        Of the sizes of conditioning sets that are used, from `z_scales`.
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
    >>> from causalassay.discovery.independence.fisher_z import z_scales
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
        members, dependent, too_many = _grow(correlation, target, critical, scales, MOST_SETS)
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
