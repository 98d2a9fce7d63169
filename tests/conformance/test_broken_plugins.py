"""The conformance suite catches each way of breaking a contract; honest plug-ins pass."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from causalassay.diagnostics import r2
from causalassay.graphs import chain, erdos_renyi, lagged_erdos_renyi
from causalassay.models import SCM
from causalassay.testing import (
    check_diagnostic,
    check_graph_source,
    check_metric,
    check_model_source,
)

COUNTER = np.random.default_rng(0)


@dataclass(frozen=True)
class Roots:
    """Share of the true roots that are roots of the guess, or what its field says."""

    sin: str = ""
    better: ClassVar[str] = "high"
    version: ClassVar[int] = 1

    def score(self, problem, guess):
        roots = ~problem.graph.any(axis=0)
        share = float((~guess.any(axis=0))[roots].mean())
        match self.sin:
            case "none":
                return None
            case "text":
                return "0.5"
            case "chance":
                return COUNTER.random()
            case "writes":
                guess[0, 1] = ~guess[0, 1]
            case "writes truth":
                problem.graph[0, 1] = True
            case "labels":
                return float(((problem.graph & guess) * np.arange(len(guess))).sum())
            case "direction":
                return 1 - float((problem.graph & guess).sum() / problem.graph.sum())
            case "tiny" if len(guess) == 1:
                raise ZeroDivisionError("division by zero")
            case "crash":
                raise RuntimeError("out of order")
        return share


def test_honest_plug_ins_pass():
    check_metric(Roots())
    check_diagnostic(Largest())
    check_model_source(Scaled())
    check_graph_source(Path(5))


@pytest.mark.parametrize(
    ("sin", "message"),
    [
        ("none", "returned None; return a float, nan"),
        ("text", "returned '0.5'; return a float"),
        ("chance", "two calls with the same input gave different numbers"),
        ("writes", "it changed its input: work on a copy"),
        ("writes truth", "read-only"),
        ("labels", "relabelling the nodes changed the number"),
        ("direction", "is 'high' really better"),
        ("tiny", "one node: ZeroDivisionError"),
        ("crash", "it raised RuntimeError on ordinary input: out of order"),
    ],
)
def test_every_breach_of_a_metric_is_named(sin, message):
    with pytest.raises(AssertionError, match=message):
        check_metric(Roots(sin))


class Mutable:
    def score(self, problem, guess):
        return 0.0


@dataclass(frozen=True)
class Unhashable(Roots):
    sizes: list = None
    better: ClassVar[str] = "bigger"
    takes: ClassVar[str] = "pag"

    def __post_init__(self):
        object.__setattr__(self, "sizes", [1])


def test_what_a_metric_must_declare_is_named():
    with pytest.raises(AssertionError, match="frozen dataclass.*\n.*version.*\n.*`better` is None"):
        check_metric(Mutable())
    with pytest.raises(AssertionError, match="tuples rather than lists.*\n.*'bigger'.*\n.*'pag'"):
        check_metric(Unhashable())


def test_a_metric_may_declare_that_labels_matter():
    class Declared(Roots):
        invariant: ClassVar[bool] = False

    check_metric(Declared("labels"))


@dataclass(frozen=True)
class Largest:
    """The largest R², or what its field says."""

    sin: str = ""
    version: ClassVar[int] = 1

    def measure(self, problem):
        if problem.data.rows == "series":
            raise ValueError("of independent rows only")
        match self.sin:
            case "none":
                return None
            case "chance":
                return COUNTER.random()
            case "writes":
                problem.data.observational_values[:] = 0
            case "labels":
                return float(problem.data.observational_values[0, 0])
            case "refuses":
                raise ValueError("no")
            case "crash" if problem.data.n_nodes == 1:
                raise IndexError("no second column")
        return float(r2(problem.data.observational_values).max())


@pytest.mark.parametrize(
    ("sin", "message"),
    [
        ("none", "returned None"),
        ("chance", "two calls gave different numbers"),
        ("writes", "read-only"),
        ("labels", "relabelling the columns changed the number"),
        ("refuses", "it refuses every problem"),
        ("crash", "it raised IndexError"),
    ],
)
def test_every_breach_of_a_diagnostic_is_named(sin, message):
    with pytest.raises(AssertionError, match=message):
        check_diagnostic(Largest(sin))


@dataclass(frozen=True)
class Path:
    """A chain, or what its field says."""

    n_nodes: int
    sin: str = ""
    version: ClassVar[int] = 1

    def draw(self, rng):
        graph = chain(self.n_nodes)
        match self.sin:
            case "cycle":
                graph[-1, 0] = True
            case "float":
                return graph.astype(float)
            case "size":
                return chain(self.n_nodes + 1)
            case "chance":
                return erdos_renyi(self.n_nodes, 1.0, COUNTER)
            case "lagged":
                return lagged_erdos_renyi(self.n_nodes, 0.5, 1, rng)
        return graph


@pytest.mark.parametrize(
    ("sin", "message"),
    [
        ("cycle", "its graph has a cycle"),
        ("float", "its graph is not an adjacency matrix"),
        ("size", "its graph has 6 nodes and its field `n_nodes` is 5"),
        ("chance", "two draws from the same stream gave different graphs"),
        ("lagged", r"declare `lagged: ClassVar\[bool\] = True`"),
    ],
)
def test_every_breach_of_a_graph_source_is_named(sin, message):
    with pytest.raises(AssertionError, match=message):
        check_graph_source(Path(5, sin))


def test_a_graph_source_that_declares_lags_draws_them():
    @dataclass(frozen=True)
    class Lagged(Path):
        lagged: ClassVar[bool] = True

    check_graph_source(Lagged(5, "lagged"))
    with pytest.raises(AssertionError, match="drew a ndarray, not a LaggedGraph"):
        check_graph_source(Lagged(5))


@dataclass(frozen=True)
class Scaled:
    """A raw SCM, or a model with the fault that its field says."""

    sin: str = ""
    version: ClassVar[int] = 1

    def draw(self, graph, rng):
        model = SCM().draw(graph, COUNTER if self.sin == "chance" else rng)
        match self.sin:
            case "writes":
                graph[:] = False
            case "other graph":
                return replace(model, weights=model.weights.T.copy())
            case "crash" if len(graph) == 1:
                raise IndexError("no second node")
        return Faulty(model, self.sin)


class Faulty:
    """A model whose samples have a fault."""

    def __init__(self, model, sin):
        self.graph, self._model, self._sin = model.graph, model, sin

    def sample(self, n_samples, rng, intervention=()):
        match self._sin:
            case "global":
                return self._model.sample(n_samples, COUNTER, intervention)
            case "ignores":
                return self._model.sample(n_samples, rng)
            case "spills" if intervention:
                values = self._model.sample(n_samples, rng)
                return np.full_like(values, intervention[0].value)
        values = self._model.sample(n_samples, rng, intervention)
        match self._sin:
            case "transposed":
                return values.T
            case "infinite":
                values[0, 0] = np.inf
        return values


@pytest.mark.parametrize(
    ("sin", "message"),
    [
        ("chance", "two models drawn from the same stream differ"),
        ("global", "two samples from the same stream differ"),
        ("writes", "it changed the graph: work on a copy"),
        ("other graph", "is not the graph it was given"),
        ("transposed", r"have shape \(5, 200\), expected \(200, 5\)"),
        ("infinite", "not all finite"),
        ("ignores", r"under Do\(0, 1.0\) column 0 is not 1.0"),
        ("spills", "changed, which is not a descendant"),
        ("crash", "one node: IndexError"),
    ],
)
def test_every_breach_of_a_model_source_is_named(sin, message):
    with pytest.raises(AssertionError, match=message):
        check_model_source(Scaled(sin))


def test_a_model_with_a_stream_of_its_own_under_interventions_passes():
    """Same law, other noise: the columns that are not reached are compared as samples."""

    @dataclass(frozen=True)
    class Restarted(Scaled):
        def draw(self, graph, rng):
            return Again(SCM().draw(graph, rng), "")

    class Again(Faulty):
        def sample(self, n_samples, rng, intervention=()):
            rng.random(len(intervention))
            return super().sample(n_samples, rng, intervention)

    check_model_source(Restarted())


def test_a_model_that_takes_no_intervention_breaks_the_contract():
    @dataclass(frozen=True)
    class Observed(Scaled):
        def draw(self, graph, rng):
            return Passive(SCM().draw(graph, rng), "")

    class Passive(Faulty):
        def sample(self, n_samples, rng):
            return super().sample(n_samples, rng)

    with pytest.raises(AssertionError, match="takes no `intervention`") as caught:
        check_model_source(Observed())
    assert 1 == str(caught.value).count("\n- ")
