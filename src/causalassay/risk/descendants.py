"""Experiments: which regimes act on which node, and which columns descend from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from os import PathLike

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Values, check_adjacency, check_nodes
from causalassay.common.spelling import did_you_mean, listed
from causalassay.data import Dataset, Regime, read
from causalassay.graphs import possible_reachability
from causalassay.risk.tests import (
    T_TESTS,
    TEST_NAMES,
    Bonferroni,
    Cutoff,
    RegimeTests,
    TestName,
    compare_columns,
)


@dataclass(frozen=True)
class Experiments:
    """The regimes of a data set, sorted by what can be tested in them.

    Parameters
    ----------
    on : mapping of int to tuple of Regime
        The regimes that act on this node alone, by ascending node.
    left_out : mapping of str to str
        Any other condition, and the reason why no node is tested in it.
    """

    on: Mapping[int, tuple[Regime, ...]]
    left_out: Mapping[str, str]

    @property
    def conditions(self) -> dict[int, tuple[str, ...]]:
        """Node to the names of its regimes."""
        return {
            node: tuple(regime.condition for regime in regimes) for node, regimes in self.on.items()
        }


def as_experiments(
    data: Dataset | str | PathLike[str],
    condition: str | None = None,
    target: str | None = None,
    observational: str | None = None,
) -> Dataset:
    """Return a data set of several conditions as it is, or as a file holds it.

    Parameters
    ----------
    data : Dataset, str or Path
    condition, target, observational : str, optional
        Used for a file; see `causalassay.data.read`.
    """
    if isinstance(data, str | PathLike):
        return read(data, target, condition, observational)
    if not isinstance(data, Dataset):
        raise TypeError(
            "data: expected a Dataset with experiments, or the path of a file, got "
            f"{type(data).__name__}, whose rows do not say in which experiment they were measured; "
            "make a Dataset(columns, regimes, observational) with a Regime(condition, values, "
            'targets) for each experiment, or read a file: data.read(path, target="…", '
            'condition="…", observational="…")'
        )
    if (condition, target, observational) != (None, None, None):
        raise ValueError(
            "condition, target and observational are for reading a file; a Dataset has them"
        )
    return data


def find_experiments(dataset: Dataset) -> Experiments:
    """Sort the regimes by their single target; those without one are left out, with the reason.

    Examples
    --------
    >>> rows = [[0.0, 1.0], [2.0, 4.5]]
    >>> regimes = [Regime("rest", rows), Regime("drug", rows, (1,)), Regime("heat", rows, None)]
    >>> experiments = find_experiments(Dataset(("a", "b"), tuple(regimes), "rest"))
    >>> list(experiments.on), experiments.left_out
    ([1], {'heat': 'its target is unknown'})
    """
    if dataset.world == "series":
        raise ValueError(
            "the rows are a series, and causal risk is estimated by tests of independent rows; "
            "drop the time order with `dataset.as_independent()` if that is what you mean"
        )
    on: dict[int, tuple[Regime, ...]] = {}
    left_out = {}
    for regime in dataset.regimes:
        match regime.targets:
            case (target,):
                on[target] = (*on.get(target, ()), regime)
            case None:
                left_out[regime.condition] = "its target is unknown"
            case () if regime.condition != dataset.observational:
                left_out[regime.condition] = "it has no target, and is not the observational one"
            case (_, _, *_):
                names = listed([dataset.columns[target] for target in regime.targets])
                left_out[regime.condition] = f"it acts on several columns at once: {names}"
    return Experiments({node: on[node] for node in sorted(on)}, left_out)


def without(dataset: Dataset, nodes: Collection[int]) -> Dataset:
    """Return the data without any regime that is known to act on one of the nodes.

    That includes regimes that act on other nodes as well; regimes of unknown
    target stay.

    Examples
    --------
    >>> rows = [[0.0, 1.0], [2.0, 4.5]]
    >>> data = Dataset(("a", "b"), (Regime("rest", rows), Regime("drug", rows, (1,))), "rest")
    >>> without(data, {1}).conditions
    ('rest',)
    """
    remaining = [regime for regime in dataset.regimes if not set(nodes) & set(regime.targets or ())]
    try:
        return Dataset(dataset.columns, tuple(remaining), dataset.observational, dataset.kinds)
    except ValueError as error:
        names = listed([dataset.columns[node] for node in nodes])
        raise ValueError(f"the data without the experiments on {names}: {error}") from error


def split(nodes: Sequence[int], folds: int | None, rng: Generator) -> tuple[tuple[int, ...], ...]:
    """Return the nodes in `folds` groups drawn at random, or each on its own if that is None.

    Examples
    --------
    >>> import numpy as np
    >>> split([0, 2], None, np.random.default_rng(0))
    ((0,), (2,))
    >>> [len(fold) for fold in split(range(7), 5, np.random.default_rng(0))]
    [2, 2, 1, 1, 1]
    """
    if folds is None or folds >= len(nodes):
        return tuple((node,) for node in nodes)
    shuffled = [nodes[k] for k in rng.permutation(len(nodes))]
    return tuple(tuple(shuffled[k::folds]) for k in range(folds))


# What it costs to name the wrong descendants.

Loss = Callable[[Set[int], Set[int]], float]
"""Takes the reference's descendants of a node and the estimate's, the node itself in neither."""


def jaccard(reference: Set[int], guess: Set[int]) -> float:
    """Return the share of the two sets' union that is not in both, 0 if both are empty.

    Parameters
    ----------
    reference, guess : set of int
        The true or tested descendants, and those that a graph names.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), below equation 3.

    Examples
    --------
    >>> jaccard({1, 2, 3}, {2, 3, 4})
    0.5
    >>> jaccard(set(), set()), jaccard(set(), {1})
    (0.0, 1.0)
    """
    union = len(reference | guess)
    return 1.0 - len(reference & guess) / union if union else 0.0


def mistakes(reference: Set[int], guess: Set[int]) -> float:
    """Return how many nodes are in one of the sets only.

    Where a node has no descendants, the Jaccard distance is 1 whether the
    guess has one or twenty of them; this loss tells the two apart.

    Parameters
    ----------
    reference, guess : set of int
        The true or tested descendants, and those that a graph names.

    Examples
    --------
    >>> mistakes({1, 2, 3}, {2, 3, 4}), mistakes(set(), {1, 2, 3})
    (2.0, 3.0)
    """
    return float(len(reference ^ guess))


# Descendants estimated from experiments, by tests against the observational rows.


@dataclass(frozen=True)
class DescendantTests:
    r"""How descendants are estimated from experiments.

    Parameters
    ----------
    test : {"t", "welch", "mann-whitney", "kolmogorov-smirnov"}
        "t" pools the variances, as in the paper. The first two see a change of
        the mean, Mann–Whitney one of location, Kolmogorov–Smirnov any change of
        the law.
    cutoff : Bonferroni, SimulatedMax or Fixed
        The last two are for the t tests only.
    closed : bool
        Close the relation transitively, as the released code does and the paper
        does not say: a descendant's descendants are added where the descendant
        was intervened upon too.
    least_effect : float
        A column counts only if its effect is also at least this large: the standardised
        mean difference \|d\|, with "kolmogorov-smirnov" its statistic. With many rows
        every difference is significant, and few are large.

    Examples
    --------
    >>> DescendantTests("welch", least_effect=0.2)
    DescendantTests(test='welch', cutoff=Bonferroni(level=0.05), closed=False, least_effect=0.2)
    """

    test: TestName = "t"
    cutoff: Cutoff = Bonferroni()
    closed: bool = False
    least_effect: float = 0.0

    def __post_init__(self) -> None:
        if self.test not in TEST_NAMES:
            raise ValueError(
                f"test: there is no {self.test!r}; {did_you_mean(self.test, TEST_NAMES)}"
            )
        if not isinstance(self.cutoff, Cutoff):
            raise TypeError(
                f"cutoff: expected Bonferroni, SimulatedMax or Fixed, got {self.cutoff!r}"
            )
        if self.cutoff.scale == "t" and self.test not in T_TESTS:
            raise ValueError(
                f"cutoff: {self.cutoff} is a bound on |t|, which {self.test!r} does not have; "
                'take Bonferroni(level), or the test "t" or "welch"'
            )
        if not 0 <= self.least_effect < math.inf:
            raise ValueError(f"least_effect: expected 0 or more, got {self.least_effect}")


DEFAULT_TESTS = DescendantTests()


def estimate_descendants(
    dataset: Dataset, rng: Generator, tests: DescendantTests = DEFAULT_TESTS
) -> Descendants:
    """Return the columns that differ between each experiment and observation.

    Parameters
    ----------
    dataset : Dataset
        With an observational condition and regimes that act on a single column
        each. Other regimes are not used, and the result says why.
    rng : Generator
        For simulated cut-offs.
    tests : DescendantTests
        Which test, at which level; by default t-tests with Bonferroni's correction.

    Notes
    -----
    Where several regimes act on the same node, each is tested on its own (and
    counted in the correction), and a column that any of them changes is a
    descendant: pooled, an inhibitor and an activator might cancel.

    The tests cannot tell an effect of the target from other differences between
    the conditions, such as batches or side effects of a drug; with many rows even
    small ones show, and graphs that claim many descendants gain by it.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), sections 3.3.1 and 4.2.

    Examples
    --------
    >>> from causalassay.data import Regime
    >>> rng = np.random.default_rng(1)
    >>> control, drug = rng.normal(size=(2, 50, 3))
    >>> drug[:, :2] += [5.0, 3.0]
    >>> regimes = (Regime("control", control), Regime("drug", drug, targets=(0,)))
    >>> data = Dataset(("dose", "response", "age"), regimes, observational="control")
    >>> estimate_descendants(data, rng).named()
    {'dose': ['response']}
    """
    experiments = find_experiments(dataset)
    _check_testable(dataset, experiments)
    tests_done = compare_regimes(
        dataset.observational_values, regimes_by_node(experiments), tests.test
    )
    threshold = tests.cutoff.threshold(tests_done, rng)
    relation = changed_columns(tests_done, tests, threshold)
    if tests.closed:
        relation = possible_reachability(relation)
    return Descendants(
        dataset.columns,
        {node: frozenset(np.flatnonzero(relation[node]).tolist()) for node in experiments.on},
        experiments.conditions,
        experiments.left_out,
        tests_done.n_tests,
        threshold,
    )


def regimes_by_node(experiments: Experiments) -> list[tuple[int, Values]]:
    """Return each regime's target and rows, by ascending target."""
    return [(node, regime.values) for node, on in experiments.on.items() for regime in on]


