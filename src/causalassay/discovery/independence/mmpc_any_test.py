"""MMPC, max-min parents and children: candidate neighbours by any test of independence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb, log

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence.pc_skeleton_any_test import MinusLogP

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
        members = _grow(minus_log_p, target, -log(alpha), largest, data)
        neighbours[target, _shrink(minus_log_p, target, members, -log(alpha), largest)] = True
    return neighbours & neighbours.T


def _grow(
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
        kept = association > critical
        remaining, association = remaining[kept], association[kept]
        if not len(remaining):
            return members
        _check_affordable(len(members), largest - 1, target, data)
        best = int(association.argmax())
        newest = int(remaining[best])
        remaining, association = np.delete(remaining, best), np.delete(association, best)
        new_sets = ((newest, *rest) for rest in _sets(members, largest - 1))
        members = [*members, newest]  # a new list: the sets are made while they are asked for


def _shrink(
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
