"""The algorithms of the package dagma; its matrices are [cause, effect]."""

import numpy as np
import torch
from dagma.linear import DagmaLinear
from dagma.nonlinear import DagmaMLP, DagmaNonlinear

torch.set_num_threads(1)


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


ALGORITHMS = {"dagma-linear": linear, "dagma-mlp": mlp}
