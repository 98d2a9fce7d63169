"""The algorithms of third-party packages, which run in environments of their own.

Their classes are made from the files of the environments when they are asked for, such as
``environment_algorithms.LingamICA``; nothing of a package is imported here.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Values
from causalassay.common.registry import install_line
from causalassay.contracts import Estimate, Kind, NotApplicable, Reads, check_world
from causalassay.data.dataset import Dataset, Regime, World
from causalassay.data.kinds import Discrete
from causalassay.discovery.statistics import check_observational, check_regular
from causalassay.environments.catalogue import (
    AlgorithmDefinition,
    EnvironmentDefinition,
    environment,
    environments,
)
from causalassay.environments.generating import check_links, check_square, checked_graph, draw
from causalassay.environments.installing import state
from causalassay.environments.process import (
    Answer,
    EnvironmentAbsent,
    EnvironmentFailed,
    PackageRaised,
    PackageRefused,
    Request,
    answered_within,
    ask,
    end_process,
    ready_process,
)
from causalassay.graphs import is_cpdag
from causalassay.graphs.lagged import LaggedGraph
from causalassay.graphs.probabilities import (
    Probabilities,
    check_probabilities,
    edge_probabilities,
    most_probable_dag,
)

NOT_SEEDED = "not repeatable"
"""The remark of an estimate whose package cannot be seeded."""


class NotInstalled(NotApplicable):
    """The environment of an algorithm is absent; the message is the command that installs it."""


@dataclass(frozen=True)
class EnvironmentAlgorithm:
    """What the algorithms of all environments share: a request, an answer, its checks."""

    definition: ClassVar[AlgorithmDefinition]
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    equivariant: ClassVar[bool] = False

    @classmethod
    def home(cls) -> EnvironmentDefinition:
        """Return the environment it runs in."""
        return environment(cls.definition.environment)

    @classmethod
    def absent(cls) -> str:
        """Return why it cannot run here, and what to do; empty if it can."""
        home = cls.home()
        reason = state(home).reason
        if reason and home.extra:
            return f"{reason}, or {install_line(home.name)}"
        return reason

    def load(self) -> None:
        """Start the process of the environment, so that no task waits for its imports."""
        if not self.absent():
            ready_process(self.home())

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Let the package estimate a graph from the observational values."""
        values = _usable_values(data, self.definition)
        request = Request(
            "algorithm",
            self.definition.name,
            dataclasses.asdict(self),
            # As the extra of causal-learn draws them: the same row from either.
            seed=int(rng.integers(2**32)),
            python_seed=int(rng.integers(2**32)),
            arrays={"values": values},
            columns=data.columns,
            levels=_levels(data),
            rows=data.rows,
        )
        try:
            answer = ask(self.home(), request)
            return _estimate(answer, data.n_nodes, self.definition)
        except EnvironmentAbsent:
            raise NotInstalled(self.absent()) from None
        except PackageRefused as reason:
            raise NotApplicable(str(reason)) from None
        except PackageRaised:
            raise
        except EnvironmentFailed:
            end_process(self.definition.environment)
            raise


@cache
def algorithm_class(definition: AlgorithmDefinition) -> type[EnvironmentAlgorithm]:
    """Return the dataclass of an algorithm: its parameters are the fields.

    Examples
    --------
    >>> definition = environment("lingam").algorithms[0]
    >>> algorithm_class(definition)()
    LingamICA(max_iter=1000)
    """
    fields = [
        (parameter.name, _annotation(parameter), dataclasses.field(default=parameter.default))
        for parameter in definition.parameters
    ]
    about = {
        "__doc__": _docstring(definition),
        "__module__": __name__,
        "definition": definition,
        "version": definition.version,
        "output": definition.output,
        "rows": "series" if definition.data == ("series",) else "independent",
        "columns": " or ".join(world for world in definition.data if world != "series")
        or "continuous",
        "scale_sensitive": definition.scale_sensitive,
        "assumptions": definition.assumptions,
        "reference": definition.reference,
        "licence": environment(definition.environment).licence,
    }
    kind = dataclasses.make_dataclass(
        definition.class_name, fields, bases=(EnvironmentAlgorithm,), namespace=about, frozen=True
    )
    kind.__module__ = __name__
    return kind


