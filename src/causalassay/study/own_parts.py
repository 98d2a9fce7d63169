"""Metrics, diagnostics, models and graph families in Python files of a study's author.

Their text is read with the study, and run only in the workers, which make problems and score
estimates. So a study knows of them only what their text says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast, get_args

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency
from causalassay.common.code_files import CodeFile, code_file
from causalassay.common.definitions import Definition, Role
from causalassay.data import Problem
from causalassay.graphs import is_dag
from causalassay.graphs.lagged import LaggedGraph
from causalassay.metrics.registry import RESOLUTIONS, Better, GraphMetric, Takes
from causalassay.models.registry import kinds_by_mechanism

METRIC = Role(
    "metric",
    "score",
    "score(self, problem, guess)",
    "a number",
    ("truth", "guess"),
    ("better", "takes", "version", "display_name"),
)
DIAGNOSTIC = Role("diagnostic", "measure", "measure(self, problem)", "a number", ("problem",))
MODEL = Role("model", "draw", "draw(self, graph, rng)", "a model", ("graph", "rng"))
GRAPH = Role("graph family", "draw", "draw(self, rng)", "the adjacency matrix of a DAG", ("rng",))


@dataclass(frozen=True)
class OwnPart:
    """A class or a function in a Python file.

    Parameters
    ----------
    use : str
        ``my_metric.py:MyMetric``, as it was asked for.
    sha256 : str
        The SHA-256 hash of the file.
    parameters : tuple of (name, value)
        What the class is made with, or the function is called with.
    imports : tuple of (name, SHA-256)
        The modules that the file imports from its own folder, directly or through others.
    code : CodeFile
        What is run.
    """

    use: str
    sha256: str
    parameters: tuple[tuple[str, Any], ...] = ()
    imports: tuple[tuple[str, str], ...] = ()
    code: CodeFile = field(default=CodeFile("", "", b""), compare=False, repr=False)
    version: ClassVar[int] = 1

    @property
    def name(self) -> str:
        """The name of the class or the function."""
        return self.use.rpartition(":")[2]

    def load(self) -> Any:
        """Return the object that the class makes, or the function; the file is run for it."""
        content = getattr(self.code.module(), self.name, None)
        if isinstance(content, type):
            return content(**dict(self.parameters))
        if not callable(content):
            raise TypeError(f"{self.use}: {self.name!r} is no class or function after the file ran")
        return content


def own_part(found: Definition, parameters: Mapping[str, Any]) -> OwnPart:
    """Return a class or a function with its parameters.

    Raises
    ------
    OSError, ValueError
        If what the file imports from its folder cannot be read.
    """
    code = code_file(found.path, found.source)
    stated = tuple(sorted(parameters.items()))
    return OwnPart(found.use, code.sha256, stated, code.digests, code)


@dataclass(frozen=True)
class OwnMetric:
    """A metric in a Python file.

    Parameters
    ----------
    part : OwnPart
    better : {"high", "low", "none"}
        As the text of the file says.
    takes : {"any", "class", "dag", "estimate"}
    """

    part: OwnPart
    better: Better = field(default="high", compare=False)
    takes: Takes = field(default="any", compare=False)

    @property
    def metric(self) -> GraphMetric:
        """The metric as studies know registered ones."""
        return GraphMetric(self._score, self.better, self.takes)

    def _score(self, problem: Problem, guess: Any) -> float:
        content = self.part.load()
        declared = getattr(content, "declared", None)
        if isinstance(declared, GraphMetric):
            return declared.score(problem, guess)
        score = getattr(content, "score", None)
        # The caller looks at what comes: it may be no number.
        number = content(problem.graph, guess) if score is None else score(problem, guess)
        return cast(float, number)


def own_metric(found: Definition) -> OwnMetric:
    """Return the metric that a class or a function is.

    Raises
    ------
    ValueError
        If its text does not say which numbers are better, or it has parameters.
    """
    declared = found.declared
    better: Any = declared.get("better")
    takes: Any = declared.get("takes", "any")
    if better not in get_args(Better):
        how = 'better: ClassVar[str] = "high"' if found.is_class else '@metric("high")'
        came = "it does not say" if better is None else f"got {better!r}"
        raise ValueError(
            f'{found.use}: state which numbers are better, "high", "low" or "none", as in '
            f"`{how}`; {came}"
        )
    if takes not in RESOLUTIONS:
        raise ValueError(
            f'{found.use}: `takes` is "any", "class", "dag" or "estimate", got {takes!r}'
        )
    _refuse_parameters(found, "metric")
    return OwnMetric(own_part(found, {}), better, takes)


@dataclass(frozen=True)
class OwnDiagnostic:
    """A diagnostic in a Python file.

    Parameters
    ----------
    part : OwnPart
    """

    part: OwnPart

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.part.name

    def measure(self, problem: Problem) -> Any:
        """Return the number of a problem."""
        content = self.part.load()
        measure = getattr(content, "measure", None)
        return content(problem) if measure is None else measure(problem)


def own_diagnostic(found: Definition) -> OwnDiagnostic:
    """Return the diagnostic that a class or a function is.

    Raises
    ------
    ValueError
        If it has parameters.
    """
    _refuse_parameters(found, "diagnostic")
    return OwnDiagnostic(own_part(found, {}))


def _refuse_parameters(found: Definition, noun: str) -> None:
    if found.required:
        raise ValueError(
            f"{found.use}: a {noun} has no parameters in study files, and it requires "
            f"{found.required[0]!r}; write one for each setting"
        )


@dataclass(frozen=True)
class OwnGraphs:
    """A graph family in a Python file.

    Parameters
    ----------
    part : OwnPart
    lagged : bool
        Whether it draws the lagged graphs of series, as its text says.
    """

    part: OwnPart
    lagged: bool = field(default=False, compare=False)
    version: ClassVar[int] = 1

    @property
    def n_nodes(self) -> int | None:
        """How many nodes its graphs have, where a parameter says so."""
        stated = dict(self.part.parameters).get("n_nodes")
        return stated if isinstance(stated, int) else None

    def draw(self, rng: Generator) -> Adjacency | LaggedGraph:
        """Draw a graph; whatever is none is refused."""
        content = self.part.load()
        if hasattr(content, "draw"):
            graph = content.draw(rng)
        else:
            graph = content(**dict(self.part.parameters), rng=rng)
        if self.lagged and isinstance(graph, LaggedGraph):
            return graph
        if self.lagged:
            raise TypeError(
                f"{self.part.use} drew {type(graph).__name__}, expected a LaggedGraph, since it "
                "declares `lagged`"
            )
        if not isinstance(graph, np.ndarray) or graph.dtype != np.bool_ or graph.ndim != 2:
            kind = getattr(graph, "dtype", type(graph).__name__)
            raise TypeError(
                f"{self.part.use} drew {kind}, expected the adjacency matrix of a DAG: a square "
                "NumPy array of bool"
            )
        if graph.shape[0] != graph.shape[1] or not is_dag(graph):
            raise ValueError(f"{self.part.use} drew a graph that is no DAG: it has a cycle")
        return graph


@dataclass(frozen=True)
class OwnModel:
    """A model in a Python file.

    Parameters
    ----------
    part : OwnPart
    mechanism : str
        As the text of the file says: "var" is for series, "discrete" for levels, and all others
        are independent rows with continuous columns.
    """

    part: OwnPart
    mechanism: str = field(default="linear", compare=False)
    version: ClassVar[int] = 1

    @property
    def name(self) -> str:
        """What tables call it; in full where a registered model, or a scheme, is called so."""
        taken = {kind for kinds in kinds_by_mechanism().values() for kind in kinds}
        name = self.part.name
        return self.part.use if name in taken | {"raw", "data", "network"} else name

    def draw(self, graph: Any, rng: Generator) -> Any:
        """Draw a model on a graph; whatever is none is refused."""
        content = self.part.load()
        if hasattr(content, "draw"):
            model = content.draw(graph, rng)
        else:
            model = content(graph, rng=rng, **dict(self.part.parameters))
        if not hasattr(model, "graph") or not callable(getattr(model, "sample", None)):
            raise TypeError(
                f"{self.part.use} drew {type(model).__name__}, expected a model with `graph` and "
                "`sample(n_samples, rng, intervention=())`"
            )
        return model
