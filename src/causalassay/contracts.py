"""The protocols for all kinds of plug-ins, on one page.

Each is a frozen dataclass with a ``version`` and one method:

| kind | method | registered in the entry-point group |
|---|---|---|
| `Algorithm` | ``discover(data, rng) -> Estimate`` | ``causalassay.algorithms`` |
| `Metric` | ``score(problem, guess) -> float`` | ``causalassay.metrics`` |
| `Diagnostic` | ``measure(problem) -> float`` | ``causalassay.diagnostics`` |
| `ModelSource` | ``draw(graph, rng) -> Model`` | ``causalassay.models`` |
| `GraphSource` | ``draw(rng) -> Adjacency or LaggedGraph`` | ``causalassay.graphs`` |
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Weights, as_bool
from causalassay.common.files import as_path
from causalassay.common.on_demand import names_on_demand
from causalassay.data.dataset import Dataset, World
from causalassay.data.problem import Problem
from causalassay.graphs.lagged import LaggedGraph
from causalassay.graphs.probabilities import (
    Probabilities,
    check_probabilities,
    edge_probabilities,
    most_probable_dag,
    order_by_probability,
)
from causalassay.present import Document, Facts, GraphFigure, Shown
from causalassay.present.formatting import formatted, shortened
from causalassay.present.json_values import plain_values

if TYPE_CHECKING:
    from causalassay.graphs.sources import GraphSource
    from causalassay.models.registry import ModelSource

__all__ = [
    "Algorithm",
    "Columns",
    "Diagnostic",
    "Estimate",
    "GraphSource",
    "Kind",
    "Metric",
    "ModelSource",
    "NotApplicable",
    "Reads",
    "check_rows",
    "computes_many",
]

__getattr__, __dir__ = names_on_demand(__name__)

Kind = Literal["dag", "cpdag", "pdag", "summary"]
"""What an estimate's graph is; "summary": of a series, both entries of a pair mean feedback."""


WARNING = "warning"
"""What `Estimate.info` calls a sentence that a reader of the graph should know: pages show it
beside the graph, and studies keep it in the notes of the row."""

LONGEST_FACT = 120
"""Letters of what an estimate shows of its run."""

Reads = Literal["no rows", "observational rows", "all rows, pooled", "all rows with their targets"]
"""What an algorithm looks at in data with several regimes; "pooled": as if all were one regime."""

Columns = Literal["continuous", "discrete", "continuous or discrete"]
"""The kinds of columns that an algorithm takes; columns of both kinds in one data set are not
meant."""


class NotApplicable(ValueError):
    """The data lack what the algorithm needs; the message says what, and the way out.

    Parameters
    ----------
    *message : str
        What the data lack, and what to do.
    lacks : {"", "known targets", "series"}
        What they lack, for programs; empty if it is nothing of these.
    """

    lacks: Literal["", "known targets", "series"] = ""  # also of a subclass that never calls this

    def __init__(
        self, *message: object, lacks: Literal["", "known targets", "series"] = ""
    ) -> None:
        super().__init__(*message)
        self.lacks = lacks


def check_rows(data: Dataset, rows: Literal["independent", "series", "any"]) -> None:
    """Raise `NotApplicable` unless the rows of `data` are what an algorithm is for.

    Examples
    --------
    >>> series = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]], rows="series")
    >>> check_rows(series, "series")
    >>> check_rows(series, "independent")
    Traceback (most recent call last):
    causalassay.contracts.NotApplicable: the rows are a series ...
    """
    if rows == "independent":
        check_world(data, "continuous", "discrete", "mixed")
    elif rows == "series":
        check_world(data, "series")