def __getattr__(name: str) -> Any:
    """Return the class of an algorithm of an environment, as processes and registries ask."""
    if not name.startswith("_"):
        for home in environments().values():
            for definition in home.algorithms:
                if definition.class_name == name:
                    return algorithm_class(definition)
    raise AttributeError(f"no environment has an algorithm with the class {name!r}")


def _annotation(parameter: Any) -> Any:
    kind: Any = Literal[parameter.choices] if parameter.choices else parameter.kind
    return kind | None if parameter.default is None else kind


def _docstring(definition: AlgorithmDefinition) -> str:
    lines = [definition.what]
    if definition.parameters:
        lines += ["", "Parameters", "----------"]
    for parameter in definition.parameters:
        lines += [f"{parameter.name} : {parameter.kind.__name__}", f"    {parameter.what}"]
    return "\n".join(lines)


def _usable_values(data: Dataset, definition: AlgorithmDefinition) -> Values:
    """Return the observational rows, or say why a package would fail on them."""
    check_world(data, *cast(tuple[World, ...], definition.data))
    check_observational(data)
    values = data.observational_values
    check_regular(data, values)
    return values


def _levels(data: Dataset) -> tuple[int, ...] | None:
    discrete = data.discrete_columns
    if len(discrete) < data.n_nodes:
        return None
    return tuple(len(discrete[name].levels) for name in data.columns)


def _estimate(answer: Answer, n_nodes: int, definition: AlgorithmDefinition) -> Estimate:
    """Return the estimate of an answer, or raise if it is no graph."""
    weights = answer.arrays.get("weights")
    if weights is not None:
        weights = _checked_weights(weights, n_nodes)
    lagged = None
    probabilities = _probabilities(answer, n_nodes, definition)
    if "links" in answer.arrays:
        lagged = _lagged(answer.arrays["links"], n_nodes)
        graph = lagged.summary
    elif "graph" in answer.arrays:
        graph = checked_graph(answer.arrays["graph"], n_nodes)
    elif weights is not None:
        graph = weights != 0
    elif probabilities is not None:
        graph = most_probable_dag(probabilities)
    else:
        raise EnvironmentFailed("invalid: its answer has no graph")
    order = answer.arrays.get("order")
    return Estimate(
        graph,
        _kind(graph, definition),
        weights,
        None if order is None else tuple(int(node) for node in np.ravel(order)),
        {"package": _package(definition), **_seed_remark(definition), **answer.info},
        lagged,
        probabilities=probabilities,
    )


def _probabilities(
    answer: Answer, n_nodes: int, definition: AlgorithmDefinition
) -> Probabilities | None:
    """Return the probabilities of an answer, or those of the graphs in it; None without any."""
    stated, graphs = answer.arrays.get("probabilities"), answer.arrays.get("graphs")
    try:
        if stated is not None:
            both_ways = definition.output == "summary"
            return check_probabilities(stated, n_nodes, both_ways=both_ways)
        if graphs is None:
            return None
        if graphs.ndim != 3 or not len(graphs):
            raise EnvironmentFailed(f"invalid: its graphs have shape {graphs.shape}")
        checked = [checked_graph(graph, n_nodes) for graph in graphs]
        weights = answer.arrays.get("graph_weights")
        return edge_probabilities(checked, None if weights is None else np.ravel(weights).tolist())
    except (TypeError, ValueError) as reason:
        raise EnvironmentFailed(f"invalid: its {reason}") from None


def _kind(graph: Adjacency, definition: AlgorithmDefinition) -> Kind:
    """Return the kind that was promised, but that a class that is none is a PDAG."""
    if definition.output == "cpdag" and not is_cpdag(graph):
        return "pdag"
    return definition.output


