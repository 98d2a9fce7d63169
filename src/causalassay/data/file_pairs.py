"""Which graph belongs to which data file: a pair has one name, without the endings of the files.

Audits of several files and folders in study files pair by this rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from causalassay.common.spelling import natural_key
from causalassay.graphs.formats.reading import holds_graph

DATA_ENDINGS = (
    *(".csv", ".tsv", ".txt", ".dat", ".csv.gz", ".tsv.gz", ".txt.gz"),
    *(".parquet", ".feather", ".arrow", ".npy", ".npz"),
)
"""The endings of files that count when a folder is named."""

Role = Literal["data", "graph"]


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
class PairingFault:
    """Why files cannot be paired.

    Parameters
    ----------
    role : {"data", "graph"}
        Among which files something is to be added or left out.
    message : str
    """

    role: Role
    message: str


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder but for hidden ones; not those of folders in it."""
    return [file for file in folder.iterdir() if file.is_file() and not file.name.startswith(".")]


def data_files_in(folder: Path) -> list[Path]:
    """Return the files of a folder that can hold data, by their endings."""
    return [file for file in files_in(folder) if file.name.lower().endswith(DATA_ENDINGS)]


def pair_by_name(
    data: Iterable[Path], graphs: Iterable[Path], where: str
) -> tuple[list[Pair], list[PairingFault]]:
    """Return each data file with the graph of its name, and all that does not fit.

    An NPZ file may hold its graph itself.

    Parameters
    ----------
    data, graphs : iterable of Path
        In any order; the pairs are in the order of their names.
    where : str
        What a message calls the place of the graphs.

    Examples
    --------
    >>> data, graphs = [Path("s10.csv"), Path("s2.csv.gz")], [Path("s2.dot"), Path("s10.dot")]
    >>> pairs, faults = pair_by_name(data, graphs, "graphs")
    >>> [(pair.name, str(pair.graph)) for pair in pairs], faults
    ([('s2', 's2.dot'), ('s10', 's10.dot')], [])
    >>> [fault.message for fault in pair_by_name(data, graphs[1:], "graphs")[1]]
    ["s2.csv.gz: no graph called 's2' in graphs; add it"]
    """
    files, faults = by_name(data, "data")
    partners, doubled = by_name(graphs, "graph")
    faults += doubled
    for name, path in files.items():
        if name not in partners and not holds_graph(path):
            message = f"{path}: no graph called {name!r} in {where}; add it"
            faults.append(PairingFault("graph", message))
    for name, path in partners.items():
        if name not in files:
            message = (
                f"{path}: no data file called {name!r}; add it, or remove the graph from its folder"
            )
            faults.append(PairingFault("data", message))
    return [Pair(name, path, partners.get(name)) for name, path in files.items()], faults


def by_name(paths: Iterable[Path], role: Role) -> tuple[dict[str, Path], list[PairingFault]]:
    """Return files by their names without endings, in the order of the names, and doubled ones."""
    files: dict[str, Path] = {}
    faults = []
    for path in paths:
        name = stem(path)
        if name in files:
            message = (
                f"two {role} files have the name {name!r}: {files[name]} and {path}; leave one out"
            )
            faults.append(PairingFault(role, message))
        files.setdefault(name, path)
    return dict(sorted(files.items(), key=lambda item: natural_key(item[0]))), faults


def stem(path: Path) -> str:
    """Return a file's name without its ending, and without .gz before that.

    Examples
    --------
    >>> stem(Path("cells.csv.gz"))
    'cells'
    """
    name = path.name
    if name.lower().endswith(".gz"):
        name = name[:-3]
    return Path(name).stem
