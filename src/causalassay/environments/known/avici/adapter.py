"""The training data of AVICI's networks, from the files that its package is trained with."""

import random
import warnings
from functools import partial

import numpy as np
from avici.buffer import Sampler
from avici.definitions import PROJECT_DIR
from avici.utils.data import onp_standardize_data
from avici.utils.parse import load_data_config


def simulate(file, as_seen, request):
    """Simulate one system of a training file; the matrix of the package is [cause, effect]."""
    random.seed(request.seed)  # igraph draws its graphs from it
    rng = np.random.default_rng(request.seed)
    sizes = {"n_observations_obs": request.parameters["samples"], "n_observations_int": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a file defines thousands of kinds
        path = PROJECT_DIR / "avici" / "config" / "train" / f"{file}.yaml"
        specs = load_data_config(path, force_kwargs=sizes, abspath=True, load_modules=True)
    drawn = Sampler.generate_data(
        rng, n_vars=request.parameters["nodes"], spec_list=specs["data"]["train"]
    )
    if as_seen:
        drawn = onp_standardize_data(drawn)
    return {"values": drawn["x_obs"][..., 0], "graph": np.asarray(drawn["g"]) != 0}


GENERATORS = {
    "avici-linear": partial(simulate, "neurips-linear", True),
    "avici-linear-raw": partial(simulate, "neurips-linear", False),
    "avici-rff": partial(simulate, "neurips-rff", True),
    "avici-rff-raw": partial(simulate, "neurips-rff", False),
    "avici-gene": partial(simulate, "neurips-grn", True),
    "avici-scm-v0": partial(simulate, "scm-v0", True),
}
