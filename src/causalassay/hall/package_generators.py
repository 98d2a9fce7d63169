"""Generators of other packages as entries; each runs in its environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from causalassay.arrays import Adjacency
from causalassay.data import Continuous, Dataset, Discrete, Regime
from causalassay.data.dataset import World
from causalassay.environments.building import versions
from causalassay.environments.catalogue import environment, environment_generators
from causalassay.environments.definition import EnvironmentDefinition, GeneratorDefinition
from causalassay.environments.generating import Drawn, draw
from causalassay.environments.installing import folder_of, state
from causalassay.environments.process import (
    EnvironmentAbsent,
    EnvironmentFailed,
    PackageRefused,
)
from causalassay.graphs import LaggedGraph
from causalassay.hall.entry import Draw, Entry, Settings, SourceAbsent, SourceFailed
from causalassay.seeding import stream

CONDITION = "observational"


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
        name, _, pinned = _own_pin(self.home).partition("==")
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


def package_generators() -> Iterator[Entry]:
    """Yield the generators of all environments, by package.

    Examples
    --------
    >>> {entry.group for entry in package_generators()} <= {"package"}
    True
    """
    found = environment_generators().values()
    for one in sorted(found, key=lambda one: (one.environment, one.name)):
        yield Entry(
            one.name,
            "package",
            _own_pin(environment(one.environment)).partition("==")[0] or one.environment,
            cast(World, one.world),  # checked when the definition was read
            one.what,
            one.call,
            PackageGenerator(one),
            one.note,
            one.reference,
            "--install",
        )


def _own_pin(home: EnvironmentDefinition) -> str:
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