def _checked_weights(weights: np.ndarray, n_nodes: int) -> np.ndarray:
    check_square(weights, n_nodes, "matrix of weights")
    if not np.isfinite(weights).all():
        raise EnvironmentFailed("invalid: its weights are not all finite")
    weights = weights.astype(float)
    np.fill_diagonal(weights, 0.0)
    return weights


def _lagged(links: np.ndarray, n_nodes: int) -> LaggedGraph:
    check_links(links, n_nodes)
    try:
        return LaggedGraph(links.astype(bool))
    except ValueError as reason:
        raise EnvironmentFailed(f"invalid: {reason}") from None


def _package(definition: AlgorithmDefinition) -> str:
    """Return the packages that were pinned, as they were installed."""
    home = environment(definition.environment)
    return ", ".join(home.pins) or home.name


def _seed_remark(definition: AlgorithmDefinition) -> dict[str, str]:
    if definition.seedable:
        return {}
    return {NOT_SEEDED: "the package cannot be seeded: another run may give another graph"}


# Whether an environment works: its algorithms on small data, a draw of its generators.

CHECK_SECONDS = 600.0
"""What the check of one algorithm may take; the first one imports packages."""

_ROWS = 300
_NODES = 5


@dataclass(frozen=True)
class Checked:
    """What came of an algorithm on a chain of three columns, or of a small draw.

    Parameters
    ----------
    name : str
    seconds : float
        The duration of the call; the first one of an environment imports its packages.
    reason : str
        Why there is no graph, or no draw; empty if there is one.
    """

    name: str
    seconds: float
    reason: str


def check_environment(
    home: EnvironmentDefinition, seconds: float = CHECK_SECONDS
) -> Iterator[Checked]:
    """Yield what comes of each algorithm and of each generator of an environment.

    Parameters
    ----------
    home : EnvironmentDefinition
    seconds : float
        What each may take.
    """
    for definition in home.algorithms:
        yield _check(definition.name, partial(_discover, definition), seconds)
    for generator in home.generators:
        yield _check(generator.name, partial(draw, generator, _NODES, _ROWS, 0), seconds)


def _check(name: str, call: Callable[[], object], seconds: float) -> Checked:
    began = time.perf_counter()
    reason = ""
    try:
        with answered_within(seconds):
            call()
    except Exception as error:  # a package may raise anything
        reason = str(error)
    return Checked(name, time.perf_counter() - began, reason)


def _discover(definition: AlgorithmDefinition) -> None:
    algorithm = algorithm_class(definition)(**brief_parameters(definition))
    algorithm.discover(small_data(definition), np.random.default_rng(0))


def brief_parameters(definition: AlgorithmDefinition) -> dict[str, Any]:
    """Return the parameters with which an algorithm ends soon, where its defaults take minutes.

    Examples
    --------
    >>> from causalassay.environments.catalogue import environment
    >>> {known.name: brief_parameters(known) for known in environment("dagma").algorithms}
    {'dagma-linear': {}, 'dagma-mlp': {'max_iter': 1500, 'warm_iter': 1000}}
    """
    return {known.name: known.brief for known in definition.parameters if known.brief is not None}


def small_data(definition: AlgorithmDefinition) -> Dataset:
    """Return data of a chain of three columns that an algorithm is for.

    Examples
    --------
    >>> from causalassay.environments.catalogue import environment
    >>> small_data(environment("lingam").algorithms[0]).n_nodes
    3
    """
    rng = np.random.default_rng(0)
    noise = rng.exponential(size=(_ROWS, 3)) - 1.0
    if definition.data == ("series",):
        values = np.zeros_like(noise)
        for t in range(1, _ROWS):
            values[t] = noise[t] + 0.7 * np.roll(values[t - 1], 1) * (0, 1, 1)
        return Dataset.from_values(values, rows="series")
    values = np.cumsum(noise, axis=1)
    if "continuous" in definition.data:
        return Dataset.from_values(values)
    levels = (values > np.median(values, axis=0)).astype(float)
    kinds = (Discrete(("low", "high")),) * 3
    return Dataset(("x0", "x1", "x2"), (Regime("all", levels),), "all", kinds)
