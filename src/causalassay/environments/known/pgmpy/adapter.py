"""The algorithms and simulators of pgmpy; its matrices are [cause, effect], by name."""

from functools import partial

import numpy as np
import pandas as pd
from pgmpy.causal_discovery import GES, PC, HillClimbSearch
from pgmpy.models import DiscreteBayesianNetwork, LinearGaussianBayesianNetwork


def pc(request):
    """Run PC-stable; its tests condition on at most so many columns."""
    test = "pearsonr" if request.levels is None else "chi_square"
    parameters = request.parameters
    search = PC(
        variant="stable",
        ci_test=test,
        significance_level=parameters["alpha"],
        max_cond_vars=parameters["max_conditions"],
        n_jobs=1,
        show_progress=False,
    )
    return _found(search, request)


def ges(request):
    """Run GES."""
    return _found(GES(scoring_method=_score(request)), request)


def hill_climb(request):
    """Run hill climbing."""
    search = HillClimbSearch(scoring_method=_score(request), return_type="dag", show_progress=False)
    return _found(search, request)


def _score(request):
    return "bic-g" if request.levels is None else "bic-d"


def _found(search, request):
    names = [f"x{j}" for j in range(len(request.columns))]
    table = pd.DataFrame(request.values, columns=names)
    if request.levels is not None:
        kinds = [pd.CategoricalDtype(range(count)) for count in request.levels]
        table = table.astype(int).astype(dict(zip(names, kinds, strict=True)))
    search.fit(table)
    return {"graph": search.adjacency_matrix_.loc[names, names].to_numpy() != 0}


def linear_gaussian(sparse, request):
    """Simulate a linear Gaussian network."""
    d = request.parameters["nodes"]
    edges = {"n_edges": _n_edges(d)} if sparse else {}
    model = LinearGaussianBayesianNetwork.get_random(d, seed=request.seed, **edges)
    return _drawn(model, request)


def discrete(states, request):
    """Simulate a network of tables; without a number of states each column has its own."""
    d = request.parameters["nodes"]
    model = DiscreteBayesianNetwork.get_random(
        d, n_edges=_n_edges(d), n_states=states, seed=request.seed
    )
    levels = [model.get_cardinality(name) for name in _names(d)]
    return {**_drawn(model, request, show_progress=False), "levels": np.array(levels, dtype=int)}


def _n_edges(d):
    return min(2 * d, d * (d - 1) // 2)


def _names(d):
    return [f"X_{j}" for j in range(d)]


def _drawn(model, request, **options):
    names = _names(request.parameters["nodes"])
    table = model.simulate(request.parameters["samples"], seed=request.seed, **options)
    graph = np.zeros((len(names), len(names)))
    for cause, effect in model.edges():
        graph[names.index(cause), names.index(effect)] = 1
    return {"values": table[names].to_numpy(dtype=float), "graph": graph}


ALGORITHMS = {"pgmpy-ges": ges, "pgmpy-hill-climb": hill_climb, "pgmpy-pc": pc}
GENERATORS = {
    "pgmpy-linear-gaussian": partial(linear_gaussian, False),
    "pgmpy-linear-gaussian-sparse": partial(linear_gaussian, True),
    "pgmpy-discrete": partial(discrete, None),
    "pgmpy-discrete-ternary": partial(discrete, 3),
}
