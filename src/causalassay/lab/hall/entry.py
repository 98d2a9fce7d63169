"""What an entry of the hall is, and how much is drawn of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from causalassay.common.arrays import Adjacency
from causalassay.data import Dataset
from causalassay.data.dataset import World
from causalassay.graphs import LaggedGraph

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


Group = Literal["package", "ours", "data set", "network"]
"""Generators of other packages, ours, real data, and networks that users name."""


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
    most_draws : int, optional
        The most data sets that are drawn of it: those of a large network take long, and as all
        have its one graph they are one instance.
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
    most_draws: int | None = None

    def n_draws(self, settings: Settings) -> int:
        """Return how many data sets are drawn of it."""
        if self.is_one_data_set:
            return 1
        return min(settings.draws, self.most_draws or settings.draws)

    @property
    def is_one_data_set(self) -> bool:
        """Whether there is one data set, and nothing is drawn."""
        return self.group == "data set"

    def command(self, settings: Settings) -> str:
        """Return the command that makes its row."""
        words = ["causalassay hall --only", self.name, self.option]
        return " ".join(word for word in words if word) + settings.options
