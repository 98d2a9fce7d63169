"""The algorithm PCMCI+ and the toy models of the package tigramite."""

from functools import partial

import numpy as np
from tigramite import data_processing
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI
from tigramite.toymodels.structural_causal_processes import (
    check_stationarity,
    generate_structural_causal_process,
    links_to_graph,
    structural_causal_process,
)


def pcmci_plus(request):
    """Run PCMCI+; its result is [cause, effect, lag], and "o-o" or "x-x" has no direction."""
    frame = data_processing.DataFrame(request.values)
    search = PCMCI(dataframe=frame, cond_ind_test=ParCorr(), verbosity=0)
    parameters = request.parameters
    found = search.run_pcmciplus(
        tau_min=0, tau_max=parameters["max_lag"], pc_alpha=parameters["alpha"]
    )["graph"]
    undirected = np.argwhere(np.triu(np.isin(found[:, :, 0], ("o-o", "x-x")))).tolist()
    links = (found == "-->").transpose(2, 0, 1)
    return {"links": links, "info": {"links within a step without direction": undirected}}


def toy_model(function, request):
    """Simulate a stationary series."""
    d = request.parameters["nodes"]
    rng = np.random.default_rng(request.seed)
    stationary = False
    while not stationary:
        seed, noise_seed = rng.integers(2**32, size=2)
        links, noises = generate_structural_causal_process(
            N=d, L=d, dependency_funcs=[function], seed=int(seed), noise_seed=int(noise_seed)
        )
        stationary = check_stationarity(links)
    values, _ = structural_causal_process(links, T=request.parameters["samples"], noises=noises)
    return {"values": values, "links": (links_to_graph(links) == "-->").transpose(2, 0, 1)}


ALGORITHMS = {"tigramite-pcmci-plus": pcmci_plus}
GENERATORS = {
    "tigramite-linear": partial(toy_model, "linear"),
    "tigramite-nonlinear": partial(toy_model, "nonlinear"),
}
