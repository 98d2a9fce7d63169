"""Graphs read from files: a matrix, an edge list, or the formats of other programs."""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.common.file_formats import SUFFIXES as ARRAY_SUFFIXES
from causalassay.common.file_formats import (
    load_arrays,
    names_in,
    pick,
)
from causalassay.common.files import as_path, note, read_text
from causalassay.common.spelling import cut, shown, visible
from causalassay.graphs.conversions import check_count, check_names
from causalassay.graphs.formats.dot import read_dot_graph
from causalassay.graphs.formats.file_graph import FileGraph, of_edges, placed
from causalassay.graphs.formats.tables import (
    READ_AS,
    WITHOUT_NAMES,
    cell_fault,
    check_csv_names,
    edge_roles,
    is_directed,
    matrix_graph,
    read_text_graph,
)

MOST_MARKUP = 8_000_000
"""Bytes of a GraphML, GML, DOT or JSON file: they take longer to read than tables."""

WEIGHTS_ARE_CALLED = ("b", "w", "weights")
GRAPH_IS_CALLED = (
    *("graph", "dag", "adjacency", "adjacency_matrix", "adj", "true_graph", "true_dag"),
    *("truth", "a"),
    *WEIGHTS_ARE_CALLED,
)
"""What an array of a graph is called in an .npz file, in letters of any size."""


def read_graph(
    path: str | PathLike[str],
    columns: Iterable[Hashable] | None = None,
    *,
    transpose: bool = False,
) -> tuple[Adjacency, list[str]]:
    r"""Return the graph in a file, and the names of its nodes.

    A square matrix has cells 0 or 1; row a, column b is a→b, and 1 in both cells is undirected.
    Its names are the header and the first column; where one or both are absent, the order of
    the other, or of the data's columns, counts. An edge list has a header such as ``from,to``,
    ``source,target``, ``cause,effect`` or ``parent,child``; a column ``type`` may hold ``->`` and
    ``--``, a column ``weight`` numbers. Fields are separated by commas, semicolons, tabs or
    blanks. GraphML, GML, DOT, JSON, .npy and .npz files are recognised by their suffix. Nodes may
    be numbers of columns.

    What is taken for granted is said by a warning, `causalassay.data.ReadingNote`.

    Parameters
    ----------
    path : str or path
        The file to read.
    columns : iterable of names, optional
        The data's columns: rows and columns of the graph come in this order. A matrix
        must have the same names; an edge list may leave out nodes without edges.
        By default the order of the matrix, or of first appearance in the edge list.
    transpose : bool
        Turn every edge: for matrices in which row a, column b is b→a.

    Returns
    -------
    graph : Adjacency, shape (d, d)
    names : list of d str

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "edges.csv"
    ...     _ = path.write_text("from,to,type\nraf,mek,->\nmek,erk,--\n")
    ...     read_graph(path, columns=["erk", "mek", "raf"])
    (array([[False,  True, False],
           [ True, False, False],
           [False,  True, False]]), ['erk', 'mek', 'raf'])
    """
    file = as_path(path)
    where = file.name
    spelled = None if columns is None else [str(c) for c in check_names(columns, "columns")]
    wanted = None if spelled is None else check_csv_names(spelled, "columns")
    graph, names = placed(_read(file, wanted, where), wanted, where)
    return graph.T.copy() if transpose else graph, spelled or names


def _read(path: Path, wanted: Collection[str] | None, where: str) -> FileGraph:
    suffix = path.suffix.lower()
    if suffix in ARRAY_SUFFIXES:
        return _from_arrays(path, where)
    if suffix in _MARKUP:
        kind, reader = _MARKUP[suffix]
        return reader(read_text(path, f"a {kind} file with a graph", MOST_MARKUP), where)
    return read_text_graph(read_text(path, "a CSV file with a graph"), wanted, where)


def holds_graph(path: Path) -> bool:
    """Return whether an NPZ file of data has an array that is called a graph."""
    if path.suffix.lower() != ".npz":
        return False
    arrays = load_arrays(path, "an .npz file")
    return any(name.lower() in GRAPH_IS_CALLED for name in arrays)


def _from_arrays(path: Path, where: str) -> FileGraph:
    arrays = load_arrays(path, "an .npy or .npz file with a graph")
    square = {
        name: array
        for name, array in arrays.items()
        if array.ndim == 2 and array.shape[0] == array.shape[1] > 0 and array.dtype.kind in "biuf"
    }
    matrix = pick(square, GRAPH_IS_CALLED, "a square matrix of 0 and 1", where)
    wrong = (matrix != 0) & (matrix != 1)
    name = next(name for name, array in square.items() if array is matrix)
    # Not in other arrays: -1 and 2 mark ends of edges in some packages.
    if wrong.any() and np.isfinite(matrix).all() and name.lower() in WEIGHTS_ARE_CALLED:
        note(f"{where}: the graph holds weights; every cell that is not 0 is an edge")
        matrix, wrong = matrix != 0, np.zeros(matrix.shape, dtype=bool)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        cell = matrix[row, column].item()
        raise ValueError(f"{where}: row {row + 1}, column {column + 1} {cell_fault(cell)}")
    names = names_in(arrays, len(matrix))
    if names is None:
        note(f"{where}: {WITHOUT_NAMES}; {READ_AS}")
    else:
        names = check_csv_names(names, where)
    return matrix_graph(matrix.astype(bool), names, where)


