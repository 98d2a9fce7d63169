"""The simulator of linear Gaussian models of the package sempler; W[i, j] is i to j."""

import numpy as np
from sempler import LGANM
from sempler.generators import dag_avg_deg


def linear_gaussian(request):
    """Simulate a linear Gaussian model."""
    graph_seed, model_seed, sample_seed = np.random.SeedSequence(request.seed).generate_state(3)
    weights = dag_avg_deg(request.parameters["nodes"], 4, random_state=int(graph_seed))
    model = LGANM(weights, (0, 1), (0, 1), random_state=int(model_seed))
    values = model.sample(request.parameters["samples"], random_state=int(sample_seed))
    return {"values": values, "graph": weights != 0}


GENERATORS = {"sempler-linear-gaussian": linear_gaussian}
