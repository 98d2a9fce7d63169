"""The files of a benchmark: which data belong to which graph, and how they are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from causalassay.common.arrays import Adjacency
from causalassay.common.files import check_regular
from causalassay.data import Dataset, read
from causalassay.data.dataset import Rows
from causalassay.data.file_pairs import (
    DATA_ENDINGS,
    Pair,
    PairingFault,
    by_name,
    data_files_in,
    files_in,
    pair_by_name,
)
from causalassay.graphs import read_graph
from causalassay.graphs.formats.reading import holds_graph


@dataclass(frozen=True)
class Reading:
    """How data files are read; as `causalassay.data.read` has it.

    Parameters
    ----------
    target, condition, observational : str, optional
    discrete : bool or tuple of str
        Whether all columns are, or which.
    rows : {"independent", "series"}
    drop : list of str, optional
        Columns to leave out.
    separator : str, optional
        The separator of fields in text files.
    transpose : bool
        Turn the edges of the graphs.
    """

    target: str | None = None
    condition: str | None = None
    observational: str | None = None
    discrete: bool | tuple[str, ...] = ()
    rows: Rows = "independent"
    drop: list[str] | None = None
    separator: str | None = None
    transpose: bool = False


def pair_files(
    data: Sequence[Path], graph: Path | None = None, graphs: Path | None = None
) -> list[Pair]:
    """Return each data file with the file of its graph.

    Parameters
    ----------
    data : sequence of Path
        Files, or folders of files.
    graph : Path, optional
        One graph for all of them.
    graphs : Path, optional
        A folder with one graph for each, of the same name.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.csv", "a.csv.gz"):
    ...         (Path(folder) / name).touch()
    ...     [pair.name for pair in pair_files([Path(folder)], Path("graph.csv"))]
    ['a', 'b']
    """
    if graph is not None and graphs is not None:
        raise ValueError("pass --graph (one graph for all files) or --graphs (a folder), not both")
    paths = _expanded(data, graph)
    if graphs is not None:
        if not graphs.is_dir():
            raise ValueError(
                f"{graphs}: expected a folder of graph files; for one graph for all files use "
                "--graph"
            )
        pairs, faults = pair_by_name(paths, files_in(graphs), str(graphs))
        _refuse(faults)
        return pairs
    files, faults = by_name(paths, "data")
    _refuse(faults)
    if graph is None and len(files) > 1:
        _check_graphs_inside(list(files.values()))
    return [Pair(name, path, graph) for name, path in files.items()]


def _refuse(faults: Sequence[PairingFault]) -> None:
    if faults:
        raise ValueError(faults[0].message)


def read_pair(pair: Pair, how: Reading) -> tuple[Dataset, Adjacency | None]:
    """Return the data and the graph of a pair; None without a graph.

    The graph of an NPZ file may be in the file itself.
    """
    options = {name: value for name, value in vars(how).items() if name != "transpose"}
    data = read(pair.data, **options)
    inside = holds_graph(pair.data)
    if inside and pair.graph is not None:
        raise ValueError(f"{pair.data} has its own graph; leave out {pair.graph}")
    file = pair.data if inside else pair.graph
    if file is None:
        return data, None
    return data, read_graph(file, data.columns, transpose=how.transpose)[0]


def _expanded(paths: Iterable[Path], graph: Path | None) -> list[Path]:
    """Return the files, those of folders among them; the graph of all is none of a folder's."""
    expanded: list[Path] = []
    for path in paths:
        if path.is_dir():
            expanded += [file for file in data_files_in(path) if file != graph]
        else:
            check_regular(path, "a data file")
            expanded.append(path)
    if not expanded:
        named = ", ".join(str(path) for path in paths)
        raise ValueError(f"{named}: no data file in it; expected {', '.join(DATA_ENDINGS)}")
    return expanded


def _check_graphs_inside(paths: list[Path]) -> None:
    """Raise unless every file can hold its own graph."""
    bare = [path for path in paths if not holds_graph(path)]
    if not bare:
        return
    graph = next((path for path in bare if "graph" in path.name.lower()), None)
    if graph is not None and len(paths) == 2:
        other = next(path for path in paths if path != graph)
        raise ValueError(f"got two data files; is {graph} the graph? audit {other} --graph {graph}")
    raise ValueError(
        f"{len(paths)} data files need their graphs: --graphs FOLDER (paired by file name) or "
        "--graph FILE (one for all)"
    )
