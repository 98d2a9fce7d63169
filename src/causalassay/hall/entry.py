"""An entry of the hall: a source of data sets with their graphs, and what it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from causalassay.arrays import Adjacency
from causalassay.data import Dataset
from causalassay.data.dataset import World
from causalassay.graphs import LaggedGraph

Group = Literal["package", "ours", "data set", "network"]
"""Generators of other packages, ours, real data, and networks that users name."""

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


@dataclass(frozen=True, eq=False)
class Entry:
    """A row of the hall before it is measured.

    Parameters
    ----------
    name : str
    group : Group
    package : str
        Whose it is.
    world : {"continuous", "discrete", "series"}
    what : str
        One sentence.
    call : str
        As code: what is called, with what is left at its defaults.
    source : Source
    note : str
        What had to be chosen because the package has no default; often empty.
    reference : str
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
