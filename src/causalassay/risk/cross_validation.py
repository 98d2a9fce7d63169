"""Cross-validation: what algorithms share, what each of them loses, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Values, Vector
from causalassay.common.seeding import as_generator, stream
from causalassay.common.spelling import listed
from causalassay.contracts import Algorithm
from causalassay.data import Dataset
from causalassay.risk.descendants import (
    Descendants,
    DescendantTests,
    Loss,
    as_experiments,
    changed_columns,
    compare_regimes,
    estimate_descendants,
    find_experiments,
    implied_descendants,
    jaccard,
    regimes_by_node,
    split,
    true_descendants,
)
from causalassay.risk.fits import NEVER_INTERVENTIONAL, Fit, fit_algorithm
from causalassay.risk.tests import RegimeTests, effect_error

# How far a risk may be off: nodes without experiments, and tests that err.

Array = NDArray[np.floating[Any]]

Counts = NDArray[np.int64]
"""Shape (b, k + 4): in each draw, how many nodes without experiments lose what each of k nodes
with experiments loses, or what each of 4 imagined nodes loses (see `LossDraws`)."""

Interval = tuple[float, float]


@dataclass(frozen=True)
class Scoring:
    """How losses become risks with intervals.

    Parameters
    ----------
    loss : callable
        A function of two sets: a node's descendants in the reference and in the estimate.
    n_bootstrap : int
        Draws of an interval; with 0 the intervals are nan.
    level : float
        Coverage that the intervals aim at.

    Examples
    --------
    >>> Scoring(n_bootstrap=200).level
    0.95
    """

    loss: Loss = jaccard
    n_bootstrap: int = 1000
    level: float = 0.95

    def __post_init__(self) -> None:
        if not callable(self.loss):
            raise TypeError(f"loss: expected a function of two sets, got {self.loss!r}")
        if self.n_bootstrap < 0:
            raise ValueError(f"n_bootstrap: expected at least 0, got {self.n_bootstrap}")
        if not 0 < self.level < 1:
            raise ValueError(f"level: expected a number between 0 and 1, got {self.level}")


@dataclass(frozen=True)
class Intervals:
    """Intervals of the three risks, or of their differences.

    Parameters
    ----------
    level : float
        Coverage aimed at.
    naive, cross_validated, weighted : (float, float)
        The lower and the upper end of each.

    Notes
    -----
    They are for the mean loss over all d nodes against the true descendants: the oracle
    risk of the graph from all data. Each draw adds up two parts.

    Nodes without experiments: what they lose is drawn by a Pólya urn from what the nodes
    with experiments lose and from two imagined nodes of half a weight, one of which
    loses nothing and the other all. If every node has experiments there is nothing to draw.

    Tests: they are redone on halves of the rows (see `draw_descendants`). The algorithm is
    not run again, since the interval is for the graph that it gave. At the lower end a
    column that the graph names counts as a descendant if its p value on all rows is at
    most 0.1; at the upper end one that the graph does not name does if its p value is at
    most 0.2 / (d - 1).

    The interval reaches from the lower quantile of the draws for the lower end to the upper
    quantile of those for the upper end, and always contains the estimate.

    References
    ----------
    Ghosh and Meeden (1997), Bayesian methods for finite population sampling, on the urn.
    """

    level: float
    naive: Interval
    cross_validated: Interval
    weighted: Interval

    def mirrored(self) -> Intervals:
        """Return the intervals of the same numbers with the other sign."""
        ends = (self.naive, self.cross_validated, self.weighted)
        return Intervals(self.level, *((-high, -low) for low, high in ends))


@dataclass(frozen=True, eq=False)
class LossDraws:
    """The losses of k nodes with experiments in h draws of their descendants.

    Parameters
    ----------
    low, high : ndarray, shape (h, k)
        With doubtful columns taken in favour of the graph, and against it.
    imagined : ndarray, shape (4,)
        The losses of 4 imagined nodes: the least and the largest loss of the first of two
        algorithms, with each of those of the second.
    """

    low: Array
    high: Array
    imagined: Array

    def minus(self, other: LossDraws) -> LossDraws:
        """Return the draws of the differences, `other` being the second algorithm."""
        as_second = other.imagined[[0, 2, 1, 3]]
        return LossDraws(self.low - other.high, self.high - other.low, self.imagined - as_second)


def draw_unseen(n_seen: int, n_unseen: int, n_draws: int, rng: Generator) -> Counts:
    """Draw by a Pólya urn whose losses the nodes without experiments share.

    Examples
    --------
    >>> draw_unseen(3, 2, 4, np.random.default_rng(0)).sum(axis=1).tolist()
    [2, 2, 2, 2]
    """
    weights = rng.dirichlet([*(1.0,) * n_seen, *(0.25,) * 4], size=n_draws)
    return rng.multinomial(n_unseen, weights)


def interval(
    mean: float, seen: LossDraws, unseen: LossDraws, counts: Counts, level: float
) -> Interval:
    """Return the interval of a mean loss over all nodes.

    Parameters
    ----------
    mean : float
        The estimate; the interval is widened to contain it.
    seen : LossDraws
        What the nodes with experiments lose.
    unseen : LossDraws
        What those without draw their losses from.
    counts : ndarray, shape (b, k + 4)
    level : float

    Examples
    --------
    With experiments on all nodes and no doubt, the mean is known.

    >>> losses = np.array([[0.0, 0.5, 1.0]])
    >>> known = LossDraws(losses, losses, np.array([0.0, 0.0, 1.0, 1.0]))
    >>> interval(0.5, known, known, draw_unseen(3, 0, 10, np.random.default_rng(0)), 0.95)
    (0.5, 0.5)
    """
    if not len(counts):
        return (np.nan, np.nan)
    low = np.quantile(_means(seen.low, unseen.low, unseen.imagined, counts), (1 - level) / 2)
    high = np.quantile(_means(seen.high, unseen.high, unseen.imagined, counts), (1 + level) / 2)
    return float(np.minimum(low, mean)), float(np.maximum(high, mean))


def _means(seen: Array, unseen: Array, imagined: Array, counts: Counts) -> Array:
    draws = np.arange(len(counts)) % len(seen)
    n_seen = seen.shape[1]
    n_nodes = n_seen + counts[0].sum()
    total = seen[draws].sum(axis=1) + (counts[:, :n_seen] * unseen[draws]).sum(axis=1)
    return (total + counts[:, n_seen:] @ imagined) / n_nodes


class NodeLosses(NamedTuple):
    """The losses of the nodes of a `CrossValidation`, in its order, and draws of them."""

    losses: Vector
    draws: LossDraws


class Losses(NamedTuple):
    """What an algorithm loses, and the graphs that lose it."""

    naive: NodeLosses
    held_out: NodeLosses
    fit: Fit


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Data, reference, folds and random streams: the same for all algorithms.

    Parameters
    ----------
    dataset : Dataset
    descendants : Descendants
    nodes : tuple of int
        Those intervened upon, by the names of their columns: a permutation of
        the columns changes no sum and no draw.
    folds : tuple of tuple of int
    draws : DescendantDraws
        The descendants of `nodes` as other rows might have shown them.
    unseen : Counts
        What the nodes without experiments may lose.
    scoring : Scoring
    seed : int
    """

    dataset: Dataset
    descendants: Descendants
    nodes: tuple[int, ...]
    folds: tuple[tuple[int, ...], ...]
    draws: DescendantDraws
    unseen: Counts
    scoring: Scoring
    seed: int

    def weigh(self, naive: float, held_out: float) -> float:
        """Return |I|/p · naive + (p - |I|)/p · held_out, equation 7."""
        p, seen = self.dataset.n_nodes, len(self.nodes)
        return (seen * naive + (p - seen) * held_out) / p

    def fit(self, name: str, algorithm: Algorithm) -> Fit:
        """Run the algorithm on all data and, if it reads experiments, without each fold."""
        return fit_algorithm(name, algorithm, self.dataset, self.folds, self.seed)

    def losses(self, fit: Fit) -> Losses:
        """Hold the graphs against the descendants; the same graph is not scored twice."""
        implied = implied_descendants(fit.graph)
        naive = self._losses({node: implied[node] for node in self.nodes})
        if fit.reads in NEVER_INTERVENTIONAL:
            return Losses(naive, naive, fit)
        held_out = {
            node: implied_descendants(fit.held_out_graphs[node])[node] for node in self.nodes
        }
        return Losses(naive, self._losses(held_out), fit)

    def _losses(self, guesses: Mapping[int, frozenset[int]]) -> NodeLosses:
        loss, n_nodes = self.scoring.loss, self.dataset.n_nodes
        losses = [float(loss(self.descendants.of[node], guesses[node])) for node in self.nodes]
        named = np.zeros((len(self.nodes), n_nodes), dtype=bool)
        for row, node in enumerate(self.nodes):
            named[row, list(guesses[node])] = True
        least = loss(frozenset(), frozenset())
        largest = loss(frozenset(), frozenset(range(1, n_nodes)))
        return NodeLosses(
            np.array(losses),
            LossDraws(
                self._drawn_losses(self.draws.favouring(named), guesses),
                self._drawn_losses(self.draws.opposing(named), guesses),
                np.array([least, least, largest, largest], dtype=float),
            ),
        )

    def _drawn_losses(self, drawn: Relations, guesses: Mapping[int, frozenset[int]]) -> Values:
        """Return the losses, shape (h, k), against h draws of the descendants."""
        losses = np.empty(drawn.shape[:2])
        for row, node in enumerate(self.nodes):
            different, draw = np.unique(drawn[:, row], axis=0, return_inverse=True)
            each = [
                float(
                    self.scoring.loss(
                        frozenset(np.flatnonzero(descendants).tolist()), guesses[node]
                    )
                )
                for descendants in different
            ]
            losses[:, row] = np.array(each)[draw.reshape(-1)] if each else np.nan
        return losses


