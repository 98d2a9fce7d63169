"""The algorithm PCMCI+ of the package tigramite."""

import numpy as np
from tigramite import data_processing
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI


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


ALGORITHMS = {"tigramite-pcmci-plus": pcmci_plus}
