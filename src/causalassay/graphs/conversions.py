"""Names of nodes, and graphs of other packages and edge lists to and from adjacencies."""
# ruff: noqa: PLC0415  pandas and networkx are imported where used, so that graphs stay light

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Adjacency, Weights, as_graph, check_square, check_weights
from causalassay.common.spelling import did_you_mean, shown
from causalassay.graphs.families import MOST_NODES

if TYPE_CHECKING:
    import pandas as pd


# Names of nodes, checked at the border.


def check_names(
    names: Iterable[Hashable], argument: str, n_nodes: int | None = None
) -> list[Hashable]:
    """Return the names as a list, all different and `n_nodes` of them if given, or raise."""
    if isinstance(names, str):
        raise TypeError(f"{argument}: expected several names, got the string {names!r}")
    checked = list(names)
    if not checked:
        raise ValueError(f"{argument}: a graph has at least 1 node, got none")
    if n_nodes is not None and len(checked) != n_nodes:
        raise ValueError(
            f"{argument}: the graph has {n_nodes} nodes but there are {len(checked)} names"
        )
    check_count(len(checked), argument)
    seen: set[Hashable] = set()
    for name in checked:
        if name in seen:
            raise ValueError(f"{argument}: the name {shown(name)} appears twice; names must differ")
        seen.add(name)
    return checked


def check_count(n_nodes: int, argument: str) -> None:
    """Raise if a graph has too many nodes."""
    if n_nodes > MOST_NODES:
        raise ValueError(
            f"{argument}: expected at most {MOST_NODES} nodes, got {n_nodes}; "
            "leave out nodes, or cut the graph into parts"
        )


def from_edges(
    edges: Iterable[tuple[Hashable, Hashable]], nodes: int | Iterable[Hashable]
) -> Adjacency:
    """Return the graph of an edge list.

    Parameters
    ----------
    edges : iterable of pairs
        ``(a, b)`` is a→b; a pair given both ways is undirected.
    nodes : int, or iterable of names
        The number of nodes, then named 0, 1, …; or their names, in the order of
        the data's columns.

    Examples
    --------
    >>> edges = [("smoking", "tar"), ("tar", "cancer")]
    >>> from_edges(edges, ["cancer", "smoking", "tar"]).astype(int)
    array([[0, 0, 0],
           [0, 0, 1],
           [1, 0, 0]])
    """
    names = check_names(range(nodes) if isinstance(nodes, int | np.integer) else nodes, "nodes")
    position = {name: k for k, name in enumerate(names)}
    graph = np.zeros((len(names), len(names)), dtype=bool)
    for edge in edges:
        pair = tuple(edge) if isinstance(edge, Iterable) and not isinstance(edge, str) else ()
        if len(pair) != 2:
            raise ValueError(f"edges: expected pairs (from, to), got {edge!r}")
        for name in pair:
            if name not in position:
                raise ValueError(
                    f"edges: {edge!r}: unknown node {name!r}, {did_you_mean(name, names)}"
                )
        if pair[0] == pair[1]:
            raise ValueError(f"edges: {edge!r} joins a node to itself; leave it out")
        graph[position[pair[0]], position[pair[1]]] = True
    return graph


def to_edges(
    graph: Adjacency, names: Iterable[Hashable] | None = None
) -> list[tuple[Hashable, Hashable]]:
    """Return the pairs ``(a, b)`` with a→b; an undirected edge appears both ways.

    Parameters
    ----------
    graph : Adjacency, shape (d, d)
        The graph: ``graph[i, j]`` is i→j, and both entries are i—j.
    names : iterable of d names, optional
        By default nodes are named 0, 1, ….

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> to_edges(chain(3), ["a", "b", "c"])
    [('a', 'b'), ('b', 'c')]
    """
    graph = as_graph(graph)
    label = _names_of(graph, names)
    return [(label[i], label[j]) for i, j in np.argwhere(graph).tolist()]


def from_networkx(graph: Any, nodes: Iterable[Hashable] | None = None) -> Adjacency:
    """Return the adjacency matrix of a networkx graph.

    Parameters
    ----------
    graph : networkx.DiGraph or networkx.Graph
        In a DiGraph an edge and its reverse make an undirected edge; in a Graph
        every edge is undirected. Weights are ignored.
    nodes : iterable of names, optional
        The order of rows and columns; all nodes of `graph`, once each. By default
        the graph's own order, ``list(graph)``.

    Examples
    --------
    >>> import networkx as nx
    >>> from_networkx(nx.DiGraph([("b", "a")]), nodes=["a", "b"]).astype(int)
    array([[0, 0],
           [1, 0]])
    """
    if not hasattr(graph, "is_directed") or graph.is_multigraph():
        raise TypeError(
            f"graph: expected a networkx DiGraph or Graph, got {type(graph).__name__}; "
            "networkx.DiGraph(graph) drops parallel edges"
        )
    names = list(graph) if nodes is None else check_names(nodes, "nodes")
    if absent := [name for name in graph if name not in set(names)]:
        raise ValueError(f"nodes: the graph's nodes {absent} are not among them")
    edges = list(graph.edges)
    return from_edges(edges if graph.is_directed() else edges + [(b, a) for a, b in edges], names)


