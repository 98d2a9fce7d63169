"""Where random discrete models come from, each as Garant and Jensen 2016 draw them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import expit

from causalassay.common.arrays import Adjacency
from causalassay.common.spelling import RefusedValue
from causalassay.graphs.orders import check_dag
from causalassay.models.discrete.scm import DiscreteSCM
from causalassay.models.discrete.tables import MOST_CELLS, ProbabilityTable
from causalassay.models.parameters import check_parameters


@dataclass(frozen=True)
class Dirichlet:
    """Tables from Dirichlet distributions whose means differ between parent configurations.

    For a node with k levels the mean is (1, 1/2, …, 1/k), divided by its sum and rotated by
    the number of the parents' configuration, from 1 on.

    Parameters
    ----------
    levels : int or (int, int)
        The number of levels of every node; or a range, both ends included, from which each
        node draws its own.
    equivalent_sample_size : float
        S, the sum of the Dirichlet parameters: large values give tables near their means,
        small ones nearly deterministic tables, and so stronger dependence.

    Notes
    -----
    Configurations are numbered with the parents in ascending order, the last one's level
    changing fastest. The paper states S = 10 but not k; 3 is a choice of ours.

    References
    ----------
    Garant and Jensen 2016, section 5.2.2; Chickering and Meek 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> model = Dirichlet(levels=2, equivalent_sample_size=1e9).draw(
    ...     chain(2), np.random.default_rng(0)
    ... )
    >>> model.tables[1].round(3)
    array([[0.333, 0.667],
           [0.667, 0.333]])
    """

    levels: int | tuple[int, int] = 3
    equivalent_sample_size: float = 10.0
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        low, high = self._range()
        if not 2 <= low <= high:
            raise RefusedValue("levels", f"expected 2 or more, or (low, high), got {self.levels}")
        check_parameters(self)

    def draw(self, graph: Adjacency, rng: Generator) -> DiscreteSCM:
        """Draw the number of levels of each node, if they vary, and the tables."""
        low, high = self._range()
        graph = check_dag(graph)
        n_levels = np.full(len(graph), low)
        if low < high:
            n_levels = rng.integers(low, high, size=len(graph), endpoint=True)
        tables = []
        for node in range(len(graph)):
            shape = table_shape(graph, node, n_levels)
            mean = self.equivalent_sample_size * _falling(shape[-1])
            rows = [rng.dirichlet(np.roll(mean, a + 1)) for a in range(math.prod(shape[:-1]))]
            tables.append(np.reshape(rows, shape))
        return DiscreteSCM(graph, tables)

    def _range(self) -> tuple[int, int]:
        return self.levels if isinstance(self.levels, tuple) else (self.levels, self.levels)


@dataclass(frozen=True)
class Logistic:
    """Binary data: the log odds of 1 are the sum of the weights of the parents that are 1.

    Each node has one weight, of random sign, for all its children.

    Parameters
    ----------
    weight : float
        The magnitude.

    References
    ----------
    Garant and Jensen 2016, section 5.2.3, equation 7; Li and Wang 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> Logistic(weight=2.0).draw(chain(2), np.random.default_rng(0)).tables[1].round(3)
    array([[0.5  , 0.5  ],
           [0.119, 0.881]])
    """

    weight: float = 0.375
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_parameters(self)

    def draw(self, graph: Adjacency, rng: Generator) -> DiscreteSCM:
        """Draw the sign of each node's weight."""
        graph = check_dag(graph)
        weights = self.weight * rng.choice((-1.0, 1.0), len(graph))
        n_levels = np.full(len(graph), 2)
        return DiscreteSCM(
            graph, [self._table(graph, node, weights, n_levels) for node in range(len(graph))]
        )

    @staticmethod
    def _table(
        graph: Adjacency, node: int, weights: NDArray[np.float64], n_levels: NDArray[np.int64]
    ) -> ProbabilityTable:
        shape = table_shape(graph, node, n_levels)
        log_odds = np.zeros(shape[:-1])
        for axis, parent in enumerate(np.flatnonzero(graph[:, node])):
            along = np.array([0.0, weights[parent]])
            log_odds += along.reshape([2 if k == axis else 1 for k in range(log_odds.ndim)])
        return np.stack([expit(-log_odds), expit(log_odds)], axis=-1)


def table_shape(graph: Adjacency, node: int, n_levels: NDArray[np.int64]) -> tuple[int, ...]:
    """Return the levels of the node's parents, then its own; raise if its table is too large.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> table_shape(chain(2), 1, np.array([2, 3]))
    (2, 3)
    """
    nodes = [*np.flatnonzero(graph[:, node]).tolist(), node]
    shape = tuple(n_levels[nodes].tolist())
    if math.prod(shape) > MOST_CELLS:
        raise RefusedValue(
            "graph",
            f"node {node} has {len(shape) - 1} parents, so its table would have "
            f"{math.prod(shape):.2g} cells, more than {MOST_CELLS}; take a graph with fewer "
            "parents a node, or fewer levels",
        )
    return shape


def _falling(n_levels: int) -> NDArray[np.float64]:
    mean = 1 / np.arange(1, n_levels + 1)
    return mean / mean.sum()
