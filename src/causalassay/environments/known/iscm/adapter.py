"""The simulators of the package iscm, of the paper on internally standardised models."""

from functools import partial

import numpy as np
from iscm.data_sampler import sample_linear, sample_rff
from iscm.graph_sampler import sample_erdos_renyi


def simulate(sample, standardization, request):
    """Simulate; the matrix of the package is [cause, effect]."""
    rng = np.random.default_rng(request.seed)
    graph = sample_erdos_renyi(
        request.parameters["nodes"], edges_per_node=2, weight_range=(0.5, 2.0), rng=rng
    )
    values = sample(
        graph,
        standardization=standardization,
        sample_size=request.parameters["samples"],
        rng=rng,
    )
    return {"values": values, "graph": graph.get_matrix_representation(boolean=True)}


GENERATORS = {
    "iscm-linear": partial(simulate, sample_linear, "internal"),
    "iscm-linear-raw": partial(simulate, sample_linear, None),
    "iscm-linear-standardized": partial(simulate, sample_linear, "naive"),
    "iscm-nonlinear": partial(simulate, sample_rff, "internal"),
    "iscm-nonlinear-raw": partial(simulate, sample_rff, None),
}
