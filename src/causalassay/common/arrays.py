"""Array types and their checks at the public border; inner functions trust their input."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

Adjacency = NDArray[np.bool_]
"""Bool ``(d, d)``: ``a[i, j]`` is i→j, both ways is i—j, the diagonal is False."""

Weights = NDArray[np.floating[Any]]
"""Float ``(d, d)``: ``w[i, j] != 0`` is i→j."""

Values = NDArray[np.floating[Any]]
"""Float ``(n, d)``: rows are samples."""

Vector = NDArray[np.floating[Any]]
"""Float ``(d,)``: one number per node."""


def as_bool(graph: Any) -> Any:
    """Return a matrix of the numbers 0 and 1 as a bool array, and anything else as it is.

    Examples
    --------
    >>> as_bool(np.array([[0, 1], [0, 0]]))
    array([[False,  True],
           [False, False]])
    >>> as_bool(np.array([[0.0, 0.7], [0.0, 0.0]]))
    array([[0. , 0.7],
           [0. , 0. ]])
    """
    if not isinstance(graph, np.ndarray) or graph.dtype.kind not in "iuf":
        return graph
    return graph == 1 if ((graph == 0) | (graph == 1)).all() else graph


def check_adjacency(graph: NDArray[Any], name: str = "graph") -> Adjacency:
    """Return `graph` if it is a bool square matrix without self-loops, else raise."""
    if not isinstance(graph, np.ndarray):
        raise TypeError(
            f"{name}: expected a numpy bool array, got {type(graph).__name__}; "
            "causalassay.graphs has from_edges, from_pandas and from_networkx"
        )
    if graph.dtype != np.bool_:
        raise TypeError(
            f"{name}: expected a bool array, got {graph.dtype}; for weights pass `weights != 0`"
        )
    check_square(graph, name)
    if graph.diagonal().any():
        node = int(graph.diagonal().argmax())
        raise ValueError(f"{name}: node {node} has an edge to itself; clear the diagonal")
    return graph


def check_square(matrix: NDArray[Any], name: str) -> None:
    """Raise unless `matrix` has shape ``(d, d)`` with d of at least 1."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise ValueError(f"{name}: expected shape (d, d) with d >= 1, got {matrix.shape}")


def check_weights(weights: ArrayLike, name: str = "weights") -> Weights:
    """Return `weights` as a float square matrix, or raise."""
    array = np.asarray(weights, dtype=float)
    check_square(array, name)
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: every weight must be finite")
    return array


def check_values(values: ArrayLike, n_nodes: int | None = None) -> Values:
    """Return `values` as a finite float matrix of at least two rows, or raise.

    Parameters
    ----------
    values : array_like, shape (n, d)
    n_nodes : int, optional
        The number of columns that the graph beside the values asks for.
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 2:
        raise ValueError(f"values: expected shape (n, d), rows are samples; got {array.shape}")
    if array.shape[0] < 2:
        raise ValueError(f"values: at least 2 rows are needed, got {array.shape[0]}")
    if array.shape[1] == 0:
        raise ValueError("values: at least 1 column is needed, got 0")
    if n_nodes is not None and array.shape[1] != n_nodes:
        raise ValueError(
            f"values: the graph has {n_nodes} nodes but the values have {array.shape[1]} columns"
        )
    finite = np.isfinite(array)
    if not finite.all():
        row, column = (int(k) for k in np.argwhere(~finite)[0])
        raise ValueError(
            f"values: row {row}, column {column} is {array[row, column]}; "
            "remove or impute such rows before the call"
        )
    return array


def check_nodes(
    nodes: SupportsIndex | Iterable[SupportsIndex], n_nodes: int, name: str
) -> list[int]:
    """Return one node, or several, as a list of ints from 0 to ``n_nodes - 1``, or raise."""
    checked = []
    for node in nodes if isinstance(nodes, Iterable) else [nodes]:
        try:
            number = -1 if isinstance(node, bool | np.bool_) else operator.index(node)
        except TypeError:
            number = -1
        if not 0 <= number < n_nodes:
            raise ValueError(f"{name}: expected node numbers 0 to {n_nodes - 1}, got {node!r}")
        checked.append(number)
    return checked
