"""Real data, rivers, and discrete networks that were made from experts or data: their sources."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Values
from causalassay.common.seeding import stream
from causalassay.data import Dataset, Discrete, Problem, Regime, chamber, sachs
from causalassay.data.problem import CHAMBER, CHAMBER_GRAPH, SACHS, KnownFile, locate
from causalassay.graphs import read_graph
from causalassay.graphs.orders import topological_order
from causalassay.lab.hall.entry import Draw, Entry, Settings, SourceAbsent
from causalassay.models import DiscreteSCM, read_bif
from causalassay.study.keys import file_sha256

CONDITION = "observational"
N_INTERVAL = 200
"""Resamples of the rows of a data set, for the intervals of its sortabilities."""

SMALL, MIDDLE = 50, 150
"""Nodes up to which a network has as many data sets as a generator, and up to which it has 5."""

REPOSITORY = "Scutari (2010), the Bayesian network repository of bnlearn, doi:10.18637/jss.v035.i03"
LOHSE = "Lohse, Wahl (2025), Sortability of time series data, TMLR, arXiv:2407.13313"


# Data sets whose rows are there.


@dataclass(frozen=True)
class RealData:
    """A data set whose files are on this machine, or not.

    Parameters
    ----------
    read : callable
        Takes the folder of the files, or None: then it looks where it always does.
    files : tuple of KnownFile
    folder : Path, optional
    """

    read: Callable[[Path | None], Problem]
    files: tuple[KnownFile, ...]
    folder: Path | None

    version = ""  # the checksums say what it is

    @property
    def identity(self) -> Mapping[str, Any]:
        """The checksums of its files, which never change."""
        return {file.name: file.sha256 for file in self.files} | {"resamples": N_INTERVAL}

    def draw(self, _settings: Settings, _number: int) -> Draw:
        """Return the observational rows and the graph."""
        try:
            problem = self.read(self.folder)
        except FileNotFoundError as reason:
            raise _absent(self.files) from reason
        data = problem.data
        return Dataset.from_values(data.observational_values, data.columns), problem.graph


def _absent(files: Sequence[KnownFile]) -> SourceAbsent:
    names = " and ".join(file.name for file in files)
    return SourceAbsent(f"{names} not found: name the folder with --data FOLDER")


RIVERS = {
    "danube": (
        "f3d5e7db44872370ed8d007262a5daca7ea243f5abd3c9c4b9eb1dceeb286305",
        "6a10f7763ecc63bd8e83e6753adaf3fe5355a454dfc9c5231d94798881378408",
    ),
    "lower-colorado": (
        "3d080653f1befc3595c4266869a1111170fb0fbc3bab764825d72d8e7ac26b74",
        "8c4b47e82996e3548f941b78d524e880a2df8550387dd3587a4a47a3972e8918",
    ),
    "middle-colorado": (
        "fd054cec0a5cd8b7f787795a5db85ae59e3b82d88fce4d46bef376498e95cc19",
        "0fd4a6f0723c503405d7551770cd9859c20d76c538e0a7a56c0208b42d20870b",
    ),
    "upper-colorado": (
        "68ac850008a20d1d713820a0b36637ec166aa85a0e65634b53a116b862762e94",
        "2c2ae3f7a9e24ca8f10f2b61d1d47f98cd4bab6aaf982002be21452559b3572c",
    ),
}
"""The SHA-256 of the stations' rows and of the flow between neighbours, by river."""


@dataclass(frozen=True)
class River:
    """The discharge at the stations of a river, whose direction of flow is known.

    Parameters
    ----------
    name : str
        A name of `RIVERS`.
    folder : Path, optional
        Holds the files, or a folder ``rivers`` that does.
    exponentiated : bool
        The stored values look like logarithms: undo them.
    as_series : bool
        Rows follow each other in time; those with a missing value are left out, and what is left
        is read as if nothing were between.
    """

    name: str
    folder: Path | None
    exponentiated: bool = False
    as_series: bool = False

    version = ""  # the checksums say what it is

    @property
    def files(self) -> tuple[KnownFile, KnownFile]:
        """The rows and the graph."""
        rows, graph = RIVERS[self.name]
        return (
            KnownFile(self.name, f"{self.name}.csv", rows),
            KnownFile(self.name, f"{self.name}-graph.csv", graph),
        )

    @property
    def identity(self) -> Mapping[str, Any]:
        """The checksums of its files, and what is done to the values."""
        changes = {"exponentiated": self.exponentiated, "series": self.as_series}
        return {file.name: file.sha256 for file in self.files} | changes | {"resamples": N_INTERVAL}

    def draw(self, _settings: Settings, _number: int) -> Draw:
        """Return the complete rows and the graph."""
        columns, rows, graph = self.stations()
        complete = rows[~np.isnan(rows).any(axis=1)]
        values = np.exp(complete) if self.exponentiated else complete
        kind = "series" if self.as_series else "independent"
        return Dataset.from_values(values, columns, rows=kind), graph  # type: ignore[arg-type]

    def stations(self) -> tuple[tuple[str, ...], Values, Adjacency]:
        """Return the names of the stations, all rows as stored (nan is missing), and the graph."""
        try:
            table, graph_file = (
                locate(file, _folder_of("rivers", self.folder)) for file in self.files
            )
        except FileNotFoundError as reason:
            raise _absent(self.files) from reason
        with table.open(encoding="utf-8") as file:
            columns = tuple(file.readline().strip().split(","))
            rows = np.loadtxt(file, delimiter=",", ndmin=2)
        graph, _ = read_graph(graph_file, columns=columns)
        return columns, rows, graph


