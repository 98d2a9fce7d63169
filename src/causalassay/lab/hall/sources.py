"""Where the data sets of the hall come from: schemes, generators of packages, files."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import stream
from causalassay.data import Continuous, Dataset, Discrete, Problem, Regime
from causalassay.data.dataset import World
from causalassay.data.known_files import KnownFile
from causalassay.environments.catalogue import (
    EnvironmentDefinition,
    GeneratorDefinition,
    environment,
)
from causalassay.environments.generating import Drawn, draw
from causalassay.environments.installing import folder_of, state, versions
from causalassay.environments.process import EnvironmentAbsent, EnvironmentFailed, PackageRefused
from causalassay.graphs import LaggedGraph
from causalassay.graphs.sources import ErdosRenyi, GraphSource, LaggedErdosRenyi
from causalassay.models.registry import ModelSource
from causalassay.study.keys import canonical
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
    """What gives data sets, one for each number."""

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
        """What the model source is, with its version."""
        return {"model": canonical(self.model), "graph": canonical(_graphs(self.world, 10))}

    @property
    def version(self) -> str:
        """Of causalassay."""
        return version("causalassay")

    def draw(self, settings: Settings, number: int) -> Draw:
        """Return what a study with this seed has as its replicate of that number."""
        spec = Generated(_graphs(self.world, settings.nodes), self.model, settings.samples)
        try:
            problem = make(settings.seed, spec, "main", number).problem
        except NoProblem as reason:
            raise SourceFailed(str(reason)) from reason
        return problem.data, problem.graph if problem.lagged is None else problem.lagged


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
        """Of the package as it is installed; before that as it is pinned."""
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

    @property
    def identity(self) -> Mapping[str, Any]:
        """The checksums of its files, which never change."""
        return {file.name: file.sha256 for file in self.files}

    @property
    def version(self) -> str:
        """None: the checksums say what it is."""
        return ""

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

    @property
    def identity(self) -> Mapping[str, Any]:
        """The checksum of the file."""
        return {"sha256": self.sha256}

    @property
    def version(self) -> str:
        """None: the checksum says what it is."""
        return ""

    def draw(self, settings: Settings, number: int) -> Draw:
        """Return samples of the network and its graph."""
        spec = Network(self.sha256, self.file, settings.samples)
        try:
            problem = make(settings.seed, spec, "main", number).problem
        except NoProblem as reason:
            raise SourceFailed(str(reason)) from reason
        return problem.data, problem.graph
