"""Graphs in files: a matrix, an edge list, or the formats of other programs."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from os import PathLike
from pathlib import Path

import numpy as np

from causalassay.array_files import SUFFIXES as ARRAY_SUFFIXES
from causalassay.array_files import load_arrays, names_in, pick
from causalassay.arrays import Adjacency
from causalassay.graphs.dot_graphs import read_dot_graph
from causalassay.graphs.file_graph import FileGraph, placed
from causalassay.graphs.json_graphs import read_json_graph
from causalassay.graphs.markup_graphs import read_markup_graph
from causalassay.graphs.matrix_tables import (
    READ_AS,
    WITHOUT_NAMES,
    cell_fault,
    check_csv_names,
    matrix_graph,
)
from causalassay.graphs.node_names import check_names
from causalassay.graphs.text_graphs import read_text_graph
from causalassay.opening import note, read_text

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
    blanks. GraphML, GML, DOT, JSON, .npy and .npz files are told by their suffix. Nodes may be
    numbers of columns.

    What is taken for granted is said by a warning, `causalassay.data.ReadingNote`.

    Parameters
    ----------
    path : str or path
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
    where = Path(path).name
    spelled = None if columns is None else [str(c) for c in check_names(columns, "columns")]
    wanted = None if spelled is None else check_csv_names(spelled, "columns")
    graph, names = placed(_read(Path(path), wanted, where), wanted, where)
    return graph.T.copy() if transpose else graph, spelled or names


def _read(path: Path, wanted: Collection[str] | None, where: str) -> FileGraph:
    suffix = path.suffix.lower()
    if suffix in ARRAY_SUFFIXES:
        return _from_arrays(path, where)
    if suffix in (".graphml", ".gml"):
        text = read_text(path, f"a {suffix} file with a graph", MOST_MARKUP)
        return read_markup_graph(text, suffix, where)
    if suffix in (".dot", ".gv"):
        return read_dot_graph(read_text(path, "a DOT file with a graph", MOST_MARKUP), where)
    if suffix == ".json":
        return read_json_graph(read_text(path, "a JSON file with a graph", MOST_MARKUP), where)
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
        name: one
        for name, one in arrays.items()
        if one.ndim == 2 and one.shape[0] == one.shape[1] > 0 and one.dtype.kind in "biuf"
    }
    matrix = pick(square, GRAPH_IS_CALLED, "a square matrix of 0 and 1", where)
    wrong = (matrix != 0) & (matrix != 1)
    name = next(name for name, one in square.items() if one is matrix)
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
