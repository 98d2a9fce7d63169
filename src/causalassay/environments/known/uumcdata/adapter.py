"""The simulators of the package UUMCdata; A[i, j] is i to j, and its data have a row per column."""

import os
from functools import partial

import numpy as np

os.environ["MPLBACKEND"] = "agg"

from daosim import corr
from UUMCdata import CausalModel


def simulate(style, sparse, request):
    """Simulate; the package draws from numpy's own generator, which is seeded already.

    Only the onion method has a generator that was made when it was imported.
    """
    corr.__defaults__ = (np.random.default_rng(request.seed),)
    d = request.parameters["nodes"]
    density = {"p": min(1.0, 4 / (d - 1))} if sparse else {}
    model = CausalModel(d, **density)
    graph = model.get_adjacencies()
    model.gen_coefficients(style=style)
    data = model.gen_data(request.parameters["samples"])
    return {"values": data.data.T, "graph": graph}


GENERATORS = {
    "uumcdata-uumc": partial(simulate, "UUMC", False),
    "uumcdata-uumc-sparse": partial(simulate, "UUMC", True),
    "uumcdata-unit-variance-noise": partial(simulate, "unit-variance-noise", False),
    "uumcdata-iscm": partial(simulate, "iSCM", False),
    "uumcdata-ipa": partial(simulate, "IPA", False),
    "uumcdata-50-50": partial(simulate, "50-50", False),
    "uumcdata-dao": partial(simulate, "DaO", False),
}