def prepare_cross_validation(
    dataset: Dataset,
    rng: Generator | int,
    descendants: DescendantTests | Descendants | Adjacency,
    folds: int | None,
    scoring: Scoring,
) -> CrossValidation:
    """Return what all algorithms share; one number drawn from `rng` seeds all its streams."""
    dataset, rng = as_experiments(dataset), as_generator(rng)
    if folds is not None and folds < 2:
        raise ValueError(
            f"folds: expected at least 2, or None to leave one intervention out; got {folds}"
        )
    seed = int(rng.integers(2**63))
    _check_experiments(dataset)
    reference = _reference(dataset, stream(seed, "descendants"), descendants)
    nodes = tuple(sorted(reference.nodes, key=lambda node: dataset.columns[node]))
    n_unseen, n_draws = dataset.n_nodes - len(nodes), scoring.n_bootstrap
    draws = (
        draw_descendants(dataset, nodes, descendants, n_draws, stream(seed, "halves"))
        if isinstance(descendants, DescendantTests)
        else fixed_draws(reference, nodes)
    )
    return CrossValidation(
        dataset,
        reference,
        nodes,
        split(nodes, folds, stream(seed, "folds")),
        draws,
        draw_unseen(len(nodes), n_unseen, n_draws, stream(seed, "unseen")),
        scoring,
        seed,
    )


