"""Array types and their checks at the public border; inner functions trust their input."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.spelling import listed

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


def as_graph(
    value: Any, name: str = "graph", columns: Sequence[Hashable] | None = None
) -> Adjacency:
    """Return whatever states a graph as an adjacency, or raise an error that says how to state it.

    A bool array comes back as it is, without a copy.

    Parameters
    ----------
    value : array_like of bool or of 0 and 1, shape (d, d), DataFrame or networkx graph
        Row i, column j is i→j. A data frame has the same names as index and as columns. The
        nodes of a networkx graph are 0 to d - 1, or those of `columns`.
    name : str
        What the message calls the graph.
    columns : sequence of d names, optional
        The order of the nodes, for a data frame or a networkx graph whose nodes have names: as
        a rule those of the data. A data frame comes in its own order without them.

    Examples
    --------
    >>> as_graph([[0, 1], [0, 0]])
    array([[False,  True],
           [False, False]])
    >>> as_graph(np.array([[0.0, 0.3], [0.0, 0.0]]))
    Traceback (most recent call last):
    TypeError: graph: expected a bool array, got float64 with values such as 0.3; for weights ...
    """
    matrix = value if isinstance(value, np.ndarray) else _matrix(value, name, columns)
    matrix = as_bool(matrix)
    if matrix.dtype != np.bool_:
        raise TypeError(_no_graph(matrix, value, name))
    check_square(matrix, name)
    if matrix.diagonal().any():
        node = int(matrix.diagonal().argmax())
        raise ValueError(f"{name}: node {node} has an edge to itself; clear the diagonal")
    return matrix


def check_adjacency(graph: NDArray[Any], name: str = "graph") -> Adjacency:
    """Return `graph` if it is a bool square matrix without self-loops, else raise."""
    if not isinstance(graph, np.ndarray):
        raise TypeError(
            f"{name}: expected a numpy bool array, got {type(graph).__name__}; "
            "causalassay.graphs has from_edges, from_pandas and from_networkx"
        )
    if graph.dtype != np.bool_:
        raise TypeError(_no_graph(graph, graph, name))
    return as_graph(graph, name)


def _matrix(value: Any, name: str, columns: Sequence[Hashable] | None) -> NDArray[Any]:
    """Return the matrix of a list, a data frame or a networkx graph."""
    is_frame = hasattr(value, "columns") and hasattr(value, "to_numpy")
    is_network = hasattr(value, "is_directed") and hasattr(value, "edges")
    if not is_frame and not is_network:
        try:
            return np.asarray(value)
        except ValueError:
            raise ValueError(f"{name}: expected rows of equal length, shape (d, d)") from None
    nodes = list(value.columns if is_frame else value)
    if is_frame and list(value.index) != nodes:
        raise ValueError(
            f"{name}: the index of the data frame differs from its columns; row a, column b is "
            "a -> b, so both name the same nodes in the same order"
        )
    order = _order(nodes, name, columns, needed=is_network)
    if is_frame:
        return np.asarray(value.loc[order, order])
    position = {node: step for step, node in enumerate(order)}
    matrix = np.zeros((len(nodes), len(nodes)), dtype=bool)
    for cause, effect, *_ in value.edges:
        matrix[position[cause], position[effect]] = True
    return matrix if value.is_directed() else matrix | matrix.T


def _order(
    nodes: list[Hashable], name: str, columns: Sequence[Hashable] | None, needed: bool
) -> list[Hashable]:
    """Return the nodes in the order of their numbers or of the data's columns."""
    if set(nodes) == set(range(len(nodes))):
        return list(range(len(nodes)))
    if columns is not None and set(columns) != set(nodes):
        raise ValueError(
            f"{name}: its nodes and the data's columns differ: in the graph only "
            f"[{listed([node for node in nodes if node not in set(columns)])}], in the data only "
            f"[{listed([column for column in columns if column not in set(nodes)])}]"
        )
    if columns is None and needed:
        raise ValueError(
            f"{name}: its nodes have names, {listed(nodes)}; say in which order they come: "
            "causalassay.graphs.from_networkx(graph, nodes=[...])"
        )
    return list(columns or nodes)


def _no_graph(matrix: NDArray[Any], value: Any, name: str) -> str:
    """Return why an array is no adjacency, and what to do."""
    if matrix.dtype.kind not in "iufc":
        return (
            f"{name}: expected a bool array, shape (d, d), got {type(value).__name__} of "
            f"{matrix.dtype}; causalassay.graphs has from_edges, from_pandas and from_networkx"
        )
    other = matrix[(matrix != 0) & (matrix != 1)]
    such = f" with values such as {other.flat[0]:.4g}" if other.size else ""
    return (
        f"{name}: expected a bool array, got {matrix.dtype}{such}; for weights pass `weights != 0`"
    )


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
