"""What the descendants may be, given that tests on so many rows err."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.arrays import Values
from causalassay.data import Dataset
from causalassay.risk.descendant_tests import (
    DescendantTests,
    changed_columns,
    compare_regimes,
    regimes_by_node,
)
from causalassay.risk.descendants import Descendants
from causalassay.risk.experiments import find_experiments
from causalassay.risk.two_sample_tests import RegimeTests, effect_error

Relations = NDArray[np.bool_]
"""Shape (..., k, d): of k nodes, which of the d columns descend from them."""

N_HALVES = 200
"""How many halves of the rows are tested; more draws of an interval use them again."""

NAMED_LEVEL = 0.1
UNNAMED_LEVEL = 0.2
"""Up to which p value a column that was not found may yet be a descendant, if a graph names it,
and if it does not. As a graph leaves out many columns, the second level is shared by d - 1."""

DOUBTFUL_ERRORS = 1.645
"""By how many standard errors an effect may miss the least effect and yet be one."""


@dataclass(frozen=True, eq=False)
class DescendantDraws:
    """The descendants of k nodes as other rows might have shown them.

    Parameters
    ----------
    nodes : tuple of int
        The k nodes.
    drawn : ndarray of bool, shape (h, k, d)
    possible, likely : ndarray of bool, shape (k, d)
        Which columns the tests on all rows leave in doubt: `possible` counts
        for a column that a graph names, `likely` for one that it does not name.
    """

    nodes: tuple[int, ...]
    drawn: Relations
    possible: Relations
    likely: Relations

    def favouring(self, named: Relations) -> Relations:
        """Return the draws with doubtful columns that a graph names, every second one closed."""
        relations = self.drawn | (self.possible & named)
        relations[1::2] = closed(relations[1::2], self.nodes)
        return relations

    def opposing(self, named: Relations) -> Relations:
        """Return the draws with doubtful columns that a graph does not name."""
        return self.drawn | (self.likely & ~named)


def closed(relations: Relations, nodes: Sequence[int]) -> Relations:
    """Return the relations with the descendants of descendants, as far as they are known.

    Examples
    --------
    >>> found = np.array([[[0, 1, 0], [0, 0, 1]]], dtype=bool)
    >>> closed(found, (0, 1)).astype(int).tolist()
    [[[0, 1, 1], [0, 0, 1]]]
    """
    relations = relations.copy()
    for row, node in enumerate(nodes):
        relations |= relations[:, :, node, None] & relations[:, None, row, :]
    relations[:, range(len(nodes)), list(nodes)] = False
    return relations


def fixed_draws(descendants: Descendants, nodes: Sequence[int]) -> DescendantDraws:
    """Return descendants that are known: one draw, and nothing in doubt.

    Examples
    --------
    >>> known = Descendants(("a", "b"), {0: {1}, 1: set()})
    >>> fixed_draws(known, (0, 1)).drawn.astype(int).tolist()
    [[[0, 1], [0, 0]]]
    """
    relation = np.zeros((len(nodes), len(descendants.columns)), dtype=bool)
    for row, node in enumerate(nodes):
        relation[row, list(descendants.of[node])] = True
    nothing = np.zeros_like(relation)
    return DescendantDraws(tuple(nodes), relation[None], nothing, nothing)


def draw_descendants(
    dataset: Dataset, nodes: Sequence[int], tests: DescendantTests, n_draws: int, rng: Generator
) -> DescendantDraws:
    """Redo the tests on random halves of the rows of every regime.

    Parameters
    ----------
    dataset : Dataset
    nodes : sequence of int
        The nodes with experiments, in the order in which their rows are drawn.
    tests : DescendantTests
    n_draws : int
        At most `N_HALVES` are made.
    rng : Generator

    Notes
    -----
    A half is drawn without replacement, so that the test on it has its level; rows drawn
    with replacement would carry the chance of two samples and give false alarms. Every
    second relation is closed transitively, as the true one is: with many experiments this
    finds most of what the tests miss, but it also multiplies false alarms.

    Examples
    --------
    >>> from causalassay.data import Regime
    >>> rng = np.random.default_rng(1)
    >>> control, drug = rng.normal(size=(2, 50, 3))
    >>> drug[:, :2] += [5.0, 3.0]
    >>> regimes = (Regime("control", control), Regime("drug", drug, targets=(0,)))
    >>> data = Dataset(("dose", "response", "age"), regimes, observational="control")
    >>> draw_descendants(data, (0,), DescendantTests(), 20, rng).drawn.mean(axis=0)
    array([[0., 1., 0.]])
    """
    by_node = regimes_by_node(find_experiments(dataset))
    regimes = [each for node in nodes for each in by_node if each[0] == node]
    before = dataset.observational_values
    on_all = compare_regimes(before, regimes, tests.test)
    threshold = tests.cutoff.threshold(_with_half_sizes(on_all), rng)
    drawn = []
    for _ in range(min(n_draws, N_HALVES)):
        halves = [(node, _half(values, rng)) for node, values in regimes]
        tests_done = compare_regimes(_half(before, rng), halves, tests.test)
        drawn.append(changed_columns(tests_done, tests, threshold)[list(nodes)])
    p_value = _smallest_p_values(on_all, nodes, tests.least_effect)
    relations = np.array(drawn, dtype=bool).reshape(-1, *p_value.shape)
    every = slice(None) if tests.closed else slice(1, None, 2)
    relations[every] = closed(relations[every], nodes)
    return DescendantDraws(
        tuple(nodes),
        relations,
        p_value <= NAMED_LEVEL,
        p_value <= UNNAMED_LEVEL / max(1, dataset.n_nodes - 1),
    )


def _half(values: Values, rng: Generator) -> Values:
    return values[rng.permutation(len(values))[: _half_size(len(values))]]


def _half_size(n_rows: Any) -> Any:
    """Return half of each number, rounded up; a test needs 2 rows."""
    return np.maximum(2, (n_rows + 1) // 2)


def _with_half_sizes(tests_done: RegimeTests) -> RegimeTests:
    return replace(
        tests_done,
        n_observational=int(_half_size(tests_done.n_observational)),
        n_interventional=_half_size(tests_done.n_interventional),
    )


def _smallest_p_values(
    tests_done: RegimeTests, nodes: Sequence[int], least_effect: float
) -> Values:
    """Return of each node and column the smallest p value of the node's regimes, else 1.

    Only effects that may be as large as the least one count.
    """
    smallest = np.ones((len(nodes), tests_done.tested.shape[1]))
    rows = [list(nodes).index(node) for node in tests_done.targets]
    usable = tests_done.tested & ~np.isnan(tests_done.p_value)
    if least_effect:
        largest = np.abs(tests_done.effect) + DOUBTFUL_ERRORS * effect_error(tests_done)
        usable &= ~(largest < least_effect)
    np.minimum.at(smallest, rows, np.where(usable, tests_done.p_value, 1.0))
    return smallest