def compare_regimes(
    before: Values, regimes: Sequence[tuple[int, Values]], test: TestName
) -> RegimeTests:
    """Test all columns of each regime, given as (target, rows), against the rows `before`."""
    targets = [node for node, _ in regimes]
    results = [compare_columns(before, values, test) for _, values in regimes]
    tested = np.ones((len(regimes), before.shape[1]), dtype=bool)
    tested[range(len(regimes)), targets] = False
    return RegimeTests(
        test,
        np.array([each.statistic for each in results]),
        np.array([each.p_value for each in results]),
        np.array([each.effect for each in results]),
        tested,
        np.array(targets),
        len(before),
        np.array([len(values) for _, values in regimes]),
    )


def changed_columns(tests_done: RegimeTests, tests: DescendantTests, threshold: float) -> Adjacency:
    """Return the relation, shape (d, d): some regime on the node changes the column."""
    n_nodes = tests_done.tested.shape[1]
    relation = np.zeros((n_nodes, n_nodes), dtype=bool)
    changed = changed_in_regimes(tests_done, tests, threshold)
    np.logical_or.at(relation, tests_done.targets, changed)
    return relation


def changed_in_regimes(
    tests_done: RegimeTests, tests: DescendantTests, threshold: float
) -> NDArray[np.bool_]:
    """Return, shape (r, d), which columns each regime changes: significantly and enough."""
    with np.errstate(invalid="ignore"):
        if tests.cutoff.scale == "p value":
            significant = tests_done.p_value <= threshold
        else:
            significant = np.abs(tests_done.statistic) > threshold
        large = ~(np.abs(tests_done.effect) < tests.least_effect)
    return significant & large & tests_done.tested


