"""The algorithms and simulators of the package dagma; its matrices are [cause, effect]."""

import os
from functools import partial

import numpy as np
import torch
from dagma.linear import DagmaLinear
from dagma.nonlinear import DagmaMLP, DagmaNonlinear
from dagma.utils import (
    simulate_dag,
    simulate_linear_sem,
    simulate_nonlinear_sem,
    simulate_parameter,
)

torch.set_num_threads(int(os.environ.get("CAUSALASSAY_THREADS", "1")))


def linear(request):
    """Run the linear DAGMA; the weights are those before the threshold."""
    parameters = request.parameters
    fit = DagmaLinear("l2").fit(request.values, lambda1=parameters["lambda1"], w_threshold=0.0)
    return _found(fit, parameters["threshold"])


def mlp(request):
    """Run DAGMA with networks, in double precision as its authors do."""
    parameters = request.parameters
    torch.set_default_dtype(torch.double)
    network = DagmaMLP(
        dims=[len(request.columns), parameters["hidden"], 1], bias=True, dtype=torch.double
    )
    names = ("lambda1", "lambda2", "max_iter", "warm_iter")
    fit = DagmaNonlinear(network, dtype=torch.double).fit(
        request.values, w_threshold=0.0, **{name: parameters[name] for name in names}
    )
    return _found(fit, parameters["threshold"])


def _found(weights, threshold):
    weights = np.asarray(weights, dtype=float)
    return {"weights": weights, "graph": np.abs(weights) >= threshold}


def simulate_linear(sem_type, request):
    """Simulate a linear model."""
    graph = _graph(request)
    weights = simulate_parameter(graph)
    values = simulate_linear_sem(weights, request.parameters["samples"], sem_type)
    return {"values": values, "graph": graph}


def simulate_nonlinear(sem_type, request):
    """Simulate a model whose mechanisms are random functions."""
    graph = _graph(request)
    values = simulate_nonlinear_sem(graph, request.parameters["samples"], sem_type)
    return {"values": values, "graph": graph}


def _graph(request):
    d = request.parameters["nodes"]
    return simulate_dag(d, min(2 * d, d * (d - 1) // 2), "ER")


ALGORITHMS = {"dagma-linear": linear, "dagma-mlp": mlp}
GENERATORS = {
    "dagma-linear-gaussian": partial(simulate_linear, "gauss"),
    "dagma-linear-exponential": partial(simulate_linear, "exp"),
    "dagma-nonlinear-mlp": partial(simulate_nonlinear, "mlp"),
    "dagma-nonlinear-mim": partial(simulate_nonlinear, "mim"),
    "dagma-nonlinear-gp": partial(simulate_nonlinear, "gp"),
    "dagma-nonlinear-gp-add": partial(simulate_nonlinear, "gp-add"),
}
