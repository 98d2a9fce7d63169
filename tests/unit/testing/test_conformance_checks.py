from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from causalassay.contracts import Estimate
from causalassay.data import Dataset
from causalassay.discovery import algorithms, make_algorithm
from causalassay.environments.catalogue import environment_algorithms
from causalassay.testing import check_algorithm

NEEDS_PARAMETERS = {"command": {"program": ("true",)}, "acor": {"n_edges": 2}}
RUNNING = [
    record.name
    for record in algorithms()
    if not record.missing
    and record.name != "command"
    and record.name not in environment_algorithms()  # see test_environment_adapters.py
]


@pytest.mark.parametrize("name", RUNNING)
def test_every_built_in_keeps_the_contract(name):
    check_algorithm(make_algorithm(name, **NEEDS_PARAMETERS.get(name, {})))


@pytest.mark.parametrize("record", algorithms(), ids=lambda r: r.name)
def test_every_algorithm_says_what_it_is(record):
    if not record.missing:
        assert record.description.endswith(".")
        assert record.assumptions
        assert record.reference
        assert record.licence


@dataclass(frozen=True)
class Liar:
    """Returns what its field says."""

    sin: str
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        d = data.n_nodes
        graph = np.zeros((d, d), dtype=bool)
        match self.sin:
            case "cycle":
                graph[:] = ~np.eye(d, dtype=bool)
            case "no class":
                return Estimate(np.triu(~graph, 1), "cpdag")
            case "float":
                return Estimate(np.full(graph.shape, 0.5), "dag")
            case "shape":
                return Estimate(np.zeros((d + 1, d + 1), dtype=bool), "dag")
            case "weights":
                return Estimate(graph, "dag", weights=np.full((d, d), np.nan))
            case "order":
                return Estimate(graph, "dag", order=(0,) * d)
            case "global state":
                graph[0, -1] = d > 1 and np.random.random() < 0.5  # noqa: NPY002
                return Estimate(graph, "pdag")
            case "writes":
                data.pooled[:] = 0
            case "columns":
                return Estimate(np.triu(~graph, 1), "dag")
            case "crash" if d == 1:
                raise ZeroDivisionError("division by zero")
        return Estimate(graph, "dag")


@pytest.mark.parametrize(
    ("sin", "message"),
    [
        ("cycle", '"dag" but the graph has a cycle'),
        ("no class", '"cpdag" but the graph is not a CPDAG'),
        ("float", "not an adjacency matrix"),
        ("shape", "for 6 columns"),
        ("weights", "not all finite"),
        ("order", "does not name each column once"),
        ("writes", "work on a copy"),
        ("columns", "depends on their order"),
        ("crash", "one column: ZeroDivisionError"),
    ],
)
def test_every_breach_is_named(sin, message):
    with pytest.raises(AssertionError, match=message):
        check_algorithm(Liar(sin))


def test_chance_outside_of_the_stream_is_found():
    """Twenty trials of a coin: missed with probability 1e-6."""
    np.random.seed(0)  # noqa: NPY002
    found = 0
    for _ in range(20):
        try:
            check_algorithm(Liar("global state"))
        except AssertionError as reason:
            found += "different graphs" in str(reason)
    assert found > 0


def test_an_honest_plug_in_passes():
    check_algorithm(Liar("none"))


class Mutable:
    def discover(self, data: Dataset, rng):
        return Estimate(np.zeros((data.n_nodes, data.n_nodes), dtype=bool), "dag")


def test_a_plain_class_is_told_what_is_missing():
    with pytest.raises(AssertionError, match="frozen dataclass.*\n.*version"):
        check_algorithm(Mutable())


@dataclass(frozen=True)
class Reader:
    """Joins the two columns of largest variance in the rows that it really reads."""

    really: str
    reads: str
    version: ClassVar[int] = 1
    equivariant: ClassVar[bool] = False

    def discover(self, data, rng):
        graph = np.zeros((data.n_nodes, data.n_nodes), dtype=bool)
        values = data.pooled
        if self.really == "observational rows" and data.observational is not None:
            values = data.observational_values
        if self.really == "all rows with their targets":
            values = data.regimes[-1].values * 10.0 ** len(data.regimes)
            graph[0, 1:] = 4 in [target for each in data.regimes for target in each.targets]
        one, other = np.argsort(values.var(axis=0))[-2:] if data.n_nodes > 1 else (0, 0)
        graph[one, other] = graph[other, one] = one != other
        return Estimate(graph, "pdag")


READINGS = ("observational rows", "all rows, pooled", "all rows with their targets")


@pytest.mark.parametrize("reads", READINGS)
def test_what_reads_as_it_says_passes(reads):
    check_algorithm(Reader(reads, reads))


@pytest.mark.parametrize(
    ("really", "reads", "message"),
    [
        ("all rows, pooled", "observational rows", "interventional rows changed its graph"),
        ("all rows, pooled", "no rows", "interventional rows changed its graph"),
        ("all rows with their targets", "all rows, pooled", "the regimes of the same rows"),
        ("observational rows", "everything", "`reads` is 'everything', expected one of 'no rows'"),
    ],
)
def test_what_reads_otherwise_is_found(really, reads, message):
    with pytest.raises(AssertionError, match=message):
        check_algorithm(Reader(really, reads))


def test_every_built_in_says_what_it_reads():
    silent = [record.name for record in algorithms() if not record.missing and not record.reads]
    assert [] == silent