def _check_testable(dataset: Dataset, experiments: Experiments) -> None:
    if dataset.observational is None:
        raise ValueError(
            "descendants are estimated by comparing experiments with observation, but no condition "
            "is known to be observational; name one as `observational` of the data: there are "
            f"{listed(dataset.conditions)}"
        )
    if not experiments.on:
        raise ValueError(
            "descendants are estimated from experiments on single columns, but no regime has "
            f"exactly one target; there are {listed(dataset.conditions)}; state the targets of each"
        )
    if dataset.n_nodes < 2:
        raise ValueError(
            f"descendants: a single column, {dataset.columns[0]!r}, has none; add columns"
        )
    unordered = [name for name, kind in dataset.discrete_columns.items() if len(kind.levels) > 2]
    if unordered:
        raise ValueError(
            "the tests compare numbers, but codes of more than two levels are only labels: "
            f"{listed(unordered)}; declare these columns continuous if their levels are amounts, "
            "else leave them out"
        )


# Descendants: as a graph implies them, for the nodes that were intervened upon.


@dataclass(frozen=True)
class Descendants:
    """The descendants of each node that was intervened upon.

    `estimate_descendants` and `true_descendants` make it; it can also be
    written by hand from what is known.

    Parameters
    ----------
    columns : tuple of str
        The names of the columns, in the order of the node numbers.
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
        The true DAG.
    dataset : Dataset
        Its regimes say which nodes were intervened upon; values are not used.

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
