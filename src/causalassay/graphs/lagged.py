"""Graphs of series: which node at which lag acts on which node now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.annotations import typed
from causalassay.common.arrays import Adjacency, as_graph, check_nodes
from causalassay.common.seeding import as_generator
from causalassay.common.spelling import RefusedValue
from causalassay.graphs.families import check_n_nodes
from causalassay.graphs.orders import order_or_cycle


@dataclass(frozen=True, eq=False, repr=False)
class LaggedGraph:
    """The causal links of a stationary series.

    Parameters
    ----------
    links : ndarray of bool, shape (max_lag + 1, d, d)
        ``links[lag, i, j]`` is X_i(t - lag) → X_j(t). Within a step, at lag 0,
        the links are acyclic and no node acts on itself. The graph holds a
        read-only copy.

    Examples
    --------
    Feedback: 0 acts on 1 at once, 1 acts on 0 a step later.

    >>> import numpy as np
    >>> links = np.zeros((2, 2, 2), dtype=bool)
    >>> links[0, 0, 1] = links[1, 1, 0] = links[1, 1, 1] = True
    >>> graph = LaggedGraph(links)
    >>> graph
    LaggedGraph(2 nodes, lags 0 to 1, 2 cross links, 1 self-link)
    >>> graph.summary.astype(int)
    array([[0, 1],
           [1, 0]])
    """

    links: NDArray[np.bool_]

    def __post_init__(self) -> None:
        links = _check_links(self.links).copy()
        links.setflags(write=False)
        object.__setattr__(self, "links", links)

    def __repr__(self) -> str:
        return f"LaggedGraph({self.size_text})"

    @property
    def size_text(self) -> str:
        """Its nodes, lags and links, in words."""
        n_self = int(np.einsum("lii->", self.links.astype(int)))
        cross = int(self.links.sum()) - n_self
        return (
            f"{self.n_nodes} nodes, lags 0 to {self.max_lag}, "
            f"{cross} cross link{'' if cross == 1 else 's'}, "
            f"{n_self} self-link{'' if n_self == 1 else 's'}"
        )

    @property
    def n_nodes(self) -> int:
        """The number of nodes d."""
        return self.links.shape[1]

    @property
    def max_lag(self) -> int:
        """The largest lag, as the shape has it: nothing need act at it."""
        return len(self.links) - 1

    @property
    def summary(self) -> Adjacency:
        """Bool ``(d, d)``: i acts on j, another node, at some lag.

        It is not the graph of a DAG or a class: it may have cycles, and both
        entries of a pair True means feedback, not an edge without direction.
        """
        summary: Adjacency = np.logical_or.reduce(self.links)
        np.fill_diagonal(summary, False)
        return summary

    @property
    def self_links(self) -> NDArray[np.bool_]:
        """Bool ``(d,)``: a node acts on its own future."""
        return np.einsum("lii->i", self.links)

    @property
    def has_feedback(self) -> bool:
        """Whether the summary has a cycle."""
        return len(order_or_cycle(self.summary)) < self.n_nodes

    def summary_ancestors(self) -> Adjacency:
        """Return the matrix that tells whether i acts on j, another node, along some path.

        Examples
        --------
        >>> links = np.zeros((2, 3, 3), dtype=bool)
        >>> links[1, 0, 1] = links[0, 1, 2] = True
        >>> LaggedGraph(links).summary_ancestors().astype(int)
        array([[0, 1, 1],
               [0, 0, 1],
               [0, 0, 0]])
        """
        return summary_ancestors(self.summary)

    def relabel(self, nodes: Sequence[int] | NDArray[np.integer[Any]]) -> LaggedGraph:
        """Return the graph with node ``nodes[k]`` at position k.

        Examples
        --------
        >>> links = np.zeros((2, 2, 2), dtype=bool)
        >>> links[1, 0, 1] = True
        >>> LaggedGraph(links).relabel([1, 0]).summary.astype(int)
        array([[0, 0],
               [1, 0]])
        """
        labels = check_nodes(nodes, self.n_nodes, "nodes")
        if sorted(labels) != list(range(self.n_nodes)):
            raise RefusedValue(
                "nodes", f"expected each of 0 to {self.n_nodes - 1} once, got {labels}"
            )
        return LaggedGraph(self.links[:, labels][:, :, labels])


def summary_ancestors(summary: Adjacency) -> Adjacency:
    """Return which other nodes each node has a directed path to; cycles are allowed.

    Parameters
    ----------
    summary : Adjacency, shape (d, d)
        Both entries of a pair True means feedback.

    Examples
    --------
    >>> import numpy as np
    >>> loop = np.array([[False, True, False], [True, False, True], [False, False, False]])
    >>> summary_ancestors(loop).astype(int)
    array([[0, 1, 1],
           [1, 0, 1],
           [0, 0, 0]])
    """
    reach = as_graph(summary, "summary").copy()
    for node in range(len(reach)):  # Warshall: paths through `node`
        reach |= np.outer(reach[:, node], reach[node])
    np.fill_diagonal(reach, False)
    return reach


def lagged_erdos_renyi(  # noqa: PLR0913, PLR0917  the family's parameters
    n_nodes: int,
    probability: float,
    max_lag: int,
    rng: Generator | int,
    self_probability: float = 0.8,
    feedback: bool = True,
) -> LaggedGraph:
    """Return a random lagged graph in which every summary link has the same probability.

    Along a random order of the nodes, i acts on a later j at each of the
    max_lag + 1 lags independently, with a probability q such that it acts at
    some lag with probability `probability`: (1 - q)^(max_lag + 1) is 1 -
    `probability`. With feedback a later node acts on an earlier one likewise,
    at the lags from 1 on, with the same q; the summary link back has then the
    smaller probability 1 - (1 - q)^max_lag.

    Parameters
    ----------
    n_nodes : int
        The number of nodes.
    probability : float
        The probability of a summary link along the order.
    max_lag : int
        At least 1.
    rng : Generator
        The source of randomness; an int is a seed.
    self_probability : float
        The probability that a node acts on its own future, at one or more of the lags from 1 on.
    feedback : bool
        False: lagged links too go along the order, so the summary is a DAG.

    References
    ----------
    Herman et al. (2025), arXiv 2503.17037, and its package UUMCdata.

    Examples
    --------
    >>> import numpy as np
    >>> lagged_erdos_renyi(5, 0.3, 2, np.random.default_rng(0), feedback=False).has_feedback
    False
    """
    rng = as_generator(rng)
    check_lagged_erdos_renyi(n_nodes, probability, max_lag, self_probability)
    cross = 1 - (1 - probability) ** (1 / (max_lag + 1))
    to_itself = 1 - (1 - self_probability) ** (1 / max_lag)
    drawn = rng.random((max_lag + 1, n_nodes, n_nodes))
    links = np.where(np.eye(n_nodes, dtype=bool), drawn < to_itself, drawn < cross)
    along = np.triu(np.ones((n_nodes, n_nodes), dtype=bool), 1)
    links[0] &= along
    if not feedback:
        links[1:] &= along | np.eye(n_nodes, dtype=bool)
    return LaggedGraph(links).relabel(rng.permutation(n_nodes))


@typed
def check_lagged_erdos_renyi(
    n_nodes: int, probability: float, max_lag: int, self_probability: float
) -> None:
    """Raise unless `lagged_erdos_renyi` can draw with these parameters."""
    check_n_nodes(n_nodes)
    if max_lag < 1:
        raise RefusedValue("max_lag", f"expected a whole number >= 1, got {max_lag}")
    for name, share in (("probability", probability), ("self_probability", self_probability)):
        if not 0 <= share <= 1:
            raise RefusedValue(name, f"expected 0 to 1, got {share}")


def _check_links(links: NDArray[Any]) -> NDArray[np.bool_]:
    if not isinstance(links, np.ndarray) or links.dtype != np.bool_:
        came = links.dtype if isinstance(links, np.ndarray) else type(links).__name__
        raise TypeError(
            f"links: expected a bool array, got {came}; for coefficients pass `coefficients != 0`"
        )
    if links.ndim != 3 or links.shape[1] != links.shape[2] or 0 in links.shape:
        raise RefusedValue(
            "links", f"expected shape (max_lag + 1, d, d) with d >= 1, got {links.shape}"
        )
    if links[0].diagonal().any():
        node = int(links[0].diagonal().argmax())
        raise RefusedValue("links", f"node {node} acts on itself at lag 0; clear that diagonal")
    if len(order_or_cycle(links[0])) < links.shape[1]:
        raise RefusedValue(
            "links",
            "the links at lag 0 have a cycle; within a step effects follow their causes, "
            "so put one link of the cycle at a later lag",
        )
    return links
