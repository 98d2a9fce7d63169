"""The graphs of an algorithm: from all data, and without the experiments on each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from causalassay.common.arrays import Adjacency, check_adjacency
from causalassay.common.seeding import stream
from causalassay.common.spelling import listed
from causalassay.contracts import Algorithm, Estimate, Kind, NotApplicable
from causalassay.data import Dataset
from causalassay.discovery.python_files import place_of_mistake
from causalassay.graphs import is_dag
from causalassay.risk.experiments import without

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
    found = _discover(name, algorithm, dataset, (), seed)
    reads = getattr(algorithm, "reads", NOT_STATED)
    held_out: dict[int, Adjacency] = {}
    for fold in folds:
        graph = (
            found.graph
            if reads in NEVER_INTERVENTIONAL
            else _discover(name, algorithm, dataset, fold, seed).graph
        )
        held_out |= dict.fromkeys(fold, graph)
    return Fit(found.graph, found.kind, reads, held_out)


def _discover(
    name: str, algorithm: Algorithm, dataset: Dataset, fold: tuple[int, ...], seed: int
) -> Estimate:
    """Return the estimate from the data without the fold's experiments."""
    columns = sorted(dataset.columns[node] for node in fold)
    where = f"without the experiments on {listed(columns)}" if fold else "on all data"
    data = without(dataset, fold) if fold else dataset
    try:
        estimate = algorithm.discover(data, stream(seed, "discover", *columns))
    except NotApplicable as error:
        raise NotApplicable(f"{name} {where}: {error}", lacks=error.lacks) from error
    n_nodes = len(check_adjacency(estimate.graph, f"{name} {where}"))
    if n_nodes != data.n_nodes:
        raise ValueError(f"{name} {where}: expected a graph of {data.n_nodes} nodes, got {n_nodes}")
    if estimate.kind == "dag" and not is_dag(estimate.graph):
        raise ValueError(f"{name} {where}: it promises a DAG, but its graph has a directed cycle")
    return estimate


def why_not(name: str, error: Exception) -> str:
    """Return in one line why an algorithm has no risk.

    Examples
    --------
    >>> why_not("pc", NotApplicable("pc on all data: the columns are discrete"))
    'on all data: the columns are discrete'
    >>> why_not("mine", ZeroDivisionError("division by zero"))
    'it failed: ZeroDivisionError: division by zero'
    """
    lines = str(error).strip().splitlines()
    said = lines[0].removeprefix(f"{name} ") if lines else ""
    if isinstance(error, NotApplicable) and said:
        return said
    reason = f"it failed: {type(error).__name__}" + (f": {said}" if said else "")
    place = place_of_mistake(error)
    return f"{reason} ({place})" if place else reason