# Graphs in JSON files: nodes, and edges with their ends.

EXPECTED = 'expected {"nodes": ["a", "b"], "edges": [{"from": "a", "to": "b", "type": "->"}]}'


def read_json_graph(text: str, where: str) -> FileGraph:
    """Return the graph of a JSON text.

    Nodes are names, or objects with an id. Edges are listed under "edges" or "links"; their ends
    are called as in edge lists, and "type" may be "->" or "--".

    Parameters
    ----------
    text : str
    where : str
        The file, for messages.

    Examples
    --------
    >>> graph = read_json_graph('{"edges": [{"source": "a", "target": "b"}]}', "g.json")
    >>> graph.names, graph.edges.tolist()
    (['a', 'b'], [[0, 1]])
    """
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = cut(visible(str(error)))
        raise ValueError(f"{where}: not JSON: {reason}; {EXPECTED}") from None
    edges = whole.get("edges", whole.get("links")) if isinstance(whole, Mapping) else None
    nodes = whole.get("nodes", []) if isinstance(whole, Mapping) else None
    if not isinstance(edges, list) or not isinstance(nodes, list):
        raise ValueError(f"{where}: no list of edges; {EXPECTED}")
    check_count(len(nodes), where)
    names = [_name(node.get("id") if isinstance(node, Mapping) else node, where) for node in nodes]
    _check_differ(names, where)
    undirected = whole.get("directed") is False
    pairs: list[tuple[str, str]] = []
    for number, edge in enumerate(edges, 1):
        pairs += _pairs(edge, number, "--" if undirected else "->", where)
    return of_edges(pairs, names)


def _pairs(edge: Any, number: int, usual: str, where: str) -> list[tuple[str, str]]:
    roles = edge_roles([key for key in edge if key]) if isinstance(edge, Mapping) else None
    if roles is None:
        raise ValueError(f"{where}: edge {number} has no ends; {EXPECTED}")
    cause, effect = (_name(edge[roles[end]], where) for end in ("from", "to"))
    if cause == effect:
        raise ValueError(f"{where}: edge {number} joins {shown(cause)} to itself; leave it out")
    stated = str(edge[roles["type"]]) if "type" in roles else usual
    if is_directed(stated, f"{where}: edge {number}"):
        return [(cause, effect)]
    return [(cause, effect), (effect, cause)]


def _name(value: Any, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise ValueError(f"{where}: got {shown(value)}, expected the name of a node")
    return str(value)


def _check_differ(names: list[str], where: str) -> None:
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise ValueError(f"{where}: two nodes are called {shown(twice[0])}; names must differ")


# Graphs in GraphML and GML files, read by networkx.

_LABELS = ("label", "name")
_FORBIDDEN = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


def read_markup_graph(text: str, where: str, suffix: str) -> FileGraph:
    """Return the graph of a GraphML or GML text.

    A node is called by its id, in GML by its label; other labels are tried if the data have no
    columns of these names. Entities, by which a small XML file can grow without bound, are
    refused.

    Parameters
    ----------
    text : str
    where : str
        The file, for messages.
    suffix : {".graphml", ".gml"}
    """
    if suffix == ".graphml" and _FORBIDDEN.search(text):
        raise ValueError(f"{where}: it declares entities or a document type; remove them")
    graph = _parsed(text, suffix, where)
    check_count(len(graph), where)
    ids = [str(node) for node in graph]
    labels = _labels(graph)
    if suffix == ".gml" and labels is not None:
        ids, labels = labels, None
    _check_differ(ids, where)
    called = dict(zip(graph, ids, strict=True))
    pairs = [(called[a], called[b]) for a, b in graph.edges()]
    loop = next((a for a, b in pairs if a == b), None)
    if loop is not None:
        raise ValueError(f"{where}: node {shown(loop)} has an edge to itself; leave it out")
    if not graph.is_directed():
        pairs += [(b, a) for a, b in pairs]
    return of_edges(pairs, ids, labels=labels)


def _parsed(text: str, suffix: str, where: str) -> Any:
    import networkx as nx  # noqa: PLC0415  half a second, and few files need it

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of attributes that are not used
            if suffix == ".graphml":
                return nx.parse_graphml(text)
            return nx.parse_gml(text, label="id")
    except Exception as error:  # the parsers raise whatever a broken file leads to
        reason = cut(visible(str(error) or type(error).__name__), 300)
        raise ValueError(f"{where}: not a readable {suffix} file: {reason}") from None


def _labels(graph: Any) -> list[str] | None:
    """Return the names that all nodes have besides their ids."""
    for key in _LABELS:
        labels = [attributes.get(key) for _, attributes in graph.nodes(data=True)]
        if labels and None not in labels:
            return [str(label) for label in labels]
    return None


_MARKUP: dict[str, tuple[str, Callable[[str, str], FileGraph]]] = {
    ".graphml": (".graphml", partial(read_markup_graph, suffix=".graphml")),
    ".gml": (".gml", partial(read_markup_graph, suffix=".gml")),
    ".dot": ("DOT", read_dot_graph),
    ".gv": ("DOT", read_dot_graph),
    ".json": ("JSON", read_json_graph),
}
"""Endings of files that are neither tables nor arrays: what messages call them, and the reader."""
