"""The protocols of every plug-in kind, on one page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

from numpy.random import Generator

from causalassay.arrays import Adjacency, Weights
from causalassay.data.dataset import Dataset
from causalassay.data.problem import Problem
from causalassay.graphs.drawing import show
from causalassay.notebook import fragment, paragraph, table

Kind = Literal["dag", "cpdag", "pdag"]


class NotApplicable(ValueError):
    """The data lack what the algorithm needs; the message says what, and the way out."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """What an algorithm found.

    Parameters
    ----------
    graph : Adjacency
    kind : {"dag", "cpdag", "pdag"}
        What the algorithm promises `graph` to be.
    weights : Weights, optional
        Unthresholded, ``weights[i, j]`` for i→j.
    order : tuple of int, optional
        The causal order the graph was built on, causes first.
    info : mapping
        Convergence, iterations, score: whatever a reader should know.
    """

    graph: Adjacency
    kind: Kind
    weights: Weights | None = None
    order: tuple[int, ...] | None = None
    info: Mapping[str, Any] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        drawing = show(self.graph)
        facts = {"order": self.order} if self.order is not None else {}
        weights = "none" if self.weights is None else "unthresholded"
        return fragment(
            paragraph(f"Estimate of a {self.kind}: {drawing.caption}"),
            drawing._repr_svg_(),
            table((facts | {"weights": weights} | dict(self.info)).items()),
        )


class Algorithm(Protocol):
    """A frozen dataclass whose fields are the hyper-parameters.

    Optional class variables tell `causalassay.algorithms` and the conformance
    suite more: ``output`` (kind of graph), ``scale_sensitive``, ``assumptions``,
    ``reference``, ``licence``, and ``equivariant = False`` where relabelling the
    columns need not relabel the result.
    """

    version: ClassVar[int]
    """Raised when behaviour changes: it is part of the cache key."""

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate a graph; `data` stay unchanged and all chance comes from `rng`."""
        ...


class Diagnostic(Protocol):
    """A number of a problem, without any estimate."""

    def __call__(self, problem: Problem) -> float:
        """Return the number, nan where it is undefined."""
        ...


class Metric(Protocol):
    """A number of a true graph and a guess."""

    def __call__(self, truth: Adjacency, guess: Adjacency) -> float:
        """Return the number, nan where it is undefined."""
        ...
