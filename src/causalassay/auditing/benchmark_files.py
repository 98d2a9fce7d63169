"""The files of a benchmark: which data belong to which graph, and how they are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from causalassay.auditing.sortability_rows import natural_key
from causalassay.common.arrays import Adjacency
from causalassay.common.files import check_regular
from causalassay.data import Dataset, read
from causalassay.data.dataset import Rows
from causalassay.graphs import read_graph
from causalassay.graphs.formats.reading import holds_graph

DATA_ENDINGS = (
    *(".csv", ".tsv", ".txt", ".dat", ".csv.gz", ".tsv.gz", ".txt.gz"),
    *(".parquet", ".feather", ".arrow", ".npy", ".npz"),
)
"""The endings of files that count when a folder is named."""


@dataclass(frozen=True)
class Pair:
    """A data file and the file of its graph.

    Parameters
    ----------
    name : str
        The name of the data file without its ending.
    data : Path
    graph : Path, optional
        None if there is none, or if the data file holds it.
    """

    name: str
    data: Path
    graph: Path | None


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
    files = _by_name(_expanded(data), "data")
    if graphs is not None:
        partners = _by_name(_folder(graphs, "graph files"), "graph")
        _check_partners(files, partners, graphs)
        return [Pair(name, path, partners.get(name)) for name, path in files.items()]
    if graph is None and len(files) > 1:
        _check_graphs_inside(list(files.values()))
    return [Pair(name, path, graph) for name, path in files.items()]


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


def _expanded(paths: Iterable[Path]) -> list[Path]:
    """Return the files, those of folders among them."""
    expanded: list[Path] = []
    for path in paths:
        if path.is_dir():
            expanded += [
                file
                for file in _folder(path, "data files")
                if file.name.lower().endswith(DATA_ENDINGS)
            ]
        else:
            check_regular(path, "a data file")
            expanded.append(path)
    if not expanded:
        named = ", ".join(str(path) for path in paths)
        raise ValueError(f"{named}: no data file in it; expected {', '.join(DATA_ENDINGS)}")
    return expanded


def _folder(path: Path, expected: str) -> list[Path]:
    if not path.is_dir():
        raise ValueError(
            f"{path}: expected a folder of {expected}; for one graph for all files use --graph"
        )
    return [file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")]


def _by_name(paths: Iterable[Path], role: str) -> dict[str, Path]:
    """Return the files by their names without endings, in the order of the names."""
    files: dict[str, Path] = {}
    for path in paths:
        name = _stem(path)
        if name in files:
            raise ValueError(
                f"two {role} files have the name {name!r}: {files[name]} and {path}; leave one out"
            )
        files[name] = path
    return dict(sorted(files.items(), key=lambda item: natural_key(item[0])))


def _stem(path: Path) -> str:
    """Return a file's name without its ending, and without .gz before that."""
    name = path.name
    if name.lower().endswith(".gz"):
        name = name[:-3]
    return Path(name).stem


def _check_partners(files: dict[str, Path], graphs: dict[str, Path], folder: Path) -> None:
    for name, path in files.items():
        if name not in graphs and not holds_graph(path):
            raise ValueError(f"{path}: no graph called {name!r} in {folder}; add it")
    for name, path in graphs.items():
        if name not in files:
            raise ValueError(
                f"{path}: no data file called {name!r}; add it, or remove the graph from its folder"
            )


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