def _check_experiments(dataset: Dataset) -> None:
    experiments = find_experiments(dataset)
    if len(experiments.on) < 2:
        names = listed([dataset.columns[node] for node in experiments.on])
        left_out = "; ".join(f"{name!r}: {why}" for name, why in experiments.left_out.items())
        raise ValueError(
            "a risk needs experiments on at least 2 columns, because one is withheld from the "
            f"algorithm while others are not; got {len(experiments.on)}"
            + (f" ({names})" if names else "")
            + (f", with these conditions left out: {left_out}" if left_out else "")
            + "; add regimes that act on another column alone, or state their targets (in a "
            "file, the columns that --condition and --target name)"
        )


def _reference(
    dataset: Dataset, rng: Generator, descendants: DescendantTests | Descendants | Adjacency
) -> Descendants:
    if isinstance(descendants, DescendantTests):
        return estimate_descendants(dataset, rng, descendants)
    if isinstance(descendants, np.ndarray):
        return true_descendants(descendants, dataset)
    if not isinstance(descendants, Descendants):
        raise TypeError(
            "descendants: expected DescendantTests, Descendants or a true graph as bool array, "
            f"got {type(descendants).__name__}"
        )
    if descendants.columns != dataset.columns:
        raise ValueError(
            f"descendants: they belong to the columns {listed(descendants.columns)}, but the data "
            f"have {listed(dataset.columns)}"
        )
    experiments = find_experiments(dataset).on
    unknown = [dataset.columns[node] for node in descendants.nodes if node not in experiments]
    if unknown or len(descendants.nodes) < 2:
        raise ValueError(
            "descendants: at least 2 nodes are needed, each with an experiment in the data; got "
            f"{len(descendants.nodes)}, without experiment: {listed(unknown) or 'none'}"
        )
    return descendants


# What the descendants may be, given that tests on so many rows err.

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
