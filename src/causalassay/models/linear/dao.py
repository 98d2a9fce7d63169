"""DaO, the onion method for random correlation matrices, adapted to DAGs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from scipy.linalg import solve_triangular

from causalassay.common.arrays import Adjacency
from causalassay.graphs.orders import topological_order
from causalassay.models.linear.scm import LinearSCM
from causalassay.models.noise import Noise, as_noise


@dataclass(frozen=True)
class DaO:
    """The onion method on a DAG: the explained share is drawn, then how parents divide it.

    The node at position i of a causal order of p nodes, sources first, draws the
    share q of its unit variance that its k parents explain from
    Beta(k/2, (p - i + 1)/2). The weights are a uniform direction of length √q
    for parents made uncorrelated, taken back to the parents as they are; the
    noise has variance 1 - q. On a complete DAG this is the onion method, so the
    correlation matrix is uniform over all there are and each correlation has
    the law Beta(p/2, p/2) stretched to (-1, 1).

    Parameters
    ----------
    noise : str or Noise

    Notes
    -----
    The position enters the law: later nodes are explained better, so sparse graphs
    are R²-sortable. Where the graph leaves the order open it is that of
    `graphs.topological_order`: sources first, by label, then nodes as their
    last parent comes. The authors take the smallest label that can come next.

    References
    ----------
    Andrews and Kummerfeld (2024), Better simulations for validating causal
    discovery with the DAG-adaptation of the onion method, arXiv 2405.13100.
    Lewandowski, Kurowicka, Joe (2009), Generating random correlation matrices
    based on vines and extended onion method, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> model = DaO().draw(chain(3), np.random.default_rng(0))
    >>> np.diag(model.covariance()).round(12)
    array([1., 1., 1.])
    """

    noise: Noise | str = "gaussian"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        as_noise(self.noise)

    def draw(self, graph: Adjacency, rng: Generator) -> LinearSCM:
        """Draw a model whose variables have unit variance."""
        n_nodes, order = len(graph), topological_order(graph)
        n_parents = graph.sum(axis=0)
        positions = np.flatnonzero(n_parents[order])  # a root's share is 0, and nothing is drawn
        explained = np.zeros(n_nodes)
        explained[order[positions]] = rng.beta(
            n_parents[order[positions]] / 2, (n_nodes - positions + 1) / 2
        )
        weights, correlation = np.zeros(graph.shape), np.eye(n_nodes)
        for node in order[positions]:
            parents = np.flatnonzero(graph[:, node])
            direction = rng.standard_normal(len(parents))
            uncorrelated = direction * np.sqrt(explained[node] / (direction @ direction))
            factor = np.linalg.cholesky(correlation[np.ix_(parents, parents)])
            weights[parents, node] = solve_triangular(factor, uncorrelated, trans="T", lower=True)
            with_earlier = weights[parents, node] @ correlation[parents]
            correlation[node] = correlation[:, node] = with_earlier
            correlation[node, node] = 1.0
        return LinearSCM(weights, 1 - explained, 0.0, as_noise(self.noise))
