"""Every built-in plug-in keeps the contract that other packages' plug-ins must keep."""

import pytest

from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.graphs.sources import GRAPHS
from causalassay.metrics.registry import METRICS
from causalassay.models import source
from causalassay.models.registry import MODELS
from causalassay.testing import (
    check_diagnostic,
    check_graph_source,
    check_metric,
    check_model_source,
)

SIZES = {
    "erdos-renyi": (8, 1.5),
    "scale-free": (8, 2),
    "chain": (6,),
    "forest": (8, 2),
    "complete": (5,),
    "bipartite": (3, 4, 0.5),
    "lagged-erdos-renyi": (5, 0.4, 2),
}


@pytest.mark.parametrize("name", list(METRICS.built_in))
def test_every_metric_keeps_the_contract(name):
    check_metric(METRICS[name])


@pytest.mark.parametrize("name", list(DIAGNOSTICS.built_in))
def test_every_diagnostic_keeps_the_contract(name):
    check_diagnostic(DIAGNOSTICS[name])


@pytest.mark.parametrize("name", list(MODELS.built_in))
def test_every_model_source_keeps_the_contract(name):
    mechanism, _, kind = name.partition(".")
    check_model_source(source(kind, mechanism=mechanism))


@pytest.mark.parametrize("name", list(GRAPHS.built_in))
def test_every_graph_source_keeps_the_contract(name):
    check_graph_source(GRAPHS[name](*SIZES[name]))
