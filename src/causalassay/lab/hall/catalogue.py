"""All entries of the hall, in the order of its table, and the sources of their data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import stream
from causalassay.common.spelling import did_you_mean
from causalassay.data import Continuous, Dataset, Discrete, Problem, Regime
from causalassay.data.dataset import World
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
from causalassay.lab.hall.entry import Draw, Entry, Settings, SourceAbsent, SourceFailed
from causalassay.lab.hall.reality import known_networks, networks, real_data
from causalassay.listing import short_lines
from causalassay.models.registry import MODELS, ModelSource, source
from causalassay.study.keys import canonical
from causalassay.study.problem_specs import Generated
from causalassay.study.worker.problem_making import NoProblem, make

EDGES_PER_NODE = 2
MAX_LAG = 2

CONDITION = "observational"


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


def _problem(spec: Generated, settings: Settings, number: int) -> Problem:
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
    for group in (
        package_generators(),
        own_schemes(settings),
        real_data(data),
        known_networks(data),
        networks(bif),
    ):
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
