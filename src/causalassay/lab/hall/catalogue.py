"""All entries of the hall, in the order of its table, and the sources of their data sets."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import stream
from causalassay.common.spelling import did_you_mean
from causalassay.data import Continuous, Dataset, Discrete, Problem, Regime, chamber, sachs
from causalassay.data.dataset import World
from causalassay.data.problem import CHAMBER, CHAMBER_GRAPH, SACHS, KnownFile
from causalassay.environments.catalogue import (
    EnvironmentDefinition,
    GeneratorDefinition,
    environment,
    environment_generators,
)
from causalassay.environments.generating import Drawn, draw
from causalassay.environments.installing import folder_of, state, versions
from causalassay.environments.process import EnvironmentAbsent, EnvironmentFailed, PackageRefused
from causalassay.graphs import LaggedGraph
from causalassay.graphs.sources import ErdosRenyi, GraphSource, LaggedErdosRenyi
from causalassay.listing import short_lines
from causalassay.models import read_bif
from causalassay.models.registry import MODELS, ModelSource, source
from causalassay.study.keys import canonical, file_sha256
from causalassay.study.problem_specs import Generated, Network
from causalassay.study.worker.problem_making import NoProblem, make

EDGES_PER_NODE = 2
MAX_LAG = 2

CONDITION = "observational"

Draw = tuple[Dataset, Adjacency | LaggedGraph]


class SourceAbsent(Exception):
    """A source cannot be asked here; the message says what to do."""


class SourceFailed(Exception):
    """A source gave no data; the message is the reason of its row."""


@dataclass(frozen=True)
class Settings:
    """How much is drawn of each generator.

    Parameters
    ----------
    draws : int
        Data sets of each generator, each with a graph of its own.
    nodes, samples : int
        Columns and rows of a data set.
    seed : int
        The seed of all random draws.

    Examples
    --------
    >>> Settings(draws=0)
    Traceback (most recent call last):
    ValueError: draws: expected at least 1, got 0
    """

    draws: int = 20
    nodes: int = 20
    samples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("draws", 1), ("nodes", 3), ("samples", 10), ("seed", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name}: expected at least {least}, got {getattr(self, name)}")

    @property
    def options(self) -> str:
        """The options of the command that differ from their defaults.

        Examples
        --------
        >>> Settings(draws=5).options
        ' --draws 5'
        """
        stated = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }
        return "".join(f" --{name} {value}" for name, value in stated.items())


class Source(Protocol):
    """A source of data sets, one for each number."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """Plain values that change if its data sets do."""
        ...

    @property
    def version(self) -> str:
        """The version of its package; empty if it has none."""
        ...

    def draw(self, settings: Settings, number: int) -> Draw:
        """Return a data set and its graph.

        Raises
        ------
        SourceAbsent, SourceFailed
        """
        ...


@dataclass(frozen=True)
class Scheme:
    """A model source with its defaults, on random graphs of its world.

    Parameters
    ----------
    model : ModelSource
    world : {"continuous", "discrete", "series"}

    Examples
    --------
    >>> from causalassay.models import ISCM
    >>> data, graph = Scheme(ISCM(), "continuous").draw(Settings(nodes=5, samples=50), 0)
    >>> data.observational_values.shape, graph.shape
    ((50, 5), (5, 5))
    """

    model: ModelSource
    world: World

    @property
    def identity(self) -> Mapping[str, Any]:
        """The model source with its version, and its graphs."""
        return {"model": canonical(self.model), "graph": canonical(_graphs(self.world, 10))}

    @property
    def version(self) -> str:
        """The version of causalassay."""
        return version("causalassay")

    def draw(self, settings: Settings, number: int) -> Draw:
        """Return what a study with this seed has as its replicate of that number."""
        spec = Generated(_graphs(self.world, settings.nodes), self.model, settings.samples)
        problem = _problem(spec, settings, number)
        return problem.data, problem.graph if problem.lagged is None else problem.lagged


def _problem(spec: Generated | Network, settings: Settings, number: int) -> Problem:
    """Return what a study with this seed has as its replicate of that number."""
    try:
        return make(settings.seed, spec, "main", number).problem
    except NoProblem as reason:
        raise SourceFailed(str(reason)) from reason


def _graphs(world: World, nodes: int) -> GraphSource:
    if world == "series":
        return LaggedErdosRenyi(nodes, link_probability(nodes), MAX_LAG, feedback=False)
    return ErdosRenyi(nodes, EDGES_PER_NODE, exact=False)


def link_probability(nodes: int) -> float:
    """Return the probability of a link between two nodes that gives the expected number."""
    return min(1.0, 2 * EDGES_PER_NODE / (nodes - 1))


@dataclass(frozen=True)
class PackageGenerator:
    """A generator in its environment.

    Parameters
    ----------
    generator : GeneratorDefinition
    """

    generator: GeneratorDefinition

    @property
    def home(self) -> EnvironmentDefinition:
        """Its environment."""
        return environment(self.generator.environment)

    @property
    def identity(self) -> Mapping[str, Any]:
        """The pins, and the version of how the package is called."""
        return {
            "generator": self.generator.name,
            "pins": list(self.home.pins),
            "version": self.generator.version,
        }

    @property
    def version(self) -> str:
        """The version of the package as installed; before that as pinned."""
        name, _, pinned = first_pin(self.home).partition("==")
        if state(self.home).python is None:
            return pinned
        return versions(folder_of(self.home)).get(name.lower(), pinned)

    def draw(self, settings: Settings, number: int) -> Draw:
        """Return a data set and its graph; each number has a seed of its own."""
        rng = stream(settings.seed, "hall", self.generator.name, number)
        seed = int(rng.integers(2**32))
        try:
            drawn = draw(self.generator, settings.nodes, settings.samples, seed)
        except EnvironmentAbsent as reason:
            raise SourceAbsent(str(reason)) from reason
        except (EnvironmentFailed, PackageRefused) as reason:
            raise SourceFailed(str(reason)) from reason
        varying = np.ptp(drawn.values, axis=0) > 0
        return _data(drawn, self.generator.world, varying), _graph(drawn, varying)


def first_pin(home: EnvironmentDefinition) -> str:
    """Return the pin of the package that an environment is there for: the first."""
    return next((pin for pin in home.pins if not pin.startswith("-")), "")


def _data(drawn: Drawn, world: str, varying: NDArray[np.bool_]) -> Dataset:
    """Return the columns that vary: a constant is neither cause nor effect of anything."""
    columns = np.flatnonzero(varying)
    kinds: tuple[Continuous | Discrete, ...] = (Continuous(),) * len(columns)
    if drawn.levels is not None:
        counts = np.array(drawn.levels)[columns]
        kinds = tuple(Discrete(tuple(map(float, range(count)))) for count in counts)
    return Dataset(
        tuple(f"x{node}" for node in columns),
        (Regime(CONDITION, drawn.values[:, columns]),),
        CONDITION,
        kinds,
        "series" if world == "series" else "independent",
    )


def _graph(drawn: Drawn, varying: NDArray[np.bool_]) -> Adjacency | LaggedGraph:
    if drawn.links is None:
        return drawn.graph[np.ix_(varying, varying)]
    return LaggedGraph(drawn.links[:, varying][:, :, varying])


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
        return {file.name: file.sha256 for file in self.files}

    def draw(self, _settings: Settings, _number: int) -> Draw:
        """Return the observational rows and the graph."""
        try:
            problem = self.read(self.folder)
        except FileNotFoundError as reason:
            names = " and ".join(file.name for file in self.files)
            raise SourceAbsent(f"{names} not found: name the folder with --data FOLDER") from reason
        data = problem.data
        return Dataset.from_values(data.observational_values, data.columns), problem.graph


@dataclass(frozen=True)
class BayesianNetwork:
    """A discrete network in a BIF file: its graph is one, its samples are drawn.

    Parameters
    ----------
    file : Path
    sha256 : str
    """

    file: Path
    sha256: str

    version = ""  # the checksum says what it is

    @property
    def identity(self) -> Mapping[str, Any]:
        """The checksum of the file."""
        return {"sha256": self.sha256}

    def draw(self, settings: Settings, number: int) -> Draw:
        """Return samples of the network and its graph."""
        problem = _problem(Network(self.sha256, self.file, settings.samples), settings, number)
        return problem.data, problem.graph


Group = Literal["package", "ours", "data set", "network"]
"""Generators of other packages, ours, real data, and networks that users name."""

WORLDS: Mapping[str, World] = {"var": "series", "discrete": "discrete"}
"""By mechanism; the others make independent rows of numbers."""

_GRAPHS: Mapping[World, str] = {
    "continuous": "ca.graphs.erdos_renyi({nodes}, 2, rng, exact=False)",
    "discrete": "ca.graphs.erdos_renyi({nodes}, 2, rng, exact=False)",
    "series": "ca.graphs.lagged_erdos_renyi({nodes}, {share:.3g}, 2, rng, feedback=False)",
}
_NOTES: Mapping[World, str] = {
    "continuous": "Erdős–Rényi graphs, 2 edges per node expected.",
    "discrete": "Erdős–Rényi graphs, 2 edges per node expected.",
    "series": "2 links per node to others expected, at lags 0 to 2, without feedback.",
}
_FUNCTIONS: Mapping[str, str] = {
    "gp": "Functions: one Gaussian process over all parents.",
    "gp-additive": "Functions: a sum of Gaussian processes, one for each parent.",
    "mlp": "Functions: random networks.",
    "multi-index": "Functions: tanh, cos and sin of random sums of the parents.",
    "rff": "Functions: Gaussian processes by random Fourier features.",
    "sigmoid": "Functions: sums of sigmoids, one for each parent.",
}


@dataclass(frozen=True, eq=False)
class Entry:
    """A row of the hall before it is measured.

    Parameters
    ----------
    name : str
        The name by which `--only` selects it.
    group : Group
        Where it comes from.
    package : str
        Whose it is.
    world : {"continuous", "discrete", "series"}
        The kind of data that it gives.
    what : str
        One sentence.
    call : str
        As code: what is called, with what is left at its defaults.
    source : Source
        What gives its data sets.
    note : str
        What had to be chosen because the package has no default; often empty.
    reference : str
        The publication; often empty.
    option : str
        What the command needs besides the name, such as ``--data FOLDER``.
    """

    name: str
    group: Group
    package: str
    world: World
    what: str
    call: str
    source: Source
    note: str = ""
    reference: str = ""
    option: str = ""

    @property
    def is_one_data_set(self) -> bool:
        """Whether there is one data set, and nothing is drawn."""
        return self.group == "data set"

    def command(self, settings: Settings) -> str:
        """Return the command that makes its row."""
        words = ["causalassay hall --only", self.name, self.option]
        return " ".join(word for word in words if word) + settings.options


def entries(
    settings: Settings, data: Path | None = None, bif: Sequence[Path] = ()
) -> dict[str, Entry]:
    """Return the entries by name: other packages', ours, real data, networks.

    Parameters
    ----------
    settings : Settings
        How much is drawn of each generator.
    data : Path, optional
        The folder of the files of real data.
    bif : sequence of Path
        Files of networks.

    Examples
    --------
    >>> entries(Settings())["linear-iscm"].group
    'ours'
    """
    named: dict[str, Entry] = {}
    for group in (package_generators(), own_schemes(settings), real_data(data), networks(bif)):
        for entry in group:
            if entry.name in named:
                raise ValueError(
                    f"two entries of the hall are called {entry.name!r}; rename the file or the "
                    "generator"
                )
            named[entry.name] = entry
    return named


def chosen(known: dict[str, Entry], only: Sequence[str]) -> list[Entry]:
    """Return the entries of some names, without names all of them.

    Examples
    --------
    >>> chosen(entries(Settings()), ["linear-icsm"])
    Traceback (most recent call last):
    ValueError: --only: there is no entry 'linear-icsm'; did you mean 'linear-iscm'?
    """
    for name in only:
        if name not in known:
            raise ValueError(
                f"--only: there is no entry {name!r}; {did_you_mean(name, list(known))}"
            )
    return [entry for name, entry in known.items() if not only or name in only]


def package_generators() -> Iterator[Entry]:
    """Yield the generators of all environments, by package.

    Examples
    --------
    >>> {entry.group for entry in package_generators()} <= {"package"}
    True
    """
    generators = environment_generators().values()
    for generator in sorted(
        generators, key=lambda generator: (generator.environment, generator.name)
    ):
        yield Entry(
            generator.name,
            "package",
            first_pin(environment(generator.environment)).partition("==")[0]
            or generator.environment,
            cast(World, generator.world),  # checked when the definition was read
            generator.what,
            generator.call,
            PackageGenerator(generator),
            generator.note,
            generator.reference,
            "--install",
        )


def own_schemes(settings: Settings) -> Iterator[Entry]:
    """Yield an entry for each model source; the raw scheme is called so.

    Examples
    --------
    >>> [entry.name for entry in own_schemes(Settings())][:3]
    ['linear-raw', 'linear-standardized', 'linear-iscm']
    """
    lines = short_lines("models")
    for model in MODELS.entries():
        mechanism, _, kind = model.name.partition(".")
        if model.value is None or model.name not in lines:
            continue  # it is not built in
        world = WORLDS.get(mechanism, "continuous")
        share = link_probability(settings.nodes)
        graph = _GRAPHS[world].format(nodes=settings.nodes, share=share)
        yield Entry(
            f"{mechanism}-{'raw' if kind == 'scm' else kind}",
            "ours",
            "causalassay",
            world,
            lines[model.name],
            f'ca.models.draw("{kind}", {graph}, rng, mechanism="{mechanism}")',
            Scheme(source(kind, mechanism=mechanism), world),
            f"{_FUNCTIONS.get(mechanism, '')} {_NOTES[world]}".strip(),
        )


def real_data(folder: Path | None) -> Iterator[Entry]:
    """Yield the data sets that are known by their checksums.

    Examples
    --------
    >>> [entry.name for entry in real_data(None)]
    ['sachs', 'chamber']
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


def networks(files: Sequence[Path]) -> Iterator[Entry]:
    """Yield an entry for each BIF file; its name is the file's without the ending.

    Raises
    ------
    ValueError
        If a file is no network.
    """
    for file in files:
        model = read_bif(file)
        yield Entry(
            re.sub(r"[^\w.-]+", "-", file.stem),
            "network",
            "",
            "discrete",
            f"A discrete network of {len(model.names)} nodes.",
            f'ca.models.read_bif("{file.name}").sample(n, rng)',
            BayesianNetwork(file, file_sha256(file)),
            "All draws have the network's own graph, so that they are one instance.",
            "",
            f"--bif {shlex.quote(file.name)}",
        )