def check_world(data: Dataset, *worlds: World) -> None:
    """Raise `NotApplicable` unless an algorithm for `worlds` is one for these data.

    Examples
    --------
    >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]])
    >>> check_world(data, "continuous", "discrete")
    >>> check_world(data, "discrete")
    Traceback (most recent call last):
    causalassay.contracts.NotApplicable: column 'x0' is continuous; this algorithm ...
    """
    if data.world not in worlds:
        lacks: Literal["", "series"] = "series" if worlds == ("series",) else ""
        raise NotApplicable(_unfit(data, worlds), lacks=lacks)


def _unfit(data: Dataset, worlds: tuple[World, ...]) -> str:
    if data.world == "series":
        return (
            "the rows are a series and this algorithm takes them for independent draws; take one "
            "for series, such as granger-lasso, or forget time with `data.as_independent()` "
            "(leave --series out)"
        )
    if worlds == ("series",):
        return (
            "the rows are independent and this algorithm is for series; if they follow each other "
            'in time, create the data with rows="series" (--series)'
        )
    discrete = next(iter(data.discrete_columns), None)
    continuous = next((name for name in data.columns if name not in data.discrete_columns), None)
    if "continuous" in worlds and "discrete" in worlds:
        return (
            f"column {discrete!r} is discrete and column {continuous!r} is continuous; the tests "
            "and scores here are for data of one kind: leave the columns of the other kind out, or "
            "make levels of the amounts first and declare all discrete"
        )
    if "continuous" in worlds:
        return f"column {discrete!r} is discrete; this algorithm is for continuous data"
    return f"column {continuous!r} is continuous; this algorithm is for discrete data"


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Shown):
    """What an algorithm found.

    Parameters
    ----------
    graph : Adjacency
        A matrix of the numbers 0 and 1 becomes one.
    kind : {"dag", "cpdag", "pdag", "summary"}
        What the algorithm promises `graph` to be. "summary": of a series, i
        acts on j at some lag; both entries of a pair mean feedback.
    weights : Weights, optional
        Unthresholded, ``weights[i, j]`` for i→j.
    order : tuple of int, optional
        The causal order the graph was built on, causes first.
    info : mapping
        Convergence, iterations, score: whatever a reader should know.
    lagged : LaggedGraph, optional
        Of a series: at which lags the links are; its summary is `graph`.
    columns : tuple of str, optional
        The names of the nodes; `causalassay.discover` fills them in from the data.
    probabilities : array, optional
        Of a method that has them: ``probabilities[i, j]`` is that of i→j, in [0, 1], with diagonal
        0. ``p[i, j] + p[j, i]`` is at most 1 (but of a "summary"); an edge whose direction is
        unknown counts half each way.

    Raises
    ------
    ValueError
        If the probabilities are none.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> Estimate(chain(3), "dag")
    Estimate of a dag: DAG of 3 nodes and 2 edges
    0 → 1
    1 → 2
    """

    graph: Adjacency
    kind: Kind
    weights: Weights | None = None
    order: tuple[int, ...] | None = None
    info: Mapping[str, Any] = field(default_factory=dict)
    lagged: LaggedGraph | None = None
    columns: tuple[str, ...] | None = None
    probabilities: Probabilities | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "graph", as_bool(self.graph))
        if self.probabilities is not None:
            both_ways = self.kind == "summary"
            checked = check_probabilities(self.probabilities, len(self.graph), both_ways=both_ways)
            checked.flags.writeable = False
            object.__setattr__(self, "probabilities", checked)

    @classmethod
    def of_graphs(
        cls,
        graphs: Iterable[Adjacency],
        weights: Sequence[float] | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> Estimate:
        """Return the estimate that several graphs make together, such as draws from a posterior.

        Its probabilities are those of `causalassay.graphs.edge_probabilities`, its graph is the
        DAG that `causalassay.graphs.most_probable_dag` reads from them.

        Parameters
        ----------
        graphs : iterable of Adjacency
            DAGs, CPDAGs or PDAGs of the same nodes.
        weights : sequence of float, optional
            Of the graphs; without them all count alike.
        info : mapping, optional

        Examples
        --------
        >>> from causalassay.graphs import chain
        >>> estimate = Estimate.of_graphs([chain(2), chain(2).T], weights=[0.75, 0.25])
        >>> estimate.probabilities.tolist(), estimate.graph.astype(int).tolist()
        ([[0.0, 0.75], [0.25, 0.0]], [[0, 1], [0, 0]])
        """
        return cls.of_probabilities(edge_probabilities(graphs, weights), info=info)

    @classmethod
    def of_probabilities(
        cls,
        probabilities: Probabilities,
        threshold: float = 0.5,
        info: Mapping[str, Any] | None = None,
    ) -> Estimate:
        """Return the DAG that `causalassay.graphs.most_probable_dag` reads, with an order of it.

        Examples
        --------
        >>> Estimate.of_probabilities(np.array([[0.0, 0.2], [0.7, 0.0]])).order
        (1, 0)
        """
        graph = most_probable_dag(probabilities, threshold)
        order = order_by_probability(graph, probabilities)
        return cls(graph, "dag", order=order, info=info or {}, probabilities=probabilities)

    def __repr__(self) -> str:
        from causalassay.present.drawing import show  # noqa: PLC0415  # only what is shown needs it

        return f"Estimate of a {self.kind}: {show(self.graph, self.columns)!r}"

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as lists, numbers and text, ready for JSON.

        Examples
        --------
        >>> from causalassay.graphs import chain
        >>> Estimate(chain(2), "dag", columns=("dose", "response")).to_dict()["graph"]
        [[0, 1], [0, 0]]
        """
        return {
            "kind": self.kind,
            "columns": plain_values(self.columns),
            "graph": self.graph.astype(int).tolist(),
            "weights": None if self.weights is None else np.asarray(self.weights).tolist(),
            "probabilities": plain_values(self.probabilities),
            "order": None if self.order is None else [int(node) for node in self.order],
            "lagged": None if self.lagged is None else self.lagged.links.astype(int).tolist(),
            "info": plain_values(dict(self.info)),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the estimate to a file, which `load` reads.

        Parameters
        ----------
        path : str or Path
            With the suffix ``.json``, or ``.npz``: then "graph", "weights", "probabilities",
            "order" and "lagged" are arrays, as far as they are there, and "about" is the rest as
            JSON.
        """
        parts, path = self.to_dict(), as_path(path)
        if _suffix(path) == ".json":
            path.write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")
            return
        arrays = {name: parts.pop(name) for name in _ARRAYS}
        given: dict[str, Any] = {name: array for name, array in arrays.items() if array is not None}
        np.savez_compressed(path, **given, about=json.dumps(parts))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Estimate:
        """Return the estimate that `save` wrote to a file.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from causalassay.graphs import chain
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "estimate.npz")
        ...     Estimate(chain(2), "dag", info={"seed": 0}).save(path)
        ...     Estimate.load(path).info["seed"]
        0
        """
        path = as_path(path)
        if _suffix(path) == ".json":
            parts = json.loads(path.read_text(encoding="utf-8"))
        else:
            with np.load(path, allow_pickle=False) as arrays:
                parts = json.loads(str(arrays["about"]))
                parts |= {name: arrays[name] for name in arrays.files if name in _ARRAYS}
        lagged = parts.get("lagged")
        order = parts.get("order")
        weights = parts.get("weights")
        return cls(
            np.asarray(parts["graph"]),
            parts["kind"],
            None if weights is None else np.asarray(weights, dtype=float),
            None if order is None else tuple(int(node) for node in order),
            parts["info"],
            None if lagged is None else LaggedGraph(np.asarray(lagged) == 1),
            None if parts["columns"] is None else tuple(parts["columns"]),
            parts.get("probabilities"),
        )

    def document(self) -> Document:
        """Return the graph, and what the algorithm says of its run."""
        from causalassay.present.drawing import show  # noqa: PLC0415  # only what is shown needs it

        drawing = show(self.graph)
        facts: dict[str, Any] = {} if self.order is None else {"order": self.order}
        facts |= {"weights": "none" if self.weights is None else "unthresholded"}
        facts |= {} if self.probabilities is None else {"probabilities": "of each edge"}
        facts |= dict(self.info)
        texts = {
            str(name): formatted(value, "factor")
            if isinstance(value, float)
            else shortened(str(value), LONGEST_FACT)
            for name, value in facts.items()
        }
        figure = GraphFigure("graph", drawing._repr_svg_, "")
        about = f"{self.kind}, {drawing.caption}"
        return Document("Estimate", "", [figure, Facts(texts)], about=about)


_ARRAYS = ("graph", "weights", "probabilities", "order", "lagged")


def _suffix(path: Path) -> str:
    if path.suffix not in (".json", ".npz"):
        raise ValueError(f"path: expected a file .json or .npz, got {path.name!r}")
    return path.suffix


class Algorithm(Protocol):
    """A frozen dataclass whose fields are the hyperparameters.

    Optional class variables tell `causalassay.algorithms` and the conformance
    suite more: ``output`` (kind of graph), ``scale_sensitive``, ``assumptions``,
    ``reference``, ``licence``, ``equivariant = False`` where relabelling the
    columns need not relabel the result, ``rows``: "independent" (also where it is
    left out), "series", or "any" for what does not look at rows, and ``reads``: which
    regimes it looks at, one of `Reads` (left out: not stated), and ``columns``: the kinds of
    columns that it takes, one of `Columns` (left out: not stated).

    Optional method: ``discover_many(datasets, rngs)`` computes data sets of one size in one call,
    where that is faster. It returns an `Estimate` for each, or the exception that `discover`
    would have raised; `discover` is the case of one. A study then computes many tasks in one
    call, unless ``batched`` is False: an instance with these settings computes them one by one.
    """

    version: ClassVar[int]
    """Raised when behaviour changes: it is part of the cache key."""

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate a graph; `data` stay unchanged and all chance comes from `rng`."""
        ...


def computes_many(algorithm: object) -> bool:
    """Return whether an algorithm computes many data sets of one size in one call.

    Examples
    --------
    >>> from causalassay.discovery import make_algorithm
    >>> computes_many(make_algorithm("golem-ev", device="torch"))
    True
    >>> computes_many(make_algorithm("golem-ev")), computes_many(make_algorithm("pc"))
    (False, False)
    """
    many = callable(getattr(algorithm, "discover_many", None))
    return many and bool(getattr(algorithm, "batched", True))


class Metric(Protocol):
    """A number that compares a guess with the true graph.

    Optional class variables: ``takes``, what the guess may be: "any" graph (also where it
    is left out), a "class" (DAG or CPDAG), a "dag", or an "estimate", which is then scored as
    it is, with the order it reports; ``display_name``, what tables, figures and sentences call
    it if not by its name; and ``invariant = False`` where relabelling the nodes of both graphs
    may change the number.
    """

    @property
    def better(self) -> Literal["high", "low", "none"]:
        """Which numbers are good; "none" for a control beside the scores."""
        ...

    @property
    def version(self) -> int:
        """Raised when the number changes: it is part of the key."""
        ...

    @property
    def score(self) -> Callable[[Problem, Any], float]:
        """The method: of a problem, whose `graph` is the truth, and a guess; nan if undefined."""
        ...


class Diagnostic(Protocol):
    """A number that measures a problem, without any estimate.

    Optional class variable: ``invariant = False`` where relabelling the columns may change
    the number.
    """

    @property
    def version(self) -> int:
        """Raised when the number changes: it is part of the key."""
        ...

    @property
    def measure(self) -> Callable[[Problem], float]:
        """The method: of a problem; nan if undefined, a ValueError where it does not apply."""
        ...
