"""Which regimes are experiments on which node, and the data without some of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass

from numpy.random import Generator

from causalassay.common.spelling import listed
from causalassay.data import Dataset, Regime


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
    kept = [regime for regime in dataset.regimes if not set(nodes) & set(regime.targets or ())]
    try:
        return Dataset(dataset.columns, tuple(kept), dataset.observational, dataset.kinds)
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
"""Of the reference's descendants of a node and the estimate's, the node itself in neither."""


def jaccard(reference: Set[int], guess: Set[int]) -> float:
    """Return the share of the two sets' union that is not in both, 0 if both are empty.

    Parameters
    ----------
    reference, guess : set of int

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

    Examples
    --------
    >>> mistakes({1, 2, 3}, {2, 3, 4}), mistakes(set(), {1, 2, 3})
    (2.0, 3.0)
    """
    return float(len(reference ^ guess))
