"""The graphs of an algorithm: from all data, and without the experiments on each node.

`Refitted` makes an algorithm of this, so that a study can cross-validate it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, check_adjacency
from causalassay.common.seeding import stream
from causalassay.common.spelling import listed
from causalassay.contracts import Algorithm, Estimate, Kind, NotApplicable
from causalassay.data import Dataset
from causalassay.discovery.loading import data_for
from causalassay.discovery.python_files import place_of_mistake
from causalassay.graphs import is_dag
from causalassay.risk.descendants import find_experiments, implied_descendants, split, without

NEVER_INTERVENTIONAL = ("no rows", "observational rows")
"""What an algorithm reads whose estimate no experiment changes."""

NOT_STATED = "not stated"


@dataclass(frozen=True, eq=False)
class Fit:
    """What an algorithm found, and what it found with experiments withheld.

    Parameters
    ----------
    graph : Adjacency
        From all data.
    kind : str
        What the algorithm promises its graphs to be: "dag", "cpdag" or "pdag".
    reads : str
        Which rows the algorithm reads, or "not stated".
    held_out_graphs : mapping of int to Adjacency
        Node to the graph from the data without the experiments on it; for an
        algorithm that reads no interventional rows this is `graph`.
    """

    graph: Adjacency
    kind: Kind
    reads: str
    held_out_graphs: Mapping[int, Adjacency]


def fit_algorithm(
    name: str,
    algorithm: Algorithm,
    dataset: Dataset,
    folds: Sequence[tuple[int, ...]],
    seed: int,
) -> Fit:
    """Run the algorithm on all data and, if it reads experiments, without each fold.

    Parameters
    ----------
    name : str
        For error messages.
    algorithm : Algorithm
    dataset : Dataset
    folds : sequence of tuple of int
        The nodes whose experiments are withheld together.
    seed : int
        The random streams are named by it and by what is withheld.
    """
    estimate = _discover(name, algorithm, dataset, (), seed)
    reads = getattr(algorithm, "reads", NOT_STATED)
    held_out: dict[int, Adjacency] = {}
    for fold in folds:
        graph = (
            estimate.graph
            if reads in NEVER_INTERVENTIONAL
            else _discover(name, algorithm, dataset, fold, seed).graph
        )
        held_out |= dict.fromkeys(fold, graph)
    return Fit(estimate.graph, estimate.kind, reads, held_out)


def _discover(
    name: str, algorithm: Algorithm, dataset: Dataset, fold: tuple[int, ...], seed: int
) -> Estimate:
    """Return the estimate from the data without the fold's experiments."""
    columns = sorted(dataset.columns[node] for node in fold)
    where = f"without the experiments on {listed(columns)}" if fold else "on all data"
    data = without(dataset, fold) if fold else dataset
    try:
        rng = stream(seed, "discover", *columns)
        estimate = algorithm.discover(data_for(algorithm, data), rng)
    except NotApplicable as error:
        reason = f"{where}: {error}"
        raise DoesNotApply(f"{name} {reason}", reason, error.lacks) from error
    n_nodes = len(check_adjacency(estimate.graph, where))
    if n_nodes != data.n_nodes:
        raise ValueError(f"{where}: expected a graph of {data.n_nodes} nodes, got {n_nodes}")
    if estimate.kind == "dag" and not is_dag(estimate.graph):
        raise ValueError(f"{where}: it promises a DAG, but its graph has a directed cycle")
    return estimate


class DoesNotApply(NotApplicable):
    """An algorithm does not apply to the data, or to what is left of them.

    Parameters
    ----------
    message : str
    reason : str
        The message without the name of the algorithm, for whoever states that beside it.
    lacks : str
        As `NotApplicable` has it.
    """

    def __init__(
        self, message: str, reason: str = "", lacks: Literal["", "known targets", "series"] = ""
    ) -> None:
        super().__init__(message, lacks=lacks)
        self.reason = reason


def why_not(error: Exception) -> str:
    """Return in one line why an algorithm has no risk.

    Examples
    --------
    >>> why_not(NotApplicable("the columns are discrete"))
    'the columns are discrete'
    >>> why_not(ZeroDivisionError("division by zero"))
    'it failed: ZeroDivisionError: division by zero'
    """
    text = error.reason if isinstance(error, DoesNotApply) else str(error)
    first_line = next(iter(text.strip().splitlines()), "")
    if isinstance(error, NotApplicable) and first_line:
        return first_line
    reason = f"it failed: {type(error).__name__}" + (f": {first_line}" if first_line else "")
    location = place_of_mistake(error)
    return f"{reason} ({location})" if location else reason


HELD_OUT = "held_out_descendants"
"""The key of an estimate's remarks under which held-out descendants are."""


@dataclass(frozen=True)
class Refitted:
    """An algorithm that is fitted on all data, and again without each fold of experiments.

    Parameters
    ----------
    algorithm : Algorithm
    folds : int
        Groups of intervened nodes; the experiments of one group are withheld at a time.

    Notes
    -----
    The folds depend on the names of the intervened columns alone: all algorithms of a study
    have the same ones on a data set. The estimate is the one from all data. Its remarks have
    for each intervened column its possible descendants in the graph that was found without its
    experiments: one character for each column in the order of the names, "1" for a descendant.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), equation 6; their code has 5 folds.
    """

    algorithm: Algorithm
    folds: int
    version: ClassVar[int] = 1

    @property
    def rows(self) -> str:
        """What the rows of its data are to be."""
        return getattr(self.algorithm, "rows", "independent")

    @property
    def reads(self) -> str:
        """Which regimes it looks at."""
        return getattr(self.algorithm, "reads", NOT_STATED)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Return the estimate from all data, with what the folds show as remarks."""
        nodes = sorted(find_experiments(data).on, key=lambda node: data.columns[node])
        names = [data.columns[node] for node in nodes]
        folds = split(nodes, self.folds, stream(0, "folds", *names))
        name = type(self.algorithm).__name__
        fit = fit_algorithm(name, self.algorithm, data, folds, int(rng.integers(2**63)))
        order = np.argsort(data.columns)
        held_out = {
            data.columns[node]: _marks(implied_descendants(fit.held_out_graphs[node])[node], order)
            for node in nodes
        }
        return Estimate(fit.graph, fit.kind, info={HELD_OUT: held_out})


def held_out_descendants(info: Mapping[str, Any], data: Dataset) -> dict[int, frozenset[int]]:
    """Return for each intervened node its descendants where its experiments were withheld.

    Examples
    --------
    >>> data = Dataset.from_values([[0.0, 1.0, 5.0], [2.0, 4.5, 0.0]], columns=("b", "a", "c"))
    >>> held_out_descendants({HELD_OUT: {"b": "101"}}, data)
    {0: frozenset({1, 2})}
    """
    order = np.argsort(data.columns)
    return {
        data.columns.index(name): frozenset(order[[mark == "1" for mark in marks]].tolist())
        for name, marks in info[HELD_OUT].items()
    }


def _marks(descendants: frozenset[int], order: np.ndarray) -> str:
    return "".join("1" if node in descendants else "0" for node in order.tolist())
