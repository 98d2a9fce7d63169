"""The simulators of the package daosim; its matrices are [effect, cause]."""

from functools import partial

import daosim
import numpy as np


def simulate(parameters, rewired, request):
    """Simulate; the package draws from the generator that it is given."""
    rng = np.random.default_rng(request.seed)
    d = request.parameters["nodes"]
    graph = daosim.er_dag(d, ad=min(4, d - 1), rng=rng)
    if rewired:
        graph = daosim.sf_out(graph, rng=rng)
    graph = daosim.randomize_graph(graph, rng=rng)
    _, weights, variances = parameters(graph, rng=rng)
    values = daosim.simulate(weights, variances, request.parameters["samples"], rng=rng)
    return {"values": daosim.standardize(values) if rewired else values, "graph": graph.T}


GENERATORS = {
    "daosim-onion": partial(simulate, daosim.corr, True),
    "daosim-onion-er": partial(simulate, daosim.corr, False),
    "daosim-uniform": partial(simulate, daosim.cov, False),
}
