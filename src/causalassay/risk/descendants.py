"""Descendants: as a graph implies them, for the nodes that were intervened upon."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import numpy as np

from causalassay.arrays import Adjacency, check_adjacency, check_nodes
from causalassay.data import Dataset
from causalassay.graphs import possible_reachability
from causalassay.risk.experiments import find_experiments


@dataclass(frozen=True)
class Descendants:
    """The descendants of each node that was intervened upon.

    `estimate_descendants` and `true_descendants` make it; it can also be
    written by hand from what is known.

    Parameters
    ----------
    columns : tuple of str
    of : mapping of int to set of int
        Node to its descendants, without itself.
    conditions : mapping of int to tuple of str
        Node to the conditions that its descendants were read off.
    left_out : mapping of str to str
        Condition to the reason why it was not used.
    n_tests : int
        0 if nothing was tested.
    threshold : float
        The largest p value that counts with `Bonferroni`, else the |t| to
        exceed; nan if nothing was tested.

    Examples
    --------
    >>> Descendants(("a", "b", "c"), {0: {1, 2}, 1: {2}}).named()
    {'a': ['b', 'c'], 'b': ['c']}
    """

    columns: tuple[str, ...]
    of: Mapping[int, Set[int]]
    conditions: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    n_tests: int = 0
    threshold: float = math.nan

    def __post_init__(self) -> None:
        n_nodes = len(self.columns)
        checked = {}
        for node, effects in self.of.items():
            (number,) = check_nodes(node, n_nodes, "of")
            checked[number] = frozenset(check_nodes(effects, n_nodes, "of")) - {number}
        object.__setattr__(self, "of", {node: checked[node] for node in sorted(checked)})

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes that were intervened upon, ascending."""
        return tuple(self.of)

    def named(self) -> dict[str, list[str]]:
        """Return the same by the names of the columns."""
        return {
            self.columns[node]: [self.columns[effect] for effect in sorted(effects)]
            for node, effects in self.of.items()
        }


def implied_descendants(graph: Adjacency) -> tuple[frozenset[int], ...]:
    """Return for each node those that a walk along → and — leads to, without itself.

    Parameters
    ----------
    graph : Adjacency, shape (d, d)
        In a DAG these are the descendants, in a CPDAG or PDAG the possible
        descendants. Directed cycles are accepted: all nodes of a cycle descend
        from each other, and an edge both ways is a cycle of two or an
        undirected edge, which comes to the same.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), sections 3.2 and 4.1.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> [sorted(nodes) for nodes in implied_descendants(chain(3))]
    [[1, 2], [2], []]
    """
    return tuple(frozenset(np.flatnonzero(row).tolist()) for row in possible_reachability(graph))


def true_descendants(truth: Adjacency, dataset: Dataset) -> Descendants:
    """Return the descendants in `truth` of each node that the data have an experiment on.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
    dataset : Dataset

    Examples
    --------
    >>> from causalassay.data import Regime
    >>> from causalassay.graphs import chain
    >>> rows = [[0.0, 1.0], [2.0, 4.5]]
    >>> data = Dataset(("a", "b"), (Regime("rest", rows), Regime("drug", rows, (0,))), "rest")
    >>> true_descendants(chain(2), data).named()
    {'a': ['b']}
    """
    if len(check_adjacency(truth, "truth")) != dataset.n_nodes:
        raise ValueError(
            f"truth: expected {dataset.n_nodes} nodes, one for each column, got {len(truth)}"
        )
    experiments = find_experiments(dataset)
    implied = implied_descendants(truth)
    return Descendants(
        dataset.columns,
        {node: implied[node] for node in experiments.on},
        experiments.conditions,
        experiments.left_out,
    )
