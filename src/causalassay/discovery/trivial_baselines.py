"""Baselines that fit nothing: the empty graph, and all edges along a sorted or random order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.contracts import Estimate, Kind, Reads
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.moments import variances
from causalassay.discovery.statistics.tied_orders import random_ties_order
from causalassay.discovery.statistics.usable_rows import observational_values
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