def to_networkx(graph: Adjacency, names: Iterable[Hashable] | None = None) -> Any:
    """Return a ``networkx.DiGraph``; an undirected edge becomes an edge and its reverse.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> to_networkx(chain(3), ["a", "b", "c"]).edges
    OutEdgeView([('a', 'b'), ('b', 'c')])
    """
    graph = as_graph(graph)
    label = _names_of(graph, names)
    try:
        import networkx as nx
    except ImportError as problem:
        raise ImportError("to_networkx needs networkx: pip install networkx") from problem
    result = nx.DiGraph()
    result.add_nodes_from(label)
    result.add_edges_from(to_edges(graph, label))
    return result


def from_pandas(frame: pd.DataFrame) -> Adjacency:
    """Return the adjacency matrix of a table of 0 and 1; row a, column b is a→b.

    Parameters
    ----------
    frame : DataFrame, shape (d, d)
        Index and columns are the same names in the same order.

    Examples
    --------
    >>> import pandas as pd
    >>> from_pandas(pd.DataFrame([[0, 1], [0, 0]], index=["a", "b"], columns=["a", "b"]))
    array([[False,  True],
           [False, False]])
    """
    columns, index = list(frame.columns), list(frame.index)
    if columns != index:
        same = len(columns) == len(index) and set(columns) == set(index)
        advice = "pass frame.loc[frame.columns]" if same else "rows and columns are the same nodes"
        raise ValueError(
            f"frame: index and columns must be equal, got index {index} and columns {columns}; "
            + advice
        )
    names = check_names(columns, "frame")
    for i, j in np.argwhere(~frame.isin([0, 1]).to_numpy()).tolist():
        raise ValueError(
            f"frame: row {names[i]!r}, column {names[j]!r} is {frame.iat[i, j]!r}, "
            "expected 0 or 1; for weights pass `weights != 0`"
        )
    graph = frame.to_numpy().astype(bool)
    if graph.diagonal().any():
        loop = names[int(graph.diagonal().argmax())]
        raise ValueError(f"frame: node {loop!r} has an edge to itself; clear the diagonal")
    return graph


def to_pandas(graph: Adjacency, names: Iterable[Hashable] | None = None) -> pd.DataFrame:
    """Return a table of 0 and 1 with the nodes' names as index and columns.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> to_pandas(chain(2), ["a", "b"])
       a  b
    a  0  1
    b  0  0
    """
    import pandas as pd

    graph = as_graph(graph)
    label = _names_of(graph, names)
    return pd.DataFrame(graph.astype(int), index=label, columns=label)


def to_gadjid(graph: Adjacency) -> NDArray[np.int8]:
    """Return the int8 matrix that gadjid reads with ``edge_direction="from row to column"``.

    A directed edge is a 1; an undirected edge is one 2, above the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> graph = np.zeros((3, 3), dtype=bool)
    >>> graph[[1, 1, 2], [0, 2, 1]] = True
    >>> to_gadjid(graph)
    array([[0, 0, 0],
           [1, 0, 2],
           [0, 0, 0]], dtype=int8)
    """
    graph = as_graph(graph)
    lines = graph & graph.T
    codes = (graph & ~lines).astype(np.int8)
    codes[np.triu(lines)] = 2
    return codes


def from_gadjid(matrix: ArrayLike) -> Adjacency:
    """Return the graph of a gadjid matrix "from row to column".

    Parameters
    ----------
    matrix : array_like of int, shape (d, d)
        0 no edge, 1 row→column, 2 undirected, in one of the pair's two cells or in both.

    Examples
    --------
    >>> from_gadjid([[0, 1, 0], [0, 0, 2], [0, 0, 0]]).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 1, 0]])
    """
    codes = np.asarray(matrix)
    check_square(codes, "matrix")
    for i, j in np.argwhere(~np.isin(codes, (0, 1, 2))).tolist():
        raise ValueError(f"matrix: cell ({i}, {j}) is {codes[i, j]}, expected 0, 1 or 2")
    for i, j in np.argwhere((codes == 1) & (codes.T != 0)).tolist():
        raise ValueError(
            f"matrix: cells ({i}, {j}) and ({j}, {i}) are {codes[i, j]} and {codes[j, i]}; "
            "for an undirected edge write 2"
        )
    lines = codes == 2
    return as_graph((codes == 1) | lines | lines.T, "matrix")


def to_lingam(weights: ArrayLike) -> Weights:
    """Return the weights as LiNGAM packages order them: ``[effect, cause]``.

    Examples
    --------
    >>> to_lingam([[0.0, 2.0], [0.0, 0.0]])
    array([[0., 0.],
           [2., 0.]])
    """
    return check_weights(weights).T.copy()


def from_lingam(matrix: ArrayLike) -> Weights:
    """Return LiNGAM's ``B[effect, cause]`` as weights ``[cause, effect]``.

    Examples
    --------
    >>> from_lingam([[0.0, 0.0], [2.0, 0.0]])
    array([[0., 2.],
           [0., 0.]])
    """
    return check_weights(matrix, "matrix").T.copy()


def _names_of(graph: Adjacency, names: Iterable[Hashable] | None) -> list[Hashable]:
    return list(range(len(graph))) if names is None else check_names(names, "names", len(graph))
