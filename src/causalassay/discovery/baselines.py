"""Baselines that fit nothing: no edge, all edges along an order, the largest correlations."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.common.spelling import RefusedValue
from causalassay.contracts import Columns, Estimate, Kind, NotApplicable, Reads, check_rows
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.explained_variance import correlations, variances
from causalassay.discovery.statistics import (
    check_continuous,
    observational_values,
    random_ties_order,
)
from causalassay.graphs.orders import Indices


@dataclass(frozen=True)
class Empty:
    """Claim no edge at all.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]])
    >>> int(Empty().discover(data, np.random.default_rng(0)).graph.sum())
    0
    """

    name: ClassVar[str] = "empty"
    columns: ClassVar[Columns] = "continuous or discrete"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "no rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "none"
    rows: ClassVar[str] = "any"
    reference: ClassVar[str] = "the graph that any useful method must beat"

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Return the graph without edges."""
        n_nodes = len(data.columns)
        return Estimate(np.zeros((n_nodes, n_nodes), dtype=bool), "dag")


@dataclass(frozen=True)
class VarianceSorting:
    """Join every variable to all that vary more.

    Notes
    -----
    Departs from the paper: variances whose ratio is within 1e-9 of 1 are
    sorted by `rng`, not by index or rounding error.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 5.2 and table 2.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> data = Dataset.from_values([[0.0, 1.0, 1.0], [4.0, 3.0, 1.5]])
    >>> VarianceSorting().discover(data, np.random.default_rng(0)).order
    (2, 1, 0)
    """

    name: ClassVar[str] = "variance-sorting"
    columns: ClassVar[Columns] = "continuous or discrete"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = True
    assumptions: ClassVar[str] = "variance grows along the causal order"
    reference: ClassVar[str] = "Reisach, Seiler, Weichwald (2021), arXiv 2102.13647, section 5.2"

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Return the complete DAG along increasing variance of the observational values."""
        return _complete(random_ties_order(variances(observational_values(data)), rng))


@dataclass(frozen=True)
class RandomSorting:
    """Join every variable to all that follow in a random order.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 5.2 and table 2.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> data = Dataset.from_values([[0.0, 1.0, 1.0], [4.0, 3.0, 1.5]])
    >>> int(RandomSorting().discover(data, np.random.default_rng(0)).graph.sum())
    3
    """

    name: ClassVar[str] = "random-sorting"
    columns: ClassVar[Columns] = "continuous or discrete"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "no rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "none"
    rows: ClassVar[str] = "any"
    equivariant: ClassVar[bool] = False
    reference: ClassVar[str] = "Reisach, Seiler, Weichwald (2021), arXiv 2102.13647, section 5.2"

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Return the complete DAG along a random order."""
        return _complete(rng.permutation(len(data.columns)))


def _complete(order: Indices) -> Estimate:
    position = np.argsort(order)
    graph = position[:, None] < position[None, :]
    return Estimate(graph, "dag", order=tuple(int(node) for node in order))


# Graphs of the largest correlations: what is achieved without any notion of cause.

_REFERENCE = "Eigenmann, Mukherjee, Maathuis (2020), UAI, PMLR 124, section 4.1"


@dataclass(frozen=True)
class SingleEdge:
    """Claim one undirected edge: the pair with the largest correlation in magnitude.

    An almost empty graph. If interventions with known targets are among the
    data, the pair has at least one target in it; else it is any pair.

    Notes
    -----
    Correlations are of the rows of all regimes together. Pairs whose
    magnitudes are within 1e-9 of each other are drawn by `rng`.

    Departs from the paper, which calls it Empty and takes the largest
    correlation of all; the authors' code restricts it to pairs with an
    intervened node, and so does this.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), section 4.1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(100, 3))
    >>> values[:, 2] += values[:, 0]
    >>> SingleEdge().discover(Dataset.from_values(values), rng).graph.astype(int)
    array([[0, 0, 1],
           [0, 0, 0],
           [1, 0, 0]])
    """

    name: ClassVar[str] = "single-edge"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "all rows with their targets"
    output: ClassVar[Kind] = "pdag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "none"
    reference: ClassVar[str] = _REFERENCE

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Return the graph of one edge; of one variable, that of none."""
        size, pairs = _pair_sizes(data)
        targets = {target for regime in data.regimes for target in regime.targets or ()}
        if targets:
            of_target = np.isin(pairs, list(targets)).any(axis=1)
            size, pairs = size[of_target], pairs[of_target]
        graph = _largest(size, pairs, min(1, len(pairs)), data.n_nodes, rng)
        return Estimate(graph, "pdag", info={"pairs": "with a target" if targets else "all"})


@dataclass(frozen=True)
class ACor:
    """Join the pairs with the largest correlations in magnitude, as many as stated.

    Parameters
    ----------
    n_edges : int
        How many undirected edges to claim. There is no default: the authors
        give it the true number, so that a result with it is not comparable
        to one of an algorithm that sees data only.

    Notes
    -----
    Correlations are of the rows of all regimes together. Pairs whose
    magnitudes are within 1e-9 of each other are sorted by `rng`.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), section 4.1 and its footnote 3.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(100, 3)).cumsum(axis=1)
    >>> ACor(n_edges=2).discover(Dataset.from_values(values), rng).graph.astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    """

    n_edges: int

    name: ClassVar[str] = "acor"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "all rows, pooled"
    output: ClassVar[Kind] = "pdag"
    scale_sensitive: ClassVar[bool] = False
    oracle: ClassVar[str] = "number of edges"
    assumptions: ClassVar[str] = "none; takes the number of edges, which only an oracle knows"
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        try:
            known = operator.index(self.n_edges)
        except TypeError:
            known = -1
        if known < 0 or isinstance(self.n_edges, bool):
            raise RefusedValue("n_edges", f"expected a whole number >= 0, got {self.n_edges!r}")

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Return the undirected graph of `n_edges` edges."""
        size, pairs = _pair_sizes(data)
        if self.n_edges > len(pairs):
            raise NotApplicable(
                f"{data.n_nodes} columns have {len(pairs)} pairs, fewer than n_edges = "
                f"{self.n_edges}; state the number of edges of a graph of these columns"
            )
        graph = _largest(size, pairs, self.n_edges, data.n_nodes, rng)
        return Estimate(graph, "pdag", info={"oracle": self.oracle})


def _pair_sizes(data: Dataset) -> tuple[Vector, Indices]:
    """Return the |correlation| of each pair of columns, shape (m,), and the pairs, (m, 2)."""
    check_rows(data, "independent")
    values = data.pooled
    check_continuous(data, values)
    pairs = np.argwhere(np.triu(np.ones((data.n_nodes, data.n_nodes)), 1))
    correlation: Weights = correlations(values)
    return np.abs(correlation[pairs[:, 0], pairs[:, 1]]), pairs


def _largest(size: Vector, pairs: Indices, number: int, n_nodes: int, rng: Generator) -> Adjacency:
    """Return the undirected graph of the pairs of the `number` largest sizes."""
    graph = np.zeros((n_nodes, n_nodes), dtype=bool)
    if number:
        first, second = pairs[random_ties_order(-size, rng)[:number]].T
        graph[first, second] = graph[second, first] = True
    return graph
