"""Max-min parents and children for any test of independence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb, log

import numpy as np

from causalassay.arrays import Adjacency
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence.skeleton_by_any_test import Surprise

MOST_SETS = 10**6
"""The most conditioning sets to search at a time: of 1000 rows they take about a minute."""


def find_candidates(surprise: Surprise, alpha: float, largest: int, data: Dataset) -> Adjacency:
    """Return the symmetric matrix of the pairs that MMPC finds from both sides.

    Parameters
    ----------
    surprise : callable
    alpha : float
        Two nodes are independent where -log p is at most -log alpha.
    largest : int
        The largest conditioning set.
    data : Dataset
        For names in messages, and the number of nodes.

    Notes
    -----
    As `mmpc.parents_and_children`, which is the same for Gaussian data.

    References
    ----------
    Tsamardinos, Brown, Aliferis (2006), Machine Learning 65, algorithms 1 and 2.

    Examples
    --------
    >>> data = Dataset.from_values([[0.0, 1.0, 2.0], [2.0, 4.5, 1.0]])
    >>> def chain(target, others, given):
    ...     return np.array([0.0 if {target, j} == {0, 2} and 1 in given else 9.0 for j in others])
    >>> find_candidates(chain, 0.05, 1, data).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """
    d = data.n_nodes
    found = np.zeros((d, d), dtype=bool)
    for target in range(d if largest >= 0 else 0):
        members = _grow(surprise, target, -log(alpha), largest, data)
        found[target, _shrink(surprise, target, members, -log(alpha), largest)] = True
    return found & found.T


def _grow(
    surprise: Surprise, target: int, critical: float, largest: int, data: Dataset
) -> list[int]:
    """Phase I: add the node whose least association is largest, while one is associated."""
    rivals = np.array([node for node in range(data.n_nodes) if node != target], dtype=np.int64)
    association = np.full(len(rivals), np.inf)
    members: list[int] = []
    fresh: Iterator[tuple[int, ...]] = iter([()])
    while True:
        for given in fresh:
            if len(rivals):
                association = np.minimum(association, surprise(target, rivals, given))
        kept = association > critical
        rivals, association = rivals[kept], association[kept]
        if not len(rivals):
            return members
        _check_affordable(len(members), largest - 1, target, data)
        best = int(association.argmax())
        newest = int(rivals[best])
        rivals, association = np.delete(rivals, best), np.delete(association, best)
        fresh = ((newest, *rest) for rest in _sets(members, largest - 1))
        members = [*members, newest]  # a new list: the sets are made while they are asked for


def _shrink(
    surprise: Surprise, target: int, members: list[int], critical: float, largest: int
) -> list[int]:
    """Phase II: drop each member, first added first, that a set of the others separates."""
    left = list(members)
    for candidate in members:
        others = [node for node in left if node != candidate]
        if any(
            surprise(target, [candidate], given)[0] <= critical for given in _sets(others, largest)
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