def _folder_of(part: str, folder: Path | None) -> Path | None:
    """Return the folder below that of real data that holds a part of them, if it is there."""
    if folder is None:
        return None
    return folder / part if (folder / part).is_dir() else folder


def real_data(folder: Path | None) -> Iterator[Entry]:
    """Yield the data sets that are known by their checksums.

    Examples
    --------
    >>> [entry.name for entry in real_data(None)][:4]
    ['sachs', 'chamber', 'danube', 'danube-series']
    """
    yield Entry(
        "sachs",
        "data set",
        "",
        "continuous",
        "853 single-cell measurements of 11 proteins, with the usual 17-edge graph.",
        'ca.data.sachs("FOLDER")',
        RealData(sachs, (SACHS,), folder),
        "The observational condition alone.",
        "Sachs, Perez, Pe'er, Lauffenburger, Nolan (2005), doi:10.1126/science.1105809",
        "--data FOLDER",
    )
    yield Entry(
        "chamber",
        "data set",
        "",
        "continuous",
        "10 000 measurements of a light tunnel, a machine whose causes are known.",
        'ca.data.chamber("FOLDER")',
        RealData(chamber, (CHAMBER, CHAMBER_GRAPH), folder),
        "The reference condition alone.",
        "Gamella, Peters, Bühlmann (2025), arXiv:2404.11341",
        "--data FOLDER",
    )
    for river in RIVERS:
        for exponentiated in (False, True):
            for as_series in (False, True):
                yield _river_entry(River(river, folder, exponentiated, as_series))


_SIZES = {
    "danube": (428, 428, 31),
    "lower-colorado": (92, 961, 21),
    "middle-colorado": (253, 972, 12),
    "upper-colorado": (392, 975, 9),
}
"""Complete rows, all rows and stations."""


def _river_entry(river: River) -> Entry:
    complete, stored, stations = _SIZES[river.name]
    ending = ("-exp" if river.exponentiated else "") + ("-series" if river.as_series else "")
    scale = "exponentiated" if river.exponentiated else "as stored, which look like logarithms"
    rows = f"{complete} of {stored} rows are complete; the others are left out"
    order = ", which closes gaps in time" if river.as_series and complete < stored else ""
    return Entry(
        f"{river.name}{ending}",
        "data set",
        "",
        "series" if river.as_series else "continuous",
        f"Discharge at {stations} stations of a river, with the direction of its flow.",
        f'np.loadtxt("{river.name}.csv", delimiter=",", skiprows=1)',
        river,
        f"Values {scale}. {rows}{order}.",
        LOHSE,
        "--data FOLDER",
    )


# Networks, whose samples are drawn.


@dataclass(frozen=True)
class NetworkShape:
    """The columns of a network's samples that say something, and its graph on them.

    Parameters
    ----------
    chosen : array of int
        Nodes, in the order of the file.
    graph : Adjacency
    n_constant, n_copies : int
        Columns left out.
    """

    chosen: NDArray[np.int64]
    graph: Adjacency
    n_constant: int
    n_copies: int


@dataclass(frozen=True)
class BayesianNetwork:
    """A discrete network in a BIF file: its graph is one, its samples are drawn.

    A column that is constant in any of the draws is left out with its node. Columns that are
    equal in any of the draws are one: that of the node that comes first along the graph, which
    takes the effects of the others. So all draws have one graph.

    Parameters
    ----------
    file : KnownFile
        Its name and checksum.
    folder : Path, optional
        Holds it, or a folder ``networks`` that does.
    n_draws : int, optional
        The most that are drawn.
    """

    file: KnownFile
    folder: Path | None
    most_draws: int | None = None

    version = ""  # the checksum says what it is

    @property
    def identity(self) -> Mapping[str, Any]:
        """The checksum of the file, and how many data sets are drawn."""
        limit = {} if self.most_draws is None else {"most_draws": self.most_draws}
        return {"sha256": self.file.sha256, **limit}

    def model(self) -> DiscreteSCM:
        """Return the network."""
        try:
            path = locate(self.file, _folder_of("networks", self.folder))
        except FileNotFoundError as reason:
            raise _absent([self.file]) from reason
        return _read_once(path, self.file.sha256)

    def draw(self, settings: Settings, number: int) -> Draw:
        """Return samples of the network and its graph."""
        model = self.model()
        shape = self.shape(settings)
        kinds = tuple(Discrete(model.levels[node]) for node in shape.chosen.tolist())
        columns = tuple(model.names[node] for node in shape.chosen.tolist())
        regime = Regime(CONDITION, self._sample(model, settings, number)[:, shape.chosen])
        return Dataset(columns, (regime,), CONDITION, kinds), shape.graph

    def shape(self, settings: Settings) -> NetworkShape:
        """Return the columns that no draw shows constant or equal to an earlier one."""
        model = self.model()
        return _shape(self, model, settings)

    def _sample(self, model: DiscreteSCM, settings: Settings, number: int) -> Values:
        """Return what a study with this seed has as its replicate of that number."""
        rng = stream(settings.seed, "data", "main", self.file.sha256, number, 0)
        return model.sample(settings.samples, rng)


