"""AVICI with weights of the user, and the training data of its networks from its own files."""

import json
import pickle
import random
import warnings
from collections import namedtuple
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from avici.buffer import Sampler
from avici.definitions import CHECKPOINT_KWARGS, PROJECT_DIR
from avici.model import BaseModel, InferenceModel
from avici.pretrain import AVICIModel
from avici.utils.data import onp_standardize_data
from avici.utils.parse import load_data_config


def avici(request):
    """Ask the network of the weights; of two directions the more probable is an edge."""
    stated = request.parameters["weights"]
    if not stated or not (Path(stated) / CHECKPOINT_KWARGS).is_file():
        reason = f'weights = "{stated}": expected the folder of a checkpoint, with kwargs.json'
        return {"not_applicable": f"{reason} and a .pkl file; none comes with causalassay"}
    probabilities = np.asarray(_network(stated)(request.values), dtype=float)
    likely = probabilities >= request.parameters["threshold"]
    return {"graph": likely & (probabilities > probabilities.T), "probabilities": probabilities}


@lru_cache(maxsize=1)
def _network(folder):
    """Load a checkpoint; the package's own function wants a second kwargs.json, and deepdiff."""
    checkpoints = sorted(Path(folder).glob("*.pkl"))
    with checkpoints[-1].open("rb") as file:
        state = _Arrays(file).load()
    settings = json.loads((Path(folder) / CHECKPOINT_KWARGS).read_text())
    network = settings["neural_net_kwargs"]
    model = InferenceModel(
        model_class=BaseModel, model_kwargs=dict(network.get("model_kwargs", network))
    )
    return AVICIModel(params=state.params, model=model, expects_counts=False)


_State = namedtuple(  # as avici.backbone.ModelState
    "_State", "step rng opt_state params dual dual_penalty_polyak ave_params"
)

_READ = {
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy.core.multiarray", "scalar"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("jax._src.array", "_reconstruct_array"),
    ("collections", "OrderedDict"),
    ("haiku._src.data_structures", "FlatMapping"),
    ("haiku._src.data_structures", "FlatComponents"),
}


class _Ignored:
    """Stands for what a checkpoint has besides arrays, such as the state of an optimiser."""

    def __new__(cls, *_, **__):
        return super().__new__(cls)

    def __init__(self, *_, **__):
        pass

    def __setstate__(self, state):
        pass


class _Arrays(pickle.Unpickler):
    """Reads arrays and what holds them; nothing else that a checkpoint names is run."""

    def find_class(self, module, name):
        if name == "ModelState":
            return _State
        return super().find_class(module, name) if (module, name) in _READ else _Ignored


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


ALGORITHMS = {"avici": avici}

GENERATORS = {
    "avici-linear": partial(simulate, "neurips-linear", True),
    "avici-linear-raw": partial(simulate, "neurips-linear", False),
    "avici-rff": partial(simulate, "neurips-rff", True),
    "avici-rff-raw": partial(simulate, "neurips-rff", False),
    "avici-gene": partial(simulate, "neurips-grn", True),
    "avici-scm-v0": partial(simulate, "scm-v0", True),
}
