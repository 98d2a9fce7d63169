"""NPZ files that hold the data of a benchmark, and often its graph."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile

from causalassay.arrays import Adjacency
from causalassay.data import Dataset
from causalassay.data.dataset import Rows
from causalassay.opening import check_regular
from causalassay.spelling import cut, visible

VALUES = ("values", "X", "x", "data", "samples")
GRAPHS = ("graph", "adjacency", "dag", "A", "adj", "weights", "W")
"""Of a graph or its weights: entry (i, j) is not 0 if i acts on j."""
NAMES = ("columns", "names")


def is_npz(path: Path) -> bool:
    """Tell whether a file's name ends in .npz."""
    return path.name.lower().endswith(".npz")


def read_npz(path: Path, rows: Rows = "independent") -> tuple[Dataset, Adjacency | None]:
    """Return the data set in an NPZ file, and its graph if there is one.

    Parameters
    ----------
    path : Path
        Holds ``values``, ``X``, ``data`` or ``samples``, an array of shape (n, d). The graph is
        ``graph``, ``adjacency``, ``dag``, ``A``, ``adj``, ``weights`` or ``W``, shape (d, d), where
        entry (i, j) is not 0 if i acts on j. Names of the columns are ``columns`` or ``names``.
    rows : {"independent", "series"}

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "set.npz"
    ...     np.savez(path, X=[[0.0, 1.0], [2.0, 4.5]], W=[[0.0, -1.5], [0.0, 0.0]])
    ...     data, graph = read_npz(path)
    >>> data.columns, graph.astype(int).tolist()
    (('x0', 'x1'), [[0, 1], [0, 0]])
    """
    check_regular(path, "an .npz file")
    try:
        with path.open("rb") as file:
            stored = np.load(file, allow_pickle=False)
            if not isinstance(stored, NpzFile):
                raise ValueError("it is a single array, as .npy files are")
            present = list(stored.files)
            arrays = {name: stored[name] for name in present if name in _KNOWN}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, KeyError) as error:
        raise ValueError(
            f"{path}: not a readable .npz file of numbers: {cut(visible(str(error)))}"
        ) from error
    values = _one_of(arrays, VALUES, path, present)
    if values is None:
        raise ValueError(
            f"{path}: no array of data; expected one named {', '.join(VALUES)}, got "
            f"{', '.join(map(visible, present)) or 'none'}"
        )
    names = _one_of(arrays, NAMES, path, present)
    try:
        columns = None if names is None else [str(name) for name in names.tolist()]
        data = Dataset.from_values(np.asarray(values, dtype=float), columns, rows=rows)
    except (ValueError, TypeError, IndexError) as error:
        raise ValueError(f"{path}: {error}") from None
    return data, _graph(_one_of(arrays, GRAPHS, path, present), data.n_nodes, path)


_KNOWN = {*VALUES, *GRAPHS, *NAMES}


def _one_of(
    arrays: dict[str, Any], names: tuple[str, ...], path: Path, present: list[str]
) -> Any | None:
    """Return the array with one of some names; None without, and an error if there are two."""
    found = [name for name in names if name in present]
    if len(found) > 1:
        raise ValueError(f"{path}: arrays {found[0]!r} and {found[1]!r} mean the same; leave one")
    return arrays[found[0]] if found else None


def _graph(array: Any | None, n_nodes: int, path: Path) -> Adjacency | None:
    if array is None:
        return None
    if array.shape != (n_nodes, n_nodes) or array.dtype.kind not in "biuf":
        raise ValueError(
            f"{path}: the graph has shape {array.shape} and type {array.dtype}, expected numbers "
            f"of shape ({n_nodes}, {n_nodes}), one row and column for each column of the data"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{path}: the graph holds nan or infinities, expected numbers")
    graph: Adjacency = array != 0
    if graph.diagonal().any():
        raise ValueError(f"{path}: the graph has a node with an edge to itself; clear the diagonal")
    return graph
