"""What a problem is made of: frozen dataclasses whose fields make the key."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from causalassay.common.spelling import RefusedValue
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.graphs.sources import GraphSource
from causalassay.models.discrete.scm import Levels
from causalassay.models.registry import ModelSource, makes, named
from causalassay.study.keys import digest
from causalassay.study.own_parts import OwnModel

Transform = Literal[
    "standardize", "rescale", "rescale-in-order", "rescale-at-random", "shuffle-labels"
]
"""What can be done to a problem once it is drawn.

"standardize": each column to mean 0 and variance 1. "rescale": each column
times its own factor, log-uniform from 0.01 to 100. "rescale-in-order": each column gets another
standard deviation, log-uniform from the smallest to the largest that the columns have, in the
order of these; "rescale-at-random": the very same ones, in a random order. "shuffle-labels": the
true graph's nodes renamed at random, so that it has nothing to do with the data.
"""

SCALING: frozenset[Transform] = frozenset(
    {"standardize", "rescale", "rescale-in-order", "rescale-at-random"}
)
"""The transforms that change the scale of columns and leave all correlations as they are."""


@dataclass(frozen=True)
class Interventions:
    """Which nodes are intervened upon, each in a regime of its own, and how.

    Parameters
    ----------
    action : {"do", "shift", "randomize"}
    probability : float, optional
        Each node is intervened upon with this probability; or
    targets : tuple of tuple of int, optional
        the targets of each regime.
    samples : int
        Rows of each regime.
    value : float
        What a node is set to (do), is shifted by, or has as its mean (randomize).
    variance : float
        Of a randomised node.
    scale : {"observed", "latent"}
    start, stop : int, optional
        Of a series: the first row acted in, and the row after the last; without
        `start`, the action has always been at work.
    """

    action: Literal["do", "shift", "randomize"]
    samples: int
    probability: float | None = None
    targets: tuple[tuple[int, ...], ...] | None = None
    value: float = 0.0
    variance: float = 1.0
    scale: Literal["observed", "latent"] = "observed"
    start: int | None = None
    stop: int | None = None

    def __post_init__(self) -> None:
        if self.probability is not None and not 0 <= self.probability <= 1:
            raise RefusedValue("probability", f"expected 0 to 1, got {self.probability}")
        if self.samples < 2:
            raise RefusedValue("samples", f"expected at least 2, got {self.samples}")
        if not math.isfinite(self.value):
            raise RefusedValue("value", f"expected a finite number, got {self.value}")
        if not 0 <= self.variance < math.inf:
            raise RefusedValue("variance", f"expected a finite number >= 0, got {self.variance}")
        if self.start is None and self.stop is not None:
            raise RefusedValue("start", "state it together with `stop`; 0 is the first row")
        if self.start is not None and not 0 <= self.start < (self.stop or self.samples):
            raise RefusedValue(
                "start", f"expected 0 to {(self.stop or self.samples) - 1}, got {self.start}"
            )
        # Last: the reader of study files asks again with a refused key left out.
        if (self.probability is None) == (self.targets is None):
            raise ValueError("state either `probability` or `targets`")


@dataclass(frozen=True)
class Accept:
    """Draw again until a diagnostic falls into a bin (Reisach 2021, H.2).

    Parameters
    ----------
    diagnostic : str
        A key of `DIAGNOSTICS`.
    bin : (float, float)
        From the first number up to, not including, the second; the upper limit 1 is included.
    most_draws : int
        When to give up: the problem's rows are then skipped, with the reason.
    """

    diagnostic: str
    bin: tuple[float, float]
    most_draws: int = 1000
    diagnostic_version: int = field(default=1, init=False)
    """Part of the key, for which problems are accepted depends on it."""

    def __post_init__(self) -> None:
        if self.diagnostic in DIAGNOSTICS:
            version = DIAGNOSTICS[self.diagnostic].version
            object.__setattr__(self, "diagnostic_version", version)
        if not self.bin[0] < self.bin[1]:
            raise RefusedValue("bin", f"expected [low, high] with low < high, got {list(self.bin)}")
        if self.most_draws < 1:
            raise RefusedValue("most_draws", f"expected at least 1, got {self.most_draws}")


@dataclass(frozen=True)
class Generated:
    """A problem drawn from a graph source and a model source.

    Parameters
    ----------
    graph : GraphSource
    model : ModelSource
    samples : int
        Observational rows.
    interventions : Interventions, optional
    accept : Accept, optional
    transform : tuple of Transform
    setting : int, optional
        The number of a setting that was drawn at random: each has graphs of its own.
    """

    graph: GraphSource
    model: ModelSource
    samples: int
    interventions: Interventions | None = None
    accept: Accept | None = None
    transform: tuple[Transform, ...] = ()
    setting: int | None = None
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.samples < 2:
            raise RefusedValue("samples", f"expected at least 2, got {self.samples}")

    @property
    def sources(self) -> tuple[GraphSource, ModelSource]:
        """What is drawn from."""
        return self.graph, self.model


@dataclass(frozen=True)
class FromFile:
    """A problem read from a data file and a graph file.

    Parameters
    ----------
    file, graph_file : Path
        Where they are on this machine: no part of the key.
    sha256, graph_sha256 : str
        What they hold.
    condition, target, observational : str, optional
        As for `causalassay.data.read`.
    only_observational : bool
        Leave the rows of other conditions out.
    bootstrap : int, optional
        Rows to draw with replacement for each replicate, within each condition in
        proportion to its size; 0 means as many as there are. None: the rows as they are.
    rows : {"independent", "series"}
        A series is not resampled.
    transform : tuple of Transform
    discrete : bool or tuple of (name, levels)
        The discrete columns, with None for the levels that occur; True: all columns.
    drop : tuple of str
        Columns that are left out.
    separator : str, optional
        Of the fields of a text file.
    transpose : bool
        Whether the graph's edges are turned.
    of_folder : bool
        Whether it is one file of a folder: one instance of the folder's scheme, which has one
        data set unless its rows are resampled, however many replicates the study has.
    folder_scheme : str
        What the scheme of the folder is called: no part of the key.
    graph_digest : str
        Of a folder's file: its nodes and edges by name. Files on one graph are one instance,
        whatever their graphs look like: no part of the key.
    """

    sha256: str
    graph_sha256: str
    file: Path = field(compare=False)
    graph_file: Path = field(compare=False)
    condition: str | None = None
    target: str | None = None
    observational: str | None = None
    only_observational: bool = False
    bootstrap: int | None = None
    transform: tuple[Transform, ...] = ()
    rows: Literal["independent", "series"] = "independent"
    discrete: bool | tuple[tuple[str, Levels | None], ...] = ()
    drop: tuple[str, ...] = ()
    separator: str | None = None
    transpose: bool = False
    of_folder: bool = False
    folder_scheme: str = field(default="", compare=False)
    graph_digest: str = field(default="", compare=False)
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.rows == "series" and self.bootstrap is not None:
            raise RefusedValue(
                "bootstrap", "rows of a series cannot be drawn one by one; leave it out"
            )


@dataclass(frozen=True)
class Network:
    """A problem drawn from a discrete network in a BIF file, which has its own graph.

    Parameters
    ----------
    file : Path
        Where it is on this machine: no part of the key.
    sha256 : str
        What it holds.
    samples : int
        Observational rows.
    interventions : Interventions, optional
    transform : tuple of Transform
    """

    sha256: str
    file: Path = field(compare=False)
    samples: int
    interventions: Interventions | None = None
    transform: tuple[Transform, ...] = ()
    version: ClassVar[int] = 1


ProblemSpec = Generated | FromFile | Network

FILE_SCHEME, NETWORK_SCHEME = "data", "network"
"""The schemes of single data files and of networks."""

World = Literal["continuous", "discrete", "series"]


def world(spec: ProblemSpec) -> World:
    """Return what kind of data a problem has.

    Examples
    --------
    >>> from causalassay.graphs.sources import Chain
    >>> from causalassay.models import SCM, Dirichlet
    >>> world(Generated(Chain(3), SCM(), 100)), world(Generated(Chain(3), Dirichlet(), 100))
    ('continuous', 'discrete')
    """
    if isinstance(spec, Generated):
        return model_world(spec.model)
    if isinstance(spec, FromFile) and spec.rows == "series":
        return "series"
    return "discrete" if isinstance(spec, Network) or spec.discrete else "continuous"


def model_world(model: ModelSource) -> World:
    """Return what kind of data a model source gives."""
    if isinstance(model, OwnModel):
        worlds: dict[str, World] = {"var": "series", "discrete": "discrete"}
        return worlds.get(model.mechanism, "continuous")
    if makes(model, "var"):
        return "series"
    return "discrete" if makes(model, "discrete") else "continuous"


def graph_address(spec: ProblemSpec) -> str:
    """Return what problems on the same graphs, replicate by replicate, have in common."""
    if isinstance(spec, FromFile):
        return spec.graph_digest if spec.of_folder else spec.graph_sha256
    if isinstance(spec, Network):
        return spec.sha256
    return digest(spec.graph) if spec.setting is None else digest(spec.graph, spec.setting)


def replicates_of(spec: ProblemSpec, stated: int) -> int:
    """Return how many data sets a problem has in a study that states a number of replicates.

    Examples
    --------
    >>> file = FromFile("", "", Path(), Path(), of_folder=True)
    >>> resampled = FromFile("", "", Path(), Path(), of_folder=True, bootstrap=0)
    >>> replicates_of(file, 10), replicates_of(resampled, 10)
    (1, 10)
    """
    return 1 if isinstance(spec, FromFile) and spec.of_folder and spec.bootstrap is None else stated


def n_nodes_of(spec: ProblemSpec) -> int | None:
    """Return how many columns the data of a problem have; None where only the data tell.

    Examples
    --------
    >>> from causalassay.graphs.sources import Chain
    >>> from causalassay.models import SCM
    >>> n_nodes_of(Generated(Chain(3), SCM(), 100)), n_nodes_of(FromFile("", "", Path(), Path()))
    (3, None)
    """
    n_nodes = getattr(spec.graph, "n_nodes", None) if isinstance(spec, Generated) else None
    return n_nodes if isinstance(n_nodes, int) else None


def is_of_folder(spec: ProblemSpec) -> bool:
    """Return whether a problem is one file of a folder."""
    return isinstance(spec, FromFile) and spec.of_folder


def scheme(spec: ProblemSpec) -> str:
    """Return how the problem's columns came by their scale: what attributions compare.

    "raw", "standardized", another kind of model by its name, "data" for a file of data, the
    scheme of its folder for one of many, "network" for a network's; a transform that changes
    the scale is added. Nonlinear models and series have their mechanism before it, for they
    share scales, not laws.

    Examples
    --------
    >>> from causalassay.graphs.sources import Chain
    >>> from causalassay.models import SCM, UUMC, NonlinearSCM
    >>> scheme(Generated(Chain(3), UUMC(), 100)), scheme(Generated(Chain(3), SCM(), 100))
    ('uumc', 'raw')
    >>> scheme(Generated(Chain(3), SCM(), 100, transform=("standardize",)))
    'standardized'
    >>> scheme(Generated(Chain(3), NonlinearSCM(), 100))
    'gp raw'
    >>> scheme(Generated(Chain(3), SCM(), 100, transform=("rescale-in-order",)))
    'raw + rescale-in-order'
    """
    world = ""
    if isinstance(spec, FromFile):
        name = spec.folder_scheme or FILE_SCHEME
    elif isinstance(spec, Network):
        name = NETWORK_SCHEME
    else:
        if isinstance(spec.model, OwnModel):
            mechanism, kind = "linear", spec.model.name
        else:
            mechanism, kind = named(spec.model)
        name = {"scm": "raw"}.get(kind, kind)
        world = "" if mechanism in ("linear", "discrete") else f"{mechanism} "
    changes = list(spec.transform)
    if name == "raw" and changes[:1] == ["standardize"]:
        name, changes = "standardized", changes[1:]
    return " + ".join([world + name, *changes])