@lru_cache(maxsize=2)
def _read_once(path: Path, _sha256: str) -> DiscreteSCM:
    return read_bif(path)


@lru_cache(maxsize=2)
def _shape(network: BayesianNetwork, model: DiscreteSCM, settings: Settings) -> NetworkShape:
    n_draws = min(settings.draws, network.most_draws or settings.draws)
    draws = [network._sample(model, settings, number) for number in range(n_draws)]
    return distinct_columns(draws, model.graph)


def distinct_columns(draws: Sequence[Values], graph: Adjacency) -> NetworkShape:
    """Return the columns that vary in all draws and are no copies, and the graph on them.

    Examples
    --------
    A copy acts as what it copies:

    >>> from causalassay.graphs import chain
    >>> values = np.array([[0, 0, 1, 2], [1, 1, 0, 2], [1, 1, 1, 2]])
    >>> shape = distinct_columns([values], chain(4))
    >>> shape.chosen, shape.graph.astype(int).tolist(), shape.n_constant, shape.n_copies
    (array([0, 2]), [[0, 1], [0, 0]], 1, 1)
    """
    d = len(graph)
    varies = np.all([np.ptp(values, axis=0) > 0 for values in draws], axis=0)
    order = topological_order(graph).tolist()
    first = np.arange(d)
    for values in draws:
        seen: dict[bytes, int] = {}
        for node in order:
            if varies[node]:
                earlier = seen.setdefault(values[:, node].tobytes(), node)
                early, late = sorted((_end(first, earlier), _end(first, node)), key=order.index)
                first[late] = early
    ends = np.array([_end(first, node) for node in range(d)])
    chosen = np.flatnonzero(varies & (ends == np.arange(d)))
    merged = np.zeros((d, d), dtype=bool)
    cause, effect = np.nonzero(graph)
    merged[ends[cause], effect] = True
    np.fill_diagonal(merged, val=False)
    n_constant = int((~varies).sum())
    return NetworkShape(
        chosen, merged[np.ix_(chosen, chosen)], n_constant, d - n_constant - len(chosen)
    )


def _end(first: NDArray[np.int64], node: int) -> int:
    while first[node] != node:
        node = int(first[node])
    return node


def known_networks(folder: Path | None) -> Iterator[Entry]:
    """Yield an entry for each network of the repository of bnlearn, the small ones first.

    Examples
    --------
    >>> [entry.name for entry in known_networks(None)][-1]
    'network-munin3'
    """
    for name, fields in _repository().items():
        nodes = int(fields["nodes"])
        most = _most_draws(nodes)
        file = KnownFile(name, f"{name}.bif.gz", str(fields["sha256"]))
        yield Entry(
            f"network-{name}",
            "network",
            "",
            "discrete",
            f"A discrete network of {nodes} nodes.",
            f'ca.models.read_bif("{name}.bif.gz").sample(n, rng)',
            BayesianNetwork(file, folder, most),
            _NETWORK_NOTE,
            REPOSITORY,
            "--data FOLDER",
            most,
        )


_NETWORK_NOTE = (
    "All draws have the network's own graph, so that they are one instance. A column that is "
    "constant in a draw is left out, and of equal columns all but the first along the graph."
)


def _most_draws(nodes: int) -> int | None:
    if nodes <= SMALL:
        return None
    return 5 if nodes <= MIDDLE else 1


@lru_cache(maxsize=1)
def _repository() -> dict[str, dict[str, int | str]]:
    text = resources.files(__package__).joinpath("networks.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def networks(files: Sequence[Path]) -> Iterator[Entry]:
    """Yield an entry for each BIF file; its name is the file's without the ending.

    Raises
    ------
    ValueError
        If a file is no network.
    """
    for file in files:
        model = read_bif(file)
        known = KnownFile(file.stem, file.name, file_sha256(file))
        yield Entry(
            re.sub(r"[^\w.-]+", "-", file.name.removesuffix(".gz").removesuffix(".bif")),
            "network",
            "",
            "discrete",
            f"A discrete network of {len(model.names)} nodes.",
            f'ca.models.read_bif("{file.name}").sample(n, rng)',
            BayesianNetwork(known, file),
            _NETWORK_NOTE,
            "",
            f"--bif {shlex.quote(file.name)}",
        )
