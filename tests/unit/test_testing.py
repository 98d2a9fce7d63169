from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from causalassay.contracts import Estimate
from causalassay.data import Dataset
from causalassay.discovery import algorithms, make_algorithm
from causalassay.testing import check_algorithm

NEEDS_PARAMETERS = {"command": {"program": ("true",)}, "acor": {"n_edges": 2}}
RUNNING = [r.name for r in algorithms() if not r.missing and r.name != "command"]


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
                return Estimate(graph.astype(float), "dag")
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
        ("cycle", '"dag" but the graph is none'),
        ("no class", '"cpdag" but the graph is none'),
        ("float", "no adjacency"),
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
