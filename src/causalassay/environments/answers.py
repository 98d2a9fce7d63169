"""Checks of what an environment answers: a package may return anything."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causalassay.environments.process import EnvironmentFailed


def check_square(array: np.ndarray, n_nodes: int, what: str) -> None:
    """Raise unless an array holds numbers for each pair of columns.

    Examples
    --------
    >>> check_square(np.zeros((2, 3)), 3, "graph")
    Traceback (most recent call last):
    causalassay.environments.process.EnvironmentFailed: invalid: its graph has shape (2, 3) for 3
    columns
    """
    if array.dtype.kind not in "biuf":
        raise EnvironmentFailed(f"invalid: its {what} holds values of type {array.dtype}")
    if array.shape != (n_nodes, n_nodes):
        raise EnvironmentFailed(
            f"invalid: its {what} has shape {array.shape} for {n_nodes} columns"
        )


def checked_graph(graph: np.ndarray, n_nodes: int) -> NDArray[np.bool_]:
    """Return a graph as bool, or raise if it is none.

    Examples
    --------
    >>> checked_graph(np.array([[0.0, 1.0], [0.0, 0.0]]), 2)
    array([[False,  True],
           [False, False]])
    """
    check_square(graph, n_nodes, "graph")
    if not np.isin(graph, (0, 1)).all():  # nan is neither
        raise EnvironmentFailed("invalid: its graph has entries that are neither 0 nor 1")
    if np.diagonal(graph).any():
        raise EnvironmentFailed("invalid: its graph has an edge from a node to itself")
    return graph.astype(bool)


def check_links(links: np.ndarray, n_nodes: int) -> None:
    """Raise unless an array may be the links of a series, by lag, cause and effect.

    Examples
    --------
    >>> check_links(np.zeros((2, 3, 3), dtype=bool), 3)
    """
    if links.ndim != 3 or links.shape[1:] != (n_nodes, n_nodes) or links.dtype.kind not in "bi":
        raise EnvironmentFailed(
            f"invalid: its links have shape {links.shape} for {n_nodes} columns"
        )
