"""The algorithms of the package lingam; its matrices are [effect, cause]."""

import lingam
import numpy as np


def ica(request):
    """Run ICA-LiNGAM."""
    model = lingam.ICALiNGAM(random_state=request.seed, **request.parameters)
    model.fit(request.values)
    return {"weights": model.adjacency_matrix_.T, "order": model.causal_order_}


def rcd(request):
    """Run RCD; what it marks as a hidden common cause is no edge, and is told."""
    model = lingam.RCD(**request.parameters)
    model.fit(request.values)
    weights = model.adjacency_matrix_.T
    hidden = np.argwhere(np.triu(np.isnan(weights))).tolist()
    return {"weights": np.nan_to_num(weights), "info": {"hidden common causes": hidden}}


def var(request):
    """Run VAR-LiNGAM with pruning; it chooses the number of lags by the BIC."""
    model = lingam.VARLiNGAM(random_state=request.seed, prune=True, **request.parameters)
    model.fit(request.values)
    effects = np.asarray(model.adjacency_matrices_)
    return {"links": effects.transpose(0, 2, 1) != 0}


ALGORITHMS = {"lingam-ica": ica, "lingam-rcd": rcd, "lingam-var": var}
